//! From one format to the other.
//!
//! Switches become messages by handing a baton on: whoever switches sends, and
//! whoever is switched to receives. Nothing is lost: a message schedule that was
//! made so allows exactly one order.
//!
//! Messages become switches by choosing one of the orders they allow, one with
//! few switches ([`crate::order`]). Counts are not touched: they count from one
//! event of a thread to its next, and both formats have the same events in the
//! same threads. So an event stays even where nothing is left to do at it.

mod endless;
mod pieces;
mod to_messages;
mod to_switches;

use std::fmt;

use crate::command::{Command, Messages, Schedule, Switches};
use crate::limits;
use crate::thread::ThreadId;

/// Why a schedule cannot be written in the other format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// Numbers and names by descent: the same thread may have one of each.
    #[error(
        "thread {number} is named by its number and thread {descent} by its descent; they may be the same"
    )]
    MixedNames {
        /// A thread named by its number.
        number: ThreadId,
        /// One named by its descent.
        descent: ThreadId,
    },
    /// A command that comes after `switch none` or `die none`.
    #[error("'{0}' comes when no thread is running")]
    NobodyRuns(String),
    /// A switch to a thread that has died.
    #[error("thread {0} has died and is switched to")]
    Dead(ThreadId),
    /// A thread would die in each round.
    #[error("thread {0} dies in a loop")]
    DiesInLoop(ThreadId),
    /// The result has too many commands.
    #[error(
        "with its loops written out it has more than {} commands",
        limits::COMMANDS
    )]
    TooLong,
    /// A thread waits for a message that nobody sends.
    #[error(
        "thread {thread} waits for the message {value} of thread {from}, which does not send it (again)"
    )]
    NeverSent {
        /// Who waits.
        thread: ThreadId,
        /// For whom.
        from: ThreadId,
        /// For what.
        value: i64,
    },
    /// Threads that wait for one another.
    #[error("threads wait for one another: {}", list(.0))]
    Deadlock(Vec<Waits>),
    /// A command of a dead thread.
    #[error("'{command}' comes after the death of thread {thread}")]
    AfterDeath {
        /// The thread.
        thread: ThreadId,
        /// What it should do.
        command: String,
    },
    /// Main would have to stop before it has begun.
    #[error("thread 0 has no event at which it could hand over to another thread")]
    MainHasNoEvent,
    /// Some threads go on at the end and some must not: one thread at a time
    /// cannot do that.
    #[error("at the end threads {} go on and thread {held} stays", list(.free))]
    Parallel {
        /// Those that go on.
        free: Vec<ThreadId>,
        /// One that does not.
        held: ThreadId,
    },
    /// Endless loops that get further and further apart.
    #[error("some endless loops send more messages than others receive")]
    Drift,
}

/// A thread that waits for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// Who waits.
    pub thread: ThreadId,
    /// For whom.
    pub from: ThreadId,
    /// For what.
    pub value: i64,
}

impl fmt::Display for Waits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            thread,
            from,
            value,
        } = self;
        write!(out, "{thread} for the message {value} of {from}")
    }
}

fn list(items: &[impl ToString]) -> String {
    let names: Vec<String> = items.iter().map(ToString::to_string).collect();
    names.join(", ")
}

impl ConvertError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::MixedNames { .. } => "name all threads in the same way",
            Self::NobodyRuns(_) => "end the schedule at 'none'",
            Self::Dead(_) => "switch to a thread that is alive",
            Self::DiesInLoop(_) => "take 'die' out of the loop",
            Self::TooLong => "shorten the loops",
            Self::NeverSent { .. } => {
                "add the 'send', or 'receive' from the thread itself to keep it where it is"
            }
            Self::Deadlock(_) => "let one of them send before it receives",
            Self::AfterDeath { .. } => {
                "'die' is the last thing a thread does; only 'send' may follow"
            }
            Self::MainHasNoEvent => "give main a 'before' or 'in' after it has started the others",
            Self::Parallel { .. } => "end one of the sequences with 'terminate'",
            Self::Drift => "let the faster loop wait for the slower",
        }
        .to_owned()
    }
}

impl Schedule {
    /// The schedule in the message format.
    pub fn to_messages(&self) -> Result<Messages, ConvertError> {
        match self {
            Self::Switches(switches) => to_messages::convert(switches),
            Self::Messages(messages) => Ok(messages.clone()),
        }
    }

    /// The schedule in the switch format.
    pub fn to_switches(&self) -> Result<Switches, ConvertError> {
        match self {
            Self::Switches(switches) => Ok(switches.clone()),
            Self::Messages(messages) => to_switches::convert(messages),
        }
    }
}

/// Looks for threads that wait for one another, where no loop is endless.
pub(crate) fn find_deadlock(messages: &Messages) -> Result<(), ConvertError> {
    let rows = pieces::rows(messages)?;
    let order = pieces::order(&rows)?;
    to_switches::refuse_deadlock(&rows, &order)
}

/// Refuses threads that may be the same.
pub(crate) fn same_naming<'a>(
    threads: impl Iterator<Item = &'a ThreadId>,
) -> Result<(), ConvertError> {
    let (mut number, mut descent) = (None, None);
    for thread in threads.filter(|thread| !thread.is_main()) {
        if thread.is_descent() {
            descent.get_or_insert(thread);
        } else {
            number.get_or_insert(thread);
        }
    }
    match (number, descent) {
        (Some(number), Some(descent)) => Err(ConvertError::MixedNames {
            number: number.clone(),
            descent: descent.clone(),
        }),
        _ => Ok(()),
    }
}

/// A command as one line, for an error.
fn line<A: fmt::Display>(command: &Command<A>) -> String {
    match command {
        Command::Event(event) => event.to_string(),
        Command::Action(action) => action.to_string(),
        Command::Loop(_) => "loopbegin".to_owned(),
    }
}
