//! What to insert where, so that a JVM program runs one thread at a time, and
//! which thread is said from outside.
//!
//! Pure: class files in, class files out. What is inserted is straight-line code
//! that calls the scheduler (`jvm/scheduler`), which has every decision.
//!
//! | subject | file |
//! | --- | --- |
//! | calls that block, notify, sleep: they go to the scheduler instead | `calls` |
//! | the classes of the JDK that every blocking operation goes through | [`platform`] |
//! | the places that a schedule names, and no others | [`enforce`] |
//! | everywhere where a strategy may want to switch | [`explore`] |
//! | what synchronises, of threads that run freely | [`free`] |
//! | what threads share, of which a part is recorded | [`share`] |
//! | methods of the JDK that wait for something outside | [`outside`] |
//! | class loaders that know only what is theirs | [`loaders`] |
//! | what is another value in every run | `values`; what the garbage collector takes away: `references` |
//! | what has to be known of a program for that | [`facts`] |
//! | what the scheduler is to do, as a file | [`plan`] |
//!
//! The JDK's own code counts as one step, except where it blocks: all of
//! `java.util.concurrent` blocks in `LockSupport`, `Thread.join` in `Object.wait`.
//! So these two are enough for locks, conditions, semaphores, latches, barriers,
//! queues, executors and futures.
#![deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used))]

mod around;
mod calls;
pub mod enforce;
pub mod explore;
pub mod facts;
pub mod free;
pub mod loaders;
pub mod outside;
pub mod plan;
pub mod platform;
mod references;
pub mod share;
mod values;

use reprise_classfile::descriptor::DescriptorError;
use reprise_classfile::read::ReadError;
use reprise_classfile::relocate::EditError;
use reprise_classfile::write::{PoolError, SnippetError, WriteError};

/// Why a class cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each says it itself")]
pub enum TurnError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Snippet(#[from] SnippetError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    #[error(
        "{method} of class {class}, which the schedule names, is not there: was it made for \
         another version of the program?"
    )]
    NoMethod { class: String, method: String },
    #[error(
        "no bytecode of {class}.{method} begins at offset {offset}, which the schedule names: was \
         it made for another version of the program?"
    )]
    NoBytecode {
        class: String,
        method: String,
        offset: u32,
    },
}
