//! Recordings of Linux processes, as `--last` makes them.

use std::io::{self, Write as _};

use nix::sys::signal::Signal;
use reprise_player::{Limits, PlayError, Played, lacking, play, processes, same_processor};
use reprise_recording::{CutShort, Recording};

use super::{Output, Request, debugger, failure};
use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};

pub(super) use reprise_player::KIND;

pub(super) fn replay(request: &Request, recording: &Recording) -> Result<Status, Failure> {
    not_for_jvm(request)?;
    let limits = Limits {
        memory: request.memory,
        seconds: request.seconds,
    };
    warn_of_lacking(request, recording, &limits);
    if let Some(debug) = &request.debug {
        return debugger::debug(request, debug, recording, &limits);
    }
    let mut output = Output::open(request)?;
    let played = play(recording, request.process, &limits, &mut |wrote| {
        output.write(wrote.to_stderr, wrote.bytes);
    });
    match played {
        Ok(played) => {
            output.finish()?;
            let line = match whose(request, recording) {
                Some(whose) => format!("{whose}: {}", describe(&played, recording)),
                None => describe(&played, recording),
            };
            let line = escape(line.as_bytes(), Lines::One);
            let _ = writeln!(io::stderr(), "reprise: {line}");
            Ok(Status::Done)
        }
        Err(error) => Err(explain(request, recording, &error)),
    }
}

/// Says that this processor lacks what the process uses, before that is played.
fn warn_of_lacking(request: &Request, recording: &Recording, limits: &Limits) {
    // Whatever else is wrong with the recording is said when it is played.
    if let Ok(Some((event, name))) = lacking(recording, request.process, limits) {
        let _ = writeln!(
            io::stderr(),
            "reprise: this processor lacks {name} instructions, which the recording uses before \
             event {event}: it can be replayed up to there"
        );
    }
}

/// What only recordings of JVM programs know is refused.
pub(super) fn not_for_jvm(request: &Request) -> Result<(), Failure> {
    let not_here = [
        ("--keep-going", request.keep_going),
        ("--classes", !request.classes.is_empty()),
    ];
    if let Some((option, _)) = not_here.iter().find(|(_, given)| *given) {
        let wrong = format!("{option} is for recordings of JVM programs");
        return Err(failure(request, wrong).status(Status::BadInput));
    }
    Ok(())
}

/// Which of several processes it was.
fn whose(request: &Request, recording: &Recording) -> Option<String> {
    let all = processes(recording);
    if all.len() < 2 {
        return None;
    }
    let found = match request.process {
        None => all.iter().find(|one| one.meant),
        Some(which) => {
            let mut by_number = all.iter();
            let by_number = by_number.find(|one| one.process.process == which);
            by_number.or_else(|| all.get(usize::try_from(which).ok()?.checked_sub(1)?))
        }
    };
    let process = &found?.process;
    let (number, program) = (process.process, &process.program);
    Some(format!("process {number} ({program}) of {}", all.len()))
}

fn describe(played: &Played, recording: &Recording) -> String {
    let events = played.events;
    let ending = match played.ending {
        Some(ending) => match ending.signal() {
            Some(number) => {
                let known = i32::try_from(number).ok().map(Signal::try_from);
                match known {
                    Some(Ok(signal)) => format!("to the end, {signal}"),
                    _ => format!("to the end, signal {number}"),
                }
            }
            None => format!("to the end, exit {}", ending.status().unwrap_or(0)),
        },
        None => {
            let closing = recording.closing();
            let why = closing.and_then(|closing| closing.cut_short.as_ref());
            match why {
                Some(CutShort::Stopped { by }) => {
                    format!("as far as the recording goes, which {by} ended")
                }
                _ => "as far as the recording goes".to_owned(),
            }
        }
    };
    let same = "; registers and memory are the same";
    let same = if played.ending.is_some() { same } else { "" };
    format!("replayed {events} events {ending}{same}")
}

pub(super) fn explain(request: &Request, recording: &Recording, error: &PlayError) -> Failure {
    if matches!(error, PlayError::Diverged(_)) && recording.closing().is_none() {
        // All memory is behind all events.
        let what = "it is cut off: the end of the file is missing, and memory with it";
        return failure(request, what).status(Status::BadInput);
    }
    let failure = failure(request, error);
    match error {
        PlayError::Diverged(_) => {
            let mut failure = failure.status(Status::Diverged);
            if !same_processor(recording) {
                failure = failure.next("a processor of the model that it was recorded on");
            }
            for note in recording.not_recorded() {
                failure = failure.next(format!(
                    "know that this was not recorded: {}, {}",
                    note.what, note.why
                ));
            }
            failure
        }
        PlayError::Read(_)
        | PlayError::Event { .. }
        | PlayError::Unplayable { .. }
        | PlayError::Unrecognised { .. }
        | PlayError::Empty
        | PlayError::NoProcess { .. }
        | PlayError::Processor { .. }
        | PlayError::Registers { .. }
        | PlayError::Lacking { .. } => failure.status(Status::BadInput),
        PlayError::Limit(_) => failure.next("reprise replay --memory 256G --time 10h FILE"),
        PlayError::Blank { .. } | PlayError::Trace(_) => {
            failure.next("reprise doctor    says what is missing here")
        }
    }
}
