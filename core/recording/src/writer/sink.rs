//! The file behind a writer: chunks go to its end, whole or not at all.

use super::{RESERVE, WriteError};
use crate::{
    chunk::{self, ChunkHeader, ChunkKind},
    file_size,
    index::ChunkEntry,
    manifest::CutShort,
};
use std::{fs::File, io, os::unix::fs::FileExt};

pub(super) struct Sink {
    pub(super) file: File,
    pub(super) id: u64,
    pub(super) at: u64,
    /// For the index; some dozens of bytes for each chunk.
    pub(super) entries: Vec<ChunkEntry>,
    pub(super) next_stream: u32,
    pub(super) events: u64,
    pub(super) ended: Option<CutShort>,
    pub(super) finished: bool,
}

/// Where a chunk belongs: the part of its header that its content decides.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    pub(crate) stream: u32,
    pub(crate) segment: u32,
    pub(crate) first: u64,
    pub(crate) stamp: u64,
    pub(crate) count: u32,
}

impl Sink {
    pub(super) fn append_packed(
        &mut self,
        kind: ChunkKind,
        place: Place,
        codec: u8,
        raw: &[u8],
        stored: &[u8],
    ) -> Result<(), WriteError> {
        let last = matches!(
            kind,
            ChunkKind::Closing | ChunkKind::Index | ChunkKind::Trailer
        );
        if self.ended.is_some() || self.finished && !last {
            return Err(WriteError::Ended);
        }
        let header = ChunkHeader {
            kind: kind as u8,
            codec,
            stream: place.stream,
            segment: place.segment,
            first: place.first,
            stamp: place.stamp,
            count: place.count,
            raw: raw.len() as u32,
            stored: stored.len() as u32,
            payload_crc: crc32c::crc32c(stored),
        };
        let bytes = header.write(self.id);
        let end = self.at + header.len_in_file();
        let written = within_limit(end, last)
            .and_then(|()| self.file.write_all_at(&bytes, self.at))
            .and_then(|()| self.file.write_all_at(stored, self.at + chunk::LEN as u64));
        if let Err(error) = written {
            // Whatever was written of it goes again.
            let _ = self.file.set_len(self.at);
            let error = failure(error);
            self.ended = Some(match &error {
                WriteError::DiskFull => CutShort::DiskFull,
                other => CutShort::WriteFailed {
                    error: other.to_string(),
                },
            });
            return Err(error);
        }
        self.entries.extend(ChunkEntry::new(&header, self.at));
        self.at += header.len_in_file();
        if kind == ChunkKind::Events {
            self.events += u64::from(place.count);
        }
        Ok(())
    }
}

/// An error when a chunk must not reach up to `end`: what comes last has the
/// reserve to itself.
fn within_limit(end: u64, last: bool) -> io::Result<()> {
    let reserve = file_size::limit().map_or(0, |limit| RESERVE.min(limit / 4));
    file_size::check(if last { end } else { end + reserve })
}

pub(super) fn failure(error: io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => WriteError::DiskFull,
        _ => WriteError::Io(error),
    }
}
