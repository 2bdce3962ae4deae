//! `reprise schedule check`: what is wrong, and what to do about it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use reprise_schedule::{
    Command, MessageAction, Parsed, Schedule, Severity, SwitchAction, Target, ThreadId, check,
};
use serde_json::{Value, json};

use super::{made, program, read};
use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::json_text;
use crate::readable;

/// Checks a schedule and prints what was found.
pub fn run(file: &Path, paths: &[PathBuf], as_json: bool) -> Result<Status, Failure> {
    let mut report = Report::default();
    let status = match read(file)? {
        Err(errors) => {
            for error in errors.iter() {
                report.findings.push(Found {
                    line: error.position.line,
                    column: Some(error.position.column),
                    severity: Severity::Error,
                    what: error.problem.to_string(),
                    hint: error.hint(),
                });
            }
            Status::BadInput
        }
        Ok(parsed) => {
            report.look_at(&parsed, &made::with(file, paths))?;
            match report.count(Severity::Error) {
                0 => Status::Done,
                _ => Status::Failed,
            }
        }
    };
    let mut out = io::stdout().lock();
    if as_json {
        json_text::write_pretty(&mut out, &report.json(file)).map_err(Failure::output)?;
    } else {
        let text = report.text(file);
        out.write_all(text.as_bytes()).map_err(Failure::output)?;
    }
    Ok(status)
}

/// Something that was found.
struct Found {
    line: u32,
    column: Option<u32>,
    severity: Severity,
    what: String,
    hint: String,
}

#[derive(Default)]
struct Report {
    findings: Vec<Found>,
    counts: Option<Counts>,
    /// How many classes the program has.
    classes: Option<usize>,
}

/// How much there is in a schedule.
#[derive(Default)]
struct Counts {
    format: &'static str,
    events: usize,
    /// Switches and deaths, or messages.
    switches: usize,
    threads: BTreeSet<ThreadId>,
}

impl Report {
    fn look_at(&mut self, parsed: &Parsed, paths: &[PathBuf]) -> Result<(), Failure> {
        let program = program::read(paths, &parsed.schedule, program::release(&[]))?;
        self.classes = program.as_ref().map(|program| program.names.len());
        self.counts = Some(Counts::of(&parsed.schedule));
        for finding in check(&parsed.schedule, program.as_ref()) {
            self.findings.push(Found {
                line: parsed.lines.get(finding.command).copied().unwrap_or(1),
                column: None,
                severity: finding.severity,
                what: finding.what.to_string(),
                hint: finding.what.hint(),
            });
        }
        Ok(())
    }

    fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings.filter(|found| found.severity == severity).count()
    }

    fn text(&self, file: &Path) -> String {
        let name = file.display().to_string();
        let mut text = String::new();
        for found in &self.findings {
            let column = found.column.map(|column| format!(":{column}"));
            let place = format!("{name}:{}{}", found.line, column.unwrap_or_default());
            let severity = word(found.severity);
            let line = format!("{place}: {severity}: {}", found.what);
            let _ = writeln!(text, "{}", escape(line.as_bytes(), Lines::One));
            let _ = writeln!(text, "  try: {}", escape(found.hint.as_bytes(), Lines::One));
        }
        let mut line = format!("{name}: ");
        if let Some(counts) = &self.counts {
            let unit = match counts.format {
                "messages" => "message",
                _ => "switch",
            };
            let _ = write!(
                line,
                "{}, {}, {}; ",
                several(counts.events, "event"),
                several(counts.switches, unit),
                several(counts.threads.len(), "thread"),
            );
            if let Some(classes) = self.classes {
                let _ = write!(line, "against {}: ", several(classes, "class"));
            }
        }
        match (self.count(Severity::Error), self.count(Severity::Warning)) {
            (0, 0) => line.push_str("nothing wrong"),
            (errors, 0) => line.push_str(&several(errors, "error")),
            (errors, warnings) => {
                let (errors, warnings) = (several(errors, "error"), several(warnings, "warning"));
                let _ = write!(line, "{errors}, {warnings}");
            }
        }
        let _ = writeln!(text, "{}", escape(line.as_bytes(), Lines::One));
        text
    }

    fn json(&self, file: &Path) -> Value {
        let findings = self.findings.iter().map(|found| {
            json!({
                "line": found.line,
                "column": found.column,
                "severity": word(found.severity),
                "what": found.what,
                "hint": found.hint,
            })
        });
        let counts = self.counts.as_ref();
        json!({
            "format": 1,
            "file": file.display().to_string(),
            "schedule": counts.map(|counts| counts.format),
            "events": counts.map(|counts| counts.events),
            "switches": counts.map(|counts| counts.switches),
            "threads": counts.map(|counts| counts.threads.len()),
            "classes": self.classes,
            "findings": findings.collect::<Vec<_>>(),
        })
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// So many of something.
fn several(number: usize, one: &str) -> String {
    readable::count(number as u64, one)
}

impl Counts {
    fn of(schedule: &Schedule) -> Self {
        let mut counts = Self::default();
        counts.threads.insert(ThreadId::MAIN);
        match schedule {
            Schedule::Switches(switches) => {
                counts.format = "switches";
                counts.add(&switches.commands, &|action| match action {
                    SwitchAction::Switch(target) | SwitchAction::Die(target) => {
                        (true, Target::thread(target))
                    }
                    SwitchAction::Notify(thread) | SwitchAction::Timeout(thread) => {
                        (false, Some(thread))
                    }
                    SwitchAction::Terminate | SwitchAction::Log(_) => (false, None),
                });
            }
            Schedule::Messages(messages) => {
                counts.format = "messages";
                for (thread, commands) in messages.threads() {
                    counts.threads.insert(thread.clone());
                    counts.add(commands, &|action| match action {
                        MessageAction::Send(message) => (true, Some(&message.peer)),
                        MessageAction::Receive(message) => (false, Some(&message.peer)),
                        MessageAction::Notify(thread) | MessageAction::Timeout(thread) => {
                            (false, Some(thread))
                        }
                        MessageAction::Die | MessageAction::Terminate | MessageAction::Log(_) => {
                            (false, None)
                        }
                    });
                }
            }
        }
        counts
    }

    fn add<A>(&mut self, commands: &[Command<A>], look: &impl Fn(&A) -> (bool, Option<&ThreadId>)) {
        for command in commands {
            match command {
                Command::Event(_) => self.events += 1,
                Command::Loop(repeated) => self.add(&repeated.body, look),
                Command::Action(action) => {
                    let (counts, thread) = look(action);
                    self.switches += usize::from(counts);
                    self.threads.extend(thread.cloned());
                }
            }
        }
    }
}
