//! A Linux program crashes: its run is replayed with the program gone.
//!
//! The program is the system's own shell under another name, so that the tour
//! needs no compiler and shows a program that nobody here wrote.

use std::fs;

use super::stage::{Stage, wrong};
use crate::failure::Failure;

const FILE: &str = "crash.reprise";
const PROGRAM: &str = "till";
const INPUT: &str = "orders";

/// Serves the orders until one is too large, and then dies as a C program does
/// that follows a bad pointer.
const SCRIPT: &str = "while read -r count what; do echo \"served $count $what\"; \
                      test \"$count\" -lt 5 || kill -s SEGV $$; done < orders";

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    let (program, input) = (stage.file(PROGRAM), stage.file(INPUT));
    let fail = |error| Failure::new(format!("set up {}", program.display()), error);
    fs::copy("/bin/sh", &program).map_err(fail)?;
    fs::write(&input, "2 espresso\n1 tea\n7 cake\n3 water\n").map_err(fail)?;
    stage.say(
        "A program (a copy of this system's shell) reads orders and crashes at one of them. It \
         is recorded as it is.",
    )?;
    let program_path = format!("./{PROGRAM}");
    let recorded = stage.command(
        &[
            "record",
            "--last",
            "10s",
            "-o",
            FILE,
            "--",
            &program_path,
            "-c",
            SCRIPT,
        ],
        None,
    )?;
    if !stage.file(FILE).exists() {
        return stage.say(
            "This machine does not let a program be traced, so there is no recording; the fix \
             is in what `reprise doctor` says.",
        );
    }
    fs::remove_file(&program).map_err(fail)?;
    fs::remove_file(&input).map_err(fail)?;
    stage.say(
        "Now the program and its input are deleted. The recording has what is needed: the run \
         is played again in an empty process that can open nothing and reach nothing.",
    )?;
    let replayed = stage.command(&["replay", FILE], None)?;
    if replayed.stdout != recorded.stdout || !replayed.status.success() {
        return Err(wrong("the replay was not the recorded run"));
    }
    stage.say("The same output and the same crash, with the same registers and memory at the end.")
}
