//! Schedules against a program that javac compiled: in a folder, in a jar, in a
//! jar within a jar.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::{Expect, expect};
use reprise_jvm_testing::{compile, jdks, sources};
use tempfile::TempDir;

const SUBJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../subjects/schedule-buffer");

/// The compiled subject, or nothing where there is no JDK.
struct Built {
    folder: TempDir,
}

impl Built {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path().join("classes");
        let javac = Command::new("javac")
            .args(["-encoding", "UTF-8", "--release", "11", "-g", "-d"])
            .arg(&classes)
            .arg(format!("{SUBJECT}/Main.java"))
            .output();
        let Ok(javac) = javac else {
            eprintln!("skipped: there is no javac");
            return None;
        };
        assert!(javac.status.success(), "{javac:?}");
        Some(Self { folder })
    }

    fn classes(&self) -> PathBuf {
        self.folder.path().join("classes")
    }

    /// Puts a folder into a jar.
    fn jar(&self, name: &str, from: &Path) -> PathBuf {
        let jar = self.folder.path().join(name);
        let done = Command::new("jar")
            .arg("cf")
            .arg(&jar)
            .arg("-C")
            .arg(from)
            .arg(".")
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        jar
    }

    fn reprise(&self, arguments: &[&str], program: &Path) -> Output {
        Command::new(env!("CARGO_BIN_EXE_reprise"))
            .arg("schedule")
            .args(arguments)
            .arg("--program")
            .arg(program)
            .current_dir(SUBJECT)
            .output()
            .unwrap()
    }
}

fn check(output: &Output, status: i32, expected: &Expect) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    expected.assert_eq(&text);
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn a_schedule_fits_its_program_wherever_the_classes_are() {
    let Some(built) = Built::new() else { return };
    let classes = built.classes();
    let jar = built.jar("app.jar", &classes);
    let inner = built.folder.path().join("inner");
    fs::create_dir_all(inner.join("BOOT-INF/lib")).unwrap();
    fs::rename(&jar, inner.join("BOOT-INF/lib/app.jar")).unwrap();
    let boot = built.jar("boot.jar", &inner);
    let jar = built.jar("app.jar", &classes);
    for program in [&classes, &jar, &boot] {
        for name in ["failure.sched", "lines.sched"] {
            let output = built.reprise(&["check", name], program);
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                format!(
                    "{name}: 5 events, 4 switches, 4 threads; against 4 classes: nothing wrong\n"
                ),
            );
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
    }
    check(
        &built.reprise(&["check", "failure.sched"], &classes.join("Main.class")),
        1,
        &expect![[r#"
            failure.sched:8: error: there is no class Producer in the program
              try: is this the right program, with all of its jars?
            failure.sched:12: error: there is no class Consumer in the program
              try: is this the right program, with all of its jars?
            failure.sched:16: error: there is no class Consumer in the program
              try: is this the right program, with all of its jars?
            failure.sched:20: error: there is no class Buffer in the program
              try: is this the right program, with all of its jars?
            failure.sched: 5 events, 4 switches, 4 threads; against 1 class: 4 errors
        "#]],
    );
}

#[test]
fn lines_become_bytecodes() {
    let Some(built) = Built::new() else { return };
    let program = built.classes();
    check(
        &built.reprise(&["convert", "--to", "switches", "lines.sched"], &program),
        0,
        &expect![[r#"
            in Main main([Ljava/lang/String;)V 102 1
            switch 1
            before Producer run()V 7 2
            switch 2
            before Consumer run()V 10 1
            switch 3
            before Consumer run()V 18 1
            die 2
            before Buffer get()I 0 1
            terminate
        "#]],
    );
}

/// The classes of the program, but another version of them.
#[test]
fn a_schedule_for_another_version_is_refused_place_by_place() {
    let Some(built) = Built::new() else { return };
    let old = built.folder.path().join("old.sched");
    let text = "\
in Main main 101 1
switch 1
before Producer rum()V 15 1
switch 2
before Consumer run()V 11 1
switch 3
before Consumar run()V 10 1
die 2
in Main.java:33 1
switch 2
before Main.java:67 1
switch 1
in Main.java:67 1
switch 2
before Mian.java:67 1
switch 1
before Main.java:65 1
switch 2
before Main.java:61 1
switch 1
";
    fs::write(&old, text).unwrap();
    let name = old.to_str().unwrap();
    let output = built.reprise(&["check", name], &built.classes());
    let stdout = String::from_utf8(output.stdout).unwrap();
    expect![[r#"
        old.sched:1: error: the bytecode at Main.main([Ljava/lang/String;)V 101 never blocks, so nothing can happen 'in' it
          try: write 'before', or 'in' with offset 102 or 108 or 114
        old.sched:3: error: there is no method rum()V in class Producer
          try: did you mean run()V?
        old.sched:7: error: there is no class Consumar in the program
          try: did you mean Consumer?
        old.sched:9: error: nothing at line 33 of Main.java blocks, so nothing can happen 'in' it
          try: write 'before'
        old.sched:13: error: nothing at line 67 of Main.java blocks, so nothing can happen 'in' it
          try: write 'before'
        old.sched:15: error: no class of the program says that it was compiled from Mian.java
          try: did you mean Main.java?
        old.sched:17: error: there is no code at line 65 of Main.java
          try: there is code at line 64 or 66
        old.sched: 10 events, 10 switches, 4 threads; against 4 classes: 7 errors
    "#]].assert_eq(&stdout.replace(name, "old.sched"));
    assert_eq!(output.status.code(), Some(1));
    let output = built.reprise(&["convert", "--to", "messages", name], &built.classes());
    let stderr = String::from_utf8(output.stderr).unwrap();
    expect![[r#"
        reprise: cannot find the place at line 1 of old.sched: the bytecode at Main.main([Ljava/lang/String;)V 101 never blocks, so nothing can happen 'in' it
          try: write 'before', or 'in' with offset 102 or 108 or 114
    "#]].assert_eq(&stderr.replace(name, "old.sched"));
    assert_eq!(output.status.code(), Some(1));
}

/// A path as Java PathFinder has it becomes a trace, and that a schedule. Only stand-ins of
/// its classes are here; with `REPRISE_JPF`, the listener is compiled against the real ones.
#[test]
fn the_path_that_path_finder_found_becomes_a_schedule() {
    let listener = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jvm/jpf-listener");
    let folder = tempfile::tempdir().unwrap();
    let own = sources(&listener.join("reprise/jpf"));
    match std::env::var("REPRISE_JPF") {
        Ok(jar) => compile(&own, folder.path(), &jar),
        Err(_) => eprintln!("skipped: REPRISE_JPF does not name the jar of Java PathFinder"),
    }
    let mut files = own;
    for part in [
        ".",
        "gov/nasa/jpf",
        "gov/nasa/jpf/vm",
        "gov/nasa/jpf/search",
    ] {
        files.extend(sources(&listener.join("test").join(part)));
    }
    compile(&files, folder.path(), ".");
    // Two adders that both read before either writes. Main's ids are those of a search: 1 was
    // of a thread of another path.
    let path = "\
0 live Main#main([Ljava/lang/String;)V@0 Main#main([Ljava/lang/String;)V@9 java.lang.Thread#join()V@0
2 live Adder#run()V@0 Adder#run()V@4
3 live Adder#run()V@0 Adder#run()V@4
2 live Adder#run()V@4 Adder#run()V@7 Adder#run()V@12
3 live Adder#run()V@4 Adder#run()V@7 Adder#run()V@12
2 dead Adder#run()V@12 Adder#run()V@15
3 dead Adder#run()V@12 Adder#run()V@15
0 dead Main#main([Ljava/lang/String;)V@12
";
    let input = folder.path().join("path");
    fs::write(&input, path).unwrap();
    let mut command = Command::new(&jdks()[0]);
    command
        .current_dir(folder.path())
        .args(["-cp", ".", "Found"])
        .stdin(fs::File::open(&input).unwrap());
    let found = command.output().unwrap();
    assert!(found.status.success(), "{found:?}");
    let trace = fs::read_to_string(folder.path().join("error.trace")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .current_dir(folder.path())
        .args(["schedule", "from-trace", "error.trace"]);
    let made = command.output().unwrap();
    let text = String::from_utf8_lossy(&made.stdout);
    let switches = [
        "in Main main([Ljava/lang/String;)V 9 1\nswitch 1\n",
        "before Adder run()V 4 1\nswitch 2\n",
        "before Adder run()V 4 1\nswitch 1\n",
        "before Adder run()V 12 1\nswitch 2\n",
    ];
    let story = switches.concat();
    assert!(text.contains(&story), "{trace}\n{text}\n{made:?}");
}

/// Programs, and how many threads they create at most; none where that cannot be known.
const CREATE: &[(&str, &str, Option<u32>)] = &[
    (
        "Two",
        "public static void main(String[] a) { new Thread(() -> {}).start(); more(); }
         static void more() { if (System.nanoTime() > 0) new Thread(\"b\").start(); }",
        Some(2),
    ),
    (
        "Twice",
        "public static void main(String[] a) { for (String b : a) { a = null; } more(); more(); }
         private static void more() { new Thread(\"b\").start(); }",
        Some(2),
    ),
    (
        "Initialised",
        "static final Thread T = new Thread(\"a\");
         public static void main(String[] a) { T.start(); }",
        Some(1),
    ),
    (
        "Subclass",
        "static class Worker extends Thread { Worker() { new Thread(\"b\").start(); } }
         static class Below extends Worker {}
         public static void main(String[] a) { new Worker(); new Below(); }",
        Some(4),
    ),
    (
        "Loop",
        "public static void main(String[] a) { for (String b : a) new Thread(b).start(); }",
        None,
    ),
    (
        "LoopAbove",
        "public static void main(String[] a) { for (String b : a) more(); }
         static void more() { new Thread(\"b\").start(); }",
        None,
    ),
    (
        "Again",
        "public static void main(String[] a) { new Thread(\"b\").start(); main(a); }",
        None,
    ),
    (
        "Retries",
        "public static void main(String[] a) {
             while (true) { try { new Thread(a[0]).start(); return; } catch (RuntimeException e) { a = null; } }
         }",
        None,
    ),
    (
        "Lambda",
        "public static void main(String[] a) { Runnable r = () -> new Thread(\"b\").start(); r.run(); r.run(); }",
        None,
    ),
    (
        "Reference",
        "public static void main(String[] a) { java.util.function.Function<String, Thread> f = Thread::new; f.apply(\"b\"); f.apply(\"c\"); }",
        None,
    ),
    (
        "Overridden",
        "public String toString() { new Thread(\"b\").start(); return \"\"; }
         public static void main(String[] a) { new Thread(\"a\").start(); System.out.println(new Overridden()); System.out.println(new Overridden()); }",
        None,
    ),
    (
        "Pool",
        "public static void main(String[] a) { new Thread(\"a\"); java.util.concurrent.Executors.newCachedThreadPool(); }",
        None,
    ),
    (
        "Sorts",
        "public static void main(String[] a) { new Thread(\"a\"); java.util.Arrays.parallelSort(new int[1 << 20]); }",
        None,
    ),
    (
        "Reflects",
        "public static void main(String[] a) throws Exception { new Thread(\"a\"); Class.forName(a[0]).newInstance(); }",
        None,
    ),
    (
        "Handles",
        "public static void main(String[] a) throws Throwable { new Thread(\"a\"); java.lang.invoke.MethodHandles.lookup(); }",
        None,
    ),
];

#[test]
fn threads_that_a_program_cannot_create_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut javac = Command::new(jdks()[0].with_file_name("javac"));
    javac.args(["--release", "11", "-nowarn", "-d"]);
    javac.arg(folder.path().join("classes"));
    for (name, body, _) in CREATE {
        let file = folder.path().join(format!("{name}.java"));
        fs::write(&file, format!("public class {name} {{ {body} }}")).unwrap();
        javac.arg(file);
    }
    let compiled = javac.output().unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    for (name, _, most) in CREATE {
        // Each with its own classes alone.
        let program = folder.path().join(name);
        fs::create_dir(&program).unwrap();
        for entry in fs::read_dir(folder.path().join("classes")).unwrap() {
            let entry = entry.unwrap();
            let file = entry.file_name().into_string().unwrap();
            let own = file.strip_prefix(name);
            if own.is_some_and(|rest| rest.starts_with(['.', '$'])) {
                fs::copy(entry.path(), program.join(file)).unwrap();
            }
        }
        let said = |thread: &str| {
            let text = format!("before {name} main 0 1\nswitch {thread}\n");
            let file = folder.path().join("x.sched");
            fs::write(&file, text).unwrap();
            let mut check = Command::new(env!("CARGO_BIN_EXE_reprise"));
            check.args(["schedule", "check"]).arg(&file);
            let output = check.arg("--program").arg(&program).output().unwrap();
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        for thread in ["99", "0.99"] {
            let expected = match most {
                None => ": nothing wrong\n".to_owned(),
                Some(1) => format!("no thread {thread}: the program creates one thread at most\n"),
                Some(most) => {
                    format!("no thread {thread}: the program creates {most} threads at most\n")
                }
            };
            let said = said(thread);
            assert!(said.contains(&expected), "{name}: {expected}{said}");
        }
        if let Some(most) = most {
            let said = said(&most.to_string());
            assert!(said.contains(": nothing wrong\n"), "{name}: {said}");
        }
    }
}
