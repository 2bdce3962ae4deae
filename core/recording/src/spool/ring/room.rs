//! Room in a ring: waiting for it, or taking it from the oldest segment.

use super::{Environment, Mode, RingWriter};
use crate::spool::{
    layout::{Policy, control, header, ring_state, state},
    record::{self, Tag},
};
use core::sync::atomic::Ordering;

/// How much of a rest counts for the drainer's silence. During a long one the
/// whole program was probably stopped, and the drainer with it.
pub(crate) fn counted_rest(rest: u64, silence: u64) -> u64 {
    rest.min((silence / 4).max(1))
}

impl<E: Environment> RingWriter<E> {
    /// Makes room for a record of `need` bytes at `pos`, in one piece.
    pub(super) fn reserve(&mut self, need: u64) -> bool {
        let size = self.spool.ring_size;
        loop {
            if self.mode != Mode::Recording {
                return false;
            }
            let boundary = (self.pos | (size - 1)) + 1;
            let whole = self.pos + need <= boundary;
            let upto = if whole { self.pos + need } else { boundary };
            if !self.make_room(upto) {
                return false;
            }
            if whole {
                let tail = self.ring_u64(control::TAIL).load(Ordering::Acquire);
                self.limit = tail.saturating_add(size).min(boundary);
                return true;
            }
            if boundary - self.pos >= record::HEAD as u64 {
                self.put(0, &record::head(Tag::Pad, 0).to_le_bytes());
            }
            self.publish(boundary);
        }
    }

    /// Waits or drops until the ring may be filled up to `upto`.
    fn make_room(&mut self, upto: u64) -> bool {
        match self.policy {
            Policy::Block => self.wait_for_room(upto),
            Policy::Ring => {
                while !self.has_room(upto) {
                    if !self.drop_oldest_segment() {
                        return false;
                    }
                }
                true
            }
        }
    }

    fn has_room(&self, upto: u64) -> bool {
        let tail = self.ring_u64(control::TAIL).load(Ordering::Acquire);
        // Not with a sum: whoever scribbled on the tail must not stop us.
        upto.wrapping_sub(tail) <= self.spool.ring_size
    }

    fn wait_for_room(&mut self, upto: u64) -> bool {
        const SPINS: u32 = 100;
        for _ in 0..SPINS {
            if self.has_room(upto) {
                return true;
            }
            core::hint::spin_loop();
        }
        let silence = u64::from(self.spool.dead_after_ms);
        let mut beat = self.header_u64(header::HEARTBEAT).load(Ordering::Relaxed);
        let mut tail = self.ring_u64(control::TAIL).load(Ordering::Acquire);
        let mut looked_at = self.environment.now_ms();
        // How long neither has changed, by what the clock says of the rests.
        let (mut silent, mut stuck) = (0, 0);
        loop {
            if self.has_room(upto) {
                return true;
            }
            self.insist();
            if self.header_u32(header::STATE).load(Ordering::Acquire) != state::RECORDING {
                self.end();
                return false;
            }
            self.environment.pause();
            let now = self.environment.now_ms();
            let rested = counted_rest(now.saturating_sub(looked_at), silence);
            looked_at = now;
            silent += rested;
            stuck += rested;
            let seen = self.header_u64(header::HEARTBEAT).load(Ordering::Relaxed);
            let seen_tail = self.ring_u64(control::TAIL).load(Ordering::Acquire);
            if seen_tail != tail {
                (tail, stuck) = (seen_tail, 0);
            } else if stuck >= silence.saturating_mul(10) {
                // The drainer lives and does not see this ring.
                self.end();
                return false;
            }
            if seen != beat {
                (beat, silent) = (seen, 0);
            } else if silent >= silence {
                // Nobody is there. Whoever loses this race finds it ended.
                let _ = self.header_u32(header::STATE).compare_exchange(
                    state::RECORDING,
                    state::DRAINER_SILENT,
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                );
                self.end();
                return false;
            }
        }
    }

    /// Stores again what the drainer goes by: another thread of the subject
    /// may have scribbled on it, and we would wait for ever.
    fn insist(&self) {
        self.ring_u32(control::POLICY)
            .store(self.policy as u32, Ordering::Relaxed);
        self.ring_u64(control::HEAD)
            .store(self.pos, Ordering::Release);
        let state = self.ring_u32(control::STATE);
        if state.load(Ordering::Relaxed) != ring_state::TAKEN {
            state.store(ring_state::TAKEN, Ordering::Release);
        }
    }

    pub(super) fn end(&mut self) {
        self.mode = Mode::Ended;
        self.limit = 0;
    }

    /// Looks whether the recording has ended; nobody waits under the ring
    /// policy, so nobody else would see it.
    pub(super) fn has_ended(&mut self) -> bool {
        let ended = self.header_u32(header::STATE).load(Ordering::Acquire) != state::RECORDING;
        if ended {
            self.end();
        }
        ended
    }
}
