//! Writing a recording: append-only, several streams at once, from several
//! threads.
//!
//! Each [`StreamWriter`] collects and compresses on its own thread; only
//! appending the finished chunk takes the lock. A chunk is written in one
//! piece or, when that fails, cut off again: what is in the file is whole.

mod sink;
mod stream;

pub(crate) use self::sink::Place;
pub use self::stream::StreamWriter;

use self::sink::{Sink, failure};
use crate::{
    chunk::ChunkKind,
    codec::Packer,
    damage::OpenError,
    events::EventsBuilder,
    file_size,
    header::{self, FileHeader},
    index::{self, ChunkEntry},
    limits,
    manifest::{self, Closing, CutShort, Manifest, NotRecorded},
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

/// How much is packed at once, and how thoroughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// A chunk is written when its events take this many bytes.
    chunk: usize,
    /// The level of zstd.
    level: i32,
}

impl Packing {
    /// Keeps up with a subject. Half of that chunk costs a fifth of the draining speed,
    /// twice as much makes a seek take over a millisecond.
    pub const FAST: Self = Self {
        chunk: 256 << 10,
        level: 1,
    };

    /// For a recording that is written when its events are known, and played from its
    /// beginning. What a program reads in a second is mostly alike: text takes a third less
    /// in such chunks, and no longer to pack. A seek takes ten milliseconds.
    pub const DENSE: Self = Self {
        chunk: 8 << 20,
        level: 3,
    };

    /// The longest payload of a chunk with several events: slices come on top of them.
    pub(crate) const LONGEST: usize = 2 * Self::DENSE.chunk;

    /// The first version of the container whose readers take such chunks.
    fn version(self) -> u32 {
        if self.chunk > Self::FAST.chunk { 2 } else { 1 }
    }
}

/// Blocks set aside far behind the end of the file, given back when the disk
/// is full: room for the closing manifest that says so.
const RESERVE_AT: u64 = 1 << 40;
/// So many. As much is left free below a limit on the size of files.
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
    packing: Packing,
    /// One clone of this for each stream that is being written.
    open_streams: Arc<()>,
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
        Self::start_with(file, manifest, Packing::FAST)
    }

    /// The same, packed in another way.
    pub fn start_with(
        file: File,
        manifest: &Manifest,
        packing: Packing,
    ) -> Result<Self, WriteError> {
        lock(&file)?;
        // Without a reserve a full disk costs the closing manifest, no more.
        // Where files have a limit, some file systems hold it against this, too.
        if file_size::limit().is_none() {
            let _ = rustix::fs::fallocate(&file, FallocateFlags::KEEP_SIZE, RESERVE_AT, RESERVE);
        }
        file_size::check(header::LEN as u64)?;
        let id = random_id(&file)?;
        let version = packing.version();
        file.write_all_at(&FileHeader { version, id }.write(), 0)
            .map_err(failure)?;
        let writer = Self::on(file, id, header::LEN as u64, Vec::new(), 1, packing);
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
        let id = recording.id;
        let writer = Self::on(file, id, at, entries, next_stream, Packing::FAST);
        writer.shared.pages().next = recording.page_count();
        Ok((writer, recording))
    }

    fn on(
        file: File,
        id: u64,
        at: u64,
        entries: Vec<ChunkEntry>,
        next_stream: u32,
        packing: Packing,
    ) -> Self {
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
                packing,
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
            chunk: self.shared.packing.chunk,
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
        let payload = fitting(&mut closing).ok_or(WriteError::ManifestTooLong)?;
        let place = Place::default();
        let mut written = sink.append_packed(ChunkKind::Closing, place, 0, &payload, &payload);
        if written.is_ok() {
            let index_at = sink.at;
            let index = index::write(&sink.entries);
            let mut packer = Packer::new(self.shared.packing.level)?;
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
            None => Packer::new(self.shared.packing.level)?,
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

/// The bytes of a closing manifest. What it lists is shortened until it fits: a
/// recording with a shorter list is better than one without an end.
fn fitting(closing: &mut Closing) -> Option<Vec<u8>> {
    loop {
        if let Some(payload) = manifest::write(closing) {
            return Some(payload);
        }
        let notes = &mut closing.not_recorded;
        let kept = (notes.len() / 2).checked_sub(1)?;
        let left_out = notes.drain(kept..).map(|note| note.count);
        let count = left_out.fold(0, u64::saturating_add);
        notes.push(NotRecorded {
            what: "other things".to_owned(),
            why: "too many to name".to_owned(),
            count,
        });
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
