//! Traces to schedules.

use expect_test::{Expect, expect};
use reprise_schedule::{FromTrace, Schedule, check as check_schedule, schedule_from_trace};

fn check(trace: &str, expected: &Expect) {
    let found = match schedule_from_trace(trace) {
        Ok(switches) => {
            let text = switches.to_string();
            assert_eq!(check_schedule(&Schedule::from(switches), None), []);
            text
        }
        Err(error) => format!("{error}\n  {}\n", error.hint()),
    };
    expected.assert_eq(&found);
}

/// Two threads add to a counter; both read it before either writes.
#[test]
fn a_lost_update() {
    check(
        "\
0 Main main 0 next 3
0 Main main 3 next Main main 6    # starts 1
0 Main main 6 next 9              # starts 2
0 Main main 9 joining
1 Adder run 0
1 Adder run 1
1 Adder run 4 next 5
2 Adder run 0
2 Adder run 1
2 Adder run 4
2 Adder run 5
2 Adder run 6 dead
1 Adder run 5
1 Adder run 6 dead
0 Main main 12
0 Main main 15 dead
",
        &expect![[r#"
            in Main main 9 1
            switch 1
            before Adder run 5 1
            switch 2
            before Adder run 6 1
            die 1
            before Adder run 6 1
            die 0
            before Main main 15 1
            terminate
        "#]],
    );
}

/// The count is that of the location since the last event, whoever ran before.
#[test]
fn attempts_are_counted_from_event_to_event() {
    check(
        "\
0 M main 0 next 1
0 M main 1 next 0
0 M main 0 next 1
0 M main 1 next 0
1 R run 0 next 0
1 R run 0 next 0
0 M main 0 next 1
1 R run 0 next 0
0 M main 1 dead
1 R run 0 dead
",
        &expect![[r#"
            before M main 0 3
            switch 1
            before R run 0 3
            switch 0
            before M main 1 1
            switch 1
            before R run 0 2
            switch 0
            before M main 1 1
            die 1
            before R run 0 1
            terminate
        "#]],
    );
}

/// A thread that does not get a monitor has tried: the attempt at which it is
/// left is the one that fails.
#[test]
fn a_monitor_that_is_taken() {
    check(
        "\
0 M main 0 next 1
0 M main 1 next 2
1 R run 0
1 R run 1 blocked
0 M main 2 next 3
1 R run 1
1 R run 2 dead
0 M main 3 dead
",
        &expect![[r#"
            before M main 2 1
            switch 1
            before R run 1 1
            switch 0
            before M main 3 1
            switch 1
            before R run 2 1
            die 0
            before M main 3 1
            terminate
        "#]],
    );
}

#[test]
fn notifications_and_timeouts_are_events_of_their_own() {
    check(
        "\
0 M main 0 waiting
1 R run 0
1 R run 1 next 2 notify 0
1 R run 2 next 3
1 R run 3 sleeping timeout 1
1 R run 4 next 5 timeout 2
0 M main 1 next 2
1 R run 5 dead
0 M main 2 dead
",
        &expect![[r#"
            in M main 0 1
            switch 1
            before R run 2 1
            notify 0
            in R run 3 1
            timeout 1
            switch 1
            before R run 5 1
            timeout 2
            switch 0
            before M main 2 1
            switch 1
            before R run 5 1
            die 0
            before M main 2 1
            terminate
        "#]],
    );
}

#[test]
fn when_nobody_can_run() {
    check(
        "0 M main 0 next 1\n0 M main 1 joining\n1 R run 0 waiting\n",
        &expect![[r#"
            in M main 1 1
            switch 1
            in R run 0 1
            switch none
        "#]],
    );
    check(
        "0 M main 0 joining\n1 R run 0 waiting\n2 R run 1 dead\n",
        &expect![[r#"
            in M main 0 1
            switch 1
            in R run 0 1
            switch 2
            before R run 1 1
            die none
        "#]],
    );
}

#[test]
fn what_is_wrong_with_a_trace() {
    check(
        "1 M main 0\n",
        &expect![[r#"
        line 1, column 1: the first step is one of thread 1, and main is running at the beginning
          begin the trace with the main thread, which is 0
    "#]],
    );
    check(
        "0 M main\n",
        &expect![[r#"
        line 1, column 9: an offset is missing
          write 'THREAD CLASS METHOD OFFSET [next [CLASS METHOD] OFFSET] [STATE] [notify THREAD] [timeout THREAD]'
    "#]],
    );
    check(
        "# nothing\n\n0 M main 0\n1 R run 0\n",
        &expect![[r#"
        line 3, column 1: thread 0 is left here, and its next bytecode is not given
          add 'next OFFSET' or 'next CLASS METHOD OFFSET' to the line
    "#]],
    );
    check(
        "0 M main 0 dead\n0 M main 1\n",
        &expect![[r#"
        line 2, column 1: thread 0 is dead and does something
          give 'dead' with the last step of a thread only
    "#]],
    );
    check(
        "0 M main 0 tired\n",
        &expect![[r#"
        line 1, column 12: 'tired' says nothing about a step
          behind the offset stand next, ready, waiting, joining, sleeping, parked, blocked, dead, notify or timeout
    "#]],
    );
    check(
        "0 M main 0 next\n",
        &expect![[r#"
        line 1, column 16: the next bytecode is missing
          write 'THREAD CLASS METHOD OFFSET [next [CLASS METHOD] OFFSET] [STATE] [notify THREAD] [timeout THREAD]'
    "#]],
    );
    check("", &expect![[r#""#]]);
}

/// A million lines of a loop keep one number per location.
#[test]
fn one_pass_needs_no_memory_for_what_is_past() {
    let mut reader = FromTrace::default();
    let mut commands = Vec::new();
    for _ in 0..300_000 {
        reader.line("0 M main 0 next 1", &mut commands).unwrap();
        reader.line("0 M main 1 next 0", &mut commands).unwrap();
        assert!(commands.is_empty());
    }
    reader.line("0 M main 0 sleeping", &mut commands).unwrap();
    reader.finish(&mut commands).unwrap();
    assert_eq!(
        reprise_schedule::Switches { commands }.to_string(),
        "in M main 0 300001\nswitch none\n"
    );
}
