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
