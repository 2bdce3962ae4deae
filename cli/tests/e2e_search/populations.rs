//! Programs with bugs, of which populations of users record shares, and how often those are
//! put together: `cargo xtask study share-bugs`.
//!
//! Runs are recorded whole, and each population takes twenty of them, of which each user has
//! the part that a plan gives out: so the same runs are put together at every size of share.
//! What is replayed is the real program, and the same candidate of two populations once.
//!
//! Recorded runs and results are kept in the folder `share-bugs` of the target's `tmp`; what is
//! there is not done again, so the study can be ended at any time and goes on where it was.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use reprise::share::file;
use reprise::share::merge::{self, Request};
use reprise::share::program::Shared;
use reprise::share::replayer::{Replayer, Tried};
use reprise_coop::log::{Outcome, PartialLog, Spe};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::metrics::similarity::Similarity;
use reprise_coop::plan;
use reprise_jvm_testing::{agent_library, compile, jdks, limited, sources};

use crate::processor;

const SHARES: &[f64] = &[0.1, 0.25, 0.5, 0.75, 1.0];
const SIMILARITIES: &[(&str, Similarity)] = &[
    ("plain", Similarity::Plain),
    ("dispersion", Similarity::Dispersion),
];
const USERS: usize = 20;
/// Runs that are recorded, at most; and failing ones that are enough.
const POOL: usize = 160;
const FAILING: usize = 12;
/// How often a run is timed; the median counts.
const TIMED: usize = 5;

struct Bug {
    name: String,
    folder: PathBuf,
    shared: Shared,
    command: Vec<OsString>,
    failed: Vec<PartialLog>,
    passed: Vec<PartialLog>,
}

fn setting(name: &str, usual: usize) -> usize {
    let value = std::env::var(name).ok();
    value.and_then(|value| value.parse().ok()).unwrap_or(usual)
}

impl Bug {
    fn new(file: &Path, kept: &Path) -> Self {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let folder = kept.join(&name);
        fs::create_dir_all(&folder).unwrap();
        let noise = file.with_file_name("Noise.java");
        compile(&[file.to_owned(), noise], &folder, ".");
        let shared = Shared::of_places(std::slice::from_ref(&folder), &name).unwrap();
        let command = vec![
            jdks()[0].clone().into_os_string(),
            "-cp".into(),
            folder.clone().into_os_string(),
            name.clone().into(),
        ];
        let mut bug = Self {
            name,
            folder,
            shared,
            command,
            failed: Vec::new(),
            passed: Vec::new(),
        };
        bug.record();
        bug
    }

    fn reprise(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .env("REPRISE_AGENT", agent_library())
            .current_dir(&self.folder)
            .args(arguments)
            .arg("--")
            .args(&self.command);
        limited::output(&mut command)
    }

    fn record(&mut self) {
        for run in 0..POOL {
            if self.failed.len() >= FAILING && self.passed.len() >= USERS {
                break;
            }
            let name = format!("run{run}.share");
            let path = self.folder.join(&name);
            let mut kept = file::read(&path).ok();
            if kept
                .as_ref()
                .is_none_or(|(log, _)| log.program() != &self.shared.program)
            {
                let _ = fs::remove_file(&path);
                self.reprise(&["record", "--share", "1", "-o", &name]);
                kept = file::read(&path).ok();
            }
            let (log, _) = kept.unwrap();
            match log.outcome() {
                Outcome::Passed => self.passed.push(log),
                Outcome::Failed(_) => self.failed.push(log),
            }
        }
    }

    /// Twenty runs, a third of them failing ones where there are so many.
    fn population(&self, number: usize) -> Vec<&PartialLog> {
        let take = |logs: &'_ [PartialLog], count: usize| -> Vec<usize> {
            let count = count.min(logs.len());
            (0..count)
                .map(|at| (at * 7 + number * 13) % logs.len().max(1))
                .collect()
        };
        let mut failed = take(&self.failed, USERS / 3);
        failed.sort_unstable();
        failed.dedup();
        let mut passed = take(&self.passed, USERS - failed.len());
        passed.sort_unstable();
        passed.dedup();
        let failed = failed.into_iter().map(|at| &self.failed[at]);
        failed
            .chain(passed.into_iter().map(|at| &self.passed[at]))
            .collect()
    }

    /// The shares of a population, as files; and their size.
    fn write(&self, number: usize, share: f64) -> (Vec<PathBuf>, u64) {
        let logs = self.population(number);
        let spes = self.shared.program.spes;
        let dealt = plan::random(spes, logs.len(), share, number as u64).unwrap();
        let (mut paths, mut bytes) = (Vec::new(), 0);
        for (user, (log, part)) in logs.iter().zip(dealt.shares()).enumerate() {
            let path = self.folder.join(format!("user{user}.share"));
            let _ = fs::remove_file(&path);
            bytes += file::write(&path, &part_of(log, part), &self.shared, &[], 0).unwrap();
            paths.push(path);
        }
        (paths, bytes / logs.len() as u64)
    }

    fn request(&self, attempts: usize) -> Request {
        Request {
            shares: Vec::new(),
            output: PathBuf::new(),
            attempts,
            run_limit: Duration::from_secs(20),
            settings: Settings::new(Similarity::Plain),
            fails_when: Vec::new(),
            command: self.command.clone(),
        }
    }

    /// Milliseconds of processor time that a run takes; recorded if there is a share.
    fn time(&self, share: Option<f64>) -> f64 {
        let mut times = Vec::new();
        for seed in 0..TIMED {
            let began = processor::of_children();
            match share {
                None => {
                    let mut command = Command::new(&self.command[0]);
                    limited::output(command.args(&self.command[1..]));
                }
                Some(share) => {
                    let _ = fs::remove_file(self.folder.join("timed.share"));
                    let (share, seed) = (share.to_string(), seed.to_string());
                    let words = ["record", "--share", &share, "--seed", &seed];
                    self.reprise(&[&words[..], &["-o", "timed.share"]].concat());
                }
            }
            times.push((processor::of_children() - began) * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        times[TIMED / 2]
    }
}

fn part_of(log: &PartialLog, part: &[Spe]) -> PartialLog {
    let (program, outcome) = (log.program().clone(), log.outcome().clone());
    let mut new = PartialLog::new(program, log.run(), outcome, log.threads().clone());
    for spe in part {
        if let Some(vector) = log.vector(*spe) {
            new.insert(*spe, vector.clone()).unwrap();
        }
    }
    new
}

/// What was found out, in lines: what it is of, and the number.
struct Results {
    file: fs::File,
    known: HashMap<String, String>,
}

impl Results {
    fn open(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let known = text.lines().filter_map(|line| line.split_once('\t'));
        let known = known.map(|(of, result)| (of.to_owned(), result.to_owned()));
        Self {
            known: known.collect(),
            file: fs::File::options()
                .create(true)
                .append(true)
                .open(path)
                .unwrap(),
        }
    }

    /// A result of a program, which is another program once its code has changed.
    fn get(&mut self, bug: &Bug, of: &str, find: impl FnOnce() -> String) -> String {
        let version = u128::from_be_bytes(bug.shared.program.version);
        let of = format!("{version:x} {} {of}", bug.name);
        if let Some(known) = self.known.get(&of) {
            return known.clone();
        }
        let found = find();
        writeln!(self.file, "{of}\t{found}").unwrap();
        self.known.insert(of, found.clone());
        found
    }
}

/// A program at one size of share: a line of the table.
fn line(
    bug: &Bug,
    share: f64,
    results: &mut Results,
    request: &mut Request,
    replayer: &mut Replayer<'_>,
) -> String {
    let populations = setting("REPRISE_POPULATIONS", 20);
    let of = format!("{:.0} %", share * 100.0);
    let plain = results.get(bug, "plain", || format!("{:.0}", bug.time(None)));
    let time = results.get(bug, &format!("{of} time"), || {
        format!("{:.0}", bug.time(Some(share)))
    });
    let mut cells = String::new();
    let mut size = 0;
    for (name, similarity) in SIMILARITIES {
        request.settings = Settings::new(*similarity);
        let mut found: Vec<usize> = Vec::new();
        for number in 0..populations {
            let (paths, bytes) = bug.write(number, share);
            size = bytes;
            request.shares = paths;
            let of = format!("{of} {name} {number} of {}", request.attempts);
            let result = results.get(bug, &of, || {
                let attempts = merge::attempts(request, &bug.shared, replayer).unwrap();
                attempts.map_or("-".to_owned(), |attempts| attempts.to_string())
            });
            found.extend(result.parse::<usize>().ok());
        }
        let median = median(&mut found);
        let _ = write!(cells, " {} of {populations}, {median} |", found.len());
    }
    format!(
        "| {} | {} | {} of {} | {:.0} % | {time} ({plain}) | {size} |{cells}",
        bug.name,
        bug.shared.program.spes,
        bug.failed.len(),
        bug.failed.len() + bug.passed.len(),
        share * 100.0,
    )
}

/// The programs, by name; some of them, if only those are wanted.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects/share-bugs");
    let mut files: Vec<PathBuf> = sources(&folder);
    files.retain(|file| !file.ends_with("Noise.java"));
    files.sort();
    if let Ok(names) = std::env::var("REPRISE_PROGRAMS") {
        let wanted = |file: &PathBuf| names.contains(file.file_stem().unwrap().to_str().unwrap());
        files.retain(wanted);
    }
    files
}

fn kept() -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("share-bugs");
    fs::create_dir_all(&kept).unwrap();
    kept
}

#[test]
fn how_often_shares_are_put_together() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let attempts = setting("REPRISE_ATTEMPTS", 100);
    let kept = kept();
    println!("Populations of {USERS} users each, at most {attempts} attempts.\n");
    println!(
        "| program | elements | failing runs | share | processor time, ms (plain) | log, bytes | plain: reproduced, median attempts | dispersion: the same |"
    );
    println!("|{}", " --- |".repeat(8));
    let mut results = Results::open(&kept.join("results"));
    for path in programs() {
        let began = Instant::now();
        let bug = Bug::new(&path, &kept);
        let mut request = bug.request(attempts);
        let fixed = bug.request(attempts);
        let replayer = merge::replayer(&fixed, &bug.shared).unwrap();
        let mut replayer = replayer.remembering();
        for &share in SHARES {
            println!(
                "{}",
                line(&bug, share, &mut results, &mut request, &mut replayer)
            );
        }
        eprintln!("{}: {:.0} s", bug.name, began.elapsed().as_secs_f64());
    }
}

/// What chance alone does: the same search with no share at all, in which everything runs
/// free, in one order after the other.
#[test]
fn how_often_shares_are_not_needed() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let attempts = setting("REPRISE_ATTEMPTS", 100);
    let searches = setting("REPRISE_POPULATIONS", 20);
    let kept = kept();
    println!("\nWithout any share, at most {attempts} orders:\n");
    println!("| program | reproduced, median attempts |");
    println!("| --- | --- |");
    let mut results = Results::open(&kept.join("results"));
    for path in programs() {
        let bug = Bug::new(&path, &kept);
        let request = bug.request(attempts);
        let mut replayer = merge::replayer(&request, &bug.shared).unwrap();
        let some = bug.failed.first().unwrap();
        let none = part_of(some, &[]);
        let mut found: Vec<usize> = Vec::new();
        for search in 0..searches {
            let of = format!("free {search} of {attempts}");
            let result = results.get(&bug, &of, || {
                let mut orders = (1..=attempts).filter(|attempt| {
                    let order = u32::try_from(search * 1000 + attempt).unwrap();
                    let tried = replayer.attempt(&none, order, some.outcome());
                    tried.unwrap() == Tried::Reproduced
                });
                let first = orders.next();
                first.map_or("-".to_owned(), |attempt| attempt.to_string())
            });
            found.extend(result.parse::<usize>().ok());
        }
        println!(
            "| {} | {} of {searches}, {} |",
            bug.name,
            found.len(),
            median(&mut found)
        );
    }
}

fn median(found: &mut [usize]) -> String {
    found.sort_unstable();
    let median = found.get(found.len() / 2);
    median.map_or("–".to_owned(), usize::to_string)
}
