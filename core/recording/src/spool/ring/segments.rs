//! Segments in a ring: where they begin, and how the oldest are given up.

use super::{Environment, Mode, RingWriter};
use crate::spool::{
    layout::{Policy, control, header, region},
    record::{self, Tag},
};
use core::sync::atomic::{Ordering, fence};

impl<E: Environment> RingWriter<E> {
    /// The segment that the recorder wants events to belong to. A kind asks
    /// where it could begin one, and then calls [`Self::begin_segment`].
    #[inline]
    #[must_use]
    pub fn wanted_segment(&self) -> Option<u64> {
        let wanted = self.header_u64(header::SEGMENT).load(Ordering::Relaxed);
        (wanted != self.segment).then_some(wanted)
    }

    /// The events from here on belong to this segment.
    pub fn begin_segment(&mut self, segment: u64) {
        if self.mode == Mode::Ended {
            return;
        }
        self.segment = segment;
        if self.policy == Policy::Block {
            self.append_number(Tag::Segment, segment);
            return;
        }
        if self.has_ended() {
            return;
        }
        self.mode = Mode::Recording;
        if self.starts.is_empty() {
            // Nothing before this is needed any more.
            self.move_tail(self.pos);
        } else if self.starts.end - self.starts.start == region::STARTS as u64 {
            self.drop_oldest_segment();
        }
        let need = (record::HEAD + 8) as u64;
        if !self.reserve(need) {
            if self.mode != Mode::SegmentLost {
                return;
            }
            // The segment before this took all of the ring, and is gone.
            self.mode = Mode::Recording;
            self.move_tail(self.pos);
            if !self.reserve(need) {
                return;
            }
        }
        let start = self.spool.region_at(self.ring) as usize
            + (self.starts.end % region::STARTS as u64) as usize * region::START_LEN;
        for (i, value) in [segment, self.pos, self.events].into_iter().enumerate() {
            self.atomic_u64(start + i * 8)
                .store(value, Ordering::Relaxed);
        }
        self.starts.end += 1;
        if self.starts.end - self.starts.start == 1 {
            self.move_tail(self.pos);
        }
        self.append_number(Tag::Segment, segment);
        if self.stamp > 0 {
            // The segment that has its slice record may be dropped.
            self.append_number(Tag::Slice, self.stamp);
        }
    }

    /// Gives up everything up to and with the current segment.
    pub(super) fn lose_segment(&mut self) {
        while self.mode == Mode::Recording && self.drop_oldest_segment() {}
    }

    /// Gives up the oldest segment; false when it was the current one.
    pub(super) fn drop_oldest_segment(&mut self) -> bool {
        if self.starts.is_empty() || self.has_ended() {
            return false;
        }
        let oldest = self.start_segment(self.starts.start);
        self.header_u64(header::FIRST_LIVE)
            .fetch_max(oldest.saturating_add(1), Ordering::AcqRel);
        self.starts.start += 1;
        if self.starts.is_empty() {
            self.mode = Mode::SegmentLost;
            self.limit = 0;
            return false;
        }
        let start = self.start_at(self.starts.start);
        let pos = self.atomic_u64(start + 8).load(Ordering::Relaxed);
        self.move_tail(pos);
        true
    }

    fn start_at(&self, start: u64) -> usize {
        let slot = (start % region::STARTS as u64) as usize;
        self.spool.region_at(self.ring) as usize + slot * region::START_LEN
    }

    fn start_segment(&self, start: u64) -> u64 {
        self.atomic_u64(self.start_at(start))
            .load(Ordering::Relaxed)
    }

    /// Under the ring policy: what lies before `pos` may be overwritten.
    fn move_tail(&self, pos: u64) {
        self.ring_u64(control::TAIL).store(pos, Ordering::Release);
        // A reader that still sees the old tail sees the old bytes, too.
        fence(Ordering::Release);
    }
}
