//! `reprise status`: how a recorder is.

use clap::Args;
use reprise_recorder::{Request, subjects};

use crate::control::{Report, line, tell};
use crate::failure::{Failure, Status as Code};

/// Say what recorders are running, and what they keep
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise status
  reprise status --json 4711

Exit status:
  0  done
  1  failed
  2  bad usage, or no recorder of yours has to do with that process")]
pub(super) struct Status {
    /// The process that is recorded, or that records it; all when there is none.
    #[arg(value_name = "PID")]
    process: Option<u32>,

    /// For programs: one JSON object to a line.
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(super) fn run(self) -> Result<Code, Failure> {
        let processes = match self.process {
            Some(process) => vec![process],
            None => subjects(),
        };
        if processes.is_empty() && !self.json {
            return line("no recorder is running");
        }
        for process in processes {
            let answer = tell(process, Request::Status, "status")?;
            let report = Report::read(&answer);
            match report {
                Some(report) if !self.json => line(&report.to_string())?,
                _ => line(&answer)?,
            };
        }
        Ok(Code::Done)
    }
}
