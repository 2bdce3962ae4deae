//! The limit that a process has on the size of its files (`ulimit -f`).
//!
//! The kernel answers a write past it with SIGXFSZ, which kills a recorder, and
//! a subject that stores a long event. So it is asked first.

use rustix::process::{Resource, getrlimit};
use std::io;

/// The limit, where there is one.
pub(crate) fn limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

/// An error when a file must not reach up to `end`.
pub(crate) fn check(end: u64) -> io::Result<()> {
    match limit() {
        Some(limit) if end > limit => Err(io::ErrorKind::FileTooLarge.into()),
        _ => Ok(()),
    }
}
