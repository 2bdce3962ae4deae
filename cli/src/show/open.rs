//! Finding and opening the recording that is to be shown.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use reprise_recording::header::HeaderError;
use reprise_recording::spool::{self, Recovered};
use reprise_recording::{CutShort, OpenError, Recording};

use super::look_alike;
use crate::failure::{Failure, Status, without_numbers};
use crate::output_name::{LatestError, latest_recording};
use crate::readable::{count, quoted};

/// An open recording.
pub struct Opened {
    /// Where it is, as the user wrote it.
    pub path: PathBuf,
    /// What is in it.
    pub recording: Recording,
    /// What was done about its spool.
    pub completion: Completion,
}

/// What was done about a recording's spool before it was opened.
#[derive(Debug, PartialEq, Eq)]
pub enum Completion {
    /// Nothing: there was none.
    Whole,
    /// The recorder had died, and so many events were saved.
    Saved(u64),
    /// A recorder is at work.
    InProgress,
    /// It could not be used, for this reason.
    Failed(String),
}

impl Opened {
    /// What the reader should know about the way it was opened, in one line.
    pub fn note(&self) -> Option<String> {
        let path = self.path.display();
        match &self.completion {
            Completion::Whole => None,
            Completion::Saved(0) => {
                let died = |closing: &reprise_recording::Closing| {
                    closing.cut_short == Some(CutShort::RecorderDied)
                };
                let died = self.recording.closing().is_some_and(died);
                died.then(|| "the recorder had died; its spool held no more events".into())
            }
            Completion::Saved(events) => Some(format!(
                "the recorder had died; {} saved from its spool into {path}",
                match events {
                    1 => "1 event was".into(),
                    events => format!("{} were", count(*events, "event")),
                },
            )),
            Completion::InProgress => Some(format!(
                "{path} is still being recorded; this is what has been written so far"
            )),
            Completion::Failed(why) => Some(format!(
                "{path} could not be completed: {why}; it is shown without what its spool holds"
            )),
        }
    }

    /// Whether a recorder is adding to it.
    pub fn in_progress(&self) -> bool {
        self.completion == Completion::InProgress
    }
}

/// The file to show when the user names none.
pub fn latest() -> Result<PathBuf, Failure> {
    let folder = Path::new(".");
    latest_recording(folder)
        .map(|path| path.strip_prefix(folder).map(Into::into).unwrap_or(path))
        .map_err(|error| {
            let failure = match error {
                LatestError::None(_) => Failure::new(
                    "show the latest recording",
                    "there is no *.reprise file in the current folder",
                ),
                error => Failure::new("show the latest recording", error),
            };
            failure
                .next("reprise show FILE    with the path of a recording")
                .next("reprise tour         makes a recording and shows it")
                .status(Status::BadInput)
        })
}

/// Completes a recording from its spool, if its recorder has died, and opens it.
pub fn open(path: PathBuf) -> Result<Opened, Failure> {
    open_to("show", path)
}

/// The same for another command, by its name.
pub fn open_to(verb: &str, path: PathBuf) -> Result<Opened, Failure> {
    let metadata = fs::metadata(&path).map_err(|error| unreadable(verb, &path, &error))?;
    if metadata.is_dir() {
        return Err(folder(verb, &path));
    }
    // A pipe or a device could block for ever.
    if !metadata.is_file() {
        return Err(refused(verb, &path, "it is not a regular file"));
    }
    let completion = match spool::recover(&path) {
        Ok(Recovered::Nothing) => Completion::Whole,
        Ok(Recovered::InProgress) => Completion::InProgress,
        Ok(Recovered::Added(finished)) => Completion::Saved(finished.events),
        Err(error) => Completion::Failed(without_numbers(&error.to_string())),
    };
    match Recording::open(&path) {
        Ok(recording) => Ok(Opened {
            path,
            recording,
            completion,
        }),
        Err(OpenError::Io(error)) => Err(unreadable(verb, &path, &error)),
        Err(OpenError::Header(error)) => Err(not_opened(verb, &path, error)),
        Err(OpenError::NoManifest) => Err(no_manifest(verb, &path, &completion)),
    }
}

fn refused(verb: &str, path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::new(format!("{verb} {}", path.display()), why).status(Status::BadInput)
}

/// The same command for another file.
fn again(verb: &str, path: &Path) -> String {
    let name = quoted(path.as_os_str().as_encoded_bytes());
    format!("reprise {verb} {}", String::from_utf8_lossy(&name))
}

fn unreadable(verb: &str, path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(Path::new(""));
            if !folder.as_os_str().is_empty() && !folder.exists() {
                return refused(
                    verb,
                    path,
                    format!("there is no folder {}", folder.display()),
                );
            }
            let mut failure = refused(verb, path, "there is no such file");
            for other in look_alike::near(path) {
                failure = failure.next(again(verb, &other));
            }
            failure
        }
        io::ErrorKind::PermissionDenied => refused(verb, path, error)
            .next("show it as the user who recorded it: only its owner may read a recording"),
        _ => refused(verb, path, error),
    }
}

fn folder(verb: &str, path: &Path) -> Failure {
    let failure = refused(verb, path, "it is a folder, not a recording");
    match latest_recording(path) {
        Ok(latest) => failure.next(format!("{}    the latest in it", again(verb, &latest))),
        Err(_) => failure,
    }
}

fn not_opened(verb: &str, path: &Path, error: HeaderError) -> Failure {
    match error {
        HeaderError::NotARecording => {
            let mut start = Vec::new();
            let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut start));
            let look = match read {
                Ok(_) => look_alike::Look::at(&start),
                Err(error) => return unreadable(verb, path, &error),
            };
            let failure = refused(verb, path, look.words());
            let recording = path.with_extension("");
            if look == look_alike::Look::Spool && recording.exists() {
                return failure.next(again(verb, &recording));
            }
            failure
        }
        HeaderError::Newer { .. } => refused(verb, path, error).next(format!(
            "update reprise: this is {}",
            env!("CARGO_PKG_VERSION")
        )),
        HeaderError::Short { .. } => refused(verb, path, error)
            .next("copy it again: nothing of what was recorded is in this file"),
        HeaderError::Checksum { .. } => refused(verb, path, error)
            .next("copy it again: its first 32 bytes are not as they were written"),
    }
}

fn no_manifest(verb: &str, path: &Path, completion: &Completion) -> Failure {
    let why = OpenError::NoManifest;
    match completion {
        Completion::InProgress => {
            refused(verb, path, "its recorder has only just begun to write it")
                .next(again(verb, path))
        }
        _ => refused(verb, path, why)
            .next("copy it again: the part after its first 32 bytes is damaged or missing"),
    }
}
