//! The subject runs as it would have, whatever happens to its recorder.

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Output, Stdio};
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
        .args(["record", "--last", "10m", "--keep", "all", "-o"])
        .arg(stage.recording())
        .arg("--")
        .args(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until something holds, on a machine that may be busy.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "never: {what}");
        sleep(Duration::from_millis(10));
    }
}

/// Waits until a program has said a line.
fn wait_for(said: &mut impl BufRead, expected: &str) {
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line.trim_end(), expected);
}

/// What becomes of a program that says "early", reads a line and says "late", if
/// its recorder is killed in between. None where nobody can tell who that is.
pub(crate) fn outlives_its_recorder(stage: &Stage, command: &[&str]) -> Option<Output> {
    let mut child = start(stage, command);
    let mut said = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut said, "early");
    let recorder = children(child.id());
    for &recorder in &recorder {
        kill(Pid::from_raw(recorder), Signal::SIGKILL).unwrap();
    }
    child.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    // Nor does a copy of it run that held its memory: it would say so, too.
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "late\n");
    let output = child.wait_with_output().unwrap();
    if recorder.is_empty() {
        println!("skipped: this kernel lists no children");
        return None;
    }
    Some(output)
}

#[test]
fn a_killed_recorder_leaves_a_program_that_runs_on() {
    let stage = Stage::new();
    // What runs after the recorder's death reads the time-stamp counter: the
    // dynamic linker does. That fails until the guard has taken over.
    let script = "echo early; read line; until /bin/true; do :; done; echo late; exit 5";
    let Some(output) = outlives_its_recorder(&stage, &["sh", "-c", script]) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("the command ran on"), "{said}");
    assert!(!stage.recording().exists());
}

/// Kills the recorder at different moments of a command that touches its file `{}` when
/// it begins, and ends with status 7 if all goes well.
fn killed_at_any_moment(command: &[&str]) {
    for round in 0..12u64 {
        let stage = Stage::new();
        let marker = stage.path("marker");
        let marker_name = marker.display().to_string();
        let words: Vec<String> = { command.iter() }
            .map(|word| word.replace("{}", &marker_name))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = start(&stage, &words);
        until("the command runs", || marker.exists());
        sleep(Duration::from_millis(round * 7));
        for recorder in children(child.id()) {
            let _ = kill(Pid::from_raw(recorder), Signal::SIGKILL);
        }
        let mut status = None;
        until("the command ends", || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(7), "round {round}");
    }
}

/// A shell that waits for its children lives by their signals: none may be lost
/// with a recorder that is killed, whatever it was doing.
#[test]
fn a_killed_recorder_takes_no_signal_along() {
    let script = "n=0; trap 'n=$((n+1))' USR1; i=0; \
         while [ $i -lt 200 ]; do kill -USR1 $$; : > {}; i=$((i+1)); done; \
         [ $n -eq 200 ] && exit 7";
    killed_at_any_moment(&["sh", "-c", script]);
}

/// Nor may a new process that the recorder makes copy itself go on with the wrong
/// result of its `fork`.
#[test]
fn a_killed_recorder_leaves_new_processes_as_they_are() {
    let script =
        "i=0; while [ $i -lt 30 ]; do sleep 0.005 & wait $!; : > {}; i=$((i+1)); done; exit 7";
    killed_at_any_moment(&["sh", "-c", script]);
}

/// Threads that compute while others could run are stopped again and again.
#[test]
fn a_killed_recorder_leaves_threads_that_compute() {
    const COMPUTES: &str = r#"
#include <fcntl.h>
#include <pthread.h>
static void *compute(void *unused) {
    volatile unsigned long sum = 0;
    for (long i = 0; i < 30000000; i++)
        sum += i;
    return unused;
}
int main(int count, char **argument) {
    pthread_t threads[3];
    if (count < 2 || creat(argument[1], 0600) < 0)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, compute, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 7;
}
"#;
    let stage = Stage::new();
    let program = compiled(&stage, COMPUTES);
    killed_at_any_moment(&[&program, "{}"]);
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
    let script = "trap 'echo told; exit 3' TERM; echo ready; while :; do sleep 0.1; done";
    let mut child = start(&stage, &["sh", "-c", script]);
    let mut said = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut said, "ready");
    let pid = Pid::from_raw(child.id().cast_signed());
    kill(pid, Signal::SIGTERM).unwrap();
    wait_for(&mut said, "told");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let replayed = stage.replay();
    assert_eq!(replayed.status.code(), Some(0));
    let output = String::from_utf8_lossy(&replayed.stdout);
    assert!("ready\ntold\n".ends_with(&*output) && output.ends_with("told\n"));
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

/// Where the system leaves core dumps in the folder in which a program runs, it still
/// does.
#[test]
fn a_core_dump_is_still_made() {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    if !pattern.starts_with("core") || pattern.contains('/') {
        println!("skipped: core dumps go elsewhere here ({})", pattern.trim());
        return;
    }
    let stage = Stage::new();
    let made = |recorded: bool| {
        let folder = stage.path(if recorded { "recorded" } else { "alone" });
        fs::create_dir(&folder).unwrap();
        let crash = ["sh", "-c", "kill -SEGV $$"];
        let record = [
            REPRISE,
            "record",
            "--last",
            "1s",
            "-o",
            "../run.reprise",
            "--",
        ];
        let command = [if recorded { &record[..] } else { &[] }, &crash[..]].concat();
        Command::new("sh")
            .args(["-c", "ulimit -c unlimited || exit 0; exec \"$@\"", "sh"])
            .args(command)
            .current_dir(&folder)
            .output()
            .unwrap();
        let files = fs::read_dir(&folder).unwrap().flatten();
        // An ELF file of the kind of core dumps.
        let mut cores = files.filter(|file| {
            let bytes = fs::read(file.path()).unwrap_or_default();
            bytes.starts_with(b"\x7fELF") && bytes.get(16) == Some(&4)
        });
        cores.next().is_some()
    };
    if !made(false) {
        println!("skipped: no core dumps here");
        return;
    }
    assert!(made(true));
    let said = "registers and memory are the same";
    let replayed = stage.replay();
    assert!(String::from_utf8_lossy(&replayed.stderr).contains(said));
}

/// Says "early", reads a line, asks the processor, and says "late".
const ASKS: &str = r#"
#include <cpuid.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    char line[16];
    unsigned a, b, c, d, sum = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    write(1, "early\n", 6);
    if (read(0, line, sizeof line) <= 0)
        return 2;
    for (int i = 0; i < 100; i++) {
        __get_cpuid(0, &a, &b, &c, &d);
        sum += b;
    }
    write(1, "late\n", 5);
    return sum == 0;
}
"#;

fn compiled(stage: &Stage, source: &str) -> String {
    stage.write("program.c", source.as_bytes());
    let program = stage.path("program").display().to_string();
    let compiler = Command::new("gcc")
        .args(["-O1", "-pthread", "-o", &program])
        .arg(stage.path("program.c"))
        .status();
    assert!(compiler.unwrap().success());
    program
}

/// Instructions that were changed while the program was recorded are its own again,
/// whether its recorder is killed or told to stop.
#[test]
fn who_is_recorded_no_more_asks_the_processor_itself() {
    let stage = Stage::new();
    let program = compiled(&stage, ASKS);
    for kills in [true, false] {
        let mut child = start(&stage, &[&program]);
        let mut said = BufReader::new(child.stdout.take().unwrap());
        wait_for(&mut said, "early");
        if kills {
            for recorder in children(child.id()) {
                kill(Pid::from_raw(recorder), Signal::SIGKILL).unwrap();
                // It is dead when the kernel has told the subject.
                let about = format!("/proc/{recorder}/stat");
                until("the recorder is dead", || {
                    let about = fs::read_to_string(&about).unwrap_or_default();
                    about.is_empty() || about.contains(") Z ")
                });
            }
        } else {
            let stopped = Command::new(REPRISE)
                .args(["stop", &child.id().to_string()])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&stopped.stderr);
            assert_eq!(stopped.status.code(), Some(0), "{said}");
        }
        child.stdin.take().unwrap().write_all(b"go on\n").unwrap();
        wait_for(&mut said, "late");
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{kills}: {said}");
    }
}
