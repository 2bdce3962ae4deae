//! `--debug`: what a Java debugger sees of a program that follows a schedule.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use reprise_jvm_testing::heard::Heard;
use reprise_jvm_testing::{agent_library, jdks};

use crate::Stage;

/// A program that ends with the test, however that ends.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Ends {
    fn spawn(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::piped()).spawn().unwrap())
    }
}

/// Stops where the first consumer has seen an element, goes on, and is in the second one,
/// as the schedule says; the failure is then in the first.
#[test]
fn jdb_stops_in_the_thread_that_the_schedule_lets_run() {
    let stage = Stage::new("schedule-paper");
    let java = jdks()[0].clone();
    let mut replay = Ends::spawn(
        Command::new(env!("CARGO_BIN_EXE_reprise"))
            .env("REPRISE_AGENT", agent_library())
            .current_dir(&stage.subject)
            .args(["replay", "failure.sched", "--debug", "--"])
            .arg(&java)
            .arg("-cp")
            .arg(stage.classes.path())
            .arg("Main")
            .stderr(Stdio::piped()),
    );
    let mut said = Heard::of(replay.0.stderr.take().unwrap());
    said.wait_for("jdb -attach ");
    let address = said.wait_for("\n").trim().to_owned();
    let mut jdb = Ends::spawn(
        Command::new(java.with_file_name("jdb"))
            .args(["-attach", &address])
            .current_dir(stage.classes.path())
            .env("HOME", stage.classes.path())
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::piped())
            .stderr(Stdio::null()),
    );
    let mut heard = Heard::of(jdb.0.stdout.take().unwrap());
    let mut input = jdb.0.stdin.take().unwrap();
    let mut tell = |line: &str| writeln!(input, "{line}").unwrap();
    heard.wait_for("main[1] ");
    tell("stop at Consumer:57");
    heard.wait_for("after the class is loaded");
    tell("cont");
    heard.wait_for("\"thread=Thread-1\", Consumer.run(), line=57");
    heard.wait_for("Thread-1[1] ");
    tell("print name");
    heard.wait_for("name = \"first\"");
    // One step of the first consumer, and it is the turn of the second.
    tell("cont");
    heard.wait_for("\"thread=Thread-2\", Consumer.run(), line=57");
    heard.wait_for("Thread-2[1] ");
    tell("clear Consumer:57");
    heard.wait_for("Removed");
    // A debugger also stops at an exception that nobody catches.
    tell("cont");
    heard.wait_for("\"thread=Thread-1\", Buffer.get(), line=19");
    heard.wait_for("Thread-1[1] ");
    tell("cont");
    said.wait_for("followed, 4 events; the program ended with status 1");
}
