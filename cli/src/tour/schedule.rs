//! Two threads of a Java program lose an update, in few runs of many: a run in which it
//! happens is found, made as short as it can be, told, and played again.

use super::java;
use super::stage::{Stage, wrong};
use crate::failure::Failure;

const FOLDER: &str = "counter";
const FOUND: &str = "lost.sched";
const SHORT: &str = "lost.min.sched";
const SOURCE: &str = include_str!("../../../subjects/schedule-lost/Main.java");

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    let Some(jdk) = java::jdk(stage)? else {
        return Ok(());
    };
    if !java::compiled(stage, &jdk, FOLDER, SOURCE)? {
        return Ok(());
    }
    stage.say(
        "Two threads add 1 to a counter three times each. Nearly always it is 6 then. Here the \
         program runs one thread at a time, with another order of threads each time, until it is \
         not; and the order is kept.",
    )?;
    let program = jdk.join("java");
    let program = program.to_string_lossy();
    let command = ["--", &*program, "-cp", FOLDER, "Main"];
    let record = ["record", "--schedule", "--runs", "100", "--until-failure"];
    let words = [&record[..], &["-o", FOUND], &command].concat();
    stage.command(&words, None)?;
    if !stage.file(FOUND).exists() {
        return stage.say(
            "This JVM does not let itself be scheduled; the reason is in what `reprise doctor` \
             says.",
        );
    }
    stage.say("Most switches in it do not matter. They are taken out while the failure stays:")?;
    let words = [&["schedule", "minimize", FOUND][..], &command].concat();
    let minimized = stage.command(&words, None)?;
    if !minimized.status.success() {
        return Err(wrong("the schedule could not be made shorter"));
    }
    stage.show(&[SHORT])?;
    stage.say(
        "That is the explanation: one thread had read the counter and not yet written it when the \
         other one ran. It happens again whenever one wants, on every JVM:",
    )?;
    let words = [&["replay", SHORT][..], &command].concat();
    let replayed = stage.command(&words, None)?;
    if !replayed.status.success() || !replayed.stdout.contains("the counter is") {
        return Err(wrong("the schedule was not followed"));
    }
    Ok(())
}
