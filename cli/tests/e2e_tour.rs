//! The tour as a newcomer sees it: it tells what it should, and leaves nothing
//! behind, whatever happens to it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const PROGRAM: &str = env!("CARGO_BIN_EXE_reprise");

/// A folder for the tour's files that any user may write to.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

fn tour(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg("tour")
        .env("TMPDIR", folder)
        .env("REPRISE_AGENT", library());
    command
}

/// The JVM agent: cargo puts it beside this test's own executable.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.with_file_name("libreprise_jvm.so")
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// The processes that have this text in their command line or environment.
fn running(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let mut bytes = fs::read(process.path().join("cmdline")).unwrap_or_default();
        bytes.extend(fs::read(process.path().join("environ")).unwrap_or_default());
        let all = String::from_utf8_lossy(&bytes).replace('\0', " ");
        if all.contains(text) {
            found.push(all);
        }
    }
    found
}

/// Nothing is left, at the latest after a moment.
fn check_nothing_left(folder: &Path) {
    let text = folder.to_str().unwrap();
    let start = Instant::now();
    loop {
        let processes = running(text);
        if processes.is_empty() && is_empty(folder) {
            return;
        }
        let files: Vec<_> = fs::read_dir(folder).unwrap().collect();
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "left: {processes:?} {files:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn check(command: &mut Command, folder: &Path) {
    let start = Instant::now();
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*errors), (Some(0), ""), "{text}");
    let mut rest = &text[..];
    for line in [
        "1. What this machine can record\n",
        "  $ reprise doctor | head -n 7\n  reprise 0.1.0 on Linux ",
        "\n  cut  ",
        "2. A program is killed while it is recorded\n",
        "  $ reprise show ledger.reprise\n  recording  ledger.reprise, ",
        "  ended      killed by SIGKILL (9)\n",
        "  tour.ledger 1  counter ",
        " from ",
        "it is\ncomplete up to the program's last event.\n",
        "3. The recorder is killed, too\n",
        "  $ reprise show orphan.reprise --limit 3\n  reprise: the recorder had died; ",
        " events were saved from its spool into orphan.reprise\n",
        "  events     200 events in 2 streams\n",
        "All 200 transfers are there",
        "4. A byte of the recording goes bad\n",
        "  $ reprise show damaged.reprise --limit 3\n",
        " events are lost, see below\n",
        "the bytes are not as they were written\n      lost: events ",
        "5. A program crashes, and its run is replayed\n",
        "  $ reprise record --last 10s -o crash.reprise -- ./till -c ",
        "  served 7 cake\n",
        "  $ reprise replay crash.reprise\n  reprise: replayed ",
        "  served 7 cake\n",
        "The same output and the same crash",
        "6. From a crash back to its cause\n",
        "  $ reprise record --last 10s -o overrun.reprise -- ./overrun\n",
        "Program received signal SIGSEGV",
        "Hardware watchpoint 1: table.title\n",
        "index=4)",
        "The fifth word, at index 4",
        "7. A Java program fails, and its class is replayed\n",
        "  $ reprise record --observe Bill -o bill.reprise -- ",
        "java.lang.ArithmeticException: / by zero\n",
        "  reprise: recorded bill.reprise (",
        "  $ reprise replay bill.reprise\n  reprise: replayed 14 events of 1 thread; everything is",
        "  $ reprise replay --debug bill.reprise\n  reprise: waiting for a Java debugger; ",
        "Breakpoint hit: ",
        " guests = 0\n",
        "reprise: replayed 14 events of 1 thread; everything is as recorded\n",
        "Nobody was at the third table",
        "8. Two threads lose an update, and it is explained\n",
        "  $ reprise record --schedule --runs 100 --until-failure -o lost.sched -- ",
        "status 1; recorded lost.sched (",
        "  $ reprise schedule minimize lost.sched -- ",
        "  reprise: lost.min.sched: 4 switches instead of ",
        "  $ reprise show lost.min.sched\n",
        "before it writes Counter.value",
        "  $ reprise replay lost.min.sched -- ",
        "the program ended with status 1\n",
        "  the counter is ",
        "9. Twenty users record a quarter each, and it becomes one failure\n",
        "  $ reprise record --share 0.25 --seed 1 -o 01.share -- ",
        "  reprise: java.lang.IllegalStateException in thread 0, at Main.java:130; recorded 01.share",
        "  $ reprise merge -o money.sched 01.share 02.share ",
        "  reprise: reproduced; recorded money.sched; ",
        "  found      candidate ",
        "Account.balance",
        "  $ reprise replay money.sched -- ",
        "java.lang.IllegalStateException: money is missing\n",
        "  reprise: money.sched: followed, ",
        // What happens in it depends on whether LLVM is here.
        "10. One module of a C server is recorded and replayed alone\n",
        "Where to go on\n",
        "  reprise doctor ",
    ] {
        let Some((_, after)) = rest.split_once(line) else {
            panic!("no {line:?} in {rest}");
        };
        rest = after;
    }
    assert!(start.elapsed() < Duration::from_secs(300));
    check_nothing_left(folder);
}

#[test]
fn the_tour_from_beginning_to_end() {
    let folder = place();
    check(&mut tour(folder.path()), folder.path());
}

#[test]
fn the_tour_without_privileges() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let folder = place();
    // The program may be where only root can read.
    let program = folder.path().join("bin");
    // Not with `fs::copy`: a child that another test starts meanwhile would hold
    // the copy open for writing, and nobody can execute it then.
    let agent = folder.path().join("libreprise_jvm.so");
    for (from, to) in [(Path::new(PROGRAM), &program), (&library(), &agent)] {
        let copied = Command::new("cp").arg(from).arg(to).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(to, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let files = folder.path().join("files");
    fs::create_dir(&files).unwrap();
    fs::set_permissions(&files, fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .arg("tour")
        .env("TMPDIR", &files)
        .current_dir("/");
    check(&mut command, &files);
}

#[test]
fn recordings_can_be_kept() {
    let folder = place();
    let output = tour(folder.path()).arg("--keep").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let kept = text.split_once("\n  cd ").unwrap().1;
    let kept = kept.split_once(' ').unwrap().0;
    let mut names: Vec<_> = fs::read_dir(kept)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let all = names.len();
    names.retain(|name| !name.ends_with(".share"));
    assert_eq!(all - names.len(), 20, "a share of each user");
    let expected = [
        "Main.java",
        "bank",
        "bill.reprise",
        "counter",
        "crash.reprise",
        "damaged.reprise",
        "ledger.reprise",
        "lost.min.sched",
        "lost.min.sched.values",
        "lost.sched",
        "lost.sched.values",
        "money.sched",
        "orphan.reprise",
        "overrun.c",
        "overrun.reprise",
        "symbols",
    ];
    assert_eq!(names, expected, "and nothing else");
}

/// What a chapter needs and does not find is said, with the way to get it.
#[test]
fn a_tour_without_a_jdk_says_how_to_get_one() {
    let folder = place();
    let output = tour(folder.path())
        .env("PATH", folder.path())
        .env("JAVA_HOME", folder.path())
        .env("REPRISE_JDKS", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let said = text.split_once("7. A Java program fails").unwrap().1;
    assert!(said.contains("no JDK of release 11 or later"), "{said}");
    assert!(said.contains("default-jdk-headless"), "{said}");
    check_nothing_left(folder.path());
}

/// Whoever ends it: the user at the keyboard, the system, or a reader that has
/// seen enough.
#[test]
fn a_tour_that_is_ended_leaves_nothing() {
    for signal in [Some(Signal::SIGINT), Some(Signal::SIGTERM), None] {
        let folder = place();
        let mut child = tour(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("it is killed with SIGKILL") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0);
        }
        let expected = match signal {
            Some(signal) => {
                let id = Pid::from_raw(child.id().cast_signed());
                kill(id, signal).unwrap();
                let _ = output.read_to_string(&mut line);
                128 + signal as i32
            }
            None => {
                drop(output);
                0
            }
        };
        let ended = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
        assert_eq!(ended.status.code(), Some(expected));
        check_nothing_left(folder.path());
    }
}
