//! `reprise merge`: candidates for a complete log are put together from shares and replayed
//! on the real program until one fails as the users' runs did.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reprise_coop::log::{Outcome, PartialLog, RunId, Spe, Summary};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::population::Population;
use reprise_coop::search::{Candidate, Limits, Search};
use reprise_coop::weaknesses::weaknesses;
use reprise_recorder::Condition;

use super::file;
use super::program::Shared;
use super::report::{Report, Tried};
use crate::failure::{Failure, Status};
use crate::readable;
use crate::record::share::outcome;
use crate::replay::schedule::{Following, follow};
use crate::say::say;
use crate::schedule::run::{self, Choice, Run, Start};
use crate::schedule::values;

/// What is asked for.
#[derive(Debug)]
pub struct Request {
    /// The shares.
    pub shares: Vec<PathBuf>,
    /// Where the schedule goes.
    pub output: PathBuf,
    /// How many candidates are tried.
    pub attempts: usize,
    /// How long one may take.
    pub run_limit: Duration,
    /// How logs are compared.
    pub settings: Settings,
    /// What counts as a failure beside what always does.
    pub fails_when: Vec<Condition>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

fn failure(wrong: impl std::fmt::Display) -> Failure {
    Failure::new("put shares together", wrong)
}

/// Puts shares together.
pub fn run(request: &Request) -> Result<Status, Failure> {
    values::refuse_existing(&request.output, &request.output)?;
    let shared = Shared::of_command(&request.command)
        .map_err(|why| failure(why).status(Status::BadInput))?;
    let shares = Shares::read(&request.shares);
    let population = shares.population(&shared)?;
    let folder = tempfile::Builder::new().prefix("reprise-merge-").tempdir();
    let folder = folder.map_err(|error| Failure::new("make a folder", error))?;
    let mut merge = Merge {
        request,
        shared: &shared,
        shares: &shares,
        population: &population,
        folder: folder.path(),
        logs: HashMap::new(),
        began: Instant::now(),
        terminal: io::stderr().is_terminal(),
    };
    merge.search()
}

/// The shares that can be read.
struct Shares {
    /// Which file each run is in.
    files: HashMap<RunId, PathBuf>,
    summaries: Vec<Summary>,
}

impl Shares {
    /// Reads them, and names those that cannot be.
    fn read(paths: &[PathBuf]) -> Self {
        let mut shares = Self {
            files: HashMap::new(),
            summaries: Vec::new(),
        };
        for path in paths {
            match file::read(path) {
                Ok((log, _)) => {
                    shares
                        .files
                        .entry(log.run())
                        .or_insert_with(|| path.clone());
                    shares.summaries.push(log.summary());
                }
                Err(why) => say(&format!("{} is left out: {why}", path.display())),
            }
        }
        shares
    }

    /// The shares that belong together.
    fn population(&self, shared: &Shared) -> Result<Population, Failure> {
        let made = Population::new(self.summaries.clone(), None);
        let (population, refused) =
            made.map_err(|error| failure(error).status(Status::BadInput))?;
        for refused in refused {
            let file = self.files.get(&refused.run);
            let file = file
                .map(|path| path.display().to_string())
                .unwrap_or_default();
            say(&format!("{file} is left out: {}", refused.because));
        }
        let theirs = population.program();
        if theirs.version != shared.program.version || theirs.spes != shared.program.spes {
            return Err(failure(format!(
                "the shares are of another version of {}, or of another program, than the command \
                 runs",
                theirs.name
            ))
            .next("give the command the same jars and class folders as the users had")
            .status(Status::BadInput));
        }
        Ok(population)
    }
}

struct Merge<'m> {
    request: &'m Request,
    shared: &'m Shared,
    shares: &'m Shares,
    population: &'m Population,
    folder: &'m Path,
    /// The logs that candidates have needed so far.
    logs: HashMap<RunId, PartialLog>,
    began: Instant,
    terminal: bool,
}

impl Merge<'_> {
    fn search(&mut self) -> Result<Status, Failure> {
        let settings = &self.request.settings;
        let limits = Limits {
            attempts: self.request.attempts,
            ..Limits::default()
        };
        let search = Search::new(self.population, settings, limits);
        let mut search = search.map_err(|error| failure(error).status(Status::BadInput))?;
        let mut report = Report::new(self.population, self.shared);
        for weakness in weaknesses(self.population, settings, search.bases()) {
            report.weaknesses.push(weakness.to_string());
        }
        while let Some(candidate) = search.next() {
            self.progress(&candidate, &report);
            let tried = self.attempt(&candidate)?;
            if let Tried::Clash { circle: true, spes } = &tried {
                search.learn(&candidate, spes);
            }
            let found = tried == Tried::Reproduced;
            report.tried.push((candidate.clone(), tried));
            if found {
                break;
            }
        }
        self.clear_line();
        report.learnt = search.learnt();
        report.seconds = self.began.elapsed().as_secs_f64();
        let found = matches!(report.tried.last(), Some((_, Tried::Reproduced)));
        if found {
            let made = self.folder.join("made.sched");
            fs::copy(made, &self.request.output).map_err(|error| {
                Failure::new(format!("write {}", self.request.output.display()), error)
            })?;
        }
        let names = |run: &RunId| {
            let path = self.shares.files.get(run);
            path.map(|path| path.display().to_string())
                .unwrap_or_default()
        };
        report.print(search.ended(), &names);
        if !found {
            return Ok(Status::Failed);
        }
        let out = self.request.output.display();
        say(&format!(
            "reproduced; recorded {out}; replay it with: reprise replay {out} -- {}",
            readable::command(&self.request.command)
        ));
        Ok(Status::Done)
    }

    /// Replays a candidate on the program, and if that fails as it should, the schedule of it.
    fn attempt(&mut self, candidate: &Candidate) -> Result<Tried, Failure> {
        let guide = self.folder.join("vectors");
        let made = self.folder.join("made.sched");
        let _ = fs::remove_file(&made);
        let complete = match self.assemble(candidate) {
            Ok(complete) => complete,
            Err(why) => return Ok(Tried::Impossible(why)),
        };
        let text = self.guide(&complete);
        fs::write(&guide, text).map_err(failure)?;
        let start = Start {
            command: &self.request.command,
            values: None,
            quiet: true,
            limit: Some(self.request.run_limit),
            fails_when: &self.request.fails_when,
        };
        let run = run::run(start, Choice::Merge(&guide), &made)?;
        if run.interrupted {
            return Err(failure("it was interrupted"));
        }
        let tried = self.judge(&run);
        if tried != Tried::Reproduced {
            return Ok(tried);
        }
        let followed = follow(&Following {
            file: &made,
            program: &[],
            command: &self.request.command,
            values: None,
            limit: Some(self.request.run_limit),
            fails_when: &self.request.fails_when,
        })?;
        let again = outcome(followed.as_ref()) == self.wanted();
        Ok(if again {
            Tried::Reproduced
        } else {
            Tried::NotAgain
        })
    }

    fn wanted(&self) -> Outcome {
        Outcome::Failed(self.population.failure().clone())
    }

    fn judge(&self, run: &Run) -> Tried {
        if run.endless {
            return Tried::Endless;
        }
        let uncaught = run.uncaught();
        let ended = outcome(run.fault().as_ref());
        match &run.clash {
            // Whoever has failed does not clash.
            Some((circle, elements)) if !uncaught => Tried::Clash {
                circle: *circle,
                spes: elements.iter().copied().map(Spe).collect(),
            },
            _ if ended == self.wanted() => Tried::Reproduced,
            _ => match ended {
                Outcome::Passed => Tried::Passed,
                Outcome::Failed(other) => Tried::Otherwise(match other.place.as_str() {
                    "" => other.what,
                    place => format!("{} at {place}", other.what),
                }),
            },
        }
    }

    /// A candidate as one log.
    fn assemble(&mut self, candidate: &Candidate) -> Result<PartialLog, String> {
        let needed: HashSet<RunId> = candidate
            .parts
            .iter()
            .map(|part| self.population.run(part.log))
            .collect();
        for run in needed {
            if self.logs.contains_key(&run) {
                continue;
            }
            let Some(path) = self.shares.files.get(&run) else {
                continue;
            };
            let (log, _) = file::read(path)?;
            self.logs.insert(run, log);
        }
        let complete = candidate.assemble(self.population, |run| self.logs.get(&run));
        complete.map_err(|error| error.to_string())
    }

    /// What the scheduler and the agent read.
    fn guide(&self, complete: &PartialLog) -> String {
        let mut text = self.shared.elements.sites.write();
        for (spe, vector, _) in complete.vectors() {
            let _ = write!(text, "vector\t{}\t", spe.0);
            for (at, stretch) in vector.stretches().iter().enumerate() {
                let path = complete.threads().path(stretch.thread).unwrap_or_default();
                let path: Vec<String> = path.iter().map(ToString::to_string).collect();
                let space = if at == 0 { "" } else { " " };
                let _ = write!(text, "{space}{}:{}", path.join("."), stretch.count);
            }
            text.push('\n');
        }
        text
    }

    fn progress(&self, candidate: &Candidate, report: &Report<'_>) {
        if self.terminal {
            let clashes = report.clashes();
            let _ = write!(
                io::stderr(),
                "\r\x1b[Kcandidate {} of at most {}, {clashes} clashes",
                candidate.number,
                self.request.attempts
            );
            let _ = io::stderr().flush();
        }
    }

    fn clear_line(&self) {
        if self.terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
