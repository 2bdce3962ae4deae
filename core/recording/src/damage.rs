//! What can be wrong with a file: each value says where, and what.

use crate::{
    chunk::{ChunkError, ChunkKind},
    header::HeaderError,
    index::ChunkEntry,
    stream::StreamId,
};
use std::io;

/// Why a file cannot be opened as a recording.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not start like a recording that this version reads.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// There is no manifest, so nothing says what it holds.
    #[error("it has no readable manifest, so nothing says what it holds")]
    NoManifest,
}

/// Why a part of a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A part of it is damaged.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// There is no such stream.
    #[error("there is no stream {0}")]
    NoStream(StreamId),
}

/// A place in the file that is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged at byte {offset}: {what}")]
pub struct Damaged {
    /// Where the chunk starts.
    pub offset: u64,
    /// What is wrong with it.
    pub what: Damage,
}

/// What is wrong with a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Its header.
    #[error(transparent)]
    Header(ChunkError),
    /// Its payload's checksum.
    #[error("payload checksum is {found:08x}, computed {computed:08x}")]
    Payload {
        /// What the header says.
        found: u32,
        /// What the payload says.
        computed: u32,
    },
    /// It does not decompress to what its header says.
    #[error("the payload does not unpack to {raw} bytes with codec {codec}")]
    Unpack {
        /// The codec's number.
        codec: u8,
        /// The expected length.
        raw: u32,
    },
    /// The index describes another chunk.
    #[error("the index describes another chunk")]
    Index,
    /// Its content is malformed although its checksum is good: not written by
    /// this program.
    #[error("the content of this {kind:?} chunk is malformed")]
    Content {
        /// What the chunk should hold.
        kind: ChunkKind,
    },
    /// It belongs to a stream that was never declared.
    #[error("it belongs to stream {stream}, which is not declared")]
    Undeclared {
        /// The stream's number.
        stream: u32,
    },
    /// It repeats event numbers that an earlier chunk has.
    #[error("it starts at {first}, but {next} comes next")]
    Overlap {
        /// Its first number.
        first: u64,
        /// The number that was due.
        next: u64,
    },
}

impl From<ChunkError> for Damage {
    fn from(why: ChunkError) -> Self {
        Self::Header(why)
    }
}

/// A chunk whose checksum is good and whose content is not.
pub(crate) fn malformed(entry: &ChunkEntry) -> Damaged {
    let kind = entry.kind;
    Damaged {
        offset: entry.offset,
        what: Damage::Content { kind },
    }
}
