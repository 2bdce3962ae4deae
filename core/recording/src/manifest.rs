//! The two manifests: what was recorded, and how it ended.
//!
//! Both are JSON, so that a person with nothing but a hex dump can read them
//! and a later version can add to them. Readers ignore what they do not know.

use crate::limits;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;

/// What was recorded, by what and where. The first chunk of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Which kind of recorder made it; decides who can replay it.
    pub kind: String,
    /// The program, as a person would call it.
    pub subject: String,
    /// The command line.
    pub command: Vec<Text>,
    /// Where it ran.
    pub host: Host,
    /// When recording began, in seconds since 1970.
    pub started: u64,
    /// Versions of what matters: `reprise` itself, and what the kind adds.
    pub versions: BTreeMap<String, String>,
    /// Build ids of the binaries that were recorded, by path.
    pub build_ids: BTreeMap<String, String>,
    /// What the kind needs to know at replay and nobody else looks into.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub details: serde_json::Value,
}

/// The machine of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// `linux`, …
    pub os: String,
    /// `x86_64`, …
    pub arch: String,
    /// The kernel's release.
    pub kernel: String,
    /// How many processors the subject could use.
    pub cpus: u32,
}

/// How a recording ended. Missing when the recorder was killed and nobody has
/// opened the file since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Closing {
    /// How the subject ended.
    pub ending: Ending,
    /// Why the recording ended before the subject did, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// What went wrong with the subject, if something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What the recorder met and could not record.
    pub not_recorded: Vec<NotRecorded>,
    /// When it ended, in seconds since 1970.
    pub ended: u64,
}

/// How the subject ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum Ending {
    /// It exited.
    Exited {
        /// Its status.
        status: i32,
    },
    /// A signal killed it.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// It went on running.
    Running,
    /// Nothing is known, or a later version knows a word that this one does
    /// not.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Why a recording ended before its subject did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum CutShort {
    /// The recorder was told to stop, or met a limit that the user had set.
    Stopped {
        /// By what.
        by: String,
    },
    /// There was no room for more.
    DiskFull,
    /// The file could not be written.
    WriteFailed {
        /// What the system said.
        error: String,
    },
    /// The recorder died. What the spool still held was saved afterwards.
    RecorderDied,
    /// The recorder was too slow to answer, so the subject went on without it.
    RecorderSilent,
    /// A later version knows.
    #[serde(other)]
    Unknown,
}

/// The failure that makes a recording worth keeping, in a kind's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    /// One line: `SIGSEGV at 0x0`, `java.lang.IllegalStateException: …`.
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<String>,
}

/// Something that was left as it was instead of being recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotRecorded {
    /// The class, function, system call or stream.
    pub what: String,
    /// Why not.
    pub why: String,
    /// How often.
    pub count: u64,
}

/// Text from outside that is usually, but not always, UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// It was UTF-8.
    Utf8(String),
    /// It was not.
    Bytes {
        /// The bytes as they were.
        bytes: Vec<u8>,
    },
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Utf8(text.to_owned()),
            Err(_) => Self::Bytes {
                bytes: bytes.to_owned(),
            },
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Utf8(text.to_owned())
    }
}

impl Text {
    /// The bytes as they were.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::Bytes { bytes } => bytes,
        }
    }
}

/// A manifest as a payload; `None` when it is over the limit.
pub(crate) fn write<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    let bytes = serde_json::to_vec(value).ok()?;
    (bytes.len() <= limits::MANIFEST).then_some(bytes)
}

/// Reads a manifest back; `None` when it is not one.
pub(crate) fn read<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    if payload.len() > limits::MANIFEST {
        return None;
    }
    serde_json::from_slice(payload).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_versions_additions_are_ignored() {
        let closing: Closing = read(br#"{"ending":{"how":"abducted","by":"x"},"new":1}"#).unwrap();
        assert_eq!(closing, Closing::default());
    }

    #[test]
    fn command_lines_that_are_not_utf8_survive() {
        let manifest = Manifest {
            command: vec!["ls".into(), Text::from(&b"caf\xe9"[..])],
            ..Manifest::default()
        };
        let back: Manifest = read(&write(&manifest).unwrap()).unwrap();
        assert_eq!(back.command[1].as_bytes(), b"caf\xe9");
        assert_eq!(back, manifest);
    }

    #[test]
    fn endings_round_trip() {
        let endings = [
            Ending::Exited { status: 3 },
            Ending::Killed { signal: 9 },
            Ending::Running,
            Ending::Unknown,
        ];
        let cuts = [
            CutShort::Stopped {
                by: "after 10 events".into(),
            },
            CutShort::DiskFull,
            CutShort::WriteFailed {
                error: "read-only file system".into(),
            },
            CutShort::RecorderDied,
            CutShort::RecorderSilent,
            CutShort::Unknown,
        ];
        for (ending, cut) in endings
            .iter()
            .flat_map(|e| cuts.iter().map(move |c| (e, c)))
        {
            let closing = Closing {
                ending: ending.clone(),
                cut_short: Some(cut.clone()),
                ..Closing::default()
            };
            assert_eq!(read(&write(&closing).unwrap()), Some(closing));
        }
    }
}
