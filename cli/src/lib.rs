//! The command line of Reprise: argument parsing and output.
//!
//! [`commands`] has one file per command; the argument definitions there are
//! the only source of parsing, help, man pages and completions. What a command
//! does with a recording lives in other crates; this one turns their errors
//! into a [`failure::Failure`] that says what to do next, and escapes what
//! comes out of a recording before a terminal sees it ([`escape`]).

pub mod commands;
pub mod doctor;
pub mod escape;
pub mod failure;
pub mod output_name;

use std::process::ExitCode;

/// Runs the program: parses the arguments, runs the command, reports a failure.
pub fn main() -> ExitCode {
    let status = match commands::parse(std::env::args_os()) {
        Ok(command) => match command.run() {
            Ok(status) => status,
            Err(failure) => failure.report(),
        },
        Err(usage) => {
            // Help and version are "errors" to clap too. It knows which of them
            // go to standard output; a pipe closed by the reader is no failure.
            let _ = usage.print();
            if usage.use_stderr() {
                failure::Status::BadInput
            } else {
                failure::Status::Done
            }
        }
    };
    status.into()
}
