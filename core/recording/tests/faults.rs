//! Faults: processes killed at random moments, files cut and altered, a full
//! disk. The gate runs as many as it has time for; with `RECORDING_FAULTS=long`
//! (`cargo xtask study recording-faults`) there are many more.
//!
//! A test that needs another process starts this very program again, as the
//! test [`role_of_a_child`], with what to do in its environment.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use random::Random;
use reprise_recording::{
    Closing, CutShort, Ending, Event, Manifest, Recording, StreamId, StreamInfo, StreamWriter,
    Writer,
    spool::{Drainer, Recovered, Spool, SpoolConfig, SubjectSpool, recover, ring::RingInfo},
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::{fs::FileExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

const THREADS: u64 = 3;
/// A subject says how far it is after so many events.
const ACKNOWLEDGED: u64 = 16;

fn long() -> bool {
    std::env::var_os("RECORDING_FAULTS").is_some_and(|value| value == "long")
}

/// `short` in the gate, `long` in the study.
fn how_many(short: u32, many: u32) -> u32 {
    if long() { many } else { short }
}

/// So many bytes that nobody writes by accident, for event `number` of a thread.
fn content(thread: u64, number: u64, len: impl FnOnce(&mut Random) -> usize) -> Vec<u8> {
    let mut random = Random((thread + 1) << 48 ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let len = len(&mut random);
    let bytes = std::iter::repeat_with(|| random.next() as u8).take(len);
    let mut out = number.to_le_bytes().to_vec();
    out.extend(bytes);
    out
}

fn short(thread: u64, number: u64) -> Vec<u8> {
    content(thread, number, |random| 8 + random.below(24) as usize)
}

/// What event `number` of a thread holds: mostly short, some too long for a
/// plain record, and some too long for a ring.
fn payload(thread: u64, number: u64) -> Vec<u8> {
    match number {
        _ if number % 499 == 498 => content(thread, number, |_| 20_000),
        _ if number % 199 == 198 => content(thread, number, |_| 10_000),
        _ => short(thread, number),
    }
}

/// Which events are stand-ins for private ones.
fn is_replaced(number: u64) -> bool {
    number % 13 == 5
}

/// A slice is so many events long.
const SLICE: u64 = 7;
/// And a segment so many.
const SEGMENT: u64 = 1000;

/// Stamps are as the events were appended: one for each slice.
fn check_stamp(last: u64, event: &Event<'_>) {
    if event.number.is_multiple_of(SLICE) {
        assert!(event.stamp > last, "{event:?} after {last}");
    } else {
        assert_eq!(event.stamp, last, "{event:?}");
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("x.reprise")
}

fn child(role: &str, folder: &Path, patience: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "role_of_a_child", "--nocapture"])
        .env("FAULTS_ROLE", role)
        .env("FAULTS_FOLDER", folder)
        .env("FAULTS_PATIENCE", patience.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// Waits until a child has said that it is ready.
fn wait_ready(child: &mut Child) {
    let mut seen = Vec::new();
    let out = child.stdout.as_mut().unwrap();
    while !seen.ends_with(b"ready\n") {
        let mut byte = [0];
        assert_eq!(out.read(&mut byte).unwrap(), 1, "the child ended early");
        seen.extend(byte);
    }
}

/// Does what the environment says; nothing when it says nothing.
#[test]
fn role_of_a_child() {
    let Some(role) = std::env::var_os("FAULTS_ROLE") else {
        return;
    };
    let folder = PathBuf::from(std::env::var_os("FAULTS_FOLDER").unwrap());
    match role.to_str().unwrap() {
        "recorder" => recorder(&folder),
        "subject" => subject(&folder),
        "writer" => writer(&folder),
        "full-disk" => full_disk(&folder),
        other => panic!("no role is called {other}"),
    }
}

/// How long a subject waits for a recorder that was killed. Where the recorder
/// lives, it must not be taken for dead however busy the machine is.
const IMPATIENT_MS: u32 = 300;
const PATIENT_MS: u32 = 60_000;

fn spool_config(ring_size: u64, dead_after_ms: u32) -> SpoolConfig {
    SpoolConfig {
        rings: 8,
        ring_size,
        dead_after_ms,
        kinds: vec![("test".into(), 1)],
    }
}

/// Drains until its standard input ends.
fn recorder(folder: &Path) {
    let writer = Writer::create(file(folder), &Manifest::default()).unwrap();
    let patience = std::env::var("FAULTS_PATIENCE").unwrap().parse().unwrap();
    let config = spool_config(1 << 16, patience);
    let spool = Spool::create(&file(folder), &config).unwrap();
    let mut drainer = Drainer::new(spool, writer).unwrap();
    println!("ready");
    let done = AtomicBool::new(false);
    let pulse = drainer.pulse();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            done.store(true, Ordering::Release);
        });
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                pulse.beat();
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        drainer.run(|| done.load(Ordering::Acquire)).unwrap();
    });
    let closing = Closing {
        ending: Ending::Killed { signal: 9 },
        ..Closing::default()
    };
    drainer.finish(closing).unwrap();
}

/// Appends until it is killed or the recording ends.
fn subject(folder: &Path) {
    let spool = SubjectSpool::open(file(folder).with_extension("reprise.spool")).unwrap();
    println!("ready");
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let spool = &spool;
            scope.spawn(move || {
                let info = RingInfo {
                    thread,
                    ..RingInfo::default()
                };
                let Some(mut ring) = spool.ring(info) else {
                    return;
                };
                let acknowledged = File::create(folder.join(thread.to_string())).unwrap();
                for number in 0.. {
                    if number % SEGMENT == 0 {
                        ring.begin_segment(number / SEGMENT);
                    }
                    if number % SLICE == 0 {
                        ring.stamp();
                    }
                    let event = payload(thread, number);
                    let appended = match is_replaced(number) {
                        true => ring.append_replaced(&event),
                        false => ring.append(&event),
                    };
                    if !appended {
                        return;
                    }
                    if (number + 1) % ACKNOWLEDGED == 0 {
                        let bytes = (number + 1).to_le_bytes();
                        acknowledged.write_all_at(&bytes, 0).unwrap();
                    }
                }
            });
        }
    });
}

/// Writes a file with no spool, flushing now and then, until it is killed.
fn writer(folder: &Path) {
    let writer = Writer::create(file(folder), &Manifest::default()).unwrap();
    println!("ready");
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let info = StreamInfo {
                thread,
                ..StreamInfo::default()
            };
            let mut stream = writer.stream(&info).unwrap();
            let acknowledged = File::create(folder.join(thread.to_string())).unwrap();
            scope.spawn(move || {
                for number in 0.. {
                    write(&mut stream, thread, number, 1 + number / SLICE);
                    if (number + 1) % ACKNOWLEDGED == 0 {
                        stream.flush().unwrap();
                        let bytes = (number + 1).to_le_bytes();
                        acknowledged.write_all_at(&bytes, 0).unwrap();
                    }
                }
            });
        }
    });
}

/// Appends an event with everything that goes with it.
fn write(stream: &mut StreamWriter, thread: u64, number: u64, stamp: u64) {
    stream.segment((number / SEGMENT) as u32).unwrap();
    stream.stamp(stamp).unwrap();
    let event = payload(thread, number);
    match is_replaced(number) {
        true => stream.append_replaced(&event).unwrap(),
        false => stream.append(&event).unwrap(),
    }
}

/// Every acknowledged event is there, none is invented, none is missing in
/// between. Returns how many there are.
fn check(folder: &Path, ahead: u64) -> u64 {
    let recording = Recording::open(file(folder)).unwrap();
    assert_eq!(recording.opened().damage, []);
    let mut total = 0;
    for thread in 0..THREADS {
        let mut acknowledged = [0; 8];
        if let Ok(progress) = File::open(folder.join(thread.to_string())) {
            let _ = progress.read_at(&mut acknowledged, 0).unwrap();
        }
        let acknowledged = u64::from_le_bytes(acknowledged);
        let streams: Vec<_> = recording
            .streams()
            .filter(|(_, info)| info.thread == thread)
            .collect();
        assert!(streams.len() <= 1, "{streams:?}");
        let mut number = 0;
        if let Some((id, _)) = streams.first() {
            let mut events = recording.events(*id, 0).unwrap();
            let mut stamp = 0;
            while let Some(event) = events.next().unwrap() {
                assert_eq!(event.number, number);
                assert_eq!(event.payload, payload(thread, number));
                assert_eq!(event.replaced, is_replaced(number));
                assert_eq!(u64::from(event.segment), number / SEGMENT);
                check_stamp(stamp, &event);
                stamp = event.stamp;
                number += 1;
            }
        }
        let possible = acknowledged..=acknowledged.saturating_add(ahead);
        assert!(possible.contains(&number), "{number} not in {possible:?}");
        total += number;
    }
    total
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(9));
}

fn pause(random: &mut Random) {
    // From nothing to many times what it takes to go round a ring.
    let micros = 1 << random.below(15);
    std::thread::sleep(Duration::from_micros(micros + random.below(micros)));
}

/// Records a subject, each in a process of its own, and lets `kill` do its
/// worst after a random time. Returns how many events came back.
fn record_and_kill(
    random: &mut Random,
    patience: u32,
    kill: impl FnOnce(&mut Random, &Path, Child, Child),
) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = child("recorder", folder.path(), patience);
    wait_ready(&mut recorder);
    let mut subject = child("subject", folder.path(), patience);
    wait_ready(&mut subject);
    pause(random);
    kill(random, folder.path(), recorder, subject);
    check(folder.path(), ACKNOWLEDGED)
}

fn must_recover(folder: &Path) {
    let recovered = recover(&file(folder)).unwrap();
    assert!(matches!(recovered, Recovered::Added(_)), "{recovered:?}");
}

#[test]
fn the_subject_is_killed() {
    let mut random = Random(1);
    let mut total = 0;
    let kills = how_many(80, 2000);
    for _ in 0..kills {
        total += record_and_kill(
            &mut random,
            PATIENT_MS,
            |_, folder, mut recorder, subject| {
                kill(subject);
                drop(recorder.stdin.take());
                assert!(recorder.wait().unwrap().success());
                assert_eq!(recover(&file(folder)).unwrap(), Recovered::Nothing);
            },
        );
    }
    println!("{kills} kills, {total} events came back, none missing and none wrong");
}

#[test]
fn the_recorder_is_killed() {
    let mut random = Random(2);
    let mut total = 0;
    let kills = how_many(40, 1000);
    for _ in 0..kills {
        total += record_and_kill(
            &mut random,
            IMPATIENT_MS,
            |_, folder, recorder, mut subject| {
                kill(recorder);
                // The subject notices that nobody drains any more, and goes on.
                assert!(subject.wait().unwrap().success());
                must_recover(folder);
                let recording = Recording::open(file(folder)).unwrap();
                let closing = recording.closing().unwrap();
                assert_eq!(closing.cut_short, Some(CutShort::RecorderDied));
            },
        );
    }
    println!("{kills} kills, {total} events came back, none missing and none wrong");
}

#[test]
fn both_are_killed() {
    let mut random = Random(3);
    let mut total = 0;
    let kills = how_many(40, 1000);
    for round in 0..kills {
        total += record_and_kill(
            &mut random,
            PATIENT_MS,
            |random, folder, recorder, subject| {
                let (first, second) = if round % 2 == 0 {
                    (recorder, subject)
                } else {
                    (subject, recorder)
                };
                kill(first);
                pause(random);
                kill(second);
                must_recover(folder);
            },
        );
    }
    println!("{kills} kills, {total} events came back, none missing and none wrong");
}

#[test]
fn a_writer_without_a_spool_is_killed() {
    let mut random = Random(4);
    let mut total = 0;
    let kills = how_many(40, 1000);
    for _ in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = child("writer", folder.path(), PATIENT_MS);
        wait_ready(&mut writer);
        pause(&mut random);
        kill(writer);
        total += check(folder.path(), ACKNOWLEDGED);
        // Whatever stands at its end, it can be added to.
        let (writer, _) = Writer::reopen(file(folder.path())).unwrap();
        writer.finish(Closing::default()).unwrap();
        check(folder.path(), ACKNOWLEDGED);
    }
    println!("{kills} kills, {total} events came back, none missing and none wrong");
}

/// The stamp of an event in the recording that is altered.
fn stamp(thread: u64, number: u64) -> u64 {
    1 + number / SLICE * THREADS + thread
}

/// A recording with everything in it.
fn a_recording(folder: &Path) -> Vec<u8> {
    let writer = Writer::create(file(folder), &Manifest::default()).unwrap();
    for thread in 0..THREADS {
        let info = StreamInfo {
            thread,
            ..StreamInfo::default()
        };
        let mut stream = writer.stream(&info).unwrap();
        for number in 0..300 {
            write(&mut stream, thread, number, stamp(thread, number));
            if number % 40 == 39 {
                stream.flush().unwrap();
            }
        }
    }
    let mut map = writer.page_map(1, 0);
    for page in 0..20u64 {
        let mut content = [page as u8; 4096];
        content[..8].copy_from_slice(&page.to_le_bytes());
        map.insert(page << 12, &content).unwrap();
    }
    map.finish().unwrap();
    writer.finish(Closing::default()).unwrap();
    fs::read(file(folder)).unwrap()
}

/// Reads whatever can be read of some bytes; what is read must be right.
fn read_all(bytes: Vec<u8>) -> Option<usize> {
    let recording = Recording::from_source(bytes).ok()?;
    let mut right = 0;
    let mut timeline = recording.timeline();
    for _ in 0..100_000 {
        match timeline.next() {
            Ok(Some(event)) => {
                let thread = u64::from(event.stream.0) - 1;
                assert_eq!(event.payload, payload(thread, event.number));
                assert_eq!(event.replaced, is_replaced(event.number));
                assert_eq!(event.stamp, stamp(thread, event.number));
                assert_eq!(event.segment, 0);
                right += 1;
            }
            Ok(None) => break,
            Err(_) => {}
        }
    }
    let mut pages = recording.pages();
    for page in 0..20u64 {
        if let Ok(Some(content)) = pages.get(1, 0, page << 12) {
            assert_eq!(content[..8], page.to_le_bytes());
            assert!(content[8..].iter().all(|byte| *byte == page as u8));
        }
    }
    Some(right)
}

#[test]
fn bytes_are_altered_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = a_recording(folder.path());
    let whole = read_all(bytes.clone()).unwrap();
    assert_eq!(whole, 900);
    let mut random = Random(5);
    let (mut refused, mut shorter, mut unharmed) = (0, 0, 0);
    for _ in 0..how_many(10_000, 500_000) {
        let mut bytes = bytes.clone();
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len() as u64) as usize),
            1 => {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            2 => {
                let at = random.below(bytes.len() as u64) as usize;
                let end = bytes.len().min(at + random.below(600) as usize);
                bytes[at..end].fill_with(|| random.next() as u8);
            }
            _ => {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.next() as u8;
                bytes.truncate(at + random.below(2000) as usize);
            }
        }
        match read_all(bytes) {
            None => refused += 1,
            Some(events) if events < whole => shorter += 1,
            Some(_) => unharmed += 1,
        }
    }
    println!("{refused} refused, {shorter} shorter, {unharmed} with all events");
    assert!(refused > 0 && shorter > 0 && unharmed > 0);
}

/// Fills the disk that `folder` is on.
fn full_disk(folder: &Path) {
    let writer = Writer::create(file(folder), &Manifest::default()).unwrap();
    let spool = Spool::create(&file(folder), &spool_config(1 << 15, IMPATIENT_MS)).unwrap();
    let mut drainer = Drainer::new(spool, writer).unwrap();
    let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
    let mut ring = subject.ring(RingInfo::default()).unwrap();
    let done = AtomicBool::new(false);
    let appended = std::thread::scope(|scope| {
        let done = &done;
        let subject = scope.spawn(move || {
            let mut number = 0;
            while ring.append(&short(0, number)) {
                number += 1;
            }
            // The disk is full and the subject is still here.
            for more in 0..1000 {
                assert!(!ring.append(&short(0, number + more)));
            }
            done.store(true, Ordering::Release);
            number
        });
        let failed = drainer.run(|| done.load(Ordering::Acquire));
        assert!(failed.is_err(), "a full disk ends the draining");
        subject.join().unwrap()
    });
    let ending = Ending::Exited { status: 0 };
    let finished = drainer
        .finish(Closing {
            ending: ending.clone(),
            ..Closing::default()
        })
        .unwrap();
    assert_eq!(finished.cut_short, Some(CutShort::DiskFull));

    let recording = Recording::open(file(folder)).unwrap();
    assert_eq!(recording.opened().damage, []);
    let closing = recording.closing().unwrap();
    assert_eq!(closing.ending, ending);
    assert_eq!(closing.cut_short, Some(CutShort::DiskFull));
    let mut events = recording.events(StreamId(1), 0).unwrap();
    let mut number = 0;
    while let Some(event) = events.next().unwrap() {
        assert_eq!(event.payload, short(0, number));
        number += 1;
    }
    assert!(
        number > 10_000 && number <= appended,
        "{number} of {appended}"
    );
    let lost = closing.not_recorded.iter().map(|note| note.count).max();
    assert!(lost >= Some(1000), "{:?}", closing.not_recorded);
    println!("{number} of {appended} events fitted");
}

/// In a mount namespace of its own, so that nothing is left of the small disk.
#[test]
fn the_disk_is_full() {
    for megabytes in how_many(3, 1)..=how_many(3, 20) {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "mount -t tmpfs -o size={megabytes}m none \"$FAULTS_FOLDER\" || exit 77; \
             exec \"$0\" --exact role_of_a_child --nocapture"
        );
        // Only who is not root needs a user namespace, which a chroot forbids.
        let root = rustix::process::geteuid().is_root();
        let user: &[_] = if root { &[] } else { &["--map-root-user"] };
        let output = Command::new("unshare")
            .args(user)
            .args(["--mount", "sh", "-c", &script])
            .arg(std::env::current_exe().unwrap())
            .env("FAULTS_ROLE", "full-disk")
            .env("FAULTS_FOLDER", folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(77) || text.starts_with("unshare: ") {
            let mut err = std::io::stderr();
            writeln!(err, "skipped: no small disk can be mounted here: {text}").unwrap();
            return;
        }
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{megabytes} MB: {out}{text}");
        assert!(out.contains("events fitted"), "{out}");
    }
}
