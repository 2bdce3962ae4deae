//! Shares of many users' runs, put together.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use reprise_jvm_testing::{compile, jdks, limited, sources};

use crate::stage::{Stage, said};

/// Runs `reprise` with the bank, which is busy at the wrong moment or not.
fn bank(stage: &Stage, arguments: &[&str], busy: bool) -> Output {
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    let busy = format!("-Dbusy={busy}");
    stage.jvm(&jdks()[0], &arguments, &[&busy, "-cp", ".", "Main", "1"])
}

fn record(stage: &Stage, name: &str, share: &str, seed: &str, busy: bool) -> String {
    let arguments = ["record", "--share", share, "--seed", seed, "-o", name];
    let text = said(&bank(stage, &arguments, busy));
    assert!(text.contains(&format!("recorded {name} (")), "{text}");
    text
}

fn files(stage: &Stage, extension: &str) -> Vec<String> {
    let mut files: Vec<String> = fs::read_dir(stage.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension() == Some(OsStr::new(extension)))
        .collect();
    files.sort();
    files
}

fn plan(stage: &Stage, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .current_dir(stage.folder.path())
        .args(["share", "plan", "--share", "0.5", "-o", "plans"])
        .args(options)
        .arg(".");
    limited::output(&mut command)
}

#[test]
fn shares_are_put_together_into_a_failing_schedule() {
    let stage = Stage::new("share-bank");
    // One of all, so that it never depends on which runs go together.
    let text = record(&stage, "00.share", "1", "1", true);
    assert!(
        text.contains("8 of 8 shared elements, 10 spared; 3 threads"),
        "{text}"
    );
    assert!(
        text.contains("IllegalStateException in thread 0, at Main.java:"),
        "{text}"
    );
    // Some have their shares by chance, others by a plan that deals them out evenly.
    for user in 1..5 {
        let name = format!("{user:02}.share");
        let text = record(&stage, &name, "0.5", &user.to_string(), true);
        assert!(text.contains("4 of 8 shared elements"), "{text}");
    }
    let planned = said(&plan(&stage, &["--users", "3", "--kind", "random"]));
    assert!(
        planned.contains("each logged by 1 users or more"),
        "{planned}"
    );
    for user in 1..4 {
        let (plan, name) = (format!("plans/{user}.plan"), format!("1{user}.share"));
        let arguments = ["record", "--share-plan", &plan, "-o", &name];
        let text = said(&bank(&stage, &arguments, true));
        assert!(text.contains(&format!("recorded {name} (4 of 8")), "{text}");
    }
    record(&stage, "08.share", "0.5", "8", false);
    let shares = files(&stage, "share");
    let mut arguments = vec!["merge", "--attempts", "400", "-o", "bug.sched"];
    arguments.extend(shares.iter().map(String::as_str));
    let merged = bank(&stage, &arguments, false);
    let report = String::from_utf8_lossy(&merged.stdout);
    assert_eq!(merged.status.code(), Some(0), "{merged:?}");
    assert!(
        report.contains("failure    java.lang.IllegalStateException at Main.java:"),
        "{report}"
    );
    assert!(report.contains("the base"), "{report}");
    let played = bank(&stage, &["replay", "bug.sched"], false);
    let text = said(&played);
    assert!(text.contains("money is missing"), "{text}");
    assert!(text.contains("ended with status 1"), "{text}");
    // A name that is taken is never written over.
    let again = bank(&stage, &arguments, false);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
}

#[test]
fn what_cannot_be_put_together_is_named() {
    let stage = Stage::new("share-bank");
    let planned = said(&plan(&stage, &["--users", "4", "--kind", "fixed"]));
    assert!(
        planned.contains("4 plans in plans: 8 shared elements (10 spared"),
        "{planned}"
    );
    let arguments = [
        "record",
        "--share-plan",
        "plans/2.plan",
        "-o",
        "planned.share",
    ];
    let text = said(&bank(&stage, &arguments, true));
    assert!(text.contains("recorded planned.share (4 of 8"), "{text}");

    // A profile tells what each user is expected to pay.
    record(&stage, "all.share", "1", "1", true);
    let planned = said(&plan(&stage, &["--users", "4", "--profile", "all.share"]));
    assert!(planned.contains("expected cost per user"), "{planned}");

    // Another version of the program: its plans and its shares are not this one's.
    let subject = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects/share-bank/Main.java");
    let changed = stage.folder.path().join("changed");
    fs::create_dir(&changed).unwrap();
    let source = fs::read_to_string(subject).unwrap();
    fs::write(
        changed.join("Main.java"),
        source.replace("pay(10)", "pay(30)"),
    )
    .unwrap();
    compile(&sources(&changed), stage.folder.path(), ".");
    let arguments = [
        "record",
        "--share-plan",
        "plans/2.plan",
        "-o",
        "other.share",
    ];
    let text = said(&bank(&stage, &arguments, true));
    assert!(text.contains("another version of"), "{text}");
    let merged = said(&bank(&stage, &["merge", "all.share"], false));
    assert!(
        merged.contains("the shares are of another version of Main than the command runs"),
        "{merged}"
    );
    record(&stage, "new.share", "1", "1", true);
    record(&stage, "newer.share", "1", "1", true);
    let merged = said(&bank(
        &stage,
        &["merge", "new.share", "newer.share", "all.share"],
        false,
    ));
    assert!(
        merged.contains("all.share is left out: it is of another version of Main"),
        "{merged}"
    );

    // A byte of the file has changed.
    let file = stage.folder.path().join("planned.share");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let merged = bank(
        &stage,
        &["merge", "-o", "broken.sched", "planned.share"],
        false,
    );
    let text = said(&merged);
    assert!(
        text.contains("planned.share is left out, it is broken:"),
        "{text}"
    );
    assert!(text.contains("; ask for it again"), "{text}");
    assert!(text.contains("there are no shares to merge"), "{text}");
    assert_eq!(merged.status.code(), Some(2));
}

#[test]
fn shares_that_have_nothing_in_common_are_named_and_what_would_help() {
    let stage = Stage::new("share-bank");
    let planned = plan(&stage, &["--users", "2", "--kind", "random"]);
    assert_eq!(planned.status.code(), Some(0), "{planned:?}");
    for user in ["1", "2"] {
        let (plan, name) = (format!("plans/{user}.plan"), format!("{user}.share"));
        let arguments = ["record", "--share-plan", &plan, "-o", &name];
        let text = said(&bank(&stage, &arguments, true));
        assert!(text.contains("IllegalStateException"), "{text}");
    }
    let arguments = ["merge", "--attempts", "1", "1.share", "2.share"];
    let report = bank(&stage, &arguments, false).stdout;
    let report = String::from_utf8(report).unwrap();
    let named = "note: no two failed runs logged the same element";
    assert!(report.contains(named), "{report}");
    let helps = "(a fixed plan), or larger shares";
    assert!(report.contains(helps), "{report}");
}

/// Records all of a subject's elements; what was said, and what `show` says of the file.
fn recorded(subject: &str, status: i32) -> (String, String) {
    let stage = Stage::new(subject);
    let arguments = ["record", "--share", "1", "-o", "all.share"].map(OsStr::new);
    let output = stage.reprise(&jdks()[0], &arguments);
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .current_dir(stage.folder.path())
        .args(["show", "--events", "all.share"]);
    let shown = limited::output(&mut command);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    (said(&output), shown)
}

#[test]
fn a_jvm_that_is_killed_leaves_what_it_did() {
    let (text, shown) = recorded("share-killed", 137);
    assert!(text.contains("status 137; recorded all.share"), "{text}");
    // Reading and writing, a thousand times in two threads.
    assert!(text.contains("3 threads, 4000 accesses"), "{text}");
    assert!(
        shown.contains("failed with exit status 137: 4000 accesses to 1 of 1 elements"),
        "{shown}"
    );
}

/// However accesses are counted, each is, and only those that happen.
#[test]
fn accesses_to_arrays_are_counted_where_they_are_made() {
    let (text, shown) = recorded("share-arrays", 0);
    // In both threads: `together` is read and written in each round, a row is accessed three
    // times in each and once more before it throws, and the counter is changed in a monitor.
    // The main thread reads two elements and the counter.
    let all = 2 * (20_000 * 2 + 20_000 * 3 + 1 + 2 + 1) + 3;
    assert!(
        text.contains(&format!("3 threads, {all} accesses")),
        "{text}"
    );
    for name in [
        "int[] of Main.<clinit>:",
        "long[] of Main.<clinit>:",
        "Main.thrown",
    ] {
        assert!(shown.contains(name), "{shown}");
    }
}
