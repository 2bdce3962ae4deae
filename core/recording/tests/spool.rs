//! The spool with living threads: what they append comes out of the recording.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use random::Random;
use reprise_recording::{
    Closing, CutShort, Manifest, Recording, StreamId, StreamInfo, Writer,
    spool::{
        Drainer, Recovered, Spool, SpoolConfig, SpoolError, SubjectSpool,
        layout::{self, Policy},
        recover,
        ring::RingInfo,
        spool_path,
    },
};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

struct Setup {
    folder: tempfile::TempDir,
    drainer: Drainer,
    subject: SubjectSpool,
}

struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn config(rings: u32, ring_size: u64) -> SpoolConfig {
    SpoolConfig {
        rings,
        ring_size,
        dead_after_ms: 10_000,
        kinds: vec![("test".into(), 3)],
    }
}

impl Setup {
    fn new(config: &SpoolConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.reprise");
        let writer = Writer::create(&file, &Manifest::default()).unwrap();
        let spool = Spool::create(&file, config).unwrap();
        let drainer = Drainer::new(spool, writer).unwrap();
        let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
        Self {
            folder,
            drainer,
            subject,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("x.reprise")
    }

    /// Drains while `work` runs in other threads.
    fn drain_during(&mut self, work: impl FnOnce(&SubjectSpool) + Send) {
        let done = AtomicBool::new(false);
        let subject = self.subject.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Also when it panics, or the drainer would wait for ever.
                let _done = OnDrop(&done);
                work(&subject);
            });
            self.drainer.run(|| done.load(Ordering::Acquire)).unwrap();
        });
    }

    fn finish(self) -> (Recording, tempfile::TempDir) {
        let file = self.file();
        self.drainer.finish(Closing::default()).unwrap();
        assert!(!spool_path(&file).exists());
        let recording = Recording::open(&file).unwrap();
        assert!(recording.opened().damage.is_empty());
        (recording, self.folder)
    }
}

fn info(thread: u64) -> RingInfo<'static> {
    RingInfo {
        thread,
        process: 7,
        name: "worker",
        ..RingInfo::default()
    }
}

fn payloads(recording: &Recording, stream: StreamId) -> Vec<(u64, bool, Vec<u8>)> {
    let mut out = Vec::new();
    let mut events = recording.events(stream, 0).unwrap();
    while let Some(event) = events.next().unwrap() {
        out.push((event.number, event.replaced, event.payload.to_vec()));
    }
    out
}

#[test]
fn threads_append_and_everything_arrives() {
    let mut setup = Setup::new(&config(16, 1 << 15));
    setup.drain_during(|subject| {
        std::thread::scope(|scope| {
            for t in 0..6 {
                scope.spawn(move || {
                    let mut ring = subject.ring(info(t)).unwrap();
                    for i in 0..50_000u64 {
                        // Lengths from 0 to 40, so that records meet the end
                        // of the ring at every distance.
                        let event = vec![(t + i) as u8; (i % 41) as usize];
                        assert!(ring.append(&event));
                    }
                });
            }
        });
    });
    let (recording, _folder) = setup.finish();
    assert_eq!(recording.streams().count(), 6);
    for (id, stream) in recording.streams() {
        let expected = StreamInfo {
            process: 7,
            thread: stream.thread,
            kind: "test".into(),
            version: 3,
            table: false,
            name: "worker".into(),
        };
        assert_eq!(*stream, expected);
        let events = payloads(&recording, id);
        assert_eq!(events.len(), 50_000);
        for (i, (number, replaced, payload)) in events.iter().enumerate() {
            let expected = vec![(stream.thread + i as u64) as u8; i % 41];
            assert_eq!((*number, *replaced, payload), (i as u64, false, &expected));
        }
    }
}

/// Threads take turns under a lock and stamp each turn: the timeline is the
/// order of the turns.
#[test]
fn stamps_order_threads() {
    let mut setup = Setup::new(&config(8, 1 << 15));
    let turn = Mutex::new(0u64);
    setup.drain_during(|subject| {
        std::thread::scope(|scope| {
            for t in 0..4 {
                let turn = &turn;
                scope.spawn(move || {
                    let mut ring = subject.ring(info(t)).unwrap();
                    for i in 0..5000 {
                        let mut turn = turn.lock().unwrap();
                        ring.stamp();
                        for _ in 0..i % 3 {
                            ring.append(&turn.to_le_bytes());
                            *turn += 1;
                        }
                    }
                });
            }
        });
    });
    let turns = turn.into_inner().unwrap();
    let (recording, _folder) = setup.finish();
    let mut timeline = recording.timeline();
    for turn in 0..turns {
        let event = timeline.next().unwrap().unwrap();
        assert_eq!(event.payload, turn.to_le_bytes());
    }
    assert!(timeline.next().unwrap().is_none());
}

#[test]
fn events_of_any_length() {
    let mut setup = Setup::new(&config(2, 1 << 16));
    let lengths = [0, 1, 8191, 8192, 16384, 16385, 100_000, 3_000_000, 5];
    setup.drain_during(|subject| {
        let mut ring = subject.ring(info(1)).unwrap();
        for len in lengths {
            assert!(ring.append(&vec![len as u8; len]));
            assert!(ring.append_replaced(&vec![!len as u8; len]));
        }
    });
    let (recording, folder) = setup.finish();
    let mut expected = Vec::new();
    for (i, len) in lengths.into_iter().enumerate() {
        expected.push((2 * i as u64, false, vec![len as u8; len]));
        expected.push((2 * i as u64 + 1, true, vec![!len as u8; len]));
    }
    assert!(payloads(&recording, StreamId(1)) == expected);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the recording is left: {left:?}");
}

#[test]
fn rings_are_used_again() {
    let mut setup = Setup::new(&config(2, 1 << 14));
    setup.drain_during(|subject| {
        for t in 0..30u64 {
            let mut ring = subject.ring(info(t)).unwrap();
            for i in 0..3000u64 {
                ring.append(&(t * 10_000 + i).to_le_bytes());
            }
        }
    });
    let (recording, _folder) = setup.finish();
    assert_eq!(recording.streams().count(), 30);
    for (id, stream) in recording.streams() {
        let events = payloads(&recording, id);
        assert_eq!(events.len(), 3000);
        for (number, _, payload) in events {
            assert_eq!(payload, (stream.thread * 10_000 + number).to_le_bytes());
        }
    }
}

/// A thread that finds no ring is not recorded; the others go on as before.
#[test]
fn a_thread_without_a_ring_disturbs_nobody() {
    let mut setup = Setup::new(&SpoolConfig {
        dead_after_ms: 50,
        ..config(1, 1 << 20)
    });
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"one");
    assert!(setup.subject.ring(info(2)).is_none());
    setup.drainer.poll().unwrap();
    ring.append(b"two");
    setup.drainer.poll().unwrap();
    ring.append(b"three");
    drop(ring);
    let (recording, _folder) = setup.finish();
    assert_eq!(recording.streams().count(), 1);
    assert_eq!(payloads(&recording, StreamId(1)).len(), 3);
    let notes = &recording.closing().unwrap().not_recorded;
    assert_eq!((notes[0].what.as_str(), notes[0].count), ("threads", 1));
}

/// Nobody drains: the writer gives up after the time it was given, and what
/// it had appended before is recovered.
#[test]
fn a_dead_drainer_ends_the_recording_and_not_the_subject() {
    let Setup {
        folder,
        drainer,
        subject,
    } = Setup::new(&SpoolConfig {
        dead_after_ms: 100,
        ..config(2, 1 << 14)
    });
    let file = folder.path().join("x.reprise");
    let mut ring = subject.ring(info(1)).unwrap();
    let start = Instant::now();
    let mut kept = 0u64;
    while ring.append(&kept.to_le_bytes()) {
        kept += 1;
    }
    let waited = start.elapsed();
    // The clock counts whole milliseconds.
    assert!(waited >= Duration::from_millis(98), "{waited:?}");
    assert!(!ring.is_recording());
    let start = Instant::now();
    for i in 0..100_000u64 {
        assert!(!ring.append(&i.to_le_bytes()));
    }
    assert!(start.elapsed() < Duration::from_secs(1), "no more waiting");
    assert!(subject.ring(info(2)).is_none(), "and no more rings");
    drop(ring);
    drop(drainer);

    let Recovered::Added(added) = recover(&file).unwrap() else {
        panic!("there was something to recover");
    };
    assert_eq!(added.events, kept);
    let recording = Recording::open(&file).unwrap();
    let closing = recording.closing().unwrap();
    assert_eq!(closing.cut_short, Some(CutShort::RecorderDied));
    assert_eq!(closing.not_recorded[0].count, 100_001);
    for (number, _, payload) in payloads(&recording, StreamId(1)) {
        assert_eq!(payload, number.to_le_bytes());
    }
    assert_eq!(recover(&file).unwrap(), Recovered::Nothing);
}

/// The drainer dies after it has appended and before it has written down that
/// it did: nothing is appended twice.
#[test]
fn a_drainer_dies_between_the_file_and_the_mark() {
    let mut setup = Setup::new(&config(2, 1 << 14));
    let mut ring = setup.subject.ring(info(1)).unwrap();
    let mut append = |range: std::ops::Range<u64>| {
        for number in range {
            if number % 10 == 0 {
                ring.stamp();
            }
            assert!(ring.append(&number.to_le_bytes()));
        }
    };
    append(0..10);
    setup.drainer.run(|| true).unwrap();
    append(10..500);
    let before = std::fs::read(setup.drainer.spool_path()).unwrap();
    setup.drainer.run(|| true).unwrap();
    append(500..600);
    drop(ring);
    let file = setup.file();
    drop(setup.drainer);
    // The spool as it was before the second draining, but with the events that
    // came after it.
    let after = std::fs::read(spool_path(&file)).unwrap();
    let layout = layout::Spool {
        rings: 2,
        ring_size: 1 << 14,
        dead_after_ms: 10_000,
    };
    let tail = layout.control_at(0) as usize + layout::control::TAIL;
    let marks = tail..layout.control_at(1) as usize;
    let mut torn = after;
    torn[marks.clone()].copy_from_slice(&before[marks]);
    std::fs::write(spool_path(&file), torn).unwrap();

    assert!(matches!(recover(&file), Ok(Recovered::Added(_))));
    let recording = Recording::open(&file).unwrap();
    assert_eq!(recording.streams().count(), 1);
    let mut events = recording.events(StreamId(1), 0).unwrap();
    for number in 0..600u64 {
        let event = events.next().unwrap().unwrap();
        assert_eq!(event.payload, number.to_le_bytes());
        assert_eq!((event.number, event.stamp), (number, number / 10 + 1));
    }
    assert!(events.next().unwrap().is_none());
}

/// Slices that no event follows stay in the ring; reading them again must not
/// look like stamps that go back.
#[test]
fn slices_without_events_are_drained_again_and_again() {
    let mut setup = Setup::new(&config(2, 1 << 14));
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"a");
    ring.stamp();
    ring.begin_segment(7);
    ring.stamp();
    for _ in 0..3 {
        setup.drainer.run(|| true).unwrap();
    }
    ring.append(b"b");
    setup.drainer.run(|| true).unwrap();
    ring.append(b"c");
    drop(ring);
    let (recording, _folder) = setup.finish();
    assert_eq!(recording.closing().unwrap().not_recorded, []);
    let mut events = recording.events(StreamId(1), 0).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = events.next().unwrap() {
        seen.push((event.stamp, event.segment, event.payload.to_vec()));
    }
    let expected = [
        (0, 0, b"a".to_vec()),
        (2, 7, b"b".to_vec()),
        (2, 7, b"c".to_vec()),
    ];
    assert_eq!(seen, expected);
}

/// A stretch with no event at all, longer than what is copied at once.
#[test]
fn a_ring_full_of_segments_and_slices_is_emptied() {
    let mut setup = Setup::new(&config(2, 16 << 20));
    let mut ring = setup.subject.ring(info(1)).unwrap();
    for segment in 0..500_000 {
        ring.begin_segment(segment);
    }
    setup.drainer.run(|| true).unwrap();
    for _ in 0..500_000 {
        ring.stamp();
    }
    setup.drainer.run(|| true).unwrap();
    ring.append(b"after");
    drop(ring);
    let (recording, _folder) = setup.finish();
    assert_eq!(recording.closing().unwrap().not_recorded, []);
    let mut events = recording.events(StreamId(1), 0).unwrap();
    let event = events.next().unwrap().unwrap();
    assert_eq!((event.segment, event.stamp), (499_999, 500_000));
}

/// What the drainer holds back and what a writer needs at most fit together.
#[test]
fn the_longest_plain_event_fits_behind_a_slice() {
    for before in 8100..8200 {
        let mut setup = Setup::new(&config(2, 1 << 14));
        let mut ring = setup.subject.ring(info(1)).unwrap();
        ring.append(&vec![1; before]);
        setup.drainer.run(|| true).unwrap();
        setup.drain_during(move |_| {
            ring.stamp();
            assert!(ring.append(&[2; 8191]));
        });
        let (recording, _folder) = setup.finish();
        assert_eq!(recording.event_count(StreamId(1)), 2, "{before}");
    }
}

/// More threads than rings, each with a segment that might still be wanted:
/// the oldest make room.
#[test]
fn rings_of_ended_threads_make_room_for_new_ones() {
    let mut setup = Setup::new(&config(3, 1 << 14));
    let mut last = 0;
    for thread in 0..20u64 {
        setup.drainer.begin_segment(thread as u32);
        setup.drain_during(|subject| {
            let info = RingInfo {
                policy: Policy::Ring,
                ..info(thread)
            };
            let mut ring = subject.ring(info).unwrap();
            ring.append(&thread.to_le_bytes());
        });
        last = thread;
    }
    let (recording, _folder) = setup.finish();
    let mut threads: Vec<_> = recording.streams().map(|(_, info)| info.thread).collect();
    threads.sort_unstable();
    assert_eq!(threads.last(), Some(&last));
    assert!(threads.len() <= 3, "{threads:?}");
    let not_recorded = &recording.closing().unwrap().not_recorded;
    assert_eq!(not_recorded.len(), 1);
    assert_eq!(not_recorded[0].what, "old segments");
}

#[test]
fn a_recording_in_progress_is_left_alone() {
    let setup = Setup::new(&config(2, 1 << 14));
    assert_eq!(recover(&setup.file()).unwrap(), Recovered::InProgress);
}

#[test]
fn a_ring_keeps_whole_segments() {
    let setup = Setup::new(&config(4, 1 << 14));
    let ring = |thread| RingInfo {
        policy: Policy::Ring,
        ..info(thread)
    };
    let mut busy = setup.subject.ring(ring(1)).unwrap();
    let mut calm = setup.subject.ring(ring(2)).unwrap();
    let mut table = setup.subject.ring(info(3)).unwrap();
    for segment in 0..50u64 {
        setup.drainer.begin_segment(segment as u32);
        for writer in [&mut busy, &mut calm] {
            if let Some(segment) = writer.wanted_segment() {
                writer.begin_segment(segment);
            }
        }
        for i in 0..300 {
            busy.append(&(segment * 1000 + i).to_le_bytes());
        }
        calm.append(&segment.to_le_bytes());
        table.append(&segment.to_le_bytes());
    }
    drop((busy, calm, table));
    let (recording, _folder) = setup.finish();

    // 16 KiB hold five segments of 300 ten-byte records; the rest was dropped
    // from both rings, though the calm one had room for all.
    let stream = |thread| {
        let mut streams = recording.streams();
        streams.find(|(_, info)| info.thread == thread).unwrap().0
    };
    let mut events = recording.events(stream(1), 0).unwrap();
    let mut segments = Vec::new();
    while let Some(event) = events.next().unwrap() {
        let value = u64::from_le_bytes(event.payload.try_into().unwrap());
        assert_eq!(u64::from(event.segment), value / 1000);
        assert_eq!(event.number, value / 1000 * 300 + value % 1000);
        segments.push(event.segment);
    }
    assert_eq!(segments.len(), 5 * 300);
    segments.dedup();
    assert_eq!(segments, [45, 46, 47, 48, 49]);
    let calm: Vec<_> = payloads(&recording, stream(2))
        .into_iter()
        .map(|(number, ..)| number)
        .collect();
    assert_eq!(calm, [45, 46, 47, 48, 49]);
    assert_eq!(payloads(&recording, stream(3)).len(), 50, "tables stay");
}

#[test]
fn a_segment_that_does_not_fit_is_lost_and_the_next_is_whole() {
    let mut setup = Setup::new(&config(2, 1 << 14));
    let mut ring = setup
        .subject
        .ring(RingInfo {
            policy: Policy::Ring,
            ..info(1)
        })
        .unwrap();
    for i in 0..5000u64 {
        ring.append(&i.to_le_bytes());
    }
    setup.drainer.begin_segment(1);
    ring.begin_segment(1);
    ring.append(b"whole");
    setup.drainer.dump().unwrap();
    ring.append(b"more");
    setup.drainer.begin_segment(2);
    ring.begin_segment(2);
    ring.append(&vec![0; 1 << 16]);
    ring.append(b"lost with the long one");
    setup.drainer.begin_segment(3);
    ring.begin_segment(3);
    ring.append(b"last");
    drop(ring);
    let (recording, _folder) = setup.finish();
    let events = payloads(&recording, StreamId(1));
    let events: Vec<_> = events
        .iter()
        .map(|(n, _, bytes)| (*n, &bytes[..]))
        .collect();
    assert_eq!(events, [(5000, &b"whole"[..]), (5004, b"last")]);
}

/// A dump while the writer goes on at full speed: segments are whole, or not
/// there.
#[test]
fn dumps_beside_a_busy_writer() {
    let mut setup = Setup::new(&config(2, 1 << 16));
    let stop = AtomicBool::new(false);
    let written = AtomicU64::new(0);
    let mut ring = setup
        .subject
        .ring(RingInfo {
            policy: Policy::Ring,
            ..info(1)
        })
        .unwrap();
    std::thread::scope(|scope| {
        let (stop, written) = (&stop, &written);
        scope.spawn(move || {
            let mut segment = 0u64;
            while !stop.load(Ordering::Relaxed) {
                segment += 1;
                ring.begin_segment(segment);
                for i in 0..100u64 {
                    ring.append(&(segment * 100 + i).to_le_bytes());
                }
                written.store(segment, Ordering::Relaxed);
            }
        });
        while written.load(Ordering::Relaxed) < 1000 {
            std::thread::yield_now();
        }
        for _ in 0..200 {
            setup.drainer.dump().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    let (recording, _folder) = setup.finish();
    let notes = &recording.closing().unwrap().not_recorded;
    assert!(
        notes.iter().all(|note| note.why.contains("hold still")),
        "{notes:?}"
    );
    let mut events = recording.events(StreamId(1), 0).unwrap();
    let mut seen = 0u64;
    while let Some(event) = events.next().unwrap() {
        let value = u64::from_le_bytes(event.payload.try_into().unwrap());
        assert_eq!(value, event.number + 100);
        assert_eq!(u64::from(event.segment), value / 100);
        seen += 1;
    }
    assert!(seen >= 1000, "{seen}");
    let notes = &recording.closing().unwrap().not_recorded;
    assert!(
        notes.iter().all(|note| note.why.contains("hold still")),
        "{notes:?}"
    );
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let spool = File::options().write(true).open(path).unwrap();
    spool.write_all_at(bytes, at).unwrap();
}

fn noise(random: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.next() as u8).collect()
}

/// The subject scribbles over its spool. The drainer neither panics nor hangs
/// nor stops; the writers are never left waiting.
#[test]
fn a_spool_full_of_garbage() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..300 {
        let mut setup = Setup::new(&config(3, 1 << 14));
        let layout = layout::Spool {
            rings: 3,
            ring_size: 1 << 14,
            dead_after_ms: 10_000,
        };
        let path = setup.drainer.spool_path().to_owned();
        let mut ring = setup.subject.ring(info(1)).unwrap();
        for i in 0..500u64 {
            ring.append(&i.to_le_bytes());
        }
        match round % 4 {
            // The data, all of it or a few bytes.
            0 => overwrite(&path, layout.data_at(0), &noise(&mut random, 1 << 14)),
            1 => {
                let at = layout.data_at(0) + random.below(5000);
                overwrite(&path, at, &noise(&mut random, 3));
            }
            // The control, but for the state.
            2 => overwrite(&path, layout.control_at(0) + 4, &noise(&mut random, 252)),
            // Everything behind the header, states included.
            _ => {
                let at = layout.control_at(0);
                let len = (layout.file_len() - at) as usize;
                overwrite(&path, at, &noise(&mut random, len));
            }
        }
        setup.drain_during(|_| {
            // The writer keeps its own position, so it can still go on; what
            // matters is that it comes to an end.
            for i in 0..5000u64 {
                ring.append(&i.to_le_bytes());
            }
            drop(ring);
        });
        let (recording, _folder) = setup.finish();
        let mut timeline = recording.timeline();
        while timeline.next().unwrap().is_some() {}
    }
}

#[test]
fn a_spool_that_is_cut_off_does_not_hurt_the_drainer() {
    let mut setup = Setup::new(&config(2, 1 << 14));
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"one");
    let path = setup.drainer.spool_path().to_owned();
    let spool = File::options().write(true).open(path).unwrap();
    let layout = layout::Spool {
        rings: 2,
        ring_size: 1 << 14,
        dead_after_ms: 10_000,
    };
    // The writer would fault now, as the subject has asked for it; the
    // recorder, which reads the data with `pread`, must not.
    std::mem::forget(ring);
    spool.set_len(layout.data_at(0)).unwrap();
    setup.drainer.run(|| true).unwrap();
    let (recording, _folder) = setup.finish();
    let notes = &recording.closing().unwrap().not_recorded;
    assert_eq!(notes[0].why, "its ring was corrupt");
}

#[test]
fn what_is_not_a_spool_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    drop(Writer::create(&file, &Manifest::default()).unwrap());
    std::fs::write(spool_path(&file), "something else").unwrap();
    assert!(recover(&file).is_err());
    assert!(spool_path(&file).exists(), "nothing is removed unread");
    Recording::open(&file).unwrap();
}

#[test]
fn a_config_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    let long = (
        "a name that is longer than twenty-eight bytes".to_owned(),
        1,
    );
    let wrong = [
        config(0, 1 << 14),
        config(1, 1 << 13),
        config(1, 20_000),
        SpoolConfig {
            kinds: vec![long],
            ..config(1, 1 << 14)
        },
    ];
    for config in wrong {
        let refused = Spool::create(&file, &config);
        assert!(matches!(refused, Err(SpoolError::Config(_))), "{config:?}");
    }
}
