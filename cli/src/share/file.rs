//! A share as a file: a recording of the kind `share`.
//!
//! | stream | events |
//! | --- | --- |
//! | `share.elements` | the names of all elements, one each, in their order |
//! | `share.log` | the bytes of the partial log (`reprise_coop::log::wire`), in pieces |

use std::ffi::OsString;
use std::path::Path;

use jiff::Timestamp;
use reprise_coop::log::{Outcome, PartialLog, wire};
use reprise_recording::manifest::{Host, Text};
use reprise_recording::{Closing, Ending, Failure, Manifest, Recording, StreamInfo, Writer};

use super::program::Shared;

/// The kind of these recordings.
pub const KIND: &str = "share";
/// The kind of the events that are pieces of a log.
pub const LOG: &str = "share.log";
const ELEMENTS: &str = "share.elements";
/// How long a piece is.
const PIECE: usize = 128 << 10;
/// How long a log may be.
const MOST: u64 = 1 << 30;

/// Writes a share; how long the file is.
pub fn write(
    path: &Path,
    log: &PartialLog,
    shared: &Shared,
    command: &[OsString],
    status: u8,
) -> Result<u64, String> {
    let now = || u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let manifest = Manifest {
        kind: KIND.to_owned(),
        subject: log.program().name.clone(),
        command: command
            .iter()
            .map(|word| Text::from(word.as_encoded_bytes()))
            .collect(),
        host: Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            kernel: String::new(),
            cpus: u32::try_from(cpus).unwrap_or_default(),
        },
        started: now(),
        versions: [("reprise".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        ..Manifest::default()
    };
    let write = || -> Result<u64, reprise_recording::WriteError> {
        let writer = Writer::create(path, &manifest)?;
        let stream = |kind: &str, table| StreamInfo {
            kind: kind.to_owned(),
            version: 1,
            table,
            ..StreamInfo::default()
        };
        let mut elements = writer.stream(&stream(ELEMENTS, true))?;
        for element in &shared.elements.list {
            elements.append(element.to_string().as_bytes())?;
        }
        elements.flush()?;
        let mut bytes = Vec::new();
        wire::write(log, &mut bytes);
        let mut pieces = writer.stream(&stream(LOG, false))?;
        for piece in bytes.chunks(PIECE) {
            pieces.append(piece)?;
        }
        pieces.flush()?;
        drop((elements, pieces));
        let failure = match log.outcome() {
            Outcome::Passed => None,
            Outcome::Failed(failure) => Some(Failure {
                what: failure.what.clone(),
                stack: Some(failure.place.clone())
                    .into_iter()
                    .filter(|place| !place.is_empty())
                    .collect(),
            }),
        };
        let closing = Closing {
            ending: Ending::Exited {
                status: status.into(),
            },
            failure,
            ended: now(),
            ..Closing::default()
        };
        Ok(writer.finish(closing)?.bytes)
    };
    write().map_err(|error| error.to_string())
}

/// What a log says, if the piece is all of it.
pub fn describe(piece: &[u8]) -> Option<String> {
    let log = wire::read(piece).ok()?;
    let outcome = match log.outcome() {
        Outcome::Passed => "passed".to_owned(),
        Outcome::Failed(failure) => format!("failed with {}", failure.what),
    };
    let accesses: u64 = log.vectors().map(|(_, vector, _)| vector.accesses()).sum();
    Some(format!(
        "a run of {} that {outcome}: {accesses} accesses to {} of {} elements, by {} threads",
        log.program().name,
        log.vectors().len(),
        log.program().spes,
        log.threads().len()
    ))
}

/// Why a file is not read as a share.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It was a share once, perhaps.
    #[error("{0}")]
    Broken(String),
    /// It is not there, or something else.
    #[error("{0}")]
    Other(String),
}

/// Reads a share, with the names of the program's elements.
pub fn read(path: &Path) -> Result<(PartialLog, Vec<String>), Unread> {
    let other = |error: String| Unread::Other(error);
    std::fs::metadata(path).map_err(|error| other(error.to_string()))?;
    let recording = Recording::open(path).map_err(|error| Unread::Broken(error.to_string()))?;
    let kind = &recording.manifest().kind;
    if kind != KIND {
        return Err(other(format!(
            "it is a recording of the kind {kind:?} and no share"
        )));
    }
    read_log(&recording).map_err(Unread::Broken)
}

fn read_log(recording: &Recording) -> Result<(PartialLog, Vec<String>), String> {
    let mut bytes = Vec::new();
    let mut names = Vec::new();
    let streams: Vec<_> = recording
        .streams()
        .map(|(id, info)| (id, info.kind.clone()))
        .collect();
    for (id, kind) in streams {
        let mut events = recording.events(id, 0).map_err(|error| error.to_string())?;
        while let Some(event) = events.next().map_err(|error| error.to_string())? {
            match kind.as_str() {
                LOG if bytes.len() as u64 + event.payload.len() as u64 > MOST => {
                    return Err(format!("its log is longer than {MOST} bytes"));
                }
                LOG => bytes.extend_from_slice(event.payload),
                ELEMENTS => names.push(String::from_utf8_lossy(event.payload).into_owned()),
                _ => {}
            }
        }
    }
    let log = wire::read(&bytes).map_err(|error| error.to_string())?;
    Ok((log, names))
}
