//! Taking what the rings with the ring policy hold, while their writers go on.

use super::{
    drain::Drainer,
    known::Pending,
    layout::{MAX_POSITION, Policy, control, header, region, ring_state},
    unpack::{Record, Unpacker},
};
use crate::writer::WriteError;
use std::{
    os::unix::fs::FileExt,
    sync::atomic::{Ordering, fence},
};

/// How much is copied at once. A spool that nobody has made with this program
/// could hold any amount of it.
const COPIES: u64 = 1 << 30;

/// What was copied of a ring.
enum Snapshot {
    /// Its records, from this position and this event number on.
    Records(u64, u64),
    /// It has no record: its thread was just claiming it, or was killed then.
    Empty,
    /// It could not be copied, for this reason.
    Failed(&'static str),
}

impl Drainer {
    /// Appends what the rings with the ring policy hold: the segments that
    /// none of them has dropped. While it works it has a copy of all of it.
    pub fn dump(&mut self) -> Result<(), WriteError> {
        self.check_length();
        let mut copies = Vec::new();
        let mut room = COPIES;
        for ring in 0..self.spool.layout.rings {
            let taken = matches!(
                self.control_u32(ring, control::STATE),
                ring_state::TAKEN | ring_state::CLOSED
            );
            if taken && self.control_u32(ring, control::POLICY) == Policy::Ring as u32 {
                let mut bytes = Vec::new();
                let snapshot = self.snapshot(ring, &mut bytes, room);
                room = room.saturating_sub(bytes.len() as u64);
                copies.push((ring, bytes, snapshot));
            }
        }
        // Only now: what a ring has dropped before it was copied, or while
        // others were, must not come from any of them.
        let first_live = self.spool.controls.u64(header::FIRST_LIVE as u64);
        let first_live = first_live.load(Ordering::Acquire);
        for (ring, bytes, snapshot) in copies {
            match snapshot {
                Snapshot::Records(tail, number) => {
                    self.append_snapshot(ring, &bytes, (tail, number), first_live)?;
                }
                Snapshot::Empty => {}
                Snapshot::Failed(why) => self.note(&format!("the stream of ring {ring}"), why, 1),
            }
        }
        Ok(())
    }

    /// Threads have ended and left rings with segments that may still be
    /// wanted, and now a thread waits for a ring: the oldest segments go, but
    /// for the current one.
    pub(super) fn recycle(&mut self) {
        let wanted = [header::WANTED, header::TURNED_AWAY].map(|at| {
            let field = self.spool.controls.u32(at as u64);
            field.load(Ordering::Acquire)
        });
        if wanted == self.wanted {
            return;
        }
        let closed: Vec<_> = (0..self.spool.layout.rings)
            .filter(|ring| {
                self.control_u32(*ring, control::STATE) == ring_state::CLOSED
                    && self.control_u32(*ring, control::POLICY) == Policy::Ring as u32
            })
            .map(|ring| (self.last_segment(ring), ring))
            .collect();
        let current = self.spool.controls.u64(header::SEGMENT as u64);
        let current = current.load(Ordering::Acquire);
        let Some((oldest, _)) = closed.iter().min().filter(|(last, _)| *last < current) else {
            return;
        };
        self.wanted = wanted;
        self.note("old segments", "new threads needed their rings", 1);
        let first_live = self.spool.controls.u64(header::FIRST_LIVE as u64);
        let first_live = oldest
            .saturating_add(1)
            .max(first_live.fetch_max(oldest.saturating_add(1), Ordering::AcqRel));
        for (last, ring) in closed {
            if last < first_live {
                let head = self.control_u64(ring, control::HEAD);
                self.release(ring, head);
            }
        }
    }

    /// The last segment in a ring whose writer is gone.
    fn last_segment(&self, ring: u32) -> u64 {
        let mut starts = [0; region::STARTS * region::START_LEN];
        let at = self.spool.layout.region_at(ring);
        if self.spool.file.read_exact_at(&mut starts, at).is_err() {
            return 0;
        }
        let (tail, head) = (
            self.control_u64(ring, control::TAIL),
            self.control_u64(ring, control::HEAD),
        );
        let live = starts.chunks_exact(region::START_LEN).filter(|start| {
            let pos = u64_of(start, 8);
            tail <= pos && pos <= head
        });
        live.map(|start| u64_of(start, 0)).max().unwrap_or(0)
    }

    /// Copies a ring whose writer goes on writing, if it has no more than
    /// `room` bytes.
    fn snapshot(&self, ring: u32, buffer: &mut Vec<u8>, room: u64) -> Snapshot {
        const TRIES: u32 = 100;
        const CORRUPT: Snapshot = Snapshot::Failed("its ring was corrupt or would not hold still");
        let size = self.spool.layout.ring_size;
        for _ in 0..TRIES {
            let tail = self.control_u64(ring, control::TAIL);
            let mut starts = [0; region::STARTS * region::START_LEN];
            let at = self.spool.layout.region_at(ring);
            if self.spool.file.read_exact_at(&mut starts, at).is_err() {
                return CORRUPT;
            }
            let head = self.control_u64(ring, control::HEAD);
            let len = head.wrapping_sub(tail);
            if len > size || head >= MAX_POSITION {
                // Between its two loads the writer went round, or it lies.
                continue;
            }
            if len > room {
                return Snapshot::Failed("the rings held too much for one dump");
            }
            if self.copy(ring, tail, len as usize, buffer).is_err() {
                return CORRUPT;
            }
            // The tail is looked at after the bytes were.
            fence(Ordering::Acquire);
            if self.control_u64(ring, control::TAIL) != tail {
                continue;
            }
            if Unpacker::new(buffer, tail, size, true).next() == Ok(None) {
                return Snapshot::Empty;
            }
            let start = starts
                .chunks_exact(region::START_LEN)
                .map(|start| (u64_of(start, 8), u64_of(start, 16)))
                .find(|(pos, _)| *pos == tail)
                .filter(|(_, number)| *number < MAX_POSITION);
            if let Some((tail, number)) = start {
                return Snapshot::Records(tail, number);
            }
        }
        CORRUPT
    }

    fn append_snapshot(
        &mut self,
        ring: u32,
        bytes: &[u8],
        (tail, number): (u64, u64),
        first_live: u64,
    ) -> Result<(), WriteError> {
        self.rings[ring as usize].number = number;
        if self.rings[ring as usize].stream.is_none() {
            let stream = match self.new_stream(ring) {
                Err(WriteError::TooManyStreams) => {
                    let what = format!("the stream of ring {ring}");
                    self.note(&what, "there were too many streams", 1);
                    return Ok(());
                }
                stream => stream?,
            };
            self.rings[ring as usize].stream = Some(stream);
            self.mark(ring, tail);
        }
        let known = &mut self.rings[ring as usize];
        known.pending = Pending::default();
        let size = self.spool.layout.ring_size;
        let mut unpacker = Unpacker::new(bytes, tail, size, true);
        let mut live = false;
        let corrupt = loop {
            let record = match unpacker.next() {
                Ok(Some(record)) => record,
                Ok(None) => break false,
                Err(_) => break true,
            };
            let known = &mut self.rings[ring as usize];
            match record {
                Record::Segment(segment) if segment < first_live => live = false,
                Record::Segment(_) => {
                    live = true;
                    let number = known.number;
                    let Some(stream) = &mut known.stream else {
                        break true;
                    };
                    // What an earlier dump has of a segment may be a part of it.
                    let next = stream.next_number();
                    stream.skip_to(number)?;
                    if next > 0 && number > next {
                        let what = "events between two dumps";
                        self.note(what, "their segments were dropped", number - next);
                    }
                }
                Record::Event { .. } if !live => {
                    known.number += 1;
                    continue;
                }
                // Whole segments are dropped instead, so these make no sense.
                Record::Outside { .. } | Record::Lost(_) => break true,
                _ => {}
            }
            if !self.append(ring, record)? {
                break true;
            }
        };
        if corrupt {
            let what = format!("the rest of the stream of ring {ring}");
            self.note(&what, "its ring was corrupt", 1);
        }
        let upto = unpacker.pos();
        if let Some(stream) = &mut self.rings[ring as usize].stream {
            stream.flush()?;
        }
        // A recovery goes on with this stream; the tail is the writer's.
        self.mark(ring, upto);
        Ok(())
    }
}

fn u64_of(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
