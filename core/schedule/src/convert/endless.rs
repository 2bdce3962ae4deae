//! Endless loops of messages to an endless loop of switches.
//!
//! The threads are gone through in turn, each until it waits or has finished a
//! round of its endless loop, until everything is as it was at an earlier
//! switch; what came between the two is repeated for ever. The number of switches
//! is not looked at here.

use std::collections::{BTreeMap, HashMap};

use super::pieces::{self, Step, Steps};
use super::to_switches::translated;
use super::{ConvertError, Waits};
use crate::command::{Command, Loop, MessageAction, Messages, SwitchAction, Switches, Times};
use crate::limits;
use crate::thread::{Target, ThreadId};

/// How much is kept of the switches that are looked at, in numbers, to find one
/// that was there before.
const KEPT: usize = 1 << 22;

/// Nothing if no loop is endless.
pub(super) fn convert(messages: &Messages) -> Result<Option<Switches>, ConvertError> {
    let mut threads = Vec::new();
    for (id, commands) in messages.threads() {
        threads.push((id, pieces::steps(commands)?));
    }
    if threads.iter().all(|(_, steps)| steps.endless.is_empty()) {
        return Ok(None);
    }
    Simulation::new(threads).run().map(Some)
}

struct Simulation<'a> {
    threads: Vec<(&'a ThreadId, Steps<'a>)>,
    /// The next step of each thread; none at the end.
    at: Vec<Option<usize>>,
    /// Messages that were sent and not yet received: from, to, value.
    buffered: BTreeMap<(usize, &'a ThreadId, i64), usize>,
    places: HashMap<&'a ThreadId, usize>,
    commands: Vec<Command<SwitchAction>>,
}

/// Everything that decides how it goes on.
type Moment<'a> = (
    usize,
    Vec<Option<usize>>,
    Vec<((usize, &'a ThreadId, i64), usize)>,
);

impl<'a> Simulation<'a> {
    fn new(threads: Vec<(&'a ThreadId, Steps<'a>)>) -> Self {
        let places = threads
            .iter()
            .enumerate()
            .map(|(place, (id, _))| (*id, place));
        Self {
            at: vec![Some(0); threads.len()],
            buffered: BTreeMap::new(),
            places: places.collect(),
            commands: Vec::new(),
            threads,
        }
    }

    fn run(mut self) -> Result<Switches, ConvertError> {
        let mut seen: HashMap<Moment<'a>, usize> = HashMap::new();
        let (mut running, mut kept) = (0, 0);
        loop {
            let died = self.turn(running)?;
            let Some(next) = self.next(running) else {
                return Err(self.deadlock());
            };
            let target = Target::Thread(self.threads[next].0.clone());
            if let Some(died) = died {
                self.commands[died] = Command::Action(SwitchAction::Die(target));
            } else if next != running {
                let waited = |command: &Command<_>| matches!(command, Command::Event(_));
                if !self.commands.iter().any(waited) {
                    return Err(ConvertError::MainHasNoEvent);
                }
                let switch = SwitchAction::Switch(target);
                self.commands.push(Command::Action(switch));
            }
            running = next;
            let buffered = self.buffered.iter().filter(|(_, n)| **n > 0);
            let buffered = buffered.map(|(key, n)| (*key, *n)).collect();
            let moment: Moment<'a> = (running, self.at.clone(), buffered);
            kept += 1 + moment.1.len() + moment.2.len();
            if let Some(before) = seen.insert(moment, self.commands.len()) {
                let body = self.commands.split_off(before);
                let times = Times::Endless;
                self.commands.push(Command::Loop(Loop { body, times }));
                return Ok(Switches {
                    commands: self.commands,
                });
            }
            if kept > KEPT || self.commands.len() > limits::COMMANDS {
                return Err(ConvertError::Drift);
            }
        }
    }

    /// The step that a thread is at.
    fn step(&self, thread: usize) -> Option<Step<'a>> {
        let steps = &self.threads[thread].1;
        let at = self.at[thread]?;
        let step = steps.once.get(at);
        step.or_else(|| steps.endless.get(at - steps.once.len()))
            .copied()
    }

    /// Whether the thread can do its next step.
    fn can_go_on(&self, thread: usize) -> bool {
        match self.step(thread) {
            None => false,
            Some(Step::Action(MessageAction::Receive(message))) => {
                let (id, _) = self.threads[thread];
                let from = self.places.get(&message.peer);
                from.is_some_and(|from| {
                    let waiting = self.buffered.get(&(*from, id, message.value));
                    message.peer != *id && waiting.is_some_and(|n| *n > 0)
                })
            }
            Some(_) => true,
        }
    }

    /// Runs a thread until it waits, ends, or has finished a round. Where it
    /// died, if it did.
    fn turn(&mut self, thread: usize) -> Result<Option<usize>, ConvertError> {
        let mut died = None;
        let (id, steps) = &self.threads[thread];
        let id = *id;
        let (once, round) = (steps.once.len(), steps.endless.len());
        while self.can_go_on(thread) {
            let (Some(step), Some(at)) = (self.step(thread), self.at[thread]) else {
                break;
            };
            match step {
                Step::Event(event) => self.commands.push(Command::Event(event.clone())),
                Step::Action(MessageAction::Send(message)) => {
                    let key = (thread, &message.peer, message.value);
                    *self.buffered.entry(key).or_default() += 1;
                }
                Step::Action(MessageAction::Receive(message)) => {
                    if let Some(from) = self.places.get(&message.peer)
                        && let Some(n) = self.buffered.get_mut(&(*from, id, message.value))
                    {
                        *n -= 1;
                    }
                }
                Step::Action(action) => {
                    let action = translated(action, &Target::None);
                    if matches!(action, Some(SwitchAction::Die(_))) {
                        died = Some(self.commands.len());
                    }
                    self.commands.extend(action.map(Command::Action));
                }
            }
            if self.commands.len() > limits::COMMANDS {
                return Err(ConvertError::TooLong);
            }
            let next = at + 1;
            let finished = next == once + round;
            self.at[thread] = match (finished, round) {
                (false, _) => Some(next),
                (true, 0) => None,
                (true, _) => Some(once),
            };
            if finished {
                break;
            }
        }
        Ok(died)
    }

    /// The next thread that can go on, in a circle.
    fn next(&self, running: usize) -> Option<usize> {
        let threads = self.threads.len();
        let circle = (1..=threads).map(|step| (running + step) % threads);
        circle.into_iter().find(|thread| self.can_go_on(*thread))
    }

    fn deadlock(&self) -> ConvertError {
        let threads = self.threads.iter().enumerate();
        let stuck = threads.filter_map(|(place, (id, _))| match self.step(place)? {
            Step::Action(MessageAction::Receive(message)) => Some(Waits {
                thread: (*id).clone(),
                from: message.peer.clone(),
                value: message.value,
            }),
            _ => None,
        });
        ConvertError::Deadlock(stuck.collect())
    }
}
