//! Runs a C program that was cut, and writes the recording: what it says crosses its
//! boundary, and its code and data, from which a replay begins.
//!
//! | question | file |
//! | --- | --- |
//! | was a program cut, and what is mapped of it? | `image.rs` |
//! | who takes events out of the spool? | `session.rs` |

mod image;
mod session;

pub use crate::image::{Image, ImageError};
pub use crate::session::{Recorder, RecorderError};

/// The process that pages belong to: there is one.
pub const PROCESS: u32 = 1;
