//! `--last`: any Linux program.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use reprise_recorder::{
    Ended, Guard, Guarded, Outcome, Settings, StartError, Waiting, guarded, record,
};

use super::{Keep, Request, discard, say, summary};
use crate::failure::{Failure, Status};
use crate::output_name::Values;

/// Runs the command and records it, in a process of its own that may be killed
/// without harm to the command.
pub fn run(request: &Request, limit: u64) -> Result<Status, Failure> {
    let work = |guard| match run_guarded(request, limit, guard) {
        Ok(status) => status.code(),
        Err(failure) => failure.report().code(),
    };
    let doing = || format!("record {}", name(request).display());
    match guarded(work).map_err(|error| Failure::new(doing(), error))? {
        Guarded::Done(status) => Ok(Status::Subject(status)),
        Guarded::Died(Some(ended)) => {
            say("the recorder was killed; the command ran on");
            Ok(status(ended))
        }
        Guarded::Died(None) => Err(Failure::new(doing(), "the recorder was killed")),
    }
}

fn run_guarded(request: &Request, limit: u64, mut guard: Guard) -> Result<Status, Failure> {
    let subject = Waiting::start(&request.command).map_err(|error| not_started(request, error))?;
    guard.watch(subject.pid());
    if let Some(error) = subject.trouble() {
        return without_recorder(request, subject, &error);
    }
    let values = Values {
        program: name(request),
        pid: subject.pid(),
        time: Timestamp::now(),
    };
    let (path, file) = match request.output.reserve(&values) {
        Ok(reserved) => reserved,
        Err(error) => return without_recorder(request, subject, &error.to_string()),
    };
    let settings = Settings { limit };
    let outcome = record(subject, &request.command, file, &settings).map_err(|error| {
        discard(&path);
        not_started(request, error)
    })?;
    report(request, &path, &outcome);
    Ok(status(outcome.ended))
}

/// The program, as it was called.
fn name(request: &Request) -> &OsStr {
    request.command.first().map_or(OsStr::new(""), |name| name)
}

fn report(request: &Request, path: &Path, outcome: &Outcome) {
    let failed = matches!(outcome.ended, Ended::Killed(_));
    match &outcome.recorded {
        Err(error) => {
            discard(path);
            say(&format!("nothing was recorded: {error}"));
        }
        Ok(_) if !failed && request.keep == Keep::Failures => {
            discard(path);
            say("nothing kept: no fatal signal (--keep all keeps every run)");
        }
        Ok(recorded) => say(&summary(path, recorded.finished.bytes, &recorded.closing)),
    }
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
        error @ StartError::Process(_) => Failure::new(doing, error),
    }
}
