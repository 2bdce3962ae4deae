//! Follows a switch schedule: who runs, who has died, who can exist.

use std::collections::BTreeSet;

use super::{Findings, What, check_names};
use crate::command::{Command, Event, Moment, SwitchAction, Switches, Times};
use crate::limits;
use crate::program::Program;
use crate::thread::{Target, ThreadId};

pub(super) fn check(switches: &Switches, program: Option<&Program>, findings: &mut Findings) {
    let mut named = Vec::new();
    collect(&switches.commands, &mut 0, &mut named);
    let names = named.iter().map(|(command, thread)| (*command, *thread));
    check_names(names, program, findings);
    let mut follower = Follower {
        findings,
        now: Now {
            running: Some(ThreadId::MAIN),
            ran: BTreeSet::from([ThreadId::MAIN]),
            dead: BTreeSet::new(),
            terminated: false,
            in_call: false,
        },
        followed: 0,
    };
    follower.follow(&switches.commands, 0);
}

/// Every mention of a thread, with the number of its command.
fn collect<'a>(
    commands: &'a [Command<SwitchAction>],
    number: &mut usize,
    into: &mut Vec<(usize, &'a ThreadId)>,
) {
    for command in commands {
        let own = *number;
        *number += 1;
        match command {
            Command::Event(_) => {}
            Command::Loop(repeated) => collect(&repeated.body, number, into),
            Command::Action(action) => match action {
                SwitchAction::Switch(Target::Thread(thread))
                | SwitchAction::Die(Target::Thread(thread))
                | SwitchAction::Notify(thread)
                | SwitchAction::Timeout(thread) => into.push((own, thread)),
                _ => {}
            },
        }
    }
}

/// How things stand between two commands.
#[derive(Clone, PartialEq, Eq)]
struct Now {
    running: Option<ThreadId>,
    ran: BTreeSet<ThreadId>,
    dead: BTreeSet<ThreadId>,
    terminated: bool,
    /// The running thread is at an `in`: it is blocked and running at once.
    in_call: bool,
}

struct Follower<'f> {
    findings: &'f mut Findings,
    now: Now,
    followed: usize,
}

impl Follower<'_> {
    /// Follows the commands, the first of which has that number. Returns the
    /// number behind the last.
    fn follow(&mut self, commands: &[Command<SwitchAction>], mut number: usize) -> usize {
        for command in commands {
            self.followed += 1;
            let own = number;
            number += 1;
            match command {
                Command::Loop(repeated) => {
                    number = self.repeat(&repeated.body, repeated.times, number);
                }
                Command::Event(event) => self.event(event, own),
                Command::Action(action) => self.action(action, own),
            }
        }
        number
    }

    /// Goes round until nothing changes any more.
    fn repeat(&mut self, body: &[Command<SwitchAction>], times: Times, number: usize) -> usize {
        let mut left = Some(times);
        let mut seen: Vec<Now> = Vec::new();
        loop {
            let before = self.now.clone();
            let end = self.follow(body, number);
            left = left.and_then(Times::less);
            let again = self.now == before || seen.contains(&self.now);
            if left.is_none() || again || self.followed > limits::FOLLOWED {
                if times == Times::Endless {
                    self.now.running = None;
                }
                return end;
            }
            seen.push(before);
        }
    }

    fn event(&mut self, event: &Event, own: usize) {
        self.is_performed(own);
        self.now.in_call = event.moment == Moment::In;
    }

    /// Whether anybody is there to perform a command.
    fn is_performed(&mut self, own: usize) -> bool {
        let why = if self.now.terminated {
            "'terminate' comes before it"
        } else if self.now.running.is_none() {
            "no thread is running, or a loop before it has no end"
        } else {
            return true;
        };
        self.findings.warning(own, What::NeverPerformed(why));
        false
    }

    fn action(&mut self, action: &SwitchAction, own: usize) {
        if !self.is_performed(own) {
            return;
        }
        match action {
            SwitchAction::Switch(target) => {
                if target.thread() == self.now.running.as_ref() && !self.now.in_call {
                    let running = self.now.running.clone().unwrap_or(ThreadId::MAIN);
                    self.findings.warning(own, What::SwitchesToItself(running));
                }
                self.switch(target, own);
            }
            SwitchAction::Die(target) => {
                self.now.dead.extend(self.now.running.clone());
                self.switch(target, own);
            }
            SwitchAction::Notify(thread) | SwitchAction::Timeout(thread) => {
                if self.now.dead.contains(thread) {
                    self.findings.error(own, What::IsDead(thread.clone()));
                } else if self.now.running.as_ref() == Some(thread) && !self.now.in_call {
                    self.findings.error(own, What::IsRunning(thread.clone()));
                }
            }
            SwitchAction::Terminate => self.now.terminated = true,
            SwitchAction::Log(_) => {}
        }
    }

    fn switch(&mut self, target: &Target, own: usize) {
        if let Some(thread) = target.thread() {
            if self.now.dead.contains(thread) {
                self.findings.error(own, What::IsDead(thread.clone()));
            }
            if let Some(parent) = thread.parent()
                && !self.now.ran.contains(&parent)
            {
                let thread = thread.clone();
                let what = What::NotCreated { thread, parent };
                self.findings.error(own, what);
            }
            self.now.ran.insert(thread.clone());
        }
        self.now.running = target.thread().cloned();
        self.now.in_call = false;
    }
}
