//! The writer of one ring: what code inside a subject appends events with.
//!
//! The way of an ordinary event is a comparison, the copy, and one store that
//! makes it exist. Everything else (a full ring, the end of the data, events
//! too long for the ring) is out of line.
#![allow(
    unsafe_code,
    reason = "events are stored straight into a shared mapping"
)]

pub(crate) mod room;
mod segments;
#[cfg(test)]
mod tests;

use super::{
    layout::{self, Policy, control, header, ring_state, state},
    record::{self, Tag},
};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What a ring writer needs of the world around it.
pub trait Environment {
    /// A clock that never goes back, in milliseconds.
    fn now_ms(&mut self) -> u64;
    /// Whether this is still the process that claimed the ring: the child of a
    /// fork has a copy of the writer, and the ring is its parent's.
    fn is_owner(&self) -> bool {
        true
    }
    /// Lets others run for a moment: a ring is full.
    fn pause(&mut self);
    /// Stores an event that is too long for the ring, in a file of its own
    /// that is whole when this returns true.
    fn store_outside(&mut self, ring: u32, number: u64, event: &[u8]) -> bool;
}

/// Whose events a ring holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct RingInfo<'a> {
    /// What happens when it is full.
    pub policy: Policy,
    /// The process.
    pub process: u32,
    /// The thread, by the kind's own count.
    pub thread: u64,
    /// Which of the spool's kinds of events.
    pub kind: u32,
    /// Other streams refer to these events.
    pub table: bool,
    /// What a person calls the thread; cut off after 64 bytes.
    pub name: &'a str,
}

/// Appends the events of one thread to its ring.
pub struct RingWriter<E: Environment> {
    spool: layout::Spool,
    base: *mut u8,
    ring: u32,
    policy: Policy,
    data: *mut u8,
    /// The position of the next record.
    pos: u64,
    /// Up to here a record fits with no further look at the tail.
    limit: u64,
    /// The number of the next event.
    events: u64,
    /// How many outside events there were.
    outside: u64,
    /// Which starts of segments are in use: `first..next`.
    starts: core::ops::Range<u64>,
    /// The segment of the events that follow.
    segment: u64,
    /// The stamp of the events that follow, 0 before the first.
    stamp: u64,
    /// Events that came after the recording had ended.
    discarded: u64,
    mode: Mode,
    environment: E,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Recording,
    /// The current segment did not fit: nothing is kept until the next.
    SegmentLost,
    /// The recording has ended.
    Ended,
}

// SAFETY: the pointers stand for a mapping that is valid in every thread, and
// the ring belongs to whoever owns the writer.
unsafe impl<E: Environment + Send> Send for RingWriter<E> {}

impl<E: Environment> RingWriter<E> {
    /// Claims a ring; `None` when none is ready or the recording has ended.
    ///
    /// # Safety
    /// `base` points to a readable and writable mapping of a spool with this
    /// layout, [`layout::Spool::file_len`] bytes long, that stays until the
    /// writer is gone.
    pub unsafe fn claim(
        base: *mut u8,
        spool: layout::Spool,
        info: RingInfo<'_>,
        environment: E,
    ) -> Option<Self> {
        // SAFETY: the header and the controls of all rings are mapped, and
        // their fields are aligned.
        let field = |at: usize| unsafe { AtomicU32::from_ptr(base.add(at).cast()) };
        if field(header::STATE).load(Ordering::Acquire) != state::RECORDING {
            return None;
        }
        let ring = (0..spool.rings).find(|ring| {
            let state = field(spool.control_at(*ring) as usize + control::STATE);
            let (ready, taken) = (ring_state::READY, ring_state::TAKEN);
            state
                .compare_exchange(ready, taken, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        })?;
        // From here on the ring is ours, and dropping the writer closes it.
        let mut writer = Self {
            spool,
            base,
            ring,
            policy: info.policy,
            // SAFETY: the region of a ring that was ready is within the mapping.
            data: unsafe { base.add(spool.data_at(ring) as usize) },
            pos: 0,
            limit: 0,
            events: 0,
            outside: 0,
            starts: 0..0,
            segment: 0,
            stamp: 0,
            discarded: 0,
            mode: Mode::Recording,
            environment,
        };
        writer.introduce(&info);
        Some(writer)
    }

    fn introduce(&mut self, info: &RingInfo<'_>) {
        let mut end = info.name.len().min(control::MAX_NAME);
        while !info.name.is_char_boundary(end) {
            end -= 1;
        }
        let name = &info.name.as_bytes()[..end];
        let at = self.spool.control_at(self.ring) as usize + control::NAME;
        // SAFETY: the name's place is within the control of this ring, which
        // this writer has claimed, and `name` is no longer than that place.
        unsafe { core::ptr::copy_nonoverlapping(name.as_ptr(), self.base.add(at), name.len()) };
        let put = |at, value| self.ring_u32(at).store(value, Ordering::Relaxed);
        put(control::POLICY, info.policy as u32);
        put(control::PROCESS, info.process);
        put(control::KIND, info.kind);
        put(control::NAME_LEN, name.len() as u32);
        put(control::FLAGS, u32::from(info.table) * control::FLAG_TABLE);
        self.ring_u64(control::THREAD)
            .store(info.thread, Ordering::Relaxed);
        self.set_last_word(0);
        self.pos = self.ring_u64(control::HEAD).load(Ordering::Acquire);
        if self.pos >= layout::MAX_POSITION {
            // Somebody scribbled on it.
            self.end();
        }
        self.segment = self.header_u64(header::SEGMENT).load(Ordering::Acquire);
        self.begin_segment(self.segment);
    }

    /// Appends an event; false when it was discarded.
    #[inline]
    pub fn append(&mut self, event: &[u8]) -> bool {
        let next = self.pos + (record::HEAD + event.len()) as u64;
        if event.len() > record::MAX_BODY || next > self.limit {
            return self.append_slowly(event, false);
        }
        self.put_record(record::head(Tag::Event, event.len()), event);
        self.events += 1;
        self.publish(next);
        true
    }

    /// The same for an event of at most `N` bytes that is made where it stays; `make` says how many
    /// it has, and may write to all of them: what is behind the event is overwritten by the next.
    #[inline]
    pub fn append_made<const N: usize>(
        &mut self,
        make: impl FnOnce(&mut [u8; N]) -> usize,
    ) -> bool {
        const { assert!(N <= record::MAX_BODY) };
        if self.pos + (record::HEAD + N) as u64 > self.limit {
            let mut event = [0; N];
            let len = make(&mut event);
            return self.append(event.get(..len).unwrap_or(&event));
        }
        let offset = (self.pos & (self.spool.ring_size - 1)) as usize;
        // SAFETY: all of it ends before `limit`, so within the data of this ring, which is mapped
        // and which nobody else writes to, or reads before it is published.
        let len = unsafe {
            let to = self.data.add(offset);
            let len = make(&mut *to.add(record::HEAD).cast::<[u8; N]>()).min(N);
            let head = record::head(Tag::Event, len).to_le_bytes();
            to.cast::<[u8; record::HEAD]>().write_unaligned(head);
            len
        };
        self.events += 1;
        self.publish(self.pos + (record::HEAD + len) as u64);
        true
    }

    /// Appends an event whose payload is a stand-in for a private one.
    pub fn append_replaced(&mut self, event: &[u8]) -> bool {
        self.append_slowly(event, true)
    }

    /// What the last event is if nothing follows: its length in the lowest byte, 0 if there is
    /// none, and up to seven bytes. To be 0 before what it was about is appended.
    #[inline]
    pub fn set_last_word(&mut self, word: u64) {
        self.ring_u64(control::LAST_WORD)
            .store(word, Ordering::Release);
    }

    /// Where that is, for whoever sets it so often that to ask for its place each time takes too
    /// long. It is there for as long as the mapping is.
    #[must_use]
    pub fn last_word(&self) -> *const AtomicU64 {
        self.ring_u64(control::LAST_WORD)
    }

    /// The number of the next event.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.events
    }

    /// Opens a slice: the events from here on come after everything that was
    /// stamped before. Returns its stamp.
    pub fn stamp(&mut self) -> u64 {
        let stamp = self
            .header_u64(header::STAMP)
            .fetch_add(1, Ordering::AcqRel)
            .wrapping_add(1);
        self.stamp = stamp;
        self.append_number(Tag::Slice, stamp);
        stamp
    }

    /// Whether events are still wanted.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.mode != Mode::Ended
    }

    #[cold]
    fn append_slowly(&mut self, event: &[u8], replaced: bool) -> bool {
        let tag = if replaced { Tag::Replaced } else { Tag::Event };
        let len = event.len();
        if len <= record::MAX_BODY {
            if !self.reserve((record::HEAD + len) as u64) {
                return self.discard();
            }
            self.put_record(record::head(tag, len), event);
            self.events += 1;
            self.publish(self.pos + (record::HEAD + len) as u64);
        } else if len <= record::longest_inside(self.spool.ring_size) {
            let whole = (record::HEAD + 4 + len) as u64;
            if !self.reserve(whole) {
                return self.discard();
            }
            let head = record::head(Tag::Long, usize::from(replaced));
            self.put_record(head, &(len as u32).to_le_bytes());
            self.put(record::HEAD + 4, event);
            self.events += 1;
            self.publish(self.pos + whole);
        } else {
            return self.append_outside(event, replaced);
        }
        true
    }

    fn append_outside(&mut self, event: &[u8], replaced: bool) -> bool {
        if self.policy == Policy::Ring {
            // Files of dropped segments would pile up: the segment goes.
            self.lose_segment();
        }
        if self.mode != Mode::Recording {
            return self.discard();
        }
        let number = self.outside;
        self.outside += 1;
        if event.len() > record::LONGEST
            || !self.environment.store_outside(self.ring, number, event)
        {
            self.append_number(Tag::Lost, 1);
            self.events += 1;
            return false;
        }
        if !self.reserve((record::HEAD + record::OUTSIDE_BODY) as u64) {
            return self.discard();
        }
        let mut body = [0; record::OUTSIDE_BODY];
        body[..8].copy_from_slice(&number.to_le_bytes());
        body[8..16].copy_from_slice(&(event.len() as u64).to_le_bytes());
        body[16..].copy_from_slice(&u32::from(replaced).to_le_bytes());
        self.put_record(record::head(Tag::Outside, body.len()), &body);
        self.events += 1;
        self.publish(self.pos + (record::HEAD + body.len()) as u64);
        true
    }

    fn append_number(&mut self, tag: Tag, number: u64) {
        if self.reserve((record::HEAD + 8) as u64) {
            self.put_record(record::head(tag, 8), &number.to_le_bytes());
            self.publish(self.pos + (record::HEAD + 8) as u64);
        }
    }

    /// Counts an event that is not kept.
    fn discard(&mut self) -> bool {
        self.events += 1;
        if self.mode == Mode::Ended {
            self.discarded += 1;
            self.ring_u64(control::DISCARDED)
                .store(self.discarded, Ordering::Relaxed);
        }
        false
    }

    #[inline]
    fn put_record(&mut self, head: u16, body: &[u8]) {
        self.put(0, &head.to_le_bytes());
        self.put(record::HEAD, body);
    }

    /// Stores bytes `ahead` of the position; the caller has reserved them.
    #[inline]
    fn put(&mut self, ahead: usize, bytes: &[u8]) {
        let offset = (self.pos & (self.spool.ring_size - 1)) as usize + ahead;
        debug_assert!(offset + bytes.len() <= self.spool.ring_size as usize);
        // SAFETY: every caller has made sure, by `limit` or by `reserve`, that
        // the record ends within the data of this ring, which is mapped and
        // which nobody else writes to.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.data.add(offset), bytes.len());
        }
    }

    /// Makes what was stored up to `pos` exist.
    #[inline]
    fn publish(&mut self, pos: u64) {
        self.pos = pos;
        self.ring_u64(control::HEAD).store(pos, Ordering::Release);
    }

    fn header_u32(&self, at: usize) -> &AtomicU32 {
        // SAFETY: the header and the controls of all rings are mapped, and
        // their fields are aligned.
        unsafe { AtomicU32::from_ptr(self.base.add(at).cast()) }
    }

    fn header_u64(&self, at: usize) -> &AtomicU64 {
        self.atomic_u64(at)
    }

    fn ring_u32(&self, at: usize) -> &AtomicU32 {
        self.header_u32(self.spool.control_at(self.ring) as usize + at)
    }

    #[inline]
    fn ring_u64(&self, at: usize) -> &AtomicU64 {
        self.atomic_u64(self.spool.control_at(self.ring) as usize + at)
    }

    #[inline]
    fn atomic_u64(&self, at: usize) -> &AtomicU64 {
        // SAFETY: callers pass aligned offsets within the header, a control or
        // the region of the claimed ring, all of which are mapped; everybody
        // else uses atomics there, too.
        unsafe { AtomicU64::from_ptr(self.base.add(at).cast()) }
    }
}

impl<E: Environment> Drop for RingWriter<E> {
    fn drop(&mut self) {
        if self.environment.is_owner() {
            self.ring_u32(control::STATE)
                .store(ring_state::CLOSED, Ordering::Release);
        }
    }
}
