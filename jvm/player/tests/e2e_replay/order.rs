//! Threads that race inside: however the replay's own threads are scheduled, it
//! gives what was recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use reprise_jvm_player::Jvm;
use reprise_jvm_testing::maven;

use crate::support;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

#[test]
fn a_race_ends_as_it_did() {
    // Monitors, volatile fields and Object.wait.
    ends_as_it_did("jvm-race", "observe=Race", 25);
    ends_as_it_did("jvm-race", "observe=Race,no-oracle", 5);
}

#[test]
fn a_race_for_plain_fields_ends_as_it_did() {
    ends_as_it_did("jvm-plain-race", "observe=Race,races", 25);
    ends_as_it_did("jvm-plain-race", "observe=Race,races,no-oracle", 5);
}

#[test]
fn a_race_for_elements_ends_as_it_did() {
    ends_as_it_did("jvm-element-race", "observe=Race:Loads:Copies,races", 10);
    ends_as_it_did(
        "jvm-element-race",
        "observe=Race:Loads:Copies,races,no-oracle",
        5,
    );
}

#[test]
fn what_is_handed_over_by_handles_is_what_it_was() {
    // VarHandles, field updaters, atomics, locks, collections.
    ends_as_it_did("jvm-handles", "observe=Exchange:Item:Board", 25);
}

fn ends_as_it_did(subject: &str, options: &str, times: usize) {
    let classes = tempfile::tempdir().unwrap();
    let sources = support::sources(&folder("subjects").join(subject));
    support::compile(&sources, classes.path(), ".");
    for java in support::jdks() {
        let mut jvm = support::jvm(&java);
        let file = raced(&java, &mut jvm, classes.path(), options);
        let start = Instant::now();
        for time in 0..times {
            let played = support::play(&mut jvm, &file).unwrap();
            assert!(played.divergences.is_empty(), "{time}: {played:?}");
        }
        println!("{options}: {times} times in {:?}", start.elapsed());
        fs::remove_file(file).unwrap();
    }
}

/// A recording in which threads got into each other's way. On a busy machine one
/// thread may be done before the next has begun: such a run is played as recorded
/// too, but has no order to keep, so it is recorded again.
fn raced(java: &Path, jvm: &mut Jvm, classes: &Path, options: &str) -> PathBuf {
    for _ in 0..ATTEMPTS {
        let program = ["-cp", ".", "Main"];
        let (file, _) = support::record(java, classes, options, &program);
        let played = support::play(jvm, &file).unwrap();
        assert!(played.divergences.is_empty(), "{played:?}");
        if played.events > RACED {
            return file;
        }
        println!("{options}: only {} events", played.events);
        fs::remove_file(file).unwrap();
    }
    panic!("{options}: {ATTEMPTS} recordings, and threads never raced");
}

/// How often a race is recorded until there was one.
const ATTEMPTS: usize = 20;
/// A recording with fewer events has hardly a switch from thread to thread.
const RACED: u64 = 1000;

/// Classes of the cache that are played.
const SETS: [&str; 5] = [
    "cache.AccessOrderDeque:com.github.benmanes.caffeine.cache.AbstractLinkedDeque",
    "cache.BoundedLocalCache",
    "cache.stats.**",
    "cache.Caffeine",
    // Its threads find out in a plain field whether there is something to count.
    "cache.**,races",
];

/// A cache that four threads use at once.
#[test]
fn caffeine() {
    let jar = "com.github.ben-manes.caffeine:caffeine:3.1.8";
    let Some(jar) = maven::jar(env!("CARGO_TARGET_TMPDIR"), jar) else {
        return;
    };
    let classes = tempfile::tempdir().unwrap();
    let class_path = format!(".:{}", jar.display());
    let sources = folder("jvm/agent/tests/e2e_observe/programs/caffeine");
    support::compile(&support::sources(&sources), classes.path(), &class_path);
    let mut wrong = Vec::new();
    for java in support::jdks() {
        let mut jvm = support::jvm(&java);
        for set in SETS {
            let options = format!("observe=com.github.benmanes.caffeine.{set}");
            let program = ["-cp", &class_path, "Main", "100"];
            let (file, _) = support::record(&java, classes.path(), &options, &program);
            let start = Instant::now();
            match support::play(&mut jvm, &file) {
                Ok(played) if played.divergences.is_empty() && played.events > 0 => {
                    println!("{set}: {} events in {:?}", played.events, start.elapsed());
                }
                Ok(played) => wrong.push(format!("{set} on {}: {played:?}", java.display())),
                Err(error) => wrong.push(format!("{set} on {}: {error}", java.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
