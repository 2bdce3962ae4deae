//! Programs with bugs, of which populations of users record shares, and how often those are
//! put together: `cargo xtask study share-bugs`.
//!
//! Runs are recorded whole, and each population takes twenty of them, of which each user has
//! the part that a plan gives out: so the same runs are put together at every size of share.
//! What is replayed is the real program.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use reprise::share::file;
use reprise::share::program::Shared;
use reprise_coop::log::{Outcome, PartialLog, Spe};
use reprise_coop::plan;
use reprise_jvm_testing::{agent_library, compile, jdks, limited, sources};
use tempfile::TempDir;

const SHARES: &[f64] = &[0.1, 0.25, 0.5, 0.75, 1.0];
const USERS: usize = 20;
/// Runs that are recorded, at most; and failing ones that are enough.
const POOL: usize = 60;
const FAILING: usize = 8;
/// How often a run is timed; the median counts.
const TIMED: usize = 7;

struct Bug {
    name: String,
    folder: TempDir,
    shared: Shared,
    failed: Vec<PartialLog>,
    passed: Vec<PartialLog>,
}

fn setting(name: &str, usual: usize) -> usize {
    let value = std::env::var(name).ok();
    value.and_then(|value| value.parse().ok()).unwrap_or(usual)
}

impl Bug {
    fn new(file: &Path) -> Self {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let noise = file.with_file_name("Noise.java");
        compile(&[file.to_owned(), noise], folder.path(), ".");
        let shared = Shared::of_places(&[folder.path().to_owned()], &name).unwrap();
        let mut bug = Self {
            name,
            folder,
            shared,
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
            .current_dir(self.folder.path())
            .args(arguments)
            .arg("--")
            .arg(&jdks()[0])
            .args(["-cp", ".", &self.name]);
        limited::output(&mut command)
    }

    fn record(&mut self) {
        for run in 0..POOL {
            if self.failed.len() >= FAILING && run >= 2 * USERS {
                break;
            }
            let name = format!("run{run}.share");
            self.reprise(&["record", "--share", "1", "-o", &name]);
            let (log, _) = file::read(&self.folder.path().join(&name)).unwrap();
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
    fn write(&self, number: usize, share: f64) -> (Vec<String>, u64) {
        let logs = self.population(number);
        let spes = self.shared.program.spes;
        let dealt = plan::random(spes, logs.len(), share, number as u64).unwrap();
        let (mut names, mut bytes) = (Vec::new(), 0);
        for (user, (log, part)) in logs.iter().zip(dealt.shares()).enumerate() {
            let name = format!("user{user}.share");
            let path = self.folder.path().join(&name);
            let _ = fs::remove_file(&path);
            bytes += file::write(&path, &part_of(log, part), &self.shared, &[], 0).unwrap();
            names.push(name);
        }
        (names, bytes / logs.len() as u64)
    }

    /// How many candidates it took to reproduce the failure.
    fn merge(&self, shares: &[String], similarity: &str, attempts: usize) -> Option<u64> {
        let _ = fs::remove_file(self.folder.path().join("bug.sched"));
        let attempts = attempts.to_string();
        let mut arguments = vec!["merge", "--attempts", &attempts, "-o", "bug.sched"];
        arguments.extend(["--similarity", similarity, "--run-limit", "20s"]);
        arguments.extend(shares.iter().map(String::as_str));
        let output = self.reprise(&arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        let found = text
            .lines()
            .find_map(|line| line.strip_prefix("found      candidate "))?;
        found.split(',').next()?.parse().ok()
    }

    /// How long a run takes, in milliseconds; recorded if there is a share.
    fn time(&self, share: Option<f64>) -> f64 {
        let mut times = Vec::new();
        for seed in 0..TIMED {
            let began = Instant::now();
            match share {
                None => {
                    let mut command = Command::new(&jdks()[0]);
                    command
                        .current_dir(self.folder.path())
                        .args(["-cp", ".", &self.name]);
                    limited::output(&mut command);
                }
                Some(share) => {
                    let _ = fs::remove_file(self.folder.path().join("timed.share"));
                    let (share, seed) = (share.to_string(), seed.to_string());
                    let words = ["record", "--share", &share, "--seed", &seed];
                    self.reprise(&[&words[..], &["-o", "timed.share"]].concat());
                }
            }
            times.push(began.elapsed().as_secs_f64() * 1000.0);
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

#[test]
fn how_often_shares_are_put_together() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let populations = setting("REPRISE_POPULATIONS", 20);
    let attempts = setting("REPRISE_ATTEMPTS", 100);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects/share-bugs");
    let mut files: Vec<PathBuf> = sources(&folder);
    files.retain(|file| !file.ends_with("Noise.java"));
    files.sort();
    // Some of them, by name.
    if let Ok(names) = std::env::var("REPRISE_PROGRAMS") {
        let wanted = |file: &PathBuf| names.contains(file.file_stem().unwrap().to_str().unwrap());
        files.retain(wanted);
    }
    println!("{populations} populations of {USERS} users each, at most {attempts} attempts.\n");
    println!(
        "| program | elements | failing runs | share | run, ms (plain) | log, bytes | plain: reproduced, median attempts | dispersion: the same |"
    );
    println!("|{}", " --- |".repeat(8));
    for path in files {
        let began = Instant::now();
        let bug = Bug::new(&path);
        let plain = bug.time(None);
        for &share in SHARES {
            let mut line = format!(
                "| {} | {} | {} of {} | {:.0} % | {:.0} ({plain:.0}) |",
                bug.name,
                bug.shared.program.spes,
                bug.failed.len(),
                bug.failed.len() + bug.passed.len(),
                share * 100.0,
                bug.time(Some(share))
            );
            let mut size = 0;
            let mut cells = String::new();
            for similarity in ["plain", "dispersion"] {
                let mut found = Vec::new();
                for number in 0..populations {
                    let (names, bytes) = bug.write(number, share);
                    size = bytes;
                    found.extend(bug.merge(&names, similarity, attempts));
                }
                found.sort_unstable();
                let median = found.get(found.len() / 2).copied().unwrap_or_default();
                let _ = write!(cells, " {} of {populations}, {median} |", found.len());
            }
            let _ = write!(line, " {size} |{cells}");
            println!("{line}");
        }
        eprintln!("{}: {:.0} s", bug.name, began.elapsed().as_secs_f64());
    }
}
