//! Records a Linux process: everything that enters it from outside, so that a
//! player can run it again without any of that.
//!
//! The subject is traced with ptrace. Between two of its system calls it runs
//! undisturbed, and what it does there follows from its state; so the log holds
//! the state at the start, and then results of system calls with the memory
//! that the kernel wrote, signals, and readings of the time-stamp counter.
//!
//! | question | file |
//! | --- | --- |
//! | how is it started? | `spawn.rs`; if it runs already: `attach/` |
//! | what is taken from a new program? | `program.rs`, `resolver.rs` |
//! | which processes are there? | `family.rs`; what they have in common: `shared.rs` |
//! | what happens at each stop of one? | `session.rs`; when it is recorded no more: `parting.rs` |
//! | … at a system call? | `calls.rs`; when it maps memory `contents.rs`; when it writes to a file that is mapped `files.rs` |
//! | … when it has a filter of its own for its calls? | `filters.rs` |
//! | … at a signal? | `signals.rs` |
//! | … at an instruction that asks the processor? | `asking.rs` |
//! | … when it makes a process? | `children.rs`; when they share memory: `sharing.rs`, `handover.rs`, `token.rs`, and if that is much: `followed.rs`, `mirror.rs`; when one has it at several addresses: `views.rs` |
//! | … when it looks after orphans? | `orphans.rs` |
//! | … when it computes for long, with no stop? | `computing.rs`, `metronome.rs` |
//! | … when it has several threads? | `threads.rs`; whose turn it is: `turns.rs`; in the middle of a computation: `cut_off.rs`, `repetition.rs`; letting go of them: `escort.rs`; what their end writes: `at_exit.rs` |
//! | where does a segment begin, and the run end? | `segment.rs`, `snapshot.rs` |
//! | what is kept, and for how long? | `log.rs`, of all processes `archive.rs`; what is said not to be: `notes.rs`; in how much memory: `purse.rs`, `memory.rs`; the subject's memory: `shadow.rs` |
//! | what goes into the file, and when? | `dump.rs`, `dumper.rs`, `build_ids.rs`; which memory: `draft.rs`; `condition.rs`, `control.rs` |
//! | what if the recorder is killed? | `guard.rs` |
//!
//! Whatever goes wrong here ends the recording, not the subject, which is let
//! go and runs on.

mod archive;
mod asking;
mod at_exit;
mod attach;
mod build_ids;
mod calls;
mod children;
mod computing;
mod condition;
mod contents;
mod control;
mod cut_off;
mod draft;
mod dump;
mod dumper;
mod escort;
mod family;
mod files;
mod filters;
mod followed;
mod guard;
mod handover;
mod host;
mod log;
mod maps;
mod memory;
mod metronome;
mod mirror;
mod notes;
mod orphans;
mod parting;
mod privileges;
mod program;
mod purse;
mod repetition;
mod resolver;
mod segment;
mod session;
mod shadow;
mod shared;
mod sharing;
mod signals;
mod snapshot;
mod spawn;
mod threads;
mod token;
mod turns;
mod views;

pub use crate::attach::{AttachError, Attached};
pub use crate::condition::{Condition, ConditionError, Watch};
pub use crate::control::{ControlError, Request, subjects, tell};
pub use crate::draft::{Draft, Memory};
pub use crate::dump::{Dump, Recorded, Why, Without};
pub use crate::dumper::Written;
pub use crate::family::{Leftover, Outcome};
pub use crate::guard::{Guard, Guarded, guarded};
pub use crate::session::Ended;
pub use crate::spawn::{StartError, Waiting};

use std::ffi::OsString;
use std::time::Duration;

use crate::family::Subject;

/// What the user wants.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How much of the run is kept.
    pub last: Duration,
    /// How long a segment is.
    pub interval: Duration,
    /// How many bytes of memory that may take.
    pub memory: u64,
    /// Runs that end well are worth keeping, too.
    pub keep_all: bool,
    /// The program is told of a processor that many have.
    pub portable: bool,
    /// What counts as a failure beside a fatal signal.
    pub fails_when: Vec<Condition>,
}

/// What writes dumps, and says in a line what became of them. It works beside
/// the subject, in a thread of its own.
pub type Sink = Box<dyn FnMut(Dump) -> Written + Send>;

/// Lets a waiting subject run, and records it. What is worth keeping goes to
/// `sink`.
pub fn record(
    mut subject: Waiting,
    command: &[OsString],
    settings: &Settings,
    sink: Sink,
) -> Result<(Outcome, Leftover), StartError> {
    // Before this process is put on one of them.
    let processors = host::processors();
    let processor = subject.choose_processor();
    let manifest = host::manifest(command, processors, processor);
    family::run(Subject::Waiting(subject), manifest, settings, sink)
}

/// Records a program that runs already, until it ends or somebody says stop.
pub fn record_attached(
    mut subject: Attached,
    settings: &Settings,
    sink: Sink,
) -> Result<(Outcome, Leftover), StartError> {
    let processors = host::processors();
    let processor = subject.choose_processor();
    let mut manifest = host::manifest(&subject.command(), processors, processor);
    manifest.subject = subject.program();
    family::run(Subject::Attached(subject), manifest, settings, sink)
}
