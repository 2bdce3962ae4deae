//! The names of recordings: what `-o` means, and which file is the latest.
//!
//! A recording is evidence of a failure that may not come again, so no name is
//! ever written over. The file is created when its name is chosen, by the one
//! system call that creates only what does not exist: two recorders that choose
//! at the same moment cannot choose the same name.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

/// The name of a recording when the user gives none.
pub const DEFAULT: &str = "%e-%t-%p.reprise";

/// How many numbered names are tried before giving up.
const ATTEMPTS: u32 = 10_000;

/// The longest piece of a program's name that goes into a file's name.
const PROGRAM_BYTES: usize = 100;

/// A template for the name of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Vec<u8>),
    Program,
    Pid,
    Time,
}

/// What is put in place of the placeholders.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    /// `%e`: the subject's name or path; only the last part of a path is used.
    pub program: &'a OsStr,
    /// `%p`: its process id.
    pub pid: u32,
    /// `%t`: when the recording began.
    pub time: Timestamp,
}

/// Why a template cannot be understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A placeholder that does not exist.
    #[error(
        "it has no placeholder %{0}; there are %e (program), %p (pid), %t (time) and %% (a percent sign)"
    )]
    Unknown(char),
    /// A percent sign with nothing behind it.
    #[error("it ends in a single %; write %% for a percent sign")]
    Unfinished,
    /// No name at all.
    #[error("it is empty")]
    Empty,
}

/// Why no file could be created.
#[derive(Debug, thiserror::Error)]
pub enum ReserveError {
    /// The user asked for exactly this name, and it is taken.
    #[error("{0} exists, and a recording is never written over")]
    Exists(PathBuf),
    /// Every numbered name is taken.
    #[error("{0} and every numbered name after it exist")]
    Exhausted(PathBuf),
    /// The file system said no.
    #[error("{path}: {error}", path = path.display())]
    Create {
        /// The name that was tried.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
}

/// Why there is no latest recording.
#[derive(Debug, thiserror::Error)]
pub enum LatestError {
    /// The folder contains no recording.
    #[error("there is no *.reprise file in {0}")]
    None(PathBuf),
    /// The folder cannot be listed.
    #[error("{folder}: {error}", folder = folder.display())]
    List {
        /// The folder.
        folder: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
}

impl Default for Template {
    fn default() -> Self {
        let pieces = vec![
            Piece::Program,
            Piece::Text(b"-".into()),
            Piece::Time,
            Piece::Text(b"-".into()),
            Piece::Pid,
            Piece::Text(b".reprise".into()),
        ];
        Self { pieces }
    }
}

impl Template {
    /// Reads a template such as [`DEFAULT`].
    pub fn parse(template: &OsStr) -> Result<Self, TemplateError> {
        let bytes = template.as_bytes();
        if bytes.is_empty() {
            return Err(TemplateError::Empty);
        }
        let mut pieces = Vec::new();
        let mut text = Vec::new();
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            let Some((&letter, after)) = rest.split_first() else {
                return Err(TemplateError::Unfinished);
            };
            let piece = match letter {
                b'e' => Piece::Program,
                b'p' => Piece::Pid,
                b't' => Piece::Time,
                b'%' => {
                    text.push(b'%');
                    rest = after;
                    continue;
                }
                _ => return Err(TemplateError::Unknown(first_char(rest))),
            };
            rest = after;
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(piece);
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(Self { pieces })
    }

    /// Chooses a name that does not exist yet and creates the file, readable
    /// and writable by its owner only.
    ///
    /// A template with placeholders gets `-2`, `-3`, … before its extension
    /// when the name is taken; a literal name that is taken is an error.
    pub fn reserve(&self, values: &Values<'_>) -> Result<(PathBuf, File), ReserveError> {
        let path = self.fill_in(values);
        for attempt in 1..=ATTEMPTS {
            let candidate = numbered(&path, attempt);
            let created = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&candidate);
            match created {
                Ok(file) => return Ok((candidate, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if self.is_literal() {
                        return Err(ReserveError::Exists(candidate));
                    }
                }
                Err(error) => {
                    let path = candidate;
                    return Err(ReserveError::Create { path, error });
                }
            }
        }
        Err(ReserveError::Exhausted(path))
    }

    /// The name as the JVM agent takes it: everything is filled in but the
    /// process, which is its to know.
    pub fn for_agent(&self, values: &Values<'_>) -> PathBuf {
        let mut name = Vec::new();
        for piece in &self.pieces {
            if let Piece::Pid = piece {
                name.extend_from_slice(b"%p");
                continue;
            }
            let piece = Self {
                pieces: vec![piece.clone()],
            };
            let filled = piece.fill_in(values).into_os_string().into_vec();
            for byte in filled {
                let percent = byte == b'%';
                name.extend(percent.then_some(b'%'));
                name.push(byte);
            }
        }
        OsString::from_vec(name).into()
    }

    /// Whether it says exactly one name.
    pub fn is_literal(&self) -> bool {
        matches!(self.pieces[..], [Piece::Text(_)])
    }

    fn fill_in(&self, values: &Values<'_>) -> PathBuf {
        let mut name = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => name.extend_from_slice(text),
                Piece::Program => name.extend_from_slice(&sanitised(values.program)),
                Piece::Pid => name.extend_from_slice(values.pid.to_string().as_bytes()),
                Piece::Time => {
                    let time = values.time.strftime("%Y%m%dT%H%M%SZ").to_string();
                    name.extend_from_slice(time.as_bytes());
                }
            }
        }
        OsString::from_vec(name).into()
    }
}

/// The newest recording in a folder, for the commands that are given no FILE.
///
/// A file with nothing in it was reserved by a recorder that has not written
/// yet, or never did; it is not a recording.
pub fn latest_recording(folder: &Path) -> Result<PathBuf, LatestError> {
    let list_error = |error| LatestError::List {
        folder: folder.into(),
        error,
    };
    let mut latest = None;
    for entry in fs::read_dir(folder).map_err(list_error)? {
        let path = entry.map_err(list_error)?.path();
        if path.extension() != Some(OsStr::new("reprise")) {
            continue;
        }
        // A file that vanishes between the listing and now is none of ours.
        let Ok(metadata) = fs::metadata(&path) else {
            continue;
        };
        if !metadata.is_file() || metadata.len() == 0 {
            continue;
        }
        let key = (metadata.modified().map_err(list_error)?, path);
        if latest.as_ref().is_none_or(|newest| *newest < key) {
            latest = Some(key);
        }
    }
    match latest {
        Some((_, path)) => Ok(path),
        None => Err(LatestError::None(folder.into())),
    }
}

/// The last part of a program's path with what has no place in a file's name
/// replaced, so that a program cannot choose the folder, hide the file or
/// command the terminal that lists it.
fn sanitised(program: &OsStr) -> Vec<u8> {
    let name = Path::new(program).file_name().unwrap_or_default();
    let mut name: String = name
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_control() || c == '/' { '_' } else { c })
        .collect();
    if name.starts_with(['.', '-']) {
        name.replace_range(..1, "_");
    }
    if name.is_empty() {
        name.push_str("program");
    }
    while name.len() > PROGRAM_BYTES {
        name.pop();
    }
    name.into_bytes()
}

/// `a/b.reprise` for the first attempt, then `a/b-2.reprise` and so on.
fn numbered(path: &Path, attempt: u32) -> PathBuf {
    if attempt == 1 {
        return path.to_path_buf();
    }
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{attempt}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The character a user would say stands at the start of these bytes.
fn first_char(bytes: &[u8]) -> char {
    let chunk = bytes.utf8_chunks().next();
    chunk
        .and_then(|chunk| chunk.valid().chars().next())
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests;
