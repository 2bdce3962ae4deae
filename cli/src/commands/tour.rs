//! `reprise tour`: see it work.

use clap::Args;

use crate::failure::{Failure, Status};
use crate::tour;

/// See it work, in under a minute: no root, no network, nothing left behind
///
/// A small program is recorded and killed, then its recorder is killed, then
/// the recording is damaged; after each, `reprise show` says what there is. Then a
/// C program and a Java program fail, and are replayed and debugged without their
/// files. The commands and their output are real. Files are kept in a folder of their own
/// below $TMPDIR, which is removed at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise tour
  reprise tour --keep      keep the recordings, to look into them
  TMPDIR=. reprise tour    play it in the current folder")]
pub(super) struct Tour {
    /// Keep the folder with the recordings
    #[arg(long)]
    keep: bool,
}

impl Tour {
    pub(super) fn run(self) -> Result<Status, Failure> {
        tour::play(self.keep)?;
        Ok(Status::Done)
    }
}
