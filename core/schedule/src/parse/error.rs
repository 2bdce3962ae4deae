//! What can be wrong with a schedule's text, where, and what to write instead.

use std::fmt;

use super::words::{Keyword, Position};
use crate::limits;
use crate::thread::ThreadError;

/// Everything that is wrong with a text, in order; at least one error, at most
/// [`limits::ERRORS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseErrors(pub(super) Vec<ParseError>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {problem}")]
pub struct ParseError {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A line begins with a word that is no command.
    #[error("there is no command '{0}'")]
    UnknownCommand(String),
    /// A command that the other format has.
    #[error("'{command}' belongs to the format with {other}")]
    OtherFormat {
        /// The command.
        command: Keyword,
        /// "switches" or "messages".
        other: &'static str,
    },
    /// A command lacks a word.
    #[error("{what} is missing")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// How the line is written.
        usage: &'static str,
    },
    /// A word that belongs to nothing.
    #[error("'{word}' is one word too many")]
    Extra {
        /// The word.
        word: String,
        /// How the line is written.
        usage: &'static str,
    },
    /// A word that should be a number.
    #[error("{what} is a number from {min} to {max}, and '{word}' is none")]
    Number {
        /// What it should be.
        what: &'static str,
        /// The lowest.
        min: i64,
        /// The highest.
        max: i64,
        /// What stands there.
        word: String,
    },
    /// A word that should be a thread.
    #[error("'{word}' is no thread: {error}")]
    Thread {
        /// What stands there.
        word: String,
        /// Why it is none.
        error: ThreadError,
    },
    /// An escape that is none.
    #[error("an escape is written \\u{{…}} with the number of a character in it")]
    Escape,
    /// A name longer than a class file can hold.
    #[error("a name has more than {} bytes", limits::NAME)]
    LongName,
    /// An empty name: nothing before a colon or a parenthesis.
    #[error("there is no name in '{0}'")]
    NoName(String),
    /// A message too long to print.
    #[error("a message has more than {} bytes", limits::MESSAGE)]
    LongMessage,
    /// `loopend` with no loop open.
    #[error("there is no loop to end")]
    NoLoop,
    /// A loop is open at the end.
    #[error("this loop has no end")]
    OpenLoop,
    /// Loops are nested too deeply.
    #[error("loops are nested more than {} deep", limits::NESTING)]
    DeepLoop,
    /// A thread has two sequences.
    #[error("thread {0} has a sequence already")]
    ThreadTwice(String),
    /// A line that is too long.
    #[error("the line has more than {} bytes", limits::LINE)]
    LongLine,
    /// A text that is too long.
    #[error("the schedule has more than {} bytes", limits::TEXT)]
    LongText,
    /// Bytes that are no text.
    #[error("the bytes from here on are not UTF-8")]
    NotText,
}

impl ParseErrors {
    /// The errors.
    pub fn iter(&self) -> impl Iterator<Item = &ParseError> {
        self.0.iter()
    }
}

impl fmt::Display for ParseErrors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.0.first() {
            first.fmt(out)?;
        }
        match self.0.len() {
            0 | 1 => Ok(()),
            n => write!(out, " (and {} more)", n - 1),
        }
    }
}

impl std::error::Error for ParseErrors {}

impl ParseError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        self.problem.hint()
    }
}

impl Problem {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Problem::UnknownCommand(word) => match Keyword::nearest(word) {
                Some(keyword) => format!("write '{}'", keyword.usage()),
                None => {
                    "begin the line with before, in, switch, notify, timeout, die, terminate, log, \
                     loopbegin, loopend, thread, send or receive; '#' begins a comment"
                        .to_owned()
                }
            },
            Problem::OtherFormat { command, .. } => match command {
                Keyword::Switch => {
                    "in a sequence of a thread write 'send THREAD VALUE' and 'receive THREAD VALUE'"
                        .to_owned()
                }
                Keyword::Thread => {
                    "begin the file with 'thread 0', before any other command".to_owned()
                }
                _ => "begin the file with 'thread 0', the sequence of the main thread, or write \
                      'switch THREAD'"
                    .to_owned(),
            },
            Problem::Missing { usage, .. } | Problem::Extra { usage, .. } => {
                format!("write '{usage}'")
            }
            Problem::Number { what, .. } if *what == "an offset" => {
                "the offset is the number before the bytecode in the output of 'javap -c'".to_owned()
            }
            Problem::Number { what, .. } if *what == "a count" => {
                "1 is the first time that the place is reached since the last event".to_owned()
            }
            Problem::Number { what, .. } if *what == "the number of rounds" => {
                "write a number above 0, or inf".to_owned()
            }
            Problem::Number { min, max, .. } => format!("write a number from {min} to {max}"),
            Problem::Thread { error, .. } => match error {
                ThreadError::NotANumber | ThreadError::TooHigh => {
                    "write 0 for main, 1 for the thread created first, or 0.2.1 for the first child \
                     of main's second"
                        .to_owned()
                }
                ThreadError::NotFromMain | ThreadError::NoChild => {
                    "0.2.1 is the first child of main's second child".to_owned()
                }
                ThreadError::TooDeep => "name the thread by its number".to_owned(),
            },
            Problem::Escape => "a blank in a name is written \\u{20}".to_owned(),
            Problem::LongName | Problem::LongMessage => "shorten it".to_owned(),
            Problem::NoName(_) => {
                "write 'CLASS METHOD OFFSET', as in 'Producer run()V 13', or 'Producer.java:13'"
                    .to_owned()
            }
            Problem::NoLoop => "write 'loopbegin' before the commands to repeat".to_owned(),
            Problem::OpenLoop => {
                "write 'loopend N' or 'loopend inf' behind the commands to repeat".to_owned()
            }
            Problem::DeepLoop => "write inner loops out".to_owned(),
            Problem::ThreadTwice(_) => {
                "write all commands of a thread below one 'thread' line".to_owned()
            }
            Problem::LongLine => "write one command per line".to_owned(),
            Problem::LongText => "use loops, or cut the schedule".to_owned(),
            Problem::NotText => "is this a schedule? A recording is shown by 'reprise show'".to_owned(),
        }
    }
}
