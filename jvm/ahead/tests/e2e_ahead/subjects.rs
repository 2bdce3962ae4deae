//! Subjects: the recording of its jar, instrumented ahead
//! of time, has the events of the agent's, and is played as recorded.

use std::fs;
use std::path::{Path, PathBuf};

use reprise_jvm_testing as testing;

use crate::stage::Stage;

/// Those whose run is the same every time and whose classes are all in the jar.
const SUBJECTS: &[&str] = &[
    "jvm-arrays",
    "jvm-bill",
    "jvm-callbacks",
    "jvm-constructors",
    "jvm-defaults",
    "jvm-dispatch",
    "jvm-dynamic",
    "jvm-exceptions",
    "jvm-fields",
    "jvm-found",
    "jvm-hidden",
    "jvm-initialisers",
    "jvm-lambdas",
    "jvm-listeners",
    "jvm-monitors",
    "jvm-mirror",
    "jvm-references",
    "jvm-serial",
    "jvm-threads",
    "jvm-transparency",
    "jvm-values",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects")
}

fn check(subject: &Path, java: &Path) {
    let patterns = fs::read_to_string(subject.join("observe")).unwrap();
    let patterns = patterns.split_whitespace().collect::<Vec<_>>().join(":");
    let stage = Stage::compiled(&testing::sources(subject), &patterns);
    stage.record_both(java, "", &["Main"]);
    let name = subject.display();
    println!("{name}");
    stage.compare();
    fs::remove_file(stage.file("in.jar")).unwrap();
    fs::remove_file(stage.file("out.jar")).unwrap();
    let played = stage.play(java);
    assert_eq!(played.divergences, [], "{name}");
}

#[test]
fn the_events_are_those_of_the_agent() {
    let java = &testing::jdks()[0];
    for subject in SUBJECTS {
        check(&root().join(subject), java);
    }
}

/// The newest says much about what a program does behind its back, on standard
/// error; nothing of that comes from the runtime.
#[test]
fn the_newest_release_has_nothing_to_complain_about() {
    let jdks = testing::jdks();
    for subject in ["jvm-lambdas", "jvm-threads"] {
        check(&root().join(subject), jdks.last().unwrap());
    }
}
