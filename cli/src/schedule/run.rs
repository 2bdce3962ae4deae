//! One run of a JVM program whose threads are scheduled, and how it went.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use reprise_recorder::Condition;
use reprise_schedule::minimize::Stretch;

use crate::agent_library;
use crate::failure::{Failure, Status};
use crate::record::observe::command::{self, Handed};
use crate::record::observe::{child, not_started, text};
use crate::schedule::made::Made;
use crate::schedule::values;
use crate::share::conditions;

/// Who chooses which thread runs.
#[derive(Clone, Copy, Debug)]
pub enum Choice<'c> {
    /// A strategy.
    Strategy {
        /// As the scheduler calls it.
        name: &'c str,
        /// What its choices depend on.
        seed: u64,
        /// How many places the run is thought to come to.
        steps: u64,
    },
    /// The wishes in a file: a plan, or stretches.
    Guide(&'c Path),
    /// The vectors in a file: who accesses what is shared, in which order.
    Merge(&'c Path),
}

/// What is started.
#[derive(Clone, Copy, Debug)]
pub struct Start<'s> {
    /// The program and its arguments.
    pub command: &'s [OsString],
    /// What it is given that is another value in every run.
    pub values: Option<&'s Path>,
    /// Whether what it prints is of no interest.
    pub quiet: bool,
    /// How long it may take.
    pub limit: Option<Duration>,
    /// What counts as a failure beside what always does.
    pub fails_when: &'s [Condition],
    /// Where classes go that the program makes while it runs.
    pub made: Option<&'s Made>,
}

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No thread could go on.
    Deadlock,
    /// An exception that nobody caught.
    Uncaught {
        /// Its class.
        class: String,
        /// Where it was thrown, as far as that is known.
        place: String,
        /// In which thread: that may be another one in another run.
        thread: String,
    },
    /// A status other than 0.
    Status(u8),
    /// What the user said counts as one.
    Condition,
}

impl Fault {
    /// From what the scheduler reports: thread, class, place.
    pub fn uncaught(report: &str) -> Self {
        let mut words = report.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        Self::Uncaught {
            thread: word(),
            class: word(),
            place: word(),
        }
    }

    /// Whether both are the same failure: which of several like threads it hits does not
    /// matter.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Uncaught { class, place, .. },
                Self::Uncaught {
                    class: other_class,
                    place: other_place,
                    ..
                },
            ) => class == other_class && place == other_place,
            _ => self == other,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlock => out.write_str("deadlock"),
            Self::Status(status) => write!(out, "status {status}"),
            Self::Condition => out.write_str("the condition of --fails-when"),
            Self::Uncaught {
                class,
                place,
                thread,
            } => {
                write!(out, "{class} in thread {thread}")?;
                match place.is_empty() {
                    true => Ok(()),
                    false => write!(out, ", at {place}"),
                }
            }
        }
    }
}

/// Vectors with which no thread can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Threads wait for one another; otherwise for one that never comes.
    pub circle: bool,
    /// They do not wait for ever for sure: another one runs, and comes to nothing.
    pub doubtful: bool,
    /// The elements at which they wait.
    pub elements: Vec<u32>,
    /// What has had to do with these threads.
    pub because: Vec<u32>,
}

/// Numbers before and behind a slash.
fn numbers(text: &str) -> (Vec<u32>, Vec<u32>) {
    let (before, behind) = text.split_once('/').unwrap_or((text, ""));
    let read = |text: &str| {
        text.split(' ')
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    (read(before), read(behind))
}

/// How a run went.
#[derive(Debug, Default)]
pub struct Run {
    /// Its exit status.
    pub status: u8,
    /// What failed beside the status.
    special: Option<Fault>,
    /// Where each thread stands, in a deadlock.
    pub stands: Vec<String>,
    /// How many places it came to.
    pub steps: u64,
    /// Who ran and up to where, under a guide.
    pub stretches: Vec<Stretch>,
    /// What a person should know.
    pub said: Vec<String>,
    /// What is not recorded of it.
    pub lacks: Vec<String>,
    refused: Option<String>,
    jvms: usize,
    /// Elements whose vectors left nobody who could go on.
    pub clash: Option<Clash>,
    /// Elements whose vectors were not over when the run was, and what had to do with that.
    pub unmet: Vec<(Vec<u32>, Vec<u32>)>,
    /// Places at which a thread went on, and elements at which it then kept others out.
    pub ahead: Vec<(u32, u32)>,
    /// It took too long and was ended.
    pub endless: bool,
    /// Somebody wanted it to end.
    pub interrupted: bool,
}

impl Run {
    /// One that came to no end.
    pub fn endless() -> Self {
        Self {
            endless: true,
            ..Self::default()
        }
    }

    /// How it failed, if it did.
    pub fn fault(&self) -> Option<Fault> {
        match (&self.special, self.status) {
            (Some(special), _) => Some(special.clone()),
            (None, 0) => None,
            (None, status) => Some(Fault::Status(status)),
        }
    }

    /// What the last line of a recording says of what is not in it.
    pub fn lacking(&self) -> String {
        match self.lacks.as_slice() {
            [] => String::new(),
            lacks => format!("; not recorded: {}", lacks.join(", ")),
        }
    }

    /// The user's condition holds, or not.
    pub fn holds(&mut self, holds: bool) {
        if holds {
            self.special = Some(Fault::Condition);
        }
    }

    /// Whether an exception was not caught, or the user's condition held.
    pub fn uncaught(&self) -> bool {
        matches!(
            self.special,
            Some(Fault::Uncaught { .. } | Fault::Condition)
        )
    }

    /// From what the agents have reported.
    pub fn read(folder: &Path, ended: &child::Ended) -> Self {
        let mut run = Self {
            status: ended.status.unwrap_or_default(),
            endless: ended.status.is_none(),
            interrupted: ended.interrupted,
            ..Self::default()
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            run.jvms += 1;
            let text = fs::read(entry.path()).unwrap_or_default();
            for line in String::from_utf8_lossy(&text).lines() {
                run.add(line);
            }
        }
        run
    }

    pub(crate) fn add(&mut self, line: &str) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        match what {
            "steps" => self.steps = rest.parse().unwrap_or_default(),
            "stretches" => {
                let words = rest.split_whitespace();
                self.stretches = words.filter_map(|word| word.parse().ok()).collect();
            }
            "uncaught" if self.special.is_none() => {
                self.special = Some(Fault::uncaught(rest));
            }
            "deadlock" => self.special = Some(Fault::Deadlock),
            "clash" => {
                let (elements, because) = numbers(rest);
                self.clash = Some(Clash {
                    circle: rest.starts_with("circle"),
                    doubtful: rest.starts_with("spins"),
                    elements,
                    because,
                });
            }
            "ahead" => {
                let words = rest.split_once(' ');
                let pair = words.and_then(|(place, element)| {
                    Some((place.parse().ok()?, element.parse().ok()?))
                });
                self.ahead.extend(pair);
            }
            "unmet" => self.unmet.push(numbers(rest)),
            "stands" => self.stands.push(rest.to_owned()),
            "refused" => self.refused = Some(rest.to_owned()),
            "say" => self.said.push(rest.to_owned()),
            "lacks" => self.lacks.push(rest.to_owned()),
            _ => {}
        }
    }
}

/// Runs the program once; its schedule goes to `out`, which must not exist.
pub fn run(start: Start<'_>, choice: Choice<'_>, out: &Path) -> Result<Run, Failure> {
    let failure = |wrong: String| {
        Failure::new("run under a schedule", wrong)
            .next("reprise doctor    says what is missing here")
            .status(Status::NoRecorder)
    };
    let folder = tempfile::Builder::new().prefix("reprise-report-").tempdir();
    let folder = folder.map_err(|error| failure(error.to_string()))?;
    let program = start.command.first().map_or(OsStr::new(""), |name| name);
    let handed = || -> Result<Handed, String> {
        let library = agent_library::find().map_err(|missing| missing.why)?;
        let mut options = match choice {
            Choice::Strategy { name, seed, steps } => {
                format!("explore={name},seed={seed},steps={steps}")
            }
            Choice::Guide(file) => format!("explore=guide,guide={}", text(file)?),
            Choice::Merge(file) => format!("explore=merge,guide={}", text(file)?),
        };
        options += &values::option(start.values)?;
        options += &start.made.map_or(Ok(String::new()), Made::option)?;
        options += &format!(",out={},report={}", text(out)?, text(folder.path())?);
        Handed::new(&library, &options)
    };
    let handed = handed().map_err(failure)?;
    let mut command = handed.command(start.command, command::launcher(program).is_some());
    if start.quiet {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }
    let ended = conditions::run(&mut command, start.fails_when, start.limit, start.quiet);
    let (ended, holds) = ended.map_err(|error| not_started(program, error))?;
    let mut run = Run::read(folder.path(), &ended);
    run.holds(holds);
    match (&run.refused, run.jvms) {
        (Some(why), _) => Err(failure(why.clone())),
        (None, 0) => Err(failure("the command started no JVM".to_owned())),
        _ => Ok(run),
    }
}
