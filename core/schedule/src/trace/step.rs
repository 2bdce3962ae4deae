//! A line of a trace.

use super::TraceError;
use crate::command::SwitchAction;
use crate::limits;
use crate::location::CodeLocation;
use crate::parse::line::{Names, Reader, shortened};
use crate::parse::words::{Word, Words};
use crate::parse::{ParseError, Problem};
use crate::thread::ThreadId;

const USAGE: &str = "THREAD CLASS METHOD OFFSET [next [CLASS METHOD] OFFSET] [STATE] \
     [notify THREAD] [timeout THREAD]";

/// What a thread did.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) thread: ThreadId,
    pub(super) location: CodeLocation,
    pub(super) next: Option<CodeLocation>,
    pub(super) state: State,
    pub(super) actions: Vec<SwitchAction>,
}

/// How a thread is after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    InCall,
    NoMonitor,
    Dead,
}

/// What can be wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceProblem {
    /// A word that should be something else.
    #[error(transparent)]
    Syntax(#[from] Problem),
    /// A word that says nothing about a step.
    #[error("'{0}' says nothing about a step")]
    UnknownWord(String),
    /// The first step is not main's.
    #[error("the first step is one of thread {0}, and main is running at the beginning")]
    NotMain(ThreadId),
    /// A dead thread does something.
    #[error("thread {0} is dead and does something")]
    AfterDeath(ThreadId),
    /// The next bytecode is needed and not given.
    #[error("thread {0} is left here, and its next bytecode is not given")]
    NoNext(ThreadId),
    /// A line that is too long.
    #[error("the line has more than {} bytes", limits::LINE)]
    LongLine,
}

impl TraceProblem {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Syntax(problem) => problem.hint(),
            Self::UnknownWord(_) => {
                "behind the offset stand next, ready, waiting, joining, sleeping, parked, blocked, \
                 dead, notify or timeout"
                    .to_owned()
            }
            Self::NotMain(_) => "begin the trace with the main thread, which is 0".to_owned(),
            Self::AfterDeath(_) => "give 'dead' with the last step of a thread only".to_owned(),
            Self::NoNext(_) => {
                "add 'next OFFSET' or 'next CLASS METHOD OFFSET' to the line".to_owned()
            }
            Self::LongLine => "write one step per line".to_owned(),
        }
    }
}

impl From<ParseError> for TraceError {
    fn from(error: ParseError) -> Self {
        Self {
            position: error.position,
            problem: TraceProblem::Syntax(error.problem),
        }
    }
}

/// Reads a line; nothing if there is nothing on it.
pub(super) fn parse(words: &mut Words<'_>, names: &mut Names) -> Result<Option<Step>, TraceError> {
    if words.rest().trim().is_empty() {
        return Ok(None);
    }
    let mut reader = Reader {
        words,
        names,
        usage: USAGE,
    };
    let thread = reader.thread()?;
    let class = reader.word("a class")?;
    let location = reader.code(class)?;
    let mut step = Step {
        thread,
        location,
        next: None,
        state: State::Ready,
        actions: Vec::new(),
    };
    while let Some(word) = reader.words.next() {
        match word.text {
            "next" => step.next = Some(next(&mut reader, &step.location)?),
            "ready" => step.state = State::Ready,
            "waiting" | "joining" | "sleeping" | "parked" => step.state = State::InCall,
            "blocked" => step.state = State::NoMonitor,
            "dead" => step.state = State::Dead,
            "notify" => step.actions.push(SwitchAction::Notify(reader.thread()?)),
            "timeout" => step.actions.push(SwitchAction::Timeout(reader.thread()?)),
            _ => {
                let problem = TraceProblem::UnknownWord(shortened(word.text));
                // Only the position is taken.
                let at = reader.words.error(word.at, Problem::Escape).position;
                return Err(TraceError {
                    position: at,
                    problem,
                });
            }
        }
    }
    Ok(Some(step))
}

/// An offset, or a whole location.
fn next(reader: &mut Reader<'_, '_>, location: &CodeLocation) -> Result<CodeLocation, TraceError> {
    let word: Word<'_> = reader.word("the next bytecode")?;
    let digits = word.text.bytes().all(|digit| digit.is_ascii_digit());
    if digits && let Ok(offset) = word.text.parse() {
        return Ok(CodeLocation {
            offset,
            ..location.clone()
        });
    }
    Ok(reader.code(word)?)
}
