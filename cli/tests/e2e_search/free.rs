//! Threads that ran as they liked, and follow what they did then.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reprise_jvm_testing::{agent_library, jdks};

use crate::stage::{Stage, is_complete, said};

/// Monitors, volatile fields, atomics, locks, conditions, barriers, latches, semaphores,
/// queues, pools, futures, parking, interrupts, the time, random numbers and hashes.
#[test]
fn what_ran_freely_is_followed() {
    let stage = Stage::new("schedule-free");
    for java in jdks() {
        let home = java.display().to_string().replace('/', "-");
        for what in ["free", "free:all"] {
            let name = format!("{}{home}.sched", what.replace(':', "-"));
            let option = format!("--schedule={what}");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            assert!(is_complete(&recorded), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

/// Maps that call back with a monitor of the JDK's own, periods, timers, threads of pools that
/// begin in the program, selectors, and a daemon that is far from any place when the JVM ends.
#[test]
fn what_libraries_do_is_followed() {
    let stage = Stage::new("schedule-library");
    for java in jdks() {
        let home = java.display().to_string().replace('/', "-");
        let name = format!("library{home}.sched");
        let (file, recorded) = stage.record(&java, &name, &["--schedule=free"]);
        assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
        assert!(is_complete(&recorded), "{recorded:?}");
        stage.follow(&java, &file, &recorded, "ended with status 0");
    }
}

/// Parallel streams, fork and join, futures and publishers: which thread of a pool takes which part
/// is decided inside of the JDK, with more threads than processors as well.
#[test]
fn what_pools_divide_among_threads_is_followed() {
    let stage = Stage::new("schedule-streams");
    let threads = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=4";
    for (number, java) in jdks().into_iter().enumerate() {
        for (what, words) in [
            ("free", &[threads, "-cp", ".", "Main"][..]),
            ("free:all", &["-cp", ".", "Main"]),
        ] {
            let name = format!("{number}{}.sched", what.replace(':', "-"));
            let option = format!("--schedule={what}");
            let record = ["record", &option, "-o", &name].map(OsStr::new);
            let recorded = stage.jvm(&java, &record, words);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            assert!(is_complete(&recorded), "{recorded:?}");
            for _ in 0..2 {
                let replay = ["replay", &name].map(OsStr::new);
                let played = stage.jvm(&java, &replay, words);
                assert_eq!(played.status.code(), Some(0), "{played:?}");
                assert_eq!(played.stdout, recorded.stdout);
            }
        }
    }
}

/// Synchronisers that a program makes below those of the JDK, which calls them back as often as it finds
/// threads in its queue.
#[test]
fn what_the_jdk_asks_of_classes_below_its_own_is_followed() {
    let stage = Stage::new("schedule-synchronisers");
    for (number, java) in jdks().into_iter().enumerate() {
        for what in ["free", "free:all"] {
            let name = format!("{number}{}.sched", what.replace(':', "-"));
            let option = format!("--schedule={what}");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            assert!(is_complete(&recorded), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

/// A table of the JDK's says whom the program has been asked for, and threads that look into it at the same
/// time both ask.
#[test]
fn what_the_jdk_asks_the_program_for_once_is_followed() {
    let stage = Stage::new("schedule-handlers");
    for (number, java) in jdks().into_iter().enumerate() {
        let name = format!("{number}.sched");
        let (file, recorded) = stage.record(&java, &name, &["--schedule=free"]);
        assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
        assert!(is_complete(&recorded), "{recorded:?}");
        stage.follow(&java, &file, &recorded, "ended with status 0");
    }
}

/// A JVM that ends waits for a daemon until it has come to a place, as long as that computes: a
/// process that gets a processor for a tenth of the time needs ten times as long.
#[test]
fn the_end_waits_for_daemons_by_the_processor_that_they_get() {
    let stage = Stage::new("schedule-daemon");
    let java = jdks().remove(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .env("REPRISE_AGENT", agent_library())
        .current_dir(stage.folder.path())
        .args(["record", "--schedule=free", "-o", "x.sched", "--"])
        .arg(&java)
        .args(["-cp", ".", "Main"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let pid = line.trim().strip_prefix("ends ").unwrap().parse().unwrap();
    let pid = Pid::from_raw(pid);
    let begun = Instant::now();
    // Its process is there until it has been waited for, which is what ends this.
    while child.try_wait().unwrap().is_none() {
        let _ = kill(pid, Signal::SIGSTOP);
        sleep(Duration::from_millis(180));
        let _ = kill(pid, Signal::SIGCONT);
        sleep(Duration::from_millis(20));
    }
    let took = begun.elapsed();
    let output = child.wait_with_output().unwrap();
    // Otherwise it would have waited for long enough by the clock as well.
    assert!(took > Duration::from_secs(6), "{took:?} {output:?}");
    assert!(is_complete(&output), "{output:?}");
}

/// What is to run at the end is started by the JVM, while a daemon may have the turn. That one has come to
/// the same place so often that it has not written it down yet.
#[test]
fn what_runs_at_the_end_waits_for_no_turn() {
    let stage = Stage::new("schedule-hooks");
    for (number, java) in jdks().into_iter().enumerate() {
        for strategy in ["free", "random"] {
            let name = format!("{strategy}{number}.sched");
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option, "--seed", "1"]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            assert_eq!(recorded.stdout, b"worked\nat the end\n");
            assert!(is_complete(&recorded), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

/// Two threads add to a plain field: with all accesses, whatever came of it comes again.
#[test]
fn races_are_followed_when_all_accesses_are_recorded() {
    let stage = Stage::new("schedule-lost");
    let java = jdks().remove(0);
    for number in 0..3 {
        let name = format!("{number}.sched");
        let (file, recorded) = stage.record(&java, &name, &["--schedule=free:all"]);
        let status = recorded.status.code().unwrap();
        let last = format!("ended with status {status}");
        stage.follow(&java, &file, &recorded, &last);
    }
}

#[test]
fn what_nobody_chooses_is_not_searched() {
    let stage = Stage::new("schedule-lost");
    let java = jdks().remove(0);
    let options = ["--schedule=free", "--runs", "5"];
    let (file, output) = stage.record(&java, "none.sched", &options);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(said(&output).contains("nobody chooses"), "{output:?}");
    assert!(!file.exists());
    let missing: &OsStr = "--schedule=free:some".as_ref();
    let output = stage.reprise(&java, &["record".as_ref(), missing]);
    assert!(said(&output).contains("free:all"), "{output:?}");
}
