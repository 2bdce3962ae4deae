//! Telling a recorder what to do while it runs: a socket in a folder that only
//! its user can enter, named after the subject's process, and after the process
//! that the user started.
//!
//! ```text
//!   request:   dump │ status │ stop          one line
//!   answer:    ok TEXT │ error TEXT          one line; the text of status is JSON
//! ```

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::unistd::{geteuid, getppid};
use serde_json::json;

use crate::archive::Archive;
use crate::dumper::{Dumper, Written};
use crate::shared::Orders;

/// The longest request or answer.
const LINE: u64 = 64 << 10;

/// Who connects and says nothing must not keep others waiting.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take to interrupt a subject that computes.
const UP_TO_NOW: Duration = Duration::from_secs(2);

/// What a recorder can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Write down the last moments up to now.
    Dump,
    /// Say how it is.
    Status,
    /// Stop recording; the subject runs on.
    Stop,
}

impl Request {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Dump, "dump"),
        (Self::Status, "status"),
        (Self::Stop, "stop"),
    ];

    fn read(text: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, name)| *name == text)
            .map(|(request, _)| request)
    }

    fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(request, _)| *request == self)
            .map_or("", |(_, name)| name)
    }
}

/// Why a recorder did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// There is no recorder.
    #[error("no recorder here has anything to do with process {0}")]
    None(u32),
    /// It says no.
    #[error("{0}")]
    Refused(String),
    /// The connection broke.
    #[error("talk to the recorder: {0}")]
    Talk(#[from] io::Error),
}

/// Tells the recorder of a process something; the process may also be the
/// recorder itself. Returns its answer.
pub fn tell(process: u32, request: Request) -> Result<String, ControlError> {
    let path = folder().join(name(process));
    let mut stream = match UnixStream::connect(path) {
        Ok(stream) => stream,
        Err(error) => {
            return Err(match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                    ControlError::None(process)
                }
                _ => error.into(),
            });
        }
    };
    writeln!(stream, "{}", request.name())?;
    let mut answer = String::new();
    BufReader::new(stream.take(LINE)).read_line(&mut answer)?;
    let answer = answer.trim_end();
    match answer.split_once(' ') {
        Some(("ok", text)) => Ok(text.to_owned()),
        Some(("error", text)) => Err(ControlError::Refused(text.to_owned())),
        _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
    }
}

/// The subjects that are being recorded by recorders of this user.
#[must_use]
pub fn subjects() -> Vec<u32> {
    let entries = fs::read_dir(folder()).into_iter().flatten().flatten();
    let sockets = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    let mut subjects: Vec<u32> = sockets
        .filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_suffix(".sock")?
                .parse()
                .ok()
        })
        .filter(|&subject| UnixStream::connect(folder().join(name(subject))).is_ok())
        .collect();
    subjects.sort_unstable();
    subjects
}

fn folder() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match runtime.filter(|folder| folder.is_absolute()) {
        Some(folder) => folder.join("reprise"),
        None => PathBuf::from(format!("/tmp/reprise-{}", geteuid())),
    }
}

fn name(process: u32) -> String {
    format!("{process}.sock")
}

/// A socket that is there as long as this is.
pub(crate) struct Listening {
    names: [PathBuf; 2],
}

impl Drop for Listening {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = fs::remove_file(name);
        }
    }
}

/// What answers.
pub(crate) struct Control {
    pub(crate) archive: Archive,
    pub(crate) dumper: Dumper,
    pub(crate) orders: Orders,
}

impl Control {
    /// Listens for requests about a subject.
    pub(crate) fn listen(self, subject: u32) -> io::Result<Listening> {
        let folder = folder();
        make_private(&folder)?;
        let parent = getppid().as_raw().cast_unsigned();
        let names = [name(subject), name(parent)].map(|name| folder.join(name));
        for name in &names {
            // Left by a recorder that was killed: process numbers come again.
            let _ = fs::remove_file(name);
        }
        let listener = UnixListener::bind(&names[0])?;
        symlink(name(subject), &names[1])?;
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever asks and goes gets no answer.
                let _ = self.answer(&stream);
            }
        });
        Ok(Listening { names })
    }

    fn answer(&self, stream: &UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut request = String::new();
        BufReader::new(stream.take(LINE)).read_line(&mut request)?;
        let answer = match Request::read(request.trim_end()) {
            Some(Request::Dump) => self.dump(),
            Some(Request::Status) => Ok(self.status()),
            Some(Request::Stop) => {
                self.orders.stop();
                Ok("it stops, at once or at the subject's next system call".to_owned())
            }
            None => Err("it knows dump, status and stop".to_owned()),
        };
        let (word, text) = match &answer {
            Ok(text) => ("ok", text),
            Err(text) => ("error", text),
        };
        let text = text.replace('\n', " ");
        writeln!(&*stream, "{word} {text}")
    }

    fn dump(&self) -> Written {
        let nothing = || "there is nothing to write yet".to_owned();
        let now = self.orders.ask_for_dump().recv_timeout(UP_TO_NOW);
        // Who does not answer is busy with something else: what is kept must do.
        let dump = now.unwrap_or_else(|_| self.archive.dump_as_it_runs());
        self.dumper.write_now(dump.ok_or_else(nothing)?)
    }

    fn status(&self) -> String {
        let state = self.archive.state();
        json!({
            "subject": state.subject,
            "program": state.program,
            "recording": state.processes > 0,
            "processes": state.processes,
            "reaches_ms": u64::try_from(state.reach.as_millis()).unwrap_or(u64::MAX),
            "segments": state.segments,
            "segment_takes_us": u64::try_from(state.took.as_micros()).unwrap_or(u64::MAX),
            "events": state.events,
            "memory": state.memory,
            "memory_allowed": state.allowed,
        })
        .to_string()
    }
}

/// Makes a folder that nobody else can enter, or makes sure that it is one.
fn make_private(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let metadata = fs::symlink_metadata(folder)?;
    let private = metadata.is_dir()
        && metadata.uid() == geteuid().as_raw()
        && metadata.mode().trailing_zeros() >= 6;
    if private {
        return Ok(());
    }
    let what = format!("{} is not a folder of this user alone", folder.display());
    Err(io::Error::other(what))
}
