//! The payload of an events chunk: a run of one stream's events.
//!
//! ```text
//!  varint  slices                        how many slices begin in this chunk
//!          after its first event
//!  slices ×
//!    varint  events since the last slice, at least 1
//!    varint  increase of the stamp, at least 1
//!  count (chunk header) ×
//!    varint  length × 2 + replaced       1: private, payload is a stand-in
//!    bytes   the event
//! ```
//! A *slice* is a stretch of a stream in which nothing else happened, as far
//! as the recorder knows; its stamp places it among the slices of all streams.

use crate::{limits, stream::StreamId, varint};

/// One event, as it is handed to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Whose event it is.
    pub stream: StreamId,
    /// Its number within the stream, from 0.
    pub number: u64,
    /// The stamp of its slice.
    pub stamp: u64,
    /// The segment it belongs to.
    pub segment: u32,
    /// The payload is not what the subject had: it was private, and a stand-in
    /// of the same type took its place before it was recorded.
    pub replaced: bool,
    /// What the kind wrote.
    pub payload: &'a [u8],
}

/// The longest event that is copied as a fixed number of bytes.
const SHORT: usize = 16;
/// The room that such an event and its length take at most.
const SHORT_ROW: usize = SHORT + 1;
/// How the payload of a chunk with no slices begins.
const NO_SLICES: [u8; 1] = [0];
/// Rows grow by so much.
const ROOM: usize = 64 << 10;
/// And keep so much from one chunk to the next.
const KEPT: usize = 1 << 20;

/// Collects the events of one chunk.
#[derive(Default)]
pub(crate) struct EventsBuilder {
    slices: Vec<u8>,
    slice_count: u64,
    /// The rows, in its first `used` bytes, behind a count of no slices, so
    /// that most chunks need not be put together. What is behind them is
    /// scratch, so that a short row is stored with one check and no call.
    rows: Vec<u8>,
    used: usize,
    count: u32,
    /// The stamp of the first event of this chunk.
    first_stamp: u64,
    /// The stamp of the last event.
    stamp: u64,
    /// The stamp of the next event; it opens a slice when that event comes.
    next_stamp: u64,
    /// Events since the last slice was opened.
    in_slice: u64,
}

impl EventsBuilder {
    /// Starts the next chunk; its first event has the stamp that held last.
    pub(crate) fn clear(&mut self) {
        self.slices.clear();
        // One long event must not keep its memory for ever.
        if self.rows.capacity() > KEPT {
            self.rows = Vec::new();
        }
        self.used = 0;
        self.slice_count = 0;
        self.count = 0;
        self.in_slice = 0;
        self.stamp = self.next_stamp;
    }

    /// The events after this have `stamp`; false when it is below the last.
    pub(crate) fn stamp(&mut self, stamp: u64) -> bool {
        if stamp < self.next_stamp {
            return false;
        }
        self.next_stamp = stamp;
        true
    }

    /// Appends an event, which the caller has held against the limit.
    pub(crate) fn push(&mut self, payload: &[u8], replaced: bool) {
        debug_assert!(payload.len() <= limits::EVENT);
        self.open_slice();
        let head = (payload.len() as u64) << 1 | u64::from(replaced);
        let (head, head_len) = varint::encode(head);
        self.used = self.used.max(NO_SLICES.len());
        let at = self.used + head_len;
        self.used = at + payload.len();
        if self.rows.len() < self.used + SHORT_ROW {
            let room = (self.used + SHORT_ROW).next_multiple_of(ROOM);
            self.rows.resize(room, 0);
        }
        self.rows[..NO_SLICES.len()].copy_from_slice(&NO_SLICES);
        self.rows[at - head_len..at].copy_from_slice(&head[..head_len]);
        self.rows[at..self.used].copy_from_slice(payload);
        self.count += 1;
        self.in_slice += 1;
    }

    /// Appends an event that is the first `len` of `bytes`. Copying a fixed
    /// number of bytes, of which the next row overwrites what was too much, is
    /// several times quicker for the short events that there are most of.
    #[inline]
    pub(crate) fn push_first(&mut self, bytes: &[u8], len: usize) {
        let room = self.rows.get_mut(self.used..);
        let room = room.and_then(|room| room.first_chunk_mut::<SHORT_ROW>());
        match (room, bytes.first_chunk::<SHORT>()) {
            (Some(room), Some(window)) if len <= SHORT && self.used > 0 => {
                room[0] = (len as u8) << 1;
                room[1..].copy_from_slice(window);
                self.open_slice();
                self.used += 1 + len;
                self.count += 1;
                self.in_slice += 1;
            }
            _ => self.push(bytes.get(..len).unwrap_or_default(), false),
        }
    }

    /// Opens the slice of the next event where one is due.
    #[inline]
    fn open_slice(&mut self) {
        if self.count == 0 {
            self.first_stamp = self.next_stamp;
            self.stamp = self.next_stamp;
        } else if self.stamp != self.next_stamp {
            varint::put(&mut self.slices, self.in_slice);
            varint::put(&mut self.slices, self.next_stamp - self.stamp);
            self.slice_count += 1;
            self.in_slice = 0;
            self.stamp = self.next_stamp;
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn first_stamp(&self) -> u64 {
        self.first_stamp
    }

    /// How many bytes of events and slices there are so far.
    pub(crate) fn len(&self) -> usize {
        self.used + self.slices.len()
    }

    /// The payload; `out` is where it is put together when it must be.
    pub(crate) fn payload<'a>(&'a self, out: &'a mut Vec<u8>) -> &'a [u8] {
        let rows = self.rows.get(..self.used).unwrap_or_default();
        if self.slice_count == 0 && !rows.is_empty() {
            return rows;
        }
        out.clear();
        varint::put(out, self.slice_count);
        out.extend_from_slice(&self.slices);
        out.extend_from_slice(rows.get(NO_SLICES.len()..).unwrap_or_default());
        out
    }
}

/// An events chunk, unpacked, and a position in it.
pub(crate) struct EventsCursor {
    payload: Vec<u8>,
    /// Where the next slice is described, and how many are left.
    slice_at: usize,
    slices_left: u64,
    /// Events until the next slice begins; `u64::MAX` where none does.
    until_slice: u64,
    next_rise: u64,
    stamp: u64,
    row_at: usize,
    left: u32,
}

/// The place of an event's payload, as the cursor hands it out.
pub(crate) struct Row {
    pub(crate) stamp: u64,
    pub(crate) replaced: bool,
    pub(crate) payload: std::ops::Range<usize>,
}

impl EventsCursor {
    /// Reads the start of a payload of `count` events whose first has `stamp`;
    /// `None` when it is malformed.
    pub(crate) fn new(payload: Vec<u8>, count: u32, stamp: u64) -> Option<Self> {
        let mut bytes = &payload[..];
        let slices_left = varint::take(&mut bytes)?;
        // Each slice holds at least one event behind the first.
        if slices_left >= u64::from(count).max(1) {
            return None;
        }
        let slice_at = payload.len() - bytes.len();
        for _ in 0..slices_left {
            varint::take(&mut bytes)?;
            varint::take(&mut bytes)?;
        }
        let row_at = payload.len() - bytes.len();
        let mut cursor = Self {
            payload,
            slice_at,
            slices_left,
            until_slice: u64::MAX,
            next_rise: 0,
            stamp,
            row_at,
            left: count,
        };
        cursor.read_slice()?;
        Some(cursor)
    }

    fn read_slice(&mut self) -> Option<()> {
        if self.slices_left == 0 {
            self.until_slice = u64::MAX;
            return Some(());
        }
        let mut bytes = self.payload.get(self.slice_at..)?;
        let before = bytes.len();
        let events = varint::take(&mut bytes)?;
        let rise = varint::take(&mut bytes)?;
        if events == 0 || rise == 0 {
            return None;
        }
        self.slice_at += before - bytes.len();
        self.slices_left -= 1;
        self.until_slice = events;
        self.next_rise = rise;
        Some(())
    }

    /// How many bytes it keeps in memory.
    pub(crate) fn len(&self) -> usize {
        self.payload.len()
    }

    /// How many events are left.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    /// The stamp of the next event; `None` when the slices are malformed.
    pub(crate) fn peek_stamp(&mut self) -> Option<u64> {
        if self.until_slice == 0 {
            self.stamp = self.stamp.checked_add(self.next_rise)?;
            self.read_slice()?;
        }
        Some(self.stamp)
    }

    /// The next event; `None` when it is malformed or there is none left.
    pub(crate) fn next_row(&mut self) -> Option<Row> {
        let left = self.left.checked_sub(1)?;
        let stamp = self.peek_stamp()?;
        let mut bytes = self.payload.get(self.row_at..)?;
        let head = varint::take(&mut bytes)?;
        let start = self.payload.len() - bytes.len();
        let len = usize::try_from(head >> 1).ok()?;
        if len > bytes.len() {
            return None;
        }
        self.row_at = start + len;
        self.left = left;
        if self.until_slice != u64::MAX {
            self.until_slice -= 1;
        }
        // The last row must end the payload: a length that went wrong shows.
        if left == 0 && self.row_at != self.payload.len() {
            return None;
        }
        Some(Row {
            stamp,
            replaced: head & 1 == 1,
            payload: start..self.row_at,
        })
    }

    /// The bytes of a row that this cursor handed out.
    pub(crate) fn bytes(&self, row: &Row) -> &[u8] {
        self.payload.get(row.payload.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(payload: Vec<u8>, count: u32, stamp: u64) -> Option<Vec<(u64, bool, Vec<u8>)>> {
        let mut cursor = EventsCursor::new(payload, count, stamp)?;
        let mut out = Vec::new();
        while cursor.left() > 0 {
            let row = cursor.next_row()?;
            out.push((row.stamp, row.replaced, cursor.bytes(&row).to_vec()));
        }
        Some(out)
    }

    #[test]
    fn a_slice_without_events_leaves_no_trace() {
        let mut builder = EventsBuilder::default();
        assert!(builder.stamp(3));
        assert!(builder.stamp(5));
        builder.push(b"a", false);
        assert!(builder.stamp(7));
        assert!(builder.stamp(9));
        builder.push(b"bc", true);
        assert!(!builder.stamp(8), "stamps never go back");
        assert!(builder.stamp(11));
        let mut payload = Vec::new();
        let payload = builder.payload(&mut payload).to_vec();
        assert_eq!(payload, [1, 1, 4, 2, b'a', 5, b'b', b'c']);
        assert_eq!(builder.first_stamp(), 5);
        let rows = read(payload, 2, 5).unwrap();
        assert_eq!(rows, [(5, false, b"a".to_vec()), (9, true, b"bc".to_vec())]);
        builder.clear();
        builder.push(b"d", false);
        assert_eq!(builder.first_stamp(), 11);
    }

    proptest! {
        #[test]
        fn round_trip(events: Vec<(u8, bool, Vec<u8>)>) {
            let mut builder = EventsBuilder::default();
            let mut expected = Vec::new();
            let mut stamp = 0;
            for (rise, replaced, payload) in events {
                stamp += u64::from(rise % 3);
                prop_assert!(builder.stamp(stamp));
                if replaced {
                    builder.push(&payload, true);
                } else {
                    let longer = [&payload[..], b"and what follows in a ring"].concat();
                    builder.push_first(&longer, payload.len());
                }
                expected.push((stamp, replaced, payload));
            }
            let mut payload = Vec::new();
            let payload = builder.payload(&mut payload).to_vec();
            let back = read(payload, builder.count(), builder.first_stamp());
            prop_assert_eq!(back, Some(expected));
        }

        #[test]
        fn any_bytes_end(payload: Vec<u8>, count in 0..300u32, stamp: u64) {
            let _ = read(payload, count, stamp);
        }
    }
}
