//! Schedules: the program itself runs, one thread at a time, as the schedule says.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use reprise_schedule::{Parsed, Schedule, Severity, check, resolve};
use reprise_turns::plan;

use super::jvm::{free_port, say};
use super::{Request, listening};
use crate::agent_library;
use crate::failure::{Failure, Status};
use crate::record::observe::command::{self, Handed};
use crate::record::observe::{child, class_path, not_started, text};
use crate::schedule::{no_schedule, program, read};

/// Runs the program under the schedule.
pub(super) fn replay(request: &Request) -> Result<Status, Failure> {
    let file = &request.path;
    let Some(name) = request.command.first() else {
        return Err(
            failure(file, "it is followed by a program, and none is given")
                .next(format!(
                    "reprise replay {} -- java -cp app.jar Main",
                    file.display()
                ))
                .status(Status::BadInput),
        );
    };
    let plan = plan(request)?;
    let folder = tempfile::Builder::new()
        .prefix("reprise-schedule-")
        .tempdir();
    let folder = folder.map_err(|error| failure(file, error))?;
    let reports = folder.path().join("reports");
    let plan_file = folder.path().join("plan");
    fs::create_dir(&reports)
        .and_then(|()| fs::write(&plan_file, plan))
        .map_err(|error| failure(file, error))?;
    let ended = run(request, &plan_file, &reports).map_err(|wrong| failure(file, wrong))?;
    let ended = ended.map_err(|error| not_started(name, error))?;
    Outcome::read(&reports).tell(file, ended)
}

fn failure(file: &Path, wrong: impl std::fmt::Display) -> Failure {
    Failure::new(format!("follow the schedule {}", file.display()), wrong)
}

/// Starts the program with the agent; its status, or why it did not start.
fn run(request: &Request, plan: &Path, reports: &Path) -> Result<std::io::Result<u8>, String> {
    let library = agent_library::find().map_err(|missing| missing.why)?;
    let mut options = format!("follow={},report={}", text(plan)?, text(reports)?);
    if request.verbosity > 0 {
        options += &format!(",verbosity={}", request.verbosity);
    }
    let handed = Handed::new(&library, &options)?;
    let name = request.command.first().cloned().unwrap_or_default();
    let is_launcher = command::launcher(&name).is_some();
    let mut words = request.command.clone();
    if let Some(debug) = &request.debug {
        let port = free_port(debug.port.unwrap_or(0)).map_err(|error| error.to_string())?;
        if !is_launcher {
            return Err("a debugger can be waited for only where CMD is java itself".to_owned());
        }
        let agent =
            format!("-agentlib:jdwp=transport=dt_socket,server=y,quiet=y,address=127.0.0.1:{port}");
        words.insert(1, OsString::from(agent));
        std::thread::spawn(move || {
            listening::wait(port);
            say(&format!(
                "waiting for a Java debugger; attach one with: jdb -attach 127.0.0.1:{port}"
            ));
        });
    }
    Ok(child::run(&mut handed.command(&words, is_launcher)))
}

/// The schedule as the scheduler takes it, once it is known to fit the program.
fn plan(request: &Request) -> Result<String, Failure> {
    let file = &request.path;
    let parsed = read(file)?.map_err(|errors| no_schedule(file, &errors))?;
    let name = request.command.first().cloned().unwrap_or_default();
    let mut paths = request.program.clone();
    if paths.is_empty() && command::launcher(&name).is_some() {
        let found = class_path::places(request.command.get(1..).unwrap_or_default());
        paths = found.unwrap_or_default();
        paths.retain(|path| path.exists());
    }
    let schedule = fitting(&parsed, file, &paths)?;
    let switches = schedule
        .to_switches()
        .map_err(|error| failure(file, &error).next(error.hint()))?;
    plan::write(&switches).map_err(|error| {
        failure(file, error)
            .next(format!(
                "reprise replay {} --program app.jar -- CMD",
                file.display()
            ))
            .status(Status::BadInput)
    })
}

/// The schedule with all places resolved.
fn fitting(parsed: &Parsed, file: &Path, paths: &[PathBuf]) -> Result<Schedule, Failure> {
    let program = program::read(paths, &parsed.schedule)?;
    let findings = check(&parsed.schedule, program.as_ref());
    let wrong = findings.iter().find(|f| f.severity == Severity::Error);
    if let Some(wrong) = wrong {
        let line = parsed.lines.get(wrong.command).copied().unwrap_or(1);
        return Err(failure(file, format!("line {line}: {}", wrong.what))
            .next(wrong.what.hint())
            .status(Status::BadInput));
    }
    let Some(program) = program else {
        return Ok(parsed.schedule.clone());
    };
    resolve(&parsed.schedule, &program).map_err(|(_, problem)| {
        failure(file, &problem)
            .next(problem.hint())
            .status(Status::BadInput)
    })
}

/// What the agent has reported.
#[derive(Debug, Default)]
struct Outcome {
    jvms: usize,
    /// Events that happened, and all there are.
    followed: Option<String>,
    stuck: Option<String>,
    left: Option<String>,
    diverged: Option<String>,
    refused: Option<String>,
    /// Where each thread stands.
    stands: Vec<String>,
    said: Vec<String>,
}

impl Outcome {
    fn read(folder: &Path) -> Self {
        let mut outcome = Self::default();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let text = fs::read(entry.path()).unwrap_or_default();
            outcome.jvms += 1;
            for line in String::from_utf8_lossy(&text).lines() {
                outcome.add(line);
            }
        }
        outcome
    }

    fn add(&mut self, line: &str) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.to_owned();
        match what {
            "followed" => self.followed = Some(rest),
            "stuck" => self.stuck = Some(rest),
            "left" => self.left = Some(rest),
            "diverged" => self.diverged = Some(rest),
            "refused" => self.refused = Some(rest),
            "stands" => self.stands.push(rest),
            "say" | "log" => self.said.push(rest),
            _ => {}
        }
    }

    /// Says how it went.
    fn tell(self, file: &Path, ended: u8) -> Result<Status, Failure> {
        for line in &self.said {
            say(line);
        }
        if let Some(why) = &self.refused {
            return Err(failure(file, why).status(Status::BadInput));
        }
        if self.jvms == 0 {
            return Err(failure(file, "the command started no JVM"));
        }
        let shown = file.display();
        let status = if let Some(text) = &self.diverged {
            let mut words = text.splitn(3, ' ');
            let (happened, all) = (words.next(), words.next());
            let what = words.next().unwrap_or_default();
            let events = format!(
                "after {} of {} events",
                happened.unwrap_or_default(),
                all.unwrap_or_default()
            );
            say(&format!("{shown}: diverged {events}: {what}"));
            Status::Diverged
        } else if self.stuck.is_some() {
            say(&format!(
                "{shown}: followed to its end, where every thread is blocked"
            ));
            Status::Done
        } else if let Some(what) = &self.left {
            say(&format!(
                "{shown}: followed to its end; {what}, and the schedule lets no other go on"
            ));
            Status::Done
        } else if let Some(text) = &self.followed {
            let events = text.split(' ').next().unwrap_or_default();
            say(&format!(
                "{shown}: followed, {events} events; the program ended with status {ended}"
            ));
            Status::Done
        } else {
            return Err(failure(
                file,
                format!("the JVM ended with status {ended} and left no word"),
            ));
        };
        for line in &self.stands {
            say(&format!("  {line}"));
        }
        Ok(status)
    }
}
