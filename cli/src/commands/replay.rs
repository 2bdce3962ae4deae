//! `reprise replay`: play a recording.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::quantity;
use crate::failure::{Failure, Status};
use crate::output_name::latest_recording;
use crate::replay::{self, Request};

/// Play a recording, and say whether it went as recorded
///
/// A recording of a process is played in a process of its own that can open
/// nothing and reach nothing; the program's files are not needed. What the
/// program wrote to its standard output and error is shown as it is replayed.
///
/// A recording of chosen classes of a JVM program is played in a JVM of the same
/// release that has only these classes; the program's jars are not needed. With
/// `--classes` they are played in another version, against what the old one did;
/// a folder stands for all recordings in it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise replay
  reprise replay server-20260102T030405Z-4711.reprise
  reprise replay --output out.txt run.reprise
  reprise replay --debug cart.reprise
  reprise replay --classes new.jar recordings/

Exit status:
  0  it went as recorded
  1  failed
  2  bad usage, or not a recording that can be played here
  3  diverged: it did something else than recorded")]
pub(super) struct Replay {
    /// The recording; the latest in this folder when there is none.
    file: Option<PathBuf>,

    /// Put what the program wrote into FILE.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How much address space the replay may take.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, default_value = "64G")]
    memory: u64,

    /// How much processor time the replay may take.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1h")]
    time: Duration,

    /// Wait for a debugger (JVM recordings).
    #[arg(long)]
    debug: bool,

    /// Wait for it on this port of this machine; 0 for any.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,

    /// Go on after a divergence, and count them (JVM recordings).
    #[arg(long)]
    keep_going: bool,

    /// Play the classes of this jar or folder instead of the recorded ones (JVM
    /// recordings).
    #[arg(long, value_name = "JAR")]
    classes: Option<PathBuf>,
}

impl Replay {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let path = match self.file {
            Some(path) => path,
            None => latest_recording(Path::new(".")).map_err(|error| {
                Failure::new("find a recording", error)
                    .next("reprise replay FILE")
                    .status(Status::BadInput)
            })?,
        };
        replay::run(&Request {
            path,
            output: self.output,
            memory: self.memory,
            seconds: self.time.as_secs().max(1),
            debug: (self.debug || self.port.is_some()).then(|| self.port.unwrap_or(0)),
            keep_going: self.keep_going,
            classes: self.classes,
        })
    }
}
