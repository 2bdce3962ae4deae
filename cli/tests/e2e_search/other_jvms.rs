//! The same schedule gives the same result on every JVM: a part of `cargo xtask study jvms`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use reprise_jvm_testing::{jdks, jvms, limited, sources};

use crate::stage::{Stage, said};

/// Programs, and how their schedules are made.
const PROGRAMS: &[(&str, &[&str])] = &[
    (
        "schedule-lost",
        &["--schedule", "--runs=200", "--until-failure"],
    ),
    (
        "schedule-deadlock",
        &["--schedule", "--runs=200", "--until-failure"],
    ),
    ("schedule-pool", &["--schedule=pos", "--seed=3"]),
];

/// How often a program is recorded that runs freely.
const FREE: usize = 5;

/// A subject, compiled so that Java 11 can run it.
fn stage(name: &str) -> Stage {
    let stage = Stage {
        folder: tempfile::tempdir().unwrap(),
    };
    let subject = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../subjects")
        .join(name);
    let mut javac = Command::new(jdks()[0].with_file_name("javac"));
    javac.args(["-encoding", "UTF-8", "-g", "--release", "11", "-d"]);
    javac.arg(stage.folder.path()).args(sources(&subject));
    let output = limited::output(&mut javac);
    assert!(output.status.success(), "{output:?}");
    stage
}

#[test]
fn schedules_of_one_jvm_on_other_jvms() {
    let others = jvms::studied(Path::new(env!("CARGO_TARGET_TMPDIR")));
    if others.is_empty() {
        return;
    }
    for (name, options) in PROGRAMS {
        let stage = stage(name);
        let (file, recorded) = stage.record(&jdks()[0], "x.sched", options);
        let arguments = [OsStr::new("replay"), file.as_os_str()];
        let here = stage.reprise(&jdks()[0], &arguments);
        assert!(!said(&here).is_empty(), "{recorded:?}");
        for java in &others {
            let there = stage.reprise(java, &arguments);
            let same = there.stdout == here.stdout && said(&there) == said(&here);
            let verdict = if same { "the same" } else { "ANOTHER RESULT" };
            println!("{}: {name}: {verdict}", jvms::title(java));
            if !same {
                println!("    {here:?}\n    {there:?}");
            }
        }
    }
}

/// What the JDK does behind its calls is another thing in each release.
#[test]
fn what_ran_freely_is_followed_on_the_same_of_many_jvms() {
    let others = jvms::studied(Path::new(env!("CARGO_TARGET_TMPDIR")));
    if others.is_empty() {
        return;
    }
    let stage = stage("schedule-library");
    for java in &others {
        let same = (0..FREE).filter(|number| {
            let name = format!(
                "{}-{number}.sched",
                java.display().to_string().replace('/', "-")
            );
            let (file, recorded) = stage.record(java, &name, &["--schedule=free"]);
            let played = stage.reprise(java, &[OsStr::new("replay"), file.as_os_str()]);
            let same = played.status.success() && played.stdout == recorded.stdout;
            if !same {
                println!("    {}\n    {}", said(&recorded), said(&played));
            }
            same
        });
        let same = same.count();
        println!("{}: free: {same} of {FREE} the same", jvms::title(java));
    }
}
