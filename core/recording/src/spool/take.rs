//! From a ring into its stream, under the block policy: how much is taken,
//! what each record becomes, and what is released afterwards.

use super::{
    drain::Drainer,
    known::Pending,
    layout::{MAX_POSITION, Policy, control, ring_state},
    map::{outside_folder, outside_name},
    outside::Folder,
    record,
    unpack::{Record, Unpacker},
};
use crate::writer::WriteError;
use std::{io, os::unix::fs::FileExt, sync::atomic::Ordering};

/// A ring is drained when this much waits in it.
const BATCH: u64 = 256 << 10;
/// The most that is copied at once, unless one record needs more.
const COPY: u64 = 4 << 20;

/// How much of a ring a call drains.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is worth a chunk.
    Batches,
    /// Everything.
    All,
}

impl Drainer {
    pub(super) fn drain(&mut self, ring: u32, extent: Extent) -> Result<bool, WriteError> {
        let state = self.control_u32(ring, control::STATE);
        if state != ring_state::TAKEN && state != ring_state::CLOSED {
            return Ok(false);
        }
        // The policy was stored before the head that goes with it.
        let published = self.control_u64(ring, control::HEAD);
        let head = match &self.ends {
            Some(ends) => ends.get(ring as usize).copied().unwrap_or_default(),
            None => published,
        };
        let head = head.clamp(self.rings[ring as usize].tail.min(published), published);
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
        if closed && head == self.control_u64(ring, control::HEAD) {
            self.release(ring, head);
        }
        Ok(progress)
    }

    fn drain_up_to(&mut self, ring: u32, head: u64) -> Result<(), WriteError> {
        let size = self.spool.layout.ring_size;
        let known = &self.rings[ring as usize];
        let sane = head < MAX_POSITION && known.tail < MAX_POSITION;
        if known.corrupt || !sane || head.wrapping_sub(known.tail) > size {
            self.discard(ring, head, "its ring was corrupt");
            return Ok(());
        }
        if known.stream.is_none() {
            match self.declare(ring) {
                Err(WriteError::TooManyStreams) => {
                    self.discard(ring, head, "there were too many streams");
                    return Ok(());
                }
                declared => declared?,
            }
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
                _ => {
                    self.discard(ring, head, "its ring was corrupt");
                    return Ok(());
                }
            }
        }
        // A ring that is full of slices with no event must not stay full.
        let known = &mut self.rings[ring as usize];
        if pos - known.tail >= size / 2 {
            // The last of them stay, for a recovery; of a segment and a slice
            // that are far apart only the later.
            let Pending {
                segment,
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
                self.discard(ring, head, "its ring was corrupt");
                return Ok(());
            }
            if let Some(segment) = segment {
                self.mark_segment(ring, segment);
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

    /// Appends the last words of rings from which all was taken.
    pub(super) fn last_words(&mut self) -> Result<(), WriteError> {
        for ring in 0..self.spool.layout.rings {
            let word = self.control_u64(ring, control::LAST_WORD).to_le_bytes();
            let [len, event @ ..] = word;
            let is_all = self.control_u32(ring, control::STATE) == ring_state::TAKEN
                && self.control_u64(ring, control::HEAD) == self.rings[ring as usize].tail;
            let event = event.get(..usize::from(len));
            if let Some(payload @ [_, ..]) = event.filter(|_| is_all) {
                let replaced = false;
                self.append(ring, Record::Event { payload, replaced })?;
                if let Some(stream) = &mut self.rings[ring as usize].stream {
                    stream.flush()?;
                }
            }
        }
        Ok(())
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
}
