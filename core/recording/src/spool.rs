//! The spool: where events wait while the subject runs.
//!
//! A file that the subject maps shared. Each thread of the subject appends to
//! a ring of its own with plain stores; a [`Drainer`] outside the hot path
//! copies, checks and compresses what is there and appends it to the
//! recording. The kernel keeps a shared mapping when its process dies, so the
//! events survive the subject, whatever killed it. Only what has reached the
//! recording is released from the spool, so they survive the drainer, too.
//!
//! | module | |
//! | --- | --- |
//! | [`layout`] | the bytes of the file, for writers in any language |
//! | [`record`] | the bytes of one record in a ring |
//! | [`ring`] | the writer for code inside a subject; `no_std` |
//! | [`SubjectSpool`] | the spool as code with `std` inside a subject sees it |
//! | [`Spool`] | creates the file and prepares rings |
//! | [`Drainer`] | from the rings into the recording |
//! | [`recover()`] | what is left after a death |
//!
//! # When a ring is full
//!
//! A ring's [policy](layout::Policy) decides. *Block*: the writer waits for
//! the drainer; when the drainer gives no sign of life for
//! [`layout::Spool::dead_after_ms`], recording ends and the subject goes on.
//! *Ring*: the writer drops its oldest segment, and with it the segment of
//! that number in every other ring, since a segment replays whole or not at
//! all.

pub mod layout;
pub mod record;
pub mod ring;

#[cfg(feature = "std")]
mod create;
#[cfg(feature = "std")]
mod drain;
#[cfg(feature = "std")]
mod dump;
#[cfg(feature = "std")]
mod known;
#[cfg(feature = "std")]
mod map;
#[cfg(feature = "std")]
mod mark;
#[cfg(feature = "std")]
mod outside;
#[cfg(feature = "std")]
mod recover;
#[cfg(feature = "std")]
mod stop;
#[cfg(feature = "std")]
mod take;
#[cfg(feature = "std")]
mod unpack;

#[cfg(feature = "std")]
pub use self::{
    create::{Spool, SpoolConfig, SpoolError, spool_path},
    drain::{Drainer, Pulse},
    map::{StdEnvironment, SubjectSpool},
    recover::{RecoverError, Recovered, recover},
    stop::ask_to_stop,
};

/// Reads bytes as the records of a ring, as a drainer does, and counts them:
/// for a fuzzer.
#[cfg(feature = "std")]
#[doc(hidden)]
#[must_use]
pub fn read_records(bytes: &[u8], position: u64) -> u64 {
    let mut unpacker = unpack::Unpacker::new(bytes, position, layout::MIN_RING, true);
    let mut count = 0;
    loop {
        while unpacker.next_plain().is_some() {
            count += 1;
        }
        match unpacker.next() {
            Ok(Some(_)) => count += 1,
            _ => return count,
        }
    }
}
