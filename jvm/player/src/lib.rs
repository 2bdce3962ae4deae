//! Plays recorded classes of a JVM program alone: a JVM that has only them and
//! stand-ins for what they touch, with the recording in the place of everything
//! outside.
//!
//! | question | file |
//! | --- | --- |
//! | which classes does that JVM get? | `prepare.rs`, by `rules.rs`; what stands in for outside ones: `standin.rs`; for those that are only named: `named.rs` |
//! | what is it told? | `script.rs`, drawn; events in the global order: `events.rs`, what comes along with one: `queue.rs` |
//! | how long does it need an object? | `mentions.rs` |
//! | what does it answer? | `report.rs` |
//! | how is it started, and ended? | `jvm.rs` |
//! | which JVM? | `java.rs` |
//! | where do changed classes come from? | `jar.rs` |
//! | what keeps it in? | `walls.rs` |
//! | what is a divergence? | `divergence.rs` |
//! | who makes the calls and answers them? | `java/reprise/player`: `Player` |
//!
//! A recording may come from a stranger, and the classes in it are run. They
//! are verified like any others, and the JVM that runs them is started by a
//! program that takes everything from it first (see [`Launch::guard`]).
#![deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod divergence;
mod events;
pub mod jar;
pub mod java;
mod jvm;
mod mentions;
mod named;
mod place;
mod prepare;
mod queue;
mod report;
mod rules;
mod script;
mod standin;
pub mod walls;

pub use crate::divergence::{Divergence, Fact, Location};
pub use crate::jvm::{Jvm, Launch};

use std::collections::HashMap;

use reprise_jvm_events::bytes::FormatError;
use reprise_probes::ProbeError;
use reprise_probes::pattern::PatternError;
use reprise_recording::{ReadError, StreamId};

/// The kind of recording that is played here.
pub const KIND: &str = "jvm-observe";

/// How a recording is to be played.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Whether to go on after a divergence.
    pub keep_going: bool,
    /// Class files to play instead of the recorded ones, by name with slashes.
    pub classes: HashMap<String, Vec<u8>>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// How many events were played.
    pub events: u64,
    /// In how many threads.
    pub threads: usize,
    /// How many divergences there were.
    pub diverged: u64,
    /// The first of them.
    pub divergences: Vec<Divergence>,
    /// How many classes were replaced.
    pub replaced: usize,
}

/// Why a recording was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The recording cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is none of a JVM.
    #[error("it is a recording of the kind {0:?}, and those of the kind {KIND:?} are played here")]
    Kind(String),
    /// An event or a table entry is none.
    #[error("event {number} of stream {stream} is malformed: {error}")]
    Format {
        /// The stream.
        stream: StreamId,
        /// The event's number.
        number: u64,
        /// What is wrong with it.
        error: FormatError,
    },
    /// What was to be inside is not said, or is no pattern.
    #[error("its manifest does not say which classes are inside: {0}")]
    Patterns(#[from] PatternError),
    /// A class cannot be prepared.
    #[error("the class {name} cannot be played: {error}")]
    Class {
        /// The class.
        name: String,
        /// What is wrong with it.
        error: ProbeError,
    },
    /// The recording contradicts itself, or lacks something.
    #[error("event {number} of thread {thread} cannot be played: {why}")]
    Unplayable {
        /// The thread.
        thread: String,
        /// The event's number.
        number: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The JVM cannot be started.
    #[error("start {program}: {error}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The JVM is gone.
    #[error("the JVM that played it has ended: {0}")]
    Gone(String),
    /// The replay has taken too much.
    #[error("the replay used up {0}")]
    Limit(&'static str),
}
