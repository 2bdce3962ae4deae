//! Which thread is meant.
//!
//! ```text
//! 0        the main thread
//! 3        the third thread that was created, whoever created it
//! 0.2.1    the first thread created by the second thread that main created
//! ```
//!
//! Numbers are what the paper has. They are the same in every run only if
//! threads are created in the same order; names by descent are the same in every
//! run in which each thread does the same, and so they are what a recorder of
//! threads that run in parallel can know.

use std::fmt;
use std::sync::Arc;

use crate::limits;

/// A thread. The order is that of numbers, then that of descent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Id {
    /// In order of creation; main is 0.
    Number(u32),
    /// Which child of which child of main; never empty, never 0.
    Descent(Arc<[u32]>),
}

/// Why a text names no thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThreadError {
    /// Not a number, nor numbers with dots between them.
    #[error("it is not a number, nor numbers with dots between them")]
    NotANumber,
    /// A number that no thread has.
    #[error("the number is above {}", u32::MAX)]
    TooHigh,
    /// A name by descent that does not begin with main.
    #[error("a name by descent begins with 0, the main thread")]
    NotFromMain,
    /// Children are counted from 1.
    #[error("a thread's children are counted from 1")]
    NoChild,
    /// Too many generations.
    #[error("it has more than {} generations", limits::DESCENT)]
    TooDeep,
}

impl ThreadId {
    /// The main thread.
    pub const MAIN: Self = Self(Id::Number(0));

    /// The thread with that number, in order of creation; main is 0.
    pub fn number(number: u32) -> Self {
        Self(Id::Number(number))
    }

    /// The `k`-th thread (from 1) that this one created, named by descent. None
    /// for a thread that is known by its number only, and for `k` = 0.
    pub fn child(&self, k: u32) -> Option<Self> {
        let mut path = match &self.0 {
            Id::Number(0) => Vec::new(),
            Id::Number(_) => return None,
            Id::Descent(path) => path.to_vec(),
        };
        path.push(k);
        (k > 0 && path.len() <= limits::DESCENT).then(|| Self(Id::Descent(path.into())))
    }

    /// How many threads have been created when this one has been, at least: all with a lower number,
    /// or all before it and before those that it descends from.
    pub fn least_created(&self) -> u32 {
        match &self.0 {
            Id::Number(number) => *number,
            Id::Descent(path) => path.iter().fold(0, |all, k| all.saturating_add(*k)),
        }
    }

    /// The thread that created this one, if the name says so.
    pub fn parent(&self) -> Option<Self> {
        match &self.0 {
            Id::Number(_) => None,
            Id::Descent(path) => Some(match path.split_last() {
                Some((_, above)) if !above.is_empty() => Self(Id::Descent(above.into())),
                _ => Self::MAIN,
            }),
        }
    }

    /// Whether it is the main thread, which has the same name in both ways.
    pub fn is_main(&self) -> bool {
        *self == Self::MAIN
    }

    /// Whether the name is one by descent.
    pub fn is_descent(&self) -> bool {
        matches!(self.0, Id::Descent(_))
    }

    /// The number in order of creation, if that is what the name is.
    pub fn as_number(&self) -> Option<u32> {
        match self.0 {
            Id::Number(number) => Some(number),
            Id::Descent(_) => None,
        }
    }

    /// Reads `3` or `0.2.1`.
    pub fn parse(text: &str) -> Result<Self, ThreadError> {
        let mut numbers = text.split('.');
        let first = number(numbers.next().unwrap_or_default())?;
        let mut path = Vec::new();
        for part in numbers {
            if path.len() == limits::DESCENT {
                return Err(ThreadError::TooDeep);
            }
            path.push(number(part)?);
        }
        if path.is_empty() {
            return Ok(Self::number(first));
        }
        if first != 0 {
            return Err(ThreadError::NotFromMain);
        }
        if path.contains(&0) {
            return Err(ThreadError::NoChild);
        }
        Ok(Self(Id::Descent(path.into())))
    }
}

fn number(text: &str) -> Result<u32, ThreadError> {
    if text.is_empty() || !text.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(ThreadError::NotANumber);
    }
    text.parse().map_err(|_| ThreadError::TooHigh)
}

impl fmt::Display for ThreadId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Id::Number(number) => write!(out, "{number}"),
            Id::Descent(path) => {
                out.write_str("0")?;
                path.iter().try_for_each(|k| write!(out, ".{k}"))
            }
        }
    }
}

/// Whom a switch wakes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// That thread.
    Thread(ThreadId),
    /// Nobody: threads are alive, and all of them are blocked.
    None,
}

impl Target {
    /// The thread, if there is one.
    pub fn thread(&self) -> Option<&ThreadId> {
        match self {
            Self::Thread(thread) => Some(thread),
            Self::None => None,
        }
    }
}

impl From<Option<ThreadId>> for Target {
    fn from(thread: Option<ThreadId>) -> Self {
        thread.map_or(Self::None, Self::Thread)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(thread) => thread.fmt(out),
            Self::None => out.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbers_or_descents() {
        for text in ["0", "7", "4294967295", "0.1", "0.2.1"] {
            assert_eq!(ThreadId::parse(text).unwrap().to_string(), text);
        }
        let second = ThreadId::MAIN.child(2).unwrap();
        let first_of_it = second.child(1).unwrap();
        assert_eq!(first_of_it, ThreadId::parse("0.2.1").unwrap());
        assert_eq!(first_of_it.parent(), Some(second.clone()));
        assert_eq!(second.parent(), Some(ThreadId::MAIN));
        assert_eq!(ThreadId::number(2).child(1), None);
    }

    #[test]
    fn what_names_no_thread_says_why() {
        let error = |text: &str| ThreadId::parse(text).unwrap_err();
        assert_eq!(error(""), ThreadError::NotANumber);
        assert_eq!(error("main"), ThreadError::NotANumber);
        assert_eq!(error("0."), ThreadError::NotANumber);
        assert_eq!(error("-1"), ThreadError::NotANumber);
        assert_eq!(error("4294967296"), ThreadError::TooHigh);
        assert_eq!(error("2.1"), ThreadError::NotFromMain);
        assert_eq!(error("0.0"), ThreadError::NoChild);
        assert_eq!(
            error(&("0".to_owned() + &".1".repeat(65))),
            ThreadError::TooDeep
        );
    }
}
