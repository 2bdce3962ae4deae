//! Programs that run already (`--pid`): recorded, replayed, and let go unharmed.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stage::{REPRISE, Stage};
use crate::subjects::{compile, subject};

/// How long something may take on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(300);

/// A program whose threads wait in many calls.
struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Program {
    fn start(stage: &Stage) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects/attach-waits/main.c");
        let compiled = Command::new("gcc")
            .args(["-O1", "-g", "-pthread", "-o"])
            .arg(stage.path("program"))
            .arg(source)
            .status();
        assert!(compiled.unwrap().success());
        let mut child = Command::new(stage.path("program"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut program = Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        assert_eq!(program.line(), "ready");
        program
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn tell(&mut self, what: &str) {
        // In one piece: it is read at once.
        let line = format!("{what}\n");
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
    }

    fn work(&mut self) {
        self.tell("work");
        assert_eq!(self.line(), "worked 0");
    }

    /// Nothing of the recorder is left, and nothing went wrong.
    fn ends_well(mut self) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        assert!(status.contains("TracerPid:\t0\n"), "{status}");
        let children = format!("/proc/{0}/task/{0}/children", self.child.id());
        assert_eq!(fs::read_to_string(children).unwrap_or_default(), "");
        self.work();
        drop(self.stdin.take());
        assert_eq!(self.line(), "well 0");
        assert!(self.child.wait().unwrap().success());
    }
}

fn reprise(stage: &Stage, arguments: &[&str]) -> Command {
    let mut command = Command::new(REPRISE);
    command
        .args(arguments)
        .current_dir(stage.path(""))
        .env("XDG_RUNTIME_DIR", stage.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Attaches to a program, and waits until it is recorded.
fn attach(stage: &Stage, program: &Program, options: &[&str]) -> Child {
    let pid = program.child.id().to_string();
    let fixed = ["record", "-o", "run.reprise", "--pid", &pid];
    let recorder = reprise(stage, &[&fixed, options].concat()).spawn().unwrap();
    until_recorded(stage, &pid);
    recorder
}

fn until_recorded(stage: &Stage, pid: &str) {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE, "it is not recorded");
        let status = reprise(stage, &["status", "--json", pid]).output().unwrap();
        let text = String::from_utf8(status.stdout).unwrap();
        if text.contains("\"segments\":1") {
            return;
        }
        sleep(Duration::from_millis(20));
    }
}

fn check(output: &Output, code: i32, said: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(said), "{text}");
}

/// Lets the program work and has that written down. A dump ends where the recorder
/// is at that moment, which on a busy machine may be before what was just seen of the
/// program: then it works again. Returns the recording and what it says of the work.
fn work_that_was_dumped(stage: &Stage, program: &mut Program) -> (PathBuf, Output) {
    let pid = program.child.id().to_string();
    let begun = Instant::now();
    loop {
        program.work();
        let dumped = reprise(stage, &["dump", &pid]).output().unwrap();
        let said = String::from_utf8_lossy(&dumped.stdout);
        assert!(
            dumped.status.success() && !said.contains("unverified"),
            "{said}"
        );
        let name = said.strip_prefix("recorded ").unwrap();
        let recording = stage.path(name.split(' ').next().unwrap());
        let replayed = stage.replay_file(&recording);
        if !replayed.stdout.is_empty() {
            return (recording, replayed);
        }
        assert!(begun.elapsed() < PATIENCE, "nothing of its work was dumped");
        // No recording is written over.
        fs::remove_file(recording).unwrap();
    }
}

#[test]
fn a_program_that_runs_is_recorded_and_let_go() {
    let stage = Stage::new();
    let mut program = Program::start(&stage);
    let recorder = attach(&stage, &program, &["--last", "10m"]);
    let (recording, replayed) = work_that_was_dumped(&stage, &mut program);
    check(&replayed, 0, "events as far as the recording goes");
    let replayed = String::from_utf8_lossy(&replayed.stdout);
    assert!(
        replayed.lines().all(|line| line == "worked 0"),
        "{replayed}"
    );
    program.work();
    let pid = program.child.id().to_string();
    assert!(reprise(&stage, &["stop", &pid]).status().unwrap().success());
    check(&recorder.wait_with_output().unwrap(), 0, "it was let go");
    program.ends_well();
    // Nothing depends on the program any more.
    let again = stage.replay_file(&recording);
    assert_eq!(String::from_utf8_lossy(&again.stdout), replayed);
}

#[test]
fn whoever_is_interrupted_lets_go() {
    let stage = Stage::new();
    let mut program = Program::start(&stage);
    let recorder = attach(&stage, &program, &["--last", "10s", "--keep", "all"]);
    program.work();
    let guard = Pid::from_raw(recorder.id().cast_signed());
    kill(guard, Signal::SIGINT).unwrap();
    check(&recorder.wait_with_output().unwrap(), 0, "it was let go");
    program.ends_well();
    check(&stage.replay(), 0, "events as far as the recording goes");
}

#[test]
fn a_crash_is_written_down() {
    let stage = Stage::new();
    let mut program = Program::start(&stage);
    let recorder = attach(&stage, &program, &["--last", "10s"]);
    program.work();
    program.tell("crash");
    check(&recorder.wait_with_output().unwrap(), 0, "SIGSEGV at 0x4");
    assert!(!program.child.wait().unwrap().success());
    let said = "SIGSEGV; registers and memory are the same";
    check(&stage.replay(), 0, said);
}

#[test]
fn a_recorder_that_is_killed_leaves_it_unharmed() {
    let stage = Stage::new();
    let mut program = Program::start(&stage);
    let recorder = attach(&stage, &program, &["--last", "10s"]);
    program.work();
    let children = format!("/proc/{0}/task/{0}/children", recorder.id());
    let children = fs::read_to_string(children).unwrap();
    let own: i32 = children.trim().parse().unwrap();
    kill(Pid::from_raw(own), Signal::SIGKILL).unwrap();
    check(
        &recorder.wait_with_output().unwrap(),
        1,
        "the program runs on",
    );
    program.work();
    drop(program.stdin.take());
    assert_eq!(program.line(), "well 0");
    assert!(program.child.wait().unwrap().success());
}

#[test]
fn what_cannot_be_attached_to_is_said() {
    let stage = Stage::new();
    let mut program = Program::start(&stage);
    let pid = program.child.id();
    let try_to = |process: u32| {
        let process = process.to_string();
        let arguments = ["record", "--last", "1s", "--pid", &process];
        reprise(&stage, &arguments).output().unwrap()
    };
    let recorder = attach(&stage, &program, &["--last", "10s"]);
    check(&try_to(pid), 1, "already; only one can");
    program.work();
    assert!(
        reprise(&stage, &["stop", &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
    check(&recorder.wait_with_output().unwrap(), 0, "it was let go");
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let tasks = tasks.map(|task| task.file_name().to_str().unwrap().parse::<u32>().unwrap());
    let thread = tasks.filter(|task| *task != pid).max().unwrap();
    check(&try_to(thread), 2, "is a thread of process");
    program.ends_well();
    check(&try_to(pid), 2, "there is no process");
}

#[test]
fn a_program_that_is_stopped_is_left_alone() {
    let stage = Stage::new();
    let mut program = Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = program.id();
    let subject = Pid::from_raw(pid.cast_signed());
    kill(subject, Signal::SIGSTOP).unwrap();
    let begun = Instant::now();
    let is_stopped = || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        status.contains("State:\tT")
    };
    while !is_stopped() {
        assert!(begun.elapsed() < PATIENCE);
        sleep(Duration::from_millis(5));
    }
    let pid = pid.to_string();
    let tried = reprise(&stage, &["record", "--last", "1s", "--pid", &pid]).output();
    check(&tried.unwrap(), 1, "is stopped; continue it first");
    assert!(is_stopped());
    kill(subject, Signal::SIGKILL).unwrap();
    program.wait().unwrap();
}

/// What the kernel may write to unseen, and who belongs to somebody else.
#[test]
fn programs_of_other_kinds_are_not_attached_to() {
    const SOURCE: &str = r#"
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **argument) {
    static char parameters[120];
    static unsigned long context;
    const char *kind = count > 1 ? argument[1] : "";
    long done = 0;
    if (!strcmp(kind, "rings"))
        done = syscall(SYS_io_uring_setup, 4, parameters);
    if (!strcmp(kind, "aio"))
        done = syscall(SYS_io_setup, 4, &context);
    puts(done < 0 ? "not here" : "ready");
    fflush(stdout);
    return read(0, parameters, 1) < 0;
}
"#;
    let stage = Stage::new();
    stage.write("other.c", SOURCE.as_bytes());
    let compile = |flags: &[&str], program: &str| {
        let compiled = Command::new("gcc")
            .args(flags)
            .args(["-o", program, "other.c"])
            .current_dir(stage.path(""))
            .stderr(Stdio::null())
            .status();
        compiled.unwrap().success()
    };
    assert!(compile(&[], "other"));
    // Not every compiler makes them.
    let has_small = compile(&["-m32"], "small");
    let kinds = [
        ("other", "rings", 1, "uses io_uring"),
        ("other", "aio", 1, "uses asynchronous input"),
        ("small", "", 1, "is a 32-bit program"),
    ];
    for (program, kind, status, said) in kinds {
        if program == "small" && !has_small {
            println!("skipped: no 32-bit programs here");
            continue;
        }
        let mut child = Command::new(stage.path(program))
            .arg(kind)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        if line == "ready\n" {
            let pid = child.id().to_string();
            let tried = reprise(&stage, &["record", "--last", "1s", "--pid", &pid]).output();
            check(&tried.unwrap(), status, said);
        } else {
            println!("skipped: no {kind} here");
        }
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn who_belongs_to_somebody_else_is_not_attached_to() {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: only root can be another user");
        return;
    }
    let stage = Stage::new();
    let copied = Command::new("cp")
        .arg(REPRISE)
        .arg(stage.path("reprise"))
        .status();
    assert!(copied.unwrap().success());
    let opened = Command::new("chmod")
        .arg("755")
        .arg(stage.path(""))
        .status();
    assert!(opened.unwrap().success());
    let mut program = Command::new("sleep").arg("1000").spawn().unwrap();
    let tried = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(stage.path("reprise"))
        .args(["record", "--last", "1s", "--pid", &program.id().to_string()])
        .current_dir("/")
        .env("XDG_RUNTIME_DIR", "/tmp")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    check(&tried, 1, "it belongs to user 0");
    program.kill().unwrap();
    program.wait().unwrap();
}

/// Who looks after orphans is not left with any of ours when it is let go.
#[test]
fn who_looks_after_orphans_gets_none_of_ours() {
    let stage = Stage::new();
    compile(&subject("process-orphans"), &stage.path("program"));
    let mut child = Command::new(stage.path("program"))
        .arg("on")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut rounds = |count: usize| {
        for _ in 0..count {
            assert_eq!(said.next().unwrap().unwrap(), "4");
        }
    };
    rounds(1);
    let pid = child.id().to_string();
    let options = ["--last", "10s", "--pid", &pid];
    let recorder = reprise(&stage, &[&["record"], &options[..]].concat()).spawn();
    until_recorded(&stage, &pid);
    rounds(5);
    let stopped = reprise(&stage, &["stop", &pid]).output().unwrap();
    assert!(stopped.status.success(), "{stopped:?}");
    let recorder = recorder.unwrap().wait_with_output().unwrap();
    assert_eq!(recorder.status.code(), Some(0), "{recorder:?}");
    rounds(5);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
