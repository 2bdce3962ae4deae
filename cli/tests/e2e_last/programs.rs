//! Programs that nobody here wrote.

use std::process::Command;

use crate::stage::{Stage, check};

/// Records and replays a command, if the program is there.
fn program(command: &[&str], stdin: &[u8]) {
    if Command::new(command[0]).arg("--version").output().is_err() {
        println!("skipped: {} is not installed", command[0]);
        return;
    }
    let stage = Stage::new();
    let text: String = (0..20_000).map(|i| format!("line {i}\n")).collect();
    stage.write("text", text.as_bytes());
    let recorded = stage.record(command, stdin);
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{command:?}: {said}");
    check(command[0], &recorded, &stage.replay());
}

#[test]
fn ls() {
    program(&["ls", "-la", "/usr/bin"], b"");
}

#[test]
fn cat() {
    program(&["cat"], b"something to copy\n");
}

#[test]
fn gzip() {
    program(&["gzip", "-kc", "text"], b"");
}

#[test]
fn bc() {
    program(&["bc", "-l"], b"scale=200\n4*a(1)\nquit\n");
}

#[test]
fn sort() {
    program(&["sort", "-r", "text"], b"");
}

#[test]
fn date() {
    program(&["date", "+%s.%N"], b"");
}

#[test]
fn sqlite() {
    let sql = "create table t(a, b); insert into t values(random(), datetime()); select * from t;";
    program(&["sqlite3", "x.db", sql], b"");
}

#[test]
fn python() {
    let script = "import json, random, time; print(json.dumps([random.random(), time.time()]))";
    program(&["/usr/bin/python3", "-c", script], b"");
}

#[test]
fn a_recording_has_the_build_ids_of_what_was_mapped() {
    let stage = Stage::new();
    stage.record(&["true"], b"");
    let recording = reprise_recording::Recording::open(stage.recording()).unwrap();
    let ids = &recording.manifest().build_ids;
    let mut found = ids.iter().filter(|(file, id)| {
        let hex = id.chars().all(|letter| letter.is_ascii_hexdigit());
        file.starts_with('/') && hex && id.len() >= 16
    });
    assert!(found.next().is_some(), "{ids:?}");
}

/// The dynamic linker says which processors it has found out that it runs on.
#[test]
fn a_program_that_is_to_be_portable_sees_a_smaller_processor() {
    const LINKER: &str = "/lib64/ld-linux-x86-64.so.2";
    let said = |options: &[&str]| {
        let stage = Stage::new();
        let options = [&["--keep", "all", "-o", "run.reprise"], options].concat();
        let recorded = stage.record_with(&options, &[LINKER, "--help"], b"");
        check(LINKER, &recorded, &stage.replay());
        String::from_utf8(recorded.stdout).unwrap()
    };
    let (here, portable) = (said(&[]), said(&["--portable"]));
    let level = |said: &str, level: u8| said.contains(&format!("x86-64-v{level} (supported"));
    assert!(!level(&portable, 4), "{portable}");
    assert_eq!(level(&portable, 3), level(&here, 3), "{portable}");
    if !level(&here, 4) {
        println!("this processor has nothing to hide");
    }
}
