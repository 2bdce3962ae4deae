//! A recording is good when it has been played once, where it was made. That also
//! shows which memory it needs.

use std::path::Path;

use reprise_player::{Limits, Needed, Page, PlayError, Supply, rehearse};
use reprise_recorder::{Draft, Memory, Without};
use reprise_recording::{NotRecorded, Recording, WriteError};

use super::debugger_needs;

/// What the recording's own replay came to.
pub(super) enum Verdict {
    /// It went as recorded.
    Replays,
    /// It did not, or could not be tried, for this reason; the recording says
    /// so, too.
    Unverified(String),
}

/// How many replays that failed are named.
const LISTED: usize = 3;

/// What such a replay may take.
const LIMITS: Limits = Limits {
    memory: 64 << 30,
    seconds: 3600,
};

struct Supplied<'a>(Memory<'a>);

impl Supply for Supplied<'_> {
    fn ranges(&mut self, map: u32) -> Vec<(u64, u64)> {
        self.0.ranges(map)
    }

    fn page(&mut self, map: u32, address: u64) -> Page {
        self.0.page(map, address)
    }

    fn ranges_at(&mut self, pause: u64) -> Option<Vec<(u64, u64)>> {
        self.0.ranges_at(pause)
    }

    fn read_at(&mut self, pause: u64, address: u64, into: &mut [u8]) -> bool {
        self.0.read_at(pause, address, into)
    }
}

/// Plays each process of a recording that is being written, at this path, and
/// writes the memory that it needs. Of one that does not replay, all memory is
/// written and the failure named.
pub(super) fn verify(path: &Path, draft: &mut Draft) -> Result<Verdict, WriteError> {
    let all: Vec<_> = draft
        .processes()
        .map(|(process, program)| (process, program.to_owned()))
        .collect();
    let mut needs = Vec::new();
    for (process, _) in &all {
        needs.push(tried(path, draft, *process)?);
    }
    let mut failed = Vec::new();
    for ((process, program), needed) in all.iter().zip(needs) {
        draft.keep(*process, needed.as_ref().ok().map(|needed| &needed.used))?;
        match needed {
            Ok(needed) => draft.keep_places(*process, &needed.places)?,
            Err(error) => failed.push(match all.len() {
                1 => error,
                _ => format!("process {process} ({program}): {error}"),
            }),
        }
    }
    if all.is_empty() {
        failed.push("there is nothing to play".to_owned());
    }
    if failed.is_empty() {
        return Ok(Verdict::Replays);
    }
    let more = failed.len().saturating_sub(LISTED);
    failed.truncate(LISTED);
    if more > 0 {
        failed.push(format!("and {more} more"));
    }
    let why = failed.join("; ");
    draft.note(NotRecorded {
        what: "something that a replay needs".to_owned(),
        why: format!("its own replay failed: {why}"),
        count: 1,
    });
    Ok(Verdict::Unverified(why))
}

/// What a replay of a process needs. Where a computation was interrupted at a place
/// that is not found again, the recording begins nearer to it, or there.
fn tried(
    path: &Path,
    draft: &mut Draft,
    process: u32,
) -> Result<Result<Needed, String>, WriteError> {
    let mut tries = 0;
    loop {
        let recording = match Recording::open(path) {
            Ok(recording) => recording,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let error = match needed(&recording, draft, process) {
            Ok(needed) => return Ok(Ok(needed)),
            Err(error) => error,
        };
        let PlayError::Unrecognised { event } = error else {
            return Ok(Err(error.to_string()));
        };
        // Each try takes a while, so the next failure is the last.
        let pause = match (tries, draft.last_pause(process)) {
            (0, _) | (_, None) => event,
            (_, Some(last)) => last.max(event),
        };
        tries += 1;
        let what = match draft.do_without(process, pause)? {
            Some(Without::Before) => "the time before",
            Some(Without::Behind) => "what it computed last",
            None => return Ok(Err(error.to_string())),
        };
        draft.note(NotRecorded {
            what: what.to_owned(),
            why: "a computation was interrupted at a place that was not found again".to_owned(),
            count: 1,
        });
    }
}

/// What a replay of a process needs, with what a debugger wants.
fn needed(recording: &Recording, draft: &Draft, process: u32) -> Result<Needed, PlayError> {
    let memory = draft.memory(process).ok_or(PlayError::Empty)?;
    let mut needed = rehearse(recording, process, &LIMITS, &mut Supplied(memory))?;
    debugger_needs::add(memory, &mut needed.used);
    Ok(needed)
}
