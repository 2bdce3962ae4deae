//! A schedule as a story: who runs, and where each stops.

use crate::command::{Command, Event, Moment, SwitchAction, Switches, Times};
use crate::location::{JdkPlace, Location};
use crate::thread::{Target, ThreadId};

/// A sentence of the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// How many loops it is in.
    pub depth: usize,
    /// Of whom it tells; none where that is nobody, or where a loop has made it depend on
    /// how often.
    pub thread: Option<ThreadId>,
    /// What it tells.
    pub what: What,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The thread runs until an event, and another goes on.
    Stops(Stop),
    /// The thread runs to its end.
    Ends,
    /// It goes on until the program ends, and nobody else does.
    GoesOn,
    /// Nobody can go on.
    Stuck,
    /// All threads go on as they like.
    Released,
    /// It has been notified.
    Notified,
    /// Its time has run out.
    TimedOut,
    /// What follows one level deeper happens so often.
    Repeats(Times),
}

/// Where a thread stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The event.
    pub event: Event,
    /// The number of its command, as [`crate::check`] counts them.
    pub command: usize,
}

/// Tells the story of a schedule.
pub fn explain(switches: &Switches) -> Vec<Sentence> {
    let mut story = Story {
        sentences: Vec::new(),
        running: Some(ThreadId::MAIN),
        stop: None,
        number: 0,
        released: false,
    };
    story.tell(&switches.commands, 0);
    story.end();
    story.sentences
}

struct Story {
    sentences: Vec<Sentence>,
    running: Option<ThreadId>,
    /// The last event, if nobody has been said to stop there yet.
    stop: Option<Stop>,
    number: usize,
    released: bool,
}

impl Story {
    fn tell(&mut self, commands: &[Command<SwitchAction>], depth: usize) {
        for command in commands {
            let number = self.number;
            self.number += 1;
            match command {
                Command::Event(event) => {
                    self.stop = Some(Stop {
                        event: event.clone(),
                        command: number,
                    });
                }
                Command::Action(action) => self.act(action, depth),
                Command::Loop(repeated) => {
                    self.add(depth, None, What::Repeats(repeated.times));
                    let before = self.running.clone();
                    self.tell(&repeated.body, depth + 1);
                    if self.running != before {
                        // Nothing wrong with that, but it is not the same each time.
                        self.running.clone_from(&before);
                    }
                }
            }
        }
    }

    fn act(&mut self, action: &SwitchAction, depth: usize) {
        match action {
            SwitchAction::Switch(target) => self.give_way(target, depth, false),
            SwitchAction::Die(target) => self.give_way(target, depth, true),
            SwitchAction::Notify(thread) => {
                self.add(depth, Some(thread.clone()), What::Notified);
            }
            SwitchAction::Timeout(thread) => {
                self.add(depth, Some(thread.clone()), What::TimedOut);
            }
            SwitchAction::Terminate => {
                self.stop = None;
                self.released = true;
                self.add(depth, None, What::Released);
            }
            SwitchAction::Log(_) => {}
        }
    }

    fn give_way(&mut self, target: &Target, depth: usize, ends: bool) {
        let stop = self.stop.take();
        let running = self.running.clone();
        let at_its_end = |stop: &Stop| match &stop.event.location {
            Location::Code(code) => code.jdk_place() == Some(JdkPlace::Exit),
            Location::Source(_) => false,
        };
        match stop {
            _ if ends => self.add(depth, running, What::Ends),
            Some(stop) if at_its_end(&stop) => self.add(depth, running, What::Ends),
            Some(stop) => self.add(depth, running, What::Stops(stop)),
            // It gave way before anything happened, or one after the other did.
            None => {}
        }
        self.running = target.thread().cloned();
        if self.running.is_none() {
            self.add(depth, None, What::Stuck);
        }
    }

    fn end(&mut self) {
        if let Some(running) = self.running.take().filter(|_| !self.released) {
            self.add(0, Some(running), What::GoesOn);
        } else if self.sentences.last().is_some_and(|last| {
            last.what == What::Stuck
                && self
                    .sentences
                    .iter()
                    .rev()
                    .nth(1)
                    .is_some_and(|s| s.what == What::Ends)
        }) {
            // The last one has ended, and nobody is left.
            self.sentences.pop();
        }
    }

    fn add(&mut self, depth: usize, thread: Option<ThreadId>, what: What) {
        self.sentences.push(Sentence {
            depth,
            thread,
            what,
        });
    }
}

impl Stop {
    /// Whether it has blocked there, and could not have gone on.
    pub fn is_blocked(&self) -> bool {
        self.event.moment == Moment::In
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(text: &str) -> Vec<String> {
        let Ok(crate::Schedule::Switches(switches)) = crate::parse(text) else {
            panic!("switches");
        };
        let words = |sentence: Sentence| {
            let who = sentence.thread.map_or("-".to_owned(), |t| t.to_string());
            let what = match sentence.what {
                What::Stops(stop) => format!("{} ({})", stop.event, stop.command),
                other => format!("{other:?}"),
            };
            format!("{}{who} {what}", "  ".repeat(sentence.depth))
        };
        explain(&switches).into_iter().map(words).collect()
    }

    #[test]
    fn a_lost_update_is_told() {
        let text = "in Main.java:8 1\nswitch 1\nbefore Adder run()V 5 1\nswitch 2\n\
                    before java.lang.Thread exit 0 1\ndie 1\nbefore Adder run()V 9 1\ndie 0\n";
        assert_eq!(
            story(text),
            [
                "0 in Main.java:8 1 (0)",
                "1 before Adder run()V 5 1 (2)",
                "2 Ends",
                "1 Ends",
                "0 GoesOn"
            ]
        );
    }

    #[test]
    fn a_deadlock_a_loop_and_an_end_are_told() {
        assert_eq!(
            story("before A.java:1 1\nswitch 1\nbefore A.java:2 1\nswitch none\n"),
            [
                "0 before A.java:1 1 (0)",
                "1 before A.java:2 1 (2)",
                "- Stuck"
            ]
        );
        assert_eq!(
            story(
                "loopbegin\nbefore A.java:1 1\nswitch 1\nbefore A.java:2 1\nswitch 0\nloopend 2\n"
            ),
            [
                "- Repeats(Count(Count(2)))",
                "  0 before A.java:1 1 (1)",
                "  1 before A.java:2 1 (3)",
                "0 GoesOn"
            ]
        );
        assert_eq!(story("before A.java:1 1\ndie none\n"), ["0 Ends"]);
        assert_eq!(story("before A.java:1 1\nterminate\n"), ["- Released"]);
    }
}
