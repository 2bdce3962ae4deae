//! Tables and events of every version, committed: what an older version wrote is
//! read as it was meant.
//!
//! `golden/vN.hex` has a payload a line: `T` and an entry of the tables, or `E`,
//! a thread and an event. A change of the format gets a new version and a new
//! file; the old ones stay as they are. `REPRISE_GOLDEN=write` writes the file
//! of the current version.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod samples;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use reprise_jvm_events::describe::{describe, describe_entry};
use reprise_jvm_events::nesting::Nesting;
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::table::Entry;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16).unwrap()).collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap())
        .collect()
}

#[test]
fn version_1_is_read() {
    is_read("v1");
}

#[test]
fn version_2_is_read() {
    is_read("v2");
}

/// Of the events; the tables have version 2.
#[test]
fn version_3_is_read() {
    let path = golden("v3.hex");
    if std::env::var_os("REPRISE_GOLDEN").is_some_and(|value| value == "write") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, samples::hex()).unwrap();
    }
    is_read("v3");
}

fn is_read(version: &str) {
    let path = golden(&format!("{version}.hex"));
    let mut reader = Reader::default();
    let mut nesting = Nesting::default();
    let mut text = String::new();
    for line in fs::read_to_string(&path).unwrap().lines() {
        let mut words = line.split(' ');
        match words.next().unwrap() {
            "T" => {
                let entry = Entry::read(&bytes(words.next().unwrap())).unwrap();
                reader.entry(entry.clone()).unwrap();
                writeln!(text, "{}", describe_entry(&entry, &reader)).unwrap();
            }
            _ => {
                let thread = words.next().unwrap().parse().unwrap();
                let payload = bytes(words.next().unwrap());
                let event = reader.event(thread, &payload).unwrap();
                if thread == 1 {
                    nesting.step(&event).unwrap();
                }
                writeln!(text, "{thread}: {}", describe(&event, thread, &reader)).unwrap();
            }
        }
    }
    assert_eq!(nesting.depth(), 0);
    expect_file![golden(&format!("{version}.txt"))].assert_eq(&text);
}

/// Every kind of entry and event is among them.
#[test]
fn the_samples_are_written_as_version_3() {
    assert_eq!(
        fs::read_to_string(golden("v3.hex")).unwrap(),
        samples::hex()
    );
}
