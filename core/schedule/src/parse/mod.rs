//! Text to values. One line is one command, so that a mistake in one does not
//! hide the others.

mod error;
pub(crate) mod line;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::mem;

pub use error::{ParseError, ParseErrors, Problem};
pub use words::{Keyword, Position};

use crate::command::{
    Command, Loop, MessageAction, Messages, Schedule, SwitchAction, Switches, Times,
};
use crate::limits;
use crate::thread::ThreadId;
use line::{AnyAction, Line, Names};
use words::Words;

/// A schedule, and where its commands stand in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The schedule.
    pub schedule: Schedule,
    /// The line of each command, loops before what is in them, threads in order.
    /// [`crate::check`] numbers commands in the same way.
    pub lines: Vec<u32>,
}

/// Reads a schedule.
pub fn parse(text: &str) -> Result<Schedule, ParseErrors> {
    parse_lines(text).map(|parsed| parsed.schedule)
}

/// Reads a schedule from bytes, which may not even be text.
pub fn parse_bytes(bytes: &[u8]) -> Result<Parsed, ParseErrors> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse_lines(text),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let good = String::from_utf8_lossy(good);
            let line = good.matches('\n').count();
            let last = good.rsplit('\n').next().unwrap_or_default();
            let words = Words::new(last, u32::try_from(line + 1).unwrap_or(u32::MAX));
            Err(ParseErrors(vec![words.error(last.len(), Problem::NotText)]))
        }
    }
}

/// Reads a schedule and keeps the lines of its commands.
pub fn parse_lines(text: &str) -> Result<Parsed, ParseErrors> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > limits::TEXT {
        let start = Words::new("", 1).error(0, Problem::LongText);
        return Err(ParseErrors(vec![start]));
    }
    let mut parser = Parser::default();
    let mut names = Names::default();
    for (index, line) in text.split('\n').enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let mut words = Words::new(line, number);
        let outcome = if line.len() > limits::LINE {
            Err(words.error(0, Problem::LongLine))
        } else {
            line::parse(&mut words, &mut names, parser.is_messages())
                .and_then(|parsed| parser.add(parsed, &words, number))
        };
        if let Err(error) = outcome {
            if line.trim_start().starts_with(Keyword::LoopEnd.as_str()) {
                parser.close_loop();
            }
            parser.errors.push(error);
            if parser.errors.len() == limits::ERRORS {
                break;
            }
        }
    }
    parser.finish()
}

/// What has been read so far.
#[derive(Default)]
struct Parser {
    format: Option<Format>,
    errors: Vec<ParseError>,
}

/// A sequence per thread; the switch format has one.
enum Format {
    Switches(Sequence<SwitchAction>),
    Messages {
        done: BTreeMap<ThreadId, (Vec<Command<MessageAction>>, Vec<u32>)>,
        thread: ThreadId,
        sequence: Sequence<MessageAction>,
    },
}

impl Parser {
    fn is_messages(&self) -> bool {
        matches!(self.format, Some(Format::Messages { .. }))
    }

    fn add(&mut self, line: Line, words: &Words<'_>, number: u32) -> Result<(), ParseError> {
        let (keyword, at, line) = match line {
            Line::Empty => return Ok(()),
            Line::Thread(thread, at) => return self.begin(thread, words, at),
            Line::Command(keyword, at, line) => (keyword, at, line),
        };
        let format = self
            .format
            .get_or_insert_with(|| Format::Switches(Sequence::default()));
        let other = |other| {
            words.error(
                at,
                Problem::OtherFormat {
                    command: keyword,
                    other,
                },
            )
        };
        match format {
            Format::Switches(sequence) => sequence.add(line, words, at, number, |action| {
                SwitchAction::try_from(action).map_err(|()| other("messages"))
            }),
            Format::Messages { sequence, .. } => sequence.add(line, words, at, number, |action| {
                MessageAction::try_from(action).map_err(|()| other("switches"))
            }),
        }
    }

    /// Closes a loop whose end could not be read, lest it is reported as open.
    fn close_loop(&mut self) {
        let end = line::Content::LoopEnd(Times::Endless);
        let nowhere = Words::new("", 0);
        // That there is no loop has been said, or is not what is wrong.
        let _ = match &mut self.format {
            None => Ok(()),
            Some(Format::Switches(sequence)) => sequence.add(end, &nowhere, 0, 0, |_| {
                Err(nowhere.error(0, Problem::NoLoop))
            }),
            Some(Format::Messages { sequence, .. }) => sequence.add(end, &nowhere, 0, 0, |_| {
                Err(nowhere.error(0, Problem::NoLoop))
            }),
        };
    }

    /// Begins the sequence of a thread.
    fn begin(&mut self, thread: ThreadId, words: &Words<'_>, at: usize) -> Result<(), ParseError> {
        match self.format.take() {
            None => {
                self.format = Some(Format::Messages {
                    done: BTreeMap::new(),
                    thread,
                    sequence: Sequence::default(),
                });
                Ok(())
            }
            Some(format @ Format::Switches(_)) => {
                self.format = Some(format);
                Err(words.error(
                    at,
                    Problem::OtherFormat {
                        command: Keyword::Thread,
                        other: "messages",
                    },
                ))
            }
            Some(Format::Messages {
                mut done,
                thread: before,
                sequence,
            }) => {
                done.insert(before, sequence.finish(&mut self.errors));
                let twice = done.contains_key(&thread);
                let name = thread.to_string();
                self.format = Some(Format::Messages {
                    done,
                    thread,
                    sequence: Sequence::default(),
                });
                if twice {
                    return Err(words.error(at, Problem::ThreadTwice(name)));
                }
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<Parsed, ParseErrors> {
        let parsed = match self.format.take() {
            None => Parsed {
                schedule: Switches::default().into(),
                lines: Vec::new(),
            },
            Some(Format::Switches(sequence)) => {
                let (commands, lines) = sequence.finish(&mut self.errors);
                Parsed {
                    schedule: Switches { commands }.into(),
                    lines,
                }
            }
            Some(Format::Messages {
                mut done,
                thread,
                sequence,
            }) => {
                done.insert(thread, sequence.finish(&mut self.errors));
                let mut lines = Vec::new();
                let threads = done.into_iter().map(|(thread, (commands, places))| {
                    lines.extend(places);
                    (thread, commands)
                });
                let threads = threads.collect();
                Parsed {
                    schedule: Messages::new(threads).into(),
                    lines,
                }
            }
        };
        if self.errors.is_empty() {
            Ok(parsed)
        } else {
            self.errors.sort_by_key(|error| error.position);
            self.errors.truncate(limits::ERRORS);
            Err(ParseErrors(self.errors))
        }
    }
}

/// Commands with the loops that are open.
struct Sequence<A> {
    commands: Vec<Command<A>>,
    lines: Vec<u32>,
    /// What stood before each open loop, and an error in case it stays open.
    open: Vec<(Vec<Command<A>>, ParseError)>,
}

impl<A> Default for Sequence<A> {
    fn default() -> Self {
        Self {
            commands: Vec::new(),
            lines: Vec::new(),
            open: Vec::new(),
        }
    }
}

impl<A> Sequence<A> {
    fn add(
        &mut self,
        line: line::Content,
        words: &Words<'_>,
        at: usize,
        number: u32,
        action: impl FnOnce(AnyAction) -> Result<A, ParseError>,
    ) -> Result<(), ParseError> {
        match line {
            line::Content::Event(event) => self.commands.push(Command::Event(event)),
            line::Content::Action(any) => self.commands.push(Command::Action(action(any)?)),
            line::Content::LoopBegin => {
                if self.open.len() == limits::NESTING {
                    return Err(words.error(at, Problem::DeepLoop));
                }
                let outer = mem::take(&mut self.commands);
                self.open.push((outer, words.error(at, Problem::OpenLoop)));
            }
            line::Content::LoopEnd(times) => {
                let Some((outer, _)) = self.open.pop() else {
                    return Err(words.error(at, Problem::NoLoop));
                };
                let body = mem::replace(&mut self.commands, outer);
                self.commands.push(Command::Loop(Loop { body, times }));
                return Ok(());
            }
        }
        self.lines.push(number);
        Ok(())
    }

    fn finish(self, errors: &mut Vec<ParseError>) -> (Vec<Command<A>>, Vec<u32>) {
        // The innermost is the one whose end is missing, more often than not.
        errors.extend(self.open.into_iter().next_back().map(|(_, error)| error));
        (self.commands, self.lines)
    }
}
