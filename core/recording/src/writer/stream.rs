//! The events of one stream, collected into chunks.

use super::{Place, WriteError, Writer};
use crate::{chunk::ChunkKind, events::EventsBuilder, limits, stream::StreamId};
use std::sync::Arc;

/// Writes the events of one stream.
pub struct StreamWriter {
    pub(super) writer: Writer,
    pub(super) _open: Arc<()>,
    pub(super) id: StreamId,
    pub(super) events: EventsBuilder,
    /// The number of the first event of the chunk that is being filled.
    pub(super) next: u64,
    pub(super) segment: u32,
    /// A chunk is written when its events take so much.
    pub(super) chunk: usize,
    pub(super) payload: Vec<u8>,
}

impl StreamWriter {
    /// The number of the stream.
    #[must_use]
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// The number of the next event.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.next.saturating_add(u64::from(self.events.count()))
    }

    /// Appends an event.
    pub fn append(&mut self, payload: &[u8]) -> Result<(), WriteError> {
        self.push(payload, false)
    }

    /// Appends an event whose payload is a stand-in for a private one.
    pub fn append_replaced(&mut self, payload: &[u8]) -> Result<(), WriteError> {
        self.push(payload, true)
    }

    pub(crate) fn push(&mut self, payload: &[u8], replaced: bool) -> Result<(), WriteError> {
        let len = payload.len();
        if len > limits::EVENT {
            return Err(WriteError::EventTooLong { len });
        }
        self.make_room(len)?;
        self.events.push(payload, replaced);
        Ok(())
    }

    /// Appends an event that is the first `len` of `bytes`, and short enough.
    #[inline]
    pub(crate) fn push_first(&mut self, bytes: &[u8], len: usize) -> Result<(), WriteError> {
        self.make_room(len)?;
        self.events.push_first(bytes, len);
        Ok(())
    }

    /// An event joins a chunk only if the chunk stays within its target; one
    /// that is longer than the target has a chunk to itself.
    #[inline]
    fn make_room(&mut self, len: usize) -> Result<(), WriteError> {
        if self.events.len() + len >= self.chunk && self.events.count() > 0 {
            self.flush()?;
        }
        Ok(())
    }

    /// The events from here on belong to a slice with this stamp.
    pub fn stamp(&mut self, stamp: u64) -> Result<(), WriteError> {
        if self.events.stamp(stamp) {
            return Ok(());
        }
        let stream = self.id;
        Err(WriteError::StampWentBack { stream, stamp })
    }

    /// The events from here on belong to this segment.
    pub fn segment(&mut self, segment: u32) -> Result<(), WriteError> {
        if segment != self.segment {
            self.flush()?;
            self.segment = segment;
        }
        Ok(())
    }

    /// Starts over at event `number`: those before it were dropped.
    pub fn skip_to(&mut self, number: u64) -> Result<(), WriteError> {
        self.flush()?;
        self.next = self.next.max(number);
        Ok(())
    }

    /// Writes what has been collected.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        let count = self.events.count();
        if count == 0 {
            return Ok(());
        }
        let payload = self.events.payload(&mut self.payload);
        let place = Place {
            stream: self.id.0,
            segment: self.segment,
            first: self.next,
            stamp: self.events.first_stamp(),
            count,
        };
        self.writer.append(ChunkKind::Events, place, payload)?;
        self.next = self.next.saturating_add(u64::from(count));
        self.events.clear();
        Ok(())
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        // What goes wrong here has ended the recording, and `finish` says so.
        let _ = self.flush();
    }
}
