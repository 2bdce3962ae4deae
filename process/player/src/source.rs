//! Finding in a recording what is to be played.

use reprise_process_events::{Event, KIND, PROCESSES, Process, Start, VERSION, wire};
use reprise_recording::{Recording, Source, StreamId, StreamInfo};
use reprise_tracee::processor::Answers;
use serde::Deserialize as _;

use crate::PlayError;
use crate::foreign::Foreign;

/// A segment to play.
pub(crate) struct Segment {
    pub(crate) stream: StreamId,
    pub(crate) process: u32,
    pub(crate) number: u32,
    /// The number of the event that begins it.
    pub(crate) first: u64,
    pub(crate) start: Start,
    /// The recording is of another processor.
    pub(crate) foreign: Option<Foreign>,
}

impl Segment {
    /// What is mapped at its start.
    pub(crate) fn ranges(&self) -> Vec<(u64, u64)> {
        let regions = self.start.regions.iter();
        regions.map(|region| (region.start, region.end)).collect()
    }
}

/// A process that can be played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playable {
    /// What the recording says of it.
    pub process: Process,
    /// It is the one to play where nobody says which.
    pub meant: bool,
    stream: StreamId,
}

/// The processes of a recording, in the order in which they stand in it.
pub fn processes<S: Source>(recording: &Recording<S>) -> Vec<Playable> {
    let listed = recording.manifest().details.get(PROCESSES);
    let listed = listed.and_then(|listed| Vec::<Process>::deserialize(listed).ok());
    let listed = listed.unwrap_or_default();
    let is_ours = |info: &StreamInfo| info.kind == KIND && info.version <= VERSION;
    let streams = recording.streams().filter(|(_, info)| is_ours(info));
    let mut all: Vec<Playable> = streams
        .map(|(stream, info)| {
            let mut known = listed.iter();
            let known = known.find(|known| known.process == info.process);
            let process = known.cloned().unwrap_or_else(|| Process {
                process: info.process,
                program: info.name.clone(),
                ..Process::default()
            });
            Playable {
                process,
                meant: false,
                stream,
            }
        })
        .collect();
    let failed = all.iter().position(|one| one.process.failed);
    if let Some(meant) = all.get_mut(failed.unwrap_or(0)) {
        meant.meant = true;
    }
    all
}

/// The process to play: one by its number or, if none has that, by its place in
/// the list, from 1 on.
fn find<S: Source>(recording: &Recording<S>, which: Option<u32>) -> Result<Playable, PlayError> {
    let mut all = processes(recording);
    let found = match which {
        None => all.iter().position(|one| one.meant),
        Some(which) => {
            let by_number = all.iter().position(|one| one.process.process == which);
            let by_place = usize::try_from(which).ok().and_then(|n| n.checked_sub(1));
            by_number.or(by_place)
        }
    };
    match (found.filter(|&found| found < all.len()), which) {
        (Some(found), _) => Ok(all.swap_remove(found)),
        (None, None) => Err(PlayError::Empty),
        (None, Some(which)) => Err(PlayError::NoProcess {
            which,
            processes: all.len(),
        }),
    }
}

/// The last segment of a process.
pub(crate) fn last_segment<S: Source>(
    recording: &Recording<S>,
    which: Option<u32>,
) -> Result<Segment, PlayError> {
    let found = find(recording, which)?;
    let (stream, process) = (found.stream, found.process.process);
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
    let foreign = Foreign::of(recording);
    match read(number, event.payload, foreign.as_ref())? {
        Event::Start(start) if number == first => Ok(Segment {
            stream,
            process,
            number: segment,
            first,
            start,
            foreign,
        }),
        _ => Err(PlayError::Empty),
    }
}

/// Reads an event, with the registers that this processor has.
pub(crate) fn read(
    number: u64,
    payload: &[u8],
    foreign: Option<&Foreign>,
) -> Result<Event, PlayError> {
    let event = wire::read(payload);
    let mut event = event.map_err(|error| PlayError::Event {
        event: number,
        error,
    })?;
    if let Some(foreign) = foreign {
        foreign.moves(number, &mut event)?;
    }
    Ok(event)
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
