//! A divergence: the inside did something else than recorded.

use std::fmt;

use reprise_recording::StreamId;

/// Where a replay left its recording, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The stream of the thread.
    pub stream: StreamId,
    /// The thread's name.
    pub thread: String,
    /// The event that was due.
    pub position: u64,
    /// Where in the program; none when the inside had returned.
    pub location: Option<Location>,
    /// What was recorded.
    pub expected: Fact,
    /// What happened.
    pub actual: Fact,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Class and method.
    pub method: String,
    /// The source line; 0 when it is not known.
    pub line: u32,
}

/// Something that was recorded, or that happened. Members and values are
/// text out of the recording: escape it before a terminal gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A call of an outside method.
    Call {
        /// The method.
        member: String,
    },
    /// An argument of such a call.
    Argument {
        /// The method.
        member: String,
        /// Which, from 1; 0 is the receiver.
        index: u32,
        /// The value.
        value: String,
    },
    /// An outside field was read.
    Read {
        /// The field.
        member: String,
        /// Whose, when that is what differs.
        receiver: Option<String>,
    },
    /// An outside field was written.
    Write {
        /// The field.
        member: String,
        /// What was written, when that is what differs.
        value: Option<String>,
    },
    /// An inside method returned.
    Return {
        /// The value; nothing for none.
        value: String,
    },
    /// An inside method threw an exception.
    Throw {
        /// The exception.
        value: String,
    },
    /// An object got this number.
    Number {
        /// The number.
        number: String,
    },
    /// Anything else, in the words of the events.
    Other {
        /// What.
        what: String,
    },
}

impl std::error::Error for Divergence {}

impl fmt::Display for Divergence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            thread,
            position,
            location,
            expected,
            actual,
            ..
        } = self;
        write!(out, "diverged at event {position} of thread {thread}")?;
        if let Some(location) = location {
            write!(out, ", {location}")?;
        }
        write!(out, ": expected {expected}, got {actual}")
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "in {}", self.method),
            line => write!(out, "at {}:{line}", self.method),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { member } => write!(out, "a call of {member}"),
            Self::Argument {
                member,
                index: 0,
                value,
            } => write!(out, "a call of {member} on {value}"),
            Self::Argument {
                member,
                index,
                value,
            } => write!(out, "a call of {member} with argument {index} {value}"),
            Self::Read {
                member,
                receiver: None,
            } => write!(out, "a read of {member}"),
            Self::Read {
                member,
                receiver: Some(receiver),
            } => write!(out, "a read of {member} of {receiver}"),
            Self::Write {
                member,
                value: None,
            } => write!(out, "a write to {member}"),
            Self::Write {
                member,
                value: Some(value),
            } => write!(out, "a write of {value} to {member}"),
            Self::Return { value } if value.is_empty() => write!(out, "a return"),
            Self::Return { value } => write!(out, "a return of {value}"),
            Self::Throw { value } => write!(out, "the exception {value}"),
            Self::Number { number } => write!(out, "{number} as the next new object"),
            Self::Other { what } => write!(out, "{what}"),
        }
    }
}
