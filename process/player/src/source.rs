//! Finding in a recording what is to be played.

use reprise_process_events::{Event, KIND, Start, VERSION, wire};
use reprise_recording::{Recording, Source, StreamId, StreamInfo};
use reprise_tracee::processor::Answers;
use serde::Deserialize as _;

use crate::PlayError;

/// A segment to play.
pub(crate) struct Segment {
    pub(crate) stream: StreamId,
    pub(crate) process: u32,
    pub(crate) number: u32,
    /// The number of the event that begins it.
    pub(crate) first: u64,
    pub(crate) start: Start,
}

/// The last segment of the first process.
pub(crate) fn last_segment<S: Source>(recording: &Recording<S>) -> Result<Segment, PlayError> {
    let is_ours = |info: &StreamInfo| info.kind == KIND && info.version <= VERSION;
    let streams = recording.streams();
    let (stream, process) = streams
        .filter(|(_, info)| is_ours(info))
        .map(|(id, info)| (id, info.process))
        .next()
        .ok_or(PlayError::Empty)?;
    // A segment begins with a chunk of its own, so only the first event of a
    // chunk can be a start.
    let chunks = recording.chunks(stream);
    let last = chunks.last().ok_or(PlayError::Empty)?;
    let first = chunks
        .iter()
        .find(|chunk| chunk.segment == last.segment)
        .map_or(last.first, |chunk| chunk.first);
    let mut events = recording.events(stream, first)?;
    let event = events.next()?.ok_or(PlayError::Empty)?;
    let (number, segment) = (event.number, event.segment);
    match read(number, event.payload)? {
        Event::Start(start) if number == first => Ok(Segment {
            stream,
            process,
            number: segment,
            first,
            start,
        }),
        _ => Err(PlayError::Empty),
    }
}

/// Reads an event.
pub(crate) fn read(event: u64, payload: &[u8]) -> Result<Event, PlayError> {
    wire::read(payload).map_err(|error| PlayError::Event { event, error })
}

/// What the processor of the run said about itself; empty if that is not known.
pub(crate) fn answers<S: Source>(recording: &Recording<S>) -> Answers {
    let answers = recording.manifest().details.get("cpuid");
    let answers = answers.and_then(|answers| Answers::deserialize(answers).ok());
    answers.unwrap_or_default()
}

/// On which processor the subject ran.
pub(crate) fn processor<S: Source>(recording: &Recording<S>) -> Option<usize> {
    let processor = recording.manifest().details.get("processor")?.as_u64()?;
    usize::try_from(processor).ok()
}
