//! Values to text, in the one form that [`crate::parse`] gives back unchanged.

use std::fmt::{self, Display};

use crate::command::{
    Command, Event, Log, Message, MessageAction, Messages, Moment, Schedule, SwitchAction,
    Switches, Times,
};
use crate::name::write_message;

/// How much further in the commands of a loop and of a thread stand.
const INDENT: usize = 2;

impl Display for Schedule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switches(switches) => switches.fmt(out),
            Self::Messages(messages) => messages.fmt(out),
        }
    }
}

impl Display for Switches {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_commands(out, &self.commands, 0)
    }
}

impl Display for Messages {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (thread, commands)) in self.threads().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            writeln!(out, "thread {thread}")?;
            write_commands(out, commands, INDENT)?;
        }
        Ok(())
    }
}

/// Writes commands as lines; for a writer that has them one by one, too.
pub fn write_commands<A: Display>(
    out: &mut impl fmt::Write,
    commands: &[Command<A>],
    indent: usize,
) -> fmt::Result {
    for command in commands {
        match command {
            Command::Event(event) => writeln!(out, "{:indent$}{event}", "")?,
            Command::Action(action) => writeln!(out, "{:indent$}{action}", "")?,
            Command::Loop(repeated) => {
                writeln!(out, "{:indent$}loopbegin", "")?;
                write_commands(out, &repeated.body, indent + INDENT)?;
                match repeated.times {
                    Times::Count(count) => {
                        writeln!(out, "{:indent$}loopend {}", "", count.get())?;
                    }
                    Times::Endless => writeln!(out, "{:indent$}loopend inf", "")?,
                }
            }
        }
    }
    Ok(())
}

impl Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = match self.moment {
            Moment::Before => "before",
            Moment::In => "in",
        };
        write!(out, "{moment} {} {}", self.location, self.count.get())
    }
}

impl Display for SwitchAction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(target) => write!(out, "switch {target}"),
            Self::Notify(thread) => write!(out, "notify {thread}"),
            Self::Timeout(thread) => write!(out, "timeout {thread}"),
            Self::Die(target) => write!(out, "die {target}"),
            Self::Terminate => out.write_str("terminate"),
            Self::Log(log) => log.fmt(out),
        }
    }
}

impl Display for MessageAction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(Message { peer, value }) => write!(out, "send {peer} {value}"),
            Self::Receive(Message { peer, value }) => write!(out, "receive {peer} {value}"),
            Self::Notify(thread) => write!(out, "notify {thread}"),
            Self::Timeout(thread) => write!(out, "timeout {thread}"),
            Self::Die => out.write_str("die"),
            Self::Terminate => out.write_str("terminate"),
            Self::Log(log) => log.fmt(out),
        }
    }
}

impl Display for Log {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "log {}", self.level())?;
        if !self.text().is_empty() {
            out.write_str(" ")?;
        }
        write_message(out, self.text())
    }
}
