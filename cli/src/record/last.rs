//! `--last`: any Linux program.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use reprise_recorder::{
    Condition, Dump, Ended, Guard, Guarded, Outcome, Settings, Sink, StartError, Waiting, Written,
    guarded, record,
};

use super::verify::{Verdict, verify};
use super::{Keep, Request, discard, summary};
use crate::failure::{Failure, Status};
use crate::output_name::{ReserveError, Template, Values};
use crate::readable::size;
use crate::say::say;

/// Recordings may be larger than what is free, if that is less.
const LITTLE: u64 = 16 << 20;

/// How much of a run is kept, and when it is written.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// How much of the run.
    pub last: Duration,
    /// How long a segment is.
    pub interval: Duration,
    /// In how much memory.
    pub memory: u64,
    /// For smaller processors, too.
    pub portable: bool,
    /// What counts as a failure beside a fatal signal.
    pub fails_when: Vec<Condition>,
}

/// Runs the command and records it, in a process of its own that may be killed
/// without harm to the command.
pub fn run(request: &Request, bounds: &Bounds) -> Result<Status, Failure> {
    let work = |guard| match run_guarded(request, bounds, guard) {
        Ok(status) => status.code(),
        Err(failure) => failure.report().code(),
    };
    let doing = || format!("record {}", name(request).display());
    match guarded(work).map_err(|error| Failure::new(doing(), error))? {
        Guarded::Done(status) => Ok(Status::Subject(status)),
        Guarded::Died(Some(ended)) => {
            say("the recorder was killed, and what it kept is lost; the command ran on");
            Ok(status(ended))
        }
        Guarded::Died(None) => Err(Failure::new(doing(), "the recorder was killed")),
    }
}

fn run_guarded(request: &Request, bounds: &Bounds, mut guard: Guard) -> Result<Status, Failure> {
    if is_for_another_processor(name(request)) {
        let program = name(request).display();
        say(&format!(
            "{program} is a program for another processor: only what runs it here is recorded"
        ));
    }
    let subject = Waiting::start(&request.command).map_err(|error| not_started(request, error))?;
    guard.watch(subject.pid());
    if let Some(error) = subject.trouble() {
        return without_recorder(request, subject, &error);
    }
    let files = Files {
        template: request.output.clone(),
        program: name(request).to_owned(),
        pid: subject.pid(),
    };
    if let Err(error) = files.try_out() {
        return without_recorder(request, subject, &error.to_string());
    }
    let settings = settings(request, bounds);
    let sink = sink(files);
    let (outcome, leftover) = record(subject, &request.command, &settings, sink)
        .map_err(|error| not_started(request, error))?;
    report(&outcome);
    let status = outcome.ended.map_or(Status::Subject(0), status);
    if !leftover.is_empty() {
        // They run on by themselves, but not all can be let go at once. Nobody
        // has to wait for that.
        guard.dismiss(status.code());
        stand_aside();
        leftover.let_go();
    }
    Ok(status)
}

/// What the recorder has to know.
pub(super) fn settings(request: &Request, bounds: &Bounds) -> Settings {
    Settings {
        last: bounds.last,
        interval: bounds.interval,
        memory: bounds.memory,
        keep_all: request.keep == Keep::All,
        portable: bounds.portable,
        fails_when: bounds.fails_when.clone(),
    }
}

/// What writes recordings, and says so.
pub(super) fn sink(files: Files) -> Sink {
    Box::new(move |dump| {
        let written = keep(&files, dump);
        let (Ok(line) | Err(line)) = &written;
        say(line);
        written
    })
}

/// Lets go of the files that others may wait for to be closed.
pub(super) fn stand_aside() {
    let Ok(null) = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")
    else {
        return;
    };
    let _ = nix::unistd::dup2_stdin(&null);
    let _ = nix::unistd::dup2_stdout(&null);
    let _ = nix::unistd::dup2_stderr(&null);
}

/// Where recordings go.
pub(super) struct Files {
    pub(super) template: Template,
    pub(super) program: std::ffi::OsString,
    pub(super) pid: u32,
}

impl Files {
    pub(super) fn reserve(&self) -> Result<(PathBuf, std::fs::File), ReserveError> {
        self.template.reserve(&Values {
            program: &self.program,
            pid: self.pid,
            time: Timestamp::now(),
        })
    }

    /// Better to know now than when there is something to write.
    pub(super) fn try_out(&self) -> Result<(), ReserveError> {
        let (path, file) = self.reserve()?;
        let disk = rustix::fs::fstatvfs(&file).ok();
        discard(&path);
        let free = disk.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        if let Some(free) = free.filter(|free| *free < LITTLE) {
            let (path, free) = (path.display(), size(free));
            say(&format!(
                "{path}: there is room for {free}, which may not be enough for a recording"
            ));
        }
        Ok(())
    }
}

/// Writes a dump, plays it to see whether it can be, and says so.
fn keep(files: &Files, dump: Dump) -> Written {
    let (path, file) = files
        .reserve()
        .map_err(|error| format!("nothing was recorded: {error}"))?;
    let written = dump.draft(file).and_then(|mut draft| {
        let verdict = verify(&path, &mut draft)?;
        Ok((verdict, draft.finish()?))
    });
    let (verdict, recorded) = written.map_err(|error| {
        discard(&path);
        format!("nothing was recorded: {}: {error}", path.display())
    })?;
    let line = summary(&path, recorded.finished.bytes, &recorded.closing);
    match verdict {
        Verdict::Replays => Ok(line),
        Verdict::Unverified(why) => Ok(format!("{line}; unverified, its own replay failed: {why}")),
    }
}

/// The program, as it was called.
fn name(request: &Request) -> &OsStr {
    request.command.first().map_or(OsStr::new(""), |name| name)
}

/// Whether a file is a program for other processors than these.
fn is_for_another_processor(program: &OsStr) -> bool {
    /// Those of 64 and of 32 bits, which are told apart later.
    const X86: [[u8; 2]; 2] = [[62, 0], [3, 0]];
    let mut header = [0; 20];
    let file = std::fs::File::open(program);
    let read = file.and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.starts_with(b"\x7fELF") && !X86.contains(&[header[18], header[19]])
}

fn report(outcome: &Outcome) {
    match outcome {
        Outcome { stopped: true, .. } => say("the recording was stopped; nothing more was kept"),
        Outcome { lost: true, .. } => say(&format!("nothing was recorded: {}", lost(outcome))),
        Outcome {
            dumps: 0,
            cut_short: Some(why),
            ..
        } => say(&format!(
            "nothing kept: no failure, and the recording had ended early: {why}"
        )),
        Outcome { dumps: 0, .. } => say("nothing kept: no failure (--keep all keeps every run)"),
        _ => {}
    }
}

/// Why there is nothing to write.
pub(super) fn lost(outcome: &Outcome) -> &str {
    let why = outcome.cut_short.as_deref();
    why.unwrap_or("there is no memory of a segment's start")
}

/// The recorder cannot do its work; whether the subject runs is the user's
/// choice.
fn without_recorder(request: &Request, subject: Waiting, why: &str) -> Result<Status, Failure> {
    if request.require {
        subject.abandon();
        return Err(Failure::new("record, as --require demands", why)
            .next("reprise doctor    says what is missing here")
            .status(Status::NoRecorder));
    }
    say(&format!("not recording: {why}"));
    let ended = subject
        .run_unrecorded()
        .map_err(|error| not_started(request, error))?;
    Ok(status(ended))
}

/// The subject's own status, as a shell passes it on.
fn status(ended: Ended) -> Status {
    let code = match ended {
        Ended::Exited(status) => status,
        Ended::Killed(signal) => 128 + signal,
    };
    Status::Subject(u8::try_from(code).unwrap_or(u8::MAX))
}

/// The program is not there or cannot be run: the statuses that shells use.
fn not_started(request: &Request, error: StartError) -> Failure {
    let doing = format!("run {}", name(request).display());
    match error {
        StartError::Program(error) => {
            let missing = error.kind() == io::ErrorKind::NotFound;
            let code = if missing { 127 } else { 126 };
            Failure::new(doing, error).status(Status::Subject(code))
        }
        error @ (StartError::Process(_) | StartError::Attach(_)) => Failure::new(doing, error),
    }
}
