//! What cannot be scheduled, and what must not be in the way.

use std::process::Command;

use reprise_jvm_testing::{agent_library, jdks, limited};

use crate::stage::{Stage, said};

/// A loader that knows only its own classes is not asked for the scheduler.
#[test]
fn class_loaders_are_asked_only_for_what_the_program_needs() {
    let stage = Stage::new("jvm-strict");
    for java in jdks() {
        let mut command = Command::new(&java);
        command
            .current_dir(stage.folder.path())
            .args(["-cp", ".", "Main"]);
        let plain = limited::output(&mut command);
        let home = java.display().to_string().replace('/', "-");
        for strategy in ["random", "free"] {
            let name = format!("{strategy}{home}.sched");
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.stdout, plain.stdout, "{recorded:?}");
            let alone = "no thread was started, so there is no order";
            assert!(said(&recorded).contains(alone), "{recorded:?}");
            stage.follow(&java, &file, &plain, "ended with status 0");
        }
    }
}

/// Virtual threads take turns like others.
#[test]
fn virtual_threads_are_scheduled() {
    let stage = Stage::new("schedule-virtual");
    for java in jdks() {
        let home = java.display().to_string().replace('/', "-");
        for strategy in ["random", "free"] {
            let name = format!("{strategy}{home}.sched");
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
            if recorded.stdout.starts_with(b"no virtual") {
                break;
            }
        }
    }
}

/// A run that comes to no end is passed over, and the search ends.
#[test]
fn a_run_without_end_does_not_end_the_search() {
    let stage = Stage::new("schedule-runs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .env("REPRISE_AGENT", agent_library())
        .current_dir(stage.folder.path())
        .args(["record", "--schedule", "--runs=2", "--run-limit=2s"])
        // Not a JDK's own launcher, so each run has a JVM of its own.
        .args(["-o", "x.sched", "--", "sh", "-c", "exec \"$0\" \"$@\""])
        .arg(&jdks()[0])
        .args(["-cp", ".", "Main", "endless", "two words"]);
    let text = said(&limited::output(&mut command));
    for run in ["run 1 took more than 2s", "run 2 took more than 2s"] {
        assert!(text.contains(run), "{text}");
    }
}
