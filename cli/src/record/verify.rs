//! A recording is good when it has been played once, where it was made. That also
//! shows which memory it needs.

use std::path::Path;

use reprise_player::{Limits, Page, PlayError, Supply, Used, rehearse};
use reprise_recorder::{Draft, Memory};
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
}

/// Plays each process of a recording that is being written, at this path, and
/// writes the memory that it needs. Of one that does not replay, all memory is
/// written and the failure named.
pub(super) fn verify(path: &Path, draft: &mut Draft) -> Result<Verdict, WriteError> {
    let recording = Recording::open(path).map_err(|error| error.to_string());
    let all: Vec<_> = draft
        .processes()
        .map(|(process, program)| (process, program.to_owned()))
        .collect();
    let mut failed = Vec::new();
    for (process, program) in &all {
        let used = match &recording {
            Err(error) => Err(error.clone()),
            Ok(recording) => needed(recording, draft, *process).map_err(|error| error.to_string()),
        };
        draft.keep(*process, used.as_ref().ok())?;
        if let Err(error) = used {
            failed.push(match all.len() {
                1 => error,
                _ => format!("process {process} ({program}): {error}"),
            });
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

/// The pages that a replay of a process needs, and those that a debugger wants.
fn needed(recording: &Recording, draft: &Draft, process: u32) -> Result<Used, PlayError> {
    let memory = draft.memory(process).ok_or(PlayError::Empty)?;
    let mut used = rehearse(recording, process, &LIMITS, &mut Supplied(memory))?;
    debugger_needs::add(memory, &mut used);
    Ok(used)
}
