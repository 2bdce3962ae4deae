//! `reprise merge`: candidates for a complete log are put together from shares and replayed
//! on the real program until one fails as the users' runs did.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use reprise_coop::log::{self, Outcome, PartialLog, RunId, Spe, Summary};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::population::Population;
use reprise_coop::search::{Candidate, Ended, Limits, Search};
use reprise_coop::weaknesses::weaknesses;
use reprise_recorder::Condition;

use super::file::{self, Unread};
use super::program::Shared;
use super::replayer::{Replayer, Tried};
use super::report::Report;
use crate::failure::{Failure, Status};
use crate::readable;
use crate::say::say;
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
    let mut replayer = replayer(request, &shared)?;
    let mut merge = Merge::new(request, &shared, &shares, &population);
    let (report, ended) = merge.search(&mut replayer)?;
    merge.tell(&report, ended, &replayer)
}

/// What candidates are replayed with.
pub fn replayer<'r>(request: &'r Request, shared: &Shared) -> Result<Replayer<'r>, Failure> {
    Replayer::new(
        &request.command,
        shared,
        request.run_limit,
        &request.fails_when,
    )
}

/// How many candidates it takes to reproduce the failure; none if that does not happen.
/// Writes and says nothing.
pub fn attempts(
    request: &Request,
    shared: &Shared,
    replayer: &mut Replayer<'_>,
) -> Result<Option<usize>, Failure> {
    let shares = Shares::read(&request.shares);
    let population = shares.population(shared)?;
    let mut merge = Merge::new(request, shared, &shares, &population);
    let (report, _) = merge.search(replayer)?;
    Ok(report.found().map(|candidate| candidate.number))
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
                Err(Unread::Broken(why)) => say(&format!(
                    "{} is left out, it is broken: {why}; ask for it again",
                    path.display()
                )),
                Err(Unread::Other(why)) => {
                    say(&format!("{} is left out: {why}", path.display()));
                }
            }
        }
        shares
    }

    /// The shares that belong together.
    fn population(&self, shared: &Shared) -> Result<Population, Failure> {
        let ours = &shared.program;
        let (summaries, others): (Vec<&Summary>, Vec<&Summary>) =
            self.summaries.iter().partition(|summary| {
                let theirs = &summary.program;
                theirs.version == ours.version && theirs.spes == ours.spes
            });
        if let (true, Some(first)) = (summaries.is_empty(), others.first()) {
            let why = not_this(&first.program, ours);
            return Err(failure(format!("the shares are {why}"))
                .next("give the command the same jars and class folders as the users had")
                .status(Status::BadInput));
        }
        for other in others {
            let why = not_this(&other.program, ours);
            say(&format!(
                "{} is left out: it is {why}",
                self.file(&other.run)
            ));
        }
        let made = Population::new(summaries.into_iter().cloned().collect(), None);
        let (population, refused) =
            made.map_err(|error| failure(error).status(Status::BadInput))?;
        for refused in refused {
            let file = self.file(&refused.run);
            say(&format!("{file} is left out: {}", refused.because));
        }
        Ok(population)
    }

    /// The file of a run.
    fn file(&self, run: &RunId) -> String {
        let file = self.files.get(run);
        file.map(|path| path.display().to_string())
            .unwrap_or_default()
    }
}

/// What is said of a share of another program than the command runs.
fn not_this(theirs: &log::Program, ours: &log::Program) -> String {
    match theirs.name == ours.name {
        true => format!("of another version of {} than the command runs", ours.name),
        false => format!(
            "of another version or program, {}, than {}, which the command runs",
            theirs.name, ours.name
        ),
    }
}

struct Merge<'m> {
    request: &'m Request,
    shared: &'m Shared,
    shares: &'m Shares,
    population: &'m Population,
    /// The logs that candidates have needed so far.
    logs: HashMap<RunId, PartialLog>,
    began: Instant,
    terminal: bool,
}

impl<'m> Merge<'m> {
    fn new(
        request: &'m Request,
        shared: &'m Shared,
        shares: &'m Shares,
        population: &'m Population,
    ) -> Self {
        Self {
            request,
            shared,
            shares,
            population,
            logs: HashMap::new(),
            began: Instant::now(),
            terminal: io::stderr().is_terminal(),
        }
    }

    fn search(
        &mut self,
        replayer: &mut Replayer<'_>,
    ) -> Result<(Report<'m>, Option<Ended>), Failure> {
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
        let wanted = Outcome::Failed(self.population.failure().clone());
        while let Some(candidate) = search.next() {
            self.progress(&candidate, &report);
            let tried = match self.assemble(&candidate) {
                Ok(complete) => replayer.attempt(&complete, candidate.order, &wanted)?,
                Err(why) => Tried::Impossible(why),
            };
            learn(&mut search, &candidate, &tried);
            let found = tried == Tried::Reproduced;
            report.tried.push((candidate, tried));
            if found {
                break;
            }
        }
        self.clear_line();
        report.learnt = search.learnt();
        report.seconds = self.began.elapsed().as_secs_f64();
        Ok((report, search.ended()))
    }

    /// Keeps what was found, and says what there is to say.
    fn tell(
        &self,
        report: &Report<'_>,
        ended: Option<Ended>,
        replayer: &Replayer<'_>,
    ) -> Result<Status, Failure> {
        let found = report.found().is_some();
        if found {
            fs::copy(replayer.made(), &self.request.output).map_err(|error| {
                Failure::new(format!("write {}", self.request.output.display()), error)
            })?;
        }
        report.print(ended, &|run| self.shares.file(run));
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
            let (log, _) = file::read(path).map_err(|unread| unread.to_string())?;
            self.logs.insert(run, log);
        }
        let complete = candidate.assemble(self.population, |run| self.logs.get(&run));
        complete.map_err(|error| error.to_string())
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

/// What a candidate that came to nothing tells of others.
fn learn(search: &mut Search<'_>, candidate: &Candidate, tried: &Tried) {
    // Where something that runs free had to do with it, another order of that may help.
    let pinned: HashSet<Spe> = candidate.parts.iter().map(|part| part.spe).collect();
    let follows = |because: &[Spe]| because.iter().all(|spe| pinned.contains(spe));
    match tried {
        Tried::Clash {
            circle,
            spes,
            because,
            doubtful,
        } if follows(because) => {
            // What threads wait at in a circle is probably enough; with all that led them
            // there, it is sure.
            if *circle && spes.len() > 1 {
                search.suspect(candidate, spes);
            }
            match candidate.order == 0 && !doubtful {
                true => search.learn(candidate, because),
                false => search.suspect(candidate, because),
            };
        }
        Tried::Passed { unmet } => {
            for clash in unmet.iter().filter(|clash| follows(clash)) {
                search.suspect(candidate, clash);
            }
        }
        _ => {}
    }
}
