//! Twenty users run a program, and each records a quarter of what its threads share. Some
//! runs fail. No share tells why; together they do.

use super::java;
use super::stage::{Stage, wrong};
use crate::failure::Failure;

const FOLDER: &str = "bank";
const FOUND: &str = "money.sched";
const SOURCE: &str = include_str!("../../../subjects/share-bank/Main.java");
const USERS: u32 = 20;

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    let Some(jdk) = java::jdk(stage)? else {
        return Ok(());
    };
    if !java::compiled(stage, &jdk, FOLDER, SOURCE)? {
        return Ok(());
    }
    stage.say(&format!(
        "{USERS} users run a bank in which money gets lost when two tellers pay in at the same \
         moment. Each of them records a quarter of what its threads share, another one each: that \
         costs little, and tells little. The first of them:"
    ))?;
    let program = jdk.join("java");
    let program = program.to_string_lossy();
    let mut shares = Vec::new();
    for user in 1..=USERS {
        let (name, seed) = (format!("{user:02}.share"), user.to_string());
        // Most of them are busy at the wrong moment.
        let busy = format!("-Dbusy={}", user % 4 != 0);
        let words = [
            "record", "--share", "0.25", "--seed", &seed, "-o", &name, "--", &program, &busy,
            "-cp", FOLDER, "Main", "1",
        ];
        match user {
            1 => stage.command(&words, None)?,
            _ => stage.quietly(&words)?,
        };
        if !stage.file(&name).exists() {
            return stage.say(
                "This JVM does not let itself be recorded; the reason is in what `reprise \
                 doctor` says.",
            );
        }
        shares.push(name);
    }
    stage.say(
        "Now all of them are put together: vectors of several shares are tried on the program \
         itself, the most promising first, until it fails as it did for the users.",
    )?;
    let shares: Vec<&str> = shares.iter().map(String::as_str).collect();
    let command = ["--", &*program, "-cp", FOLDER, "Main", "1"];
    let words = [&["merge", "-o", FOUND][..], &shares, &command].concat();
    let merged = stage.command(&words, None)?;
    if !merged.status.success() {
        return Err(wrong("the shares could not be put together"));
    }
    stage.say("What was found is an ordinary schedule, which replays the failure at will:")?;
    let words = [&["replay", FOUND][..], &command].concat();
    let replayed = stage.command(&words, None)?;
    if !replayed.status.success() || !replayed.stderr.contains("money is missing") {
        return Err(wrong("the schedule was not followed"));
    }
    Ok(())
}
