//! Programs that nobody here wrote.

use crate::stage::Stage;

#[test]
fn bc_is_followed_by_a_symbol_of_the_c_library() {
    let stage = Stage::program(&["bc", "-l"], b"scale=30; 4*a(1)\n");
    stage
        .gdb(
            &["--goto", "end"],
            &[
                "break write",
                "reverse-continue",
                "x/s $rsi",
                "reverse-stepi",
                "stepi",
                "info symbol $rip",
                "reverse-continue",
            ],
        )
        .has(&[
            "Breakpoint 1, ",
            "3.14159265358979323846264338327",
            "write",
            "No more reverse-execution history.",
        ]);
}

#[test]
fn sqlite_is_watched_backwards() {
    let sql = "create table t(a); insert into t values(42); select a+1 from t;";
    let stage = Stage::program(&["sqlite3", ":memory:", sql], b"");
    let said = stage.gdb(
        &["--goto", "end"],
        &[
            "break write",
            "reverse-continue",
            "x/s $rsi",
            "set $where = (char *) $rsi",
            "delete",
            "watch *$where",
            "reverse-continue",
            "x/3s $where",
            "stepi",
            "x/s $where",
        ],
    );
    said.has(&["43\\n", "Hardware watchpoint 2", "Old value = 52 '4'"]);
}

/// Code that is written at one address and executed at another, and shared memory that is
/// mapped again: both are what they were, wherever the replay goes.
#[test]
fn memory_at_two_addresses_is_the_same_backwards() {
    let stage = Stage::subject("process-aliases", &[]);
    let said = stage.gdb(
        &["--symbols", "symbols"],
        &[
            "break again",
            "continue",
            "next 6",
            "print other + 4096",
            "print one + 4096",
            "reverse-next",
            "print one + 4096",
            "next",
            "print one + 4096",
            "delete",
            "break compile",
            "reverse-continue",
            "print add - *(int *) ((char *) run + 2)",
            "finish",
            "print *(int *) (code + 2) - *(int *) ((char *) run + 2)",
            "reverse-stepi",
            "reverse-continue",
            "print add - *(int *) ((char *) run + 2)",
        ],
    );
    said.has(&[
        "Breakpoint 1, again",
        "Breakpoint 2, compile",
        "Breakpoint 2, compile",
    ]);
    let values = said.text.lines().filter(|line| line.starts_with('$'));
    let values: Vec<&str> = values
        .filter_map(|line| line.split(' ').next_back())
        .collect();
    // What is added grows by 64 each time, and is not written yet where it is told.
    let expected = [
        "\"after\"",
        "\"after\"",
        "\"before\"",
        "\"after\"",
        "64",
        "0",
        "64",
    ];
    assert_eq!(values, expected, "{}", said.text);
}
