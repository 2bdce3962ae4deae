//! Many runs in one JVM: they do not notice each other, and where they would, each has a
//! JVM of its own.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use reprise_jvm_testing::jdks;

use crate::stage::{Stage, said};

/// Runs the subject so often; what was said, and in how many processes that was.
fn check(stage: &Stage, what: &str, runs: &str, expected: i32) -> (String, usize) {
    let file = stage.folder.path().join("processes");
    let _ = std::fs::remove_file(&file);
    let name = format!("{what}-{runs}.sched");
    let arguments = ["record", "--schedule", "--runs", runs, "-o", &name].map(OsStr::new);
    let output = stage.reprise_with(&jdks()[0], &arguments, &[what, "two words"]);
    assert_eq!(output.status.code(), Some(expected), "{output:?}");
    let processes = std::fs::read_to_string(file).unwrap();
    let processes: BTreeSet<&str> = processes.lines().collect();
    (said(&output), processes.len())
}

#[test]
fn runs_share_a_jvm_and_do_not_notice() {
    let stage = Stage::new("schedule-runs");
    let (said, processes) = check(&stage, "plain", "20", 0);
    assert!(!said.contains("a JVM is started for each run"), "{said}");
    // One for all, and one for the run that is kept.
    assert_eq!(processes, 2, "{said}");
    let (said, processes) = check(&stage, "throws", "20", 1);
    assert!(
        said.contains("IllegalStateException in thread 0, at Main.java:"),
        "{said}"
    );
    assert_eq!(processes, 2, "{said}");
}

#[test]
fn threads_that_are_left_wear_a_jvm_out() {
    let stage = Stage::new("schedule-runs");
    let (said, processes) = check(&stage, "left", "40", 0);
    assert!(!said.contains("a JVM is started for each run"), "{said}");
    assert!((3..10).contains(&processes), "{processes}: {said}");
}

#[test]
fn a_program_that_cannot_share_a_jvm_gets_one_for_each_run() {
    let stage = Stage::new("schedule-runs");
    for (what, why) in [
        ("common", "it uses the common pool of the JDK"),
        ("hook", "it has a shutdown hook"),
    ] {
        let (said, processes) = check(&stage, what, "3", 0);
        assert!(
            said.contains(&format!("a JVM is started for each run: {why}")),
            "{said}"
        );
        assert_eq!(processes, 4, "{said}");
    }
}
