//! One line to one command.

use std::collections::HashMap;

use super::error::{ParseError, Problem};
use super::words::{Keyword, Word, Words};
use crate::command::{Count, Event, Log, Message, MessageAction, Moment, SwitchAction, Times};
use crate::limits;
use crate::location::{CodeLocation, Descriptor, Location, Method, SourceLine};
use crate::name::{Name, NameError, unescape};
use crate::thread::{Target, ThreadId};

/// What a line says.
pub(super) enum Line {
    /// Nothing.
    Empty,
    /// The sequence of a thread begins; the word stands there.
    Thread(ThreadId, usize),
    /// A command; its keyword stands there.
    Command(Keyword, usize, Content),
}

/// A command of either format.
pub(super) enum Content {
    Event(Event),
    Action(AnyAction),
    LoopBegin,
    LoopEnd(Times),
}

/// An action of either format.
pub(super) enum AnyAction {
    Switch(Target),
    Notify(ThreadId),
    Timeout(ThreadId),
    /// With whom it wakes, in the switch format.
    Die(Option<Target>),
    Terminate,
    Log(Log),
    Send(Message),
    Receive(Message),
}

impl TryFrom<AnyAction> for SwitchAction {
    type Error = ();

    fn try_from(action: AnyAction) -> Result<Self, ()> {
        Ok(match action {
            AnyAction::Switch(target) => Self::Switch(target),
            AnyAction::Notify(thread) => Self::Notify(thread),
            AnyAction::Timeout(thread) => Self::Timeout(thread),
            AnyAction::Die(Some(target)) => Self::Die(target),
            AnyAction::Terminate => Self::Terminate,
            AnyAction::Log(log) => Self::Log(log),
            AnyAction::Die(None) | AnyAction::Send(_) | AnyAction::Receive(_) => return Err(()),
        })
    }
}

impl TryFrom<AnyAction> for MessageAction {
    type Error = ();

    fn try_from(action: AnyAction) -> Result<Self, ()> {
        Ok(match action {
            AnyAction::Send(message) => Self::Send(message),
            AnyAction::Receive(message) => Self::Receive(message),
            AnyAction::Notify(thread) => Self::Notify(thread),
            AnyAction::Timeout(thread) => Self::Timeout(thread),
            AnyAction::Die(None) => Self::Die,
            AnyAction::Terminate => Self::Terminate,
            AnyAction::Log(log) => Self::Log(log),
            AnyAction::Die(Some(_)) | AnyAction::Switch(_) => return Err(()),
        })
    }
}

/// Names that were read, so that equal ones are kept once.
#[derive(Default)]
pub(crate) struct Names(HashMap<String, Name>);

impl Names {
    fn intern(&mut self, text: &str) -> Result<Name, NameError> {
        if let Some(name) = self.0.get(text) {
            return Ok(name.clone());
        }
        let name = Name::new(text)?;
        self.0.insert(text.to_owned(), name.clone());
        Ok(name)
    }
}

/// Reads a line.
pub(super) fn parse(
    words: &mut Words<'_>,
    names: &mut Names,
    messages: bool,
) -> Result<Line, ParseError> {
    let Some(first) = words.next() else {
        return Ok(Line::Empty);
    };
    let Some(keyword) = Keyword::parse(first.text) else {
        let unknown = Problem::UnknownCommand(shortened(first.text));
        return Err(words.error(first.at, unknown));
    };
    let mut reader = Reader {
        words,
        names,
        usage: match keyword {
            Keyword::Die if messages => "die",
            _ => keyword.usage(),
        },
    };
    let content = match keyword {
        Keyword::Before => Content::Event(reader.event(Moment::Before)?),
        Keyword::In => Content::Event(reader.event(Moment::In)?),
        Keyword::LoopBegin => Content::LoopBegin,
        Keyword::LoopEnd => Content::LoopEnd(reader.times()?),
        Keyword::Thread => {
            let thread = reader.thread()?;
            reader.end()?;
            return Ok(Line::Thread(thread, first.at));
        }
        Keyword::Switch => Content::Action(AnyAction::Switch(reader.target()?)),
        Keyword::Notify => Content::Action(AnyAction::Notify(reader.thread()?)),
        Keyword::Timeout => Content::Action(AnyAction::Timeout(reader.thread()?)),
        Keyword::Die if messages => Content::Action(AnyAction::Die(None)),
        Keyword::Die => Content::Action(AnyAction::Die(Some(reader.target()?))),
        Keyword::Terminate => Content::Action(AnyAction::Terminate),
        Keyword::Log => Content::Action(AnyAction::Log(reader.log()?)),
        Keyword::Send => Content::Action(AnyAction::Send(reader.message()?)),
        Keyword::Receive => Content::Action(AnyAction::Receive(reader.message()?)),
    };
    reader.end()?;
    Ok(Line::Command(keyword, first.at, content))
}

/// Reads the words behind a keyword. Traces have locations and threads too, and
/// use this as well.
pub(crate) struct Reader<'w, 'a> {
    pub(crate) words: &'w mut Words<'a>,
    pub(crate) names: &'w mut Names,
    /// How the line is written, for errors.
    pub(crate) usage: &'static str,
}

impl<'a> Reader<'_, 'a> {
    pub(crate) fn word(&mut self, what: &'static str) -> Result<Word<'a>, ParseError> {
        self.words.next().ok_or_else(|| {
            self.words.error_at_end(Problem::Missing {
                what,
                usage: self.usage,
            })
        })
    }

    fn end(&mut self) -> Result<(), ParseError> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.words.error(
                word.at,
                Problem::Extra {
                    word: shortened(word.text),
                    usage: self.usage,
                },
            )),
        }
    }

    fn number(&mut self, what: &'static str, (min, max): (i64, i64)) -> Result<i64, ParseError> {
        let word = self.word(what)?;
        let number = plain_number(word.text).filter(|number| (min..=max).contains(number));
        number.ok_or_else(|| {
            self.words.error(
                word.at,
                Problem::Number {
                    what,
                    min,
                    max,
                    word: shortened(word.text),
                },
            )
        })
    }

    fn count(&mut self) -> Result<Count, ParseError> {
        let number = self.number("a count", (1, i64::MAX))?;
        Ok(u64::try_from(number)
            .ok()
            .and_then(Count::new)
            .unwrap_or(Count::ONE))
    }

    fn times(&mut self) -> Result<Times, ParseError> {
        let mut ahead = Words::new(self.words.rest(), 0);
        if ahead.next().is_some_and(|word| word.text == "inf") {
            self.words.next();
            return Ok(Times::Endless);
        }
        let number = self.number("the number of rounds", (1, i64::MAX))?;
        let count = u64::try_from(number).ok().and_then(Count::new);
        Ok(Times::Count(count.unwrap_or(Count::ONE)))
    }

    pub(crate) fn thread(&mut self) -> Result<ThreadId, ParseError> {
        let word = self.word("a thread")?;
        self.thread_word(word)
    }

    fn thread_word(&self, word: Word<'_>) -> Result<ThreadId, ParseError> {
        ThreadId::parse(word.text).map_err(|error| {
            let word_text = shortened(word.text);
            self.words.error(
                word.at,
                Problem::Thread {
                    word: word_text,
                    error,
                },
            )
        })
    }

    fn target(&mut self) -> Result<Target, ParseError> {
        let word = self.word("a thread or 'none'")?;
        match word.text {
            "none" => Ok(Target::None),
            _ => self.thread_word(word).map(Target::Thread),
        }
    }

    fn message(&mut self) -> Result<Message, ParseError> {
        let peer = self.thread()?;
        let value = self.number("a value", (i64::MIN, i64::MAX))?;
        Ok(Message { peer, value })
    }

    fn log(&mut self) -> Result<Log, ParseError> {
        let level = self.number("a level", (1, 4))?;
        let level = u8::try_from(level).unwrap_or(1);
        let text = self.words.rest();
        let at = self.words.next().map_or(0, |word| word.at);
        let plain = unescape(text).map_err(|_| self.words.error(at, Problem::Escape))?;
        for _ in &mut *self.words {}
        Log::new(level, &plain).ok_or_else(|| self.words.error(at, Problem::LongMessage))
    }

    fn event(&mut self, moment: Moment) -> Result<Event, ParseError> {
        Ok(Event {
            moment,
            location: self.location()?,
            count: self.count()?,
        })
    }

    fn location(&mut self) -> Result<Location, ParseError> {
        let word = self.word("a place")?;
        if let Some((file, line)) = word.text.rsplit_once(':')
            && let Some(line) = plain_number(line).and_then(|line| u32::try_from(line).ok())
        {
            let file = self.name(file, word)?;
            return Ok(Location::Source(SourceLine { file, line }));
        }
        self.code(word).map(Location::Code)
    }

    /// The rest of a location whose class has been read.
    pub(crate) fn code(&mut self, word: Word<'a>) -> Result<CodeLocation, ParseError> {
        let class = if word.text.contains('/') {
            self.name(&word.text.replace('/', "."), word)?
        } else {
            self.name(word.text, word)?
        };
        let method = self.method()?;
        let offset = self.number("an offset", (0, i64::from(u32::MAX)))?;
        Ok(CodeLocation {
            class,
            method,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
        })
    }

    fn method(&mut self) -> Result<Method, ParseError> {
        let word = self.word("a method")?;
        if word.text.bytes().all(|digit| digit.is_ascii_digit()) {
            return word.text.parse().map(Method::Index).map_err(|_| {
                self.words.error(
                    word.at,
                    Problem::Number {
                        what: "a method's index",
                        min: 0,
                        max: i64::from(u16::MAX),
                        word: shortened(word.text),
                    },
                )
            });
        }
        let Some(at) = word.text.rfind('(') else {
            return Ok(Method::Named {
                name: self.name(word.text, word)?,
                descriptor: None,
            });
        };
        let (name, descriptor) = word.text.split_at(at);
        let name = self.name(name, word)?;
        let descriptor = Descriptor::from(self.name(descriptor, word)?);
        Ok(Method::Named {
            name,
            descriptor: Some(descriptor),
        })
    }

    fn name(&mut self, text: &str, word: Word<'_>) -> Result<Name, ParseError> {
        let plain = unescape(text).map_err(|_| self.words.error(word.at, Problem::Escape))?;
        self.names.intern(&plain).map_err(|error| {
            let problem = match error {
                NameError::Empty => Problem::NoName(shortened(word.text)),
                NameError::TooLong(_) => Problem::LongName,
            };
            self.words.error(word.at, problem)
        })
    }
}

/// A number in digits, perhaps with a minus. `+5` and `0x5` are none.
fn plain_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// A word for an error message.
pub(crate) fn shortened(word: &str) -> String {
    const SHOWN: usize = 40;
    match word.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", word.get(..at).unwrap_or_default()),
        None => word.to_owned(),
    }
}

const _: () = assert!(limits::COUNT == i64::MAX as u64);
