//! The system calls of Linux on x86-64, as data: which memory each reads and
//! writes, how much of it, and what a recorder and a player do about it.
//!
//! A call that is not in the [`table`] is not guessed at: a recorder ends the
//! recording there and says so. The crate is pure; it sees the subject's memory
//! through the [`Memory`] that it is handed.
//!
//! To add a call, add a line to the file of its family in `table/`.

pub mod filter;
pub mod shape;
pub mod special;
pub mod table;

mod extent;
mod waiting;

pub use crate::extent::{Extent, Memory, Unknown, read_by, written_by};
pub use crate::shape::{Call, Class, Place, Shape, Size};
pub use crate::table::{find, name};
pub use crate::waiting::is_to_wait;

/// The results of system calls that are errors: `-4095..=-1`.
#[must_use]
pub fn is_error(result: u64) -> bool {
    result > u64::MAX - 4095
}

/// The results by which the kernel tells itself to do a call again once a
/// signal is dealt with. Programs never see them, tracers do.
#[must_use]
pub fn is_restart(result: u64) -> bool {
    const RESTARTS: [i64; 4] = [512, 513, 514, 516];
    RESTARTS.contains(&result.cast_signed().wrapping_neg())
}
