//! The events of a recorded process: streams of the kind
//! [`process.syscalls`](KIND), one for each process.
//!
//! A recorder writes them, a player plays them, and this crate is all that the
//! two share. It is pure: values to bytes and back. The bytes are drawn in
//! [`wire`], where the writer and the reader stand side by side.
//!
//! A *segment* begins with a [`Start`]: the state of the process, from which it
//! can be played. Then follows what entered it, in order. The last event of a
//! run that was recorded to its end is an [`End`].
//!
//! Of several threads one runs at a time, so there is one order of events for
//! all of them: each event is of the thread that a [`Switch`] named last.
//!
//! Where a thread had to be stopped between two events there is a [`Pause`]. Its
//! [`Place`], a number of instructions, is in a stream of the kind [`PLACES`] of
//! the same process.
//!
//! The processes that a program made are in its recording, too, each with a
//! stream and page maps of its own, and each can be played alone. The manifest
//! lists them ([`Process`]).
//!
//! Memory is in page maps of the recording. The map of a segment's start has
//! the segment's number; what a file brought in when it was mapped has a number
//! of its own, from [`FIRST_CONTENT`] on, that the call's event names.
//! Pages that no replay uses are left out. With [`OMITTED`] added to its number, a
//! page map is a list of addresses, two for each range of such pages: where it
//! begins and where it ends.

mod describe;
mod event;
mod family;
mod sums;
mod view;
pub mod wire;

pub use crate::describe::{describe, describe_place};
pub use crate::event::{
    Answer, Call, Content, End, Ending, Event, Exit, Kind, Pause, Place, Position, Region,
    Registers, Signal, Sigreturn, Start, State, Switch, Thread, Threads, Tsc, Write,
};
pub use crate::family::{PROCESSES, Process};
pub use crate::sums::{PAGE, PageSums, STACK_RED_ZONE};
pub use crate::view::{VIEWS, View};

/// The kind of the streams, and of the recordings that hold them.
pub const KIND: &str = "process.syscalls";

/// The kind of the recordings.
pub const RECORDING: &str = "process.last";

/// The version of the events. Version 2 knows threads, version 3 pages that are
/// not in the recording, version 4 pauses, version 5 what the processor was asked
/// and memory of the kind that `shmat` attaches, and version 6 memory that is at several
/// addresses.
pub const VERSION: u32 = 6;

/// The kind of the streams that say where the pauses of a process were.
pub const PLACES: &str = "process.places";

/// The version of those.
pub const PLACES_VERSION: u32 = 1;

/// The number of the first page map that is not a segment's start.
pub const FIRST_CONTENT: u32 = 1 << 31;

/// Added to the number of a page map: what was left out of it.
pub const OMITTED: u32 = 1 << 30;
