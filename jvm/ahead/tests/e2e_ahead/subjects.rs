//! Every `subjects/jvm-*` that can: the recording of its jar, instrumented ahead
//! of time, has the events of the agent's, and is played as recorded.

use std::fs;
use std::path::{Path, PathBuf};

use reprise_jvm_testing as testing;
use reprise_jvm_testing::subject::Subject;

use crate::stage::Stage;

/// Not these, each for its reason.
const NOT_THESE: &[(&str, &str)] = &[
    ("jvm-computed", "it makes its classes while it runs"),
    ("jvm-hidden", "only an agent can change the JDK's listings"),
    ("jvm-identity", "not played as recorded yet by any way"),
    ("jvm-loaders", "two loaders have its class, out of a folder"),
    ("jvm-mirror", "only an agent can change the JDK's listings"),
    ("jvm-order", "its threads meet in another order in each run"),
    (
        "jvm-overflow",
        "how deep the stack is differs from run to run",
    ),
    (
        "jvm-reflection",
        "only an agent can change the JDK's listings",
    ),
    ("jvm-subclasses", "it loads a class out of a folder"),
    ("jvm-written", "it makes its classes while it runs"),
];

fn subjects() -> Vec<PathBuf> {
    let has = |path: &Path, file: &str| path.join(file).is_file();
    let subjects = Subject::all().into_iter().map(|subject| subject.folder);
    let subjects = subjects
        .filter(|path| has(path, "expected") && !has(path, "unrecorded"))
        // A jar is run by its main class, and compiled by the oldest JDK.
        .filter(|path| !has(path, "arguments") && !has(path, "release"))
        .filter(|path| !NOT_THESE.iter().any(|(name, _)| path.ends_with(name)));
    subjects.collect()
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
    for subject in subjects() {
        check(&subject, java);
    }
}

/// The newest says much about what a program does behind its back, on standard
/// error; nothing of that comes from the runtime.
#[test]
fn the_newest_release_has_nothing_to_complain_about() {
    let jdks = testing::jdks();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
    for subject in ["jvm-lambdas", "jvm-threads"] {
        check(&root.join(subject), jdks.last().unwrap());
    }
}
