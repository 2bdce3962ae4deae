//! The shortest schedule with which something still happens.
//!
//! Counts in a schedule are from event to event, so a switch cannot be taken out of
//! its text: what the other events mean would change. Therefore it is not the text
//! that is made shorter, but the run. A run is a list of [`Stretch`]es: who ran, and up
//! to which of the places that this thread came to. Whoever can run a program with such
//! a list as *wishes*, passing over those that cannot be fulfilled, can run it with any
//! part of the list. What has really happened then is a run again, with a schedule of
//! its own.
//!
//! [`Minimizer`] says what to try next. It takes away half of the stretches, then
//! smaller parts, down to single ones, and goes on with each run that is shorter and
//! still fails: delta debugging, as for inputs. What is taken away, the thread does
//! later, in its next stretch. The other way to save a switch is that it does the next
//! stretch at once; that is tried with single ones. At the end neither helps anywhere.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use crate::command::{Command, Loop, Moment, SwitchAction, Times};
use crate::thread::{Target, ThreadId};

/// A thread that ran for a while.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// The thread.
    pub thread: ThreadId,
    /// It stopped before this one of the places that it comes to, from 1.
    pub end: u64,
    /// Whether it had to stop, because it was blocked or had ended.
    pub forced: bool,
}

impl Stretch {
    /// The end of the last stretch of a run: nobody came after it.
    pub const TO_THE_END: u64 = i64::MAX.unsigned_abs();
}

impl fmt::Display for Stretch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forced = if self.forced { "!" } else { "" };
        write!(out, "{}:{}{forced}", self.thread, self.end)
    }
}

/// A text that is no stretch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no stretch of a run")]
pub struct NoStretch(String);

impl FromStr for Stretch {
    type Err = NoStretch;

    fn from_str(text: &str) -> Result<Self, NoStretch> {
        let read = || {
            let (thread, end) = text.split_once(':')?;
            let (end, forced) = match end.strip_suffix('!') {
                Some(end) => (end, true),
                None => (end, false),
            };
            Some(Self {
                thread: ThreadId::parse(thread).ok()?,
                end: end.parse().ok()?,
                forced,
            })
        };
        read().ok_or_else(|| NoStretch(text.to_owned()))
    }
}

/// How long a run is: switches of threads that could have gone on, and all switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Length {
    /// Switches of threads that could have gone on.
    pub unforced: usize,
    /// All switches.
    pub switches: usize,
}

impl Length {
    /// Of a run.
    pub fn of(run: &[Stretch]) -> Self {
        let ended = run
            .iter()
            .filter(|stretch| stretch.end < Stretch::TO_THE_END);
        Self {
            unforced: ended.clone().filter(|stretch| !stretch.forced).count(),
            switches: ended.count(),
        }
    }
}

/// Looks for a shorter run that still fails.
#[derive(Clone, Debug)]
pub struct Minimizer {
    best: Vec<Stretch>,
    how: How,
    /// From where on.
    at: usize,
    /// Whether single stretches could be saved since the last time round.
    progress: bool,
    tried: HashSet<Vec<Stretch>>,
}

/// What is done to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// So many stretches are taken away at once.
    Remove(usize),
    /// A thread does its next stretch together with this one.
    Join,
    /// Everything has been tried.
    Done,
}

impl How {
    fn width(self) -> usize {
        match self {
            Self::Remove(size) => size,
            Self::Join | Self::Done => 1,
        }
    }
}

impl Minimizer {
    /// Begins with a run that fails.
    pub fn new(run: Vec<Stretch>) -> Self {
        Self {
            how: How::Remove(run.len().max(1)),
            at: 0,
            progress: false,
            tried: HashSet::from([run.clone()]),
            best: run,
        }
    }

    /// The shortest run so far.
    pub fn best(&self) -> &[Stretch] {
        &self.best
    }

    /// The wishes to try next; none when nothing is left to try.
    pub fn candidate(&mut self) -> Option<Vec<Stretch>> {
        while self.how != How::Done {
            if self.at >= self.best.len() {
                self.at = 0;
                self.how = match self.how {
                    How::Remove(size @ 2..) => How::Remove(size / 2),
                    How::Remove(_) => How::Join,
                    How::Join if std::mem::take(&mut self.progress) => How::Remove(1),
                    How::Join | How::Done => How::Done,
                };
                continue;
            }
            let candidate = match self.how {
                How::Remove(size) => Some(without(&self.best, self.at, size)),
                How::Join => joined(&self.best, self.at),
                How::Done => None,
            };
            if let Some(candidate) = candidate
                && self.tried.insert(candidate.clone())
            {
                return Some(candidate);
            }
            self.at += self.how.width();
        }
        None
    }

    /// Under the last candidate the run was this one, and failed. Returns whether it is
    /// shorter than the best.
    pub fn failed(&mut self, run: Vec<Stretch>) -> bool {
        if Length::of(&run) >= Length::of(&self.best) {
            self.passed();
            return false;
        }
        self.tried.insert(run.clone());
        self.best = run;
        self.progress = true;
        if let How::Remove(size) = self.how {
            self.how = How::Remove(size.min(self.best.len()).max(1));
        }
        true
    }

    /// Under the last candidate the run did not fail.
    pub fn passed(&mut self) {
        self.at += self.how.width();
    }
}

fn without(run: &[Stretch], at: usize, size: usize) -> Vec<Stretch> {
    let (before, rest) = run.split_at(at);
    [before, rest.get(size..).unwrap_or_default()].concat()
}

/// The run in which the thread of a stretch does its next one at once.
fn joined(run: &[Stretch], at: usize) -> Option<Vec<Stretch>> {
    let stretch = run.get(at).filter(|stretch| !stretch.forced)?;
    let same = |other: &Stretch| other.thread == stretch.thread;
    let next = at + 1 + run.get(at + 1..)?.iter().position(same)?;
    let mut joined = without(run, next, 1);
    joined.get_mut(at)?.clone_from(run.get(next)?);
    Some(joined)
}

/// The commands with their loops written out, up to about so many; a loop without end
/// is written out as long as there is room.
pub fn unrolled<A: Clone>(commands: &[Command<A>], room: usize) -> Vec<Command<A>> {
    let mut out = Vec::new();
    unroll(commands, room, &mut out);
    out
}

fn unroll<A: Clone>(commands: &[Command<A>], room: usize, out: &mut Vec<Command<A>>) {
    for command in commands {
        match command {
            Command::Loop(Loop { body, times }) => {
                let mut times = Some(*times);
                while let Some(left) = times.filter(|_| out.len() < room && !body.is_empty()) {
                    let before = out.len();
                    unroll(body, room, out);
                    if out.len() == before {
                        break;
                    }
                    times = Times::less(left);
                }
            }
            plain => out.push(plain.clone()),
        }
    }
}

/// The commands, loops written out, with every event an action: who comes to one at which
/// nothing happens gives way to itself. So each is noticed, and counts begin anew there.
pub fn marked(commands: Vec<Command<SwitchAction>>) -> Vec<Command<SwitchAction>> {
    let mut running = Target::Thread(ThreadId::MAIN);
    let mut out = Vec::with_capacity(commands.len());
    // Whether somebody could give way to itself here.
    let mut idle = false;
    let end = |idle: bool, running: &Target, out: &mut Vec<_>| {
        if idle && running.thread().is_some() {
            out.push(Command::Action(SwitchAction::Switch(running.clone())));
        }
    };
    for command in commands {
        match &command {
            Command::Event(event) => {
                end(idle, &running, &mut out);
                idle = event.moment == Moment::Before;
            }
            Command::Action(SwitchAction::Switch(next) | SwitchAction::Die(next)) => {
                running = next.clone();
                idle = false;
            }
            Command::Action(SwitchAction::Terminate) => idle = false,
            Command::Action(_) | Command::Loop(_) => {}
        }
        out.push(command);
    }
    end(idle, &running, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_with_no_action_gets_one() {
        let text = "before A.java:1 1\nbefore A.java:2 1\nswitch 1\nin A.java:3 1\nswitch 0\n\
                    before A.java:4 1\n";
        let Ok(crate::Schedule::Switches(switches)) = crate::parse(text) else {
            panic!("switches");
        };
        let commands = marked(switches.commands);
        let marked = crate::Schedule::from(crate::Switches { commands }).to_string();
        let expected = "before A.java:1 1\nswitch 0\nbefore A.java:2 1\nswitch 1\n\
                        in A.java:3 1\nswitch 0\nbefore A.java:4 1\nswitch 0\n";
        assert_eq!(marked.replace("\n\n", "\n"), expected);
    }

    fn run(text: &str) -> Vec<Stretch> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    fn text(run: &[Stretch]) -> String {
        let words: Vec<String> = run.iter().map(Stretch::to_string).collect();
        words.join(" ")
    }

    /// Minimises with a program that does exactly what is wished.
    fn minimized(start: &str, fails: impl Fn(&[Stretch]) -> bool) -> (String, usize) {
        let mut minimizer = Minimizer::new(run(start));
        let mut tries = 0;
        while let Some(candidate) = minimizer.candidate() {
            tries += 1;
            match fails(&candidate) {
                true => {
                    minimizer.failed(candidate);
                }
                false => minimizer.passed(),
            }
        }
        (text(minimizer.best()), tries)
    }

    #[test]
    fn what_the_failure_needs_is_left() {
        let start = "0:9! 0.1:2 0.2:1 0.1:3 0.2:4 0.1:5 0.2:6 0.1:7! 0.2:8!";
        let needs = |run: &[Stretch]| {
            let found = |end| run.iter().any(|stretch| stretch.end == end);
            found(3) && found(6)
        };
        assert_eq!(minimized(start, needs).0, "0.1:3 0.2:6");
        assert_eq!(minimized(start, |_| true), (String::new(), 1));
        assert_eq!(minimized(start, |run| run.len() == 9).0, start);
    }

    #[test]
    fn a_thread_does_at_once_what_it_did_in_two_stretches() {
        let (left, _) = minimized("0:3 0.1:4 0:7! 0.2:5", |run| {
            let at = |end| run.iter().position(|stretch| stretch.end == end);
            run.first().is_some_and(|first| first.thread.is_main())
                && at(4).is_some()
                && at(4) < at(5)
                && at(7).is_some()
        });
        assert_eq!(left, "0:7! 0.1:4 0.2:5");
    }

    #[test]
    fn tries_are_few_where_little_is_needed() {
        let start: Vec<String> = (1..=1000).map(|end| format!("0.1:{end}")).collect();
        let (left, tries) = minimized(&start.join(" "), |run| {
            run.iter().any(|stretch| stretch.end == 777)
        });
        assert_eq!(left, "0.1:777");
        assert!(tries < 60, "{tries}");
    }

    #[test]
    fn a_run_that_is_no_shorter_is_not_taken() {
        let mut minimizer = Minimizer::new(run("0:1 0.1:2"));
        assert_eq!(minimizer.candidate(), Some(Vec::new()));
        assert!(!minimizer.failed(run("0:1 0.1:3")));
        assert_eq!(text(minimizer.best()), "0:1 0.1:2");
    }

    #[test]
    fn loops_are_written_out() {
        let schedule =
            crate::parse("loopbegin\nswitch 1\nloopbegin\nswitch 2\nloopend 2\nloopend inf\n");
        let Ok(crate::Schedule::Switches(switches)) = schedule else {
            panic!("switches");
        };
        let out = unrolled(&switches.commands, 7);
        assert_eq!(out.len(), 7);
        assert!(
            out.iter()
                .all(|command| matches!(command, Command::Action(_)))
        );
    }
}
