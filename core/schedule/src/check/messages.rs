//! Whether the messages of a schedule fit together.

use std::collections::HashMap;

use super::{Findings, What, check_names};
use crate::command::{Command, Message, MessageAction, Messages, Times};
use crate::convert::{ConvertError, find_deadlock};
use crate::program::Program;
use crate::thread::ThreadId;

pub(super) fn check(messages: &Messages, program: Option<&Program>, findings: &mut Findings) {
    let mut uses = Uses::default();
    let mut number = 0;
    for (thread, commands) in messages.threads() {
        uses.named.push((number, thread));
        let mut dead = false;
        uses.collect(thread, commands, &mut number, &mut dead, 1, findings);
    }
    let named = uses
        .named
        .iter()
        .map(|(command, thread)| (*command, *thread));
    check_names(named, program, findings);
    uses.match_up(findings);
    if let Err(ConvertError::Deadlock(waits)) = find_deadlock(messages) {
        let first = waits.first();
        let key = first.map(|waits| (&waits.from, &waits.thread, waits.value));
        let place = key.and_then(|key| uses.received.get(&key));
        let command = place.map_or(0, |used| used.command);
        findings.error(command, What::Convert(ConvertError::Deadlock(waits)));
    }
}

/// A message: from, to, value.
type Key<'a> = (&'a ThreadId, &'a ThreadId, i64);

/// How often a message is sent or received; the first command that does it.
#[derive(Clone, Copy)]
struct Use {
    times: u64,
    command: usize,
}

#[derive(Default)]
struct Uses<'a> {
    named: Vec<(usize, &'a ThreadId)>,
    sent: HashMap<Key<'a>, Use>,
    received: HashMap<Key<'a>, Use>,
}

impl<'a> Uses<'a> {
    /// `rounds` is how often the commands are performed; endless counts as very
    /// often.
    fn collect(
        &mut self,
        thread: &'a ThreadId,
        commands: &'a [Command<MessageAction>],
        number: &mut usize,
        dead: &mut bool,
        rounds: u64,
        findings: &mut Findings,
    ) {
        for command in commands {
            let own = *number;
            *number += 1;
            let after_death = *dead;
            let mut allowed = false;
            match command {
                Command::Event(_) => {}
                Command::Loop(repeated) => {
                    let rounds = match repeated.times {
                        Times::Count(count) => rounds.saturating_mul(count.get()),
                        Times::Endless => u64::MAX,
                    };
                    self.collect(thread, &repeated.body, number, dead, rounds, findings);
                }
                Command::Action(action) => match action {
                    MessageAction::Send(Message { peer, value }) => {
                        allowed = true;
                        self.named.push((own, peer));
                        let sent = self.sent.entry((thread, peer, *value));
                        count(sent.or_insert(Use::new(own)), rounds);
                    }
                    MessageAction::Receive(Message { peer, value }) => {
                        self.named.push((own, peer));
                        let received = self.received.entry((peer, thread, *value));
                        count(received.or_insert(Use::new(own)), rounds);
                    }
                    MessageAction::Notify(other) | MessageAction::Timeout(other) => {
                        self.named.push((own, other));
                    }
                    MessageAction::Die => *dead = true,
                    MessageAction::Terminate => {}
                    MessageAction::Log(_) => allowed = true,
                },
            }
            if after_death && !allowed {
                findings.error(own, What::IsDead(thread.clone()));
            }
        }
    }

    fn match_up(&self, findings: &mut Findings) {
        for ((from, thread, value), used) in &self.received {
            let sent = self.sent.get(&(*from, *thread, *value));
            if from != thread && sent.is_none_or(|sent| sent.times < used.times) {
                let never = ConvertError::NeverSent {
                    thread: (*thread).clone(),
                    from: (*from).clone(),
                    value: *value,
                };
                findings.error(used.command, What::Convert(never));
            }
        }
        for ((from, to, value), used) in &self.sent {
            let received = self.received.get(&(*from, *to, *value));
            if received.is_none_or(|received| received.times < used.times) {
                let never = What::NeverReceived {
                    from: (*from).clone(),
                    to: (*to).clone(),
                    value: *value,
                };
                findings.warning(used.command, never);
            }
        }
    }
}

impl Use {
    fn new(command: usize) -> Self {
        Self { times: 0, command }
    }
}

fn count(used: &mut Use, rounds: u64) {
    used.times = used.times.saturating_add(rounds);
}
