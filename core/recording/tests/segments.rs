//! Rings of segments: the oldest are dropped, and a segment is whole or gone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod setup;

use reprise_recording::{
    StreamId,
    spool::layout::{Policy, control, ring_state},
};
use setup::{Setup, config, info, payloads, ring_info};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

#[test]
fn a_ring_keeps_whole_segments() {
    let setup = Setup::small(4);
    let ring = |thread| ring_info(thread);
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
    let mut setup = Setup::small(2);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
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
    // What an earlier dump has of segment 1 is not all of it, and it says so.
    assert_eq!(events, [(5000, &b"whole"[..]), (5004, b"last")]);
    let notes = &recording.closing().unwrap().not_recorded;
    assert_eq!(notes.len(), 1);
    assert_eq!(
        (notes[0].what.as_str(), notes[0].count),
        ("events between two dumps", 3)
    );
}

/// More threads than rings, each with a segment that might still be wanted:
/// the oldest make room.
#[test]
fn rings_of_ended_threads_make_room_for_new_ones() {
    let mut setup = Setup::small(3);
    let mut last = 0;
    for thread in 0..20u64 {
        setup.drainer.begin_segment(thread as u32);
        setup.drain_during(|subject| {
            let info = ring_info(thread);
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

/// A dump while the writer goes on at full speed: segments are whole, or not
/// there.
#[test]
fn dumps_beside_a_busy_writer() {
    let mut setup = Setup::new(&config(2, 1 << 16));
    let stop = AtomicBool::new(false);
    let written = AtomicU64::new(0);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
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
    let expected = |why: &str| why.contains("hold still") || why.contains("were dropped");
    assert!(notes.iter().all(|note| expected(&note.why)), "{notes:?}");
    let mut events = recording.events(StreamId(1), 0).unwrap();
    let mut seen = 0u64;
    while let Some(event) = events.next().unwrap() {
        let value = u64::from_le_bytes(event.payload.try_into().unwrap());
        assert_eq!(value, event.number + 100);
        assert_eq!(u64::from(event.segment), value / 100);
        seen += 1;
    }
    assert!(seen >= 1000, "{seen}");
}

#[test]
fn a_ring_that_nobody_wants_keeps_its_segments() {
    let mut setup = Setup::small(2);
    let mut one = setup.subject.ring(ring_info(1)).unwrap();
    let mut two = setup.subject.ring(ring_info(2)).unwrap();
    one.append(b"one");
    two.append(b"two");
    drop(two);
    setup.drainer.poll().unwrap();
    assert_eq!(setup.finish_events().0.len(), 2);
}

#[test]
fn a_segment_begins_on_a_full_ring() {
    let setup = Setup::small(2);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    // Up to four bytes before the end of the ring.
    for i in 0..1637u64 {
        assert!(ring.append(&i.to_le_bytes()));
    }
    ring.begin_segment(1);
    assert!(ring.append(b"kept"));
    let (events, _) = setup.finish_events();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].segment, events[0].number), (1, 1637));
}

#[test]
fn a_stamp_outlives_the_segment_it_was_given_in() {
    let setup = Setup::small(1);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    let stamp = ring.stamp();
    for i in 0..100u64 {
        ring.append(&i.to_le_bytes());
    }
    ring.begin_segment(1);
    for _ in 0..1610 {
        ring.append(&[0; 8]);
    }
    let (events, _) = setup.finish_events();
    assert_eq!((events[0].segment, events[0].stamp), (1, stamp));
}

#[test]
fn a_writer_under_the_ring_policy_sees_the_end() {
    let setup = Setup::small(2);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    setup.finish_events();
    ring.begin_segment(1);
    assert!(!ring.is_recording());
}

/// A thread waits for a ring that cannot be had yet: it gets it as soon as the
/// segment in it is no longer the current one.
#[test]
fn a_thread_that_waits_is_not_forgotten() {
    let mut setup = Setup::small(1);
    let mut first = setup.subject.ring(ring_info(1)).unwrap();
    first.append(b"first");
    drop(first);
    let subject = setup.subject.clone();
    std::thread::scope(|scope| {
        let second = scope.spawn(move || {
            let ring = subject.ring(ring_info(2));
            ring.is_some_and(|mut ring| ring.append(b"second"))
        });
        for _ in 0..200 {
            setup.drainer.poll().unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        setup.drainer.begin_segment(1);
        while !second.is_finished() {
            setup.drainer.poll().unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(second.join().unwrap());
    });
}

/// A dump comes while a thread claims its ring, or a recovery after it was
/// killed there: who the thread is has not been written down yet, so nothing
/// may be made of it.
#[test]
fn a_ring_that_is_being_claimed_is_not_dumped() {
    for released_at in [0u64, 1000] {
        let mut setup = Setup::small(1);
        let head = released_at.to_le_bytes();
        setup.poke_control(0, control::HEAD, &head);
        setup.poke_control(0, control::TAIL, &head);
        setup.poke_control(0, control::STATE, &ring_state::TAKEN.to_le_bytes());
        setup.poke_control(0, control::POLICY, &(Policy::Ring as u32).to_le_bytes());
        setup.drainer.dump().unwrap();
        setup.poke_control(0, control::STATE, &ring_state::READY.to_le_bytes());
        let mut ring = setup.subject.ring(ring_info(5)).unwrap();
        ring.append(b"one");
        drop(ring);
        let (recording, _folder) = setup.finish();
        let threads: Vec<_> = recording.streams().map(|(_, info)| info.thread).collect();
        assert_eq!(threads, [5]);
        assert_eq!(recording.closing().unwrap().not_recorded, []);
        assert_eq!(payloads(&recording, StreamId(1)).len(), 1);
    }
}
