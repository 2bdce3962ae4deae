//! A C program crashes long after its mistake: with the program gone, gdb goes
//! back from the crash to the cause.

use std::fs;
use std::process::{Command, Stdio};

use super::stage::{Stage, wrong};
use crate::doctor::programs::find;
use crate::failure::Failure;

const FILE: &str = "overrun.reprise";
const PROGRAM: &str = "overrun";
const SOURCE: &str = include_str!("../../../subjects/process-overrun/main.c");

/// What gdb says about the files it opens is no part of the story.
const NOISE: &[&str] = &["Reading ", "warning: File transfers"];

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    let Some(compiler) = find("gcc").or_else(|| find("cc")) else {
        return stage.say("There is no C compiler here, so this chapter has no program.");
    };
    if find("gdb").is_none() {
        return stage
            .say("There is no gdb here; with it, one goes back from a crash to its cause.");
    }
    let (source, program) = (stage.file("overrun.c"), stage.file(PROGRAM));
    let symbols = stage.file("symbols");
    let fail = |error| Failure::new(format!("set up {}", program.display()), error);
    fs::write(&source, SOURCE).map_err(fail)?;
    fs::create_dir(&symbols).map_err(fail)?;
    let compiled = Command::new(compiler)
        .arg("-g")
        .arg("-o")
        .arg(&program)
        .arg(&source)
        .stdin(Stdio::null())
        .output()
        .map_err(fail)?;
    if !compiled.status.success() {
        return stage.say("The C compiler here does not work, so this chapter has no program.");
    }
    stage.say(
        "A C program counts the letters of words, and writes one length too many: over a \
         pointer, which it follows later.",
    )?;
    let path = format!("./{PROGRAM}");
    stage.command(&["record", "--last", "10s", "-o", FILE, "--", &path], None)?;
    if !stage.file(FILE).exists() {
        return stage.say("This machine does not let a program be traced.");
    }
    fs::rename(&program, symbols.join(PROGRAM)).map_err(fail)?;
    stage.say(
        "The program is gone from where it ran; a copy with symbols is at hand, as at a desk. \
         gdb goes to the crash, watches the pointer, and goes back to where it was changed.",
    )?;
    let commands = [
        "continue",
        "watch table.title",
        "reverse-continue",
        "backtrace",
    ];
    let mut words = vec![
        "replay",
        "--debug",
        FILE,
        "--symbols",
        "symbols",
        "--",
        "-batch",
    ];
    for command in commands {
        words.extend(["-ex", command]);
    }
    let debugged = stage.command_without(&words, NOISE)?;
    if !debugged.stdout.contains("fill (word=") {
        return Err(wrong("gdb did not find the cause"));
    }
    stage.say(
        "The fifth word, at index 4 of an array of four: the cause, found from its effect, with \
         the run exactly as it was.",
    )
}
