//! `reprise schedule`: check, convert and make schedules.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::failure::{Failure, Status};
use crate::schedule::{check, convert, from_trace, minimize};

/// Check, convert, make and shorten thread schedules, which are texts
///
/// A schedule says where each thread of a program stops and which one goes on. A
/// person can read and write it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise schedule check bug.sched --program app.jar
  reprise schedule convert --to messages bug.sched
  reprise schedule from-trace run.trace > bug.sched
  reprise schedule minimize bug.sched -- java -cp app.jar Main

A schedule:
  # Main has started both threads and waits for the first to end.
  in Main.java:8 1
  switch 1
  # The first has read the counter, and has not written it.
  before Adder run()V 5 1
  switch 2

Commands of a schedule:
  before PLACE COUNT    the running thread comes to PLACE for the COUNTth time
  in PLACE COUNT        it has blocked there: in wait, join, sleep and the like
  switch THREAD         it stops, and THREAD goes on; 'none' if nobody can
  die THREAD            it ends, and then THREAD goes on
  notify THREAD         THREAD, which waits, has been notified
  timeout THREAD        the time of THREAD, which is blocked, has run out
  terminate             all go on, and the schedule has no more say
  log LEVEL TEXT        prints TEXT
  loopbegin, loopend N  repeat what is between them N times, or 'inf'
  # TEXT                a comment

Places:
  com.acme.Producer run()V 13    class, method, offset as in 'javap -c'
  Producer.java:13               a line of a source file

Threads:
  0, 3     main, and the third thread that was created
  0.2.1    the first child of main's second child")]
pub(super) struct Schedule {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Check),
    Convert(Convert),
    FromTrace(FromTrace),
    Minimize(Minimize),
}

/// Say what is wrong with a schedule, by itself and for a program
///
/// Without --program: syntax, and whether threads can run as it says. With it
/// also whether every class, method, offset and source line is there, whether
/// `in` stands at a call that blocks, and whether there can be threads at all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise schedule check bug.sched
  reprise schedule check bug.sched --program app.jar --program lib/queue.jar
  reprise schedule check bug.sched --program target/classes

Exit status:
  0  it makes sense; there may be warnings
  1  it cannot be followed
  2  bad usage, or not a schedule: its syntax is wrong")]
pub(super) struct Check {
    /// The schedule; - is the standard input.
    file: PathBuf,

    /// A part of the program: a jar, a folder of classes or a class file.
    #[arg(long, value_name = "PATH")]
    program: Vec<PathBuf>,

    /// Print one JSON object instead of text.
    ///
    /// It has the fields `format` (1), `file`, `schedule` ("switches",
    /// "messages", or null where the syntax is wrong), `events`, `switches`,
    /// `threads`, `classes`, and `findings`, each with `line`, `column` or null,
    /// `severity` ("error" or "warning"), `what` and `hint`. New fields may be
    /// added; these keep their meaning while `format` is 1.
    #[arg(long)]
    json: bool,
}

/// Write a schedule in the other format
///
/// Switches become messages with nothing lost. Messages become switches in one of
/// the orders they allow, with few switches. Comments are not kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise schedule convert --to messages bug.sched
  reprise schedule convert --to switches free.sched -o bug.sched
  reprise schedule convert --to switches by-lines.sched --program app.jar

Exit status:
  0  done
  1  the other format cannot say this
  2  bad usage, or not a schedule")]
pub(super) struct Convert {
    /// The schedule; - is the standard input.
    file: PathBuf,

    /// The format to write; it may be the one that the schedule has.
    #[arg(long, value_name = "FORMAT")]
    to: Format,

    /// Write to FILE, which must not exist, instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write places as class, method and offset, as they are in this jar, folder
    /// of classes or class file.
    #[arg(long, value_name = "PATH")]
    program: Vec<PathBuf>,
}

/// The formats of schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One thread at a time, and where each hands over.
    Switches,
    /// Threads in parallel, and where each waits for a message.
    Messages,
}

/// Make a schedule of a trace of bytecodes
///
/// Each line of the trace is a bytecode that a thread executed or tried to. The
/// trace is read once and may be longer than memory.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise schedule from-trace run.trace
  my-vm --trace Main | reprise schedule from-trace - -o bug.sched

A line of a trace:
  THREAD CLASS METHOD OFFSET [next [CLASS METHOD] OFFSET] [STATE] [notify THREAD] [timeout THREAD]

Its parts:
  next       the bytecode it goes on with; needed where another thread comes next
  STATE      how the thread is then:
  ready      it can go on; the same as nothing
  waiting    it has blocked in this call; also joining, sleeping, parked
  blocked    it did not get a monitor and will try again
  dead       this was its last bytecode
  notify     with this step, that thread was notified
  timeout    after this step, the time of that thread ran out

A trace:
  0 Main main 3 next 6
  0 Main main 6 joining
  1 Adder run()V 4 next 5
  2 Adder run()V 4 dead

Exit status:
  0  done
  2  bad usage, or not a trace")]
pub(super) struct FromTrace {
    /// The trace; - is the standard input.
    file: PathBuf,

    /// Write to FILE, which must not exist, instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Make a failing schedule as short as it can be and still fail
///
/// The program runs many times, each time with fewer switches than before; what is
/// left is the explanation of the failure. Its output is not shown. A failure is a
/// status other than 0, an exception that nobody catches, or a deadlock; it stays the
/// same one. The result is checked by following it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise schedule minimize bug.sched -- java -cp app.jar Main
  reprise schedule minimize bug.sched -o short.sched --runs 50 -- java -jar app.jar

Exit status:
  0  done
  1  the program does not do the same again
  2  bad usage, not a schedule, or the program does not fail under it")]
pub(super) struct Minimize {
    /// The schedule.
    file: PathBuf,

    /// Write to FILE, which must not exist [default: bug.min.sched for bug.sched].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where the classes of the program are, if its command does not tell: a jar or a
    /// folder; may be given several times.
    #[arg(long, value_name = "PATH")]
    program: Vec<PathBuf>,

    /// Run the program at most N times.
    #[arg(long, value_name = "N", default_value = "1000")]
    runs: u64,

    /// The program that fails under the schedule, with its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl Schedule {
    pub(super) fn run(self) -> Result<Status, Failure> {
        match self.command {
            Command::Check(Check {
                file,
                program,
                json,
            }) => check::run(&file, &program, json),
            Command::Convert(Convert {
                file,
                to,
                output,
                program,
            }) => convert::run(&file, to, output.as_deref(), &program),
            Command::FromTrace(FromTrace { file, output }) => {
                from_trace::run(&file, output.as_deref())
            }
            Command::Minimize(Minimize {
                file,
                output,
                program,
                runs,
                command,
            }) => minimize::run(&minimize::Request {
                file,
                output,
                program,
                runs,
                command,
            }),
        }
    }
}
