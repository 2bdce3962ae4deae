//! Processes that run already.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nix::sys::ptrace;
use nix::unistd::Pid;
use serde_json::Value;

use crate::{allows, doctor, report};

/// A process that ends with the test.
struct Bystander(Child);

impl Bystander {
    fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }

    fn sleep() -> Self {
        Self::start(Command::new("sleep").arg("1000"))
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.0.id().cast_signed())
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn about(pid: Pid) -> Value {
    report(doctor().arg("--pid").arg(pid.to_string()))
}

fn error_about(pid: u32) -> String {
    let output = doctor().arg("--pid").arg(pid.to_string()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn status_line(pid: Pid, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.into()
}

#[test]
fn an_ordinary_process_can_be_attached_to_and_is_left_alone() {
    let sleep = Bystander::sleep();
    let report = about(sleep.pid());
    assert_eq!(allows(&report, "last", "record"), "yes", "{report:#}");
    for (kind, why) in [
        ("observe", "it is not a JVM"),
        ("cut", "only a program that cut"),
    ] {
        assert_eq!(allows(&report, kind, "record"), "no");
        assert!(report["kinds"].to_string().contains(why));
    }
    let process = &report["process"];
    assert_eq!(process["threads"], 1);
    assert!(process["resident"].as_u64().unwrap() > 1000);
    assert_eq!(status_line(sleep.pid(), "TracerPid"), "TracerPid:\t0");
    assert_eq!(status_line(sleep.pid(), "State"), "State:\tS (sleeping)");
}

#[test]
fn a_traced_process_is_somebody_elses() {
    let sleep = Bystander::sleep();
    ptrace::seize(sleep.pid(), ptrace::Options::empty()).unwrap();
    let report = about(sleep.pid());
    let detail = report["process"]["tracing"]["detail"].as_str().unwrap();
    let thread = nix::unistd::gettid();
    let expected = format!("traced already, by process {thread}");
    assert!(detail.contains(&expected), "{detail}");
    assert_eq!(allows(&report, "last", "record"), "no");
}

#[test]
fn a_process_that_is_gone_is_unreadable_input() {
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id();
    // Until somebody asks for its status it is there and yet is not.
    let start = Instant::now();
    let pid_of_it = Pid::from_raw(pid.cast_signed());
    while !status_line(pid_of_it, "State").contains('Z') {
        assert!(start.elapsed() < Duration::from_secs(50));
    }
    assert_eq!(
        error_about(pid),
        format!(
            "reprise: cannot look at process {pid}: it has ended; only its exit status is left\n  \
             try: ps -e    lists the processes that are running\n"
        )
    );
    child.wait().unwrap();
    assert!(error_about(pid).contains("there is no such process"));
}

#[test]
fn a_thread_is_answered_with_its_process() {
    let me = nix::unistd::getpid();
    let thread = nix::unistd::gettid();
    let error = error_about(thread.as_raw().cast_unsigned());
    let expected = format!("it is a thread; its process is {me}");
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn a_jvm_has_to_be_started_by_its_recorder() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Wait.java");
    let program = "class Wait { public static void main(String[] a) throws Exception {\
                   Thread.sleep(1000000); } }";
    fs::write(&source, program).unwrap();
    let jvm = Bystander::start(Command::new("java").arg(&source));
    let maps = format!("/proc/{}/maps", jvm.pid());
    let start = Instant::now();
    while !fs::read_to_string(&maps).unwrap().contains("libjvm.so") {
        assert!(start.elapsed() < Duration::from_secs(50));
        std::thread::sleep(Duration::from_millis(10));
    }
    let report = about(jvm.pid());
    let found = report["process"]["jvm"].to_string();
    assert!(found.contains("from its start"), "{found}");
    assert!(found.contains("reprise record … -- java …"), "{found}");
    assert_eq!(allows(&report, "observe", "record"), "no");
    assert_eq!(allows(&report, "last", "record"), "yes");
}
