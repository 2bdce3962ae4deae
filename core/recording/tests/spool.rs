//! The spool with living threads: what they append comes out of the recording.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod setup;

use reprise_recording::{
    CutShort, StreamId, StreamInfo,
    spool::{Recovered, Spool, SpoolConfig, SpoolError, recover, ring::RingInfo},
};
use setup::{Setup, config, info, payloads, ring_info};
use std::sync::Mutex;

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

#[test]
fn what_comes_after_the_end_is_not_recorded() {
    let mut setup = Setup::new(&config(4, 1 << 15));
    let mut rings = [1, 2].map(|thread| setup.subject.ring(info(thread)).unwrap());
    for ring in &mut rings {
        assert!(ring.append(b"before"));
    }
    setup.drainer.end().unwrap();
    // They may not have noticed, and nobody waits for room.
    for _ in 0..10_000 {
        for ring in &mut rings {
            ring.append(b"after");
        }
    }
    // A thread that begins now has nothing in it either.
    if let Some(mut late) = setup.subject.ring(info(3)) {
        late.append(b"late");
    }
    setup.drainer.end().unwrap();
    let (recording, _folder) = setup.finish();
    for (id, _) in recording.streams() {
        assert_eq!(payloads(&recording, id), [(0, false, b"before".to_vec())]);
    }
    assert_eq!(recording.streams().count(), 2);
}

/// A subject that is killed has no time to write down what it has counted; one that has written
/// something since, or is still at it, has nothing more to say.
#[test]
fn a_last_word_is_the_last_event_if_nothing_follows_it() {
    let mut setup = Setup::new(&config(8, 1 << 15));
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[0] = bytes.len() as u8;
        word[1..=bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut rings = [1, 2, 3, 4].map(|thread| setup.subject.ring(info(thread)).unwrap());
    for ring in &mut rings {
        assert!(ring.append(b"before"));
        ring.set_last_word(word(b"overdue"));
    }
    rings[0].set_last_word(word(b"last"));
    rings[1].set_last_word(0);
    assert!(rings[1].append(b"one more"));
    // Somebody has scribbled on it.
    rings[2].set_last_word(u64::MAX);
    setup.drainer.end().unwrap();
    rings[3].set_last_word(word(b"late"));
    setup.drainer.end().unwrap();
    std::mem::forget(rings);
    let (recording, _folder) = setup.finish();
    let events = |thread: u64| -> Vec<Vec<u8>> {
        let mut streams = recording.streams();
        let (id, _) = streams.find(|(_, info)| info.thread == thread).unwrap();
        let events = payloads(&recording, id).into_iter();
        events.map(|(.., payload)| payload).collect()
    };
    assert_eq!(events(1), [&b"before"[..], b"last"]);
    assert_eq!(events(2), [&b"before"[..], b"one more"]);
    assert_eq!(events(3), [b"before"]);
    assert_eq!(events(4), [&b"before"[..], b"overdue"]);
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
    let mut setup = Setup::small(2);
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

/// Slices that no event follows stay in the ring; reading them again must not
/// look like stamps that go back.
#[test]
fn slices_without_events_are_drained_again_and_again() {
    let mut setup = Setup::small(2);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"a");
    ring.stamp();
    ring.begin_segment(7);
    ring.stamp();
    for _ in 0..3 {
        setup.drain();
    }
    ring.append(b"b");
    setup.drain();
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
    setup.drain();
    for _ in 0..500_000 {
        ring.stamp();
    }
    setup.drain();
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
        let mut setup = Setup::small(2);
        let mut ring = setup.subject.ring(info(1)).unwrap();
        ring.append(&vec![1; before]);
        setup.drain();
        setup.drain_during(move |_| {
            ring.stamp();
            assert!(ring.append(&[2; 8191]));
        });
        let (recording, _folder) = setup.finish();
        assert_eq!(recording.event_count(StreamId(1)), 2, "{before}");
    }
}

#[test]
fn slices_that_stay_are_no_work() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    for _ in 0..500 {
        ring.stamp();
    }
    let busy = (0..1000).filter(|_| setup.drainer.poll().unwrap()).count();
    assert!(busy < 10, "{busy} of 1000 polls");
}

#[test]
fn what_was_complete_is_kept_when_a_recording_is_cut_short() {
    let mut setup = Setup::small(2);
    let mut block = setup.subject.ring(info(1)).unwrap();
    let mut ring = setup.subject.ring(ring_info(2)).unwrap();
    for i in 0..10u64 {
        assert!(block.append(&i.to_le_bytes()));
        assert!(ring.append(&i.to_le_bytes()));
    }
    let why = CutShort::Stopped { by: "user".into() };
    setup.drainer.cut_short(why.clone());
    let (events, closing) = setup.finish_events();
    assert_eq!(events.len(), 20);
    assert_eq!(closing.cut_short, Some(why));
}

#[test]
fn a_recording_in_progress_is_left_alone() {
    let setup = Setup::small(2);
    assert_eq!(recover(&setup.file()).unwrap(), Recovered::InProgress);
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

/// A process dies and closes nothing: its rings are drained and used again.
#[test]
fn the_rings_of_a_dead_process_are_used_again() {
    let mut setup = Setup::small(1);
    for process in 1..=3 {
        let mut ring = setup.subject.ring(RingInfo { process, ..info(1) }).unwrap();
        ring.append(&process.to_le_bytes());
        std::mem::forget(ring);
        setup.drainer.process_ended(99);
        setup.drainer.process_ended(process);
        setup.drainer.poll().unwrap();
    }
    let (recording, _folder) = setup.finish();
    let processes: Vec<_> = recording.streams().map(|(_, info)| info.process).collect();
    assert_eq!(processes, [1, 2, 3]);
    let events: u64 = recording
        .streams()
        .map(|(id, _)| recording.event_count(id))
        .sum();
    assert_eq!(events, 3);
}

#[test]
fn only_so_many_things_are_named() {
    let mut setup = Setup::small(1);
    for thing in 0..1500 {
        setup
            .drainer
            .note(&format!("thing {thing}"), "no reason", 2);
    }
    let (_, closing) = setup.finish_events();
    assert_eq!(closing.not_recorded.len(), 1001);
    let last = closing
        .not_recorded
        .iter()
        .find(|note| note.what == "other things");
    assert_eq!(last.unwrap().count, 1000);
}
