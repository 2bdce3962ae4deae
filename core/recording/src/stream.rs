//! Streams: whose events they are, and which version of which kind of event.

use serde::{Deserialize, Serialize};

/// The number of a stream within its recording, from 1; 0 is no stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u32);

impl std::fmt::Display for StreamId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The declaration of a stream: the payload of a stream chunk, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamInfo {
    /// The process, by the number it had.
    pub process: u32,
    /// The thread, by the kind's own count; 0 where there is none.
    pub thread: u64,
    /// The kind of its events: `jvm.calls`, `process.syscalls`, …
    pub kind: String,
    /// The version of this kind of event.
    pub version: u32,
    /// A table that other streams refer to: no ring ever drops it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub table: bool,
    /// What a person calls it, such as the thread's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}
