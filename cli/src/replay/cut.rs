//! Recordings of C programs at a computed boundary, played as processes.

use reprise_c_events::{QUESTION, ask, ring};
use reprise_c_player::{Asked, Translated, translate};
use reprise_player::{Fact, Limits, PlayError, play};
use reprise_recording::Recording;

use super::{Output, Request, debugger, failure, process};
use crate::failure::{Failure, Status};
use crate::say::say;

pub(super) use reprise_c_player::KIND;

pub(super) fn replay(request: &Request, recording: &Recording) -> Result<Status, Failure> {
    process::not_for_jvm(request)?;
    let translated = translate(recording, request.process);
    let translated =
        translated.map_err(|error| failure(request, error).status(Status::BadInput))?;
    let limits = Limits {
        memory: request.memory,
        seconds: request.seconds,
    };
    if let Some(debug) = &request.debug {
        return debugger::debug(request, debug, &translated.recording, &limits);
    }
    let mut output = Output::open(request)?;
    let played = play(&translated.recording, None, &limits, &mut |wrote| {
        output.write(wrote.to_stderr, wrote.bytes);
    });
    match played {
        Ok(_) => {
            output.finish()?;
            let events = translated.events;
            let end = match translated.whole {
                true => "to the end; the memory of the inside is the same",
                false => "as far as the recording goes",
            };
            say(&format!("replayed {events} events {end}"));
            Ok(Status::Done)
        }
        Err(error) => {
            if let Some(line) = killed(&translated, &error) {
                output.finish()?;
                say(&line);
                return Ok(Status::Done);
            }
            match in_its_words(recording, &translated, &error) {
                Some(text) => Err(failure(request, text).status(Status::Diverged)),
                None => Err(process::explain(request, &translated.recording, &error)),
            }
        }
    }
}

/// How the replay of a program that was killed has ended, if it has come so far.
fn killed(translated: &Translated, error: &PlayError) -> Option<String> {
    let PlayError::Diverged(diverged) = error else {
        return None;
    };
    let events = translated.events;
    // What follows the calls that tell crossings is there for this alone.
    if translated.killed.is_none() || diverged.position <= translated.calls() {
        return None;
    }
    match diverged.actual {
        Fact::Signal { number, .. } if Some(number) == translated.killed => Some(format!(
            "replayed {events} events to the end, signal {number} {}",
            diverged.location
        )),
        Fact::Argument { .. } | Fact::Call { .. } => Some(format!(
            "replayed {events} events; the program was killed outside of what was recorded"
        )),
        _ => None,
    }
}

/// A divergence in the words of the program.
fn in_its_words(
    recording: &Recording,
    translated: &Translated,
    error: &PlayError,
) -> Option<String> {
    let PlayError::Diverged(diverged) = error else {
        return None;
    };
    if let Fact::Signal { .. } = diverged.actual {
        // The run has gone on there: it is memory of the outside, which a replay does not have.
        let event = translated.crossing(diverged.position);
        let expected = translated.recorded(recording, event);
        return Some(format!(
            "diverged before event {event}: expected {expected}, got {}: the inside uses memory of \
             the outside that it was computed not to use",
            diverged.actual
        ));
    }
    let (
        Fact::Argument {
            number: QUESTION,
            index,
            value: expected,
        },
        Fact::Argument { value: actual, .. },
    ) = (&diverged.expected, &diverged.actual)
    else {
        return None;
    };
    let words = |what: u64| Asked::of(what).map_or("nothing known", |asked| asked.describe());
    if let Some((what, ahead, site)) = ring::read_other(*actual) {
        // It was told by the call before this one.
        let event = translated.crossing(diverged.position.saturating_sub(1)) + ahead;
        let expected = translated.recorded(recording, event);
        let (what, site) = (words(what), translated.site(site));
        return Some(format!(
            "diverged at event {event}: expected {expected}, got {what} at {site}"
        ));
    }
    let event = translated.crossing(diverged.position);
    let text = match index {
        1 => {
            let expected = match *expected {
                ask::MORE => translated.recorded(recording, event),
                what => words(what).to_owned(),
            };
            format!("expected {expected}, got {}", words(*actual))
        }
        _ if translated.whole && event + 1 >= translated.events => {
            "the memory of the inside is not the same at the end".to_owned()
        }
        _ => {
            let (expected, actual) = (translated.site(*expected), translated.site(*actual));
            format!("expected {expected}, got {actual}")
        }
    };
    Some(format!("diverged at event {event}: {text}"))
}
