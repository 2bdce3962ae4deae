//! Recordings that are written for other reasons than a crash, while the program
//! goes on.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stage::{Group, REPRISE, Stage, check_end};
use crate::subjects::{compile, subject};
use crate::unharmed::until;

/// Says what it reads, and ends with 3.
const ECHO: &str = "while read line; do echo $line; test \"$line\" != end || exit 3; done";

/// A program that is being recorded and waits for lines.
struct Running {
    group: Group,
    said: BufReader<std::process::ChildStdout>,
}

impl Running {
    fn start(stage: &Stage, options: &[&str]) -> Self {
        Self::with(stage, options, &["sh", "-c", ECHO])
    }

    fn with(stage: &Stage, options: &[&str], command: &[&str]) -> Self {
        let mut child = Command::new(REPRISE)
            .args(["record", "--last", "1h", "--interval", "50ms", "-o"])
            .arg(stage.path("run-%p.reprise"))
            .args(options)
            .arg("--")
            .args(command)
            .current_dir(stage.path(""))
            .env("XDG_RUNTIME_DIR", stage.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let group = Group(child);
        Self { group, said }
    }

    /// Sends a line and waits until the program has said it.
    fn say(&mut self, line: &str) {
        use std::io::Write as _;
        writeln!(self.group.0.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut said = String::new();
        self.said.read_line(&mut said).unwrap();
        assert_eq!(said, format!("{line}\n"));
    }

    fn tell(&self, stage: &Stage, arguments: &[&str]) -> Output {
        Command::new(REPRISE)
            .args(arguments)
            .arg(self.group.0.id().to_string())
            .env("XDG_RUNTIME_DIR", stage.path(""))
            .output()
            .unwrap()
    }

    /// What the recorder says of itself; nothing before it has begun.
    fn status(&self, stage: &Stage) -> serde_json::Value {
        let status = self.tell(stage, &["status", "--json"]);
        serde_json::from_slice(&status.stdout).unwrap_or_default()
    }

    /// How many milliseconds are kept.
    fn reaches(&mut self, stage: &Stage) -> u64 {
        let ended = self.group.0.try_wait().unwrap();
        assert_eq!(ended, None, "it has ended");
        self.status(stage)["reaches_ms"].as_u64().unwrap_or(0)
    }

    /// What is said on standard error until the program ends.
    fn end(mut self) -> String {
        self.say("end");
        let child = &mut self.group.0;
        let mut said = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3));
        said
    }
}

fn recordings(stage: &Stage) -> Vec<PathBuf> {
    let entries = fs::read_dir(stage.path("")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_recording = |path: &PathBuf| path.extension().is_some_and(|e| e == "reprise");
    let mut found: Vec<PathBuf> = paths.filter(is_recording).collect();
    found.sort();
    found
}

#[test]
fn a_dump_is_written_while_the_program_waits() {
    let stage = Stage::new();
    let mut running = Running::start(&stage, &[]);
    running.say("one");
    running.say("two");
    let status = running.tell(&stage, &["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains(" sh: the last "), "{status}");
    let told = running.tell(&stage, &["dump"]);
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(0), "{said}");
    let said = String::from_utf8(told.stdout).unwrap();
    assert!(said.starts_with("recorded "), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    running.say("three");
    running.tell(&stage, &["dump"]);
    let said = running.end();
    let recordings = recordings(&stage);
    assert_eq!(recordings.len(), 2, "{said}");
    for recording in recordings {
        let replayed = stage.replay_file(&recording);
        assert_eq!(replayed.status.code(), Some(0));
        let output = String::from_utf8(replayed.stdout).unwrap();
        // What a program has just said may not have reached the recorder.
        assert!(output.starts_with("one\n"), "{output}");
        assert!("one\ntwo\nthree\n".starts_with(&output), "{output}");
    }
}

/// How many processes in a folder have this name.
fn named(name: &str, folder: &Path) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_one = |entry: &fs::DirEntry| {
        let text = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        let here = fs::read_link(entry.path().join("cwd"));
        text.trim_end() == name && here.is_ok_and(|here| here == folder)
    };
    processes.filter(is_one).count()
}

/// What it has computed since its last event is what somebody wants to see who asks what a
/// program does that does not answer.
#[test]
fn a_dump_goes_up_to_now_in_a_computation() {
    let stage = Stage::new();
    compile(&subject("process-computes"), &stage.path("program"));
    let mut running = Running::with(&stage, &[], &["./program", "for ever", "beside another"]);
    while running.reaches(&stage) < 300 {
        sleep(Duration::from_millis(10));
    }
    let told = running.tell(&stage, &["dump"]);
    let said = String::from_utf8(told.stdout).unwrap();
    assert!(said.starts_with("recorded "), "{said}");
    assert!(
        !said.contains("not recorded") && !said.contains("unverified"),
        "{said}"
    );
    let recordings = recordings(&stage);
    assert_eq!(recordings.len(), 1);
    // Copies of it hold memory, and are not to be ended with it by its name.
    let folder = fs::canonicalize(stage.path("")).unwrap();
    // How many there are depends on what a copy takes here.
    assert!(named("reprise-shadow", &folder) > 0);
    assert_eq!(named("program", &folder), 1);
    let subject = running.status(&stage)["subject"].as_i64().unwrap();
    let subject = i32::try_from(subject).unwrap();
    kill(Pid::from_raw(subject), Signal::SIGKILL).unwrap();
    running.group.0.wait().unwrap();
    let replayed = stage.replay_file(&recordings[0]);
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{said}");
    let shown = Command::new(REPRISE)
        .arg("show")
        .arg(&recordings[0])
        .output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
    let (events, _) = shown.split_once("\n\nNext\n").unwrap();
    assert!(events.ends_with("in a computation"), "{shown}");
}

#[test]
fn a_line_that_is_a_failure_is_written_down_and_the_program_goes_on() {
    let stage = Stage::new();
    let mut running = Running::start(&stage, &["--fails-when", "stdout ~ ^ouch [0-9]+$"]);
    running.say("ouch");
    running.say("ouch 7");
    running.say("ouch 8");
    let said = running.end();
    let recordings = recordings(&stage);
    assert_eq!(recordings.len(), 1, "{said}");
    assert!(said.contains("; ouch 7;"), "{said}");
    let replayed = stage.replay_file(&recordings[0]);
    assert_eq!(String::from_utf8_lossy(&replayed.stdout), "ouch\nouch 7\n");
}

#[test]
fn a_shell_that_writes_to_standard_error_does_so() {
    let stage = Stage::new();
    let options = ["--fails-when", "stderr ~ ^ouch", "-o", "run.reprise"];
    let script = "echo ouch; echo ouch >&2; echo on";
    let recorded = stage.record_with(&options, &["sh", "-c", script], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.stdout, b"ouch\non\n", "{said}");
    assert!(stage.recording().exists(), "{said}");
    assert!(said.contains("ouch; replay it with"), "{said}");
}

#[test]
fn an_exit_status_can_be_a_failure() {
    let stage = Stage::new();
    let options = ["--fails-when", "exit != 0", "-o", "run.reprise"];
    let good = stage.record_with(&options, &["true"], b"");
    assert_eq!(good.status.code(), Some(0));
    assert!(!stage.recording().exists());
    let bad = stage.record_with(&options, &["sh", "-c", "echo so; exit 7"], b"");
    assert_eq!(bad.status.code(), Some(7));
    let said = String::from_utf8_lossy(&bad.stderr);
    assert!(said.contains("; exit status 7;"), "{said}");
    check_end("a failure", &bad, &stage.replay());
}

#[test]
fn a_recording_can_be_stopped() {
    let stage = Stage::new();
    let mut running = Running::start(&stage, &["--keep", "all"]);
    running.say("one");
    assert_eq!(running.tell(&stage, &["stop"]).status.code(), Some(0));
    running.say("two");
    running.say("three");
    let status = running.tell(&stage, &["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("no longer recorded"), "{status}");
    let said = running.end();
    assert!(said.contains("was stopped"), "{said}");
    assert!(recordings(&stage).is_empty(), "{said}");
}

#[test]
fn a_recording_of_a_computation_can_be_stopped() {
    let beside = ["for ever", "beside another", "that computes"];
    for count in 1..=beside.len() {
        let arguments = &beside[..count];
        let stage = Stage::new();
        compile(&subject("process-computes"), &stage.path("program"));
        let command = [&["./program"], arguments].concat();
        let mut running = Running::with(&stage, &[], &command);
        while running.reaches(&stage) < 100 {
            sleep(Duration::from_millis(10));
        }
        let process = running.status(&stage)["subject"].as_u64().unwrap();
        assert_eq!(running.tell(&stage, &["stop"]).status.code(), Some(0));
        // A thread that sleeps is not woken for that.
        until("all threads that compute are let go", || {
            let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
            let mut about = threads.map(|thread| thread.unwrap().path().join("status"));
            about.all(|about| {
                let about = fs::read_to_string(about).unwrap();
                about.contains("State:\tS") || about.contains("TracerPid:\t0\n")
            })
        });
        let about = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        assert!(about.contains("State:\tR"), "{about}");
        let process = Pid::from_raw(i32::try_from(process).unwrap());
        kill(process, Signal::SIGTERM).unwrap();
        assert_eq!(running.group.0.wait().unwrap().code(), Some(143));
    }
}

#[test]
fn who_is_not_recorded_cannot_be_dumped() {
    let stage = Stage::new();
    let told = Command::new(REPRISE)
        .args(["dump", "1"])
        .env("XDG_RUNTIME_DIR", stage.path(""))
        .output()
        .unwrap();
    assert_eq!(told.status.code(), Some(2));
    let said = String::from_utf8(told.stderr).unwrap();
    assert!(said.contains("no recorder here"), "{said}");
}
