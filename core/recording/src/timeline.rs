//! All events of a recording in their global order.
//!
//! Slices are merged by their stamps. Each stream has at most one chunk
//! unpacked, and all of them together take only so much memory: when they would
//! take more, the one whose turn is furthest away is packed up again, to be
//! reopened where it was left.

use crate::{
    damage::{ReadError, malformed},
    events::{Event, EventsCursor},
    index::ChunkEntry,
    reader::Recording,
    source::Source,
    stream::StreamId,
};
use std::{cmp::Reverse, collections::BinaryHeap, fs::File};

/// How many bytes of chunks are unpacked at the same time, one chunk at least.
const OPEN_BYTES: usize = 64 << 20;

/// Goes through all streams in global order, in memory that does not grow with
/// the recording.
pub struct Timeline<'r, S = File> {
    recording: &'r Recording<S>,
    tracks: Vec<Track<'r>>,
    /// The tracks that have events left, by the stamp of their next one.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    /// The track whose slice is being played.
    current: Option<usize>,
    /// How many bytes are unpacked.
    open: usize,
}

struct Track<'r> {
    stream: StreamId,
    /// The chunk that is being read, and those behind it.
    chunks: &'r [ChunkEntry],
    cursor: Option<EventsCursor>,
    /// How many events of the first chunk were already handed out.
    done: u32,
    next_stamp: u64,
}

impl<'r, S: Source> Timeline<'r, S> {
    /// From the first chunk of each stream on that is not `skipped`; a stream's
    /// skipped chunks stand before the others.
    pub(crate) fn new(recording: &'r Recording<S>, skipped: impl Fn(&ChunkEntry) -> bool) -> Self {
        let tracks: Vec<_> = recording
            .all_streams()
            .map(|(id, stream)| {
                let from = stream.chunks.partition_point(&skipped);
                Track {
                    stream: id,
                    chunks: &stream.chunks[from..],
                    cursor: None,
                    done: 0,
                    next_stamp: stream.chunks.get(from).map_or(0, |chunk| chunk.stamp),
                }
            })
            .collect();
        let mut timeline = Self {
            recording,
            tracks,
            queue: BinaryHeap::new(),
            current: None,
            open: 0,
        };
        timeline.fill_queue();
        timeline
    }

    /// From the first event of each stream on that has this stamp or a later
    /// one. Unpacks one chunk of each stream.
    pub(crate) fn from_stamp(recording: &'r Recording<S>, stamp: u64) -> Self {
        let mut timeline = Self::new(recording, |_| false);
        for i in 0..timeline.tracks.len() {
            timeline.skip_to_stamp(i, stamp);
        }
        timeline.fill_queue();
        timeline
    }

    fn fill_queue(&mut self) {
        self.queue = self
            .tracks
            .iter()
            .enumerate()
            .filter(|(_, track)| !track.chunks.is_empty())
            .map(|(i, track)| Reverse((track.next_stamp, i)))
            .collect();
    }

    fn skip_to_stamp(&mut self, i: usize, stamp: u64) {
        let track = &mut self.tracks[i];
        // The chunk before the first that begins as late may end as late.
        let later = track.chunks.partition_point(|chunk| chunk.stamp < stamp);
        track.chunks = &track.chunks[later.saturating_sub(1)..];
        let Some(chunk) = track.chunks.first() else {
            return;
        };
        track.next_stamp = chunk.stamp;
        // What cannot be read is said when its turn comes.
        let Ok(mut cursor) = self.recording.cursor(chunk) else {
            return;
        };
        while cursor.left() > 0 {
            match cursor.peek_stamp() {
                Some(next) if next < stamp => {}
                next => {
                    track.next_stamp = next.unwrap_or(track.next_stamp);
                    return;
                }
            }
            if cursor.next_row().is_none() {
                return;
            }
            track.done += 1;
        }
        self.leave_chunk(i);
    }

    /// The next event; `None` behind the last. After an error it goes on
    /// behind the chunk that could not be read.
    #[allow(clippy::should_implement_trait, reason = "the event borrows from self")]
    pub fn next(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        let Some(i) = self.pick() else {
            return Ok(None);
        };
        let track = &self.tracks[i];
        let Some(chunk) = track.chunks.first() else {
            return Ok(None);
        };
        if track.cursor.is_none() {
            match self.reopen(i, chunk) {
                Ok(cursor) => {
                    self.open += cursor.len();
                    while self.open > OPEN_BYTES && self.close_furthest() {}
                    self.tracks[i].cursor = Some(cursor);
                }
                Err(error) => {
                    self.leave_chunk(i);
                    return Err(error);
                }
            }
        }
        let track = &mut self.tracks[i];
        let row = track.cursor.as_mut().and_then(EventsCursor::next_row);
        let Some(row) = row else {
            self.leave_chunk(i);
            return Err(malformed(chunk).into());
        };
        track.done += 1;
        let track = &self.tracks[i];
        Ok(Some(Event {
            stream: track.stream,
            number: chunk.first + u64::from(track.done - 1),
            stamp: row.stamp,
            segment: chunk.segment,
            replaced: row.replaced,
            payload: track
                .cursor
                .as_ref()
                .map_or(&[], |cursor| cursor.bytes(&row)),
        }))
    }

    /// The track whose turn it is: the current one while its slice lasts, and
    /// then the one with the lowest stamp.
    fn pick(&mut self) -> Option<usize> {
        if let Some(i) = self.current {
            if self.tracks[i]
                .cursor
                .as_ref()
                .is_some_and(|cursor| cursor.left() == 0)
            {
                self.leave_chunk(i);
            }
            let track = &mut self.tracks[i];
            if let Some(cursor) = &mut track.cursor {
                // Malformed slices show when the row is asked for.
                track.next_stamp = cursor.peek_stamp().unwrap_or(track.next_stamp);
            }
            let more = !track.chunks.is_empty();
            let turn = (track.next_stamp, i);
            let first = self.queue.peek().map(|Reverse(turn)| *turn);
            if more && first.is_none_or(|first| turn <= first) {
                return Some(i);
            }
            if more {
                self.queue.push(Reverse(turn));
            }
        }
        self.current = self.queue.pop().map(|Reverse((_, i))| i);
        self.current
    }

    /// Goes on with the next chunk of a track.
    fn leave_chunk(&mut self, i: usize) {
        let track = &mut self.tracks[i];
        if let Some(cursor) = track.cursor.take() {
            self.open -= cursor.len();
        }
        track.done = 0;
        track.chunks = track.chunks.get(1..).unwrap_or_default();
        if let Some(chunk) = track.chunks.first() {
            track.next_stamp = chunk.stamp;
        }
    }

    /// Unpacks a chunk and skips what was handed out of it before.
    fn reopen(&self, i: usize, chunk: &ChunkEntry) -> Result<EventsCursor, ReadError> {
        let mut cursor = self.recording.cursor(chunk)?;
        for _ in 0..self.tracks[i].done {
            cursor.next_row().ok_or_else(|| malformed(chunk))?;
        }
        Ok(cursor)
    }

    /// Packs up the unpacked chunk whose turn comes last; false when there is
    /// none.
    fn close_furthest(&mut self) -> bool {
        let furthest = self
            .tracks
            .iter_mut()
            .filter(|track| track.cursor.is_some())
            .max_by_key(|track| track.next_stamp);
        let cursor = furthest.and_then(|track| track.cursor.take());
        if let Some(cursor) = &cursor {
            self.open -= cursor.len();
        }
        cursor.is_some()
    }
}
