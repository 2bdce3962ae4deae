//! Replaying, one file per kind of recording: what `reprise replay` does once
//! it knows the kind.

mod cut;
mod debugger;
mod folder;
pub(crate) mod jvm;
mod listening;
mod process;
pub(crate) mod schedule;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use debugger::{Debug, Goto};
use reprise_recording::Recording;

use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::show::open::open_to;

/// What the kinds have in common.
#[derive(Debug)]
pub struct Request {
    /// The recording's name.
    pub path: PathBuf,
    /// Where the subject's output goes instead of to this program's.
    pub output: Option<PathBuf>,
    /// How much memory the replay may take.
    pub memory: u64,
    /// How much processor time, in seconds.
    pub seconds: u64,
    /// How to look at it, if that is wanted.
    pub debug: Option<Debug>,
    /// The process to play, by its number or its place in the recording.
    pub process: Option<u32>,
    /// Go on after a divergence.
    pub keep_going: bool,
    /// Classes to play instead of the recorded ones: jars and folders.
    pub classes: Vec<PathBuf>,
    /// The program that follows a schedule, and its arguments.
    pub command: Vec<OsString>,
    /// Where its classes are, if its arguments do not tell.
    pub program: Vec<PathBuf>,
    /// Which messages of a schedule are printed.
    pub verbosity: u8,
    /// For how long a thread may run and not come to the next place of a schedule; zero for ever.
    pub patience: Duration,
}

/// What plays a kind.
type Player = fn(&Request, &Recording) -> Result<Status, Failure>;

/// The kinds that can be played, by the name in the recording's manifest.
const PLAYERS: &[(&str, Player)] = &[
    (process::KIND, process::replay),
    (jvm::KIND, jvm::replay),
    (cut::KIND, cut::replay),
];

/// Plays a recording, of whatever kind.
pub fn run(request: &Request) -> Result<Status, Failure> {
    if request.path.is_dir() {
        return folder::replay(request);
    }
    if is_schedule(&request.path) {
        return schedule::replay(request);
    }
    let opened = open_to("replay", request.path.clone())?;
    if let Some(note) = opened.note() {
        let _ = writeln!(
            io::stderr(),
            "reprise: {}",
            escape(note.as_bytes(), Lines::One)
        );
    }
    let recording = opened.recording;
    let kind = &recording.manifest().kind;
    match PLAYERS.iter().find(|(name, _)| name == kind) {
        Some((_, player)) => player(request, &recording),
        None => Err(failure(
            request,
            format!("nothing here plays recordings of the kind {kind}"),
        )
        .status(Status::BadInput)),
    }
}

/// Whether a file is the text of a schedule: it is named so, or begins with a word
/// and not as a recording does.
pub fn is_schedule(path: &Path) -> bool {
    if path.extension().is_some_and(|name| name == "sched") {
        return true;
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut first));
    let words = ["before ", "in ", "switch ", "thread ", "#"];
    read.is_ok() && words.iter().any(|word| first.starts_with(word.as_bytes()))
}

fn failure(request: &Request, wrong: impl std::fmt::Display) -> Failure {
    Failure::new(format!("replay {}", request.path.display()), wrong)
}

/// Where the subject's output goes.
struct Output {
    file: Option<File>,
    failed: Option<io::Error>,
}

impl Output {
    fn open(request: &Request) -> Result<Self, Failure> {
        let create = |path: &PathBuf| {
            File::create(path)
                .map_err(|error| Failure::new(format!("write {}", path.display()), error))
        };
        Ok(Self {
            file: request.output.as_ref().map(create).transpose()?,
            failed: None,
        })
    }

    /// Writes what the subject wrote. It is the subject's text, so a terminal
    /// gets it escaped; a file or a pipe gets it as it is.
    fn write(&mut self, to_stderr: bool, bytes: &[u8]) {
        let written = match (&mut self.file, to_stderr) {
            (Some(file), _) => file.write_all(bytes),
            (None, false) => to(&mut io::stdout(), bytes, io::stdout().is_terminal()),
            (None, true) => to(&mut io::stderr(), bytes, io::stderr().is_terminal()),
        };
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    fn finish(self) -> Result<(), Failure> {
        self.failed
            .map_or(Ok(()), |error| Err(Failure::output(error)))
    }
}

fn to(out: &mut impl Write, bytes: &[u8], terminal: bool) -> io::Result<()> {
    if terminal {
        write!(out, "{}", escape(bytes, Lines::Many))?;
    } else {
        out.write_all(bytes)?;
    }
    out.flush()
}
