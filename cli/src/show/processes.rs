//! The processes of a recording of Linux processes.

use reprise_player::{Kept, Playable, kept, processes};
use serde_json::{Value, json};

use super::Overview;
use crate::readable::{count, signal, size};

/// Those that are in a recording; none where it is of another kind.
pub(super) fn of(overview: &Overview<'_>) -> Vec<Playable> {
    let recording = &overview.opened.recording;
    if recording.manifest().kind != reprise_player::KIND {
        return Vec::new();
    }
    processes(recording)
}

/// How much of their memory is in it; `None` where it is of another kind, or where
/// that cannot be read.
fn memory_of(overview: &Overview<'_>) -> Option<Kept> {
    let recording = &overview.opened.recording;
    let is_ours = recording.manifest().kind == reprise_player::KIND;
    let kept = is_ours.then(|| kept(recording).ok()).flatten();
    kept.filter(|kept| kept.pages + kept.left_out > 0)
}

/// How much of their memory is in it, for people.
pub(super) fn memory(overview: &Overview<'_>) -> Option<String> {
    let kept = memory_of(overview)?;
    let all = kept.pages + kept.left_out;
    Some(format!(
        "{} of {}, {}; events {}",
        kept.pages,
        count(all, "page"),
        size(kept.page_bytes),
        size(kept.event_bytes),
    ))
}

/// The same, for programs.
pub(super) fn memory_json(overview: &Overview<'_>) -> Value {
    memory_of(overview).map_or(Value::Null, |kept| {
        json!({
            "pages": kept.pages,
            "left_out": kept.left_out,
            "page_bytes": kept.page_bytes,
            "event_bytes": kept.event_bytes,
        })
    })
}

/// How one of them ended, for people.
pub(super) fn ending(one: &Playable) -> String {
    let process = &one.process;
    let mut words = match (process.exited, process.killed) {
        (Some(status), _) => format!("exited with status {status}"),
        (None, Some(number)) => format!("killed by {}", signal(number)),
        (None, None) => "it went on running".to_owned(),
    };
    if process.failed {
        words.push_str(", the failure");
    }
    words
}

/// One of them, for programs.
pub(super) fn json(one: &Playable) -> Value {
    let process = &one.process;
    json!({
        "process": process.process,
        "parent": process.parent,
        "program": process.program,
        "exited": process.exited,
        "killed": process.killed,
        "failed": process.failed,
        "played": one.meant,
    })
}
