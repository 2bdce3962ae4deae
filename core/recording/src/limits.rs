//! Every limit on what a recording may contain, in one place.
//!
//! A reader checks a length against these before it acts on it, so the worst
//! that a damaged or hostile file can make it allocate is written down here.

/// The longest event, in bytes. An event that is longer is not recorded; the
/// closing manifest names it.
pub const EVENT: usize = crate::spool::record::LONGEST;

/// The longest payload of a chunk once it is decompressed: the longest event,
/// its length, and the slices in front of it.
pub const CHUNK_RAW: usize = EVENT + (64 << 10);

/// The longest payload as it is stored. Zstd can grow what it cannot shrink by
/// a little, and such a payload is stored as it is.
pub const CHUNK_STORED: usize = CHUNK_RAW;

/// The longest manifest or closing manifest.
pub const MANIFEST: usize = 16 << 20;

/// The longest declaration of a stream.
pub const STREAM: usize = 64 << 10;

/// How many streams one recording may have.
pub const STREAMS: usize = 1 << 20;

/// How much of a chunk is decompressed before its declared length is believed
/// enough to allocate for it.
pub const TRUSTED_ALLOCATION: usize = 1 << 20;
