//! A recording is good when it has been played once, where it was made.

use std::path::Path;

use reprise_player::{Limits, play};
use reprise_recording::{Closing, NotRecorded, Recording, Writer};

/// What the recording's own replay came to.
pub(super) enum Verdict {
    /// It went as recorded.
    Replays,
    /// It did not, or could not be tried, for this reason; the recording says
    /// so, too.
    Unverified(String),
}

/// What such a replay may take.
const LIMITS: Limits = Limits {
    memory: 64 << 30,
    seconds: 3600,
};

/// Plays a recording that was just written. If it does not replay, adds that to
/// what its closing says.
pub(super) fn verify(path: &Path, closing: &Closing) -> Verdict {
    let why = match Recording::open(path) {
        Err(error) => error.to_string(),
        Ok(recording) => match play(&recording, &LIMITS, &mut |_| {}) {
            Ok(_) => return Verdict::Replays,
            Err(error) => error.to_string(),
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
