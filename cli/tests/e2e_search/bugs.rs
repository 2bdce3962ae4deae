//! Small programs with bugs of many kinds: found by a strategy, minimised, followed.
//!
//! `cargo xtask study schedule-bugs` does that with all of them and every strategy, and
//! prints a table; otherwise it is a few of them, with one.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use reprise_jvm_testing::jdks;

use crate::stage::{Stage, said};

const STRATEGIES: &[&str] = &["random", "pos", "pct:3", "rr:1"];

/// What the gate has time for.
const FEW: &[&str] = &["BankAccount", "IfNotWhile", "TasksWait"];

/// How often a schedule is followed in the study.
const FOLLOWED: usize = 10;

fn programs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects/schedule-bugs");
    let files = reprise_jvm_testing::sources(&folder);
    let name = |file: &std::path::PathBuf| file.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = files.iter().map(name).collect();
    names.sort();
    names
}

/// A number in a line: the first behind these words.
fn number(line: &str, words: &str) -> Option<u64> {
    let (_, rest) = line.split_once(words)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Searches for a failure; its line, if one was found.
fn search(stage: &Stage, main: &str, strategy: &str, seed: &str) -> Option<String> {
    let option = format!("--schedule={strategy}");
    let file = format!("{main}.sched");
    let arguments = [
        "record",
        &option,
        "--seed",
        seed,
        "--runs",
        "1000",
        "--until-failure",
        "-o",
        &file,
    ];
    stage.remove(&file);
    let output = stage.main(&jdks()[0], &arguments.map(OsStr::new), main, &[]);
    let line = said(&output);
    let line = line.lines().find(|line| line.contains(" recorded "))?;
    (!line.contains(": status 0;")).then(|| line.to_owned())
}

/// Follows a schedule; whether it went to the same failure.
fn follow(stage: &Stage, main: &str, file: &str, found: &str) -> bool {
    let output = stage.main(&jdks()[0], &["replay", file].map(OsStr::new), main, &[]);
    let text = said(&output);
    output.status.code() == Some(0)
        && match found.contains(": deadlock;") {
            true => text.contains("every thread is blocked"),
            false => text.contains("followed"),
        }
}

/// Minimises; how many switches there were and are.
fn minimize(stage: &Stage, main: &str) -> (u64, u64) {
    stage.remove(format!("{main}.min.sched"));
    let file = format!("{main}.sched");
    let arguments = ["schedule", "minimize", &file].map(OsStr::new);
    let output = stage.main(&jdks()[0], &arguments, main, &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{main}: {text}");
    let after = number(&text, ".min.sched: ").unwrap();
    (number(&text, "instead of ").unwrap_or(after), after)
}

#[test]
fn bugs_are_found_minimized_and_followed() {
    let stage = Stage::new("schedule-bugs");
    if std::env::var_os("REPRISE_STUDY").is_none() {
        for main in FEW {
            let found = search(&stage, main, "pos", "1");
            let found = found.unwrap_or_else(|| panic!("nothing was found in {main}"));
            let (before, after) = minimize(&stage, main);
            assert!(after <= before, "{main}: {before} {after}");
            let file = format!("{main}.min.sched");
            assert!(follow(&stage, main, &file, &found), "{main}: {found}");
        }
        return;
    }
    table(&stage);
}

/// The study: a line for each program, printed as soon as it is known.
fn table(stage: &Stage) {
    let strategies = STRATEGIES.join(" | ");
    println!("| program | {strategies} | failure | followed | switches | minimised |");
    println!("| --- |{}", " --- |".repeat(STRATEGIES.len() + 4));
    let began = Instant::now();
    let (mut all, mut same) = (0, 0);
    for main in programs() {
        let (line, followed) = row(stage, &main);
        println!("{line}");
        all += followed.map_or(0, |_| FOLLOWED);
        same += followed.unwrap_or_default();
    }
    println!(
        "\n{same} of {all} replays came to the same failure. All in {:.0} s.",
        began.elapsed().as_secs_f64()
    );
}

/// Runs until a failure for each strategy, the median of three seeds; how it failed, how many
/// replays did too, and what minimising left. The number of those replays, if there were any.
fn row(stage: &Stage, main: &str) -> (String, Option<usize>) {
    let mut text = format!("| {main} |");
    let mut kept = None;
    for strategy in STRATEGIES {
        let mut runs = Vec::new();
        for seed in ["1", "1001", "2001"] {
            let found = search(stage, main, strategy, seed);
            runs.push(found.as_deref().and_then(|line| number(line, "run ")));
            kept = found.map(|_| (*strategy, seed)).or(kept);
        }
        runs.sort_by_key(|run| run.unwrap_or(u64::MAX));
        let _ = match runs[1] {
            Some(run) => write!(text, " {run} |"),
            None => write!(text, " – |"),
        };
    }
    // The schedule that is kept is that of one strategy, made again if it is not the last.
    let again = || kept.and_then(|(strategy, seed)| search(stage, main, strategy, seed));
    let Some(found) = search(stage, main, "random", "1").or_else(again) else {
        return (text + " not found | | | |", None);
    };
    let (_, what) = found.split_once(": ").unwrap();
    let (_, what) = what.split_once(": ").unwrap();
    let what = what.split("; recorded").next().unwrap();
    let what = what.split(" in thread").next().unwrap();
    let what = what.rsplit('.').next().unwrap();
    let file = format!("{main}.sched");
    let followed = (0..FOLLOWED)
        .filter(|_| follow(stage, main, &file, &found))
        .count();
    let (before, after) = minimize(stage, main);
    let _ = write!(
        text,
        " {what} | {followed} of {FOLLOWED} | {before} | {after} |"
    );
    (text, Some(followed))
}
