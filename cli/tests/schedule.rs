//! `reprise schedule` as people and programs see it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};

const LOST_UPDATE: &str = "\
# Both read before either writes.
in Main.java:8 1
switch 1
before Adder run()V 5 1
switch 2
before Adder run()V 9 1
die 1
before Adder run()V 9 1
die 0
";

/// Runs a command of `reprise schedule` in a folder with files.
fn schedule(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reprise"))
        .arg("schedule")
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

/// Compares what is printed, on both outputs.
fn check(arguments: &[&str], files: &[(&str, &str)], status: i32, expected: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = schedule(folder.path(), arguments);
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    expected.assert_eq(&text);
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn what_is_right_is_counted() {
    check(
        &["check", "a.sched"],
        &[("a.sched", LOST_UPDATE)],
        0,
        &expect![[r#"
            a.sched: 4 events, 4 switches, 3 threads; nothing wrong
        "#]],
    );
    let messages = "thread 0\nbefore A a 1 1\nsend 1 1\nthread 1\nreceive 0 1\n";
    check(
        &["check", "a.sched"],
        &[("a.sched", messages)],
        0,
        &expect![[r#"
            a.sched: 1 event, 1 message, 2 threads; nothing wrong
        "#]],
    );
    check(
        &["check", "a.sched"],
        &[("a.sched", "")],
        0,
        &expect![[r#"
            a.sched: 0 events, 0 switches, 1 thread; nothing wrong
        "#]],
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let text = "befor Main.java:8 1\nswitch \u{1b}[2J\n";
    check(
        &["check", "a.sched"],
        &[("a.sched", text)],
        2,
        &expect![[r#"
            a.sched:1:1: error: there is no command 'befor'
              try: write 'before CLASS METHOD OFFSET COUNT' or 'before FILE:LINE COUNT'
            a.sched:2:8: error: '\x1b[2J' is no thread: it is not a number, nor numbers with dots between them
              try: write 0 for main, 1 for the thread created first, or 0.2.1 for the first child of main's second
            a.sched: 2 errors
        "#]],
    );
    let text = "before A a 1 1\nswitch 1\nbefore A a 1 1\ndie 1\nterminate\nswitch 0\n";
    check(
        &["check", "a.sched"],
        &[("a.sched", text)],
        1,
        &expect![[r#"
            a.sched:4: error: thread 1 is dead
              try: a thread does nothing after 'die'
            a.sched:6: warning: this is never performed: 'terminate' comes before it
              try: leave it out
            a.sched: 2 events, 3 switches, 2 threads; 1 error, 1 warning
        "#]],
    );
    let text = "before A a 1 1\nswitch 0\n";
    check(
        &["check", "a.sched"],
        &[("a.sched", text)],
        0,
        &expect![[r#"
            a.sched:2: warning: thread 0 switches to itself
              try: leave the switch out
            a.sched: 1 event, 1 switch, 1 thread; 0 errors, 1 warning
        "#]],
    );
    check(
        &["check", "--json", "a.sched"],
        &[("a.sched", text)],
        0,
        &expect![[r#"
            {
              "classes": null,
              "events": 1,
              "file": "a.sched",
              "findings": [
                {
                  "column": null,
                  "hint": "leave the switch out",
                  "line": 2,
                  "severity": "warning",
                  "what": "thread 0 switches to itself"
                }
              ],
              "format": 1,
              "schedule": "switches",
              "switches": 1,
              "threads": 1
            }
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_no_schedule() {
    check(
        &["check", "none.sched"],
        &[],
        2,
        &expect![[r#"
        reprise: cannot read the schedule none.sched: No such file or directory
    "#]],
    );
    check(
        &["check", "a.sched", "--program", "none.jar"],
        &[("a.sched", LOST_UPDATE)],
        2,
        &expect![[r#"
            reprise: cannot read the program none.jar: No such file or directory
              try: name a jar, a folder of classes, or a class file
        "#]],
    );
    check(
        &["check", "a.sched", "--program", "a.jar"],
        &[("a.sched", LOST_UPDATE), ("a.jar", "no zip")],
        2,
        &expect![[r#"
            reprise: cannot read the program a.jar: invalid Zip archive: Could not find EOCD
              try: name a jar, a folder of classes, or a class file
        "#]],
    );
    check(
        &["check", "a.sched", "--program", "A.class"],
        &[("a.sched", LOST_UPDATE), ("A.class", "no class")],
        1,
        &expect![[r#"
            a.sched:2: error: no class of the program says that it was compiled from Main.java
              try: compile with -g, or write class, method and offset
            a.sched:3: error: there can be no thread 1: nothing in the program starts one
              try: is this the right program?
            a.sched:4: error: there is no class Adder in the program
              try: is this the right program, with all of its jars?
            a.sched:6: error: there is no class Adder in the program
              try: is this the right program, with all of its jars?
            a.sched:8: error: there is no class Adder in the program
              try: is this the right program, with all of its jars?
            a.sched: 4 events, 4 switches, 3 threads; against 0 classes: 5 errors
            reprise: 1 class files cannot be read and are left out; the first is A.class: not a class file: it begins with 6E6F2063
        "#]],
    );
    check(
        &["convert", "--to", "messages", "a.sched"],
        &[("a.sched", "swich 1\nswich 2\n")],
        2,
        &expect![[r#"
            reprise: cannot read the schedule a.sched: line 1, column 1: there is no command 'swich' (and 1 more)
              try: write 'switch THREAD' or 'switch none'
              try: reprise schedule check a.sched
        "#]],
    );
}

#[test]
fn formats_become_each_other() {
    check(
        &["convert", "--to", "messages", "a.sched"],
        &[("a.sched", LOST_UPDATE)],
        0,
        &expect![[r#"
            thread 0
              in Main.java:8 1
              send 1 1
              receive 1 4

            thread 1
              receive 0 1
              before Adder run()V 5 1
              send 2 2
              receive 2 3
              before Adder run()V 9 1
              die
              send 0 4

            thread 2
              receive 1 2
              before Adder run()V 9 1
              die
              send 1 3
        "#]],
    );
    let stuck = "thread 0\nreceive 1 1\nthread 1\nreceive 0 1\n";
    check(
        &["convert", "--to", "switches", "a.sched"],
        &[("a.sched", stuck)],
        1,
        &expect![[r#"
            reprise: cannot convert a.sched: thread 0 waits for the message 1 of thread 1, which does not send it (again)
              try: add the 'send', or 'receive' from the thread itself to keep it where it is
        "#]],
    );
}

#[test]
fn a_conversion_and_its_reverse_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.sched"), LOST_UPDATE).unwrap();
    let to = |format, from, name| {
        let output = schedule(
            folder.path(),
            &["convert", "--to", format, from, "-o", name],
        );
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout.is_empty());
    };
    to("messages", "a.sched", "b.sched");
    to("switches", "b.sched", "c.sched");
    to("switches", "a.sched", "d.sched");
    let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("c.sched"), read("d.sched"));
    assert!(LOST_UPDATE.ends_with(&read("d.sched")));
    let again = schedule(
        folder.path(),
        &["convert", "--to", "switches", "a.sched", "-o", "d.sched"],
    );
    assert_eq!(again.status.code(), Some(2));
    expect![[r#"
        reprise: cannot create d.sched: File exists
          try: another name: no file is written over
    "#]]
    .assert_eq(&String::from_utf8(again.stderr).unwrap());
}

/// What is beside a schedule belongs to its run: it would be given to another.
#[test]
fn no_schedule_is_written_beside_the_values_of_another_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.sched.values"), "thread 0\n  7\n").unwrap();
    for strategy in ["--schedule=free", "--schedule=random"] {
        let output = Command::new(env!("CARGO_BIN_EXE_reprise"))
            .args(["record", strategy, "-o", "run.sched", "--", "java", "Main"])
            .current_dir(folder.path())
            .env("COLUMNS", "100")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        expect![[r#"
            reprise: cannot write run.sched.values: it exists, and no file is written over
              try: -o FILE    writes to another name
        "#]]
        .assert_eq(&String::from_utf8(output.stderr).unwrap());
        assert!(!folder.path().join("run.sched").exists());
    }
}

#[test]
fn a_trace_becomes_a_schedule() {
    let trace = "\
0 Main main 3 next 6
0 Main main 6 joining
1 Adder run()V 4 next 5
2 Adder run()V 4
2 Adder run()V 9 dead
1 Adder run()V 5
1 Adder run()V 9 dead
";
    check(
        &["from-trace", "run.trace"],
        &[("run.trace", trace)],
        0,
        &expect![[r#"
            in Main main 6 1
            switch 1
            before Adder run()V 5 1
            switch 2
            before Adder run()V 9 1
            die 1
            before Adder run()V 9 1
            die none
        "#]],
    );
    let files = [("run.trace", "0 Main main 3\n1 Adder run 0\n")];
    check(
        &["from-trace", "run.trace"],
        &files,
        2,
        &expect![[r#"
        reprise: cannot read the trace run.trace: line 1, column 1: thread 0 is left here, and its next bytecode is not given
          try: add 'next OFFSET' or 'next CLASS METHOD OFFSET' to the line
    "#]],
    );
}

#[test]
fn a_trace_comes_through_a_pipe_and_a_bad_one_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_reprise"))
        .args(["schedule", "from-trace", "-", "-o", "a.sched"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"0 M main 0 sleeping\n1 R run 0 next 1\n0 nonsense\n")
        .unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!folder.path().join("a.sched").exists());
}
