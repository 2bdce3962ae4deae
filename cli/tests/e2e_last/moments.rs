//! Only the last moments are kept, and they replay from where they begin.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stage::{Group, REPRISE, Stage, check_end};
use crate::subjects::{compile, subject, subjects};

/// How long something may take on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a recorder says about itself: the subject, and how far back it reaches.
fn status(stage: &Stage) -> Option<(i32, u64)> {
    let output = Command::new(REPRISE)
        .args(["status", "--json"])
        .env("XDG_RUNTIME_DIR", stage.path(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let field = |name: &str| {
        let at = text.find(&format!("\"{name}\":"))? + name.len() + 3;
        let digits = text[at..].chars().take_while(char::is_ascii_digit);
        digits.collect::<String>().parse::<u64>().ok()
    };
    let subject = i32::try_from(field("subject")?).unwrap();
    Some((subject, field("reaches_ms")?))
}

/// How many pages of memory a process has.
fn resident(process: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let field = text.split(' ').nth(1);
    field.and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// Records a program that does not end by itself until it has so many pages of
/// memory and what was before that has been dropped, kills it, and replays what is
/// left.
pub(crate) fn until_something_is_dropped(
    stage: &Stage,
    options: &[&str],
    command: &[&str],
    pages: u64,
) -> Output {
    let child = Command::new(REPRISE)
        .args(["record", "-o", "run.reprise"])
        .args(options)
        .arg("--")
        .args(command)
        .current_dir(stage.path(""))
        .env("XDG_RUNTIME_DIR", stage.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut group = Group(child);
    let begun = Instant::now();
    let mut full = None;
    let subject = loop {
        assert!(begun.elapsed() < PATIENCE, "nothing was dropped");
        let ago = full.map(|full: Instant| full.elapsed());
        if let Some((subject, reaches)) = status(stage) {
            // What is kept began after that.
            if ago.is_some_and(|ago| u128::from(reaches) < ago.as_millis()) {
                break subject;
            }
            if full.is_none() && resident(subject) >= pages {
                full = Some(Instant::now());
            }
        }
        sleep(Duration::from_millis(20));
    };
    kill(Pid::from_raw(subject), Signal::SIGABRT).unwrap();
    assert_eq!(group.0.wait().unwrap().code(), Some(134));
    stage.replay()
}

pub(crate) fn check(replayed: &Output) {
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{said}");
    assert!(
        said.contains("SIGABRT; registers and memory are the same"),
        "{said}"
    );
}

#[test]
fn what_is_older_is_dropped() {
    let stage = Stage::new();
    let script = "while :; do i=$((i+1)); echo $i; done";
    let options = ["--last", "60ms", "--interval", "15ms"];
    check(&until_something_is_dropped(
        &stage,
        &options,
        &["sh", "-c", script],
        1,
    ));
}

/// A computation makes no event at which a segment could begin.
#[test]
fn what_is_older_is_dropped_of_a_computation() {
    for arguments in [&["for ever"][..], &["for ever", "beside another"]] {
        let stage = Stage::new();
        compile(&subject("process-computes"), &stage.path("program"));
        let command = [&["./program"], arguments].concat();
        let options = ["--last", "400ms", "--interval", "100ms"];
        check(&until_something_is_dropped(&stage, &options, &command, 1));
        let said = stage.show(&[]);
        assert!(!said.contains("not found again"), "{said}");
    }
}

/// In an empty root there is no `/proc`, by which such memory could be written to.
#[test]
fn memory_that_nobody_may_access_is_there_in_an_empty_root() {
    let stage = Stage::new();
    compile(&subject("process-hidden"), &stage.path("program"));
    let options = ["--last", "20ms", "--interval", "2ms"];
    let recorded = stage.record_last(&options, &["./program"]);
    check_end("here", &recorded, &stage.replay());
    if let Some(replayed) = stage.replay_in_empty_root() {
        check_end("in an empty root", &recorded, &replayed);
    }
}

#[test]
fn little_memory_keeps_less() {
    let stage = Stage::new();
    compile(&subject("process-service"), &stage.path("program"));
    let options = ["--last", "1h", "--interval", "30ms", "--memory", "24M"];
    check(&until_something_is_dropped(
        &stage,
        &options,
        &["./program", "for ever"],
        1,
    ));
}

#[test]
fn every_subject_replays_from_the_middle() {
    for subject in subjects() {
        let stage = Stage::new();
        compile(&subject, &stage.path("program"));
        let options = ["--last", "20ms", "--interval", "2ms"];
        let recorded = stage.record_last(&options, &["./program"]);
        check_end(&subject.name, &recorded, &stage.replay());
    }
}
