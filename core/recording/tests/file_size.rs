//! A limit on the size of files (`ulimit -f`). The kernel kills who writes past
//! it with SIGXFSZ, so nobody may: neither the recorder nor, with an event in
//! a file of its own, the subject.
//!
//! The limit holds for a whole process, so each test starts this very program
//! again, as the test [`role_of_a_child`].
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;
mod setup;

use random::Random;
use reprise_recording::{
    Closing, CutShort, Manifest, Recording, Writer,
    spool::{Recovered, Spool, SpoolConfig, spool_path},
};
use rustix::process::{Resource, Rlimit, setrlimit};
use setup::{Setup, config, events, info, recover_after_forks};
use std::{path::Path, process::Command};

fn limit_files(bytes: u64) {
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}

/// What zstd cannot shrink.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random(seed + 1);
    std::iter::repeat_with(|| random.below(256) as u8)
        .take(len)
        .collect()
}

fn in_a_child(role: &str, folder: &Path) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "role_of_a_child", "--nocapture"])
        .env("FILE_SIZE_ROLE", role)
        .env("FILE_SIZE_FOLDER", folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {text}", output.status);
}

/// Does what the environment says; nothing when it says nothing.
#[test]
fn role_of_a_child() {
    let Some(role) = std::env::var_os("FILE_SIZE_ROLE") else {
        return;
    };
    let folder = std::env::var_os("FILE_SIZE_FOLDER").unwrap();
    match role.to_str().unwrap() {
        "recorder" => recorder(),
        "spool" => spool(),
        "subject" => subject(),
        "recovery" => recovery(Path::new(&folder)),
        other => panic!("no role is called {other}"),
    }
}

#[test]
fn the_recording_ends_and_says_so() {
    in_a_child("recorder", Path::new(""));
}

fn recorder() {
    limit_files(1 << 20);
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    let mut ended = None;
    for number in 0..10_000 {
        ring.append(&noise(number, 1000));
        if let Err(error) = setup.drainer.run(|| true) {
            ended = Some(error);
            break;
        }
    }
    assert!(ended.is_some());
    let (events, closing) = setup.finish_events();
    assert!(events.len() > 500, "{}", events.len());
    let why = closing.cut_short;
    assert!(matches!(why, Some(CutShort::WriteFailed { .. })), "{why:?}");
}

#[test]
fn a_spool_that_would_be_too_large_is_refused() {
    in_a_child("spool", Path::new(""));
}

fn spool() {
    limit_files(100 << 10);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    assert!(Spool::create(&file, &SpoolConfig::default()).is_err());
    assert!(!spool_path(&file).exists());
    writer.finish(Closing::default()).unwrap();
    limit_files(10);
    let other = folder.path().join("y.reprise");
    assert!(Writer::create(&other, &Manifest::default()).is_err());
}

#[test]
fn a_long_event_is_lost_and_the_subject_lives() {
    in_a_child("subject", Path::new(""));
}

fn subject() {
    limit_files(1 << 20);
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    assert!(!ring.append(&vec![1; 2 << 20]));
    assert!(ring.append(b"next"));
    drop(ring);
    setup.drain();
    let (events, closing) = setup.finish_events();
    assert_eq!(events[0].number, 1);
    assert_eq!(closing.not_recorded.len(), 1);
}

/// There is no room for what a spool holds: it stays where it is, for when
/// there is.
#[test]
fn a_recovery_without_room_loses_nothing() {
    let setup = Setup::new(&config(1, 1 << 20));
    let mut ring = setup.subject.ring(info(1)).unwrap();
    for number in 0..500 {
        assert!(ring.append(&noise(number, 1000)));
    }
    drop(ring);
    let file = setup.file();
    drop(setup.drainer);
    in_a_child("recovery", setup.folder.path());
    let recovered = recover_after_forks(&file);
    assert!(matches!(recovered, Ok(Recovered::Added(_))));
    assert_eq!(Recording::open(&file).unwrap().streams().count(), 1);
    let events = events(&file);
    assert_eq!(events.len(), 500);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event.number, number as u64);
        assert_eq!(event.payload, noise(event.number, 1000));
    }
}

fn recovery(folder: &Path) {
    limit_files(400 << 10);
    let file = folder.join("x.reprise");
    assert!(recover_after_forks(&file).is_err());
    Recording::open(&file).unwrap();
}
