//! The schedules of the paper, and one with every command.

use expect_test::{Expect, expect};
use reprise_schedule::{Schedule, check, parse};

fn golden(name: &str) -> Schedule {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/schedule/");
    let text = std::fs::read_to_string(format!("{folder}{name}.sched")).unwrap();
    parse(&text).unwrap()
}

fn check_text(schedule: &impl ToString, expected: &Expect) {
    expected.assert_eq(&schedule.to_string());
}

#[test]
fn the_schedule_that_leads_to_a_failure() {
    let schedule = golden("failure");
    assert_eq!(check(&schedule, None), []);
    check_text(
        &schedule,
        &expect![[r#"
            before Main main([Ljava/lang/String;)V 63 1
            switch 1
            before Producer run()V 13 2
            switch 2
            before Consumer run()V 10 1
            switch 3
            before Consumer run()V 21 1
            switch 2
            before Consumer run()V 21 1
            log 1 not reached: the buffer was empty
        "#]],
    );
    check_text(
        &schedule.to_messages().unwrap(),
        &expect![[r#"
            thread 0
              before Main main([Ljava/lang/String;)V 63 1
              send 1 1
              receive 0 0

            thread 1
              receive 0 1
              before Producer run()V 13 2
              send 2 2
              receive 1 0

            thread 2
              receive 1 2
              before Consumer run()V 10 1
              send 3 3
              receive 3 4
              before Consumer run()V 21 1
              log 1 not reached: the buffer was empty

            thread 3
              receive 2 3
              before Consumer run()V 21 1
              send 2 4
              receive 3 0
        "#]],
    );
}

#[test]
fn the_schedule_that_never_ends() {
    let schedule = golden("endless");
    assert_eq!(check(&schedule, None), []);
    let messages = schedule.to_messages().unwrap();
    check_text(
        &messages,
        &expect![[r#"
        thread 0
          before Main main([Ljava/lang/String;)V 63 1
          send 1 1
          receive 0 0

        thread 1
          receive 0 1
          loopbegin
            before Producer run()V 13 2
            send 2 2
            receive 2 3
          loopend 2
          loopbegin
            before Producer run()V 13 2
            send 3 4
            receive 3 5
          loopend inf

        thread 2
          loopbegin
            receive 1 2
            before Consumer run()V 21 1
            send 1 3
          loopend 2
          receive 2 0

        thread 3
          loopbegin
            receive 1 4
            before Consumer run()V 21 1
            send 1 5
          loopend inf
          receive 3 0
    "#]],
    );
    check_text(
        &Schedule::from(messages).to_switches().unwrap(),
        &expect![[r#"
            before Main main([Ljava/lang/String;)V 63 1
            switch 1
            before Producer run()V 13 2
            switch 2
            before Consumer run()V 21 1
            switch 1
            before Producer run()V 13 2
            switch 2
            before Consumer run()V 21 1
            switch 1
            before Producer run()V 13 2
            switch 3
            loopbegin
              before Consumer run()V 21 1
              switch 1
              before Producer run()V 13 2
              switch 3
            loopend inf
        "#]],
    );
}

#[test]
fn every_command_is_understood() {
    check_text(
        &golden("everything"),
        &expect![[r#"
        before Main main([Ljava/lang/String;)V 12 1
        log 1 two threads are started
        switch 0.1
        in com.acme.Waiter run 7 1
        switch 0.2
        before com.acme.Notifier 2 9 1
        notify 0.1
        timeout 0.2.1
        before Notifier.java:13 3
        switch 0
        loopbegin
          loopbegin
            before Main.java:20 1
            switch 0.1
            in com.acme.Waiter run 7 1
            switch 0
          loopend 3
        loopend inf
        in Main main([Ljava/lang/String;)V 30 1
        switch none
        before Main main([Ljava/lang/String;)V 33 1
        die 0.1
        before com.acme.Waiter it\u{20}works()V 33 1
        die none
        terminate
    "#]],
    );
}

/// Nothing in it says that main stays where it is, so at the end all go on.
#[test]
fn the_failure_in_messages() {
    let schedule = golden("messages");
    assert_eq!(check(&schedule, None), []);
    check_text(
        &schedule.to_switches().unwrap(),
        &expect![[r#"
        before Main main([Ljava/lang/String;)V 63 1
        switch 1
        before Producer run()V 13 2
        switch 2
        before Consumer run()V 10 1
        switch 3
        before Consumer run()V 21 1
        switch 2
        before Consumer run()V 21 1
        log 1 not reached: the buffer was empty
        terminate
    "#]],
    );
}
