//! A Java program fails: the class that failed is replayed with the program
//! gone, and a debugger stops in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reprise_jvm_player::java;

use super::java_debugger;
use super::stage::{Stage, wrong};
use crate::agent_library;
use crate::failure::Failure;

const FILE: &str = "bill.reprise";
const JAR: &str = "cafe.jar";
const INPUT: &str = "tables";
const SOURCE: &str = include_str!("../../../subjects/jvm-bill/Main.java");

/// How to get what the chapter needs.
const GET_A_JDK: &str = "sudo apt install default-jdk-headless, or set JAVA_HOME to a JDK.";

/// The programs of a JDK; none if there is no JDK or no agent, which is then said.
pub(super) fn jdk(stage: &Stage) -> Result<Option<PathBuf>, Failure> {
    if let Err(missing) = agent_library::find() {
        stage.say(&format!(
            "A JVM is recorded by an agent, and {}: {}.",
            missing.why, missing.fix
        ))?;
        return Ok(None);
    }
    let jdk = java::found()
        .into_iter()
        .filter(|java| java.release >= 11)
        .filter_map(|java| Some(java.program.parent()?.to_owned()))
        .find(|folder| folder.join("javac").is_file());
    if jdk.is_none() {
        stage.say(&format!(
            "There is no JDK of release 11 or later here, so this chapter has no program. To get \
             one: {GET_A_JDK}"
        ))?;
    }
    Ok(jdk)
}

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    let Some(jdk) = jdk(stage)? else {
        return Ok(());
    };
    let (jar, input) = (stage.file(JAR), stage.file(INPUT));
    let fail = |error| Failure::new(format!("set up {}", jar.display()), error);
    fs::write(stage.file("Main.java"), SOURCE).map_err(fail)?;
    fs::write(&input, "3 1830\n2 2410\n0 990\n4 1200\n").map_err(fail)?;
    if !packed(stage, &jdk).map_err(fail)? {
        return say_broken(stage);
    }
    stage.say(
        "A Java program splits bills and fails at one of them. Only its class Bill is recorded: \
         what comes in, from the program and from the JDK.",
    )?;
    let program = jdk.join("java");
    let program = program.to_string_lossy();
    let command = ["-cp", JAR, "Main", INPUT];
    let mut words = vec!["record", "--observe", "Bill", "-o", FILE, "--", &program];
    words.extend(command);
    stage.command(&words, None)?;
    if !stage.file(FILE).exists() {
        return stage.say(
            "This JVM does not let itself be recorded; the reason is in what `reprise doctor` says.",
        );
    }
    for gone in [&jar, &input] {
        fs::remove_file(gone).map_err(fail)?;
    }
    stage.say(
        "Now the program and its input are deleted. The class is in the recording, and is played \
         alone, in a JVM that can open nothing and reach nothing.",
    )?;
    let replayed = stage.command(&["replay", FILE], None)?;
    if !replayed.status.success() {
        return Err(wrong("the replay was not the recorded run"));
    }
    if !jdk.join("jdb").is_file() {
        return stage.say("There is no jdb here; with it, one stops in the class while it plays.");
    }
    stage.say(
        "A Java debugger sees the same run, with its lines and variables: here jdb, and no table \
         has to be served again.",
    )?;
    java_debugger::stop_and_print(stage, FILE, &jdk.join("jdb"))?;
    stage.say("Nobody was at the third table: the cause, seen where it happened.")
}

/// A folder of the tour with a program and its classes; false if that does not work here,
/// which is then said.
pub(super) fn compiled(
    stage: &Stage,
    jdk: &Path,
    folder: &str,
    source: &str,
) -> Result<bool, Failure> {
    let folder = stage.file(folder);
    let done = fs::create_dir(&folder).and_then(|()| {
        let file = folder.join("Main.java");
        fs::write(&file, source)?;
        succeeds(&mut compiler(jdk, &folder, &file))
    });
    let done = done.map_err(|error| Failure::new(format!("set up {}", folder.display()), error))?;
    if !done {
        say_broken(stage)?;
    }
    Ok(done)
}

fn say_broken(stage: &Stage) -> Result<(), Failure> {
    stage.say(&format!(
        "The JDK here does not work, so this chapter has no program. To get one: {GET_A_JDK}"
    ))
}

/// Compiles the program into its jar.
fn packed(stage: &Stage, jdk: &Path) -> io::Result<bool> {
    let classes = stage.file("classes");
    fs::create_dir(&classes)?;
    if !succeeds(&mut compiler(jdk, &classes, &stage.file("Main.java")))? {
        return Ok(false);
    }
    let mut packer = Command::new(jdk.join("jar"));
    packer
        .arg("cf")
        .arg(stage.file(JAR))
        .arg("-C")
        .arg(&classes)
        .arg(".");
    let packed = succeeds(&mut packer)?;
    fs::remove_dir_all(classes)?;
    Ok(packed)
}

fn compiler(jdk: &Path, classes: &Path, source: &Path) -> Command {
    let mut compiler = Command::new(jdk.join("javac"));
    compiler
        .args(["-encoding", "UTF-8", "-g", "-d"])
        .arg(classes)
        .arg(source);
    compiler
}

fn succeeds(command: &mut Command) -> io::Result<bool> {
    let command = command.stdin(Stdio::null()).env_remove("JAVA_TOOL_OPTIONS");
    Ok(command.output()?.status.success())
}
