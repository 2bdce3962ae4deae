//! Writers in C and Java, made from the spool's documentation alone: what they
//! append comes out of the recording, whatever kills them, and a recorder that
//! dies does not take them along.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reprise_recording::{
    Closing, CutShort, Manifest, Recording, StreamId, Writer,
    spool::{Drainer, Pulse, Recovered, Spool, SpoolConfig, recover},
};
use std::{
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// How long a subject may take, on a machine that does other things, too.
const PATIENCE: Duration = Duration::from_secs(120);
/// More events than anybody waits for.
const ENDLESS: u64 = 1 << 40;

/// A program that was built and can be started.
struct Subject {
    command: Vec<String>,
    _folder: tempfile::TempDir,
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../subjects")
        .join(name)
}

/// False when this machine does not have the program, which is no reason to
/// fail but where everything is meant to be tested.
fn has(program: &str) -> bool {
    let asked = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let there = asked.is_ok_and(|status| status.success());
    let must = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(there || !must, "there is no {program}");
    if !there {
        eprintln!("skipped: there is no {program}");
    }
    there
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|is| is == extension))
        .collect()
}

fn build(command: &mut Command) {
    let built = command.output().unwrap();
    assert!(
        built.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&built.stderr)
    );
}

fn c_subject() -> Option<Subject> {
    if !has("cc") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("spool-c");
    build(
        Command::new("cc")
            .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wconversion"])
            .args(["-Werror", "-pthread", "-o"])
            .arg(&program)
            .args(files(&source("spool-c"), "c")),
    );
    Some(Subject {
        command: vec![program.to_str().unwrap().into()],
        _folder: folder,
    })
}

fn java_subject() -> Option<Subject> {
    if !has("javac") || !has("java") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    build(
        Command::new("javac")
            .args(["-encoding", "UTF-8"])
            .args(["--release", "11", "-Xlint:all", "-Werror", "-d"])
            .arg(folder.path())
            .args(files(&source("spool-java"), "java")),
    );
    let classes = folder.path().to_str().unwrap();
    let command = ["java", "-Xshare:auto", "-Xmx256m", "-cp", classes, "Main"];
    Some(Subject {
        command: command.map(Into::into).into(),
        _folder: folder,
    })
}

/// A child that does not outlive its test.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Guard {
    fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the subject does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `work` beside a thread that shows the writers signs of life.
fn with_pulse<T>(pulse: &Pulse, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                pulse.beat();
                std::thread::sleep(Pulse::INTERVAL);
            }
        });
        let _done = OnDrop(&done);
        work()
    })
}

/// A subject that is being recorded.
struct Run {
    folder: tempfile::TempDir,
    drainer: Drainer,
    child: Guard,
    threads: u64,
}

impl Run {
    fn start(subject: &Subject, threads: u64, events: u64, dead_after_ms: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.reprise");
        let config = SpoolConfig {
            rings: 8,
            ring_size: 1 << 16,
            dead_after_ms,
            kinds: vec![("other".into(), 1), ("test".into(), 3)],
        };
        let writer = Writer::create(&file, &Manifest::default()).unwrap();
        let spool = Spool::create(&file, &config).unwrap();
        let drainer = Drainer::new(spool, writer).unwrap();
        drainer.begin_segment(5);
        let child = Command::new(&subject.command[0])
            .args(&subject.command[1..])
            .args([threads.to_string(), events.to_string()])
            .arg(folder.path().join("progress"))
            .env("REPRISE_SPOOL", drainer.spool_path())
            .spawn()
            .unwrap();
        Self {
            folder,
            drainer,
            child: Guard(child),
            threads,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("x.reprise")
    }

    /// Drains until the subject has ended.
    fn drain(&mut self) -> ExitStatus {
        let start = Instant::now();
        let mut status = None;
        let (drainer, child) = (&mut self.drainer, &mut self.child);
        with_pulse(&drainer.pulse(), || {
            let ended = || {
                status = child.0.try_wait().unwrap();
                status.is_some() || start.elapsed() > PATIENCE
            };
            drainer.run(ended).unwrap();
        });
        status.expect("the subject does not end")
    }

    /// Drains for so long, or for so long after all threads have begun.
    fn drain_for(&mut self, time: Duration, after_begin: bool) {
        let (drainer, progress) = (&mut self.drainer, self.folder.path().join("progress"));
        let (threads, start) = (self.threads, Instant::now());
        let mut counted_from = (!after_begin).then_some(start);
        with_pulse(&drainer.pulse(), || {
            let over = || {
                if counted_from.is_none() && (0..threads).all(|t| begun(&progress, t) > 0) {
                    counted_from = Some(Instant::now());
                }
                counted_from.is_some_and(|from| from.elapsed() >= time)
                    || start.elapsed() > PATIENCE
            };
            drainer.run(over).unwrap();
        });
        assert!(counted_from.is_some(), "the subject does not begin");
    }
}

fn progress(file: &Path, index: u64) -> u64 {
    let bytes = std::fs::read(file).unwrap_or_default();
    let at = index as usize * 8;
    bytes
        .get(at..at + 8)
        .map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
}

/// How many events a thread has begun.
fn begun(file: &Path, thread: u64) -> u64 {
    progress(file, 2 * thread)
}

/// How many events a thread knows to be appended.
fn appended(file: &Path, thread: u64) -> u64 {
    progress(file, 2 * thread + 1)
}

/// The content of an event, as the subjects compute it.
fn content(thread: u64, number: u64) -> Vec<u8> {
    let mut bits = (thread << 40) + number + 1;
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let size = bits >> 32;
    let len = match bits % 100 {
        _ if number % 1000 == 999 => 70_000 + size % 1000,
        0..80 => size % 64,
        80..97 => size % 2000,
        _ => size % 20_001,
    };
    (0..len)
        .map(|i| ((bits >> (i % 8 * 8)) + i / 8) as u8)
        .collect()
}

/// Checks every event of a stream, but for the turns; returns how many there are.
fn check_stream(recording: &Recording, stream: StreamId, thread: u64) -> u64 {
    let mut events = recording.events(stream, 0).unwrap();
    let mut count = 0;
    while let Some(event) = events.next().unwrap() {
        assert_eq!((event.number, event.segment), (count, 5), "thread {thread}");
        if count % 16 != 0 {
            let expected = content(thread, count);
            assert!(event.payload == expected, "event {count} of {thread}");
            assert_eq!(event.replaced, count % 7 == 3, "event {count} of {thread}");
        }
        count += 1;
    }
    count
}

/// Checks every event of a recording; returns how many each thread has.
fn check_events(recording: &Recording, threads: u64, process: u32) -> Vec<u64> {
    assert!(recording.opened().damage.is_empty());
    let mut counts = vec![0; threads as usize];
    for (id, info) in recording.streams() {
        assert_eq!((&info.kind[..], info.version), ("test", 3));
        assert_eq!(info.process, process);
        assert_eq!(info.name, format!("writer {}", info.thread));
        assert_eq!(counts[info.thread as usize], 0, "one stream per thread");
        counts[info.thread as usize] = check_stream(recording, id, info.thread);
    }
    counts
}

/// The numbers of the turns in their recorded order.
fn turns(recording: &Recording) -> Vec<u64> {
    let mut timeline = recording.timeline();
    let mut turns = Vec::new();
    let mut stamp = 0;
    while let Some(event) = timeline.next().unwrap() {
        if event.number % 16 == 0 {
            assert!(event.stamp > stamp, "{} after {stamp}", event.stamp);
            stamp = event.stamp;
            turns.push(u64::from_le_bytes(event.payload.try_into().unwrap()));
        }
    }
    turns
}

fn everything_arrives(subject: &Subject) {
    let events = 12_000;
    let mut run = Run::start(subject, 4, events, 10_000);
    assert!(run.drain().success());
    let (file, process) = (run.file(), run.child.0.id());
    let Run {
        folder, drainer, ..
    } = run;
    drainer.finish(Closing::default()).unwrap();
    let recording = Recording::open(&file).unwrap();
    assert_eq!(recording.closing().unwrap().not_recorded, []);
    assert_eq!(check_events(&recording, 4, process), [events; 4]);
    assert!(turns(&recording).into_iter().eq(0..events / 16 * 4));
    assert!(!folder.path().join("x.reprise.spool.d").exists());
}

/// What is read back is what the subject had appended when it was killed: a
/// prefix without a gap, and nothing that it had not begun.
fn a_killed_writer_loses_nothing(subject: &Subject) {
    for round in 0..10u64 {
        let random = RandomState::new().hash_one(round);
        let mut run = Run::start(subject, 3, ENDLESS, 10_000);
        // Some die before they have begun, or while they do.
        run.drain_for(Duration::from_micros(random % 60_000), round % 4 != 0);
        run.child.0.kill().unwrap();
        run.drain();
        let (file, process) = (run.file(), run.child.0.id());
        let progress = run.folder.path().join("progress");
        run.drainer.finish(Closing::default()).unwrap();
        let recording = Recording::open(&file).unwrap();
        assert_eq!(recording.closing().unwrap().not_recorded, []);
        for (thread, count) in (0..).zip(check_events(&recording, run.threads, process)) {
            let expected = appended(&progress, thread)..=begun(&progress, thread);
            assert!(expected.contains(&count), "{count} not in {expected:?}");
        }
        let turns = turns(&recording);
        assert!(turns.iter().copied().eq(0..turns.len() as u64), "a gap");
    }
}

/// The recorder dies: the subject ends as it would have, and what it had
/// appended until it noticed is recovered.
fn a_dead_drainer_does_not_matter(subject: &Subject) {
    let events = 50_000;
    let mut run = Run::start(subject, 3, events, 200);
    run.drain_for(Duration::from_millis(20), true);
    let (file, process) = (run.file(), run.child.0.id());
    let Run {
        folder,
        drainer,
        mut child,
        ..
    } = run;
    drop(drainer);
    assert!(child.wait().success());

    // A child that another test has forked holds our locks until it runs its
    // program.
    let recovered = loop {
        match recover(&file).unwrap() {
            Recovered::InProgress => std::thread::sleep(Duration::from_millis(5)),
            recovered => break recovered,
        }
    };
    assert!(matches!(recovered, Recovered::Added(_)), "{recovered:?}");
    let recording = Recording::open(&file).unwrap();
    let counts = check_events(&recording, 3, process);
    let progress = folder.path().join("progress");
    let known: Vec<_> = (0..3).map(|thread| appended(&progress, thread)).collect();
    assert_eq!(counts, known);
    let closing = recording.closing().unwrap();
    assert_eq!(closing.cut_short, Some(CutShort::RecorderDied));
    let discarded: u64 = closing.not_recorded.iter().map(|note| note.count).sum();
    assert_eq!(counts.iter().sum::<u64>() + discarded, 3 * events);
    assert!(turns(&recording).is_sorted());
}

macro_rules! for_each_language {
    ($($test:ident),*) => {
        $(mod $test {
            #[test]
            fn in_c() {
                super::c_subject().iter().for_each(super::$test);
            }

            #[test]
            fn in_java() {
                super::java_subject().iter().for_each(super::$test);
            }
        })*
    };
}

for_each_language!(
    everything_arrives,
    a_killed_writer_loses_nothing,
    a_dead_drainer_does_not_matter
);
