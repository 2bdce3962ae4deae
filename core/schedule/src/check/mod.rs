//! Whether a schedule makes sense, by itself and for a program.

mod finding;
mod messages;
mod places;
mod switches;

pub use finding::{Finding, Severity, What};
pub use places::{NoPlace, resolve_event};

use crate::command::{Command, Event, Loop, Schedule};
use crate::convert;
use crate::limits;
use crate::program::Program;
use crate::thread::ThreadId;

/// What is wrong with a schedule, in the order of its commands. With a program,
/// also whether its places are there.
pub fn check(schedule: &Schedule, program: Option<&Program>) -> Vec<Finding> {
    let mut findings = Findings::default();
    match schedule {
        Schedule::Switches(schedule) => switches::check(schedule, program, &mut findings),
        Schedule::Messages(schedule) => messages::check(schedule, program, &mut findings),
    }
    if let Some(program) = program {
        each_event(schedule, |command, event| {
            if let Err(problem) = resolve_event(event, program) {
                findings.error(command, What::NoPlace(problem));
            }
        });
    }
    findings.sorted()
}

/// The same schedule with every place in the form of class, method, descriptor
/// and offset. The error is the number of the command and what is wrong with it.
pub fn resolve(schedule: &Schedule, program: &Program) -> Result<Schedule, (usize, NoPlace)> {
    let mut resolved = schedule.clone();
    let mut number = 0;
    let mut replace = |event: &mut Event, number: usize| {
        let location = resolve_event(event, program).map_err(|problem| (number, problem))?;
        event.location = crate::Location::Code(location);
        Ok(())
    };
    match &mut resolved {
        Schedule::Switches(switches) => {
            events_mut(&mut switches.commands, &mut number, &mut replace)?;
        }
        Schedule::Messages(messages) => {
            for commands in messages.sequences_mut() {
                events_mut(commands, &mut number, &mut replace)?;
            }
        }
    }
    Ok(resolved)
}

/// What has been found so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, command: usize, what: What) {
        self.add(command, Severity::Error, what);
    }

    fn warning(&mut self, command: usize, what: What) {
        self.add(command, Severity::Warning, what);
    }

    /// A command in a loop is looked at several times.
    fn add(&mut self, command: usize, severity: Severity, what: What) {
        let finding = Finding {
            command,
            severity,
            what,
        };
        let full = self.0.len() >= limits::COMMANDS;
        let known = self.0.iter().rev().take(64).any(|known| *known == finding);
        if !full && !known {
            self.0.push(finding);
        }
    }

    fn sorted(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|finding| finding.command);
        self.0.dedup();
        self.0
    }
}

/// Looks for threads that may be the same, and for threads where none can be.
fn check_names<'a>(
    threads: impl Iterator<Item = (usize, &'a ThreadId)> + Clone,
    program: Option<&Program>,
    findings: &mut Findings,
) {
    let mut others = threads.clone().filter(|(_, thread)| !thread.is_main());
    if program.is_some_and(|program| !program.starts_threads)
        && let Some((command, thread)) = others.next()
    {
        findings.error(command, What::NoThreads(thread.clone()));
    } else if let Some(most) = program.and_then(|program| program.most_threads)
        && let Some((command, thread)) = others.find(|(_, thread)| thread.least_created() > most)
    {
        let thread = thread.clone();
        findings.error(command, What::TooManyThreads { thread, most });
    }
    if let Err(error) = convert::same_naming(threads.clone().map(|(_, thread)| thread)) {
        let mut threads = threads.filter(|(_, thread)| !thread.is_main());
        let first = threads.next();
        let kind = first.map(|(_, thread)| thread.is_descent());
        let other = threads.find(|(_, thread)| Some(thread.is_descent()) != kind);
        let command = other.map_or(0, |(command, _)| command);
        findings.error(command, What::Convert(error));
    }
}

/// Visits all events with the numbers of their commands.
pub(crate) fn each_event(schedule: &Schedule, mut visit: impl FnMut(usize, &Event)) {
    let mut number = 0;
    match schedule {
        Schedule::Switches(switches) => events(&switches.commands, &mut number, &mut visit),
        Schedule::Messages(messages) => {
            for (_, commands) in messages.threads() {
                events(commands, &mut number, &mut visit);
            }
        }
    }
}

fn events<A>(commands: &[Command<A>], number: &mut usize, visit: &mut impl FnMut(usize, &Event)) {
    for command in commands {
        let own = *number;
        *number += 1;
        match command {
            Command::Event(event) => visit(own, event),
            Command::Action(_) => {}
            Command::Loop(Loop { body, .. }) => events(body, number, visit),
        }
    }
}

fn events_mut<A, E>(
    commands: &mut [Command<A>],
    number: &mut usize,
    visit: &mut impl FnMut(&mut Event, usize) -> Result<(), E>,
) -> Result<(), E> {
    for command in commands {
        let own = *number;
        *number += 1;
        match command {
            Command::Event(event) => visit(event, own)?,
            Command::Action(_) => {}
            Command::Loop(Loop { body, .. }) => events_mut(body, number, visit)?,
        }
    }
    Ok(())
}
