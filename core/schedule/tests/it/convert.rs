//! From one format to the other.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use reprise_schedule::{
    CodeLocation, Command, Count, Event, Location, Loop, Method, Moment, Name, Schedule,
    SwitchAction, Switches, Target, ThreadId, Times, check as check_schedule, parse,
};

fn to_switches(text: &str, expected: &Expect) {
    let found = match parse(text).unwrap().to_switches() {
        Ok(switches) => switches.to_string(),
        Err(error) => format!("{error}\n  {}\n", error.hint()),
    };
    expected.assert_eq(&found);
}

fn to_messages(text: &str, expected: &Expect) {
    let found = match parse(text).unwrap().to_messages() {
        Ok(messages) => messages.to_string(),
        Err(error) => format!("{error}\n  {}\n", error.hint()),
    };
    expected.assert_eq(&found);
}

/// The first round begins with main and the others with thread 2.
#[test]
fn a_loop_that_another_thread_goes_on_with_is_begun_by_hand() {
    to_messages(
        "loopbegin\nbefore A a 1 1\nswitch 1\nbefore A a 2 1\nswitch 2\nloopend 3\n",
        &expect![[r#"
            thread 0
              before A a 1 1
              send 1 1
              receive 0 0

            thread 1
              receive 0 1
              before A a 2 1
              send 2 2
              loopbegin
                receive 2 3
                before A a 2 1
                send 2 4
              loopend 2
              receive 1 0

            thread 2
              receive 1 2
              loopbegin
                before A a 1 1
                send 1 3
                receive 1 4
              loopend 2
        "#]],
    );
}

#[test]
fn what_cannot_be_said_in_messages_is_refused() {
    to_messages(
        "before A a 1 1\nswitch none\nlog 1 x\n",
        &expect![[r#"
        'log 1 x' comes when no thread is running
          end the schedule at 'none'
    "#]],
    );
    to_messages(
        "before A a 1 1\nswitch 1\nbefore A a 1 1\nswitch 0.1\n",
        &expect![[r#"
            thread 1 is named by its number and thread 0.1 by its descent; they may be the same
              name all threads in the same way
        "#]],
    );
    to_messages(
        "before A a 1 1\nswitch 1\nbefore A a 1 1\ndie 0\nbefore A a 2 1\nswitch 1\n",
        &expect![[r#"
            thread 1 has died and is switched to
              switch to a thread that is alive
        "#]],
    );
    to_messages(
        "before A a 1 1\nswitch 1\nloopbegin\nbefore A a 1 1\ndie 2\nloopend 2\n",
        &expect![[r#"
            thread 1 dies in a loop
              take 'die' out of the loop
        "#]],
    );
}

/// Thread 1 first and then thread 2 takes two switches, the other way round
/// three.
#[test]
fn switches_are_saved() {
    to_switches(
        "thread 0
  before M m 1 1
  receive 2 2
  before M m 2 1
  receive 1 3
  terminate
thread 1
  before R r 1 1
  send 2 1
  before R r 2 1
  send 0 3
thread 2
  receive 1 1
  before R r 1 1
  send 0 2
",
        &expect![[r#"
            before M m 1 1
            switch 1
            before R r 1 1
            before R r 2 1
            switch 2
            before R r 1 1
            switch 0
            before M m 2 1
            terminate
        "#]],
    );
}

/// An event counts from the one before it, so it stays.
#[test]
fn an_event_with_nothing_to_do_stays() {
    to_switches(
        "thread 0\nbefore M m 1 1\nsend 1 1\nbefore M m 2 1\nthread 1\nreceive 0 1\nbefore R r 1 1\ndie\n",
        &expect![[r#"
            before M m 1 1
            before M m 2 1
            switch 1
            before R r 1 1
            die 0
        "#]],
    );
}

#[test]
fn what_cannot_be_said_in_switches_is_refused() {
    to_switches(
        "thread 1\nbefore R r 1 1\n",
        &expect![[r#"
        thread 0 has no event at which it could hand over to another thread
          give main a 'before' or 'in' after it has started the others
    "#]],
    );
    to_switches(
        "thread 0\nbefore M m 1 1\nreceive 1 5\nthread 1\n",
        &expect![[r#"
            thread 0 waits for the message 5 of thread 1, which does not send it (again)
              add the 'send', or 'receive' from the thread itself to keep it where it is
        "#]],
    );
    to_switches(
        "thread 0\nbefore M m 1 1\nreceive 1 5\nsend 1 6\nthread 1\nreceive 0 6\nsend 0 5\n",
        &expect![[r#"
            threads wait for one another: 0 for the message 5 of 1, 1 for the message 6 of 0
              let one of them send before it receives
        "#]],
    );
    to_switches(
        "thread 0\nbefore M m 1 1\ndie\nbefore M m 2 1\n",
        &expect![[r#"
            'before M m 2 1' comes after the death of thread 0
              'die' is the last thing a thread does; only 'send' may follow
        "#]],
    );
    to_switches(
        "thread 0\nbefore M m 1 1\nthread 1\nbefore R r 1 1\nthread 2\nreceive 2 0\n",
        &expect![[r#"
            at the end threads 0, 1 go on and thread 2 stays
              end one of the sequences with 'terminate'
        "#]],
    );
    to_switches(
        "thread 0\nloopbegin\nbefore M m 1 1\nloopend 9999999999\n",
        &expect![[r#"
            with its loops written out it has more than 4194304 commands
              shorten the loops
        "#]],
    );
    to_switches(
        "thread 0\nloopbegin\nbefore M m 1 1\nsend 1 1\nsend 1 1\nloopend inf\nthread 1\nloopbegin\nreceive 0 1\nbefore R r 1 1\nloopend inf\n",
        &expect![[r#"
            some endless loops send more messages than others receive
              let the faster loop wait for the slower
        "#]],
    );
}

/// A random schedule that can be followed, with loops. Thread 9 is never run.
fn followable() -> impl Strategy<Value = Switches> {
    let step = (0u32..4, 0u32..6, 0u8..12);
    let part = (proptest::collection::vec(step, 0..8), 0u64..4);
    (proptest::collection::vec(part, 0..5), 0u8..4).prop_map(|(parts, end)| {
        let mut follower = Follower {
            running: 0,
            dead: BTreeSet::new(),
        };
        let mut commands = vec![event(0)];
        for (steps, rounds) in parts {
            match Count::new(rounds) {
                None => follower.steps(&steps, true, &mut commands),
                Some(count) => {
                    let mut body = Vec::new();
                    follower.steps(&steps, false, &mut body);
                    let times = Times::Count(count);
                    commands.push(Command::Loop(Loop { body, times }));
                }
            }
        }
        commands.push(event(7));
        commands.extend(match end {
            0 => Some(Command::Action(SwitchAction::Terminate)),
            1 => Some(Command::Action(SwitchAction::Switch(Target::None))),
            2 => Some(Command::Action(SwitchAction::Die(Target::None))),
            _ => None,
        });
        Switches { commands }
    })
}

struct Follower {
    running: u32,
    dead: BTreeSet<u32>,
}

impl Follower {
    fn steps(
        &mut self,
        steps: &[(u32, u32, u8)],
        may_die: bool,
        commands: &mut Vec<Command<SwitchAction>>,
    ) {
        for (thread, offset, what) in steps {
            if *what < 6 {
                commands.push(event(*offset));
            }
            if *what == 6 {
                let notify = SwitchAction::Notify(ThreadId::number(9));
                commands.push(Command::Action(notify));
            }
            if *thread == self.running || self.dead.contains(thread) {
                continue;
            }
            let target = Target::Thread(ThreadId::number(*thread));
            let action = if *what > 10 && may_die {
                self.dead.insert(self.running);
                SwitchAction::Die(target)
            } else {
                SwitchAction::Switch(target)
            };
            commands.push(Command::Action(action));
            self.running = *thread;
        }
    }
}

fn event(offset: u32) -> Command<SwitchAction> {
    Command::Event(Event {
        moment: Moment::Before,
        location: Location::Code(CodeLocation {
            class: Name::new("A").unwrap(),
            method: Method::Index(0),
            offset,
        }),
        count: Count::ONE,
    })
}

fn unrolled(commands: &[Command<SwitchAction>], into: &mut Vec<Command<SwitchAction>>) {
    for command in commands {
        match command {
            Command::Loop(repeated) => {
                let Times::Count(count) = repeated.times else {
                    panic!("no endless loops here");
                };
                for _ in 0..count.get() {
                    unrolled(&repeated.body, into);
                }
            }
            other => into.push(other.clone()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Messages that were made of switches allow one order: that of the switches.
    #[test]
    fn switches_come_back_from_messages(switches in followable()) {
        let mut commands = Vec::new();
        unrolled(&switches.commands, &mut commands);
        let schedule = Schedule::from(switches);
        // A loop may have brought a dead thread back or switched to itself.
        prop_assume!(check_schedule(&schedule, None).is_empty());
        let messages = schedule.to_messages().unwrap();
        prop_assert_eq!(check_schedule(&Schedule::from(messages.clone()), None), []);
        let text = messages.to_string();
        let back = Schedule::from(messages).to_switches().unwrap();
        let expected = Switches { commands }.to_string();
        prop_assert_eq!(back.to_string(), expected, "{}", text);
    }
}
