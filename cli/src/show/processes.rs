//! The processes of a recording of Linux processes.

use reprise_player::{Playable, processes};
use serde_json::{Value, json};

use super::Overview;
use crate::readable::signal;

/// Those that are in a recording; none where it is of another kind.
pub(super) fn of(overview: &Overview<'_>) -> Vec<Playable> {
    let recording = &overview.opened.recording;
    if recording.manifest().kind != reprise_player::KIND {
        return Vec::new();
    }
    processes(recording)
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
