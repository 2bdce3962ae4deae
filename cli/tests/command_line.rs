//! What people see of the command line: help, errors, exit statuses, pages.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

use std::fs::File;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};

fn reprise(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.args(arguments).env("COLUMNS", "100");
    command
}

/// Runs the program and compares its status with what it printed, on standard
/// output if it was done and on standard error otherwise.
fn check(arguments: &[&str], status: i32, expected: &Expect) {
    let output = reprise(arguments).output().unwrap();
    let (text, other) = if status == 0 {
        (output.stdout, output.stderr)
    } else {
        (output.stderr, output.stdout)
    };
    // Clap indents empty lines.
    let text = String::from_utf8(text).unwrap();
    let lines: String = text
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    expected.assert_eq(&lines);
    assert_eq!(String::from_utf8(other).unwrap(), "");
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn help_is_short_and_grouped() {
    check(
        &["--help"],
        0,
        &expect![[r#"
            Record a part of a program's run and replay exactly that part.

            A failure in production can rarely be reproduced at a desk. Reprise records just enough of a run to
            play it again elsewhere, under an ordinary debugger.

            Usage: reprise <COMMAND>

            Record and replay:
              record       Run a command and record it; the exit status is the command's own
              replay       Play a recording, and say whether it went as recorded
              merge        Put many users' shares together until the failure replays
              java         Instrument a jar ahead of time, for JVMs that take no agent

            Choose functions of a C program:
              cc           Compile and link C as clang does, and keep what `reprise cut` needs
              cut          Find where a C program is cheapest to record, and build it to be recorded there

            Control a recorder that is running:
              dump         Have the last moments of a running program written down
              status       Say what recorders are running, and what they keep
              stop         Stop recording a program, which runs on

            Find out what works here:
              tour         See it work, in under a minute: no root, no network, nothing left behind
              doctor       Say what can be recorded and replayed here, and the fix for each no

            Look into a recording:
              show         Show what a recording holds: how it ended, the failure, the last events

            Write down in which order threads run:
              schedule     Check, convert, make and shorten thread schedules, which are texts
              share        Hand out shares: who records which part of what a program's threads share

            Set up:
              completions  Print a script that completes reprise's commands and options in a shell
              man          Print a man page, or write all of them into a folder

            Options:
              -h, --help
                      Print help (see a summary with '-h')

              -V, --version
                      Print version

            Examples:
              reprise tour                             see it work, in under a minute
              reprise record --last 10s -- ./server    run a program; keep a recording if it crashes
              reprise show                             what the latest recording in this folder holds
              reprise replay                           play the latest recording
              reprise doctor                           what works on this machine, and how to fix the rest
              reprise COMMAND --help                   all about a command, with examples

            Exit status:
              0  done
              1  failed
              2  bad usage, or an input that cannot be read
              3  diverged: a replay did something else than its recording
        "#]],
    );
}

#[test]
fn help_of_a_command_has_examples() {
    check(
        &["doctor", "--help"],
        0,
        &expect![[r#"
        Say what can be recorded and replayed here, and the fix for each no

        Every verdict comes from trying: a child is traced, restricted and sandboxed, each JDK is started
        with the agent. Nothing is changed and nothing stays running.

        Usage: reprise doctor [OPTIONS]

        Options:
              --json
                  Print one JSON object instead of text.

                  It has the fields `format` (2), `version`, `machine`, `kinds`, `probes`, `jdks` and
                  `process`. Each kind has `record` and `replay`, each of these a `verdict` ("yes", "but" or
                  "no") and `reasons` with `what`, `costs` and `fixes`. New fields may be added; these keep
                  their meaning while `format` is 2.

              --pid <N>
                  Ask about the running process N: can it be recorded by attaching to it?

          -h, --help
                  Print help (see a summary with '-h')

        Examples:
          reprise doctor
          reprise doctor --pid 4711
          reprise doctor --json | jq '.kinds[] | {kind, record: .record.verdict}'

        Exit status:
          0  at least one kind of recording can be made here (of that process)
          1  none can
          2  there is no such process
    "#]],
    );
    check(
        &["completions", "-h"],
        0,
        &expect![[r#"
        Print a script that completes reprise's commands and options in a shell

        Usage: reprise completions <SHELL>

        Arguments:
          <SHELL>  The shell to complete in [possible values: bash, elvish, fish, powershell, zsh]

        Options:
          -h, --help  Print help

        Examples:
          reprise completions bash > ~/.local/share/bash-completion/completions/reprise
          reprise completions zsh  > ~/.zfunc/_reprise
          reprise completions fish > ~/.config/fish/completions/reprise.fish
    "#]],
    );
    check(
        &["man", "-h"],
        0,
        &expect![[r#"
        Print a man page, or write all of them into a folder

        Usage: reprise man [OPTIONS] [COMMAND]

        Arguments:
          [COMMAND]  Print the page of this command instead of the program's

        Options:
              --dir <DIR>  Write one page for the program and one for each command into DIR, which is
                           created when it does not exist
          -h, --help       Print help

        Examples:
          reprise man | man -l -            read the page of the program
          reprise man doctor | man -l -     read the page of a command
          reprise man --dir ~/.local/share/man/man1
    "#]],
    );
}

#[test]
fn bad_usage_is_answered_with_what_is_near() {
    check(
        &["doktor"],
        2,
        &expect![[r#"
        reprise: unrecognized subcommand 'doktor'

          tip: a similar subcommand exists: 'doctor'

        Usage: reprise <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["doctor", "--jsn"],
        2,
        &expect![[r#"
        reprise: unexpected argument '--jsn' found

          tip: a similar argument exists: '--json'

        Usage: reprise doctor --json

        For more information, try '--help'.
    "#]],
    );
    check(
        &["doctor", "--pid", "0"],
        2,
        &expect![[r#"
        reprise: invalid value '0' for '--pid <N>': 0 is not in 1..=2147483647

        For more information, try '--help'.
    "#]],
    );
    check(
        &["cut", "./nothing", "--weigh", "--", "./nothing"],
        2,
        &expect![[r#"
        reprise: cannot weigh ./nothing: No such file or directory
    "#]],
    );
    check(
        &["completions"],
        2,
        &expect![[r#"
        reprise: the following required arguments were not provided:
          <SHELL>

        Usage: reprise completions <SHELL>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn no_command_is_bad_usage_and_shows_the_help() {
    let output = reprise(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let help = reprise(&["-h"]).output().unwrap();
    assert_eq!(output.stderr, help.stdout);
}

#[test]
fn the_version_is_the_packages() {
    let output = reprise(&["--version"]).output().unwrap();
    let expected = concat!("reprise ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(output.stdout, expected.as_bytes());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let commands: [&[&str]; 5] = [
        &["--help"],
        &["doctor", "--help"],
        &["man"],
        &["completions", "bash"],
        &["doctor"],
    ];
    for arguments in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = reprise(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = reprise(&["man"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    expect![[r#"
        reprise: cannot write to standard output: No space left on device
    "#]]
    .assert_eq(&String::from_utf8(output.stderr).unwrap());
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("new/man1");
    let output = reprise(&["man", "--dir"]).arg(&pages).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut names: Vec<String> = std::fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "reprise-cc.1",
            "reprise-completions.1",
            "reprise-cut.1",
            "reprise-doctor.1",
            "reprise-dump.1",
            "reprise-java-instrument.1",
            "reprise-java.1",
            "reprise-man.1",
            "reprise-merge.1",
            "reprise-record.1",
            "reprise-replay.1",
            "reprise-schedule-check.1",
            "reprise-schedule-convert.1",
            "reprise-schedule-from-trace.1",
            "reprise-schedule-minimize.1",
            "reprise-schedule.1",
            "reprise-share-plan.1",
            "reprise-share.1",
            "reprise-show.1",
            "reprise-status.1",
            "reprise-stop.1",
            "reprise-tour.1",
            "reprise.1"
        ]
    );
    let printed = reprise(&["man", "doctor"]).output().unwrap().stdout;
    let written = std::fs::read(pages.join("reprise-doctor.1")).unwrap();
    assert_eq!(printed, written);
    let page = String::from_utf8(printed).unwrap();
    for section in [
        ".SH NAME",
        ".SH OPTIONS",
        ".SH \"EXAMPLES\"",
        ".SH \"EXIT STATUS\"",
    ] {
        assert!(page.contains(section), "{section} is not in {page}");
    }
    assert!(
        page.contains("\\&reprise doctor \\-\\-pid 4711\n"),
        "{page}"
    );
}

#[test]
fn a_man_page_that_cannot_be_had_is_a_failure_with_a_reason() {
    check(
        &["man", "nope"],
        2,
        &expect![[r#"
        reprise: cannot print the man page of 'nope': there is no such command
          try: reprise --help
    "#]],
    );
    check(
        &["man", "--dir", "/dev/null/pages"],
        1,
        &expect![[r#"
        reprise: cannot create the folder /dev/null/pages: Not a directory
    "#]],
    );
}

#[test]
fn shells_complete_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let output = reprise(&["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("doctor"), "{shell}");
        assert!(script.contains("pid"), "{shell}");
        assert!(!script.contains("__probe"), "{shell}");
        assert!(!script.contains(" __tour"), "{shell}");
    }
}
