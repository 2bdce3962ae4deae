//! The chunk header: what stands in front of every chunk of a recording.
//!
//! ```text
//!  0   4  sync       A7 'C' 'K' 7A
//!  4   1  kind       see ChunkKind; a reader skips kinds it does not know
//!  5   1  codec      0 stored, 1 zstd
//!  6   2  zero
//!  8   4  stream     whose chunk this is; 0 where it belongs to none
//! 12   4  segment    the segment that its content belongs to
//! 16   8  first      events: number of the first event; pages: number of the
//!                    first page; page map: lowest address
//! 24   8  stamp      events: the global stamp that holds for the first event
//! 32   4  count      events, pages or map entries in the chunk
//! 36   4  raw        length of the payload once decompressed
//! 40   4  stored     length of the payload in the file
//! 44   4  crc32c     of the payload as stored
//! 48   4  crc32c     of bytes 0..48, seeded with the recording's id
//! 52      payload
//! ```
//! The header's own checksum lets a reader trust `stored` before it has read
//! the payload, and find the next chunk behind damage. It is seeded with the
//! recording's id, so that a chunk of another recording never passes for one
//! of this.

use crate::limits;

/// The length of a chunk header.
pub const LEN: usize = 52;

/// The first bytes of every chunk.
pub const SYNC: [u8; 4] = *b"\xa7CK\x7a";

/// A fuzzer would spend its life on making checksums fit, so there they do not
/// count: what they let through is what it is to find its way in.
pub(crate) const CHECKSUMS_COUNT: bool = !cfg!(fuzzing);

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ChunkKind {
    /// The manifest, first in the file.
    Manifest = 1,
    /// Declares a stream.
    Stream = 2,
    /// Events of one stream.
    Events = 3,
    /// Contents of pages.
    Pages = 4,
    /// Which page stood where.
    PageMap = 5,
    /// The closing manifest.
    Closing = 6,
    /// Where every chunk is.
    Index = 7,
    /// Where the index is; the last chunk.
    Trailer = 8,
}

impl ChunkKind {
    /// The kind with this number, if there is one.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        use ChunkKind::{Closing, Events, Index, Manifest, PageMap, Pages, Stream, Trailer};
        [
            Manifest, Stream, Events, Pages, PageMap, Closing, Index, Trailer,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == number)
    }
}

/// The header of one chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkHeader {
    /// The number of a [`ChunkKind`], or of a later version's.
    pub kind: u8,
    /// The number of a codec.
    pub codec: u8,
    /// Whose chunk this is.
    pub stream: u32,
    /// Which segment it belongs to.
    pub segment: u32,
    /// The number of its first event or page, or its lowest address.
    pub first: u64,
    /// The global stamp that holds for its first event.
    pub stamp: u64,
    /// How many events, pages or entries it has.
    pub count: u32,
    /// How long its payload is once decompressed.
    pub raw: u32,
    /// How long its payload is in the file.
    pub stored: u32,
    /// The checksum of its payload as stored.
    pub payload_crc: u32,
}

/// Why bytes are not a chunk header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// No sync mark.
    #[error("no chunk starts there")]
    NoSync,
    /// The header's checksum does not fit.
    #[error("chunk header checksum is {found:08x}, computed {computed:08x}")]
    Checksum {
        /// What the file says.
        found: u32,
        /// What its bytes say.
        computed: u32,
    },
    /// A length is over its limit.
    #[error("chunk claims {len} bytes, over the limit of {limit}")]
    TooLong {
        /// The claimed length.
        len: u32,
        /// What is allowed.
        limit: usize,
    },
}

impl ChunkHeader {
    /// The header as it stands in the file of the recording `id`.
    #[must_use]
    pub fn write(&self, id: u64) -> [u8; LEN] {
        let mut out = [0; LEN];
        out[..4].copy_from_slice(&SYNC);
        out[4] = self.kind;
        out[5] = self.codec;
        out[8..12].copy_from_slice(&self.stream.to_le_bytes());
        out[12..16].copy_from_slice(&self.segment.to_le_bytes());
        out[16..24].copy_from_slice(&self.first.to_le_bytes());
        out[24..32].copy_from_slice(&self.stamp.to_le_bytes());
        out[32..36].copy_from_slice(&self.count.to_le_bytes());
        out[36..40].copy_from_slice(&self.raw.to_le_bytes());
        out[40..44].copy_from_slice(&self.stored.to_le_bytes());
        out[44..48].copy_from_slice(&self.payload_crc.to_le_bytes());
        let crc = seeded_crc(id, &out[..48]);
        out[48..52].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Reads a header of the recording `id`.
    pub fn read(bytes: &[u8; LEN], id: u64) -> Result<Self, ChunkError> {
        if bytes[..4] != SYNC {
            return Err(ChunkError::NoSync);
        }
        let found = u32_at(bytes, 48);
        let computed = seeded_crc(id, &bytes[..48]);
        if found != computed && CHECKSUMS_COUNT {
            return Err(ChunkError::Checksum { found, computed });
        }
        let header = Self {
            kind: bytes[4],
            codec: bytes[5],
            stream: u32_at(bytes, 8),
            segment: u32_at(bytes, 12),
            first: u64_at(bytes, 16),
            stamp: u64_at(bytes, 24),
            count: u32_at(bytes, 32),
            raw: u32_at(bytes, 36),
            stored: u32_at(bytes, 40),
            payload_crc: u32_at(bytes, 44),
        };
        for (len, limit) in [
            (header.raw, limits::CHUNK_RAW),
            (header.stored, limits::CHUNK_STORED),
        ] {
            if len as usize > limit {
                return Err(ChunkError::TooLong { len, limit });
            }
        }
        Ok(header)
    }

    /// The kind, where this version knows it.
    #[must_use]
    pub fn known_kind(&self) -> Option<ChunkKind> {
        ChunkKind::from_number(self.kind)
    }

    /// How many bytes of the file the chunk takes, header included.
    #[must_use]
    pub fn len_in_file(&self) -> u64 {
        LEN as u64 + u64::from(self.stored)
    }
}

fn seeded_crc(id: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&id.to_le_bytes()), bytes)
}

fn u32_at(bytes: &[u8; LEN], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8; LEN], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn header()(
            kind: u8, codec: u8, stream: u32, segment: u32, first: u64, stamp: u64, count: u32,
            raw in 0..=limits::CHUNK_RAW as u32, stored in 0..=limits::CHUNK_STORED as u32,
            payload_crc: u32,
        ) -> ChunkHeader {
            ChunkHeader { kind, codec, stream, segment, first, stamp, count, raw, stored, payload_crc }
        }
    }

    proptest! {
        #[test]
        fn round_trip(header in header(), id: u64) {
            prop_assert_eq!(ChunkHeader::read(&header.write(id), id), Ok(header));
        }

        #[test]
        fn a_flipped_bit_is_noticed(header in header(), id: u64, bit in 0..LEN * 8) {
            let mut bytes = header.write(id);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(ChunkHeader::read(&bytes, id).is_err());
        }

        #[test]
        fn another_recordings_chunk_is_refused(header in header(), id: u64, other: u64) {
            prop_assume!(id != other);
            prop_assert!(ChunkHeader::read(&header.write(id), other).is_err());
        }
    }

    #[test]
    fn a_length_over_the_limit_is_refused() {
        let header = ChunkHeader {
            raw: u32::MAX,
            ..ChunkHeader::default()
        };
        let expected = ChunkError::TooLong {
            len: u32::MAX,
            limit: limits::CHUNK_RAW,
        };
        assert_eq!(ChunkHeader::read(&header.write(1), 1), Err(expected));
    }
}
