//! The tour: Reprise at work, in under a minute, without root or network.
//!
//! Every command that the tour shows is really run and what it prints is what
//! it printed. One file per chapter; a capability that comes later adds its
//! file and a line to `CHAPTERS`. The program that is recorded is the tour's
//! own (`ledger`), and where a recorder must die in a process of its own, it
//! is this program once more ([`Role`]).

mod backwards;
mod crash;
mod damage;
mod interrupt;
mod java;
mod java_debugger;
mod ledger;
mod machine;
mod module;
mod recorder;
mod recorder_killed;
mod schedule;
mod shares;
mod stage;
mod subject_killed;

use std::time::Duration;

use clap::ValueEnum;

use crate::failure::{Failure, Status};
use crate::replay;
pub use ledger::{KIND, describe};
use stage::Stage;

/// A chapter: its title, and what happens in it.
type Chapter = (&'static str, fn(&mut Stage) -> Result<(), Failure>);

const CHAPTERS: &[Chapter] = &[
    ("What this machine can record", machine::play),
    (
        "A program is killed while it is recorded",
        subject_killed::play,
    ),
    ("The recorder is killed, too", recorder_killed::play),
    ("A byte of the recording goes bad", damage::play),
    ("A program crashes, and its run is replayed", crash::play),
    ("From a crash back to its cause", backwards::play),
    (
        "A Java program fails, and its class is replayed",
        java::play,
    ),
    (
        "Two threads lose an update, and it is explained",
        schedule::play,
    ),
    (
        "Twenty users record a quarter each, and it becomes one failure",
        shares::play,
    ),
    (
        "One module of a C server is recorded and replayed alone",
        module::play,
    ),
];

/// Plays all chapters in a folder of their own, which goes away afterwards
/// unless it is to be kept.
pub fn play(keep: bool) -> Result<(), Failure> {
    let mut stage = Stage::new(keep)?;
    let outcome = play_on(&mut stage);
    stage.outcome(outcome)
}

fn play_on(stage: &mut Stage) -> Result<(), Failure> {
    stage.say(
        "Reprise records a part of a program's run, to look at it and play it again elsewhere. \
         This tour takes a few seconds, and everything in it really happens.",
    )?;
    for (i, (title, play)) in CHAPTERS.iter().enumerate() {
        stage.title(i + 1, title)?;
        play(stage)?;
    }
    stage.end()
}

/// The first argument of this program when it is to play a part in the tour.
pub const COMMAND: &str = "__tour";

/// The parts that need a process of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// The program that is recorded.
    Ledger,
    /// A recorder that can be killed.
    Recorder,
    /// A replay that waits for a Java debugger.
    DebuggedReplay,
}

impl Role {
    /// Plays the part.
    pub fn play(self) -> Result<(), Failure> {
        // Whatever happens to the tour, nothing of it stays running.
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
        match self {
            Self::Ledger => ledger::play(),
            Self::Recorder => recorder::play(),
            Self::DebuggedReplay => replay_for_debugger(),
        }
    }
}

/// `reprise replay --debug` of the file that the variable names, by this process:
/// so it ends with the tour.
fn replay_for_debugger() -> Result<(), Failure> {
    let path = std::env::var_os(java_debugger::FILE).unwrap_or_default();
    let debug = replay::Debug {
        port: None,
        symbols: None,
        goto: None,
        arguments: Vec::new(),
    };
    let status = replay::run(&replay::Request {
        path: path.into(),
        output: None,
        memory: 64 << 30,
        seconds: 3600,
        debug: Some(debug),
        process: None,
        keep_going: false,
        classes: Vec::new(),
        command: Vec::new(),
        program: Vec::new(),
        verbosity: 0,
        patience: Duration::ZERO,
    })?;
    match status {
        Status::Done => Ok(()),
        _ => Err(stage::wrong("the replay did not go as recorded")),
    }
}
