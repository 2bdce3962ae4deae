//! Why an edit fails. Whatever it is, the method can be left as it was.

use crate::flow::{FlowError, Initialized};
use crate::read::ReadError;
use crate::write::{PoolError, SnippetError, WriteError};

/// Why a method body could not be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The body could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A table got too long.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The constant pool could not take what was needed.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A snippet that the editor completes could not be completed.
    #[error(transparent)]
    Snippet(#[from] SnippetError),
    /// No instruction begins at this offset.
    #[error("no instruction begins at {offset}")]
    NoInstruction {
        /// The offset.
        offset: u32,
    },
    /// A jump to where no instruction begins.
    #[error("the instruction at {offset} jumps to {target}, where no instruction begins")]
    BadTarget {
        /// The jump.
        offset: u32,
        /// Where it goes.
        target: i64,
    },
    /// A table refers to an offset outside the code or inside an instruction.
    #[error("{table} refers to {offset}, where no instruction begins")]
    BadOffset {
        /// The table.
        table: &'static str,
        /// The offset.
        offset: u32,
    },
    /// Code would be inserted where control never comes.
    #[error("control does not go on after the instruction at {offset}")]
    NoFallThrough {
        /// The instruction.
        offset: u32,
    },
    /// The inserted code leaves the method, so that what follows would have no
    /// way to be reached.
    #[error("the code inserted at {offset} does not go on to what follows")]
    Ends {
        /// The instruction.
        offset: u32,
    },
    /// The replacement of a jump, return or `athrow`, or a handler, runs on
    /// into what follows.
    #[error("the code inserted at {offset} has to end with a return or athrow")]
    FallsThrough {
        /// The instruction; the end of the code for a handler.
        offset: u32,
    },
    /// Two replacements of one instruction.
    #[error("the instruction at {offset} is replaced twice")]
    ReplacedTwice {
        /// The instruction.
        offset: u32,
    },
    /// A frame speaks of the result of a `new` that was replaced.
    #[error("a stack map frame needs the `new` at {offset}, which was replaced")]
    NewReplaced {
        /// The `new`.
        offset: u32,
    },
    /// An exception range that covers nothing.
    #[error("the exception range from {start} to {end} is empty")]
    EmptyRange {
        /// Its start.
        start: u32,
        /// Its end.
        end: u32,
    },
    /// The body would get too long.
    #[error("the method grows from {before} to {after} bytes; 65535 are allowed")]
    TooLong {
        /// Its length.
        before: u32,
        /// The length it would have.
        after: u64,
    },
    /// The operand stack would get too deep.
    #[error("the method needs {needed} stack slots; 65535 are allowed")]
    StackTooDeep {
        /// How many it would need.
        needed: u32,
    },
    /// There are too many locals.
    #[error("the method needs {needed} local slots; 65535 are allowed")]
    TooManyLocals {
        /// How many it would need.
        needed: u32,
    },
    /// A jump got too long and the frame this needs could not be worked out.
    #[error("the jump at {offset} gets too long and its frame is unknown: {reason}")]
    NoFrame {
        /// The jump.
        offset: u32,
        /// Why not.
        reason: FlowError,
    },
    /// A handler for code of a constructor in which `this` is not, or not known
    /// to be, usable.
    #[error("no handler can stand there in this constructor: {0}")]
    Constructor(Initialized),
}
