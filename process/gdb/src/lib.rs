//! Lets gdb, or another client of its remote protocol, look at a replayed
//! process.
//!
//! The protocol is the crate `gdbstub`'s; here is what stands behind it.
//!
//! | question | file |
//! | --- | --- |
//! | what does the client see, and do? | `target.rs`, `moving.rs` |
//! | which registers are there, and where? | `registers.rs` |
//! | breakpoints and watchpoints? | `traps.rs` |
//! | where do programs and libraries come from? | `files.rs`; out of memory `image.rs` |
//! | how does the client find them? | `auxv.rs` |
//! | how do bytes come and go? | `wire.rs` |
//!
//! A replay is what happened, so nothing in it can be changed: writing to memory
//! or registers is refused, and the person at the debugger told why.

mod auxv;
mod files;
mod image;
mod moving;
mod registers;
mod target;
mod traps;
mod wire;

pub use crate::files::Files;
pub use crate::wire::Wire;

use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubError};
use reprise_player::{Opened, PlayError, Session};
use reprise_recording::Source;

use crate::moving::Moves;
use crate::target::Debuggee;

/// Reads what a debugger will want to know of the program or library whose ELF
/// header is at an address, if any of its code has `run`: its names, and how to
/// unwind its frames.
pub fn consult(read: &dyn Fn(u64, usize) -> Vec<u8>, base: u64, run: &dyn Fn(u64, u64) -> bool) {
    if let Some(module) = image::Module::at(read, base) {
        module.consult(run);
    }
}

/// How long a packet may be.
const PACKET: usize = 128 << 10;

/// Why a debugger was no longer served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The replay has failed.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The connection has.
    #[error("talk to the debugger: {0}")]
    Connection(std::io::Error),
    /// The client has said something that is not in the protocol.
    #[error("talk to the debugger: {0}")]
    Protocol(String),
}

/// What a client did when it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It let go, or was lost.
    Detached,
    /// It wants the replay ended.
    Killed,
}

/// Serves one client until it goes. What the person at the debugger should know
/// beside it is handed to `notice`.
pub fn serve<S: Source>(
    session: &mut Session<'_, '_, S>,
    opened: &Opened<'_, S>,
    files: &Files,
    wire: Wire,
    notice: &mut dyn FnMut(&str),
) -> Result<Gone, ServeError> {
    let mut debuggee = Debuggee::new(session, opened, files, notice);
    let stub = GdbStub::builder(wire)
        .packet_buffer_size(PACKET)
        .build()
        .map_err(|error| ServeError::Protocol(error.to_string()))?;
    match stub.run_blocking::<Moves<'_, '_, '_, S>>(&mut debuggee) {
        Ok(DisconnectReason::Kill) => Ok(Gone::Killed),
        Ok(_) => Ok(Gone::Detached),
        Err(error) => explain(error),
    }
}

/// A client that goes without a word has let go.
fn explain(error: GdbStubError<PlayError, std::io::Error>) -> Result<Gone, ServeError> {
    if error.is_connection_error() {
        return match error.into_connection_error() {
            Some((error, _)) if is_end(&error) => Ok(Gone::Detached),
            Some((error, _)) => Err(ServeError::Connection(error)),
            None => Ok(Gone::Detached),
        };
    }
    if error.is_target_error() {
        return match error.into_target_error() {
            Some(error) => Err(ServeError::Play(error)),
            None => Ok(Gone::Detached),
        };
    }
    Err(ServeError::Protocol(error.to_string()))
}

fn is_end(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe
    )
}
