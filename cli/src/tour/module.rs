//! A module of a C server is recorded where the least data enters, at a hundredth of the
//! whole program's log, and is replayed alone under gdb.

use std::fmt::Write as _;
use std::fs;

use super::stage::{Stage, wrong};
use crate::cut;
use crate::doctor::programs::find;
use crate::failure::Failure;

const SERVER: &str = include_str!("../../../subjects/c-server/main.c");
const MODULE: &str = include_str!("../../../subjects/c-server/prices.c");
const FILE: &str = "prices.reprise";

/// How long the picture of an order is.
const PICTURE: usize = 4096;

/// What gdb says about the files it opens is no part of the story.
const NOISE: &[&str] = &[
    "Reading ",
    "warning: ",
    "GDB will be unable",
    "and track explicitly",
];

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    if !cut::is_possible() || find("gdb").is_none() {
        return stage.say(
            "This needs LLVM 19, gdb, and a build of reprise with LLVM, which are not all here; \
             with them, chosen functions of a C program are recorded alone.",
        );
    }
    let fail = |error| Failure::new("set up a server", error);
    fs::write(stage.file("main.c"), SERVER).map_err(fail)?;
    fs::write(stage.file("prices.c"), MODULE).map_err(fail)?;
    for (name, count) in [("few", 20), ("many", 200)] {
        fs::write(stage.file(name), orders(count)).map_err(fail)?;
    }
    stage.say(
        "A server in C reads orders with pictures, and one module of it computes prices. \
         Customers get money for buying. The compiler keeps what it takes, and a run with a few \
         orders says how much data flows where.",
    )?;
    let build = ["cc", "-o", "server", "main.c", "prices.c"];
    let weigh = ["cut", "./server", "--weigh", "--", "./server", "few"];
    for words in [&build[..], &weigh] {
        if !stage.command(words, None)?.status.success() {
            return Err(wrong("the server could not be built"));
        }
    }
    let words = [
        "cut",
        "./server",
        "--target",
        "prices.c:*",
        "-o",
        "server.cut",
    ];
    let cut = stage.command(&words, Some(5))?;
    if !cut.status.success() {
        return Err(wrong("the server could not be cut"));
    }
    let (log, whole) = sizes(stage)?;
    if log == 0 || whole / log < 100 {
        return Err(wrong("the module's log is no hundredth of the program's"));
    }
    stage.say(&format!(
        "What enters the module is {} times less than what enters the program. It is recorded \
         there, with many orders. Then the server and its orders are gone; a copy of the \
         program with symbols is at hand, for gdb.",
        whole / log
    ))?;
    stage.command(
        &["record", "-o", FILE, "--", "./server.cut", "many"],
        Some(2),
    )?;
    let symbols = stage.file("server-symbols");
    fs::create_dir(&symbols).map_err(fail)?;
    fs::rename(stage.file("server.cut"), symbols.join("server.cut")).map_err(fail)?;
    for gone in ["server", "many"] {
        fs::remove_file(stage.file(gone)).map_err(fail)?;
    }
    let replayed = stage.command(&["replay", FILE], None)?;
    if !replayed
        .stderr
        .contains("the memory of the inside is the same")
    {
        return Err(wrong("the replay was not the recorded run"));
    }
    stage.say("The module runs alone. Under gdb, to the first customer who gets money:")?;
    let commands = [
        "break price if bought[customer % 16] / 50 * 10 > 100",
        "continue",
        "print bought[customer % 16]",
        "print bought[customer % 16] / 50 * 10",
        "watch -l bought[customer % 16]",
        "reverse-continue",
    ];
    let mut words = vec!["replay", "--debug", FILE, "--symbols", "server-symbols"];
    words.extend(["--", "-batch"]);
    for command in commands {
        words.extend(["-ex", command]);
    }
    let debugged = stage.command_without(&words, NOISE)?;
    if !debugged.stdout.contains("$2 = 110") || !debugged.stdout.contains("New value = ") {
        return Err(wrong("gdb did not find the price"));
    }
    stage.say(
        "Who has bought more than five hundred pieces gets more than all off; and backwards, to \
         the order that made it so.",
    )
}

/// Bytes of the module's log and the whole program's, as weighed.
fn sizes(stage: &Stage) -> Result<(u64, u64), Failure> {
    let told = stage.quietly(&["cut", "./server", "--target", "prices.c:*", "--json"])?;
    let told: serde_json::Value = serde_json::from_str(&told.stdout)
        .map_err(|error| Failure::new("read what `reprise cut` says", error))?;
    let bytes = |cost: &serde_json::Value| cost["bytes"].as_u64().unwrap_or(0);
    let log = told["flows"]
        .as_array()
        .map_or(0, |all| all.iter().map(bytes).sum());
    Ok((log, told["whole"][0].as_u64().unwrap_or(0)))
}

fn orders(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let _ = writeln!(text, "{} {}", number % 7, 5 + number * 13 % 40);
        text.extend(std::iter::repeat_n('.', PICTURE));
    }
    text
}
