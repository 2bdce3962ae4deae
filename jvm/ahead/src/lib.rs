//! Instruments a jar ahead of time, for JVMs that take no agent: the result
//! records with nothing but a small jar of Java classes beside it.
//!
//! ```text
//!  in.jar ──▶ instrument ──▶ out.jar                 the same probes as the agent's
//!                              META-INF/reprise/tables   what they number
//!             RUNTIME    ──▶ reprise-runtime.jar     found through out.jar's Class-Path
//!
//!  java -Dreprise.out=x.reprise -cp out.jar Main   ──▶  x.reprise
//! ```
//!
//! # What the agent does, and who does it here
//!
//! | the agent | here |
//! | --- | --- |
//! | gives a class its probes when it is loaded | [`instrument`], by the same code (`reprise-probes`) |
//! | numbers classes, methods, sites; writes the tables | here, into a resource of the jar ([`tables`]); the runtime copies the part that is for its release into the recording, and numbers what it meets beyond |
//! | keeps the original class files | the same resource |
//! | who declares what a site names, at its first execution | the resource for classes of the jar, reflection for others (`Members.java`) |
//! | numbers inside objects in a field, which it hides | in a map: nothing would hide a field |
//! | lets the runtime use the JDK's internal `Unsafe` | a class of that name over a buffer and variable handles (`Unsafe.java`): slower, and with no warning on any release |
//! | a thread's number, out of `Thread` itself | a thread-local |
//! | spool file, drainer, file | rings in memory, a daemon thread, chunks that are not compressed (`Alone.java`, `Rings.java`, `Chunks.java`) |
//! | what a hidden or outside class looks like | reflection, when an object of it crosses |
//! | begins with the first class of the program | with the first probe; with no file named, not at all |
//!
//! # What is missing without an agent
//!
//! [`LIMITS`] stand in every such recording as not recorded. Besides: a process that is killed
//! loses what was not drained yet, a few milliseconds; `reprise stop`, limits and
//! `--keep failures` are the agent's; one instrumented jar to a program, since
//! the numbers of two would clash; a class that two loaders have is told as one.

mod copy;
mod manifest;
pub mod tables;

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use reprise_probes::pattern::Patterns;

pub use copy::{Copied, Kept};

/// The runtime that records with no agent: a jar.
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/alone.jar"));
/// What that jar is called beside the one that was instrumented.
pub const RUNTIME_NAME: &str = "reprise-runtime.jar";
/// What the recording of a jar that was instrumented ahead of time lacks, each
/// with the reason.
pub const LIMITS: &[(&str, &str)] = &[
    ("the exit status", "only an agent is told"),
    (
        "writes to inside fields by classes of other jars",
        "only one jar was instrumented",
    ),
    (
        "what happens once the JVM has begun to shut down",
        "nobody is called after that",
    ),
];

/// Why a jar was not instrumented.
#[derive(Debug, thiserror::Error)]
pub enum AheadError {
    /// The input cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The input is no jar, or a part of it cannot be read.
    #[error(transparent)]
    Jar(#[from] zip::result::ZipError),
    /// The output cannot be written.
    #[error("cannot write it: {0}")]
    Write(#[source] io::Error),
    /// It has been done.
    #[error("it was instrumented already")]
    Already,
    /// No class of it is inside.
    #[error("none of its {classes} classes matches")]
    NothingInside {
        /// How many it has.
        classes: usize,
    },
}

/// Puts probes into the classes of a jar.
pub fn instrument(input: &Path, output: &Path, plan: &Plan<'_>) -> Result<Copied, AheadError> {
    let from = File::open(input)?;
    let to = File::create_new(output).map_err(AheadError::Write)?;
    let copied = instrument_jar(from, to, plan);
    if copied.is_err() {
        // Half a jar is of no use; that it cannot be removed is a nuisance.
        let _ = std::fs::remove_file(output);
    }
    copied
}

/// The same with what is open already.
pub fn instrument_jar(
    from: impl Read + Seek,
    to: impl Write + Seek,
    plan: &Plan<'_>,
) -> Result<Copied, AheadError> {
    copy::copy(from, to, plan)
}

/// What is to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'p> {
    /// Which classes are inside.
    pub patterns: &'p Patterns,
    /// Whether what the inside does is kept, too.
    pub oracle: bool,
}
