//! A trace of executed bytecodes to a schedule.
//!
//! # The trace
//!
//! One line for each bytecode that a thread executed or tried to execute, in the
//! order in which they happened, one thread at a time:
//!
//! ```text
//! THREAD CLASS METHOD OFFSET [next [CLASS METHOD] OFFSET] [STATE] [notify THREAD]… [timeout THREAD]…
//! ```
//!
//! Threads, classes and methods are written as in a schedule; blank lines and
//! comments are ignored. The first line is one of the main thread.
//!
//! - `next` is the bytecode that the thread will execute next; the class and the
//!   method may be left out if they stay the same. It is needed only where the
//!   next line belongs to another thread, or where something happened.
//! - STATE is how the thread is after the step:
//!   - `ready`: it can go on; this is what is meant when nothing is said;
//!   - `waiting`, `joining`, `sleeping`, `parked`: it has blocked in this call;
//!   - `blocked`: it tried and did not get the monitor, of a `monitorenter` or of
//!     a synchronised method; it will try again;
//!   - `dead`: this bytecode was its last, by a return or by an exception.
//! - `notify T` and `timeout T`: with this step, T was notified; after this step
//!   and before the next, T's time ran out.
//!
//! ```
//! use reprise_schedule::schedule_from_trace;
//!
//! let trace = "\
//! 0 Main main 0 next 3
//! 0 Main main 3 next 6                # starts thread 1
//! 0 Main main 6 joining
//! 1 Worker run 0
//! 1 Worker run 1 dead
//! 0 Main main 9 dead
//! ";
//! assert_eq!(
//!     schedule_from_trace(trace).unwrap().to_string(),
//!     "\
//! in Main main 6 1
//! switch 1
//! before Worker run 1 1
//! die 0
//! before Main main 9 1
//! terminate
//! "
//! );
//! ```
//!
//! # How
//!
//! The number of attempts at each location since the last event is counted. An
//! event is due when the next line belongs to another thread, when a thread was
//! notified or timed out, and when the thread has blocked or died:
//!
//! | the thread | event |
//! | --- | --- |
//! | blocked in the call at L | `in L n`, n being the attempts at L |
//! | did not get the monitor at L | `before L n`: this attempt is not made |
//! | died at L | `before L n`, with `die` or `terminate` |
//! | can go on with L | `before L n+1` |
//!
//! Then come `notify` and `timeout`, and the switch; then counting begins anew.
//! At the end of the trace a blocked thread switches to `none`: nobody ran after
//! it.
//!
//! One pass; a line is looked at when the next one is known. What is kept is one
//! step, a mark for each thread, and a number for each different location since
//! the last event: it does not grow with the length of the trace.

mod step;

use std::collections::{BTreeMap, HashMap};

use crate::command::{Command, Count, Event, Moment, SwitchAction, Switches};
use crate::limits;
use crate::location::{CodeLocation, Location};
use crate::parse::Position;
use crate::parse::line::Names;
use crate::parse::words::Words;
use crate::thread::{Target, ThreadId};
pub use step::TraceProblem;
use step::{State, Step};

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {problem}")]
pub struct TraceError {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: TraceProblem,
}

impl TraceError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        self.problem.hint()
    }
}

/// Makes a schedule of a trace, line by line.
#[derive(Default)]
pub struct FromTrace {
    names: Names,
    /// The last line, with its number; what it becomes depends on the next.
    last: Option<(Step, u32)>,
    /// Attempts at each location since the last event.
    attempts: HashMap<CodeLocation, u64>,
    /// Who has died, of the threads that have been seen.
    dead: BTreeMap<ThreadId, bool>,
    line: u32,
}

/// Makes a schedule of a whole trace.
pub fn schedule_from_trace(trace: &str) -> Result<Switches, TraceError> {
    let mut reader = FromTrace::default();
    let mut commands = Vec::new();
    for line in trace.lines() {
        reader.line(line, &mut commands)?;
    }
    reader.finish(&mut commands)?;
    Ok(Switches { commands })
}

impl FromTrace {
    /// Takes the next line, and adds the commands that it makes certain.
    pub fn line(
        &mut self,
        line: &str,
        commands: &mut Vec<Command<SwitchAction>>,
    ) -> Result<(), TraceError> {
        self.line = self.line.saturating_add(1);
        if line.len() > limits::LINE {
            return Err(self.error(self.line, TraceProblem::LongLine));
        }
        let mut words = Words::new(line, self.line);
        let Some(step) = step::parse(&mut words, &mut self.names)? else {
            return Ok(());
        };
        if self.last.is_none() && !step.thread.is_main() {
            return Err(self.error(self.line, TraceProblem::NotMain(step.thread)));
        }
        if self.dead.get(&step.thread) == Some(&true) {
            return Err(self.error(self.line, TraceProblem::AfterDeath(step.thread)));
        }
        if let Some((last, number)) = self.last.take() {
            let next = Target::Thread(step.thread.clone());
            self.settle(&last, number, Some(&next), commands)?;
        }
        *self.attempts.entry(step.location.clone()).or_default() += 1;
        self.dead
            .insert(step.thread.clone(), step.state == State::Dead);
        self.last = Some((step, self.line));
        Ok(())
    }

    /// The trace ends here.
    pub fn finish(mut self, commands: &mut Vec<Command<SwitchAction>>) -> Result<(), TraceError> {
        match self.last.take() {
            Some((last, number)) => self.settle(&last, number, None, commands),
            None => Ok(()),
        }
    }

    /// Writes what a step means, when it is known who comes next.
    fn settle(
        &mut self,
        step: &Step,
        number: u32,
        next: Option<&Target>,
        commands: &mut Vec<Command<SwitchAction>>,
    ) -> Result<(), TraceError> {
        let goes_on = next.is_none_or(|next| next.thread() == Some(&step.thread));
        if goes_on && step.state == State::Ready && step.actions.is_empty() {
            return Ok(());
        }
        commands.push(Command::Event(self.event(step, number)?));
        commands.extend(step.actions.iter().cloned().map(Command::Action));
        let target = next.cloned().unwrap_or(Target::None);
        let switch = match step.state {
            State::Dead if next.is_none() && self.dead.values().all(|dead| *dead) => {
                Some(SwitchAction::Terminate)
            }
            State::Dead => Some(SwitchAction::Die(target)),
            // It goes on by itself.
            State::Ready if goes_on => None,
            State::Ready | State::InCall | State::NoMonitor => Some(SwitchAction::Switch(target)),
        };
        commands.extend(switch.map(Command::Action));
        self.attempts.clear();
        Ok(())
    }

    fn event(&self, step: &Step, number: u32) -> Result<Event, TraceError> {
        let attempts = |location| self.attempts.get(location).copied().unwrap_or(0);
        let (moment, location, count) = match (step.state, &step.next) {
            (State::InCall, _) => (Moment::In, &step.location, attempts(&step.location)),
            (State::NoMonitor | State::Dead, _) => {
                (Moment::Before, &step.location, attempts(&step.location))
            }
            (State::Ready, Some(next)) => (Moment::Before, next, attempts(next) + 1),
            (State::Ready, None) => {
                return Err(self.error(number, TraceProblem::NoNext(step.thread.clone())));
            }
        };
        Ok(Event {
            moment,
            location: Location::Code(location.clone()),
            count: Count::new(count).unwrap_or(Count::ONE),
        })
    }

    fn error(&self, line: u32, problem: TraceProblem) -> TraceError {
        TraceError {
            position: Position { line, column: 1 },
            problem,
        }
    }
}
