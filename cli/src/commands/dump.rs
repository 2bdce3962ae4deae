//! `reprise dump`: have a recorder write down the last moments.

use clap::Args;
use reprise_recorder::Request;

use crate::control::{line, tell};
use crate::failure::{Failure, Status};

/// Have the last moments of a running program written down
///
/// The program goes on; the recording is written beside it, by its recorder, to
/// where `reprise record` was told to put recordings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise dump 4711

Exit status:
  0  written
  1  failed
  2  bad usage, or no recorder of yours has to do with that process")]
pub(super) struct Dump {
    /// The process that is recorded, or that records it.
    #[arg(value_name = "PID")]
    process: u32,
}

impl Dump {
    pub(super) fn run(self) -> Result<Status, Failure> {
        line(&tell(self.process, Request::Dump, "dump")?)
    }
}
