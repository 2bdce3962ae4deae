//! Vectors of what a monitor or lock guards, and none of the monitor or lock itself: who comes
//! too early lets the other go first.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use reprise_jvm_testing::{jdks, limited};

use crate::stage::{Stage, said};

/// A pause of so many milliseconds makes the threads take turns, unless the machine is busy.
const PAUSES: [u32; 6] = [5, 10, 20, 40, 80, 160];

/// Writes a plan to log only this element.
fn plan(stage: &Stage, element: &str) {
    let output = limited::output(
        Command::new(env!("CARGO_BIN_EXE_reprise"))
            .current_dir(stage.folder.path())
            .args(["share", "plan", "--users", "1", "--share", "1"])
            .args(["-o", "plans", "."]),
    );
    let folder = stage.folder.path().join("plans");
    let mut plans = fs::read_dir(&folder).unwrap_or_else(|_| panic!("{output:?}"));
    let all = fs::read_to_string(plans.next().unwrap().unwrap().path()).unwrap();
    let kept = |line: &&str| !line.starts_with("log ") || line.ends_with(element);
    let only: Vec<&str> = all.lines().filter(kept).collect();
    assert_eq!(
        only.iter().filter(|line| line.starts_with("log ")).count(),
        1,
        "{all}"
    );
    fs::write(stage.folder.path().join("only.plan"), only.join("\n")).unwrap();
}

fn check(element: &str, of_program: &[&str]) {
    let stage = Stage::new("share-turns");
    plan(&stage, element);
    let record = ["record", "--share-plan", "only.plan", "-o", "one.share"].map(OsStr::new);
    let has_failed = PAUSES.iter().any(|pause| {
        let pause = format!("-Dpause={pause}");
        let words = [&[pause.as_str(), "-cp", ".", "Main"], of_program].concat();
        let _ = fs::remove_file(stage.folder.path().join("one.share"));
        said(&stage.jvm(&jdks()[0], &record, &words)).contains("IllegalStateException")
    });
    assert!(has_failed, "the threads never took turns");
    let merge = ["merge", "one.share", "--attempts", "3", "-o", "found.sched"].map(OsStr::new);
    let output = stage.reprise_with(&jdks()[0], &merge, of_program);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let replay = ["replay", "found.sched"].map(OsStr::new);
    let output = stage.reprise_with(&jdks()[0], &replay, of_program);
    assert!(
        said(&output).contains("IllegalStateException"),
        "{output:?}"
    );
}

#[test]
fn who_would_keep_others_out_of_a_monitor_lets_them_go_first() {
    check("Main.last", &[]);
}

#[test]
fn who_would_keep_others_out_of_a_lock_lets_them_go_first() {
    check("Main.owner", &["lock"]);
}
