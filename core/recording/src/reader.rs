//! Reading a recording: opening it, and finding one's way in it.
//!
//! Opening takes the index when there is one and scans otherwise; both end in
//! the same [`Recording`]. Nothing is decompressed before it is asked for.

use crate::{
    chunk::ChunkKind,
    damage::{Damage, Damaged, OpenError, ReadError, malformed},
    events::EventsCursor,
    header::FileHeader,
    index::ChunkEntry,
    limits,
    manifest::{self, Closing, Manifest, NotRecorded},
    scan,
    source::{Source, entries_by_index, read_file_header, read_payload},
    stream::{StreamId, StreamInfo},
    timeline::Timeline,
    walk::Events,
};
use std::{collections::BTreeMap, fs::File, path::Path};

/// How the opening went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Through the index; otherwise by a scan.
    pub by_index: bool,
    /// The file ends inside the chunk that starts here.
    pub truncated: Option<u64>,
    /// What could not be read.
    pub damage: Vec<Damaged>,
    /// Chunks of kinds that this version does not know.
    pub unknown_chunks: u64,
}

/// An open recording.
pub struct Recording<S = File> {
    pub(crate) source: S,
    pub(crate) id: u64,
    version: u32,
    len: u64,
    manifest: Manifest,
    closing: Option<Closing>,
    streams: BTreeMap<StreamId, Stream>,
    pub(crate) page_chunks: Vec<ChunkEntry>,
    pub(crate) page_maps: Vec<ChunkEntry>,
    entries: Vec<ChunkEntry>,
    opened: Opened,
}

pub(crate) struct Stream {
    pub(crate) info: StreamInfo,
    pub(crate) chunks: Vec<ChunkEntry>,
}

impl Recording<File> {
    /// Opens the recording at `path`, as it is.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::from_source(File::open(path)?)
    }
}

impl<S: Source> Recording<S> {
    /// Opens a recording wherever its bytes are.
    pub fn from_source(source: S) -> Result<Self, OpenError> {
        let (header, len) = read_file_header(&source)?;
        if let Some(entries) = entries_by_index(&source, header.id, len)? {
            let opened = Opened {
                by_index: true,
                ..Opened::default()
            };
            return Self::assemble(source, header, len, entries, opened);
        }
        Self::by_scan(source, header, len)
    }

    /// Opens a recording without its index, checking every checksum.
    pub fn scan(source: S) -> Result<Self, OpenError> {
        let (header, len) = read_file_header(&source)?;
        Self::by_scan(source, header, len)
    }

    fn by_scan(source: S, header: FileHeader, len: u64) -> Result<Self, OpenError> {
        let scan = scan::scan(&source, header.id, len)?;
        let opened = Opened {
            by_index: false,
            truncated: scan.truncated,
            damage: scan.damage,
            unknown_chunks: scan.unknown_chunks,
        };
        Self::assemble(source, header, len, scan.entries, opened)
    }

    fn assemble(
        source: S,
        header: FileHeader,
        len: u64,
        entries: Vec<ChunkEntry>,
        opened: Opened,
    ) -> Result<Self, OpenError> {
        let mut recording = Self {
            source,
            id: header.id,
            version: header.version,
            len,
            manifest: Manifest::default(),
            closing: None,
            streams: BTreeMap::new(),
            page_chunks: Vec::new(),
            page_maps: Vec::new(),
            entries: Vec::new(),
            opened,
        };
        let mut has_manifest = false;
        let last_closing = entries
            .iter()
            .rfind(|entry| entry.kind == ChunkKind::Closing)
            .map(|entry| entry.offset);
        for entry in &entries {
            let superseded = match entry.kind {
                ChunkKind::Manifest => has_manifest,
                ChunkKind::Closing => last_closing != Some(entry.offset),
                _ => false,
            };
            if superseded {
                continue;
            }
            match recording.place(entry, &mut has_manifest) {
                Ok(()) => {}
                Err(ReadError::Io(error)) => return Err(error.into()),
                Err(ReadError::Damaged(damaged)) => recording.opened.damage.push(damaged),
                Err(ReadError::NoStream(_)) => {}
            }
        }
        if !has_manifest {
            return Err(OpenError::NoManifest);
        }
        recording.entries = entries;
        Ok(recording)
    }

    /// Puts one chunk where it is looked for later.
    fn place(&mut self, entry: &ChunkEntry, has_manifest: &mut bool) -> Result<(), ReadError> {
        let damaged = |what| Damaged {
            offset: entry.offset,
            what,
        };
        let malformed = || malformed(entry);
        match entry.kind {
            ChunkKind::Manifest => {
                let payload = self.payload(entry)?;
                self.manifest = manifest::read(&payload).ok_or_else(malformed)?;
                *has_manifest = true;
            }
            ChunkKind::Closing => {
                let payload = self.payload(entry)?;
                self.closing = Some(manifest::read(&payload).ok_or_else(malformed)?);
            }
            ChunkKind::Stream => {
                let payload = self.payload(entry)?;
                let info = manifest::read(&payload).ok_or_else(malformed)?;
                let id = StreamId(entry.stream);
                if entry.stream == 0
                    || self.streams.len() >= limits::STREAMS
                    || self.streams.contains_key(&id)
                {
                    return Err(malformed().into());
                }
                let chunks = Vec::new();
                self.streams.insert(id, Stream { info, chunks });
            }
            ChunkKind::Events => {
                let Some(stream) = self.streams.get_mut(&StreamId(entry.stream)) else {
                    let stream = entry.stream;
                    return Err(damaged(Damage::Undeclared { stream }).into());
                };
                push_in_order(&mut stream.chunks, entry)?;
            }
            ChunkKind::Pages => push_in_order(&mut self.page_chunks, entry)?,
            ChunkKind::PageMap => self.page_maps.push(*entry),
            ChunkKind::Index | ChunkKind::Trailer => {}
        }
        Ok(())
    }

    /// What was recorded.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How it ended; `None` when the recorder did not come to say so.
    #[must_use]
    pub fn closing(&self) -> Option<&Closing> {
        self.closing.as_ref()
    }

    /// What it says is not in it; nothing when the recorder did not come to say so.
    #[must_use]
    pub fn not_recorded(&self) -> &[NotRecorded] {
        let closing = self.closing.as_ref();
        closing.map_or(&[], |closing| &closing.not_recorded)
    }

    /// How the opening went.
    #[must_use]
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// The version of the container.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// How many bytes the file had when it was opened.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        self.len
    }

    /// The streams in the order of their declaration.
    pub fn streams(&self) -> impl Iterator<Item = (StreamId, &StreamInfo)> {
        self.streams.iter().map(|(id, stream)| (*id, &stream.info))
    }

    /// How many events of a stream are in the file.
    #[must_use]
    pub fn event_count(&self, stream: StreamId) -> u64 {
        self.streams.get(&stream).map_or(0, |stream| {
            stream
                .chunks
                .iter()
                .map(|chunk| u64::from(chunk.count))
                .sum()
        })
    }

    /// The number that the next event of a stream would have.
    #[must_use]
    pub fn next_number(&self, stream: StreamId) -> u64 {
        let chunks = self.streams.get(&stream).map(|stream| &stream.chunks);
        chunks
            .and_then(|chunks| chunks.last())
            .map_or(0, ChunkEntry::end)
    }

    /// The chunks of a stream's events, in order.
    #[must_use]
    pub fn chunks(&self, stream: StreamId) -> &[ChunkEntry] {
        self.streams
            .get(&stream)
            .map_or(&[], |stream| &stream.chunks)
    }

    /// The events of a stream from number `from` on. Only the chunk that holds
    /// this number is unpacked on the way there.
    pub fn events(&self, stream: StreamId, from: u64) -> Result<Events<'_, S>, ReadError> {
        if !self.streams.contains_key(&stream) {
            return Err(ReadError::NoStream(stream));
        }
        Ok(Events::new(self, stream, from))
    }

    /// All events in their global order.
    #[must_use]
    pub fn timeline(&self) -> Timeline<'_, S> {
        Timeline::new(self, |_| false)
    }

    /// All events in their global order, from a stamp on.
    #[must_use]
    pub fn timeline_from_stamp(&self, stamp: u64) -> Timeline<'_, S> {
        Timeline::from_stamp(self, stamp)
    }

    /// All events in their global order, from a segment on.
    #[must_use]
    pub fn timeline_from_segment(&self, segment: u32) -> Timeline<'_, S> {
        Timeline::new(self, |chunk| chunk.segment < segment)
    }

    /// Every chunk that was found, in the order of the file.
    pub(crate) fn entries(&self) -> &[ChunkEntry] {
        &self.entries
    }

    pub(crate) fn all_streams(&self) -> impl Iterator<Item = (StreamId, &Stream)> {
        self.streams.iter().map(|(id, stream)| (*id, stream))
    }

    /// The unpacked payload of a chunk, with everything checked.
    pub(crate) fn payload(&self, entry: &ChunkEntry) -> Result<Vec<u8>, ReadError> {
        read_payload(&self.source, self.id, entry)
    }

    /// The events of a chunk, unpacked.
    pub(crate) fn cursor(&self, entry: &ChunkEntry) -> Result<EventsCursor, ReadError> {
        let payload = self.payload(entry)?;
        EventsCursor::new(payload, entry.count, entry.stamp).ok_or_else(|| malformed(entry).into())
    }
}

fn push_in_order(chunks: &mut Vec<ChunkEntry>, entry: &ChunkEntry) -> Result<(), Damaged> {
    let next = chunks.last().map_or(0, ChunkEntry::end);
    let first = entry.first;
    if first < next || entry.first.checked_add(u64::from(entry.count)).is_none() {
        let what = Damage::Overlap { first, next };
        let offset = entry.offset;
        return Err(Damaged { offset, what });
    }
    chunks.push(*entry);
    Ok(())
}
