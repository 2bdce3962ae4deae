//! Schedules that are made as short as they can be.

use std::ffi::OsStr;
use std::process::Command;

use reprise_jvm_testing::{jdks, limited};

use crate::stage::{Stage, said};

/// Most switches of a schedule do not matter; what is left is told with source lines.
#[test]
fn a_schedule_is_minimized_and_told() {
    let stage = Stage::new("schedule-lost");
    let java = jdks().remove(0);
    let options = ["--schedule", "--runs", "50", "--until-failure"];
    let (file, _) = stage.record(&java, "lost.sched", &options);
    let minimize = ["schedule", "minimize", "lost.sched"].map(OsStr::new);
    let minimized = stage.reprise(&java, &minimize);
    assert_eq!(minimized.status.code(), Some(0), "{minimized:?}");
    let line = said(&minimized);
    assert!(line.contains(": 4 switches instead of"), "{line}");
    assert!(
        line.contains(", 1 where a thread could have gone on"),
        "{line}"
    );
    let short = file.with_extension("min.sched");
    for arguments in [&["--program", "."][..], &[]] {
        let mut show = Command::new(env!("CARGO_BIN_EXE_reprise"));
        let show = show.current_dir(stage.folder.path()).arg("show");
        let told = limited::output(show.arg(&short).args(arguments));
        let told = String::from_utf8(told.stdout).unwrap();
        let (_, told) = told.split_once("\n\n").unwrap();
        let told: Vec<&str> = told.lines().collect();
        assert_eq!(
            told[0],
            "  main      blocks at Main.java:28, in Thread.join"
        );
        assert!(told[1].ends_with("  stops at Main.java:8, before it writes Counter.value"));
        assert!(told[2].ends_with("  runs to its end"));
        assert_eq!(told.len(), 5, "{told:?}");
    }
    for follower in jdks() {
        let played = stage.reprise(&follower, &["replay".as_ref(), short.as_os_str()]);
        assert!(said(&played).contains("ended with status 1"), "{played:?}");
    }
    let again = stage.reprise(&java, &minimize);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("it exists"), "{again:?}");
}

/// A deadlock stays a deadlock, and a schedule without a failure has nothing to keep.
#[test]
fn what_is_minimized_stays_the_same_failure() {
    let stage = Stage::new("schedule-deadlock");
    let java = jdks().remove(0);
    let options = ["--schedule", "--runs", "50", "--until-failure"];
    stage.record(&java, "deadlock.sched", &options);
    let minimize = ["schedule", "minimize", "deadlock.sched"].map(OsStr::new);
    let minimized = stage.reprise(&java, &minimize);
    assert!(said(&minimized).contains("; deadlock; "), "{minimized:?}");
    let nothing = stage.folder.path().join("nothing.sched");
    std::fs::write(&nothing, "").unwrap();
    let minimize = ["schedule", "minimize", "nothing.sched"].map(OsStr::new);
    let refused = stage.reprise(&java, &minimize);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("does not fail"), "{refused:?}");
}
