//! `reprise stop`: end a recording; the program runs on.

use clap::Args;

use crate::failure::{Failure, Status};
use crate::stop;

/// End the recording of a JVM that is running; the program runs on
///
/// What was recorded up to now is completed, and can be shown and replayed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise stop 4711

Exit status:
  0  the recording is complete
  1  the recorder does not answer
  2  there is no such process, or it is not being recorded")]
pub(super) struct Stop {
    /// The process of the JVM.
    #[arg(value_name = "PID")]
    pid: u32,
}

impl Stop {
    pub(super) fn run(self) -> Result<Status, Failure> {
        stop::stop(self.pid)
    }
}
