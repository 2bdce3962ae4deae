//! `--schedule`: a JVM program runs one thread at a time, as a strategy chooses, and
//! what it has chosen is written down as a schedule.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reprise_schedule::limits;

use super::Request;
use crate::failure::{Failure, Status};
use crate::output_name::Values;
use crate::readable;
use crate::say::say;
use crate::schedule::made::Made;
use crate::schedule::run::{self, Choice, Run, Start};
use crate::schedule::shared::{Shared, Unfit};
use crate::schedule::values;

/// Who chooses; or nobody, where threads run freely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy(String);

impl Strategy {
    /// Whether threads run freely, and if so, whether all that they share is recorded.
    pub fn free(&self) -> Option<bool> {
        match self.0.as_str() {
            "free" => Some(false),
            "free:all" => Some(true),
            _ => None,
        }
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
        let known = match text.split_once(':') {
            None => matches!(text, "random" | "pos" | "free"),
            Some(("free", what)) => what == "all",
            Some(("pct" | "rr", n)) => number(n),
            Some(_) => false,
        };
        match known {
            true => Ok(Self(text.to_owned())),
            false => Err(
                "a strategy is random, pos, pct:D or rr:N, as in pct:3; or free, or free:all"
                    .to_owned(),
            ),
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
    /// How long a run of several may take.
    pub run_limit: Duration,
}

/// How many places the first run is thought to come to: later ones are about as long as
/// those before.
const STEPS: u64 = 1000;

/// Runs the command, until it fails if that is wanted.
pub fn run(request: &Request, search: &Search) -> Result<Status, Failure> {
    let out = output(request, "sched")?;
    let made = Made::prepare(&request.command);
    let made = made.map_err(|error| Failure::new("make a folder", error))?;
    let mut state = State {
        number: 0,
        steps: STEPS,
        began: Instant::now(),
        expected: false,
    };
    if search.runs > 1 {
        state.skip(request, search);
    }
    loop {
        let seed = search.seed.wrapping_add(state.number);
        state.number += 1;
        let Strategy(name) = &search.strategy;
        let start = Start {
            command: &request.command,
            values: None,
            quiet: false,
            limit: (search.runs > 1).then_some(search.run_limit),
            fails_when: &[],
            made: Some(&made),
        };
        let steps = state.steps;
        let choice = Choice::Strategy { name, seed, steps };
        let run = run::run(start, choice, &out)?;
        state.steps = run.steps.max(1);
        let found = run.fault().is_some() && search.until_failure;
        if run.endless {
            let limit = search.run_limit;
            say(&format!(
                "run {} took more than {limit:?} and was ended",
                state.number
            ));
        }
        if state.expected && !found {
            say("a JVM is started for each run: one failed only in a JVM that had others before");
            state.expected = false;
        }
        if !found && state.number < search.runs && !run.interrupted {
            let _ = fs::remove_file(&out);
            let _ = fs::remove_file(values::beside(&out));
            made.clear();
            continue;
        }
        if let Err(error) = made.keep(&out) {
            say(&format!(
                "the classes that the program made cannot be kept: {error}"
            ));
        }
        tell(request, &run, &out, &state, seed);
        // As a shell has it of what was killed.
        let status = if run.endless { 137 } else { run.status };
        return Ok(Status::Subject(status));
    }
}

/// How far a search has come.
struct State {
    /// How many runs there have been.
    number: u64,
    /// How many places the next is thought to come to.
    steps: u64,
    began: Instant,
    /// Whether the next run has failed already, in a JVM that it shared with others.
    expected: bool,
}

impl State {
    /// Passes over runs that are not kept, all in one JVM: up to the first that fails, or
    /// the last. Where they cannot share one, says why, and passes over none.
    fn skip(&mut self, request: &Request, search: &Search) {
        let mut shared = Shared::new(&request.command, None, None).within(search.run_limit);
        let Strategy(name) = &search.strategy;
        while self.number + 1 < search.runs {
            let seed = search.seed.wrapping_add(self.number);
            let steps = self.steps;
            match shared.run(Choice::Strategy { name, seed, steps }) {
                Ok(run) if run.fault().is_some() && search.until_failure => {
                    self.expected = true;
                    return;
                }
                Ok(run) => {
                    self.steps = run.steps.max(1);
                    self.number += 1;
                }
                Err(Unfit(why)) => {
                    say(&format!("a JVM is started for each run: {why}"));
                    return;
                }
            }
        }
    }
}

fn tell(request: &Request, run: &Run, out: &Path, state: &State, seed: u64) {
    for line in &run.said {
        say(line);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let shown = out.strip_prefix(here).unwrap_or(out);
    let text = fs::read_to_string(out).unwrap_or_default();
    let starts = |line: &&str| line.starts_with("before ") || line.starts_with("in ");
    let events = readable::count(text.lines().filter(starts).count() as u64, "event");
    let mut others = text.lines().filter_map(|line| line.split_once(' '));
    let alone = !others.any(|(word, thread)| matches!(word, "switch" | "die") && thread != "none");
    let what = match run.fault() {
        _ if run.endless => "ended before its end".to_owned(),
        Some(fault) => fault.to_string(),
        None => "status 0".to_owned(),
    };
    let mut number = state.number.to_string();
    if state.number > 1 {
        number += &format!(" after {:.1} s", state.began.elapsed().as_secs_f64());
    }
    say(&format!(
        "run {number}, seed {seed}: {what}; recorded {} ({events}{}{}); {}",
        shown.display(),
        if alone { ALONE } else { "" },
        run.lacking(),
        next(out, &shown.display().to_string(), &request.command)
    ));
    for line in &run.stands {
        say(&format!("  {line}"));
    }
}

/// What is said of a program whose schedule says nothing.
pub(super) const ALONE: &str = "; no thread was started, so there is no order";

/// What can be done with a schedule: it is followed, unless it is longer than may be read.
pub(super) fn next(out: &Path, shown: &str, command: &[OsString]) -> String {
    let length = fs::metadata(out).map_or(0, |file| file.len());
    if usize::try_from(length).is_ok_and(|length| length <= limits::TEXT) {
        let command = readable::command(command);
        return format!("replay it with: reprise replay {shown} -- {command}");
    }
    format!(
        "it has {}, and is too long to be replayed: with --schedule=pct:3 or --schedule=free \
         there are fewer events",
        readable::size(length)
    )
}

/// Where the schedule or the share goes: a file that does not exist.
pub(super) fn output(request: &Request, extension: &str) -> Result<PathBuf, Failure> {
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
        out.set_extension(extension);
    }
    let absolute = std::path::absolute(&out);
    let absolute = absolute.map_err(|error| Failure::new("find a name", error))?;
    values::refuse_existing(&absolute, &out)?;
    Ok(absolute)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::{limits, next};

    /// What cannot be read again is not said to be.
    #[test]
    fn a_schedule_that_is_too_long_is_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sched");
        // Nothing of it is on the disk.
        let file = File::create(&path).unwrap();
        let said = |length: usize| {
            file.set_len(u64::try_from(length).unwrap()).unwrap();
            next(&path, "x.sched", &["java".into(), "Main".into()])
        };
        assert_eq!(
            said(limits::TEXT),
            "replay it with: reprise replay x.sched -- java Main"
        );
        assert!(said(limits::TEXT + 1).contains("too long to be replayed"));
    }
}
