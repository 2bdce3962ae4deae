//! How long it takes to move through a replay, on programs that nobody here
//! wrote: `cargo xtask study moving` records about a second of work each and
//! prints what the budgets are about; in the gate it is a little work, and only
//! whether it arrives is looked at.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reprise_player::{Halt, Limits, Opened, Position, Session, Traps, Wrote, play};
use reprise_recording::Recording;
use tempfile::TempDir;

const LIMITS: Limits = Limits {
    memory: 64 << 30,
    seconds: 3600,
};

fn is_long() -> bool {
    std::env::var("MOVING").is_ok_and(|value| value == "long")
}

fn record(folder: &Path, command: &[&str], stdin: &[u8]) -> Recording {
    std::fs::write(folder.join("stdin"), stdin).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_reprise"))
        .args(["record", "--last", "10s", "--keep", "all"])
        .args(["-o", "run.reprise", "--"])
        .args(command)
        .current_dir(folder)
        .stdin(std::fs::File::open(folder.join("stdin")).unwrap())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(folder.join("run.reprise").exists(), "{said}");
    Recording::open(folder.join("run.reprise")).unwrap()
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed(), result)
}

fn row(what: &str, measured: Duration, budget: &str) {
    println!(
        "  {what:<44} {:>9.1} ms  {budget}",
        measured.as_secs_f64() * 1e3
    );
}

fn check(name: &str, command: &[&str], stdin: &[u8]) {
    let folder = TempDir::new().unwrap();
    let recording = record(folder.path(), command, stdin);
    println!("{name}");
    let mut silent = |_: Wrote<'_>| {};
    let (plain, played) = timed(|| play(&recording, None, &LIMITS, &mut silent));
    assert!(played.unwrap().ending.is_some());
    row("replay without a debugger", plain, "");

    let opened = Opened::new(&recording, None).unwrap();
    let mut silent = |_: Wrote<'_>| {};
    let (opening, session) = timed(|| Session::new(&opened, &LIMITS, &mut silent));
    let mut session = session.unwrap();
    row("open it for a debugger", opening, "");
    let start = session.position();
    let entry = session.state().unwrap().registers.rip();
    let (to_end, halt) = timed(|| session.go_on(&mut || false));
    assert_eq!(halt.unwrap(), Halt::End);
    row("continue to the end", to_end, "");
    let end = session.position();

    let steps = if is_long() { 300 } else { 40 };
    let mut back = Vec::new();
    let mut places = vec![(end, session.state().unwrap().registers)];
    for _ in 0..steps {
        let (took, halt) = timed(|| session.step_back());
        assert_eq!(halt.unwrap(), Halt::Done);
        back.push(took);
        places.push((session.position(), session.state().unwrap().registers));
    }
    let first = back[0];
    back.sort();
    row(
        "reverse-stepi, the first at the end",
        first,
        "budget 200 ms",
    );
    row("reverse-stepi, median", back[steps / 2], "budget 200 ms");
    row("reverse-stepi, worst", back[steps - 1], "budget 200 ms");
    // Forward again, over the same places with the same registers.
    places.pop();
    while let Some((position, registers)) = places.pop() {
        assert_eq!(session.step().unwrap(), Halt::Done);
        assert_eq!(session.position(), position);
        let here = session.state().unwrap().registers;
        assert_eq!(here.difference(&registers), None, "at {position:?}");
    }

    let mut traps = Traps::default();
    traps.breakpoints.insert(entry);
    session.set_traps(&traps);
    let (to_start, halt) = timed(|| session.go_back(&mut || false));
    assert_eq!(
        (halt.unwrap(), session.position()),
        (Halt::Breakpoint, start)
    );
    row(
        "reverse-continue over all of it",
        to_start,
        "budget 10 s per second",
    );

    // Each instruction counted, as where stops are frequent.
    traps.breakpoints = (1..=5).collect();
    session.set_traps(&traps);
    let (counted, halt) = timed(|| session.go_on(&mut || false));
    assert_eq!((halt.unwrap(), session.position()), (Halt::End, end));
    row("continue to the end, all instructions counted", counted, "");
    in_the_middle(&mut session);
    let middle = Position {
        event: (start.event + end.event) / 2,
        count: 0,
    };
    let (jump, halt) = timed(|| session.go_to(middle.event));
    assert_eq!((halt.unwrap(), session.position()), (Halt::Done, middle));
    row("go to an event half-way", jump, "");
}

/// Steps and looks back from where a computation is under way: not from an
/// event, and with each place on the way come by many times.
fn in_the_middle(session: &mut Session<'_, '_, std::fs::File>) {
    let (first, last) = session.events();
    assert_eq!(session.go_to(first).unwrap(), Halt::Done);
    let wanted = Duration::from_millis(if is_long() { 800 } else { 20 });
    let started = Instant::now();
    let halt = session.go_on(&mut || started.elapsed() > wanted).unwrap();
    if halt != Halt::Interrupted || session.position().event >= last {
        println!("  (it was over before its middle)");
        return;
    }
    let mut back = Vec::new();
    for _ in 0..40 {
        let (took, halt) = timed(|| session.step_back());
        assert!(matches!(halt.unwrap(), Halt::Done | Halt::Start));
        back.push(took);
    }
    back.sort();
    row(
        "in the middle: reverse-stepi, median",
        back[20],
        "budget 200 ms",
    );
    row(
        "in the middle: reverse-stepi, worst",
        back[39],
        "budget 200 ms",
    );
    let mut traps = Traps::default();
    let pc = session.state().unwrap().registers.rip();
    traps.breakpoints.insert(pc);
    session.set_traps(&traps);
    let from = session.position();
    let (took, halt) = timed(|| session.go_back(&mut || false));
    match halt.unwrap() {
        Halt::Breakpoint => assert!(session.position() < from),
        // So little of it may have run that the steps led there.
        halt => assert_eq!((halt, session.position().event), (Halt::Start, first)),
    }
    row("in the middle: reverse-continue to here", took, "");
    session.set_traps(&Traps::default());
}

#[test]
fn bc() {
    let digits = if is_long() { 950 } else { 60 };
    let sum = format!("scale={digits}; 4*a(1)\n");
    check("bc, digits of pi", &["bc", "-l"], sum.as_bytes());
}

#[test]
fn gzip() {
    // Text that does not compress to nothing.
    let len = if is_long() { 12_000_000 } else { 100_000 };
    let mut seed = 1u32;
    let text = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"etaoin shrdlu\ncmfwyp"[(seed >> 24) as usize % 20]
    });
    let text: Vec<u8> = text.take(len).collect();
    check("gzip, from a pipe", &["gzip", "-c"], &text);
}

#[test]
fn python() {
    let count = if is_long() { 3_000_000 } else { 3_000 };
    let sum = format!("print(sum(i * i for i in range({count})))");
    check("python3, a sum", &["/usr/bin/python3", "-c", &sum], b"");
}
