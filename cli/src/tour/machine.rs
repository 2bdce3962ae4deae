//! What this machine can record: the table of `doctor`.

use super::stage::{Stage, wrong};
use crate::failure::Failure;

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    stage.say("Reprise tries what each kind of recording needs, and says what it found.")?;
    // A heading, an empty line, the table's heading and a line for each kind.
    let lines = 3 + crate::doctor::kinds::KINDS.len();
    let ended = stage.command(&["doctor"], Some(lines))?;
    if ended.stdout.is_empty() {
        return Err(wrong(&format!("reprise doctor: {}", ended.how())));
    }
    stage
        .say("The rest of its output gives the reason for each no, and the fix where there is one.")
}
