//! A schedule as values.
//!
//! A schedule is a list of commands, performed one after the other. An *event*
//! says where the next action happens; everything up to the next event happens
//! there. What an engine has to know at any moment is therefore one position:
//! the next command, and how often the location it names was reached since the
//! last event.

use std::collections::BTreeMap;

use crate::limits;
use crate::location::Location;
use crate::thread::{Target, ThreadId};

/// A schedule, in one of the two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One thread at a time, and where each hands over to which.
    Switches(Switches),
    /// Threads in parallel, and where each waits for which.
    Messages(Messages),
}

/// The switch format: one list of commands for all threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// The commands. Main is running when the first of them is due.
    pub commands: Vec<Command<SwitchAction>>,
}

/// The message format: a list of commands for each thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    threads: BTreeMap<ThreadId, Vec<Command<MessageAction>>>,
}

/// A command; `A` is what the format can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<A> {
    /// `before` or `in`: when the actions that follow are performed.
    Event(Event),
    /// What is done.
    Action(A),
    /// `loopbegin`, commands, `loopend`.
    Loop(Loop<A>),
}

/// When something is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Before the bytecode or in it.
    pub moment: Moment,
    /// The bytecode.
    pub location: Location,
    /// At which of its attempted executions since the thread's last event, from
    /// 1. The one that is pending when a thread is resumed counts.
    pub count: Count,
}

/// Where at a bytecode an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// `before`: it is about to be executed.
    Before,
    /// `in`: it has blocked.
    In,
}

/// What can be done in the switch format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SwitchAction {
    /// The running thread stops and the other goes on.
    Switch(Target),
    /// A thread that waits has been notified.
    Notify(ThreadId),
    /// The time of a blocked thread has run out.
    Timeout(ThreadId),
    /// The running thread ends, and then the other goes on.
    Die(Target),
    /// All threads go on, and the schedule has no more say.
    Terminate,
    /// A message is printed.
    Log(Log),
}

/// What can be done in the message format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageAction {
    /// Sends a message and goes on.
    Send(Message),
    /// Waits until a message has come, and takes it.
    Receive(Message),
    /// A thread that waits has been notified.
    Notify(ThreadId),
    /// The time of a blocked thread has run out.
    Timeout(ThreadId),
    /// The thread ends. What follows happens when it has.
    Die,
    /// All threads go on, and the schedule has no more say.
    Terminate,
    /// A message is printed.
    Log(Log),
}

/// A message between two threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The other thread: to whom, or from whom. A thread that is to receive from
    /// itself stays where it is for ever.
    pub peer: ThreadId,
    /// What it says.
    pub value: i64,
}

/// A message for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    level: u8,
    text: String,
}

/// Commands that are repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop<A> {
    /// The commands.
    pub body: Vec<Command<A>>,
    /// How often.
    pub times: Times,
}

/// How often a loop's body is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// That often.
    Count(Count),
    /// For ever.
    Endless,
}

/// A number from 1 to Java's `Long.MAX_VALUE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(u64);

impl Count {
    /// 1.
    pub const ONE: Self = Self(1);

    /// The number, unless it is 0 or too high.
    pub fn new(number: u64) -> Option<Self> {
        (1..=limits::COUNT)
            .contains(&number)
            .then_some(Self(number))
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl Times {
    /// One round less; none when that was the last.
    pub(crate) fn less(self) -> Option<Self> {
        match self {
            Self::Count(count) => Count::new(count.0 - 1).map(Self::Count),
            Self::Endless => Some(Self::Endless),
        }
    }
}

impl Log {
    /// A message of level 1 (important) to 4. White space becomes single blanks.
    pub fn new(level: u8, text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        ((1..=4).contains(&level) && text.len() <= limits::MESSAGE).then_some(Self { level, text })
    }

    /// It is printed when the level is at most the one that was asked for.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// What is printed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Messages {
    /// The sequences of the threads; main has one even if it is empty.
    pub fn new(mut threads: BTreeMap<ThreadId, Vec<Command<MessageAction>>>) -> Self {
        threads.entry(ThreadId::MAIN).or_default();
        Self { threads }
    }

    /// The threads in order, main first, each with its commands.
    pub fn threads(&self) -> impl Iterator<Item = (&ThreadId, &[Command<MessageAction>])> {
        self.threads
            .iter()
            .map(|(thread, commands)| (thread, commands.as_slice()))
    }

    /// The commands of a thread. A thread that has none is not held back.
    pub fn thread(&self, thread: &ThreadId) -> Option<&[Command<MessageAction>]> {
        self.threads.get(thread).map(Vec::as_slice)
    }

    pub(crate) fn sequences_mut(
        &mut self,
    ) -> impl Iterator<Item = &mut Vec<Command<MessageAction>>> {
        self.threads.values_mut()
    }
}

impl From<Switches> for Schedule {
    fn from(switches: Switches) -> Self {
        Self::Switches(switches)
    }
}

impl From<Messages> for Schedule {
    fn from(messages: Messages) -> Self {
        Self::Messages(messages)
    }
}
