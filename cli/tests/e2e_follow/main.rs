//! Programs under schedules that somebody wrote, on every JDK there is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod debugger;

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{Expect, expect};
use reprise_jvm_testing::{agent_library, compile, jdks, limited, sources};
use tempfile::TempDir;

/// A compiled subject.
struct Stage {
    subject: PathBuf,
    classes: TempDir,
}

impl Stage {
    fn new(name: &str) -> Self {
        let subject = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../subjects")
            .join(name);
        let classes = tempfile::tempdir().unwrap();
        compile(&sources(&subject), classes.path(), ".");
        Self { subject, classes }
    }

    /// Follows a schedule on every JDK; what is said must be the same.
    fn check(&self, schedule: &str, arguments: &[&str], status: i32, expected: &Expect) {
        let mut texts = Vec::new();
        for java in jdks() {
            let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
            command
                .env("REPRISE_AGENT", agent_library())
                .current_dir(&self.subject)
                .arg("replay")
                .arg(schedule)
                .arg("--")
                .arg(&java)
                .arg("-cp")
                .arg(self.classes.path())
                .arg("Main")
                .args(arguments);
            let output = limited::output(&mut command);
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{java:?}: {text}");
            texts.push(text);
        }
        expected.assert_eq(&texts[0]);
        texts.iter().for_each(|text| assert_eq!(*text, texts[0]));
    }
}

/// The first of the two schedules in the paper: a consumer takes what is not there.
#[test]
fn the_papers_consumer_fails_under_its_schedule() {
    let stage = Stage::new("schedule-paper");
    stage.check(
        "failure.sched",
        &[],
        0,
        &expect![[r#"
            second takes 1
            Index -1 out of bounds for length 1
            reprise: failure.sched: followed, 4 events; the program ended with status 1
        "#]],
    );
}

/// The second: two turns with the first consumer, then with the second for ever.
#[test]
fn the_papers_producer_takes_turns_under_its_schedule() {
    let stage = Stage::new("schedule-paper");
    stage.check(
        "loop.sched",
        &[],
        0,
        &expect![[r#"
            first takes 1
            first takes 2
            second takes 3
            second takes 4
            second takes 5
            second takes 6
            second takes 7
            second takes 8
            second takes 9
            reprise: loop.sched: followed, 19 events; the program ended with status 0
        "#]],
    );
}

#[test]
fn an_interrupt_after_a_notification_sets_the_flag() {
    let stage = Stage::new("schedule-states");
    stage.check(
        "notify.sched",
        &["notify"],
        0,
        &expect![[r#"
            woken, flag true
            joined
            reprise: notify.sched: followed, 4 events; the program ended with status 0
        "#]],
    );
}

#[test]
fn an_interrupt_before_a_notification_throws() {
    let stage = Stage::new("schedule-states");
    stage.check(
        "interrupt.sched",
        &["interrupt"],
        0,
        &expect![[r#"
            interrupted, flag false
            joined
            reprise: interrupt.sched: followed, 4 events; the program ended with status 0
        "#]],
    );
}

/// Interrupts by what the thread does at that moment: all rows of the table of states.
#[test]
fn an_interrupt_throws_or_sets_the_flag_by_what_came_before() {
    let stage = Stage::new("schedule-table");
    stage.check(
        "table.sched",
        &[],
        0,
        &expect![[r#"
            with the flag, a call throws, flag false false false
            with the flag, a call throws, flag false false false
            with the flag, a call throws, flag false false false
            sleep throws, flag false false false
            join throws, flag false false false
            wait throws, flag false false false
            sleep in time returns, flag true true false
            join in time returns, flag true true false
            wait in time returns, flag true true false
            join of a thread that has ended returns, flag true true false
            wait with a notification returns, flag true true false
            nothing returns, flag true true false
            as it should
            done
            reprise: table.sched: followed, 29 events; the program ended with status 0
        "#]],
    );
}

#[test]
fn a_deadlock_is_reached_and_shown() {
    let stage = Stage::new("schedule-states");
    stage.check(
        "deadlock.sched",
        &["deadlock"],
        0,
        &expect![[r#"
            reprise: deadlock.sched: followed to its end, where every thread is blocked
            reprise:   thread 0 (main) could go on, at Main.java:41 in Main.main
            reprise:   thread 1 (Thread-0) runs, at Main.java:52 in Main.nests
        "#]],
    );
}

#[test]
fn a_monitor_that_is_taken_is_a_divergence_and_no_hang() {
    let stage = Stage::new("schedule-states");
    stage.check("impossible.sched", &["deadlock"], 3, &expect![[r#"
        reprise: impossible.sched: diverged after 2 of 3 events: thread 0 needs a monitor that thread 1 has, and the schedule wants 'before Main main([Ljava/lang/String;)V 205 1'
        reprise:   thread 0 (main) needs a monitor, at Main.java:42 in Main.main
        reprise:   thread 1 (Thread-0) could go on, at Main.java:52 in Main.nests
    "#]]);
}

/// The same schedule for a run that goes another way.
#[test]
fn what_a_schedule_waits_for_and_never_comes_is_a_divergence() {
    let stage = Stage::new("schedule-states");
    stage.check("notify.sched", &["interrupt"], 3, &expect![[r#"
        reprise: notify.sched: diverged after 0 of 4 events: thread 0 has blocked, and the schedule wants 'in Main main([Ljava/lang/String;)V 129 1'
        reprise:   thread 0 (main) waits for a thread to end, at Main.java:46 in Main.main
        reprise:   thread 1 (Thread-0) could go on
    "#]]);
    stage.check("deadlock.sched", &["notify"], 3, &expect![[r#"
        reprise: deadlock.sched: diverged after 0 of 2 events: thread 0 has blocked, and the schedule wants 'before Main main([Ljava/lang/String;)V 168 1'
        reprise:   thread 0 (main) waits for a thread to end, at Main.java:46 in Main.main
        reprise:   thread 1 (Thread-0) could go on
    "#]]);
}
