//! How much of the memory of the processes is in a recording.

use std::collections::BTreeSet;

use reprise_process_events::{OMITTED, PAGE};
use reprise_recording::index::ChunkEntry;
use reprise_recording::{ReadError, Recording, Source};

/// What a recording has of the memory of its processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// How many pages are in it.
    pub pages: u64,
    /// How many were left out, since nothing in it uses them.
    pub left_out: u64,
    /// How many bytes of the file pages take.
    pub page_bytes: u64,
    /// How many bytes of the file events take.
    pub event_bytes: u64,
}

/// Counts it.
pub fn kept<S: Source>(recording: &Recording<S>) -> Result<Kept, ReadError> {
    let sum = |chunks: &[ChunkEntry]| chunks.iter().map(|chunk| chunk.len).sum::<u64>();
    let streams = recording.streams();
    let events = streams.map(|(stream, _)| sum(recording.chunks(stream)));
    let mut kept = Kept {
        page_bytes: sum(recording.page_chunks()) + sum(recording.page_maps()),
        event_bytes: events.sum(),
        ..Kept::default()
    };
    let mut left_out = BTreeSet::new();
    for map in recording.page_maps() {
        if map.segment & OMITTED == 0 {
            kept.pages += u64::from(map.count);
        } else {
            left_out.insert((map.stream, map.segment));
        }
    }
    for (process, map) in left_out {
        let bounds = recording.pages().addresses(process, map)?;
        let ranges = bounds.chunks_exact(2);
        let pages = ranges
            .map(|range| range[1].saturating_sub(range[0]) / PAGE)
            .fold(0, u64::saturating_add);
        kept.left_out = kept.left_out.saturating_add(pages);
    }
    Ok(kept)
}
