//! The order of accesses that a share has is the one in which they happened: what the program
//! reads and writes follows from it.

use std::collections::HashMap;
use std::ffi::OsStr;

use reprise::share::file;
use reprise_coop::log::vector::AccessVector;
use reprise_coop::log::{PartialLog, Spe};
use reprise_jvm_testing::jdks;

use crate::stage::Stage;

/// A thread of the subject at one element: what it does next, and what it has read.
#[derive(Clone, Copy, Default)]
struct Worker {
    reads_again: bool,
    read: Option<i32>,
}

/// What an element has at the end, if these were the accesses.
///
/// A worker reads, and writes what it makes of that. Where they take turns, it reads until it
/// is its turn, and once more before it writes.
fn at_the_end(log: &PartialLog, accesses: &AccessVector, in_turns: bool) -> i32 {
    let mut workers: HashMap<u32, Worker> = HashMap::new();
    let mut value = 0i32;
    for thread in accesses.iter() {
        let path = log.threads().path(thread).unwrap();
        // The first thread reads it when all others have ended.
        let &[0, birth] = path.as_slice() else {
            assert_eq!(path, [0]);
            continue;
        };
        let me = i32::try_from(birth).unwrap();
        let worker = workers.entry(birth).or_default();
        if let Some(read) = worker.read.take() {
            value = if in_turns {
                read + 1
            } else {
                read.wrapping_mul(31).wrapping_add(me)
            };
        } else if in_turns && !worker.reads_again {
            worker.reads_again = value % 4 == me - 1;
        } else {
            worker.reads_again = false;
            worker.read = Some(value);
        }
    }
    value
}

#[test]
fn accesses_are_in_the_order_in_which_they_happened() {
    let stage = Stage::new("share-order");
    let arguments = ["record", "--share", "1", "-o", "all.share"].map(OsStr::new);
    let output = stage.reprise(&jdks()[0], &arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let (log, names) = file::read(&stage.folder.path().join("all.share")).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.lines().count(), 6, "{printed}");
    for line in printed.lines() {
        let (name, value) = line.split_once(' ').unwrap();
        let full = format!("Main.{name}");
        let number = names.iter().position(|known| *known == full).unwrap();
        let spe = Spe(u32::try_from(number).unwrap());
        let vector = log.vector(spe).unwrap();
        assert!(vector.stretches().len() > 4, "{name}: {vector:?}");
        let expected: i32 = value.parse().unwrap();
        assert_eq!(
            at_the_end(&log, vector, name == "turns"),
            expected,
            "{name}"
        );
    }
}
