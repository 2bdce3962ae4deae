//! The command line of Reprise: argument parsing and output.
//!
//! [`commands`] has one file per command; the argument definitions there are
//! the only source of parsing, help, man pages and completions. What a command
//! does with a recording lives in other crates, but for looking into one
//! ([`show`], and [`event_text`] for what its events say); this one turns errors
//! into a [`failure::Failure`] that says what to do next, and escapes what
//! comes out of a recording before a terminal sees it ([`escape`]).

pub mod agent_library;
pub mod commands;
pub mod control;
pub mod cut;
pub mod doctor;
pub mod escape;
pub mod event_text;
pub mod failure;
pub mod instrument;
pub mod json_text;
pub mod output_name;
pub mod readable;
pub mod record;
pub mod replay;
mod say;
pub mod schedule;
pub mod share;
pub mod show;
pub mod stop;
pub mod tour;

use std::io::Write as _;
use std::process::ExitCode;

/// Runs the program: parses the arguments, runs the command, reports a failure.
pub fn main() -> ExitCode {
    let status = match commands::parse(std::env::args_os()) {
        Ok(command) => match command.run() {
            Ok(status) => status,
            Err(failure) => failure.report(),
        },
        Err(usage) => {
            // Help and version are "errors" to clap too; they go to standard
            // output. A pipe closed by its reader is no failure.
            if usage.use_stderr() {
                let text = usage.render().to_string();
                let text = text.replacen("error: ", "reprise: ", 1);
                let _ = std::io::stderr().write_all(text.as_bytes());
                failure::Status::BadInput
            } else {
                let _ = usage.print();
                failure::Status::Done
            }
        }
    };
    status.into()
}
