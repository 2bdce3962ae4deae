//! The drainer: from the rings into the recording.
//!
//! Trusts nothing: what the subject wrote is copied out of the spool first and
//! looked at afterwards, and the drainer's own positions are its own variables.
//! A ring is released only up to what the recording holds, so that a drainer
//! may be killed between any two instructions.

use super::{
    create::Spool,
    layout::{MAX_POSITION, Policy, control, header, ring_state, state},
    map::{SharedMap, outside_folder, outside_name, sleep},
    mark,
    outside::Folder,
    record,
    unpack::{Record, Unpacker},
};
use crate::{
    manifest::{Closing, CutShort, NotRecorded},
    stream::{StreamId, StreamInfo},
    writer::{Finished, StreamWriter, WriteError, Writer},
};
use std::{
    collections::BTreeMap,
    io,
    os::unix::fs::FileExt,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

/// How many rings stand ready for new threads.
const SPARE_RINGS: u32 = 4;
/// A ring is drained when this much waits in it.
const BATCH: u64 = 256 << 10;
/// Or when something has waited for so long.
const FLUSH_AFTER: Duration = Duration::from_millis(500);
/// The most that is copied at once, unless one record needs more.
const COPY: u64 = 4 << 20;

/// Copies events from a spool into a recording.
pub struct Drainer {
    pub(super) spool: Spool,
    pub(super) writer: Writer,
    pub(super) rings: Vec<Ring>,
    pub(super) buffer: Vec<u8>,
    not_recorded: BTreeMap<(String, String), u64>,
    /// How many threads had waited for a ring, and how many in vain, when
    /// rings were last freed.
    pub(super) wanted: [u32; 2],
    flushed: Instant,
}

/// What the drainer knows of one ring; the subject cannot change it.
#[derive(Default)]
pub(super) struct Ring {
    pub(super) stream: Option<StreamWriter>,
    tail: u64,
    /// The number of the event at `tail`.
    pub(super) number: u64,
    /// A stamp and a segment that were read and that no event has followed
    /// yet. They stay in the spool until one does, to be read again.
    pub(super) pending: Pending,
    /// Which of the two marks is written next.
    mark: usize,
    corrupt: bool,
}

/// What holds from the next event on.
#[derive(Clone, Copy, Default)]
pub(super) struct Pending {
    stamp: Option<u64>,
    segment: Option<u32>,
    /// Where their records are.
    stamp_at: Option<u64>,
    segment_at: Option<u64>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.stamp.is_none() && self.segment.is_none()
    }

    /// Makes it hold; false when it makes no sense for this stream.
    fn apply(&mut self, stream: &mut StreamWriter) -> Result<bool, WriteError> {
        if let Some(segment) = self.segment.take() {
            stream.segment(segment)?;
        }
        Ok(self
            .stamp
            .take()
            .is_none_or(|stamp| stream.stamp(stamp).is_ok()))
    }
}

impl Ring {
    /// What the recording has already is not appended again.
    fn is_new(&self) -> bool {
        self.stream
            .as_ref()
            .is_some_and(|stream| self.number >= stream.next_number())
    }
}

/// How much of a ring a call drains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// What is worth a chunk.
    Batches,
    /// Everything.
    All,
}

impl Drainer {
    /// Starts draining `spool` into `writer`.
    pub fn new(spool: Spool, writer: Writer) -> io::Result<Self> {
        spool.prepare(SPARE_RINGS)?;
        Ok(Self::over(spool, writer))
    }

    /// Drains what a spool holds whose recording has ended: nobody claims a
    /// ring any more, and on a full disk there would be no room for one.
    pub(crate) fn after_the_end(spool: Spool, writer: Writer) -> Self {
        let drainer = Self::over(spool, writer);
        drainer.end_spool();
        drainer
    }

    fn over(spool: Spool, writer: Writer) -> Self {
        let rings = (0..spool.layout.rings).map(|_| Ring::default()).collect();
        Self {
            spool,
            writer,
            rings,
            buffer: Vec::new(),
            not_recorded: BTreeMap::new(),
            wanted: [0; 2],
            flushed: Instant::now(),
        }
    }

    /// Takes up a ring where a dead drainer left it: at the mark, if there is
    /// one for a stream that the recording has.
    pub(crate) fn resume(&mut self, ring: u32, streams: &BTreeMap<StreamId, Resume>) {
        let known = &mut self.rings[ring as usize];
        let control = self.spool.layout.control_at(ring);
        let field = |at: usize| self.spool.controls.u64(control + at as u64);
        known.tail = field(control::TAIL).load(Ordering::Acquire);
        let marks = (0..2).filter_map(|i| {
            let at = control::MARKS + i * control::MARK_LEN;
            let words = [0, 8, 16].map(|word| field(at + word).load(Ordering::Acquire));
            mark::read(words).map(|mark| (mark, i))
        });
        let Some(((pos, number, stream), i)) = marks.max_by_key(|((pos, ..), _)| *pos) else {
            return;
        };
        let Some(resume) = streams.get(&stream) else {
            return;
        };
        known.tail = pos;
        known.number = number;
        known.mark = 1 - i;
        // Lost events that were drained last left no trace in the recording.
        let next = resume.next.max(number);
        let mut stream = self.writer.resume(stream, next);
        // Nothing has been collected yet, so neither can fail.
        let _ = stream.segment(resume.segment);
        let _ = stream.stamp(resume.stamp);
        known.stream = Some(stream);
    }

    /// Where the subject finds the spool.
    #[must_use]
    pub fn spool_path(&self) -> &std::path::Path {
        self.spool.path()
    }

    /// The sign of life for writers that wait.
    #[must_use]
    pub fn pulse(&self) -> Pulse {
        Pulse(self.spool.controls.clone())
    }

    /// Drains what is worth it; call it every few milliseconds. True when
    /// there was something that a writer may have waited for.
    pub fn poll(&mut self) -> Result<bool, WriteError> {
        self.pulse().beat();
        let extent = if self.flushed.elapsed() >= FLUSH_AFTER {
            self.flushed = Instant::now();
            Extent::All
        } else {
            Extent::Batches
        };
        match self.spool.prepare(SPARE_RINGS) {
            Ok(0) => self.recycle(),
            Ok(_) => {}
            Err(_) => self.note("new threads", "no room for their rings in the spool", 1),
        }
        self.drain_all(extent)
    }

    /// Drains until `done` says so, and then once more, completely.
    pub fn run(&mut self, mut done: impl FnMut() -> bool) -> Result<(), WriteError> {
        self.watch(|_| done())
    }

    /// The same for a `done` that looks at what was drained.
    pub fn watch(&mut self, mut done: impl FnMut(&Self) -> bool) -> Result<(), WriteError> {
        const SHORTEST: Duration = Duration::from_micros(200);
        const LONGEST: Duration = Duration::from_millis(10);
        let mut pause = SHORTEST;
        while !done(self) {
            if self.poll()? {
                pause = SHORTEST;
            } else {
                sleep(pause);
                pause = (pause * 2).min(LONGEST);
            }
        }
        self.drain_all(Extent::All).map(|_| ())
    }

    /// How many events the recording has so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.writer.events()
    }

    /// Whether somebody has [asked](super::ask_to_stop) for the end.
    #[must_use]
    pub fn stop_wanted(&self) -> bool {
        let stop = self.spool.controls.u32(header::STOP as u64);
        stop.load(Ordering::Acquire) != 0
    }

    /// Begins a segment: writers enter it where they can.
    pub fn begin_segment(&self, segment: u32) {
        let at = header::SEGMENT as u64;
        self.spool
            .controls
            .u64(at)
            .store(segment.into(), Ordering::Release);
    }

    /// Something that could not be recorded, for the closing manifest.
    pub fn note(&mut self, what: &str, why: &str, count: u64) {
        let noted = self
            .not_recorded
            .entry((what.to_owned(), why.to_owned()))
            .or_default();
        *noted = noted.saturating_add(count);
    }

    /// Ends the recording with what is complete now; the subject goes on.
    pub fn cut_short(&mut self, why: CutShort) {
        self.end_spool();
        // An error here has ended the recording already, and says why.
        let _ = self.drain_all(Extent::All);
        let _ = self.dump();
        self.writer.cut_short(why);
    }

    /// Appends what is left, writes the closing manifest and removes the spool.
    pub fn finish(mut self, mut closing: Closing) -> Result<Finished, WriteError> {
        self.end_spool();
        // An error here has ended the recording; the closing manifest says so.
        let _ = self.drain_all(Extent::All);
        let _ = self.dump();
        if self.spool_state() == state::DRAINER_SILENT {
            closing.cut_short.get_or_insert(CutShort::RecorderSilent);
        }
        for ring in 0..self.spool.layout.rings {
            let control = self.spool.layout.control_at(ring);
            let discarded = self.spool.controls.u64(control + control::DISCARDED as u64);
            let count = discarded.load(Ordering::Acquire);
            if count > 0 {
                self.note("events", "they came after the recording had ended", count);
            }
        }
        let turned_away = self.spool.controls.u32(header::TURNED_AWAY as u64);
        let count = turned_away.load(Ordering::Acquire);
        if count > 0 {
            self.note("threads", "no ring was free for them", count.into());
        }
        self.rings.clear();
        for ((what, why), count) in std::mem::take(&mut self.not_recorded) {
            closing.not_recorded.push(NotRecorded { what, why, count });
        }
        let finished = self.writer.finish(closing)?;
        // What cannot be removed is found, drained and empty, by the next
        // command that opens the recording.
        let _ = self.spool.remove();
        Ok(finished)
    }

    fn spool_state(&self) -> u32 {
        let at = header::STATE as u64;
        self.spool.controls.u32(at).load(Ordering::Acquire)
    }

    fn end_spool(&self) {
        let at = header::STATE as u64;
        let _ = self.spool.controls.u32(at).compare_exchange(
            state::RECORDING,
            state::ENDED,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    fn drain_all(&mut self, extent: Extent) -> Result<bool, WriteError> {
        let mut progress = false;
        for ring in 0..self.spool.layout.rings {
            match self.drain(ring, extent) {
                Ok(some) => progress |= some,
                Err(error) => {
                    self.end_spool();
                    return Err(error);
                }
            }
        }
        Ok(progress)
    }

    fn drain(&mut self, ring: u32, extent: Extent) -> Result<bool, WriteError> {
        let state = self.control_u32(ring, control::STATE);
        if state != ring_state::TAKEN && state != ring_state::CLOSED {
            return Ok(false);
        }
        // The policy was stored before the head that goes with it.
        let head = self.control_u64(ring, control::HEAD);
        if self.control_u32(ring, control::POLICY) == Policy::Ring as u32 {
            return Ok(false);
        }
        let closed = state == ring_state::CLOSED;
        let waiting = head.wrapping_sub(self.rings[ring as usize].tail);
        let worthwhile = BATCH.min(self.spool.layout.ring_size / 4);
        let drained = waiting > 0 && (closed || extent == Extent::All || waiting >= worthwhile);
        let before = self.rings[ring as usize].tail;
        if drained {
            self.drain_up_to(ring, head)?;
        }
        let known = &self.rings[ring as usize];
        let progress = known.tail != before;
        if known.stream.is_some() || known.corrupt {
            // The subject may have scribbled on it.
            let tail = self.spool.layout.control_at(ring) + control::TAIL as u64;
            let tail = self.spool.controls.u64(tail);
            tail.store(known.tail, Ordering::Release);
        }
        // A ring whose positions make no sense is not used again.
        if closed && head < MAX_POSITION && head == self.control_u64(ring, control::HEAD) {
            self.release(ring, head);
        }
        Ok(progress)
    }

    fn drain_up_to(&mut self, ring: u32, head: u64) -> Result<(), WriteError> {
        let size = self.spool.layout.ring_size;
        let known = &self.rings[ring as usize];
        let sane = head < MAX_POSITION && known.tail < MAX_POSITION;
        if known.corrupt || !sane || head.wrapping_sub(known.tail) > size {
            return self.discard(ring, head, "its ring was corrupt");
        }
        if known.stream.is_none() {
            self.declare(ring)?;
        }
        let longest = (record::longest_inside(size).max(record::MAX_BODY) + 64) as u64;
        let known = &mut self.rings[ring as usize];
        known.pending = Pending::default();
        let mut pos = known.tail;
        while pos != head {
            let len = (head - pos).min(COPY.max(longest));
            let mut buffer = std::mem::take(&mut self.buffer);
            let copied = self.copy(ring, pos, len as usize, &mut buffer);
            let taken = match copied {
                Ok(()) => self.take(ring, &buffer, pos, pos + len == head),
                // The subject has cut the file; there is nothing behind that.
                Err(_) => Ok(None),
            };
            self.buffer = buffer;
            match taken? {
                // A pad may say that it reaches further than the head.
                Some(upto) if upto > pos && upto <= head => pos = upto,
                _ => return self.discard(ring, head, "its ring was corrupt"),
            }
        }
        // A ring that is full of slices with no event must not stay full.
        let known = &mut self.rings[ring as usize];
        if pos - known.tail >= size / 2 {
            // The last of them stay, for a recovery; of a segment and a slice
            // that are far apart only the later.
            let Pending {
                stamp_at,
                segment_at,
                ..
            } = known.pending;
            let places = || stamp_at.into_iter().chain(segment_at);
            let near = |at: &u64| pos - at < size / 4;
            let keep = places().min().filter(near).or(places().max().filter(near));
            if let Some(stream) = &mut known.stream
                && !known.pending.apply(stream)?
            {
                return self.discard(ring, head, "its ring was corrupt");
            }
            self.advance(ring, keep.unwrap_or(pos));
        }
        Ok(())
    }

    /// Copies a stretch of a ring's data out of the spool.
    pub(super) fn copy(
        &self,
        ring: u32,
        pos: u64,
        len: usize,
        buffer: &mut Vec<u8>,
    ) -> io::Result<()> {
        let size = self.spool.layout.ring_size;
        let data = self.spool.layout.data_at(ring);
        buffer.resize(len, 0);
        let offset = pos % size;
        let first = len.min((size - offset) as usize);
        let (before, after) = buffer.split_at_mut(first);
        self.spool.file.read_exact_at(before, data + offset)?;
        self.spool.file.read_exact_at(after, data)
    }

    /// Appends the records of a stretch and releases it up to its last event:
    /// a slice or segment behind that is read again with the events that it is
    /// for. Returns the position behind its last record, or `None` when the
    /// stretch is corrupt.
    fn take(
        &mut self,
        ring: u32,
        bytes: &[u8],
        pos: u64,
        to_head: bool,
    ) -> Result<Option<u64>, WriteError> {
        let size = self.spool.layout.ring_size;
        let mut unpacker = Unpacker::new(bytes, pos, size, to_head);
        let mut keep = None;
        let corrupt = loop {
            if self.take_plain(ring, &mut unpacker)? {
                keep = Some(unpacker.pos());
            }
            let at = unpacker.pos();
            match unpacker.next() {
                Ok(None) => break false,
                Ok(Some(record)) => {
                    let counted = !matches!(record, Record::Slice(_) | Record::Segment(_));
                    if !self.append(ring, record)? {
                        break true;
                    }
                    let pending = &mut self.rings[ring as usize].pending;
                    match record {
                        Record::Slice(_) => pending.stamp_at = Some(at),
                        Record::Segment(_) => pending.segment_at = Some(at),
                        _ => {}
                    }
                    if counted {
                        keep = Some(unpacker.pos());
                    }
                }
                Err(_) => break true,
            }
        };
        if let Some(keep) = keep {
            if let Some(stream) = &mut self.rings[ring as usize].stream {
                stream.flush()?;
            }
            self.advance(ring, keep);
        }
        Ok((!corrupt).then_some(unpacker.pos()))
    }

    /// Appends the plain events that come next; true when there were any.
    fn take_plain(&mut self, ring: u32, unpacker: &mut Unpacker<'_>) -> Result<bool, WriteError> {
        let known = &mut self.rings[ring as usize];
        let before = known.number;
        // The first event behind a slice or segment goes the long way.
        if known.is_new()
            && known.pending.is_empty()
            && let Some(stream) = &mut known.stream
        {
            while let Some((bytes, len)) = unpacker.next_plain() {
                stream.push_first(bytes, len)?;
                known.number += 1;
            }
        }
        Ok(known.number > before)
    }

    /// Appends one record to its stream; false when it makes no sense.
    pub(super) fn append(&mut self, ring: u32, record: Record<'_>) -> Result<bool, WriteError> {
        let known = &mut self.rings[ring as usize];
        match record {
            Record::Slice(stamp) => {
                // Stamps grow; one that does not was never given out.
                let grows = known.pending.stamp.is_none_or(|last| last <= stamp);
                known.pending.stamp = Some(stamp);
                return Ok(grows);
            }
            Record::Segment(segment) => {
                known.pending.segment = u32::try_from(segment).ok();
                return Ok(known.pending.segment.is_some());
            }
            _ => {}
        }
        let is_new = known.is_new();
        let Some(stream) = &mut known.stream else {
            return Ok(false);
        };
        if is_new && !known.pending.apply(stream)? {
            return Ok(false);
        }
        match record {
            Record::Event { payload, replaced } => {
                if is_new {
                    stream.push(payload, replaced)?;
                }
                known.number += 1;
            }
            Record::Lost(count) => {
                let number = known.number.saturating_add(count);
                if number >= MAX_POSITION {
                    return Ok(false);
                }
                known.number = number;
                stream.skip_to(number)?;
                self.note("events", "they were too long or there was no room", count);
            }
            Record::Outside {
                number,
                len,
                replaced,
            } => {
                let folder = Folder::open(&outside_folder(self.spool.path()));
                let name = outside_name(ring, number);
                if is_new {
                    let event = folder.as_ref().and_then(|folder| folder.read(&name, len));
                    self.append_outside(ring, event, replaced)?;
                }
                self.rings[ring as usize].number += 1;
                if let Some(folder) = folder {
                    folder.remove(&name);
                }
            }
            Record::Slice(_) | Record::Segment(_) => {}
        }
        Ok(true)
    }

    /// Appends an event that is in a file of its own. The file may go when
    /// this returns.
    fn append_outside(
        &mut self,
        ring: u32,
        event: Option<Vec<u8>>,
        replaced: bool,
    ) -> Result<(), WriteError> {
        let known = &mut self.rings[ring as usize];
        let Some(stream) = &mut known.stream else {
            return Ok(());
        };
        if let Some(event) = event {
            stream.push(&event, replaced)?;
            return stream.flush();
        }
        stream.skip_to(known.number + 1)?;
        self.note("long events", "their files were not as announced", 1);
        Ok(())
    }

    /// Declares the stream of a ring that has its first events.
    fn declare(&mut self, ring: u32) -> Result<(), WriteError> {
        let info = self.stream_info(ring);
        let stream = self.writer.stream(&info)?;
        let known = &mut self.rings[ring as usize];
        known.stream = Some(stream);
        let tail = known.tail;
        self.advance(ring, tail);
        Ok(())
    }

    pub(super) fn stream_info(&self, ring: u32) -> StreamInfo {
        let kind = self.control_u32(ring, control::KIND);
        let (kind, version) = match self.spool.kinds.get(kind as usize) {
            Some((name, version)) => (name.clone(), *version),
            None => (format!("unknown-{kind}"), 0),
        };
        let mut name = [0; control::MAX_NAME];
        let at = self.spool.layout.control_at(ring) + control::NAME as u64;
        let len = self.control_u32(ring, control::NAME_LEN) as usize;
        let name = match self.spool.file.read_exact_at(&mut name, at) {
            Ok(()) => String::from_utf8_lossy(&name[..len.min(name.len())]).into_owned(),
            Err(_) => String::new(),
        };
        StreamInfo {
            process: self.control_u32(ring, control::PROCESS),
            thread: self.control_u64(ring, control::THREAD),
            kind,
            version,
            table: self.control_u32(ring, control::FLAGS) & control::FLAG_TABLE != 0,
            name,
        }
    }

    /// Gives the ring's writer the room up to `tail`, and writes down for a
    /// recovery what this position means.
    fn advance(&mut self, ring: u32, tail: u64) {
        self.mark(ring, tail);
        self.rings[ring as usize].tail = tail;
        let control = self.spool.layout.control_at(ring);
        let field = self.spool.controls.u64(control + control::TAIL as u64);
        field.store(tail, Ordering::Release);
    }

    /// Writes down that the recording has everything up to a position.
    pub(super) fn mark(&mut self, ring: u32, pos: u64) {
        let known = &mut self.rings[ring as usize];
        let at = control::MARKS + known.mark * control::MARK_LEN;
        let stream = known.stream.as_ref().map_or(0, |stream| stream.id().0);
        let words = mark::write(pos, known.number, stream);
        known.mark = 1 - known.mark;
        let control = self.spool.layout.control_at(ring);
        for (word, value) in words.into_iter().enumerate() {
            let at = control + at as u64 + word as u64 * 8;
            self.spool.controls.u64(at).store(value, Ordering::Release);
        }
    }

    /// Gives up on a ring's content; its writer must not wait for room.
    fn discard(&mut self, ring: u32, head: u64, why: &str) -> Result<(), WriteError> {
        let known = &mut self.rings[ring as usize];
        if !known.corrupt {
            known.corrupt = true;
            let what = match &known.stream {
                Some(stream) => format!("the rest of stream {}", stream.id()),
                None => format!("the stream of ring {ring}"),
            };
            self.note(&what, why, 1);
        }
        self.advance(ring, head);
        Ok(())
    }

    /// Makes the ring of a thread that has ended ready for another.
    pub(super) fn release(&mut self, ring: u32, head: u64) {
        self.rings[ring as usize] = Ring {
            tail: head,
            ..Ring::default()
        };
        let control = self.spool.layout.control_at(ring);
        for word in 0..2 * control::MARK_LEN as u64 / 8 {
            let at = control + control::MARKS as u64 + word * 8;
            self.spool.controls.u64(at).store(0, Ordering::Release);
        }
        let tail = self.spool.controls.u64(control + control::TAIL as u64);
        tail.store(head, Ordering::Release);
        let state = self.spool.controls.u32(control + control::STATE as u64);
        state.store(ring_state::READY, Ordering::Release);
    }

    pub(super) fn control_u32(&self, ring: u32, at: usize) -> u32 {
        let at = self.spool.layout.control_at(ring) + at as u64;
        self.spool.controls.u32(at).load(Ordering::Acquire)
    }

    pub(super) fn control_u64(&self, ring: u32, at: usize) -> u64 {
        let at = self.spool.layout.control_at(ring) + at as u64;
        self.spool.controls.u64(at).load(Ordering::Acquire)
    }
}

/// Where a stream of the recording goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resume {
    pub(crate) next: u64,
    pub(crate) stamp: u64,
    pub(crate) segment: u32,
}

/// Shows waiting writers that there is a drainer. A recorder beats it from a
/// thread of its own: a drainer that waits for a slow disk is not dead.
#[derive(Clone)]
pub struct Pulse(Arc<SharedMap>);

impl Pulse {
    /// How often it should be beaten.
    pub const INTERVAL: Duration = Duration::from_millis(20);

    /// A sign of life.
    pub fn beat(&self) {
        let field = self.0.u64(header::HEARTBEAT as u64);
        field.fetch_add(1, Ordering::Relaxed);
    }
}
