//! How large the last moments are as a file, and what it costs to record them, on
//! programs that nobody here wrote: `cargo xtask study last-moments` takes seconds
//! of each and segments of several lengths; in the gate it is a little work, and
//! only the budget of the file's size is looked at.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reprise_player::{Kept, Limits, Wrote, kept, play, processes};
use reprise_recording::Recording;
use tempfile::TempDir;

const LIMITS: Limits = Limits {
    memory: 64 << 30,
    seconds: 3600,
};

/// What the last second may take.
const BUDGET: u64 = 5_000_000;

fn is_long() -> bool {
    std::env::var("LAST_MOMENTS").is_ok_and(|value| value == "long")
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed(), result)
}

/// Runs a command with the folder's file as its input.
fn run(folder: &Path, command: &[&str]) -> Duration {
    let (took, output) = timed(|| {
        Command::new(command[0])
            .args(&command[1..])
            .current_dir(folder)
            .stdin(File::open(folder.join("stdin")).unwrap())
            .stdout(Stdio::null())
            .output()
            .unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    assert!(!said.contains("unverified"), "{said}");
    took
}

fn recorded(folder: &Path, interval: &str, options: &[&str], command: &[&str]) -> Duration {
    let program = env!("CARGO_BIN_EXE_reprise");
    let fixed = [program, "record", "--last", "1s", "--interval", interval];
    run(folder, &[&fixed[..], options, &["--"], command].concat())
}

fn check(name: &str, command: &[&str], stdin: &[u8]) {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("stdin"), stdin).unwrap();
    let intervals: &[&str] = match is_long() {
        true => &["125ms", "500ms", "1s", "4s"],
        false => &["250ms"],
    };
    let plain = run(folder, command);
    for interval in intervals {
        let alone = recorded(folder, interval, &[], command);
        let file = format!("{interval}.reprise");
        let keeping = ["--keep", "all", "-o", &file];
        let with_dump = recorded(folder, interval, &keeping, command);
        let path = folder.join(&file);
        let recording = Recording::open(&path).unwrap();
        let bytes = fs::metadata(&path).unwrap().len();
        let mut silent = |_: Wrote<'_>| {};
        let (replay, played) = timed(|| play(&recording, None, &LIMITS, &mut silent));
        let played = played.unwrap();
        assert!(played.ending.is_some());
        assert_eq!(processes(&recording).len(), 1, "{name}");
        let Kept {
            pages,
            left_out,
            page_bytes,
            event_bytes,
        } = kept(&recording).unwrap();
        let seconds = |time: Duration| time.as_secs_f64();
        println!(
            "{name:<10} {interval:>6}  alone {:>6.2} s  recorded {:>6.2} s ({:>5.2}×)  \
             end and dump {:>6.2} s  file {:>8} bytes: {pages} of {} pages {page_bytes}, \
             {} events {event_bytes}  replay {:>6.2} s",
            seconds(plain),
            seconds(alone),
            seconds(alone) / seconds(plain),
            seconds(with_dump.saturating_sub(alone)),
            bytes,
            pages + left_out,
            played.events,
            seconds(replay),
        );
        assert!(is_long() || bytes <= BUDGET, "{name}: {bytes} bytes");
    }
}

fn amount(long: usize, short: usize) -> usize {
    if is_long() { long } else { short }
}

#[test]
fn gzip() {
    // Text that is neither all the same nor all different.
    let lines = (0..amount(800_000, 20_000)).map(|n| format!("line {} of {n}\n", n * n % 9973));
    let text: String = lines.collect();
    check("gzip", &["gzip", "-c"], text.as_bytes());
}

#[test]
fn bc() {
    let digits = amount(1600, 300);
    let program = format!("scale={digits}; 4*a(1)\n");
    check("bc", &["bc", "-l"], program.as_bytes());
}

#[test]
fn sqlite() {
    let rows = amount(800_000, 20_000);
    let statements = format!(
        "create table t(a, b); \
         with recursive c(x) as (select 1 union all select x+1 from c where x<{rows}) \
         insert into t select x, x*7919%10007 from c; \
         select b, count(*), sum(a) from t group by b order by 2 desc limit 3;"
    );
    check("sqlite3", &["sqlite3", ":memory:"], statements.as_bytes());
}

#[test]
fn sort() {
    let lines = (0..amount(500_000, 10_000)).map(|n: usize| format!("{}\n", n * 7919 % 10_007));
    let text: String = lines.collect();
    let command = ["sort", "--parallel=1", "-n"];
    check("sort", &command, text.as_bytes());
}

/// A program that threads of its own keep busy: only at length, since it has to be
/// compiled.
fn compiled(name: &str, compiler: &[&str], source: &str) {
    if !is_long() {
        println!("skipped: only at length");
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(compiler[compiler.len() - 1]);
    fs::write(file, source).unwrap();
    let made = Command::new(compiler[0])
        .args(&compiler[1..])
        .current_dir(folder.path())
        .env("GOCACHE", folder.path().join("cache"))
        .status();
    if !made.is_ok_and(|made| made.success()) {
        println!("{name}: skipped, there is no {}", compiler[0]);
        return;
    }
    let program = folder.path().join("made").display().to_string();
    check(name, &[&program], b"");
}

#[test]
fn python() {
    if !is_long() {
        println!("skipped: only at length");
        return;
    }
    let script = "import threading, random\n\
                  def f(): return sum(i * i % 7 for i in range(3000000))\n\
                  ts = [threading.Thread(target=f) for _ in range(4)]\n\
                  [t.start() for t in ts]; [t.join() for t in ts]; print(random.random())";
    check("python3", &["/usr/bin/python3", "-c", script], b"");
}

#[test]
fn go() {
    let source = "package main\nimport (\"fmt\"; \"math/rand\")\nfunc main() { c := make(chan \
                  int); for i := 0; i < 4; i++ { go func(i int) { s := 0; for j := 0; j < \
                  600000000; j++ { s += j * i % 7 }; c <- s + rand.Intn(9) }(i) }\n\
                  t := 0; for i := 0; i < 4; i++ { t += <-c }; fmt.Println(t) }\n";
    compiled("go", &["go", "build", "-o", "made", "made.go"], source);
}

#[test]
fn rust() {
    let source = "use std::collections::HashMap;\nfn main() { let ts: Vec<_> = \
                  (0..4u64).map(|i| std::thread::spawn(move || { let mut m = HashMap::new(); \
                  for n in 0..20_000_000u64 { *m.entry(n * i % 1009).or_insert(0u64) += n; } \
                  m.len() })).collect(); for t in ts { println!(\"{:?}\", t.join()); } }";
    compiled("rust", &["rustc", "-O", "-o", "made", "made.rs"], source);
}
