//! The view of a recording for programs.
//!
//! ```text
//! { "format": 1, "file", "bytes", "version",
//!   "state":       "whole", "saved" (its recorder had died), "in-progress" or
//!                  "not-completed" (its spool could not be used),
//!   "saved_events": how many events were saved from its spool just now,
//!   "kind", "subject", "command", "host", "started", "versions", "build_ids",
//!   "ended":       null when nobody came to say, or
//!                  { "time", "ending", "signal_name", "cut_short", "failure",
//!                    "not_recorded" },
//!   "events":      how many can be read,
//!   "streams":     [ { "stream", "process", "thread", "name", "kind",
//!                      "version", "table", "events" } ],
//!   "processes":   of a recording of processes: [ { "process", "parent",
//!                      "program", "exited" (its status) and "killed" (a signal),
//!                      both null when it went on, "failed", "played" (the one
//!                      that is played where nobody says which) } ],
//!   "memory":      null, or of such a recording { "pages" (how many are in it),
//!                      "left_out" (how many more there were, which nothing in it
//!                      uses), "page_bytes", "event_bytes" (of the file) },
//!   "last_events": [ { "stream", "number", "stamp", "segment", "private",
//!                      "bytes", "text" } ],
//!   "checked":     whether every checksum was looked at,
//!   "damage":      [ { "offset", "what",
//!                      "lost": null or { "stream", "first", "count",
//!                                        "bytes" } } ],
//!   "truncated":   null, or the byte at which the incomplete part starts,
//!   "unknown_chunks" }
//! ```
//!
//! `ending`, `cut_short` and `failure` are as in the recording: `{ "how":
//! "killed", "signal": 11 }`. Times are ISO 8601 in UTC or null. An argument of
//! the command that is not UTF-8 is `{ "bytes": […] }`. Fields may be added;
//! those here keep their meaning while `format` is 1.

use nix::sys::signal::Signal;
use reprise_recording::{Closing, Ending};
use serde_json::{Value, json};

use super::open::Completion;
use super::{Overview, processes};
use crate::readable::utc;

/// The view as one JSON object.
pub fn render(overview: &Overview<'_>) -> Value {
    let opened = overview.opened;
    let recording = &opened.recording;
    let manifest = recording.manifest();
    let health = &overview.health;
    let (state, saved) = match opened.completion {
        Completion::Whole => ("whole", 0),
        Completion::Saved(events) => ("saved", events),
        Completion::InProgress => ("in-progress", 0),
        Completion::Failed(_) => ("not-completed", 0),
    };
    let streams: Vec<Value> = recording
        .streams()
        .map(|(id, info)| {
            json!({
                "stream": id.0,
                "process": info.process,
                "thread": info.thread,
                "name": info.name,
                "kind": info.kind,
                "version": info.version,
                "table": info.table,
                "events": overview.events(id),
            })
        })
        .collect();
    let events: u64 = recording.streams().map(|(id, _)| overview.events(id)).sum();
    let last: Vec<Value> = overview
        .last
        .rows
        .iter()
        .map(|row| {
            json!({
                "stream": row.stream.0,
                "number": row.number,
                "stamp": row.stamp,
                "segment": row.segment,
                "private": row.private,
                "bytes": row.bytes,
                "text": row.text,
            })
        })
        .collect();
    let processes: Vec<Value> = processes::of(overview)
        .iter()
        .map(processes::json)
        .collect();
    let damage: Vec<Value> = health
        .damage
        .iter()
        .map(|harm| {
            json!({
                "offset": harm.damaged.offset,
                "what": harm.damaged.what.to_string(),
                "lost": harm.lost.map(|lost| json!({
                    "stream": lost.stream.0,
                    "first": lost.first,
                    "count": lost.count,
                    "bytes": lost.bytes,
                })),
            })
        })
        .collect();
    json!({
        "format": 1,
        "file": opened.path.to_string_lossy(),
        "bytes": recording.file_len(),
        "version": recording.version(),
        "state": state,
        "saved_events": saved,
        "kind": manifest.kind,
        "subject": manifest.subject,
        "command": manifest.command,
        "host": manifest.host,
        "started": utc(manifest.started),
        "versions": manifest.versions,
        "build_ids": manifest.build_ids,
        "ended": recording.closing().map(ended),
        "events": events,
        "streams": streams,
        "processes": processes,
        "memory": processes::memory_json(overview),
        "last_events": last,
        "checked": health.checked,
        "damage": damage,
        "truncated": health.truncated,
        "unknown_chunks": health.unknown_chunks,
    })
}

fn ended(closing: &Closing) -> Value {
    let signal = match closing.ending {
        Ending::Killed { signal } => Signal::try_from(signal).ok(),
        _ => None,
    };
    json!({
        "time": utc(closing.ended),
        "ending": closing.ending,
        "signal_name": signal.map(Signal::as_str),
        "cut_short": closing.cut_short,
        "failure": closing.failure,
        "not_recorded": closing.not_recorded,
    })
}
