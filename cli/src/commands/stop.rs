//! `reprise stop`: end a recording, and not the program.

use clap::Args;
use reprise_recorder::Request;

use crate::control::{line, tell};
use crate::failure::{Failure, Status};
use crate::stop;

/// Stop recording a program, which runs on
///
/// Of a program recorded with --last, what was kept of its last moments is
/// dropped; `reprise dump` writes it down before. One that waits is let go when
/// it next goes on. Of a JVM recorded with --observe, what was recorded up to now
/// is completed, and can be shown and replayed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise stop 4711

Exit status:
  0  told, or the recording is complete
  1  failed
  2  bad usage, or no recorder of yours has to do with that process")]
pub(super) struct Stop {
    /// The process that is recorded, or that records it.
    #[arg(value_name = "PID")]
    process: u32,
}

impl Stop {
    pub(super) fn run(self) -> Result<Status, Failure> {
        if stop::is_recorded(self.process) || !stop::exists(self.process) {
            return stop::stop(self.process);
        }
        line(&tell(self.process, Request::Stop, "stop")?)
    }
}
