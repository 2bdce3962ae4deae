//! Which events a process has: its own, and before them those of its parents up to where
//! they have forked.

use reprise_c_events::{Crossing, KIND, VERSION, begins_child};
use reprise_recording::{Recording, Source, StreamId};

use crate::translate::TranslateError;

/// Events of a stream that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) stream: StreamId,
    /// The first of them.
    pub(crate) from: u64,
    /// Behind the last.
    pub(crate) to: u64,
}

/// Whether the events of a stream are those of a child.
fn is_child<S: Source>(recording: &Recording<S>, stream: StreamId) -> bool {
    recording.events(stream, 0).is_ok_and(|mut events| {
        let first = events.next().ok().flatten();
        first.is_some_and(|first| begins_child(first.payload))
    })
}

/// The pieces of a process, by its number or its place in the recording; without one, of
/// the first.
pub(crate) fn of<S: Source>(
    recording: &Recording<S>,
    process: Option<u32>,
) -> Result<Vec<Piece>, TranslateError> {
    let streams = recording.streams().filter(|(_, info)| info.kind == KIND);
    let mut streams: Vec<(StreamId, u32, u32)> = streams
        .map(|(stream, info)| (stream, info.process, info.version))
        .collect();
    if let Some((_, _, version)) = streams.iter().find(|(_, _, version)| *version > VERSION) {
        return Err(TranslateError::Version(*version));
    }
    streams.sort_by_key(|(stream, ..)| is_child(recording, *stream));
    let place = |process: u32| (process as usize).checked_sub(1);
    let chosen = match process {
        None => streams.first(),
        Some(process) => streams
            .iter()
            .find(|(_, number, _)| *number == process)
            .or_else(|| streams.get(place(process)?)),
    };
    let chosen = match (chosen, process) {
        (Some(chosen), _) => chosen,
        (None, Some(process)) => return Err(TranslateError::NoProcess(process)),
        (None, None) => return Err(TranslateError::Empty),
    };
    let mut pieces = Vec::new();
    let mut next = (chosen.0, recording.next_number(chosen.0));
    // No process is its own parent, whatever a recording says.
    for _ in 0..streams.len() {
        let (stream, to) = next;
        let mut events = recording.events(stream, 0)?;
        let first = events.next()?.map(|event| event.payload.to_vec());
        let first = first.and_then(|payload| reprise_c_events::read(&payload).ok());
        let Some(Crossing::Forked { process, events }) = first else {
            pieces.push(Piece {
                stream,
                from: 0,
                to,
            });
            pieces.reverse();
            return Ok(pieces);
        };
        pieces.push(Piece {
            stream,
            from: 1,
            to,
        });
        let parent = streams.iter().find(|(_, number, _)| *number == process);
        let (parent, ..) = parent.ok_or(TranslateError::NoProcess(process))?;
        next = (*parent, events.min(recording.next_number(*parent)));
    }
    Err(TranslateError::Empty)
}
