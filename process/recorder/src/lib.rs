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
//! | how is it started? | `spawn.rs` |
//! | what is taken from a new program? | `program.rs`, `resolver.rs` |
//! | what happens at each stop? | `session.rs` |
//! | … at a system call? | `calls.rs`; when it maps memory `contents.rs` |
//! | … at a signal? | `signals.rs` |
//! | … when it makes a process? | `children.rs` |
//! | where does a segment begin, and the run end? | `segment.rs`, `snapshot.rs` |
//! | what goes into the file? | `log.rs` |
//! | what if the recorder is killed? | `guard.rs` |
//!
//! Whatever goes wrong here ends the recording, not the subject, which is let
//! go and runs on.

mod alarm;
mod calls;
mod children;
mod contents;
mod guard;
mod host;
mod log;
mod maps;
mod privileges;
mod program;
mod resolver;
mod segment;
mod session;
mod signals;
mod snapshot;
mod spawn;

pub use crate::guard::{Guard, Guarded, guarded};
pub use crate::session::{Ended, Outcome, Recorded};
pub use crate::spawn::{StartError, Waiting};

use std::ffi::OsString;
use std::fs::File;

/// What the user wants.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many bytes the recording may take.
    pub limit: u64,
}

/// Lets a waiting subject run, and records it into `file`, which must be empty.
pub fn record(
    mut subject: Waiting,
    command: &[OsString],
    file: File,
    settings: &Settings,
) -> Result<Outcome, StartError> {
    let processor = subject.choose_processor();
    let manifest = host::manifest(command, processor);
    session::run(subject, file, &manifest, settings)
}
