//! `cargo xtask TASK`: everything there is to do with this repository besides
//! writing code, behind one command that sets the machine up by itself.
//!
//! A task is one file here and one line in [`TASKS`]. This program is compiled
//! before anything else can happen, so it must stay quick to compile: the
//! standard library, and `serde_json` to read what `cargo metadata` says.

mod bench;
mod command;
mod fuzz;
mod repository;
mod results;
mod rust_source;
mod setup;
mod steps;
mod study;
mod table;
mod test;
mod tour;
mod workspace;

use std::env;
use std::process::ExitCode;

/// Why a task could not do its work, as a sentence for the person who ran it.
type Failure = String;

/// How a task ended, when it could do its work.
type TaskResult = Result<ExitCode, Failure>;

/// The exit status for arguments that make no sense.
const BAD_USAGE: u8 = 2;

struct Task {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&[String]) -> TaskResult,
}

const TASKS: &[Task] = &[
    Task {
        name: "tour",
        usage: "tour",
        about: "build the release and see it work",
        run: tour::run,
    },
    Task {
        name: "test",
        usage: "test [FILTER…]",
        about: "the gate: every check, or the steps whose names contain a FILTER",
        run: test::run,
    },
    Task {
        name: "bench",
        usage: "bench [--strict] [--save] [NAME…]",
        about: "measure the budgets; --strict fails when one is over, --save keeps the table",
        run: bench::run,
    },
    Task {
        name: "fuzz",
        usage: "fuzz [NAME SECONDS]",
        about: "fuzz one target, or list them",
        run: fuzz::run,
    },
    Task {
        name: "study",
        usage: "study [NAME [ARGS…]]",
        about: "run a study and keep its result, or list them",
        run: study::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        None => return help(),
        Some((name, rest)) => (name.as_str(), rest),
    };
    if matches!(name, "--help" | "-h" | "help")
        || rest.first().is_some_and(|first| first == "--help")
    {
        return help();
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("There is no task `{name}`; `cargo xtask --help` lists them.");
        return ExitCode::from(BAD_USAGE);
    };
    match (task.run)(rest) {
        Ok(status) => status,
        Err(failure) => {
            eprintln!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> ExitCode {
    println!("Usage: cargo xtask TASK\n");
    let rows = TASKS
        .iter()
        .map(|task| vec![task.usage.to_owned(), task.about.to_owned()]);
    print!("{}", table::aligned(&rows.collect::<Vec<_>>(), "  "));
    ExitCode::SUCCESS
}

/// Reports arguments that make no sense, in the form every task uses.
fn bad_usage(problem: &str) -> TaskResult {
    eprintln!("{problem}; `cargo xtask --help` shows how each task is called.");
    Ok(ExitCode::from(BAD_USAGE))
}
