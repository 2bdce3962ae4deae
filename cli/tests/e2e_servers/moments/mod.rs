//! The paper's programs and others, with segments of six lengths: what it costs to record them;
//! then forced to fail, written, and replayed in a root with nothing but `reprise`, and in that
//! of another system.

mod list;
mod other_system;
mod stage;

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use reprise_player::{Limits, kept, measure, processes};
use reprise_recording::Recording;

use self::list::{ALL, Asked, Program};
use self::stage::Stage;
use crate::is_there;
use crate::programs::{Group, Root, replay_all};

const LENGTHS: [&str; 6] = ["125ms", "250ms", "500ms", "1s", "2s", "4s"];

/// How often the cost is measured, always one after the other; `LAST_ROUNDS` says otherwise.
fn rounds() -> usize {
    let wanted = std::env::var("LAST_ROUNDS").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(3)
}

/// When it is forced to fail: long before a computation is done.
const FAILS_AFTER: Duration = Duration::from_millis(2500);

const LIMITS: Limits = Limits {
    memory: 64 << 30,
    seconds: 3600,
};

/// What was measured of runs of one kind, each time.
#[derive(Default)]
struct Costs {
    /// Seconds of a computation, or milliseconds of an answer.
    times: Vec<f64>,
    /// Answers per second.
    rates: Vec<f64>,
}

fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Runs it once, alone or recorded, and measures.
fn run(stage: &Stage<'_>, recorded: Option<&[&str]>, costs: &mut Costs) {
    let program = stage.program;
    let begun = Instant::now();
    let mut group = Group(stage.start(recorded));
    match program.asked {
        Asked::Computing => {
            let status = group.0.wait().unwrap();
            assert!(status.success(), "{}: {}", program.name, stage.said());
            costs.times.push(begun.elapsed().as_secs_f64());
        }
        Asked::Answering { calmly, fully } => {
            stage.is_ready();
            costs.times.extend(stage.ask(calmly));
            costs.rates.extend(stage.ask(fully));
        }
        Asked::Waiting => {}
    }
}

/// A row of the first table.
fn row(name: &str, unit: &str, all: &[Costs], of: impl Fn(&Costs) -> &Vec<f64>, slower: bool) {
    let medians: Vec<Option<f64>> = all.iter().map(|costs| median(of(costs))).collect();
    let Some(alone) = medians[0] else {
        println!("| {name} | not measured |");
        return;
    };
    let mut line = format!("| {name} | {alone:.2} {unit} |");
    for recorded in &medians[1..] {
        line += &match recorded {
            Some(recorded) if slower => format!(" {:.2} |", recorded / alone),
            Some(recorded) => format!(" {:.2} |", alone / recorded),
            None => " - |".to_owned(),
        };
    }
    println!("{line}");
}

/// What recording costs.
fn cost(stage: &Stage<'_>) {
    if matches!(stage.program.asked, Asked::Waiting) {
        return;
    }
    let _beside = stage.beside();
    let mut all: Vec<Costs> = Vec::new();
    all.resize_with(1 + LENGTHS.len(), Costs::default);
    for _ in 0..rounds() {
        run(stage, None, &mut all[0]);
        for (length, costs) in LENGTHS.iter().zip(&mut all[1..]) {
            run(stage, Some(&["--interval", length]), costs);
        }
    }
    let name = stage.program.name;
    match stage.program.asked {
        Asked::Computing => row(name, "s", &all, |costs| &costs.times, true),
        _ => {
            row(
                &format!("{name}, an answer"),
                "ms",
                &all,
                |costs| &costs.times,
                true,
            );
            row(
                &format!("{name}, at most"),
                "/s",
                &all,
                |costs| &costs.rates,
                false,
            );
        }
    }
}

/// Forces it to fail, and prints a row of the second table.
fn fail(stage: &Stage<'_>, length: &str, roots: &[(&str, Root)]) {
    let program = stage.program;
    let _beside = stage.beside();
    // Some handle the signal and end by themselves.
    let options = ["--interval", length, "--keep", "all", "-o", "run.reprise"];
    let mut group = Group(stage.start(Some(&options)));
    stage.is_ready();
    let _asking = match program.asked {
        Asked::Answering { calmly, .. } => Some(stage.asking(calmly)),
        _ => None,
    };
    let mut begins = Vec::new();
    let asked = Instant::now();
    while asked.elapsed() < FAILS_AFTER {
        sleep(FAILS_AFTER / 10);
        let takes = stage.status()["segment_takes_us"].as_f64();
        begins.extend(takes.map(|takes| takes / 1000.0));
    }
    let subject = stage.status()["subject"].to_string();
    let before = Instant::now();
    let told = Command::new("kill").args(["-ABRT", &subject]).status();
    assert!(
        told.unwrap().success(),
        "{}: {}",
        program.name,
        stage.said()
    );
    group.0.wait().unwrap();
    let dump = before.elapsed().as_secs_f64();
    let file = stage.path().join("run.reprise");
    if !file.exists() {
        println!(
            "| {} | {length} | no recording: {} |",
            program.name,
            stage.said()
        );
        return;
    }
    let recording = Recording::open(&file).unwrap();
    let size = kept(&recording).unwrap();
    let (mut loading, mut playing) = (Duration::ZERO, Duration::ZERO);
    let (mut read, mut written) = (0, 0);
    for process in processes(&recording) {
        let measured = measure(&recording, Some(process.process.process), &LIMITS).unwrap();
        loading += measured.loading;
        playing += measured.playing;
        read += measured.read;
        written += measured.written;
    }
    let kilobytes = |bytes: u64| bytes / 1000;
    let mut line = format!(
        "| {} | {length} | {:.1}, {:.1} | {dump:.2} | {} | {read}, {written} of {}: {} | {} | {:.2}, {:.2} |",
        program.name,
        median(&begins).unwrap_or(f64::NAN),
        begins.iter().copied().fold(0.0, f64::max),
        kilobytes(fs::metadata(&file).unwrap().len()),
        size.pages + size.left_out,
        kilobytes(size.page_bytes),
        kilobytes(size.event_bytes),
        loading.as_secs_f64(),
        playing.as_secs_f64(),
    );
    for (_, root) in roots {
        let replayed = replay_all(Some(root), stage.path(), &file);
        let good = replayed.processes - replayed.wrong.len();
        line += &format!(" {good} of {}", replayed.processes);
        for wrong in replayed.wrong {
            line += &format!(" ({wrong})");
        }
        line += " |";
    }
    if stage.said().contains("unverified") {
        line += " unverified";
    }
    println!("{line}");
}

#[test]
fn moments() {
    let Ok(wanted) = std::env::var("LAST_MOMENTS") else {
        println!("skipped: LAST_MOMENTS=1 measures all programs, a name one");
        return;
    };
    let Some(empty) = Root::new() else {
        println!("skipped: only root can make another one");
        return;
    };
    let mut roots = vec![("an empty root", empty)];
    if let Some(other) = other_system::root() {
        roots.push(("another system's", Root::of(other)));
    }
    let _screen = is_there("Xvfb").then(|| {
        let screen = Command::new("Xvfb")
            .args([":77", "-screen", "0", "800x600x24"])
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Group(screen.unwrap())
    });
    let is_wanted = |program: &&Program| {
        (wanted == "1" || wanted == program.name)
            && program.needs.iter().all(|needed| is_there(needed))
    };
    let programs = ALL.iter().filter(is_wanted);
    let stages: Vec<Stage<'_>> = programs.filter_map(Stage::new).collect();
    assert!(!stages.is_empty(), "no program is named {wanted}");
    println!("\nHow many times as long or as seldom with `--last 1s` and segments of:\n");
    println!("| program | alone | {} |", LENGTHS.join(" | "));
    println!("| --- | --- |{}", " --- |".repeat(LENGTHS.len()));
    stages.iter().for_each(cost);
    println!("\nForced to fail by a signal, with a file of the last second:\n");
    let names: Vec<&str> = roots.iter().map(|(name, _)| *name).collect();
    println!(
        "| program | segments | to begin one, median and most, ms | end and dump, s | file, kB | \
         pages read, written, of all: kB | events, kB | to load, to play, s | replayed in {} |",
        names.join(" | in ")
    );
    println!(
        "| --- | --- | --- | --- | --- | --- | --- | --- |{}",
        " --- |".repeat(roots.len())
    );
    for stage in &stages {
        for length in LENGTHS {
            fail(stage, length, &roots);
        }
    }
}
