//! Going through the events of one stream.

use crate::{
    damage::{ReadError, malformed},
    events::{Event, EventsCursor, Row},
    index::ChunkEntry,
    reader::Recording,
    source::Source,
    stream::StreamId,
};
use std::fs::File;

/// The events of one stream, one after another, in constant memory.
pub struct Events<'r, S = File> {
    recording: &'r Recording<S>,
    stream: StreamId,
    from: u64,
    chunks: &'r [ChunkEntry],
    open: Option<(EventsCursor, &'r ChunkEntry)>,
}

impl<'r, S: Source> Events<'r, S> {
    pub(crate) fn new(recording: &'r Recording<S>, stream: StreamId, from: u64) -> Self {
        let chunks = recording.chunks(stream);
        let start = chunks.partition_point(|chunk| chunk.end() <= from);
        Self {
            recording,
            stream,
            from,
            chunks: &chunks[start..],
            open: None,
        }
    }

    /// The next event; `None` behind the last. After an error it goes on with
    /// the next chunk: the numbers of the events show what is missing.
    #[allow(clippy::should_implement_trait, reason = "the event borrows from self")]
    pub fn next(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        let Some((number, row)) = self.advance()? else {
            return Ok(None);
        };
        Ok(self.open.as_ref().map(|(cursor, chunk)| Event {
            stream: self.stream,
            number,
            stamp: row.stamp,
            segment: chunk.segment,
            replaced: row.replaced,
            payload: cursor.bytes(&row),
        }))
    }

    /// Goes to the next event that was asked for.
    fn advance(&mut self) -> Result<Option<(u64, Row)>, ReadError> {
        loop {
            let Some((cursor, chunk)) = self.open.as_mut().filter(|(cursor, _)| cursor.left() > 0)
            else {
                let Some((chunk, rest)) = self.chunks.split_first() else {
                    return Ok(None);
                };
                self.chunks = rest;
                self.open = None;
                self.open = Some((self.recording.cursor(chunk)?, chunk));
                continue;
            };
            let number = chunk.end() - u64::from(cursor.left());
            let Some(row) = cursor.next_row() else {
                let damaged = malformed(chunk);
                self.open = None;
                return Err(damaged.into());
            };
            if number >= self.from {
                return Ok(Some((number, row)));
            }
        }
    }
}
