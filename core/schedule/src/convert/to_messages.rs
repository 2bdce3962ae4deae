//! Switches to messages: each switch becomes a `send` and a `receive`.
//!
//! Whoever is not running stands at a `receive`, so one thread runs at a time,
//! as before. A thread that is never switched to again waits for a message from
//! itself, which never comes.
//!
//! A loop becomes a loop in each thread that has commands in it. That is right
//! only if the same thread runs at the beginning of each round; where another
//! one comes in, its first round is written out. The rest then begins as it ends:
//! with the thread that the last switch in it names.

use std::collections::{BTreeMap, BTreeSet};

use super::{ConvertError, line, same_naming};
use crate::command::{
    Command, Loop, Message, MessageAction, Messages, SwitchAction, Switches, Times,
};
use crate::limits;
use crate::thread::{Target, ThreadId};

type Sequences = BTreeMap<ThreadId, Vec<Command<MessageAction>>>;

/// Says the same in messages.
pub(super) fn convert(switches: &Switches) -> Result<Messages, ConvertError> {
    let threads = threads(&switches.commands);
    same_naming(threads.iter())?;
    let mut splitter = Splitter {
        running: Some(ThreadId::MAIN),
        dead: BTreeSet::new(),
        sent: 0,
        commands: 0,
    };
    let mut sequences = Sequences::new();
    splitter.split(&switches.commands, &mut sequences)?;
    for thread in threads {
        if splitter.running.as_ref() != Some(&thread) && !splitter.dead.contains(&thread) {
            let stay = Message {
                peer: thread.clone(),
                value: 0,
            };
            let sequence = sequences.entry(thread).or_default();
            sequence.push(Command::Action(MessageAction::Receive(stay)));
        }
    }
    Ok(Messages::new(sequences))
}

/// Every thread that is named, and main.
pub(crate) fn threads(commands: &[Command<SwitchAction>]) -> BTreeSet<ThreadId> {
    fn collect(commands: &[Command<SwitchAction>], into: &mut BTreeSet<ThreadId>) {
        for command in commands {
            match command {
                Command::Event(_) => {}
                Command::Loop(repeated) => collect(&repeated.body, into),
                Command::Action(action) => into.extend(match action {
                    SwitchAction::Switch(target) | SwitchAction::Die(target) => {
                        target.thread().cloned()
                    }
                    SwitchAction::Notify(thread) | SwitchAction::Timeout(thread) => {
                        Some(thread.clone())
                    }
                    SwitchAction::Terminate | SwitchAction::Log(_) => None,
                }),
            }
        }
    }
    let mut threads = BTreeSet::from([ThreadId::MAIN]);
    collect(commands, &mut threads);
    threads
}

struct Splitter {
    running: Option<ThreadId>,
    dead: BTreeSet<ThreadId>,
    /// How many messages there are, so that each has its own value.
    sent: i64,
    commands: usize,
}

impl Splitter {
    fn split(
        &mut self,
        commands: &[Command<SwitchAction>],
        into: &mut Sequences,
    ) -> Result<(), ConvertError> {
        for command in commands {
            match command {
                Command::Loop(repeated) => self.repeat(repeated, into)?,
                Command::Event(event) => {
                    self.add(into, command, Command::Event(event.clone()))?;
                }
                Command::Action(action) => self.action(action, command, into)?,
            }
        }
        Ok(())
    }

    fn action(
        &mut self,
        action: &SwitchAction,
        command: &Command<SwitchAction>,
        into: &mut Sequences,
    ) -> Result<(), ConvertError> {
        let action = match action {
            SwitchAction::Switch(target) => return self.hand_over(target, command, into),
            SwitchAction::Die(target) => {
                self.add(into, command, Command::Action(MessageAction::Die))?;
                self.dead.extend(self.running.clone());
                return self.hand_over(target, command, into);
            }
            SwitchAction::Notify(thread) => MessageAction::Notify(thread.clone()),
            SwitchAction::Timeout(thread) => MessageAction::Timeout(thread.clone()),
            SwitchAction::Terminate => MessageAction::Terminate,
            SwitchAction::Log(log) => MessageAction::Log(log.clone()),
        };
        self.add(into, command, Command::Action(action))
    }

    /// Adds a command to the sequence of the thread that is running.
    fn add(
        &mut self,
        into: &mut Sequences,
        from: &Command<SwitchAction>,
        command: Command<MessageAction>,
    ) -> Result<(), ConvertError> {
        let Some(running) = &self.running else {
            return Err(ConvertError::NobodyRuns(line(from)));
        };
        self.commands += 1;
        if self.commands > limits::COMMANDS {
            return Err(ConvertError::TooLong);
        }
        into.entry(running.clone()).or_default().push(command);
        Ok(())
    }

    fn hand_over(
        &mut self,
        target: &Target,
        command: &Command<SwitchAction>,
        into: &mut Sequences,
    ) -> Result<(), ConvertError> {
        let Some(running) = self.running.clone() else {
            return Err(ConvertError::NobodyRuns(line(command)));
        };
        let Some(next) = target.thread() else {
            self.running = None;
            return Ok(());
        };
        if self.dead.contains(next) {
            return Err(ConvertError::Dead(next.clone()));
        }
        if *next == running {
            return Ok(());
        }
        self.sent += 1;
        let message = |peer: &ThreadId, value| Message {
            peer: peer.clone(),
            value,
        };
        let send = MessageAction::Send(message(next, self.sent));
        let receive = MessageAction::Receive(message(&running, self.sent));
        self.add(into, command, Command::Action(send))?;
        self.running = Some(next.clone());
        self.add(into, command, Command::Action(receive))
    }

    fn repeat(
        &mut self,
        repeated: &Loop<SwitchAction>,
        into: &mut Sequences,
    ) -> Result<(), ConvertError> {
        let before = self.running.clone();
        let round = self.round(repeated)?;
        if self.running == before {
            return self.wrap(round, repeated.times, into);
        }
        for (thread, mut commands) in round {
            into.entry(thread).or_default().append(&mut commands);
        }
        let Some(rest) = repeated.times.less() else {
            return Ok(());
        };
        let round = self.round(repeated)?;
        self.wrap(round, rest, into)
    }

    fn round(&mut self, repeated: &Loop<SwitchAction>) -> Result<Sequences, ConvertError> {
        let dead = self.dead.len();
        let mut round = Sequences::new();
        self.split(&repeated.body, &mut round)?;
        if self.dead.len() > dead
            && repeated.times.less().is_some()
            && let Some(thread) = self.dead.last()
        {
            return Err(ConvertError::DiesInLoop(thread.clone()));
        }
        Ok(round)
    }

    fn wrap(
        &mut self,
        round: Sequences,
        times: Times,
        into: &mut Sequences,
    ) -> Result<(), ConvertError> {
        for (thread, body) in round {
            let sequence = into.entry(thread).or_default();
            sequence.push(Command::Loop(Loop { body, times }));
        }
        Ok(())
    }
}
