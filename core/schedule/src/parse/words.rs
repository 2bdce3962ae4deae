//! Lines, words and the commands' keywords.

use std::fmt;

use super::error::{ParseError, Problem};

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, column {}", self.line, self.column)
    }
}

/// A word and where it stands in its line, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

/// The words of a line, up to a comment.
pub(crate) struct Words<'a> {
    line: &'a str,
    number: u32,
    /// Where the next word is looked for.
    next: usize,
    /// Where the line ends for us.
    end: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str, number: u32) -> Self {
        let end = line.find('#').unwrap_or(line.len());
        Self {
            line,
            number,
            next: 0,
            end,
        }
    }

    /// What is left of the line.
    pub(crate) fn rest(&self) -> &'a str {
        self.line.get(self.next..self.end).unwrap_or_default()
    }

    /// An error at a place in the line.
    pub(crate) fn error(&self, at: usize, problem: Problem) -> ParseError {
        let before = self.line.get(..at).unwrap_or(self.line);
        let column = before.chars().count().saturating_add(1);
        ParseError {
            position: Position {
                line: self.number,
                column: u32::try_from(column).unwrap_or(u32::MAX),
            },
            problem,
        }
    }

    /// An error behind the last word.
    pub(crate) fn error_at_end(&self, problem: Problem) -> ParseError {
        let written = self.line.get(..self.end).unwrap_or(self.line).trim_end();
        self.error(written.len().max(self.next), problem)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let at = self.end.saturating_sub(trimmed.len());
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        self.next = at.saturating_add(length);
        let text = trimmed.get(..length).unwrap_or_default();
        (!text.is_empty()).then_some(Word { text, at })
    }
}

/// Declares the keywords with how their commands are written.
macro_rules! keywords {
    ($($name:ident $text:literal $usage:literal,)+) => {
        /// The first word of a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "named as they are written")]
        pub enum Keyword {
            $($name,)+
        }

        impl Keyword {
            const ALL: &[Self] = &[$(Self::$name,)+];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// How the command is written, to be put between quotes.
            pub(crate) fn usage(self) -> &'static str {
                match self {
                    $(Self::$name => $usage,)+
                }
            }
        }
    };
}

keywords! {
    Before "before" "before CLASS METHOD OFFSET COUNT' or 'before FILE:LINE COUNT",
    In "in" "in CLASS METHOD OFFSET COUNT' or 'in FILE:LINE COUNT",
    Switch "switch" "switch THREAD' or 'switch none",
    Notify "notify" "notify THREAD",
    Timeout "timeout" "timeout THREAD",
    Die "die" "die THREAD' or 'die none",
    Terminate "terminate" "terminate",
    Log "log" "log LEVEL MESSAGE",
    LoopBegin "loopbegin" "loopbegin",
    LoopEnd "loopend" "loopend N' or 'loopend inf",
    Thread "thread" "thread THREAD",
    Send "send" "send THREAD VALUE",
    Receive "receive" "receive THREAD VALUE",
}

impl Keyword {
    /// The keyword that is this word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|keyword| keyword.as_str() == word)
    }

    /// The keyword that was probably meant.
    pub(crate) fn nearest(word: &str) -> Option<Self> {
        let known = Self::ALL.iter().map(|keyword| keyword.as_str());
        crate::nearest::nearest(&word.to_lowercase(), known).and_then(Self::parse)
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
