//! `reprise replay`: play a recording.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::quantity;
use crate::failure::{Failure, Status};
use crate::output_name::latest_recording;
use crate::replay::{self, Debug, Goto, Request};

/// Play a recording, and say whether it went as recorded
///
/// A recording of a process is played in a process of its own that can open
/// nothing and reach nothing; the program's files are not needed. What the
/// program wrote to its standard output and error is shown as it is replayed.
///
/// With `--debug`, gdb is opened on it, at the start of the recording: continue
/// to its end, set breakpoints and watchpoints, and go backwards with
/// reverse-stepi, reverse-next, reverse-continue and their like. Nothing can be
/// changed: it is what happened.
///
/// A recording of chosen classes of a JVM program is played in a JVM of the same
/// release that has only these classes; the program's jars are not needed. With
/// `--classes` they are played in another version, against what the old one did;
/// a folder stands for all recordings in it.
///
/// A schedule is followed by the program itself, which is given behind `--`: an
/// unmodified program on an ordinary JVM, one thread at a time, each as far as the
/// schedule says.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise replay
  reprise replay server-20260102T030405Z-4711.reprise
  reprise replay --output out.txt run.reprise
  reprise replay --debug run.reprise
  reprise replay --debug --goto end --symbols ./build run.reprise
  reprise replay --debug run.reprise -- -batch -ex continue -ex backtrace
  reprise replay --port 1234 run.reprise
  reprise replay --process 2 run.reprise
  reprise replay --debug cart.reprise
  reprise replay --classes new.jar recordings/
  reprise replay --classes target/classes --classes lib/util.jar recordings/
  reprise replay bug.sched -- java -cp app.jar Main
  reprise replay --debug bug.sched -- java -cp app.jar Main

Exit status:
  0  it went as recorded, or as the schedule says
  1  failed
  2  bad usage, or not a recording that can be played here
  3  diverged: it did something else than recorded, or cannot follow the schedule")]
pub(super) struct Replay {
    /// The recording; the latest in this folder when there is none.
    file: Option<PathBuf>,

    /// Put what the program wrote into FILE.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How much memory the replay may take.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, default_value = "64G")]
    memory: u64,

    /// How much processor time the replay may take.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1h")]
    time: Duration,

    /// Open gdb on the replay; of a JVM recording, wait for a Java debugger.
    #[arg(long)]
    debug: bool,

    /// Wait for a debugger on this port of this machine, instead of opening gdb;
    /// 0 for any.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,

    /// Look for programs and libraries with their symbols in DIR, and for debug
    /// files by build id.
    #[arg(long, value_name = "DIR")]
    symbols: Option<PathBuf>,

    /// Begin where EVENT has just happened; `show --events` has their numbers.
    /// `end` is the end of the recording.
    #[arg(long, value_name = "EVENT", value_parser = goto)]
    goto: Option<Goto>,

    /// Play this process of the recording, by its number or its place in the list
    /// that `show` gives; otherwise the one that failed, or the first.
    #[arg(long, value_name = "PROCESS")]
    process: Option<u32>,

    /// Go on after a divergence, and count them (JVM recordings).
    #[arg(long)]
    keep_going: bool,

    /// Play the classes of this jar or folder instead of the recorded ones (JVM
    /// recordings); may be given several times, and the first that has a class
    /// counts.
    #[arg(long, value_name = "JAR")]
    classes: Vec<PathBuf>,

    /// Where the classes of a schedule's program are, if its command does not tell:
    /// a jar or a folder; may be given several times.
    #[arg(long, value_name = "PATH")]
    program: Vec<PathBuf>,

    /// Print the messages of a schedule up to this level, 1 to 4.
    #[arg(long, value_name = "LEVEL", default_value = "0",
          value_parser = clap::value_parser!(u8).range(0..=4))]
    verbosity: u8,

    /// How long the thread that has the turn may run while others wait for theirs, and not come to
    /// the next place of a schedule, before that is a divergence. It is said after
    /// ten seconds.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "5m")]
    patience: Duration,

    /// The program that is to follow a schedule, with its arguments; of a recording,
    /// what else gdb is told with `--debug`.
    #[arg(last = true, value_name = "CMD")]
    arguments: Vec<OsString>,
}

fn goto(text: &str) -> Result<Goto, String> {
    match text {
        "end" => Ok(Goto::End),
        number => number
            .parse()
            .map(Goto::Event)
            .map_err(|_| "the number of an event, or `end`".to_owned()),
    }
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
        let wanted = self.debug || self.port.is_some();
        let (command, arguments) = match replay::is_schedule(&path) {
            true => (self.arguments, Vec::new()),
            false => (Vec::new(), self.arguments),
        };
        let only_then = [
            ("--symbols", self.symbols.is_some()),
            ("--goto", self.goto.is_some()),
            ("arguments of gdb", !arguments.is_empty()),
        ];
        if let (false, Some((what, _))) = (wanted, only_then.iter().find(|(_, given)| *given)) {
            let wrong = Failure::new("replay", format!("{what} without a debugger"));
            return Err(wrong
                .next("reprise replay --debug")
                .status(Status::BadInput));
        }
        let debug = wanted.then_some(Debug {
            port: self.port,
            symbols: self.symbols,
            goto: self.goto,
            arguments,
        });
        replay::run(&Request {
            path,
            output: self.output,
            memory: self.memory,
            seconds: self.time.as_secs().max(1),
            debug,
            process: self.process,
            keep_going: self.keep_going,
            classes: self.classes,
            command,
            program: self.program,
            verbosity: self.verbosity,
            patience: self.patience,
        })
    }
}
