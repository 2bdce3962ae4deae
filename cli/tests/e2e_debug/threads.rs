//! Several threads: who they are, where they stand, and who did it.

use crate::stage::Stage;

#[test]
fn the_thread_that_caused_another_to_crash_is_found_backwards() {
    let stage = Stage::subject("process-threads-crash", &["-pthread"]);
    let said = stage.gdb(
        &["--symbols", "symbols"],
        &[
            "continue",
            "info threads",
            "watch -location shared",
            "reverse-continue",
            "backtrace",
            "info threads",
            "reverse-stepi",
            "print shared",
            "break uses",
            "reverse-continue",
            "info threads",
            "print $_thread",
        ],
    );
    said.has(&[
        "received signal SIGSEGV, Segmentation fault.",
        "in uses (unused=0x0)",
        "(runs)",
        "in uses (unused=0x0)",
        "Hardware watchpoint 1: -location shared",
        "[Switching to Thread ",
        "hit Hardware watchpoint 1: -location shared",
        "Old value = (struct session *) 0x0",
        "New value = (struct session *) 0x",
        "shared = NULL;",
        "#0 ",
        "main ()",
        "(in a system call)",
        "= (struct session *) 0x",
        "hit Breakpoint 2, uses (unused=0x0)",
        "(runs)",
    ]);
    assert!(said.output.status.success(), "{}", said.text);
}

/// What is stepped over in one thread runs in the others as it did.
#[test]
fn a_thread_is_stepped_over_its_waiting() {
    let stage = Stage::subject("process-threads-crash", &["-pthread"]);
    let said = stage.gdb(
        &["--symbols", "symbols"],
        &[
            "break 68",
            "continue",
            "next",
            "print $_thread",
            "next",
            "next",
            "reverse-next",
            "reverse-next",
            "reverse-next",
            "print $_thread",
            "delete",
            "reverse-continue",
        ],
    );
    said.has(&[
        "hit Breakpoint 1, main ()",
        "nanosleep(&time, NULL);",
        "puts(\"the session goes away\");",
        "$1 = 1",
        "fflush(stdout);",
        "pthread_mutex_lock(&lock);",
        "fflush(stdout);",
        "puts(\"the session goes away\");",
        "nanosleep(&time, NULL);",
        "$2 = 1",
        "No more reverse-execution history.",
    ]);
    assert!(said.output.status.success(), "{}", said.text);
}
