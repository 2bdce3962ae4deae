//! Recorders that are killed at the worst moment, and what the next command
//! makes of what they left.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod setup;

use reprise_recording::{
    Closing, CutShort, Manifest, Recording, StreamId, StreamInfo, Writer,
    spool::{
        Drainer, Recovered, Spool, SpoolConfig, SubjectSpool,
        layout::{control, header},
        recover, spool_path,
    },
};
use setup::{Setup, config, events, info, ring_info};
use std::time::{Duration, Instant};

/// Nobody drains: the writer gives up after the time it was given, and what
/// it had appended before is recovered.
#[test]
fn a_dead_drainer_ends_the_recording_and_not_the_subject() {
    let Setup {
        folder,
        drainer,
        subject,
        ..
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
    assert!(start.elapsed() < Duration::from_secs(10), "no more waiting");
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
    for event in events(&file) {
        assert_eq!(event.payload, event.number.to_le_bytes());
    }
    assert_eq!(recover(&file).unwrap(), Recovered::Nothing);
}

#[test]
fn a_dead_drainer_holds_up_one_new_thread_only() {
    let setup = Setup::new(&SpoolConfig {
        dead_after_ms: 1000,
        ..config(1, 1 << 14)
    });
    let _one = setup.subject.ring(info(1)).unwrap();
    let start = Instant::now();
    for thread in 0..5 {
        assert!(setup.subject.ring(info(thread)).is_none());
    }
    assert!(start.elapsed() < Duration::from_secs(4));
}

/// The drainer dies after it has appended and before it has written down that
/// it did: nothing is appended twice.
#[test]
fn a_drainer_dies_between_the_file_and_the_mark() {
    let mut setup = Setup::small(2);
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
    setup.drain();
    append(10..500);
    let before = std::fs::read(setup.drainer.spool_path()).unwrap();
    setup.drain();
    append(500..600);
    drop(ring);
    let file = setup.file();
    let layout = setup.layout;
    drop(setup.drainer);
    // The spool as it was before the second draining, but with the events that
    // came after it.
    let after = std::fs::read(spool_path(&file)).unwrap();
    let tail = layout.control_at(0) as usize + control::TAIL;
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

#[test]
fn a_loss_counts_after_the_recorder_was_killed() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    for i in 0..10u64 {
        ring.append(&i.to_le_bytes());
    }
    // No room for long events.
    std::fs::remove_dir_all(setup.outside()).unwrap();
    assert!(!ring.append(&[1; 10_000]));
    setup.drain();
    let file = setup.file();
    drop(setup.drainer);
    for i in 11..15u64 {
        ring.append(&i.to_le_bytes());
    }
    drop(ring);
    recover(&file).unwrap();
    let events = events(&file);
    assert_eq!(events.len(), 14);
    for event in events {
        assert_eq!(event.payload, event.number.to_le_bytes());
    }
}

#[test]
fn a_dump_is_not_repeated_by_a_recovery() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    for i in 0..10u64 {
        ring.append(&i.to_le_bytes());
    }
    setup.drainer.dump().unwrap();
    ring.append(b"more");
    let file = setup.file();
    drop(setup.drainer);
    recover(&file).unwrap();
    let events = events(&file);
    assert_eq!(events.len(), 11);
    assert!(events.iter().all(|event| event.stream == 1));
}

#[test]
fn the_last_of_many_slices_outlives_the_recorder() {
    let mut setup = Setup::small(2);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"zero");
    setup.drain();
    let mut last = 0;
    for _ in 0..1000 {
        last = ring.stamp();
    }
    setup.drain();
    let file = setup.file();
    drop(setup.drainer);
    ring.append(b"one");
    drop(ring);
    recover(&file).unwrap();
    assert_eq!(events(&file)[1].stamp, last);
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

/// The recorder dies after it has declared a stream and before it has written
/// down for which ring: the stream is not declared twice.
#[test]
fn a_recorder_dies_between_the_declaration_and_the_mark() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    let spool = Spool::create(&file, &config(2, 1 << 14)).unwrap();
    let drainer = Drainer::new(spool, writer.clone()).unwrap();
    let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
    for (thread, content) in [(1, b"one"), (2, b"two")] {
        subject.ring(info(thread)).unwrap().append(content);
    }
    let declared = StreamInfo {
        process: 7,
        thread: 2,
        kind: "test".into(),
        version: 3,
        table: false,
        name: "worker".into(),
    };
    drop(writer.stream(&declared).unwrap());
    drop((writer, drainer));
    recover(&file).unwrap();
    let recording = Recording::open(&file).unwrap();
    let threads: Vec<_> = recording.streams().map(|(_, info)| info.thread).collect();
    assert_eq!(threads, [2, 1]);
    let seen: Vec<_> = events(&file)
        .into_iter()
        .map(|event| event.payload)
        .collect();
    assert_eq!(seen, [b"two", b"one"]);
}

/// A segment began so long ago that its record had to go, and no event has
/// come since.
#[test]
fn a_segment_far_behind_the_slices_outlives_the_recorder() {
    let mut setup = Setup::small(2);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"zero");
    setup.drain();
    ring.begin_segment(7);
    for _ in 0..1000 {
        ring.stamp();
    }
    setup.drain();
    let file = setup.file();
    drop(setup.drainer);
    ring.append(b"one");
    drop(ring);
    recover(&file).unwrap();
    let segments: Vec<_> = events(&file).iter().map(|event| event.segment).collect();
    assert_eq!(segments, [0, 7]);
}

/// The recorder dies while it makes a ring ready for the next thread, after
/// any of its stores: nothing comes twice, and no stream without an event.
#[test]
fn a_recorder_dies_while_it_releases_a_ring() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    for number in 0..300u64 {
        ring.append(&number.to_le_bytes());
    }
    setup.drain();
    for number in 300..310u64 {
        ring.append(&number.to_le_bytes());
    }
    ring.stamp();
    drop(ring);
    let before = std::fs::read(setup.drainer.spool_path()).unwrap();
    // Not through the drainer's own end, which would remove the spool.
    setup.drainer.poll().unwrap();
    let file = setup.file();
    let recorded = std::fs::read(&file).unwrap();
    let after = std::fs::read(setup.drainer.spool_path()).unwrap();
    let control = setup.layout.control_at(0) as usize;
    drop(setup.drainer);
    let words = |at: usize| control + at..control + at + 8;
    // The drained state, from which releasing starts, has its marks in `before`
    // and its tail further on; each store of the release makes the next.
    let stores: Vec<_> = [control::HEAD, control::TAIL]
        .into_iter()
        .chain((control::MARKS..control::LEN).step_by(8))
        .collect();
    for done in 0..=stores.len() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("x.reprise");
        std::fs::write(&copy, &recorded).unwrap();
        let mut spool = before.clone();
        for at in &stores[..done] {
            spool[words(*at)].copy_from_slice(&after[words(*at)]);
        }
        std::fs::write(spool_path(&copy), spool).unwrap();
        recover(&copy).unwrap();
        let numbers: Vec<_> = events(&copy).iter().map(|event| event.number).collect();
        assert!(numbers.iter().copied().eq(0..310), "after {done} stores");
        assert_eq!(Recording::open(&copy).unwrap().streams().count(), 1);
    }
}

/// A ring that made no sense is given up; a recorder that is killed after that
/// leaves it so. What came behind could not have its right numbers.
#[test]
fn a_ring_that_was_given_up_stays_given_up() {
    for declared in [true, false] {
        let mut setup = Setup::small(1);
        let mut ring = setup.subject.ring(info(1)).unwrap();
        if declared {
            ring.append(b"good");
            setup.drain();
        }
        ring.append(b"bad");
        let head = if declared { 10 + 6 } else { 0 };
        setup.poke(setup.layout.data_at(0) + head, &[0xff, 0xff]);
        ring.append(b"lost with it");
        setup.drain();
        let file = setup.file();
        drop(setup.drainer);
        ring.append(b"after");
        drop(ring);
        recover(&file).unwrap();
        let seen: Vec<_> = events(&file)
            .into_iter()
            .map(|event| event.payload)
            .collect();
        let expected: &[&[u8]] = if declared { &[b"good"] } else { &[] };
        assert_eq!(seen, expected);
    }
}

/// The recorder is killed when the recording is finished and its spool not yet
/// removed: what the closing manifest says is not said twice.
#[test]
fn a_recorder_dies_before_it_removes_the_spool() {
    let setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"one");
    setup.poke(header::TURNED_AWAY as u64, &3u32.to_le_bytes());
    setup.poke_control(0, control::DISCARDED, &5u64.to_le_bytes());
    drop(ring);
    let file = setup.file();
    let spool = spool_path(&file);
    let kept = setup.folder.path().join("kept");
    std::fs::hard_link(&spool, &kept).unwrap();
    setup.drainer.finish(Closing::default()).unwrap();
    let before = Recording::open(&file).unwrap().closing().cloned();
    assert_eq!(before.as_ref().unwrap().not_recorded.len(), 2);
    std::fs::rename(&kept, &spool).unwrap();
    recover(&file).unwrap();
    assert_eq!(Recording::open(&file).unwrap().closing().cloned(), before);
    assert_eq!(events(&file).len(), 1);
}
