//! `doctor` on machines that lack something: each lack is forced, and the
//! verdict and the fix are looked at.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

mod denied;
mod processes;
mod programs;

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Cargo puts the agent's library beside this test's own executable.
fn agent() -> PathBuf {
    env::current_exe()
        .unwrap()
        .with_file_name("libreprise_jvm.so")
}

fn doctor() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.args(["doctor", "--json"]);
    command.env("REPRISE_AGENT", agent());
    command.env_remove("JAVA_HOME");
    command
}

fn report(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    parse(&output)
}

fn parse(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    // Behind the lines that the test harness prints when it is the launcher.
    let start = text.find('{').unwrap_or_else(|| panic!("{output:?}"));
    let report: Value = serde_json::from_str(&text[start..]).unwrap();
    let kinds = report["kinds"].as_array().unwrap();
    let any = kinds.iter().any(|kind| kind["record"]["verdict"] != "no");
    assert_eq!(output.status.code(), Some(i32::from(!any)));
    report
}

/// The verdict on recording or replaying a kind.
fn allows(report: &Value, kind: &str, act: &str) -> String {
    let kinds = report["kinds"].as_array().unwrap();
    let kind = kinds.iter().find(|entry| entry["kind"] == kind).unwrap();
    kind[act]["verdict"].as_str().unwrap().into()
}

fn assert_probe(report: &Value, probe: &str, state: &str, detail: &str, fix: &str) {
    let found = &report["probes"][probe];
    assert_eq!(found["state"], state, "{found}");
    let text = found["detail"].as_str().unwrap();
    assert!(text.contains(detail), "{text}");
    let fixes = found["fixes"].to_string();
    assert!(fixes.contains(fix), "{fixes}");
}

/// The verdict on this very machine, with nothing taken from it.
fn here(kind: &str, act: &str) -> String {
    allows(&report(&mut doctor()), kind, act)
}

#[test]
fn what_works_here_is_said_to_work() {
    let report = report(&mut doctor());
    let works = |probe: &str| report["probes"][probe]["state"] == "works";
    // What the gate itself needs, so it is there.
    for probe in ["jdk", "ptrace", "seccomp", "gdb"] {
        assert!(works(probe), "{report:#}");
    }
    // What a container or a chroot may forbid, asked in another way.
    let unshare = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "--pid", "--fork"])
        .args(["--net", "--ipc", "true"])
        .output();
    let unshared = unshare.is_ok_and(|output| output.status.success());
    assert_eq!(works("namespaces"), unshared, "{report:#}");
    let yes = |good| if good { "yes" } else { "but" };
    assert_eq!(allows(&report, "observe", "record"), "yes");
    let walled = if works("landlock") { "yes" } else { "no" };
    assert_eq!(allows(&report, "observe", "replay"), walled);
    assert_eq!(allows(&report, "schedule", "record"), "yes");
    assert_eq!(allows(&report, "schedule", "replay"), "yes");
    assert_eq!(allows(&report, "last", "record"), "yes");
    assert_eq!(allows(&report, "last", "replay"), yes(unshared));
    for jdk in report["jdks"].as_array().unwrap() {
        let capabilities = jdk["capabilities"].as_array().unwrap();
        assert!(capabilities.contains(&"can_retransform_classes".into()));
        assert!(jdk["version"].as_str().unwrap().contains("VM"));
    }
}

#[test]
fn the_shape_of_the_json_is_stable() {
    let report = report(&mut doctor());
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(report["format"], 2);
    assert_eq!(report["process"], Value::Null);
    assert_eq!(
        keys(&report),
        [
            "format", "jdks", "kinds", "machine", "probes", "process", "version"
        ]
    );
    assert_eq!(
        keys(&report["machine"]),
        [
            "cores",
            "disk_free",
            "kernel",
            "memory_available",
            "memory_limit"
        ]
    );
    let kind = &report["kinds"][0];
    assert_eq!(
        keys(kind),
        ["kind", "option", "promise", "record", "records", "replay"]
    );
    assert_eq!(keys(&kind["record"]), ["reasons", "verdict"]);
    assert_eq!(
        keys(&report["probes"]["ptrace"]),
        ["detail", "fixes", "state"]
    );
    let names: Vec<&str> = report["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["kind"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["observe", "schedule", "last", "cut"]);
}

#[test]
fn the_text_has_a_table_and_no_colour_in_a_pipe() {
    let output = doctor().env("PATH", "/no/such").output().unwrap();
    let json = parse(&output);
    let output = Command::new(env!("CARGO_BIN_EXE_reprise"))
        .arg("doctor")
        .env("REPRISE_AGENT", agent())
        .env("PATH", "/no/such")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\x1b'), "{text}");
    for kind in json["kinds"].as_array().unwrap() {
        let option = kind["option"].as_str().unwrap();
        let row = text.lines().find(|line| line.starts_with(option)).unwrap();
        assert!(row.ends_with(kind["records"].as_str().unwrap()), "{row}");
    }
    assert!(text.contains("\n    gdb is not installed\n      costs: replay --debug"));
    assert!(
        text.contains("\n      fix: sudo apt install gdb\n"),
        "{text}"
    );
}
