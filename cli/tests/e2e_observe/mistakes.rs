//! What is asked for wrongly is said, and the program runs.

use std::fs;

use crate::program::{Program, REPRISE, said, stderr, stdout};

const JAVA: &[&str] = &["--", "java", "-cp", ".", "Main"];

#[test]
fn every_mistake_has_its_line_and_the_program_runs() {
    let program = Program::new();
    fs::write(program.path("there.reprise"), "mine").unwrap();
    let there = program.path("there.reprise").display().to_string();
    for (arguments, expected) in [
        (
            &["--observe", "Crat"][..],
            vec![
                "reprise: no class on the class path matches 'Crat'; the nearest: Cart".to_owned(),
                "reprise: no class that was loaded matched 'Crat'".to_owned(),
                "reprise: nothing was recorded: no observed class was used".to_owned(),
            ],
        ),
        (
            &["--observe", "Cart", "-o", "there.reprise"],
            vec![format!(
                "reprise: not recording: {there} exists, and a recording is never written over"
            )],
        ),
        (
            &["--observe", "Cart", "-o", "/proc/x.reprise"],
            vec![
                "reprise: not recording: cannot write to /proc: No such file or directory"
                    .to_owned(),
            ],
        ),
    ] {
        let output = program.record(&[arguments, JAVA].concat());
        assert_eq!(stdout(&output), "12\n", "{output:?}");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let lines = said(&output);
        for (line, expected) in lines.iter().zip(&expected) {
            assert!(line.starts_with(expected), "{line} is not {expected}");
        }
        assert_eq!(lines.len(), expected.len(), "{lines:?}");
    }
    assert_eq!(fs::read(program.path("there.reprise")).unwrap(), b"mine");
}

#[test]
fn with_require_nothing_runs_unrecorded() {
    let program = Program::new();
    for arguments in [
        &["--require", "--observe", "Crat"][..],
        &["--require", "--observe", "Cart", "-o", "/proc/x.reprise"],
    ] {
        let output = program.record(&[arguments, JAVA].concat());
        assert_eq!(output.status.code(), Some(125), "{output:?}");
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn bad_usage_is_refused_before_anything_runs() {
    let program = Program::new();
    for (arguments, expected) in [
        (
            &["--observe", "a.*.b"][..],
            "a '*' or '**' can only stand alone at the end",
        ),
        (&["--observe", "!Cart"], "no pattern includes any"),
        (
            &["--observe", "@none"],
            "cannot read the list of patterns none",
        ),
        (&["--no-oracle", "--last", "1s"], "cannot be used with"),
        (&["--races", "--schedule"], "cannot be used with"),
        (
            &["--schedule", "--fails-when", "exit != 0"],
            "cannot be used with",
        ),
        (
            &["--observe", "Cart", "--last", "1s"],
            "cannot be used with",
        ),
        (&[], "--observe"),
    ] {
        let output = program.record(&[arguments, JAVA].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains(expected), "{output:?}");
    }
}

#[test]
fn a_command_without_a_jvm_is_named() {
    let program = Program::new();
    let output = program.record(&["--observe", "Cart", "--", "sh", "-c", "exit 5"]);
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(
        said(&output),
        ["reprise: nothing was recorded: the command started no JVM"]
    );
    let output = program.record(&["--observe", "Cart", "--", "no-such-program"]);
    assert_eq!(output.status.code(), Some(127));
}

#[test]
fn a_process_that_is_not_recorded_cannot_be_stopped() {
    let program = Program::new();
    let own = std::process::id().to_string();
    for (pid, expected) in [
        (
            own.as_str(),
            "no recorder here has anything to do with process",
        ),
        ("4194399", "there is no such process"),
    ] {
        let output = program.run(REPRISE, &["stop", pid]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(expected), "{output:?}");
    }
}
