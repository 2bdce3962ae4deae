//! Schedules that a strategy chose: recorded once, followed again and again.

use std::process::Output;

use reprise_jvm_testing::jdks;

use crate::stage::{Stage, said};

#[test]
fn a_lost_update_is_found_and_followed() {
    let stage = Stage::new("schedule-lost");
    for java in jdks() {
        let name = format!("{}.sched", java.display().to_string().replace('/', "-"));
        let options = ["--schedule", "--runs", "50", "--until-failure"];
        let (file, found) = stage.record(&java, &name, &options);
        assert_eq!(found.status.code(), Some(1), "{found:?}");
        assert!(said(&found).contains("status 1; recorded"), "{found:?}");
        let last = found.stdout.split(|byte| *byte == b'\n').rev().nth(1);
        let last = last.unwrap().to_vec();
        let once = Output {
            stdout: [last, b"\n".to_vec()].concat(),
            ..found
        };
        for follower in jdks() {
            stage.follow(&follower, &file, &once, "ended with status 1");
        }
    }
}

#[test]
fn a_deadlock_is_found_and_followed() {
    let stage = Stage::new("schedule-deadlock");
    let java = jdks().remove(0);
    let options = ["--schedule", "--runs", "50", "--until-failure"];
    let (file, found) = stage.record(&java, "deadlock.sched", &options);
    assert!(said(&found).contains(": deadlock; recorded"), "{found:?}");
    assert!(
        said(&found).contains("needs a monitor that thread"),
        "{found:?}"
    );
    let once = Output {
        stdout: Vec::new(),
        ..found
    };
    for follower in jdks() {
        stage.follow(&follower, &file, &once, "every thread is blocked");
    }
}

/// A thread that waits for the garbage collector does not hide a deadlock of the others.
#[test]
fn a_deadlock_is_found_beside_a_thread_that_waits_for_the_collector() {
    let stage = Stage::new("schedule-queue");
    let java = &jdks()[0];
    for seed in ["1", "2", "3"] {
        let name = format!("{seed}.sched");
        let options = ["--schedule=random", "--seed", seed];
        let (file, found) = stage.record(java, &name, &options);
        assert!(said(&found).contains(": deadlock; recorded"), "{found:?}");
        stage.follow(java, &file, &found, "every thread is blocked");
    }
}

/// Locks, conditions, semaphores, latches, queues, pools and futures.
#[test]
fn what_java_util_concurrent_did_is_followed() {
    let stage = Stage::new("schedule-pool");
    for java in jdks() {
        let home = java.display().to_string().replace('/', "-");
        for strategy in ["random", "pct:3", "pos", "rr:5"] {
            let name = format!("{}-{home}.sched", strategy.replace(':', "-"));
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

#[test]
fn a_strategy_that_is_none_is_refused() {
    let stage = Stage::new("schedule-lost");
    let (_, refused) = stage.record(&jdks()[0], "x.sched", &["--schedule=pct"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("random, pos, pct:D or rr:N"),
        "{refused:?}"
    );
}
