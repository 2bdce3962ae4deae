//! `reprise record`: run a command and record it.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use reprise_recorder::Condition;

use super::quantity;
use crate::failure::{Failure, Status};
use crate::output_name::{self, Template};
use crate::record::{Keep, Request, last};

/// Run a command and record it; the exit status is the command's own
///
/// The command runs as it would have. A recording is kept when a fatal signal
/// ends it, when --fails-when holds, and when `reprise dump` asks for one. When the recorder cannot do its work, the command runs unrecorded,
/// with a warning.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise record --last 10s -- ./server --port 80
  reprise record --last 10s --fails-when 'exit != 0' --fails-when 'stderr ~ panic' -- ./job
  reprise record --last 10s --keep all -o run.reprise -- gzip -k big.txt

The last moments are kept in memory and written when there is a reason to. So far
--last is for programs with one thread: a second thread ends the recording, not
the program. Child processes run unrecorded.

Exit status:
  that of the command; 128 + N when signal N killed it
  2    bad usage
  125  with --require: the recorder cannot do its work
  126  the command cannot be run
  127  there is no such command")]
pub(super) struct Record {
    /// Record the last moments of any Linux program: this long, as in 500ms, 10s
    /// or 2m.
    ///
    /// What is older is dropped. It may be less where memory does not suffice,
    /// or where a signal came in the middle of a long computation.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, required = true)]
    last: Duration,

    /// How long a segment is: what is dropped, is dropped in such pieces.
    ///
    /// Each begins with a copy of the program's memory, of which only the pages
    /// that the program writes to take room and time. A quarter of --last unless
    /// given.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    interval: Option<Duration>,

    /// How much memory the last moments may take, as in 200M or 4G.
    ///
    /// It is never more than a quarter of what the control group allows. Where it
    /// does not suffice, less is kept.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, default_value = "1G")]
    memory: u64,

    /// What counts as a failure beside a fatal signal; may be given more than once.
    ///
    /// 'exit != 0' and 'exit == 3' are about the exit status. 'stderr ~ PATTERN',
    /// 'stdout ~ PATTERN' and 'output ~ PATTERN' are about lines that the program
    /// writes: the last moments are written at once, and the program goes on.
    #[arg(long, value_name = "COND")]
    fails_when: Vec<Condition>,

    /// What is worth keeping.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "failures")]
    keep: Keep,

    /// Do not run the command if it cannot be recorded.
    #[arg(long)]
    require: bool,

    /// Where the recording goes: %e is the program, %p its process, %t the time.
    ///
    /// Never written over: with a placeholder in it, a name that is taken gets a
    /// number.
    #[arg(short, long, value_name = "FILE", default_value = output_name::DEFAULT)]
    output: OsString,

    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl Record {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let output = Template::parse(&self.output).map_err(|error| {
            let doing = format!("use the name {}", self.output.display());
            Failure::new(doing, error).status(Status::BadInput)
        })?;
        let request = Request {
            command: self.command,
            output,
            keep: self.keep,
            require: self.require,
        };
        // The other kinds of recording will be other options; each has its file
        // in `record/`.
        let bounds = last::Bounds {
            last: self.last,
            interval: self.interval.unwrap_or(self.last / 4),
            memory: self.memory,
            fails_when: self.fails_when,
        };
        last::run(&request, &bounds)
    }
}
