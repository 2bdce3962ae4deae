//! Schedules that a strategy chose: recorded once, followed again and again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use reprise_jvm_testing::{agent_library, compile, jdks, limited, sources};
use tempfile::TempDir;

/// A compiled subject, and a folder for schedules.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new(name: &str) -> Self {
        let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects");
        let folder = tempfile::tempdir().unwrap();
        compile(&sources(&subjects.join(name)), folder.path(), ".");
        Self { folder }
    }

    fn reprise(&self, java: &Path, arguments: &[&OsStr]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .env("REPRISE_AGENT", agent_library())
            .current_dir(self.folder.path())
            .args(arguments)
            .arg("--")
            .arg(java)
            .args(["-cp", ".", "Main"]);
        limited::output(&mut command)
    }

    /// Records; the file and what the command did.
    fn record(&self, java: &Path, name: &str, options: &[&str]) -> (PathBuf, Output) {
        let file = self.folder.path().join(name);
        let mut arguments: Vec<&OsStr> = vec!["record".as_ref()];
        arguments.extend(options.iter().map(OsStr::new));
        arguments.extend([OsStr::new("-o"), file.as_os_str()]);
        let output = self.reprise(java, &arguments);
        (file, output)
    }

    /// Follows a schedule, which must give the same output and this in the last line.
    fn follow(&self, java: &Path, file: &Path, recorded: &Output, last: &str) {
        let played = self.reprise(java, &["replay".as_ref(), file.as_os_str()]);
        assert_eq!(played.status.code(), Some(0), "{played:?}");
        assert_eq!(played.stdout, recorded.stdout);
        let said = String::from_utf8_lossy(&played.stderr);
        assert!(said.contains(last), "{said}");
    }
}

/// The last lines of a run: what the program printed differs from run to run.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_lost_update_is_found_and_followed() {
    let stage = Stage::new("schedule-lost");
    for java in jdks() {
        let name = format!("{}.sched", java.display().to_string().replace('/', "-"));
        let options = ["--schedule", "--runs", "50", "--until-failure"];
        let (file, found) = stage.record(&java, &name, &options);
        assert_eq!(found.status.code(), Some(1), "{found:?}");
        assert!(said(&found).contains("status 1; recorded"), "{found:?}");
        let last = found.stdout.split(|byte| *byte == b'\n').rev().nth(1);
        let last = last.unwrap().to_vec();
        let once = Output {
            stdout: [last, b"\n".to_vec()].concat(),
            ..found
        };
        for follower in jdks() {
            stage.follow(&follower, &file, &once, "ended with status 1");
        }
    }
}

#[test]
fn a_deadlock_is_found_and_followed() {
    let stage = Stage::new("schedule-deadlock");
    let java = jdks().remove(0);
    let options = ["--schedule", "--runs", "50", "--until-failure"];
    let (file, found) = stage.record(&java, "deadlock.sched", &options);
    assert!(said(&found).contains(": deadlock; recorded"), "{found:?}");
    assert!(
        said(&found).contains("needs a monitor that thread"),
        "{found:?}"
    );
    let once = Output {
        stdout: Vec::new(),
        ..found
    };
    for follower in jdks() {
        stage.follow(&follower, &file, &once, "every thread is blocked");
    }
}

/// Most switches of a schedule do not matter; what is left is told with source lines.
#[test]
fn a_schedule_is_minimized_and_told() {
    let stage = Stage::new("schedule-lost");
    let java = jdks().remove(0);
    let options = ["--schedule", "--runs", "50", "--until-failure"];
    let (file, _) = stage.record(&java, "lost.sched", &options);
    let minimize = ["schedule", "minimize", "lost.sched"].map(OsStr::new);
    let minimized = stage.reprise(&java, &minimize);
    assert_eq!(minimized.status.code(), Some(0), "{minimized:?}");
    let line = said(&minimized);
    assert!(line.contains(": 4 switches instead of"), "{line}");
    assert!(
        line.contains(", 1 where a thread could have gone on"),
        "{line}"
    );
    let short = file.with_extension("min.sched");
    for arguments in [&["--program", "."][..], &[]] {
        let mut show = Command::new(env!("CARGO_BIN_EXE_reprise"));
        let show = show.current_dir(stage.folder.path()).arg("show");
        let told = limited::output(show.arg(&short).args(arguments));
        let told = String::from_utf8(told.stdout).unwrap();
        let (_, told) = told.split_once("\n\n").unwrap();
        let told: Vec<&str> = told.lines().collect();
        assert_eq!(
            told[0],
            "  main      blocks at Main.java:28, in Thread.join"
        );
        assert!(told[1].ends_with("  stops at Main.java:8, before it writes Counter.value"));
        assert!(told[2].ends_with("  runs to its end"));
        assert_eq!(told.len(), 5, "{told:?}");
    }
    for follower in jdks() {
        let played = stage.reprise(&follower, &["replay".as_ref(), short.as_os_str()]);
        assert!(said(&played).contains("ended with status 1"), "{played:?}");
    }
    let again = stage.reprise(&java, &minimize);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("it exists"), "{again:?}");
}

/// A deadlock stays a deadlock, and a schedule without a failure has nothing to keep.
#[test]
fn what_is_minimized_stays_the_same_failure() {
    let stage = Stage::new("schedule-deadlock");
    let java = jdks().remove(0);
    let options = ["--schedule", "--runs", "50", "--until-failure"];
    stage.record(&java, "deadlock.sched", &options);
    let minimize = ["schedule", "minimize", "deadlock.sched"].map(OsStr::new);
    let minimized = stage.reprise(&java, &minimize);
    assert!(said(&minimized).contains("; deadlock; "), "{minimized:?}");
    let nothing = stage.folder.path().join("nothing.sched");
    std::fs::write(&nothing, "").unwrap();
    let minimize = ["schedule", "minimize", "nothing.sched"].map(OsStr::new);
    let refused = stage.reprise(&java, &minimize);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("does not fail"), "{refused:?}");
}

/// Locks, conditions, semaphores, latches, queues, pools and futures.
#[test]
fn what_java_util_concurrent_did_is_followed() {
    let stage = Stage::new("schedule-pool");
    for java in jdks() {
        let home = java.display().to_string().replace('/', "-");
        for strategy in ["random", "pct:3", "pos", "rr:5"] {
            let name = format!("{}-{home}.sched", strategy.replace(':', "-"));
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

#[test]
fn a_strategy_that_is_none_is_refused() {
    let stage = Stage::new("schedule-lost");
    let (_, refused) = stage.record(&jdks()[0], "x.sched", &["--schedule=pct"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("random, pos, pct:D or rr:N"),
        "{refused:?}"
    );
}

#[test]
fn virtual_threads_are_refused() {
    let stage = Stage {
        folder: tempfile::tempdir().unwrap(),
    };
    let newest = jdks()
        .into_iter()
        .find(|java| reprise_jvm_testing::subject::release(java) >= 21);
    let Some(java) = newest else {
        println!("skipped: no JDK here has virtual threads");
        return;
    };
    let source = stage.folder.path().join("Main.java");
    let text = "public class Main { public static void main(String[] arguments) throws Exception {
        Thread.ofVirtual().start(() -> {}).join(); } }";
    std::fs::write(&source, text).unwrap();
    let javac = Command::new(java.with_file_name("javac"))
        .args(["-encoding", "UTF-8", "-d"])
        .arg(stage.folder.path())
        .arg(&source)
        .status();
    assert!(javac.unwrap().success());
    let (_, refused) = stage.record(&java, "x.sched", &["--schedule"]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(said(&refused).contains("virtual thread"), "{refused:?}");
}
