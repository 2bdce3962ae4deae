//! Clients on a port, and what is refused.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

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

/// A replay that waits for clients, and its port.
fn serve(stage: &Stage) -> (Child, String) {
    let mut server = Command::new(REPRISE)
        .args(["replay", "run.reprise", "--port", "0"])
        .args(["--symbols", "symbols"])
        .current_dir(stage.folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    // It may say more, which nobody reads.
    server.stderr = Some(said.into_inner());
    let port = line.split("localhost:").nth(1).unwrap();
    let port = port.split('\'').next().unwrap();
    (server, port.to_owned())
}

#[test]
fn one_client_after_another() {
    let stage = Stage::subject("process-overrun", &[]);
    let (mut server, port) = serve(&stage);
    let first = gdb(&port, &["continue", "backtrace", "detach"]);
    assert!(first.contains("SIGSEGV"), "{first}");
    // The next finds it where the one before has left it.
    let second = gdb(&port, &["backtrace", "reverse-next", "frame", "kill"]);
    assert!(second.contains("main ()"), "{second}");
    assert!(second.contains("fflush(stdout);"), "{second}");
    assert!(server.wait().unwrap().success());
}

#[test]
fn lldb_is_a_client_too() {
    if Command::new("lldb").arg("--version").output().is_err() {
        println!("skipped: lldb is not installed");
        return;
    }
    let stage = Stage::subject("process-overrun", &[]);
    let (mut server, port) = serve(&stage);
    let mut lldb = Command::new("timeout");
    lldb.args(["300", "lldb", "--no-lldbinit", "--batch"]);
    let connect = format!("gdb-remote 127.0.0.1:{port}");
    let commands = [
        // A busy machine may take its time.
        "settings set plugin.process.gdb-remote.packet-timeout 240",
        "target create symbols/subject",
        &connect,
        "breakpoint set --name fill",
        "continue",
        "thread backtrace",
        "frame variable",
        "thread step-inst",
        "thread step-over",
        "thread step-out",
        "breakpoint disable",
        "watchpoint set variable table.title",
        "continue",
        "thread backtrace",
        "thread list",
        "kill",
    ];
    for command in commands {
        lldb.args(["-o", command]);
    }
    let output = lldb.current_dir(stage.folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let mut rest = &said[..];
    for expected in [
        "stop reason = breakpoint 1.1",
        "subject`main",
        "(int) index = 0",
        "instruction step into",
        "step over",
        "step out",
        "watchpoint 1",
        "subject`fill(word=\"five\", index=4)",
    ] {
        let Some((_, after)) = rest.split_once(expected) else {
            panic!("no {expected:?} in the rest of:\n{said}");
        };
        rest = after;
    }
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
