//! The commands, one file each.
//!
//! To add a command: write its file, declare the module, and add one line to
//! the table below. The order of the table is the order of `reprise --help`.

mod cc;
mod completions;
mod cut;
mod doctor;
mod dump;
mod java;
mod jvm;
mod man;
mod merge;
mod probe;
mod quantity;
mod record;
mod replay;
mod schedule;
mod share;
mod show;
mod status;
mod stop;
mod tour;
mod tour_role;

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::failure::{Failure, Status};

pub use schedule::Format as ScheduleFormat;

/// Declares the enum of commands from a table of groups, how each command is
/// run, and the headings under which the help lists them.
macro_rules! commands {
    ($($heading:literal { $($command:ident($arguments:ty),)+ })+) => {
        /// A command with its arguments.
        #[derive(Debug, Subcommand)]
        enum Subcommands {
            $($($command($arguments),)+)+
        }

        impl Subcommands {
            fn run(self) -> Result<Status, Failure> {
                match self {
                    $($(Self::$command(arguments) => arguments.run(),)+)+
                }
            }
        }

        const GROUPS: &[(&str, &[&str])] = &[
            $(($heading, &[$(stringify!($command)),+]),)+
        ];
    };
}

commands! {
    "Record and replay" {
        Record(record::Record),
        Replay(replay::Replay),
        Merge(merge::Merge),
        Java(java::Java),
    }
    "Choose functions of a C program" {
        Cc(cc::Cc),
        Cut(cut::Cut),
    }
    "Control a recorder that is running" {
        Dump(dump::Dump),
        Status(status::Status),
        Stop(stop::Stop),
    }
    "Find out what works here" {
        Tour(tour::Tour),
        Doctor(doctor::Doctor),
    }
    "Look into a recording" {
        Show(show::Show),
    }
    "Write down in which order threads run" {
        Schedule(schedule::Schedule),
        Share(share::Share),
    }
    "Set up" {
        Completions(completions::Completions),
        Man(man::Man),
    }
}

/// A command as it was given.
#[derive(Debug)]
pub struct Command(Given);

#[derive(Debug)]
enum Given {
    /// One of the commands that people give.
    User(Box<Subcommands>),
    /// The one that `doctor` gives. It is kept out of the definition, because
    /// completions list even what is hidden.
    Doctor(probe::Probe),
    /// The one that `tour` gives.
    Tour(tour_role::TourRole),
    /// The one that `replay` gives.
    Jvm(jvm::Jvm),
}

impl Command {
    /// Does what the command says.
    pub fn run(self) -> Result<Status, Failure> {
        match self.0 {
            Given::User(command) => command.run(),
            Given::Doctor(probe) => probe.run(),
            Given::Tour(role) => role.run(),
            Given::Jvm(jvm) => jvm.run(),
        }
    }
}

/// Record a part of a program's run and replay exactly that part.
///
/// A failure in production can rarely be reproduced at a desk. Reprise records
/// just enough of a run to play it again elsewhere, under an ordinary debugger.
#[derive(Parser)]
#[command(
    name = "reprise",
    version,
    after_help = "\
Examples:
  reprise tour                             see it work, in under a minute
  reprise record --last 10s -- ./server    run a program; keep a recording if it crashes
  reprise show                             what the latest recording in this folder holds
  reprise replay                           play the latest recording
  reprise doctor                           what works on this machine, and how to fix the rest
  reprise COMMAND --help                   all about a command, with examples

Exit status:
  0  done
  1  failed
  2  bad usage, or an input that cannot be read
  3  diverged: a replay did something else than its recording"
)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

/// Reads the arguments. An error is a usage error, or a request for help or
/// the version.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == probe::NAME) {
        let probe = probe::Probe::try_parse_from(&arguments[1..])?;
        return Ok(Command(Given::Doctor(probe)));
    }
    if (arguments.get(1)).is_some_and(|first| first == tour_role::NAME) {
        let role = tour_role::TourRole::try_parse_from(&arguments[1..])?;
        return Ok(Command(Given::Tour(role)));
    }
    if (arguments.get(1)).is_some_and(|first| first == jvm::NAME) {
        let jvm = jvm::Jvm::try_parse_from(&arguments[1..])?;
        return Ok(Command(Given::Jvm(jvm)));
    }
    let mut matches = definition().try_get_matches_from(arguments)?;
    let arguments = Arguments::from_arg_matches_mut(&mut matches)?;
    Ok(Command(Given::User(Box::new(arguments.command))))
}

/// The definition from which parsing, help, man pages and completions come.
fn definition() -> clap::Command {
    let command = Arguments::command();
    let groups = grouped(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

/// The commands under their headings. Clap has one heading for all of them.
fn grouped(definition: &clap::Command) -> String {
    let width = definition
        .get_subcommands()
        .map(|command| command.get_name().len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (heading, commands) in GROUPS {
        let _ = writeln!(text, "{heading}:");
        for variant in *commands {
            let name = variant.to_lowercase();
            let command = definition.find_subcommand(&name);
            let about = command.and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:width$}  {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_has_no_mistakes_clap_can_find() {
        definition().debug_assert();
    }

    #[test]
    fn every_command_has_a_place_in_the_help_and_an_example() {
        let definition = definition();
        let listed: Vec<String> = GROUPS
            .iter()
            .flat_map(|(_, commands)| commands.iter().map(|name| name.to_lowercase()))
            .collect();
        for command in definition.get_subcommands() {
            let name = command.get_name();
            assert!(listed.iter().any(|listed| listed == name), "{name}");
            let footer = command.get_after_long_help();
            let footer = footer.or(command.get_after_help()).unwrap().to_string();
            assert!(footer.contains("Example"), "{name} has no example");
            assert!(footer.contains(&format!("reprise {name}")), "{name}");
        }
    }
}
