//! Schedules: the program itself runs, one thread at a time, as the schedule says.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use reprise_recorder::Condition;
use reprise_schedule::{Parsed, Schedule, Severity, Switches, check, resolve};
use reprise_turns::plan;
use tempfile::TempDir;

use super::jvm::free_port;
use super::{Request, listening};
use crate::agent_library;
use crate::failure::{Failure, Status};
use crate::record::observe::command::{self, Handed};
use crate::record::observe::{child, class_path, not_started, text};
use crate::say::say;
use crate::schedule::run::Fault;
use crate::schedule::{made, no_schedule, program, read, values};
use crate::share::conditions;

/// For how long a thread may run and not come to the next place of a schedule, unless the user
/// says so.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

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
    let files = Files::new(file, &plan(file, &request.program, &request.command)?)?;
    let ended = run(request, &files).map_err(|wrong| failure(file, wrong))?;
    let ended = ended.map_err(|error| not_started(name, error))?;
    Outcome::read(&files.reports).tell(file, ended)
}

/// What the agent reads and writes.
struct Files {
    /// Goes away with this value.
    _folder: TempDir,
    plan: PathBuf,
    reports: PathBuf,
    /// What the program is given that it read in the run of the schedule.
    values: Option<PathBuf>,
}

impl Files {
    fn new(file: &Path, plan: &str) -> Result<Self, Failure> {
        let fail = |error: std::io::Error| failure(file, error);
        let folder = tempfile::Builder::new()
            .prefix("reprise-schedule-")
            .tempdir();
        let folder = folder.map_err(fail)?;
        let files = Self {
            plan: folder.path().join("plan"),
            reports: folder.path().join("reports"),
            values: values::of(file),
            _folder: folder,
        };
        fs::create_dir(&files.reports)
            .and_then(|()| fs::write(&files.plan, plan))
            .map_err(fail)?;
        Ok(files)
    }

    /// The agent that follows the plan.
    fn agent(&self, verbosity: u8, patience: Duration) -> Result<Handed, String> {
        let library = agent_library::find().map_err(|missing| missing.why)?;
        let mut options = format!(
            "follow={},report={}",
            text(&self.plan)?,
            text(&self.reports)?
        );
        options += &values::option(self.values.as_deref())?;
        if !patience.is_zero() {
            options += &format!(",patience={}", patience.as_secs().max(1));
        }
        if verbosity > 0 {
            options += &format!(",verbosity={verbosity}");
        }
        Handed::new(&library, &options)
    }
}

/// A schedule that is followed to see whether the program fails.
#[derive(Debug)]
pub(crate) struct Following<'f> {
    /// The schedule.
    pub(crate) file: &'f Path,
    /// Where the program's classes are, if the command does not tell.
    pub(crate) program: &'f [PathBuf],
    /// The program and its arguments.
    pub(crate) command: &'f [OsString],
    /// What the program is given that it read in the run that is followed.
    pub(crate) values: Option<&'f Path>,
    /// How long it may take.
    pub(crate) limit: Option<Duration>,
    /// What counts as a failure beside what always does.
    pub(crate) fails_when: &'f [Condition],
}

/// Follows a schedule, and says nothing. How the program failed; none if it did not, or
/// if it did not follow.
pub(crate) fn follow(following: &Following<'_>) -> Result<Option<Fault>, Failure> {
    let Following {
        file,
        program,
        command,
        values,
        limit,
        fails_when,
    } = following;
    let mut files = Files::new(file, &plan(file, program, command)?)?;
    files.values = values.map(Path::to_owned);
    let name = command.first().cloned().unwrap_or_default();
    let handed = files
        .agent(0, PATIENCE)
        .map_err(|wrong| failure(file, wrong))?;
    let mut child = handed.command(command, command::launcher(&name).is_some());
    child
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let ended = conditions::run(&mut child, fails_when, *limit, true);
    let (ended, holds) = ended.map_err(|error| not_started(&name, error))?;
    let outcome = Outcome::read(&files.reports);
    let followed = outcome.followed.is_some() || outcome.stuck.is_some() || outcome.left.is_some();
    if !followed {
        return Ok(None);
    }
    if holds {
        return Ok(Some(Fault::Condition));
    }
    Ok(match (outcome.fault, outcome.stuck, ended.status) {
        (Some(fault), ..) => Some(fault),
        (None, Some(_), _) => Some(Fault::Deadlock),
        (None, None, Some(status @ 1..)) => Some(Fault::Status(status)),
        _ => None,
    })
}

fn failure(file: &Path, wrong: impl std::fmt::Display) -> Failure {
    Failure::new(format!("follow the schedule {}", file.display()), wrong)
}

/// Starts the program with the agent; its status, or why it did not start.
fn run(request: &Request, files: &Files) -> Result<std::io::Result<u8>, String> {
    let patience = match request.debug {
        // Who steps through a thread needs no reminder.
        Some(_) => Duration::ZERO,
        None => request.patience,
    };
    let handed = files.agent(request.verbosity, patience)?;
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
fn plan(file: &Path, program: &[PathBuf], command: &[OsString]) -> Result<String, Failure> {
    let switches = fitting_switches(file, program, command)?;
    plan::write(&switches).map_err(|error| {
        failure(file, error)
            .next(format!(
                "reprise replay {} --program app.jar -- CMD",
                file.display()
            ))
            .status(Status::BadInput)
    })
}

/// A schedule as switches, with its places resolved as far as the program is known.
pub(crate) fn fitting_switches(
    file: &Path,
    program: &[PathBuf],
    command: &[OsString],
) -> Result<Switches, Failure> {
    let parsed = read(file)?.map_err(|errors| no_schedule(file, &errors))?;
    let name = command.first().cloned().unwrap_or_default();
    let mut paths = program.to_vec();
    if paths.is_empty() && command::launcher(&name).is_some() {
        let found = class_path::places(command.get(1..).unwrap_or_default());
        paths = found.unwrap_or_default();
        paths.retain(|path| path.exists());
    }
    let paths = made::with(file, &paths);
    let schedule = fitting(&parsed, file, &paths, program::release(command))?;
    schedule
        .to_switches()
        .map_err(|error| failure(file, &error).next(error.hint()))
}

/// The schedule with all places resolved.
fn fitting(
    parsed: &Parsed,
    file: &Path,
    paths: &[PathBuf],
    release: u32,
) -> Result<Schedule, Failure> {
    let program = program::read(paths, &parsed.schedule, release)?;
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

/// Whether a schedule is in the format in which runs of free threads are recorded.
fn is_of_free_threads(file: &Path) -> bool {
    matches!(read(file), Ok(Ok(parsed)) if matches!(parsed.schedule, Schedule::Messages(_)))
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
    /// An exception that nobody caught.
    fault: Option<Fault>,
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
            "uncaught" if self.fault.is_none() => self.fault = Some(Fault::uncaught(&rest)),
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
            if is_of_free_threads(file) {
                say(
                    "  threads ran freely when it was recorded; if that was with free, and not free:all, the order \
                     at plain fields was not kept: record again with --schedule=free:all",
                );
            }
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
