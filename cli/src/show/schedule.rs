//! A schedule, shown as what it explains: who runs, and where each stops.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use reprise_schedule::explain::{Sentence, Stop, What, explain};
use reprise_schedule::{Location, Parsed, Program, Schedule, ThreadId, Times, resolve_event};
use serde_json::{Value, json};

use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::json_text;
use crate::schedule::{made, no_schedule, program, read_text};

/// Shows a schedule; `paths` are where the program's classes are, if that is known.
pub fn show(file: &Path, paths: &[PathBuf], as_json: bool) -> Result<Status, Failure> {
    let (text, parsed) = read_text(file)?;
    let parsed = parsed.map_err(|errors| no_schedule(file, &errors))?;
    let paths = made::with(file, paths);
    let program = program::read(&paths, &parsed.schedule, program::release(&[]))?;
    let switches = parsed.schedule.to_switches().map_err(|error| {
        Failure::new(format!("show {}", file.display()), &error).next(error.hint())
    })?;
    let notes = Notes {
        comments: comments(&text, &parsed),
        places: places(&text),
        program,
    };
    let story = explain(&switches);
    let mut out = io::stdout().lock();
    if as_json {
        let value = json!({
            "format": 1,
            "file": file.display().to_string(),
            "story": story.iter().map(|sentence| notes.json(sentence)).collect::<Vec<_>>(),
        });
        json_text::write_pretty(&mut out, &value).map_err(Failure::output)?;
    } else {
        let text = notes.text(file, &story);
        out.write_all(text.as_bytes()).map_err(Failure::output)?;
    }
    Ok(Status::Done)
}

/// What is known of the places of a schedule.
struct Notes {
    /// What stands behind an event in the text, by the number of its command.
    comments: HashMap<usize, String>,
    /// The same by its place.
    places: HashMap<String, String>,
    program: Option<Program>,
}

/// The comments behind events. A schedule that was recorded has them.
fn comments(text: &str, parsed: &Parsed) -> HashMap<usize, String> {
    if matches!(parsed.schedule, Schedule::Messages(_)) {
        // The order of its commands is another one.
        return HashMap::new();
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let numbered = parsed.lines.iter().enumerate();
    let comments = numbered.filter_map(|(command, line)| {
        let line = lines.get(usize::try_from(*line).ok()?.checked_sub(1)?)?;
        let (_, comment) = line.split_once('#')?;
        let comment = comment.trim();
        (!comment.is_empty()).then(|| (command, comment.to_owned()))
    });
    comments.collect()
}

/// The comments behind events, by place: it is the same wherever that is in the text.
fn places(text: &str) -> HashMap<String, String> {
    let places = text.lines().filter_map(|line| {
        let (event, comment) = line.split_once('#')?;
        let words: Vec<&str> = event.split_whitespace().collect();
        let [_, place @ .., _] = words.as_slice() else {
            return None;
        };
        let comment = comment.trim();
        (!comment.is_empty()).then(|| (place.join(" "), comment.to_owned()))
    });
    places.collect()
}

impl Notes {
    /// A place as people call it.
    fn place(&self, stop: &Stop) -> String {
        let known = self.program.as_ref().and_then(|program| {
            let code = resolve_event(&stop.event, program).ok()?;
            let class = program.classes.get(code.class.as_str())?;
            let method = class
                .methods
                .iter()
                .find(|method| Some(method.signature()) == Some(code.method.to_string()))?;
            method.notes.get(&code.offset).cloned()
        });
        let comment = || match &stop.event.location {
            Location::Code(code) => {
                let place = || self.places.get(&code.to_string());
                let comment = self.comments.get(&stop.command);
                comment.or_else(place).cloned()
            }
            Location::Source(_) => None,
        };
        known
            .or_else(comment)
            .unwrap_or_else(|| stop.event.location.to_string())
    }

    fn sentence(&self, what: &What) -> String {
        match what {
            What::Stops(stop) => {
                let times = match stop.event.count.get() {
                    1 => String::new(),
                    n => format!(", the {} time", ordinal(n)),
                };
                let place = self.place(stop);
                match (stop.is_blocked(), place.split_once(", ")) {
                    (true, Some((place, deed))) => {
                        let call = deed.strip_prefix("calls ").unwrap_or(deed);
                        format!("blocks at {place}, in {call}{times}")
                    }
                    (true, None) => format!("blocks in {place}{times}"),
                    (false, Some((place, deed))) => {
                        format!("stops at {place}, before it {deed}{times}")
                    }
                    (false, None) => format!("stops before {place}{times}"),
                }
            }
            What::Ends => "runs to its end".to_owned(),
            What::GoesOn => "goes on, and nobody else does".to_owned(),
            What::Stuck => "nobody can go on".to_owned(),
            What::Released => "all go on as they like".to_owned(),
            What::Notified => "has been notified".to_owned(),
            What::TimedOut => "has waited until its time ran out".to_owned(),
            What::Repeats(Times::Endless) => "again and again:".to_owned(),
            What::Repeats(Times::Count(times)) => format!("{} times:", times.get()),
        }
    }

    fn text(&self, file: &Path, story: &[Sentence]) -> String {
        let names = story.iter().filter_map(|sentence| sentence.thread.as_ref());
        let width = names.clone().map(|thread| name(thread).len()).max();
        let width = width.unwrap_or_default();
        let mut threads: Vec<&ThreadId> = names.collect();
        threads.sort();
        threads.dedup();
        let stops = |s: &&Sentence| matches!(s.what, What::Stops(_) | What::Ends);
        let switches = story.iter().filter(stops).count();
        let line = format!(
            "{}: a schedule; {switches} stops, {} threads",
            file.display(),
            threads.len()
        );
        let mut text = format!("{}\n\n", escape(line.as_bytes(), Lines::One));
        for sentence in story {
            let who = sentence.thread.as_ref().map(name).unwrap_or_default();
            let line = format!(
                "{:indent$}{who:width$}  {}",
                "",
                self.sentence(&sentence.what),
                indent = 2 + 2 * sentence.depth
            );
            let _ = writeln!(text, "{}", escape(line.as_bytes(), Lines::One));
        }
        text
    }

    fn json(&self, sentence: &Sentence) -> Value {
        let place = match &sentence.what {
            What::Stops(stop) => Some((stop, self.place(stop))),
            _ => None,
        };
        json!({
            "thread": sentence.thread.as_ref().map(ToString::to_string),
            "depth": sentence.depth,
            "says": self.sentence(&sentence.what),
            "place": place.as_ref().map(|(_, place)| place),
            "event": place.as_ref().map(|(stop, _)| stop.event.to_string()),
        })
    }
}

fn name(thread: &ThreadId) -> String {
    match thread.is_main() {
        true => "main".to_owned(),
        false => format!("thread {thread}"),
    }
}

fn ordinal(n: u64) -> String {
    let ending = match (n % 10, n % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        let all: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 112th");
    }
}
