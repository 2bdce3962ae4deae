//! What is recorded, shown, and how the command ends.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::program::{Program, REPRISE, said, stderr, stdout};

#[test]
fn a_java_command_says_the_same_and_the_recording_is_shown() {
    let program = Program::new();
    let plain = program.plain(&[]);
    let command = ["--", "java", "-cp", ".", "Main"];
    let output =
        program.record(&[&["--observe", "Cart", "-o", "x.reprise"], &command[..]].concat());
    assert_eq!(stdout(&output), stdout(&plain));
    assert_eq!(output.status.code(), Some(0));
    let text = stderr(&output);
    assert!(text.starts_with("reprise: recorded x.reprise ("), "{text}");
    assert!(
        text.ends_with("; replay it with: reprise replay x.reprise\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(program.recordings(), ["x.reprise"]);

    let shown = program.run(REPRISE, &["show", "x.reprise", "--events", "--stream", "2"]);
    let shown = stdout(&shown);
    assert!(
        shown.contains("INCALL Cart.add(inside Cart#2, \"tea\", 3)"),
        "{shown}"
    );
    assert!(
        shown.contains("OUTCALL Prices.of(Prices#3, \"tea\") at Cart.total:"),
        "{shown}"
    );
    let page = stdout(&program.run(REPRISE, &["show", "x.reprise", "--limit", "2"]));
    assert!(page.contains("OUTCALLRET 3"), "{page}");
    assert!(page.contains("INCALLRET 12"), "{page}");
    // The user's own command, and the release that a replay has to have.
    assert!(page.contains("\ncommand    java -cp . Main\n"), "{page}");
    let release = stderr(&program.run("java", &["-version"]));
    let release: String = release
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    assert!(page.contains(&format!("; java {release}.")), "{page}");
    assert!(page.contains("reprise replay x.reprise"), "{page}");
}

#[test]
fn the_exit_status_is_the_programs_own() {
    let program = Program::new();
    for (how, status) in [("fail", 1), ("exit", 7), ("kill", 9)] {
        let plain = program.plain(&[how]);
        let out = format!("{how}.reprise");
        let output = program.record(&[
            "--observe",
            "Cart",
            "-o",
            &out,
            "--keep",
            "failures",
            "--",
            "java",
            "-cp",
            ".",
            "Main",
            how,
        ]);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(stdout(&output), stdout(&plain));
        let text = stderr(&output);
        let own: String = text
            .lines()
            .filter(|line| !line.starts_with("reprise: "))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(own, stderr(&plain));
        assert!(text.contains(&format!("recorded {out}")), "{text}");
        assert_eq!(program.run(REPRISE, &["show", &out]).status.code(), Some(0));
    }
}

#[test]
fn a_run_that_did_not_fail_is_not_kept() {
    let program = Program::new();
    let output = program.record(&[
        "--observe",
        "Cart",
        "--keep",
        "failures",
        "--",
        "java",
        "-cp",
        ".",
        "Main",
    ]);
    assert_eq!(
        said(&output),
        ["reprise: nothing kept: it ended with status 0 (--keep all keeps every run)"]
    );
    assert_eq!(program.recordings(), Vec::<String>::new());
}

/// A start script looks at the version first; that JVM leaves no recording.
#[test]
fn a_script_that_ends_in_java_is_recorded() {
    let program = Program::new();
    let script = program.path("start.sh");
    let text =
        "#!/bin/sh\njava -version >/dev/null 2>&1\njava -cp . Main \"$@\"\njava -cp . Main\n";
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let output = program.record(&[
        "--observe",
        "Cart",
        "-o",
        "x.reprise",
        "--no-oracle",
        "--",
        "./start.sh",
        "exit",
    ]);
    assert_eq!(stdout(&output), "12\n12\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(program.recordings(), ["x-2.reprise", "x.reprise"]);
    assert_eq!(said(&output).len(), 2, "{output:?}");
}

#[test]
fn a_dry_run_counts_and_suggests() {
    let program = Program::new();
    let output = program.record(&[
        "--observe",
        "Cart",
        "--dry-run",
        "--",
        "java",
        "-cp",
        ".",
        "Main",
    ]);
    assert_eq!(stdout(&output), "12\n");
    assert_eq!(program.recordings(), Vec::<String>::new());
    let text = stderr(&output);
    // The constructor's list, two adds and one get; three calls of it and its
    // constructor; one price.
    assert!(
        text.contains("9 calls cross the boundary of 1 classes"),
        "{text}"
    );
    assert!(text.contains("4  Main calls Cart\n"), "{text}");
    assert!(text.contains("1  Cart calls Prices\n"), "{text}");
    assert!(text.contains("3  Cart calls java.util.List\n"), "{text}");
}

#[test]
fn patterns_may_be_in_a_file() {
    let program = Program::new();
    fs::write(
        program.path("list"),
        "# the shop\nCart\n!Prices # not this\n",
    )
    .unwrap();
    let output = program.record(&["--observe", "@list", "--", "java", "-cp", ".", "Main"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(program.recordings().len(), 1, "{output:?}");
}
