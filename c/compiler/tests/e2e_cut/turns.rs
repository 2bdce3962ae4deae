//! Several threads inside, one at a time.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::says;
use super::stage::Stage;

/// Runs a program that may hang, and says what it says.
fn plain(stage: &Stage, program: &str) -> String {
    let mut command = Command::new(stage.folder.path().join(program));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{program} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// Cuts, runs and records a program of several threads again and again, and replays it.
fn in_turns(stage: &Stage, how: &[&str], times: usize) -> String {
    let cut = [&["cut", "./prog", "-o", "prog.cut"], how].concat();
    let (said, _) = stage.run(&cut);
    let expected = plain(stage, "prog");
    for _ in 0..times {
        assert_eq!(plain(stage, "prog.cut"), expected);
        let _ = std::fs::remove_file(stage.folder.path().join("x.reprise"));
        let (out, err) = stage.run(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
        assert_eq!(out, expected, "{err}");
        let (_, replayed) = stage.run(&["replay", "x.reprise"]);
        let same = "to the end; the memory of the inside is the same";
        assert!(replayed.contains(same), "{err}{replayed}");
    }
    said
}

/// Threads that all come inside, call outside functions and come back: the order in which
/// they do is recorded, and the replay does it again. `cut` has said where they come from.
#[test]
fn threads_take_turns() {
    let stage = Stage::new("c-threads");
    let said = in_turns(&stage, &["--target", "in_*", "--naive"], 5);
    says(
        &said,
        "threads begin (main.c:50) may come to in_work: one thread is inside at a time",
    );
    in_turns(&stage, &["--whole-program"], 5);
}

/// Many threads inside at once.
#[test]
fn a_crowd_of_threads() {
    let stage = Stage::new("c-crowd");
    in_turns(&stage, &["--target", "in_*", "--naive"], 2);
}

/// Threads that wait for each other in loops, with nothing that would let others inside.
#[test]
fn threads_that_spin() {
    let stage = Stage::new("c-spin");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        in_turns(&stage, &["--target", "in_*", "--naive"], 3);
        in_turns(&stage, &["--whole-program"], 3);
    }
}

/// A handler of signals writes to outside memory while the inside runs, which reads that.
/// If it calls an inside function, it does so at a crossing.
#[test]
fn signals_come_at_any_moment() {
    let stage = Stage::new("c-signals");
    let cut = [
        "cut", "./prog", "--target", "in_*", "--naive", "-o", "prog.cut",
    ];
    let (said, _) = stage.run(&cut);
    says(
        &said,
        "signals out_handle (main.c:15) may come to in_add: it waits for a crossing where it \
         interrupts the inside",
    );
    for how in [&[][..], &["calls"]] {
        let _ = std::fs::remove_file(stage.folder.path().join("x.reprise"));
        let record = ["record", "-o", "x.reprise", "--", "./prog.cut"];
        stage.run(&[&record, how].concat());
        let (_, replayed) = stage.run(&["replay", "x.reprise"]);
        let same = "to the end; the memory of the inside is the same";
        assert!(replayed.contains(same), "{replayed}");
    }
}

/// Handlers of signals that are inside wait for crossings, and for as many loops as there are
/// without one.
#[test]
fn handlers_are_inside() {
    let stage = Stage::new("c-alarms");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        for how in [&["--target", "in_*"][..], &["--whole-program"]] {
            let said = in_turns(&stage, how, 3);
            says(
                &said,
                "signals in_tick (main.c:19) may come to in_tick: it waits for a crossing where \
                 it interrupts the inside",
            );
            let (events, _) = stage.run(&["show", "x.reprise", "--events"]);
            let ticks = events.matches("in_tick").count();
            assert!(ticks >= 60, "{ticks} of 60 signals are entries");
        }
    }
}

/// Children that are forked are recorded behind what their parent did, and replay alone.
#[test]
fn children_go_on_inside() {
    let stage = Stage::new("c-forks");
    for how in [&["--target", "in_*", "--naive"][..], &["--whole-program"]] {
        let cut = [&["cut", "./prog", "-o", "prog.cut"], how].concat();
        stage.run(&cut);
        let _ = std::fs::remove_file(stage.folder.path().join("x.reprise"));
        let (said, _) = stage.run(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
        assert_eq!(said.lines().count(), 4, "{said}");
        for process in ["1", "2", "3", "4"] {
            let (_, replayed) = stage.run(&["replay", "--process", process, "x.reprise"]);
            let same = "to the end; the memory of the inside is the same";
            assert!(replayed.contains(same), "{process}: {replayed}");
        }
        let none = stage.try_to(&["replay", "--process", "5", "x.reprise"]);
        assert!(!none.status.success(), "{none:?}");
    }
}
