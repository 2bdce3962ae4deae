//! What `check` can find.

use super::places::NoPlace;
use crate::convert::ConvertError;
use crate::thread::ThreadId;

/// Something that is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The number of the command: loops before what is in them, threads in order.
    pub command: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub what: What,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The schedule cannot be followed.
    Error,
    /// It can be followed, and says something that has no effect.
    Warning,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum What {
    /// The place is not in the program.
    #[error(transparent)]
    NoPlace(#[from] NoPlace),
    /// It could not be converted either.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// A thread where the program has only one.
    #[error("there can be no thread {0}: nothing in the program starts one")]
    NoThreads(ThreadId),
    /// A thread that would be one more than the program creates.
    #[error("there can be no thread {thread}: the program creates {} at most", several(*.most))]
    TooManyThreads {
        /// The thread.
        thread: ThreadId,
        /// How many it creates.
        most: u32,
    },
    /// A thread is switched to before the one that creates it has run.
    #[error("there can be no thread {thread} yet: thread {parent}, which creates it, has not run")]
    NotCreated {
        /// The thread.
        thread: ThreadId,
        /// Its parent.
        parent: ThreadId,
    },
    /// Something happens to a dead thread.
    #[error("thread {0} is dead")]
    IsDead(ThreadId),
    /// The running thread is notified or timed out.
    #[error("thread {0} is running, so it is not blocked")]
    IsRunning(ThreadId),
    /// The running thread switches to itself.
    #[error("thread {0} switches to itself")]
    SwitchesToItself(ThreadId),
    /// A command that is never performed.
    #[error("this is never performed: {0}")]
    NeverPerformed(&'static str),
    /// A message that nobody receives.
    #[error("thread {to} does not receive the message {value} of thread {from}")]
    NeverReceived {
        /// Who sends.
        from: ThreadId,
        /// To whom.
        to: ThreadId,
        /// What.
        value: i64,
    },
}

impl What {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoPlace(place) => place.hint(),
            Self::Convert(error) => error.hint(),
            Self::NoThreads(_) => "is this the right program?".to_owned(),
            Self::TooManyThreads { .. } => {
                "threads are numbered from 1 as they are created, or named as in 0.1; is this the \
                 right program?"
                    .to_owned()
            }
            Self::NotCreated { parent, .. } => format!("switch to thread {parent} first"),
            Self::IsDead(_) => "a thread does nothing after 'die'".to_owned(),
            Self::IsRunning(_) => {
                "notify and timeout are for threads that wait, join or sleep".to_owned()
            }
            Self::SwitchesToItself(_) => "leave the switch out".to_owned(),
            Self::NeverPerformed(_) => "leave it out".to_owned(),
            Self::NeverReceived { from, value, .. } => {
                format!("add 'receive {from} {value}', or leave the 'send' out")
            }
        }
    }
}

/// So many threads.
fn several(threads: u32) -> String {
    match threads {
        0 => "none".to_owned(),
        1 => "one thread".to_owned(),
        many => format!("{many} threads"),
    }
}
