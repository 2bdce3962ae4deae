//! Clients on a port, and what is refused.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::stage::{REPRISE, Stage};

fn gdb(port: &str, commands: &[&str]) -> String {
    let mut command = Command::new("gdb");
    command.args(["-nx", "-batch", "-iex", "set auto-load no"]);
    command.args(["-ex", &format!("target remote localhost:{port}")]);
    for line in commands {
        command.args(["-ex", line]);
    }
    let output = command.env("LC_ALL", "C").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn one_client_after_another() {
    let stage = Stage::subject("process-overrun", &[]);
    let mut server = Command::new(REPRISE)
        .args([
            "replay",
            "run.reprise",
            "--port",
            "0",
            "--symbols",
            "symbols",
        ])
        .current_dir(stage.folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines();
    let line = said.next().unwrap().unwrap();
    let port = line.split("localhost:").nth(1).unwrap();
    let port = port.split('\'').next().unwrap();
    let first = gdb(port, &["continue", "backtrace", "detach"]);
    assert!(first.contains("SIGSEGV"), "{line}\n{first}");
    // The next finds it where the one before has left it.
    let second = gdb(port, &["backtrace", "reverse-next", "frame", "kill"]);
    assert!(second.contains("main ()"), "{second}");
    assert!(second.contains("fflush(stdout);"), "{second}");
    assert!(server.wait().unwrap().success());
}

#[test]
fn what_belongs_to_a_debugger_needs_one() {
    for arguments in [["--goto", "3"], ["--symbols", "."]] {
        let output = Command::new(REPRISE)
            .args(["replay", "x.reprise"])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("without a debugger"), "{said}");
    }
}
