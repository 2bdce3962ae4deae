//! `--debug`: a Java debugger sees the original lines and locals.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use reprise_jvm_testing::heard::Heard;

use crate::stage::{CART, Stage, jdk, reprise};

#[test]
fn jdb_stops_in_an_inside_class_and_prints_a_local() {
    let stage = Stage::record(CART, "Cart");
    let mut replay = reprise()
        .args(["replay", "--debug", "x.reprise"])
        .current_dir(stage.folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(replay.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address = line.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    // The JVM takes a moment until it listens.
    let (mut jdb, mut heard) = loop {
        let mut jdb = Command::new(jdk("jdb"))
            .args(["-attach", &address])
            .current_dir(stage.folder.path())
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = jdb.stdout.take().unwrap();
        let mut first = [0; 1];
        if output.read(&mut first).unwrap() == 1 && first[0] != b'j' {
            break (jdb, Heard::of(output));
        }
        assert!(replay.try_wait().unwrap().is_none(), "the replay has ended");
        let _ = jdb.kill();
        jdb.wait().unwrap();
    };
    let mut input = jdb.stdin.take().unwrap();
    heard.wait_for("] ");
    writeln!(input, "stop at Cart:20").unwrap();
    heard.wait_for("Cart:20");
    heard.wait_for("] ");
    writeln!(input, "cont").unwrap();
    heard.wait_for("Breakpoint hit");
    heard.wait_for("Cart.add(), line=20");
    heard.wait_for("] ");
    writeln!(input, "print price").unwrap();
    heard.wait_for("price = 3");
    writeln!(input, "clear Cart:20").unwrap();
    heard.wait_for("Removed");
    writeln!(input, "cont").unwrap();
    let status = replay.wait().unwrap();
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(status.code(), Some(0), "{rest}");
    assert!(rest.contains("everything is as recorded"), "{rest}");
    let _ = jdb.kill();
    jdb.wait().unwrap();
}
