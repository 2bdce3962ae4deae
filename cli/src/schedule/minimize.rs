//! `reprise schedule minimize`: the shortest schedule with which a program still fails.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reprise_schedule::Switches;
use reprise_schedule::minimize::{Length, Minimizer, Stretch, marked, unrolled};
use reprise_turns::plan;
use tempfile::TempDir;

use super::run::{self, Choice, Fault, Run, Start};
use super::shared::{Shared, Unfit};
use super::{made, values};
use crate::failure::{Failure, Status};
use crate::replay::schedule::{Following, fitting_switches, follow};
use crate::say::say;

/// How many commands of a schedule are followed, with its loops written out.
const COMMANDS: usize = 1 << 20;

/// What is asked for.
#[derive(Debug)]
pub struct Request {
    /// The schedule.
    pub file: PathBuf,
    /// Where the shorter one goes.
    pub output: Option<PathBuf>,
    /// Where the program's classes are, if the command does not tell.
    pub program: Vec<PathBuf>,
    /// How many runs there may be.
    pub runs: u64,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

/// Minimises a schedule.
pub fn run(request: &Request) -> Result<Status, Failure> {
    let out = output(request)?;
    let switches = fitting_switches(&request.file, &request.program, &request.command)?;
    let mut search = Search::new(request, &switches)?;
    let (fault, first) = search.first(&switches)?;
    let before = Length::of(&first.stretches);
    let mut minimizer = search.minimize(&first, &fault)?;
    if search.shared.take().is_some() && !search.has_again(minimizer.best(), &first, &fault)? {
        search.say("a JVM is started for each run: in one of its own it does not do the same");
        minimizer = search.minimize(&first, &fault)?;
    }
    search.clear_line();
    search.follow(request, &fault)?;
    let after = Length::of(minimizer.best());
    fs::copy(search.best(), &out)
        .and_then(|_| match &search.values {
            Some(values) => fs::copy(values, values::beside(&out)).map(drop),
            None => Ok(()),
        })
        .and_then(|()| copy_made(&request.file, &out))
        .map_err(|error| Failure::new(format!("write {}", out.display()), error))?;
    let shown = out.display();
    let mut text = format!(
        "{shown}: {}{}, {}; {fault}; {} runs",
        switches_text(after.switches),
        match before == after {
            true => " as before".to_owned(),
            false => format!(" instead of {}", before.switches),
        },
        match after.unforced {
            0 => "all where a thread could not go on".to_owned(),
            n => format!("{n} where a thread could have gone on"),
        },
        search.runs
    );
    if search.runs >= request.runs {
        let _ = write!(text, ", as many as were allowed");
    }
    say(&format!("{text}; read it with: reprise show {shown}"));
    Ok(Status::Done)
}

/// The classes that the program made are those of the shorter schedule as well.
fn copy_made(schedule: &Path, other: &Path) -> io::Result<()> {
    let made = made::beside(schedule);
    match made.is_file() {
        true => fs::copy(made, made::beside(other)).map(drop),
        false => Ok(()),
    }
}

fn switches_text(n: usize) -> String {
    match n {
        1 => "1 switch".to_owned(),
        n => format!("{n} switches"),
    }
}

/// Where the result goes: a file that does not exist.
fn output(request: &Request) -> Result<PathBuf, Failure> {
    let out = match &request.output {
        Some(out) => out.clone(),
        None => request.file.with_extension("min.sched"),
    };
    values::refuse_existing(&out, &out)?;
    Ok(out)
}

/// The runs of a search, and their files.
struct Search<'r> {
    request: &'r Request,
    folder: TempDir,
    /// The places of the schedule that is minimised: they stay numbered as they were.
    places: String,
    runs: u64,
    /// How long a run may take.
    limit: Option<Duration>,
    terminal: bool,
    /// The JVM that the runs share, as long as they can.
    shared: Option<Shared<'r>>,
    /// What the program is given that is another value in every run.
    values: Option<PathBuf>,
}

impl<'r> Search<'r> {
    fn new(request: &'r Request, switches: &Switches) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("reprise-minimize-")
            .tempdir();
        let plan = plan_of(request, switches)?;
        let places = plan.lines().filter(|line| line.starts_with("place\t"));
        let search = Self {
            request,
            folder: folder.map_err(|error| Failure::new("make a folder", error))?,
            places: places.map(|line| format!("{line}\n")).collect(),
            runs: 0,
            limit: None,
            terminal: io::stderr().is_terminal(),
            shared: None,
            values: values::of(&request.file),
        };
        copy_made(&request.file, &search.best())
            .map_err(|error| Failure::new("copy the classes that the program made", error))?;
        Ok(search)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The schedule of the shortest run so far.
    fn best(&self) -> PathBuf {
        self.file("best.sched")
    }

    /// The run under the schedule itself, which must fail.
    fn first(&mut self, switches: &Switches) -> Result<(Fault, Run), Failure> {
        let commands = marked(unrolled(&switches.commands, COMMANDS));
        let plan = plan_of(self.request, &Switches { commands })?;
        let began = Instant::now();
        let run = self.run(&plan)?;
        // What takes far longer than this will not come to the same end.
        self.limit = Some(began.elapsed() * 10 + Duration::from_secs(20));
        let fault = run.fault().ok_or_else(|| {
            let wrong = "the program does not fail under it, so there is nothing to keep";
            let file = self.request.file.display();
            Failure::new(format!("minimise {file}"), wrong)
                .next(format!(
                    "reprise replay {file} -- CMD    shows what happens"
                ))
                .status(Status::BadInput)
        })?;
        if run.stretches.is_empty() && matches!(fault, Fault::Status(_)) {
            return Err(Failure::new(
                format!("minimise {}", self.request.file.display()),
                "the JVM ended without a word, so its run is not known",
            ));
        }
        self.keep()?;
        let places = self.file("places");
        fs::write(&places, &self.places).map_err(|error| Failure::new("write a plan", error))?;
        self.shared = Some(Shared::new(
            &self.request.command,
            Some(places),
            self.values.clone(),
        ));
        Ok((fault, run))
    }

    /// Tries what can be tried.
    fn minimize(&mut self, first: &Run, fault: &Fault) -> Result<Minimizer, Failure> {
        let mut minimizer = Minimizer::new(first.stretches.clone());
        while self.runs < self.request.runs
            && let Some(candidate) = minimizer.candidate()
        {
            self.progress(Length::of(minimizer.best()));
            match self.with(&candidate)? {
                Some(run) if run.fault().is_some_and(|found| found.is_like(fault)) => {
                    if minimizer.failed(run.stretches) && self.shared.is_none() {
                        self.keep()?;
                    }
                }
                _ => minimizer.passed(),
            }
        }
        Ok(minimizer)
    }

    /// Whether the best run is the same in a JVM of its own; then its schedule is kept.
    fn has_again(&mut self, best: &[Stretch], first: &Run, fault: &Fault) -> Result<bool, Failure> {
        if best == first.stretches {
            // That one was in a JVM of its own, and is kept.
            return Ok(true);
        }
        let run = self.with(best)?;
        let same = run.is_some_and(|run| {
            run.stretches == best && run.fault().is_some_and(|found| found.is_like(fault))
        });
        if same {
            self.keep()?;
        }
        Ok(same)
    }

    /// The run with these wishes; none if it took too long.
    fn with(&mut self, wishes: &[Stretch]) -> Result<Option<Run>, Failure> {
        let mut plan = self.places.clone();
        for wish in wishes {
            let _ = writeln!(plan, "run\t{}\t{}", wish.thread, wish.end);
        }
        if let Some(shared) = &mut self.shared {
            let guide = self.folder.path().join("wishes");
            fs::write(&guide, &plan).map_err(|error| Failure::new("write a plan", error))?;
            match shared.run(Choice::Guide(&guide)) {
                Ok(run) => {
                    self.runs += 1;
                    return Ok(Some(run));
                }
                Err(Unfit(why)) => {
                    self.say(&format!("a JVM is started for each run: {why}"));
                    self.shared = None;
                }
            }
        }
        let run = self.run(&plan)?;
        Ok((!run.endless).then_some(run))
    }

    fn say(&self, text: &str) {
        self.clear_line();
        say(text);
    }

    fn run(&mut self, plan: &str) -> Result<Run, Failure> {
        let (guide, out) = (self.file("guide"), self.file("run.sched"));
        let _ = fs::remove_file(&out);
        let _ = fs::remove_file(values::beside(&out));
        fs::write(&guide, plan).map_err(|error| Failure::new("write a plan", error))?;
        self.runs += 1;
        let start = Start {
            command: &self.request.command,
            values: self.values.as_deref(),
            quiet: true,
            limit: self.limit,
            fails_when: &[],
            made: None,
        };
        let run = run::run(start, Choice::Guide(&guide), &out)?;
        match run.interrupted {
            true => Err(Failure::new(
                format!("minimise {}", self.request.file.display()),
                "it was interrupted",
            )),
            false => Ok(run),
        }
    }

    /// The last run was the best.
    fn keep(&self) -> Result<(), Failure> {
        fs::rename(self.file("run.sched"), self.best())
            .map_err(|error| Failure::new("keep a schedule", error))
    }

    /// What was found must be followed by the program as it is, with the same failure.
    fn follow(&self, request: &Request, fault: &Fault) -> Result<(), Failure> {
        let following = Following {
            file: &self.best(),
            program: &request.program,
            command: &request.command,
            values: self.values.as_deref(),
            limit: self.limit,
            fails_when: &[],
        };
        let same = follow(&following)?.is_some_and(|found| found.is_like(fault));
        if same {
            return Ok(());
        }
        let wrong = format!("the program does not follow what is left to the same end, {fault}");
        Err(
            Failure::new(format!("minimise {}", request.file.display()), wrong)
                .next("a program that depends on time or on its surroundings cannot be minimised"),
        )
    }

    fn progress(&self, best: Length) {
        if self.terminal {
            let _ = write!(
                io::stderr(),
                "\r{} runs, {} left \x1b[K",
                self.runs,
                switches_text(best.switches)
            );
        }
    }

    fn clear_line(&self) {
        if self.terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn plan_of(request: &Request, switches: &Switches) -> Result<String, Failure> {
    plan::write(switches).map_err(|error| unresolved(&request.file, error))
}

fn unresolved(file: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("follow the schedule {}", file.display()), error)
        .next("--program app.jar    says where the program's classes are")
        .status(Status::BadInput)
}
