//! A crash whose cause is some way back.

use crate::stage::Stage;

#[test]
fn the_cause_of_a_crash_is_found_backwards() {
    let stage = Stage::subject("process-overrun", &[]);
    let said = stage.gdb(
        &["--symbols", "symbols"],
        &[
            "continue",
            "backtrace",
            "print table.title",
            "watch table.title",
            "reverse-continue",
            "backtrace",
            "print index",
            "reverse-finish",
            "reverse-step",
            "frame",
        ],
    );
    said.has(&[
        "Program received signal SIGSEGV, Segmentation fault.",
        "return table.title[0] == 'l'",
        "#0 ",
        "main ()",
        "= 0x4 <error: Cannot access memory at address 0x4>",
        "Hardware watchpoint 1: table.title",
        "Old value = 0x4 ",
        "New value = 0x",
        "\"lengths\"",
        "table.lengths[index] = (long)strlen(word);",
        "#0 ",
        " in fill (word=",
        "\"five\", index=4)",
        "#1 ",
        "main ()",
        "$2 = 4",
        "fill(word, count++);",
    ]);
    assert!(said.output.status.success(), "{}", said.text);
    // What the program wrote is shown, and once.
    assert_eq!(said.text.matches("5 words").count(), 1, "{}", said.text);
}

#[test]
fn without_the_program_there_are_still_names_and_frames() {
    let stage = Stage::subject("process-overrun", &[]);
    stage
        .gdb(
            &["--goto", "end"],
            &[
                "x/i $rip",
                "break strlen",
                "break fgets",
                "reverse-continue",
                "reverse-continue",
                "backtrace",
            ],
        )
        .has(&["=> 0x", "fgets", "#1 ", "__libc_start_main"])
        .has_not("outside of ELF segments");
}

/// As distributions ship them: a program without symbols, and a file of these under its
/// build id.
#[test]
fn debug_files_are_found_by_build_id() {
    let stage = Stage::subject("process-overrun", &[]);
    let recording = reprise_recording::Recording::open(stage.path("run.reprise")).unwrap();
    let ids = &recording.manifest().build_ids;
    let id = ids.iter().find(|(name, _)| name.ends_with("/subject"));
    let (folder, file) = id.unwrap().1.split_at(2);
    let place = format!("files/.build-id/{folder}/{file}.debug");
    let place = stage.path(&place);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::rename(stage.path("symbols/subject"), place).unwrap();
    let commands = ["backtrace", "info locals"];
    let without = stage.gdb(&["--goto", "end"], &commands);
    without.has_not("main.c:");
    let with = stage.gdb(&["--goto", "end", "--symbols", "files"], &commands);
    with.has(&["main.c:"]).has_not("main+");
}

#[test]
fn an_event_that_is_not_there_is_named() {
    let stage = Stage::subject("process-overrun", &[]);
    let far = stage.gdb(&["--goto", "99999"], &["x/i $rip"]);
    far.has(&["=> 0x", "there is no event 99999"]);
    let there = stage.gdb(&["--goto", "3"], &["x/i $rip"]);
    there.has_not("there is no event");
}

#[test]
fn steps_in_both_directions_meet() {
    let stage = Stage::subject("process-overrun", &[]);
    let registers = "info registers rip rsp rax rbx rcx rdx rsi rdi eflags";
    let said = stage.gdb(
        &["--goto", "end", "--symbols", "symbols"],
        &[
            registers,
            "monitor where",
            "reverse-stepi 700",
            "monitor where",
            "stepi 700",
            "monitor where",
            registers,
        ],
    );
    let blocks: Vec<&str> = said.text.matches("rip            0x").collect();
    assert_eq!(blocks.len(), 2, "{}", said.text);
    let value = |line: &&str| line.starts_with('r') || line.starts_with("eflags");
    let lines: Vec<&str> = said.text.lines().filter(value).collect();
    let (before, after) = lines.split_at(lines.len() / 2);
    assert_eq!(before[..9], after[..9], "{}", said.text);
    let places: Vec<&str> = said
        .text
        .lines()
        .filter(|l| l.starts_with("event "))
        .collect();
    assert_eq!(places.len(), 3, "{}", said.text);
    assert_eq!(places[0], places[2]);
    assert_ne!(places[0], places[1]);
}

#[test]
fn the_ends_of_a_recording_are_told() {
    let stage = Stage::subject("process-overrun", &[]);
    stage
        .gdb(
            &["--symbols", "symbols"],
            &[
                "reverse-stepi",
                "break fill",
                "continue",
                "continue",
                "delete",
                "continue",
                "continue",
                "reverse-continue",
                "reverse-continue",
                "continue",
            ],
        )
        .has(&[
            "No more reverse-execution history.",
            "Breakpoint 1, fill (word=",
            "\"one\", index=0)",
            "Breakpoint 1, fill (word=",
            "\"two\", index=1)",
            "Program received signal SIGSEGV",
            "No more reverse-execution history.",
            "No more reverse-execution history.",
            "No more reverse-execution history.",
            "Program received signal SIGSEGV",
        ]);
}

#[test]
fn nothing_can_be_changed() {
    let stage = Stage::subject("process-overrun", &[]);
    stage
        .gdb(
            &["--goto", "end", "--symbols", "symbols"],
            &[
                "print count = 7",
                "print $rax = 7",
                "print count",
                "set may-write-memory on",
                "print count = 8",
                "print count",
            ],
        )
        .has(&["$1 = 5", "$2 = 5"])
        .has(&["is not allowed"])
        .has(&[
            "writing to memory is refused: a replay shows what happened, and cannot be changed",
        ]);
}

#[test]
fn memory_that_was_left_out_is_named() {
    let stage = Stage::subject("process-sparse", &[]);
    let commands = ["break main", "continue", "backtrace", "x/2xb unread + 8192"];
    stage.gdb(&["--symbols", "symbols"], &commands).has(&[
        "main (",
        "was not recorded: nothing in this recording uses it",
        "Cannot access memory at address",
    ]);
}
