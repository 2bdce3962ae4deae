//! Where the bytes of a recording come from, and how one chunk is read.

use crate::{
    chunk::{self, ChunkHeader, ChunkKind},
    codec,
    damage::{Damage, Damaged, OpenError, ReadError},
    header::{self, FileHeader},
    index::{self, ChunkEntry},
    limits, pages,
    writer::Packing,
};
use std::{fs::File, io};

/// Where the bytes of a recording come from.
pub trait Source {
    /// How many there are.
    fn len(&self) -> io::Result<u64>;
    /// Reads some of them at `offset`, like `pread`.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Whether there are none.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

impl Source for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, bytes, offset)
    }
}

impl Source for Vec<u8> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.as_slice().len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let available = self.get(start..).unwrap_or_default();
        let len = available.len().min(bytes.len());
        bytes[..len].copy_from_slice(&available[..len]);
        Ok(len)
    }
}

pub(crate) fn read_full(
    source: &impl Source,
    mut bytes: &mut [u8],
    mut offset: u64,
) -> io::Result<()> {
    while !bytes.is_empty() {
        match source.read_at(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(len) => {
                bytes = &mut bytes[len..];
                offset += len as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn read_file_header(source: &impl Source) -> Result<(FileHeader, u64), OpenError> {
    let len = source.len()?;
    let mut bytes = [0; header::LEN];
    let known = len.min(header::LEN as u64) as usize;
    read_full(source, &mut bytes[..known], 0)?;
    Ok((FileHeader::read(&bytes[..known])?, len))
}

/// The entries of the index; `None` when it is missing or damaged.
pub(crate) fn entries_by_index(
    source: &impl Source,
    id: u64,
    file_len: u64,
) -> io::Result<Option<Vec<ChunkEntry>>> {
    let Some(offset) = file_len.checked_sub(index::TRAILER_LEN) else {
        return Ok(None);
    };
    let load = |offset, kind| match read_unindexed(source, id, offset, kind, file_len) {
        Ok(payload) => Ok(Some(payload)),
        Err(ReadError::Io(error)) => Err(error),
        Err(_) => Ok(None),
    };
    let Some(trailer) = load(offset, ChunkKind::Trailer)? else {
        return Ok(None);
    };
    let Ok(offset) = trailer.try_into().map(u64::from_le_bytes) else {
        return Ok(None);
    };
    let Some(payload) = load(offset, ChunkKind::Index)? else {
        return Ok(None);
    };
    Ok(index::read(&payload, file_len))
}

/// Reads the chunk at `offset`, which must be of this kind.
fn read_unindexed(
    source: &impl Source,
    id: u64,
    offset: u64,
    kind: ChunkKind,
    file_len: u64,
) -> Result<Vec<u8>, ReadError> {
    let damaged = |what| Damaged { offset, what };
    let room = file_len.saturating_sub(offset);
    if room < chunk::LEN as u64 {
        return Err(damaged(Damage::Index).into());
    }
    let mut bytes = [0; chunk::LEN];
    read_full(source, &mut bytes, offset)?;
    let header = ChunkHeader::read(&bytes, id).map_err(|why| damaged(why.into()))?;
    let entry = ChunkEntry::new(&header, offset)
        .filter(|entry| entry.kind == kind && entry.len <= room)
        .ok_or_else(|| damaged(Damage::Index))?;
    read_payload(source, id, &entry)
}

/// The unpacked payload of a chunk, with everything checked.
pub(crate) fn read_payload(
    source: &impl Source,
    id: u64,
    entry: &ChunkEntry,
) -> Result<Vec<u8>, ReadError> {
    let damaged = |what| Damaged {
        offset: entry.offset,
        what,
    };
    let stored = entry.len.saturating_sub(chunk::LEN as u64) as usize;
    if stored > limits::CHUNK_STORED {
        return Err(damaged(Damage::Index).into());
    }
    let mut bytes = [0; chunk::LEN];
    read_full(source, &mut bytes, entry.offset)?;
    let header = ChunkHeader::read(&bytes, id).map_err(|why| damaged(why.into()))?;
    if !entry.describes(&header) {
        return Err(damaged(Damage::Index).into());
    }
    if header.raw as usize > longest(&header) {
        let ChunkHeader { codec, raw, .. } = header;
        return Err(damaged(Damage::Unpack { codec, raw }).into());
    }
    let mut payload = vec![0; stored];
    read_full(source, &mut payload, entry.offset + chunk::LEN as u64)?;
    let computed = crc32c::crc32c(&payload);
    let found = header.payload_crc;
    if computed != found && chunk::CHECKSUMS_COUNT {
        return Err(damaged(Damage::Payload { found, computed }).into());
    }
    let ChunkHeader { codec, raw, .. } = header;
    codec::unpack(codec, payload, raw as usize)
        .ok_or_else(|| damaged(Damage::Unpack { codec, raw }).into())
}

/// The longest payload that a writer gives a chunk like this.
fn longest(header: &ChunkHeader) -> usize {
    match header.known_kind() {
        Some(ChunkKind::Manifest | ChunkKind::Closing) => limits::MANIFEST,
        Some(ChunkKind::Stream) => limits::STREAM,
        Some(ChunkKind::Pages) => pages::PAGES_PER_CHUNK * pages::LEN,
        Some(ChunkKind::PageMap) if header.count as usize > pages::ENTRIES_PER_MAP => 0,
        // Two numbers of up to ten bytes each.
        Some(ChunkKind::PageMap) => pages::ENTRIES_PER_MAP * 20,
        Some(ChunkKind::Events) if header.count > 1 => Packing::LONGEST,
        _ => limits::CHUNK_RAW,
    }
}
