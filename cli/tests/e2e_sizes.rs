//! How large the last moments are as a file, on programs that nobody here wrote: the budget of
//! the file's size. What recording costs, and many more programs: `cargo xtask study
//! last-moments`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::process::{Command, Stdio};

use reprise_player::{Kept, Limits, Wrote, kept, measure, play, processes};
use reprise_recording::Recording;
use tempfile::TempDir;

const LIMITS: Limits = Limits {
    memory: 64 << 30,
    seconds: 3600,
};

/// What the last second may take.
const BUDGET: u64 = 5_000_000;

fn check(name: &str, command: &[&str], stdin: &[u8]) {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("stdin"), stdin).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_reprise"))
        .args(["record", "--last", "1s", "--keep", "all"])
        .args(["-o", "run.reprise", "--"])
        .args(command)
        .current_dir(folder)
        .stdin(File::open(folder.join("stdin")).unwrap())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    assert!(!said.contains("unverified"), "{said}");
    let path = folder.join("run.reprise");
    let recording = Recording::open(&path).unwrap();
    let bytes = fs::metadata(&path).unwrap().len();
    let played = play(&recording, None, &LIMITS, &mut |_: Wrote<'_>| {}).unwrap();
    assert!(played.ending.is_some());
    assert_eq!(processes(&recording).len(), 1, "{name}");
    let Kept {
        pages,
        left_out,
        page_bytes,
        event_bytes,
    } = kept(&recording).unwrap();
    let measured = measure(&recording, None, &LIMITS).unwrap();
    println!(
        "{name}: {bytes} bytes: {pages} of {} pages {page_bytes} ({} read, {} written), {} events \
         {event_bytes}",
        pages + left_out,
        measured.read,
        measured.written,
        played.events,
    );
    // Its code is only read, its stack is written.
    assert!(measured.read > 0 && measured.written > 0, "{name}");
    assert_eq!(measured.read + measured.written, pages, "{name}");
    assert!(bytes <= BUDGET, "{name}: {bytes} bytes");
}

#[test]
fn gzip() {
    // Text that is neither all the same nor all different.
    let lines = (0..20_000).map(|n| format!("line {} of {n}\n", n * n % 9973));
    let text: String = lines.collect();
    check("gzip", &["gzip", "-c"], text.as_bytes());
}

#[test]
fn bc() {
    check("bc", &["bc", "-l"], b"scale=300; 4*a(1)\n");
}

#[test]
fn sqlite() {
    let statements = "create table t(a, b); \
         with recursive c(x) as (select 1 union all select x+1 from c where x<20000) \
         insert into t select x, x*7919%10007 from c; \
         select b, count(*), sum(a) from t group by b order by 2 desc limit 3;";
    check("sqlite3", &["sqlite3", ":memory:"], statements.as_bytes());
}

#[test]
fn sort() {
    let lines = (0..10_000).map(|n: usize| format!("{}\n", n * 7919 % 10_007));
    let text: String = lines.collect();
    let command = ["sort", "--parallel=1", "-n"];
    check("sort", &command, text.as_bytes());
}
