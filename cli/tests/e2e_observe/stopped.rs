//! Recordings that end before their program.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use reprise_recording::{CutShort, Ending, Recording};

use crate::program::{Program, REPRISE, stderr, stdout};

/// However slow the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts the program, which goes on until `go-on` is removed.
fn start(program: &Program, options: &[&str]) -> Child {
    fs::write(program.path("go-on"), "").unwrap();
    program
        .command(REPRISE)
        .args(["record", "--observe", "Cart", "-o", "x-%p.reprise"])
        .args(options)
        .args(["--", "java", "-cp", ".", "Main", "wait"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the recording is complete, and returns its name.
fn until(program: &Program, holds: impl Fn(&[String]) -> bool) -> String {
    let since = Instant::now();
    loop {
        let recordings = program.recordings();
        if holds(&recordings) {
            return recordings[0].clone();
        }
        assert!(since.elapsed() < PATIENCE, "{recordings:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The program runs on after the end of the recording, and ends well.
fn check(program: &Program, child: Child, name: &str, by: &str) {
    let recording = Recording::open(program.path(name)).unwrap();
    let closing = recording.closing().unwrap();
    let stopped = CutShort::Stopped { by: by.to_owned() };
    assert_eq!(closing.cut_short, Some(stopped));
    assert_eq!(closing.ending, Ending::Running);
    fs::remove_file(program.path("go-on")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        stderr(&output).contains(&format!("ended early by {by}")),
        "{output:?}"
    );
}

#[test]
fn a_recording_is_stopped_by_its_process() {
    let program = Program::new();
    let child = start(&program, &[]);
    let spool = until(&program, |all| {
        all.iter().any(|name| name.ends_with(".spool"))
    });
    let pid = spool.trim_start_matches("x-").split('.').next().unwrap();
    // The file exists a moment before it is mapped.
    let since = Instant::now();
    let stopped = loop {
        let stopped = program.run(REPRISE, &["stop", pid]);
        if stopped.status.success() {
            break stopped;
        }
        assert!(since.elapsed() < PATIENCE, "{stopped:?}");
    };
    assert!(stdout(&stopped).contains("recorded x-"), "{stopped:?}");
    let name = until(&program, |all| all.len() == 1);
    check(&program, child, &name, "reprise stop");
}

#[test]
fn a_jar_that_was_instrumented_is_stopped_by_its_process() {
    let program = Program::new();
    let classes = ["cf", "in.jar", "Main.class", "Cart.class", "Prices.class"];
    assert!(program.run("jar", &classes).status.success());
    let instrument = [
        "java",
        "instrument",
        "--observe",
        "Cart",
        "in.jar",
        "-o",
        "out.jar",
    ];
    assert!(program.run(REPRISE, &instrument).status.success());
    fs::write(program.path("go-on"), "").unwrap();
    let child = program
        .command("java")
        .args(["-Dreprise.out=x.reprise", "-cp", "out.jar", "Main", "wait"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id().to_string();
    // It is recorded once its first observed class is used.
    let since = Instant::now();
    let stopped = loop {
        let stopped = program.run(REPRISE, &["stop", &pid]);
        if stopped.status.success() {
            break stopped;
        }
        assert!(since.elapsed() < PATIENCE, "{stopped:?}");
    };
    assert!(stdout(&stopped).contains("recorded "), "{stopped:?}");
    let recording = Recording::open(program.path("x.reprise")).unwrap();
    let closing = recording.closing().unwrap();
    let by = "reprise stop".to_owned();
    assert_eq!(closing.cut_short, Some(CutShort::Stopped { by }));
    assert_eq!(closing.ending, Ending::Running);
    assert_eq!(program.recordings(), ["x.reprise"]);
    fs::remove_file(program.path("go-on")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn limits_stop_it() {
    let program = Program::new();
    let child = start(&program, &["--max-events", "1000"]);
    let name = until(&program, |all| {
        all.len() == 1 && is_closed(&program, &all[0])
    });
    check(&program, child, &name, "the limit of 1000 events");
    let recording = Recording::open(program.path(&name)).unwrap();
    let events: u64 = recording
        .streams()
        .map(|(id, _)| recording.event_count(id))
        .sum();
    assert!(events >= 1000, "{events}");
    fs::remove_file(program.path(&name)).unwrap();

    let child = start(&program, &["--max-rate", "10"]);
    let name = until(&program, |all| {
        all.len() == 1 && is_closed(&program, &all[0])
    });
    check(&program, child, &name, "the limit of 10 events a second");
    fs::remove_file(program.path(&name)).unwrap();

    let child = start(&program, &["--min-free", "8000000G"]);
    let name = until(&program, |all| {
        all.len() == 1 && is_closed(&program, &all[0])
    });
    let by = format!(
        "the limit of {} free bytes on the disk",
        8_000_000_u64 << 30
    );
    check(&program, child, &name, &by);
}

fn is_closed(program: &Program, name: &str) -> bool {
    let recording = Recording::open(program.path(name));
    recording.is_ok_and(|recording| recording.closing().is_some())
}
