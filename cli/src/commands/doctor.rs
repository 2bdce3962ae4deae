//! `reprise doctor`: what can be recorded and replayed here.

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;

use crate::doctor::diagnosis::Diagnosis;
use crate::doctor::{examine, json, process, report};
use crate::failure::{Failure, Status};

/// Say what can be recorded and replayed here, and the fix for each no
///
/// Every verdict comes from trying: a child is traced, restricted and sandboxed,
/// each JDK is started with the agent. Nothing is changed and nothing stays
/// running.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise doctor
  reprise doctor --pid 4711
  reprise doctor --json | jq '.kinds[] | {kind, record: .record.verdict}'

Exit status:
  0  at least one kind of recording can be made here (of that process)
  1  none can
  2  there is no such process")]
pub(super) struct Doctor {
    /// Print one JSON object instead of text.
    ///
    /// It has the fields `format` (2), `version`, `machine`, `kinds`, `probes`,
    /// `jdks` and `process`. Each kind has `record` and `replay`, each of these
    /// a `verdict` ("yes", "but" or "no") and `reasons` with `what`, `costs` and
    /// `fixes`. New fields may be added; these keep their meaning while `format`
    /// is 2.
    #[arg(long)]
    json: bool,

    /// Ask about the running process N: can it be recorded by attaching to it?
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i32::MAX as i64))]
    pid: Option<u32>,
}

impl Doctor {
    pub(super) fn run(self) -> Result<Status, Failure> {
        // A process that is not there is found out before the slow probes run.
        let process = match self.pid {
            Some(pid) => Some(process::look_at(pid).map_err(|error| no_process(pid, &error))?),
            None => None,
        };
        let examination = examine();
        let diagnosis = Diagnosis::of(examination, process);
        let text = if self.json {
            json::render(&diagnosis)
        } else {
            report::render(&diagnosis, colours())
        };
        io::stdout()
            .write_all(text.as_bytes())
            .map_err(Failure::output)?;
        Ok(if diagnosis.something_can_be_recorded() {
            Status::Done
        } else {
            Status::Failed
        })
    }
}

fn no_process(pid: u32, error: &io::Error) -> Failure {
    Failure::new(format!("look at process {pid}"), error)
        .next("ps -e    lists the processes that are running")
        .status(Status::BadInput)
}

/// Colours are for a person at a terminal who has not declined them.
fn colours() -> bool {
    let declined = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !declined && !dumb
}
