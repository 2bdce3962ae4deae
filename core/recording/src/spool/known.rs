//! What the drainer knows of each ring, and a ring's life: it is declared as a
//! stream with its first record, gives room as the recording gets on, and is
//! released when its thread has ended.

use super::{
    drain::Drainer,
    layout::{MAX_POSITION, control, ring_state},
    mark,
};
use crate::{
    stream::{StreamId, StreamInfo},
    writer::{StreamWriter, WriteError},
};
use std::{collections::BTreeMap, os::unix::fs::FileExt, sync::atomic::Ordering};

/// What the drainer knows of one ring; the subject cannot change it.
#[derive(Default)]
pub(super) struct Ring {
    pub(super) stream: Option<StreamWriter>,
    pub(super) tail: u64,
    /// The number of the event at `tail`.
    pub(super) number: u64,
    /// A stamp and a segment that were read and that no event has followed
    /// yet. They stay in the spool until one does, to be read again.
    pub(super) pending: Pending,
    /// Which of the two marks is written next.
    mark: usize,
    pub(super) corrupt: bool,
}

/// What holds from the next event on.
#[derive(Clone, Copy, Default)]
pub(super) struct Pending {
    pub(super) stamp: Option<u64>,
    pub(super) segment: Option<u32>,
    /// Where their records are.
    pub(super) stamp_at: Option<u64>,
    pub(super) segment_at: Option<u64>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.stamp.is_none() && self.segment.is_none()
    }

    /// Makes it hold; false when it makes no sense for this stream.
    pub(super) fn apply(&mut self, stream: &mut StreamWriter) -> Result<bool, WriteError> {
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
    pub(super) fn is_new(&self) -> bool {
        self.stream
            .as_ref()
            .is_some_and(|stream| self.number >= stream.next_number())
    }
}

/// Where a stream of the recording goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resume {
    pub(crate) next: u64,
    pub(crate) stamp: u64,
    pub(crate) segment: u32,
}

impl Drainer {
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
        if number == mark::GIVEN_UP {
            known.tail = pos;
            known.mark = 1 - i;
            self.give_up(
                ring,
                (stream.0 != 0).then_some(stream),
                "its ring was corrupt",
            );
            return;
        }
        let Some(resume) = streams.get(&stream) else {
            return;
        };
        known.tail = pos;
        known.number = number;
        known.mark = 1 - i;
        // Lost events that were drained last left no trace in the recording.
        let next = resume.next.max(number);
        let mut stream = self.writer.resume(stream, next);
        let word = field(control::SEGMENT_MARK).load(Ordering::Acquire);
        let begun = mark::read_segment(word, stream.id());
        // Nothing has been collected yet, so neither can fail.
        let _ = stream.segment(begun.unwrap_or(0).max(resume.segment));
        let _ = stream.stamp(resume.stamp);
        known.stream = Some(stream);
    }

    /// Declares the stream of a ring that has its first events.
    pub(super) fn declare(&mut self, ring: u32) -> Result<(), WriteError> {
        let stream = self.new_stream(ring)?;
        let known = &mut self.rings[ring as usize];
        known.stream = Some(stream);
        let tail = known.tail;
        self.advance(ring, tail);
        Ok(())
    }

    /// A stream for a ring: a new one, or the one that a recorder had declared
    /// for it when it was killed.
    pub(super) fn new_stream(&mut self, ring: u32) -> Result<StreamWriter, WriteError> {
        let info = self.stream_info(ring);
        match self.orphans.iter().position(|(_, known)| *known == info) {
            Some(at) => Ok(self.writer.resume(self.orphans.swap_remove(at).0, 0)),
            None => self.writer.stream(&info),
        }
    }

    /// The streams that have no event and that no ring is known to write.
    pub(crate) fn adopt(&mut self, empty: impl Iterator<Item = (StreamId, StreamInfo)>) {
        let known = |id: StreamId| {
            let mut streams = self.rings.iter().filter_map(|ring| ring.stream.as_ref());
            streams.any(|stream| stream.id() == id)
        };
        self.orphans = empty.filter(|(id, _)| !known(*id)).collect();
    }

    /// A process has ended: the rings that its threads had are drained and used
    /// again. Nobody of that process may be alive.
    pub fn process_ended(&mut self, process: u32) {
        self.check_length();
        for ring in 0..self.spool.layout.rings {
            if self.control_u32(ring, control::PROCESS) != process {
                continue;
            }
            let at = self.spool.layout.control_at(ring) + control::STATE as u64;
            let _ = self.spool.controls.u32(at).compare_exchange(
                ring_state::TAKEN,
                ring_state::CLOSED,
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
        }
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
    pub(super) fn advance(&mut self, ring: u32, tail: u64) {
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
        let number = if known.corrupt {
            mark::GIVEN_UP
        } else {
            known.number
        };
        // One that makes no sense must not make the mark so, too.
        let words = mark::write(pos.min(MAX_POSITION - 1), number, stream);
        known.mark = 1 - known.mark;
        let control = self.spool.layout.control_at(ring);
        for (word, value) in words.into_iter().enumerate() {
            let at = control + at as u64 + word as u64 * 8;
            self.spool.controls.u64(at).store(value, Ordering::Release);
        }
    }

    /// Writes down for a recovery which segment the stream is in, when the
    /// record that says so is about to go and no event has come since.
    pub(super) fn mark_segment(&mut self, ring: u32, segment: u32) {
        let stream = self.rings[ring as usize].stream.as_ref();
        let Some(stream) = stream.map(StreamWriter::id) else {
            return;
        };
        let at = self.spool.layout.control_at(ring) + control::SEGMENT_MARK as u64;
        let word = mark::write_segment(segment, stream);
        self.spool.controls.u64(at).store(word, Ordering::Release);
    }

    /// Gives up on a ring's content; its writer must not wait for room.
    pub(super) fn discard(&mut self, ring: u32, head: u64, why: &str) {
        let stream = self.rings[ring as usize].stream.as_ref();
        self.give_up(ring, stream.map(StreamWriter::id), why);
        self.advance(ring, head);
    }

    /// Reads nothing more of a ring, and says so once.
    fn give_up(&mut self, ring: u32, stream: Option<StreamId>, why: &str) {
        if std::mem::replace(&mut self.rings[ring as usize].corrupt, true) {
            return;
        }
        let what = match stream {
            Some(stream) => format!("the rest of stream {stream}"),
            None => format!("the stream of ring {ring}"),
        };
        self.note(&what, why, 1);
    }

    /// Makes the ring of a thread that has ended ready for another. Killed in
    /// between, a recovery finds the last mark or nothing left to read.
    pub(super) fn release(&mut self, ring: u32, head: u64) {
        // A ring whose positions made no sense starts anew.
        let head = if head < MAX_POSITION { head } else { 0 };
        self.rings[ring as usize] = Ring {
            tail: head,
            ..Ring::default()
        };
        let control = self.spool.layout.control_at(ring);
        let field = |at: usize| self.spool.controls.u64(control + at as u64);
        field(control::HEAD).store(head, Ordering::Release);
        field(control::TAIL).store(head, Ordering::Release);
        for word in (control::MARKS..control::LEN).step_by(8) {
            field(word).store(0, Ordering::Release);
        }
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
