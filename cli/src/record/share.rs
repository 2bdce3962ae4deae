//! `--share`: the threads of a JVM program run as they like, and who accesses a part of what
//! they share is written down.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use reprise_coop::log::{Failure as Fails, Outcome, Spe};
use reprise_coop::plan as deal;
use reprise_recorder::Condition;

use super::Request;
use super::free::unrecorded;
use super::observe::command::{self, Handed};
use super::observe::{not_started, text};
use super::schedule::output;
use crate::agent_library;
use crate::failure::{Failure, Status};
use crate::readable;
use crate::say::say;
use crate::schedule::run::{Fault, Run};
use crate::share::plan::Plan;
use crate::share::program::Shared;
use crate::share::vectors::Written;
use crate::share::{conditions, file, vectors};

/// Which part is recorded.
#[derive(Debug)]
pub enum Selection {
    /// A random one: how large, and what it depends on.
    Random {
        /// Of 1.
        share: f64,
        /// Another number is another share.
        seed: u64,
    },
    /// What a plan says.
    Plan(PathBuf),
}

/// Runs the command and records it.
pub fn run(
    request: &Request,
    selection: &Selection,
    fails_when: &[Condition],
) -> Result<Status, Failure> {
    let out = output(request, "share")?;
    let program = request.command.first().cloned().unwrap_or_default();
    let shared = match Shared::of_command(&request.command) {
        Ok(shared) => shared,
        Err(why) => return unrecorded(request, &why),
    };
    let share = choose(&shared, selection)?;
    let folder = tempfile::Builder::new().prefix("reprise-share-").tempdir();
    let folder = folder.map_err(|error| Failure::new("make a folder", error))?;
    let handed = match prepare(&shared, &share, folder.path()) {
        Ok(handed) => handed,
        Err(why) => return unrecorded(request, &why),
    };
    let launcher = command::launcher(&program).is_some();
    let mut command = handed.command(&request.command, launcher);
    let ended = conditions::run(&mut command, fails_when, None, false);
    let (ended, holds) = ended.map_err(|error| not_started(&program, error))?;
    let reports = folder.path().join("reports");
    let mut run = Run::read(&reports, &ended);
    run.holds(holds);
    for line in &run.said {
        say(line);
    }
    let recorded = Recorded {
        request,
        shared: &shared,
        share: &share,
        run: &run,
    };
    let written = Written::read(&folder.path().join("parts"), &reports);
    let written = written.map_err(|error| error.to_string());
    if let Err(why) = written.and_then(|written| recorded.keep(&written, &out)) {
        say(&format!(
            "the share {} cannot be written: {why}",
            out.display()
        ));
    }
    Ok(Status::Subject(run.status))
}

/// The elements that are recorded.
fn choose(shared: &Shared, selection: &Selection) -> Result<BTreeSet<Spe>, Failure> {
    let failure =
        |wrong: String| Failure::new("choose what is recorded", wrong).status(Status::BadInput);
    match selection {
        Selection::Plan(path) => Plan::read(path)?.share(&shared.program, path),
        Selection::Random { .. } if shared.program.spes == 0 => Ok(BTreeSet::new()),
        Selection::Random { share, seed } => {
            let plan = deal::random(shared.program.spes, 1, *share, *seed);
            let plan = plan.map_err(|error| failure(error.to_string()))?;
            Ok(plan.shares().iter().flatten().copied().collect())
        }
    }
}

/// What the agent is told, and the files that it reads and writes.
fn prepare(shared: &Shared, share: &BTreeSet<Spe>, folder: &Path) -> Result<Handed, String> {
    let library = agent_library::find().map_err(|missing| missing.why)?;
    let (parts, reports) = (folder.join("parts"), folder.join("reports"));
    let sites = folder.join("sites");
    let chosen = shared
        .elements
        .sites
        .of(|element| share.contains(&Spe(element)));
    let make = || -> std::io::Result<()> {
        fs::create_dir(&parts)?;
        fs::create_dir(&reports)?;
        let elements = shared.program.spes;
        fs::write(&sites, format!("elements\t{elements}\n{}", chosen.write()))
    };
    make().map_err(|error| error.to_string())?;
    let options = format!(
        "share={},out={},report={}",
        text(&sites)?,
        text(&parts)?,
        text(&reports)?
    );
    Handed::new(&library, &options)
}

/// How a run ended, as it is compared with others.
pub fn outcome(fault: Option<&Fault>) -> Outcome {
    let fails = |what: &str, place: &str| {
        Outcome::Failed(Fails {
            what: what.to_owned(),
            place: place.to_owned(),
        })
    };
    match fault {
        None => Outcome::Passed,
        Some(Fault::Deadlock) => fails("deadlock", ""),
        Some(Fault::Uncaught { class, place, .. }) => fails(class, place),
        Some(Fault::Condition) => fails("the condition of --fails-when", ""),
        Some(Fault::Status(status)) => fails(&format!("exit status {status}"), ""),
    }
}

/// What there is of a run.
struct Recorded<'r> {
    request: &'r Request,
    shared: &'r Shared,
    share: &'r BTreeSet<Spe>,
    run: &'r Run,
}

impl Recorded<'_> {
    fn keep(&self, written: &Written, out: &Path) -> Result<(), String> {
        let fault = self.run.fault();
        let outcome = outcome(fault.as_ref());
        let program = self.shared.program.clone();
        let log = written.log(program, vectors::run_id(), outcome, self.share)?;
        let status = self.run.status;
        let size = file::write(out, &log, self.shared, &self.request.command, status)?;
        let accesses: u64 = log.vectors().map(|(_, vector, _)| vector.accesses()).sum();
        let here = std::env::current_dir().unwrap_or_default();
        let spared = self.shared.elements.spared.all();
        say(&format!(
            "{}; recorded {} ({} of {} shared elements, {spared} spared; {} threads, {accesses} \
             accesses, {}); put it together with others: reprise merge *.share -- {}",
            fault.map_or("status 0".to_owned(), |fault| fault.to_string()),
            out.strip_prefix(here).unwrap_or(out).display(),
            self.share.len(),
            self.shared.program.spes,
            written.threads(),
            readable::size(size),
            readable::command(&self.request.command)
        ));
        Ok(())
    }
}
