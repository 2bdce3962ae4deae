//! A recording is good when it has been played once, where it was made.

use std::path::Path;

use reprise_player::{Limits, play, processes};
use reprise_recording::{Closing, NotRecorded, Recording, Writer};

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

/// Plays each of its processes. What fails is named, one of several with its
/// number.
fn play_all(recording: &Recording) -> Result<(), String> {
    let all = processes(recording);
    let mut failed = Vec::new();
    for one in &all {
        let number = one.process.process;
        if let Err(error) = play(recording, Some(number), &LIMITS, &mut |_| {}) {
            let program = &one.process.program;
            failed.push(match all.len() {
                1 => error.to_string(),
                _ => format!("process {number} ({program}): {error}"),
            });
        }
    }
    match failed.is_empty() {
        true if !all.is_empty() => Ok(()),
        true => Err("there is nothing to play".to_owned()),
        false => {
            let more = failed.len().saturating_sub(LISTED);
            failed.truncate(LISTED);
            if more > 0 {
                failed.push(format!("and {more} more"));
            }
            Err(failed.join("; "))
        }
    }
}

/// Plays a recording that was just written. If it does not replay, adds that to
/// what its closing says.
pub(super) fn verify(path: &Path, closing: &Closing) -> Verdict {
    let why = match Recording::open(path) {
        Err(error) => error.to_string(),
        Ok(recording) => match play_all(&recording) {
            Ok(()) => return Verdict::Replays,
            Err(why) => why,
        },
    };
    let mut closing = closing.clone();
    closing.not_recorded.push(NotRecorded {
        what: "something that a replay needs".to_owned(),
        why: format!("its own replay failed: {why}"),
        count: 1,
    });
    // If not even that can be written, the line on the terminal says it.
    if let Ok((writer, _)) = Writer::reopen(path) {
        let _ = writer.finish(closing);
    }
    Verdict::Unverified(why)
}
