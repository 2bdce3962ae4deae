//! Writing a recording: append-only, several streams at once, from several
//! threads.
//!
//! Each [`StreamWriter`] collects and compresses on its own thread; only
//! appending the finished chunk takes the lock. A chunk is written in one
//! piece or, when that fails, cut off again: what is in the file is whole.

use crate::{
    chunk::{self, ChunkHeader, ChunkKind},
    codec::Packer,
    damage::OpenError,
    events::EventsBuilder,
    header::{self, FileHeader},
    index::{self, ChunkEntry},
    limits,
    manifest::{self, Closing, CutShort, Manifest},
    pages::PageStore,
    reader::Recording,
    stream::{StreamId, StreamInfo},
};
use rustix::fs::{FallocateFlags, FlockOperation};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A chunk is written when its events take this much. Half of it costs a fifth
/// of the draining speed, twice as much makes a seek take over a millisecond.
pub(crate) const CHUNK_TARGET: usize = 256 << 10;

/// Compression that keeps up with a subject.
const DEFAULT_LEVEL: i32 = 1;

/// Blocks set aside far behind the end of the file, given back when the disk
/// is full: room for the closing manifest that says so.
const RESERVE_AT: u64 = 1 << 40;
const RESERVE: u64 = 256 << 10;

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file cannot be written. Nothing more is appended after this.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is no recording that can be added to.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Another process is writing this recording.
    #[error("another process is writing it")]
    Busy,
    /// The disk is full. Nothing more is appended after this.
    #[error("the disk is full")]
    DiskFull,
    /// An earlier error or `finish` has ended the recording.
    #[error("the recording has ended")]
    Ended,
    /// The event is longer than an event may be.
    #[error("an event of {len} bytes is over the limit of {}", limits::EVENT)]
    EventTooLong {
        /// How long it is.
        len: usize,
    },
    /// The manifest is longer than a manifest may be.
    #[error("a manifest is over the limit of {} bytes", limits::MANIFEST)]
    ManifestTooLong,
    /// A stamp is below the one before it.
    #[error("stamp {stamp} of stream {stream} goes back in time")]
    StampWentBack {
        /// The stream.
        stream: StreamId,
        /// The offending stamp.
        stamp: u64,
    },
    /// More streams than a recording may have.
    #[error("over the limit of {} streams", limits::STREAMS)]
    TooManyStreams,
    /// `finish` was called while streams were being written.
    #[error("{count} streams are still being written")]
    StreamsOpen {
        /// How many.
        count: usize,
    },
}

/// Writes one recording. Clones write to the same file.
#[derive(Clone)]
pub struct Writer {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    sink: Mutex<Sink>,
    packers: Mutex<Vec<Packer>>,
    pub(crate) pages: Mutex<PageStore>,
    level: i32,
    /// One clone of this for each stream that is being written.
    open_streams: Arc<()>,
}

struct Sink {
    file: File,
    id: u64,
    at: u64,
    entries: Vec<ChunkEntry>,
    next_stream: u32,
    events: u64,
    ended: Option<CutShort>,
    finished: bool,
}

/// What `finish` has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The length of the file.
    pub bytes: u64,
    /// How many events this writer appended.
    pub events: u64,
    /// Why the recording ended early, if it did.
    pub cut_short: Option<CutShort>,
}

impl Writer {
    /// Creates a recording; the file must not exist.
    pub fn create(path: impl AsRef<Path>, manifest: &Manifest) -> Result<Self, WriteError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        Self::start(file, manifest)
    }

    /// Makes a recording of an empty file that the caller has created.
    pub fn start(file: File, manifest: &Manifest) -> Result<Self, WriteError> {
        lock(&file)?;
        // Without a reserve a full disk costs the closing manifest, no more.
        let _ = rustix::fs::fallocate(&file, FallocateFlags::KEEP_SIZE, RESERVE_AT, RESERVE);
        let id = random_id(&file)?;
        let version = header::VERSION;
        file.write_all_at(&FileHeader { version, id }.write(), 0)
            .map_err(failure)?;
        let writer = Self::on(file, id, header::LEN as u64, Vec::new(), 1);
        let payload = manifest::write(manifest).ok_or(WriteError::ManifestTooLong)?;
        writer.append(ChunkKind::Manifest, Place::default(), &payload)?;
        Ok(writer)
    }

    /// Opens a recording for adding to it. An incomplete chunk at its end is
    /// cut off; nothing else of it is touched.
    pub fn reopen(path: impl AsRef<Path>) -> Result<(Self, Recording), WriteError> {
        let file = OpenOptions::new().read(true).write(true).open(&path)?;
        lock(&file)?;
        // A file of its own, so that the lock goes with the writer.
        let recording = Recording::from_source(File::open(path)?)?;
        let at = recording.opened().truncated.unwrap_or(recording.file_len());
        // Frees the reserve of a writer that was killed, too.
        file.set_len(at)?;
        let next_stream = recording.streams().map(|(id, _)| id.0).max().unwrap_or(0) + 1;
        let entries = recording.entries().to_vec();
        let writer = Self::on(file, recording.id, at, entries, next_stream);
        writer.shared.pages().next = recording.page_count();
        Ok((writer, recording))
    }

    fn on(file: File, id: u64, at: u64, entries: Vec<ChunkEntry>, next_stream: u32) -> Self {
        let sink = Sink {
            file,
            id,
            at,
            entries,
            next_stream,
            events: 0,
            ended: None,
            finished: false,
        };
        Self {
            shared: Arc::new(Shared {
                sink: Mutex::new(sink),
                packers: Mutex::default(),
                pages: Mutex::default(),
                level: DEFAULT_LEVEL,
                open_streams: Arc::new(()),
            }),
        }
    }

    /// Declares a stream.
    pub fn stream(&self, info: &StreamInfo) -> Result<StreamWriter, WriteError> {
        let id = self.declare(info)?;
        Ok(self.resume(id, 0))
    }

    /// Goes on with a stream that was declared before, at event `next`.
    #[must_use]
    pub fn resume(&self, id: StreamId, next: u64) -> StreamWriter {
        StreamWriter {
            writer: self.clone(),
            _open: self.shared.open_streams.clone(),
            id,
            events: EventsBuilder::default(),
            next,
            segment: 0,
            payload: Vec::new(),
        }
    }

    fn declare(&self, info: &StreamInfo) -> Result<StreamId, WriteError> {
        let payload = manifest::write(info)
            .filter(|payload| payload.len() <= limits::STREAM)
            .ok_or(WriteError::ManifestTooLong)?;
        let mut sink = self.shared.sink();
        let stream = sink.next_stream;
        if stream as usize > limits::STREAMS {
            return Err(WriteError::TooManyStreams);
        }
        sink.next_stream += 1;
        drop(sink);
        let place = Place {
            stream,
            ..Place::default()
        };
        self.append(ChunkKind::Stream, place, &payload)?;
        Ok(StreamId(stream))
    }

    /// Ends the recording early: nothing more is appended but the closing.
    pub fn cut_short(&self, why: CutShort) {
        self.shared.sink().ended.get_or_insert(why);
    }

    /// Why nothing more is appended, if that is so.
    #[must_use]
    pub fn ended(&self) -> Option<CutShort> {
        self.shared.sink().ended.clone()
    }

    /// How long the file is now.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        self.shared.sink().at
    }

    /// How many events it has now.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.shared.sink().events
    }

    /// Writes the closing manifest and the index, and waits until all of it is
    /// on disk. A recording that ended early gets a closing that says so.
    pub fn finish(self, mut closing: Closing) -> Result<Finished, WriteError> {
        let count = Arc::strong_count(&self.shared.open_streams) - 1;
        if count > 0 {
            return Err(WriteError::StreamsOpen { count });
        }
        let mut sink = self.shared.sink();
        if sink.finished {
            return Err(WriteError::Ended);
        }
        sink.finished = true;
        // Gives back the reserve: from here on it is needed.
        let (at, file) = (sink.at, &sink.file);
        file.set_len(at)?;
        let full = sink.ended.take();
        closing.cut_short = full.clone().or(closing.cut_short);
        let Some(payload) = manifest::write(&closing) else {
            return Err(WriteError::ManifestTooLong);
        };
        let place = Place::default();
        let mut written = sink.append_packed(ChunkKind::Closing, place, 0, &payload, &payload);
        if written.is_ok() {
            let index_at = sink.at;
            let index = index::write(&sink.entries);
            let mut packer = Packer::new(self.shared.level)?;
            let (codec, stored) = packer.pack(&index);
            let index = sink.append_packed(ChunkKind::Index, place, codec, &index, stored);
            let trailer = index_at.to_le_bytes();
            let trailer = index.and_then(|()| {
                sink.append_packed(ChunkKind::Trailer, place, 0, &trailer, &trailer)
            });
            // On a full disk a recording without an index is a whole recording.
            if full.is_none() {
                written = trailer;
            }
        }
        let synced = sink.file.sync_all();
        written?;
        synced?;
        Ok(Finished {
            bytes: sink.at,
            events: sink.events,
            cut_short: closing.cut_short,
        })
    }

    /// Packs `raw` and appends it as a chunk.
    pub(crate) fn append(
        &self,
        kind: ChunkKind,
        place: Place,
        raw: &[u8],
    ) -> Result<(), WriteError> {
        let pooled = self.shared.packers().pop();
        let mut packer = match pooled {
            Some(packer) => packer,
            None => Packer::new(self.shared.level)?,
        };
        let (codec, stored) = packer.pack(raw);
        let result = self
            .shared
            .sink()
            .append_packed(kind, place, codec, raw, stored);
        self.shared.packers().push(packer);
        result
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
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

impl Shared {
    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn packers(&self) -> MutexGuard<'_, Vec<Packer>> {
        self.packers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn pages(&self) -> MutexGuard<'_, PageStore> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink {
    fn append_packed(
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
        let written = self
            .file
            .write_all_at(&bytes, self.at)
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

/// Writes the events of one stream.
pub struct StreamWriter {
    writer: Writer,
    _open: Arc<()>,
    id: StreamId,
    events: EventsBuilder,
    /// The number of the first event of the chunk that is being filled.
    next: u64,
    segment: u32,
    payload: Vec<u8>,
}

impl StreamWriter {
    /// The number of the stream.
    #[must_use]
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// The number of the next event.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.next.saturating_add(u64::from(self.events.count()))
    }

    /// Appends an event.
    pub fn append(&mut self, payload: &[u8]) -> Result<(), WriteError> {
        self.push(payload, false)
    }

    /// Appends an event whose payload is a stand-in for a private one.
    pub fn append_replaced(&mut self, payload: &[u8]) -> Result<(), WriteError> {
        self.push(payload, true)
    }

    pub(crate) fn push(&mut self, payload: &[u8], replaced: bool) -> Result<(), WriteError> {
        let len = payload.len();
        if len > limits::EVENT {
            return Err(WriteError::EventTooLong { len });
        }
        self.make_room(len)?;
        self.events.push(payload, replaced);
        Ok(())
    }

    /// Appends an event that is the first `len` of `bytes`, and short enough.
    #[inline]
    pub(crate) fn push_first(&mut self, bytes: &[u8], len: usize) -> Result<(), WriteError> {
        self.make_room(len)?;
        self.events.push_first(bytes, len);
        Ok(())
    }

    /// An event joins a chunk only if the chunk stays within its target; one
    /// that is longer than the target has a chunk to itself.
    #[inline]
    fn make_room(&mut self, len: usize) -> Result<(), WriteError> {
        if self.events.len() + len >= CHUNK_TARGET && self.events.count() > 0 {
            self.flush()?;
        }
        Ok(())
    }

    /// The events from here on belong to a slice with this stamp.
    pub fn stamp(&mut self, stamp: u64) -> Result<(), WriteError> {
        if self.events.stamp(stamp) {
            return Ok(());
        }
        let stream = self.id;
        Err(WriteError::StampWentBack { stream, stamp })
    }

    /// The events from here on belong to this segment.
    pub fn segment(&mut self, segment: u32) -> Result<(), WriteError> {
        if segment != self.segment {
            self.flush()?;
            self.segment = segment;
        }
        Ok(())
    }

    /// Starts over at event `number`: those before it were dropped.
    pub fn skip_to(&mut self, number: u64) -> Result<(), WriteError> {
        self.flush()?;
        self.next = self.next.max(number);
        Ok(())
    }

    /// Writes what has been collected.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        let count = self.events.count();
        if count == 0 {
            return Ok(());
        }
        let payload = self.events.payload(&mut self.payload);
        let place = Place {
            stream: self.id.0,
            segment: self.segment,
            first: self.next,
            stamp: self.events.first_stamp(),
            count,
        };
        self.writer.append(ChunkKind::Events, place, payload)?;
        self.next = self.next.saturating_add(u64::from(count));
        self.events.clear();
        Ok(())
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        // What goes wrong here has ended the recording, and `finish` says so.
        let _ = self.flush();
    }
}

fn lock(file: &File) -> Result<(), WriteError> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(WriteError::Busy),
        // A file system without locks is no reason not to record.
        Err(_) => Ok(()),
    }
}

fn failure(error: io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => WriteError::DiskFull,
        _ => WriteError::Io(error),
    }
}

/// A number that no other recording has.
fn random_id(file: &File) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = [0; 8];
    if let Ok(random) = File::open("/dev/urandom")
        && random.read_at(&mut bytes, 0).is_ok_and(|len| len == 8)
    {
        return Ok(u64::from_le_bytes(bytes));
    }
    let time = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let metadata = file.metadata()?;
    let mut hasher = blake3::Hasher::new();
    for number in [time.as_nanos() as u64, metadata.ino(), metadata.dev()] {
        hasher.update(&number.to_le_bytes());
    }
    let pid = rustix::process::getpid().as_raw_nonzero().get();
    hasher.update(&pid.to_le_bytes());
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    Ok(u64::from_le_bytes(bytes))
}
