//! Makes the recording of a C program's boundary one that `process/player` plays.
//!
//! The inside's code, linked into the program together with the runtime, asks for
//! everything that comes from outside by a system call that there is not. So a
//! recording of a process is made here: it begins with the program's memory as its
//! file has it, on an empty stack, and its calls are the crossings. Sandbox,
//! debugger and going backwards are those of processes.
//!
//! | in the recording | what the replay asks | what it is told |
//! | --- | --- | --- |
//! | entry | what is next? | the number of the function; arguments in the buffer |
//! | result | what is next, at this site? | the result in the buffer; what was filled in its place |
//! | value | the value, at this site? | it, in the buffer |
//! | end | what is next? | that it is the end; it then tells its checksum |
//!
//! All but the last are told ahead, many at once, where they fit: a stop costs a hundred
//! times as much as a crossing.
//!
//! What a replay asks is compared with the recording, so it notices when it has
//! gone another way.

mod pieces;
mod places;
mod told;
mod translate;

pub use crate::places::Asked;
pub use crate::translate::{TranslateError, Translated, translate};
pub use reprise_c_events::RECORDING as KIND;
