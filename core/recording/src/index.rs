//! The index and the trailer: where every chunk is.
//!
//! `finish` appends them; a recording without them is scanned instead. The
//! index payload:
//!
//! ```text
//!  varint  entries
//!  entries ×
//!    u8      kind
//!    varint  bytes between the end of the entry before and this chunk
//!    varint  length in the file, header included
//!    varint  stream
//!    varint  segment
//!    varint  first
//!    varint  stamp
//!    varint  count
//! ```
//! The trailer is a chunk of fixed length at the very end of the file; its
//! payload is the offset of the index as a `u64`. What is appended later gets
//! an index and a trailer of its own, and the old ones become dead weight.

use crate::{
    chunk::{self, ChunkHeader, ChunkKind},
    varint,
};

/// The length of the trailer chunk.
pub(crate) const TRAILER_LEN: u64 = chunk::LEN as u64 + 8;

/// Where a chunk is, and what its header says that one needs for finding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// What it holds.
    pub kind: ChunkKind,
    /// Where its header starts.
    pub offset: u64,
    /// How many bytes of the file it takes, header included.
    pub len: u64,
    /// Whose chunk it is.
    pub stream: u32,
    /// Which segment it belongs to.
    pub segment: u32,
    /// Its first event or page, or its lowest address.
    pub first: u64,
    /// The stamp of its first event.
    pub stamp: u64,
    /// How many events, pages or entries it has.
    pub count: u32,
}

impl ChunkEntry {
    /// The entry for a chunk at `offset`; `None` for a kind that this version
    /// does not know.
    #[must_use]
    pub fn new(header: &ChunkHeader, offset: u64) -> Option<Self> {
        Some(Self {
            kind: header.known_kind()?,
            offset,
            len: header.len_in_file(),
            stream: header.stream,
            segment: header.segment,
            first: header.first,
            stamp: header.stamp,
            count: header.count,
        })
    }

    /// Whether the chunk's header is the one that the index describes.
    pub(crate) fn describes(&self, header: &ChunkHeader) -> bool {
        Self::new(header, self.offset) == Some(*self)
    }

    /// The number behind the last event or page.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.first.saturating_add(u64::from(self.count))
    }
}

/// The payload of an index chunk.
pub(crate) fn write(entries: &[ChunkEntry]) -> Vec<u8> {
    let mut out = Vec::with_capacity(entries.len() * 16);
    varint::put(&mut out, entries.len() as u64);
    let mut end = 0;
    for entry in entries {
        out.push(entry.kind as u8);
        varint::put(&mut out, entry.offset - end);
        varint::put(&mut out, entry.len);
        varint::put(&mut out, entry.stream.into());
        varint::put(&mut out, entry.segment.into());
        varint::put(&mut out, entry.first);
        varint::put(&mut out, entry.stamp);
        varint::put(&mut out, entry.count.into());
        end = entry.offset + entry.len;
    }
    out
}

/// Reads an index payload of a file of `file_len` bytes; `None` when it is
/// malformed or speaks of bytes that the file does not have.
pub(crate) fn read(mut payload: &[u8], file_len: u64) -> Option<Vec<ChunkEntry>> {
    const SMALLEST_ENTRY: usize = 8;
    let bytes = &mut payload;
    let count = usize::try_from(varint::take(bytes)?).ok()?;
    if count > bytes.len() / SMALLEST_ENTRY {
        return None;
    }
    let mut entries = Vec::with_capacity(count);
    let mut end = 0u64;
    for _ in 0..count {
        let [kind, rest @ ..] = *bytes else {
            return None;
        };
        *bytes = rest;
        let entry = ChunkEntry {
            kind: ChunkKind::from_number(*kind)?,
            offset: end.checked_add(varint::take(bytes)?)?,
            len: varint::take(bytes)?,
            stream: varint::take(bytes)?.try_into().ok()?,
            segment: varint::take(bytes)?.try_into().ok()?,
            first: varint::take(bytes)?,
            stamp: varint::take(bytes)?,
            count: varint::take(bytes)?.try_into().ok()?,
        };
        end = entry.offset.checked_add(entry.len)?;
        if end > file_len || entry.len < chunk::LEN as u64 {
            return None;
        }
        entries.push(entry);
    }
    bytes.is_empty().then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn round_trip(chunks: Vec<(u8, u16, u16, u32, u32, u64, u64, u32)>) {
            let mut end = 32;
            let mut entries = Vec::new();
            for (kind, gap, len, stream, segment, first, stamp, count) in chunks {
                let kind = ChunkKind::from_number(kind % 8 + 1).unwrap();
                let offset = end + u64::from(gap);
                let len = chunk::LEN as u64 + u64::from(len);
                entries.push(ChunkEntry { kind, offset, len, stream, segment, first, stamp, count });
                end = offset + len;
            }
            prop_assert_eq!(read(&write(&entries), end), Some(entries.clone()));
            if !entries.is_empty() {
                prop_assert_eq!(read(&write(&entries), end - 1), None);
            }
        }

        #[test]
        fn any_bytes_end(payload: Vec<u8>, file_len: u64) {
            let _ = read(&payload, file_len);
        }
    }
}
