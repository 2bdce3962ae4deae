//! What an event of a JVM program costs. `cargo xtask bench` collects the
//! lines that start with `BUDGET`.
//!
//! The same bursts of crossings run plain and recorded in turn; what is left after
//! taking the median of one from that of the other is shared among the events. It
//! is the processor time of the thread itself, of events that come no faster than
//! they are written to the file: where they do, the thread waits, and that comes
//! on top.
#![allow(clippy::unwrap_used, reason = "a failed benchmark may panic")]
#![allow(missing_docs, reason = "a program")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Of one burst; its events fill less than half of a ring.
const ROUNDS: u64 = 20_000;
/// Of each kind in a run: to warm up, and to measure.
const BURSTS: u64 = 140;
const RUNS: usize = 5;
/// What is measured: kinds of loops.
const KINDS: usize = 5;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/Loop.java");
    let compiled = Command::new("javac")
        .args(["-encoding", "UTF-8"])
        .arg("-d")
        .arg(dir.path())
        .arg(source)
        .status();
    assert!(compiled.unwrap().success());
    let file = dir.path().join("x.reprise");
    let record = |threads: &str, races: &str| {
        let _ = std::fs::remove_file(&file);
        let library = library();
        let agent = format!(
            "-agentpath:{}=observe=Inside,out=x.reprise{races}",
            library.display()
        );
        run(dir.path(), Some(&agent), threads)
    };
    let (mut plain, mut recorded, mut plain_of_two, mut of_two) = (vec![], vec![], vec![], vec![]);
    let mut racing = vec![];
    let mut size = 0;
    for _ in 0..RUNS {
        plain_of_two.push(run(dir.path(), None, "2"));
        of_two.push(record("2", ""));
        plain.push(run(dir.path(), None, "1"));
        racing.push(record("1", ",races"));
        recorded.push(record("1", ""));
        size = std::fs::metadata(&file).unwrap().len();
    }
    let extra = |at: usize, events: f64| per_event(&recorded, &plain, at, events);
    let extra_of_two = |at: usize, events: f64| per_event(&of_two, &plain_of_two, at, events);
    // An incall and its return with the receiver's number and an int each way.
    budget(
        "JVM: an incall event with a receiver",
        extra(0, 2.0),
        "ns",
        6.0,
    );
    budget(
        "JVM: an outcall event with an int",
        extra(1, 2.0),
        "ns",
        5.0,
    );
    // Receiver and argument out, the argument back: one has no field.
    budget(
        "JVM: an outcall event with objects",
        extra(2, 2.0),
        "ns",
        7.0,
    );
    // Read and written: two uses a round.
    for (name, at) in [("a plain field", 3), ("an element of an array", 4)] {
        budget(
            &format!("JVM: a use of {name}, with its races kept"),
            per_event(&racing, &plain, at, 2.0),
            "ns",
            5.0,
        );
    }
    // Two threads that share nothing, each on its core.
    for (name, at) in [
        ("an incall event with a receiver", 0),
        ("an outcall event with an int", 1),
    ] {
        budget(
            &format!("JVM: {name}, of two threads against one"),
            extra_of_two(at, 2.0) / extra(at, 2.0),
            "times",
            1.1,
        );
    }
    // Each of three loops makes two events a round.
    let events = (ROUNDS * BURSTS * 3 * 2) as f64;
    budget(
        "JVM: file size per event",
        size as f64 / events,
        "bytes",
        4.0,
    );
}

/// What recording costs, by the medians.
fn per_event(recorded: &[[f64; KINDS]], plain: &[[f64; KINDS]], at: usize, events: f64) -> f64 {
    let median = |runs: &[[f64; KINDS]]| {
        let mut values: Vec<f64> = runs.iter().map(|run| run[at]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    (median(recorded) - median(plain)) / ROUNDS as f64 / events
}

fn budget(name: &str, measured: f64, unit: &str, limit: f64) {
    let verdict = if measured <= limit { "ok" } else { "over" };
    println!("BUDGET\t{name}\t{measured:.2} {unit}\t≤ {limit} {unit}\t{verdict}");
}

fn run(dir: &Path, agent: Option<&str>, threads: &str) -> [f64; KINDS] {
    let output = Command::new("java")
        .args(agent)
        .args(["-cp", ".", "Loop", &ROUNDS.to_string(), threads])
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut values = text.split_whitespace().map(|word| word.parse().unwrap());
    [(); KINDS].map(|()| values.next().unwrap())
}

/// Cargo puts the library beside this program.
fn library() -> PathBuf {
    std::env::current_exe()
        .unwrap()
        .with_file_name("libreprise_jvm.so")
}
