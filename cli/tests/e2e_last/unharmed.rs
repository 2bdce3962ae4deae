//! The subject runs as it would have, whatever happens to its recorder.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stage::{REPRISE, Stage};

/// The children of a process.
fn children(pid: u32) -> Vec<i32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

fn start(stage: &Stage, command: &[&str]) -> Child {
    Command::new(REPRISE)
        .args(["record", "--last", "1s", "--keep", "all", "-o"])
        .arg(stage.recording())
        .arg("--")
        .args(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until something holds, on a machine that may be busy.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "never: {what}");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_recorder_leaves_a_recording_and_a_program_that_runs_on() {
    let stage = Stage::new();
    // What runs after the recorder's death reads the time-stamp counter: the
    // dynamic linker does.
    let go = stage.path("go");
    let script = format!(
        "echo early; while [ ! -e {} ]; do sleep 0.1; done; /bin/true && exit 5",
        go.display()
    );
    let child = start(&stage, &["sh", "-c", &script]);
    until("its output is in the recording", || {
        let shown = Command::new(REPRISE)
            .args(["show", "--events"])
            .arg(stage.recording())
            .output()
            .unwrap();
        String::from_utf8_lossy(&shown.stdout).contains("write(1, ")
    });
    let recorder = children(child.id());
    for &recorder in &recorder {
        kill(Pid::from_raw(recorder), Signal::SIGKILL).unwrap();
    }
    fs::write(&go, "").unwrap();
    let output = child.wait_with_output().unwrap();
    if recorder.is_empty() {
        println!("skipped: this kernel lists no children");
        return;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("the command ran on"), "{said}");
    let replayed = stage.replay();
    assert_eq!(replayed.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&replayed.stdout), "early\n");
}

#[test]
fn what_cannot_be_recorded_runs_on() {
    let stage = Stage::new();
    let limited = ["--keep", "all", "--memory", "4K", "-o", "run.reprise"];
    let output = stage.record_with(&limited, &["sh", "-c", "echo on; exit 4"], b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "on\n");
    assert!(said.contains("ended early by the limit"), "{said}");
    assert_eq!(stage.replay().status.code(), Some(0));
}

/// A shell that waits for its children lives by their signals: none may be lost
/// with a recorder that is killed, whatever it was doing.
#[test]
fn a_killed_recorder_takes_no_signal_along() {
    for round in 0..12u64 {
        let stage = Stage::new();
        let marker = stage.path("marker");
        let script = format!(
            "i=0; while [ $i -lt 30 ]; do sleep 0.005 & wait $!; : > {}; i=$((i+1)); done; exit 7",
            marker.display()
        );
        let mut child = start(&stage, &["sh", "-c", &script]);
        until("the shell runs", || marker.exists());
        sleep(Duration::from_millis(round * 7));
        for recorder in children(child.id()) {
            let _ = kill(Pid::from_raw(recorder), Signal::SIGKILL);
        }
        let mut status = None;
        until("the shell ends", || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(7), "round {round}");
    }
}

#[test]
fn a_second_thread_ends_the_recording_and_not_the_program() {
    let script = "import sys, threading, time
print('one', flush=True)
results = []
thread = threading.Thread(target=lambda: results.append(time.time()))
thread.start()
thread.join()
print('two')
sys.exit(len(results) + 8)";
    if !std::path::Path::new("/usr/bin/python3").exists() {
        println!("skipped: /usr/bin/python3 is not installed");
        return;
    }
    let stage = Stage::new();
    let output = stage.record(&["/usr/bin/python3", "-c", script], b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(9), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "one\ntwo\n");
    assert!(said.contains("ended early by a second thread"), "{said}");
    let replayed = stage.replay();
    assert_eq!(replayed.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&replayed.stdout), "one\n");
}

#[test]
fn a_recorder_that_cannot_write_is_no_reason_not_to_run() {
    let stage = Stage::new();
    let nowhere = ["--keep", "all", "-o", "/nowhere/at/all.reprise"];
    let output = stage.record_with(&nowhere, &["sh", "-c", "exit 6"], b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(
        said.contains("not recording: /nowhere/at/all.reprise"),
        "{said}"
    );
    let required = [&nowhere[..], &["--require"]].concat();
    let output = stage.record_with(&required, &["sh", "-c", "exit 6"], b"");
    assert_eq!(output.status.code(), Some(125));
}

#[test]
fn what_is_sent_to_the_recorder_reaches_the_program() {
    let stage = Stage::new();
    let marker = stage.path("marker");
    let script = format!(
        "trap 'echo told; exit 3' TERM; echo ready; : > {}; while :; do sleep 0.1; done",
        marker.display()
    );
    let child = start(&stage, &["sh", "-c", &script]);
    until("the program is ready", || marker.exists());
    let pid = Pid::from_raw(child.id().cast_signed());
    kill(pid, Signal::SIGTERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ready\ntold\n");
    let replayed = stage.replay();
    assert_eq!(String::from_utf8_lossy(&replayed.stdout), "ready\ntold\n");
}

/// Nothing of the recording can be written, not even how the program began.
#[test]
fn a_recording_that_cannot_be_written_does_not_harm_the_program() {
    for blocks in [1, 100] {
        let stage = Stage::new();
        let script = "ulimit -f \"$1\"; shift; exec \"$@\"";
        let output = Command::new("sh")
            .args(["-c", script, "sh", &blocks.to_string(), REPRISE])
            .args(["record", "--last", "1s", "--keep", "all", "-o"])
            .arg(stage.recording())
            .args(["--", "/bin/echo", "hello"])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{blocks}: {said}");
        assert_eq!(output.stdout, b"hello\n");
        assert!(said.contains("too large"), "{blocks}: {said}");
    }
}
