//! Outside memory that is read again and again.

use std::fs;

use super::stage::Stage;

const SAME: &str = "to the end; the memory of the inside is the same";

/// How many events were replayed.
fn events(replayed: &str) -> u64 {
    let number = replayed.split_whitespace().nth(2);
    number.and_then(|number| number.parse().ok()).unwrap()
}

/// A read that finds what was found there before is no event, whoever may have written there
/// meanwhile, and a replay finds the same: with values of all lengths, more of them than are
/// remembered, on both sides of a fork, and on the way to a crash.
#[test]
fn reads_that_find_nothing_new() {
    let stage = Stage::new("c-again");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        let (_, replayed) = stage.whole_way(&["--target", "in_*", "--naive"]);
        // Of more than 100,000 reads. 6,000 are of places that were not read before, or most of
        // which are not remembered any more.
        let number = events(&replayed);
        assert!((4_000..12_000).contains(&number), "{replayed}");
        let (_, replayed) = stage.run(&["replay", "--process", "2", "x.reprise"]);
        assert!(replayed.contains(SAME), "{replayed}");
        let (said, _) = stage.run(&["show", "--events", "x.reprise"]);
        let waited = "after 65536 that were as before";
        assert!(said.contains(waited), "no event says {waited:?}");
        fs::remove_file(stage.folder.path().join("x.reprise")).unwrap();
        let crashed = stage.try_to(&["record", "-o", "x.reprise", "--", "./prog.cut", "crash"]);
        assert_eq!(crashed.status.code(), Some(139), "{crashed:?}");
        let (_, replayed) = stage.run(&["replay", "x.reprise"]);
        assert!(replayed.contains("to the end, signal 11"), "{replayed}");
    }
}
