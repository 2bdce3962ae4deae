//! Recordings of C programs at a computed boundary, played as processes.

use reprise_c_events::QUESTION;
use reprise_c_player::{Asked, Translated, translate};
use reprise_player::{Fact, Limits, PlayError, play};
use reprise_recording::Recording;

use super::{Output, Request, debugger, failure, process};
use crate::failure::{Failure, Status};
use crate::say::say;

pub(super) use reprise_c_player::KIND;

pub(super) fn replay(request: &Request, recording: &Recording) -> Result<Status, Failure> {
    process::not_for_jvm(request)?;
    let translated = translate(recording);
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
        Ok(played) => {
            output.finish()?;
            // The first is the beginning, and the end is two.
            let events = played
                .events
                .saturating_sub(1 + u64::from(translated.whole));
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
            match in_its_words(&translated, &error) {
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
    if translated.killed.is_none() || diverged.position != events + 1 {
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
fn in_its_words(translated: &Translated, error: &PlayError) -> Option<String> {
    let PlayError::Diverged(diverged) = error else {
        return None;
    };
    let (mut text, event) = (String::new(), diverged.position.saturating_sub(1));
    match (&diverged.expected, &diverged.actual) {
        (
            Fact::Argument {
                number: QUESTION,
                index,
                value: expected,
            },
            Fact::Argument { value: actual, .. },
        ) => match index {
            1 => {
                let words =
                    |what: u64| Asked::of(what).map_or("nothing known", |asked| asked.describe());
                text = format!("expected {}, got {}", words(*expected), words(*actual));
            }
            _ if translated.whole && event + 1 >= translated.events => {
                text.push_str("the memory of the inside is not the same at the end");
            }
            _ => {
                let (expected, actual) = (translated.site(*expected), translated.site(*actual));
                text = format!("expected {expected}, got {actual}");
            }
        },
        _ => return None,
    }
    Some(format!("diverged at event {event}: {text}"))
}
