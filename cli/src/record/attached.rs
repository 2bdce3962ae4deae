//! `--last` with `--pid`: a program that runs already.

use reprise_recorder::{AttachError, Attached, Guard, Guarded, Outcome, guarded, record_attached};

use super::Request;
use super::last::{Bounds, Files, lost, settings, sink, stand_aside};
use crate::failure::{Failure, Status};
use crate::say::say;

/// Attaches to a program, and records it until it ends or this is told to stop. It
/// happens in a process of its own, which may be killed without harm to the program.
pub fn run(request: &Request, bounds: &Bounds, process: u32) -> Result<Status, Failure> {
    let work = |guard| match run_guarded(request, bounds, process, guard) {
        Ok(()) => 0,
        Err(failure) => failure.report().code(),
    };
    let doing = || format!("record process {process}");
    match guarded(work).map_err(|error| Failure::new(doing(), error))? {
        Guarded::Done(status) => Ok(Status::Subject(status)),
        Guarded::Died(_) => {
            let what = "the recorder was killed, and what it kept is lost; the program runs on";
            Err(Failure::new(doing(), what))
        }
    }
}

fn run_guarded(
    request: &Request,
    bounds: &Bounds,
    process: u32,
    mut guard: Guard,
) -> Result<(), Failure> {
    let doing = || format!("attach to process {process}");
    let subject = Attached::to(process).map_err(|error| refused(&doing(), &error))?;
    let program = subject.command().into_iter().next().unwrap_or_default();
    let files = Files {
        template: request.output.clone(),
        program,
        pid: process,
    };
    if let Err(error) = files.try_out() {
        subject.let_go();
        return Err(Failure::new(doing(), error));
    }
    guard.watch_attached(process);
    say(&format!(
        "recording process {process}; to let it go: Ctrl-C, or reprise stop {process}"
    ));
    let (outcome, leftover) = record_attached(subject, &settings(request, bounds), sink(files))
        .map_err(|error| Failure::new(doing(), error))?;
    report(&outcome);
    if !leftover.is_empty() {
        guard.dismiss(0);
        stand_aside();
        leftover.let_go();
    }
    Ok(())
}

fn report(outcome: &Outcome) {
    match outcome {
        Outcome {
            let_go: Some(why), ..
        } => say(&format!(
            "the recording has ended: {why}; the program runs on"
        )),
        Outcome { ended: None, .. } => say("it was let go, and runs on"),
        Outcome { lost: true, .. } => say(&format!("nothing was recorded: {}", lost(outcome))),
        Outcome { dumps: 0, .. } => say("it has ended; nothing kept: no failure"),
        _ => {}
    }
}

fn refused(doing: &str, error: &AttachError) -> Failure {
    let failure = Failure::new(doing, error);
    match error {
        AttachError::Gone(_) | AttachError::Thread(..) => failure.status(Status::BadInput),
        AttachError::Forbidden(..) => failure.next("reprise doctor    says what is missing here"),
        _ => failure,
    }
}
