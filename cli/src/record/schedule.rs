//! `--schedule`: a JVM program runs one thread at a time, as a strategy chooses, and
//! what it has chosen is written down as a schedule.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::Timestamp;

use super::observe::command::{self, Handed};
use super::observe::{child, not_started, text};
use super::{Request, say};
use crate::agent_library;
use crate::failure::{Failure, Status};
use crate::output_name::Values;

/// Who chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy(String);

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
        let known = match text.split_once(':') {
            None => text == "random",
            Some(("pct" | "rr", n)) => number(n),
            Some(_) => false,
        };
        match known {
            true => Ok(Self(text.to_owned())),
            false => Err("a strategy is random, pct:D or rr:N, as in pct:3".to_owned()),
        }
    }
}

/// What `--schedule` and its options say.
#[derive(Debug)]
pub struct Search {
    /// Who chooses.
    pub strategy: Strategy,
    /// What the choices of the first run depend on.
    pub seed: u64,
    /// How many runs.
    pub runs: u64,
    /// Whether a failure ends them.
    pub until_failure: bool,
}

/// How a run went.
#[derive(Debug, Default)]
struct Run {
    status: u8,
    /// What failed beside the status.
    failure: Option<String>,
    /// Where each thread stands, in a deadlock.
    stands: Vec<String>,
    steps: u64,
    said: Vec<String>,
    refused: Option<String>,
    jvms: usize,
}

/// Runs the command, until it fails if that is wanted.
pub fn run(request: &Request, search: &Search) -> Result<Status, Failure> {
    let out = output(request)?;
    // How long a run is, is known from the one before.
    let mut steps = 1000;
    let mut number = 0;
    loop {
        let seed = search.seed.wrapping_add(number);
        number += 1;
        let run = once(request, search, seed, steps, &out)?;
        steps = run.steps.max(1);
        let failed = run.status != 0 || run.failure.is_some();
        if number < search.runs && !(failed && search.until_failure) {
            let _ = fs::remove_file(&out);
            continue;
        }
        tell(request, &run, &out, number, seed);
        return Ok(Status::Subject(run.status));
    }
}

fn tell(request: &Request, run: &Run, out: &Path, number: u64, seed: u64) {
    for line in &run.said {
        say(line);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let shown = out.strip_prefix(here).unwrap_or(out);
    let events = fs::read_to_string(out).unwrap_or_default();
    let starts = |line: &&str| line.starts_with("before ") || line.starts_with("in ");
    let events = events.lines().filter(starts).count();
    let what = match &run.failure {
        Some(what) => what.clone(),
        None => format!("status {}", run.status),
    };
    let command: Vec<String> = request
        .command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    say(&format!(
        "run {number}, seed {seed}: {what}; recorded {} ({events} events); replay it with: \
         reprise replay {} -- {}",
        shown.display(),
        shown.display(),
        command.join(" ")
    ));
    for line in &run.stands {
        say(&format!("  {line}"));
    }
}

/// One run with that seed.
fn once(
    request: &Request,
    search: &Search,
    seed: u64,
    steps: u64,
    out: &Path,
) -> Result<Run, Failure> {
    let failure = |wrong: String| {
        Failure::new("record a schedule", wrong)
            .next("reprise doctor    says what is missing here")
            .status(Status::NoRecorder)
    };
    let folder = tempfile::Builder::new().prefix("reprise-report-").tempdir();
    let folder = folder.map_err(|error| failure(error.to_string()))?;
    let program = request.command.first().cloned().unwrap_or_default();
    let handed = || -> Result<Handed, String> {
        let library = agent_library::find().map_err(|missing| missing.why)?;
        let Strategy(strategy) = &search.strategy;
        let options = format!(
            "explore={strategy},seed={seed},steps={steps},out={},report={}",
            text(out)?,
            text(folder.path())?
        );
        Handed::new(&library, &options)
    };
    let handed = handed().map_err(failure)?;
    let mut child = handed.command(&request.command, command::launcher(&program).is_some());
    let status = child::run(&mut child).map_err(|error| not_started(&program, error))?;
    let mut run = Run {
        status,
        ..Run::default()
    };
    for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
        run.jvms += 1;
        let text = fs::read(entry.path()).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            run.add(line);
        }
    }
    match (&run.refused, run.jvms) {
        (Some(why), _) => Err(failure(why.clone())),
        (None, 0) => Err(failure("the command started no JVM".to_owned())),
        _ => Ok(run),
    }
}

impl Run {
    fn add(&mut self, line: &str) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        match what {
            "steps" => self.steps = rest.parse().unwrap_or_default(),
            "uncaught" => {
                let (thread, class) = rest.split_once(' ').unwrap_or((rest, ""));
                self.failure = Some(format!("{class} in thread {thread}"));
            }
            "deadlock" => self.failure = Some("deadlock".to_owned()),
            "stands" => self.stands.push(rest.to_owned()),
            "refused" => self.refused = Some(rest.to_owned()),
            "say" => self.said.push(rest.to_owned()),
            _ => {}
        }
    }
}

/// Where the schedule goes: a file that does not exist.
fn output(request: &Request) -> Result<PathBuf, Failure> {
    let program = request.command.first().cloned().unwrap_or_default();
    let values = Values {
        program: &program,
        pid: std::process::id(),
        time: Timestamp::now(),
    };
    let mut out = request.output.for_agent(&values);
    if !request.output.is_literal() {
        out = PathBuf::from(
            out.to_string_lossy()
                .replace("%p", &std::process::id().to_string()),
        );
        out.set_extension("sched");
    }
    let shown = out.display().to_string();
    let out = std::path::absolute(&out).map_err(|error| Failure::new("find a name", error))?;
    if out.symlink_metadata().is_ok() {
        return Err(Failure::new(
            format!("write {shown}"),
            "it exists, and a recording is never written over",
        )
        .status(Status::BadInput));
    }
    Ok(out)
}
