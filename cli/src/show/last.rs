//! The last events of a recording in their global order.
//!
//! A recording may be long, and its end is what people look at first. So the
//! streams are read from their ends: one chunk of each, and more only where a
//! chunk holds fewer events than are wanted.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use reprise_recording::{Damaged, Event, ReadError, Recording, Source, StreamId, StreamInfo};

use crate::event_text;
use crate::event_text::cut::Names;
use crate::event_text::jvm::{self, Jvm};

/// The last events.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Last {
    /// The events, the last one last.
    pub rows: Vec<Row>,
    /// What could not be read on the way.
    pub damage: Vec<Damaged>,
}

/// An event, put into words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whose event it is.
    pub stream: StreamId,
    /// Its number within the stream.
    pub number: u64,
    /// Its place in the global order.
    pub stamp: u64,
    /// Its segment.
    pub segment: u32,
    /// The payload is a stand-in.
    pub private: bool,
    /// How long the payload is.
    pub bytes: usize,
    /// What it says, safe for a terminal.
    pub text: String,
}

impl Row {
    /// Puts an event of this kind into words.
    pub fn new(kind: &str, event: &Event<'_>) -> Self {
        Self::with(event, event_text::describe(kind, event.payload))
    }

    /// An event with what it says.
    pub fn with(event: &Event<'_>, text: String) -> Self {
        Self {
            stream: event.stream,
            number: event.number,
            stamp: event.stamp,
            segment: event.segment,
            private: event.replaced,
            bytes: event.payload.len(),
            text,
        }
    }
}

/// The last `limit` events of a recording whose events mean something only in
/// their turn: all are read, in memory that does not grow with them.
fn last_in_turn<S: Source>(
    recording: &Recording<S>,
    only: Option<StreamId>,
    limit: usize,
) -> io::Result<Last> {
    let mut jvm = Jvm::new(recording)?;
    let mut kept: VecDeque<(Row, Option<jvm::Read>)> = VecDeque::new();
    let mut damage = Vec::new();
    let mut timeline = recording.timeline();
    loop {
        let event = match timeline.next() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(error) => {
                note(&mut damage, error)?;
                continue;
            }
        };
        let read = jvm.read(&event);
        if limit > 0 && only.is_none_or(|only| only == event.stream) {
            if kept.len() == limit {
                kept.pop_front();
            }
            let text = match read {
                Some(_) => String::new(),
                None => event_text::describe("", event.payload),
            };
            kept.push_back((Row::with(&event, text), read));
        }
    }
    let rows = kept.into_iter().map(|(mut row, read)| {
        if let Some(read) = read {
            row.text = event_text::words(&jvm.words(&read));
        }
        row
    });
    Ok(Last {
        rows: rows.collect(),
        damage,
    })
}

/// The last `limit` events of all streams, or of one.
pub fn last<S: Source>(
    recording: &Recording<S>,
    only: Option<StreamId>,
    limit: usize,
) -> io::Result<Last> {
    if jvm::is_jvm(recording) {
        return last_in_turn(recording, only, limit);
    }
    let names = Names::of(recording);
    // Keyed by the global order: stamp, then stream, then number.
    let mut kept: BTreeMap<(u64, StreamId, u64), Row> = BTreeMap::new();
    let mut damage = Vec::new();
    // Where pauses were is no event of its own.
    let is_shown = |id: StreamId, info: &StreamInfo| match only {
        Some(only) => only == id,
        None => info.kind != reprise_process_events::PLACES,
    };
    let streams = recording.streams();
    for (id, info) in streams.filter(|(id, info)| is_shown(*id, info)) {
        let mut wanted = limit as u64;
        // No stamp of a chunk is above that of the chunk behind it.
        let mut highest = u64::MAX;
        for chunk in recording.chunks(id).iter().rev() {
            let first = kept.first_key_value().map(|(key, _)| *key);
            let full = kept.len() >= limit;
            if wanted == 0 || full && first.is_none_or(|first| (highest, id, u64::MAX) < first) {
                break;
            }
            highest = chunk.stamp;
            let here = wanted.min(u64::from(chunk.count));
            wanted -= here;
            let mut events = match recording.events(id, chunk.end() - here) {
                Ok(events) => events,
                Err(error) => {
                    note(&mut damage, error)?;
                    continue;
                }
            };
            for _ in 0..here {
                match events.next() {
                    Ok(Some(event)) => {
                        let key = (event.stamp, id, event.number);
                        let first = kept.first_key_value().map(|(key, _)| *key);
                        if kept.len() < limit || first.is_some_and(|first| first < key) {
                            let says = names.as_ref();
                            let says = says.and_then(|one| one.words(&info.kind, event.payload));
                            let row = match says {
                                Some(says) => Row::with(&event, event_text::words(&says)),
                                None => Row::new(&info.kind, &event),
                            };
                            kept.insert(key, row);
                        }
                        if kept.len() > limit {
                            kept.pop_first();
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        note(&mut damage, error)?;
                        wanted += here;
                        break;
                    }
                }
            }
        }
    }
    let rows = kept.into_values().collect();
    Ok(Last { rows, damage })
}

/// Keeps what is damaged; a file that cannot be read at all is an error.
fn note(damage: &mut Vec<Damaged>, error: ReadError) -> io::Result<()> {
    match error {
        ReadError::Io(error) => return Err(error),
        ReadError::Damaged(damaged) => damage.push(damaged),
        ReadError::NoStream(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use reprise_recording::{Closing, Manifest, StreamInfo, Writer};

    /// Events of a few streams with stamps that rise now and then, in chunks of
    /// a few events.
    fn recording(script: &[(u8, bool, bool)]) -> Recording {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.reprise");
        let writer = Writer::create(&file, &Manifest::default()).unwrap();
        let mut streams: Vec<_> = (0..3)
            .map(|_| writer.stream(&StreamInfo::default()).unwrap())
            .collect();
        let mut stamp = 0;
        for (i, (which, rise, flush)) in script.iter().enumerate() {
            let stream = &mut streams[usize::from(*which) % 3];
            stamp += u64::from(*rise);
            stream.stamp(stamp).unwrap();
            stream.append(format!("event {i}").as_bytes()).unwrap();
            if *flush {
                stream.flush().unwrap();
            }
        }
        drop(streams);
        writer.finish(Closing::default()).unwrap();
        Recording::open(file).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_last_events_are_the_end_of_the_timeline(
            script: Vec<(u8, bool, bool)>, limit in 0..20usize,
        ) {
            let recording = recording(&script);
            let mut timeline = recording.timeline();
            let mut all = Vec::new();
            while let Some(event) = timeline.next().unwrap() {
                all.push(Row::new("", &event));
            }
            let expected = &all[all.len().saturating_sub(limit)..];
            let last = last(&recording, None, limit).unwrap();
            prop_assert_eq!(&last.rows, expected);
        }
    }
}
