//! Subjects that write anything at all into their spool.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;
mod setup;

use random::Random;
use reprise_recording::{
    Closing, CutShort, Manifest, Recording, WriteError, Writer,
    spool::{
        Spool,
        layout::{self, control},
    },
};
use setup::{Setup, config, events, info, recover_after_forks, ring_info};
use std::{fs::File, os::unix::fs::FileExt, path::Path, time::Duration};

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
        let mut setup = Setup::small(3);
        let layout = setup.layout;
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

/// The subject cuts its spool off, at the data, at the controls or at nothing.
/// The recorder is not killed by it, the recording keeps what it had and says
/// what happened, and whoever appends afterwards is not killed either.
#[test]
fn a_spool_that_is_cut_off_hurts_nobody() {
    for cut in 0..3 {
        let mut setup = Setup::small(2);
        let mut ring = setup.subject.ring(info(1)).unwrap();
        ring.append(b"one");
        setup.drain();
        ring.append(b"two");
        let length = [0, setup.layout.control_at(0), setup.layout.data_at(0)][cut];
        let spool = File::options().write(true).open(setup.drainer.spool_path());
        spool.unwrap().set_len(length).unwrap();
        setup.drainer.pulse().beat();
        let ended = setup.drainer.run(|| true);
        assert!(matches!(ended, Err(WriteError::Ended)), "{ended:?}");
        for i in 0..5000u64 {
            ring.append(&i.to_le_bytes());
        }
        assert!(setup.subject.ring(info(2)).is_none());
        drop(ring);
        let (events, closing) = setup.finish_events();
        assert_eq!(events.len(), 1);
        let why = closing.cut_short;
        assert!(matches!(why, Some(CutShort::WriteFailed { .. })), "{why:?}");
    }
}

#[test]
fn a_pad_that_reaches_past_the_head_ends_the_ring() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"x");
    // Behind the segment record the event becomes a pad; the head stays.
    let pad = 0xc000u16.to_le_bytes();
    setup.poke(setup.layout.data_at(0) + 10, &pad);
    setup.drain();
    let (events, closing) = setup.finish_events();
    assert_eq!(events.len(), 0);
    assert_eq!(closing.not_recorded.len(), 1);
}

#[test]
fn a_count_of_lost_events_near_the_largest_number_is_corrupt() {
    let mut setup = Setup::small(1);
    let _ring = setup.subject.ring(info(1)).unwrap();
    let mut bytes = vec![8u8, 0xe0];
    bytes.extend((u64::MAX - 1).to_le_bytes());
    for _ in 0..5 {
        bytes.extend([1, 0, b'x']);
    }
    setup.poke(setup.layout.data_at(0), &bytes);
    let head = bytes.len() as u64;
    setup.poke_control(0, control::HEAD, &head.to_le_bytes());
    setup.drain();
    assert_eq!(setup.finish_events().0.len(), 0);
}

/// They hold no events, and the ring starts anew for the next thread.
#[test]
fn positions_near_the_largest_number_are_corrupt() {
    let mut setup = Setup::small(1);
    std::mem::forget(setup.subject.ring(info(1)).unwrap());
    let head = u64::MAX - 10;
    setup.poke_control(0, control::HEAD, &head.to_le_bytes());
    setup.poke_control(0, control::STATE, &3u32.to_le_bytes());
    setup.drain();
    setup.drain_during(|subject| {
        assert!(subject.ring(info(2)).unwrap().append(b"next"));
    });
    let (events, closing) = setup.finish_events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].payload, b"next");
    assert_eq!(closing.not_recorded.len(), 1);
}

#[test]
fn a_start_near_the_largest_number_is_corrupt() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    ring.append(b"x");
    let number_at = setup.layout.region_at(0) + 16;
    setup.poke(number_at, &u64::MAX.to_le_bytes());
    setup.drainer.dump().unwrap();
    assert_eq!(setup.finish_events().0.len(), 0);
}

#[test]
fn a_pipe_in_place_of_a_long_event_holds_nobody_up() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(&[1; 10_000]);
    let file = setup.outside().join("0-0");
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    setup.drain();
    assert_eq!(setup.finish_events().0.len(), 0);
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let mut setup = Setup::small(1);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(&[1; 10_000]);
    std::fs::remove_dir_all(setup.outside()).unwrap();
    let precious = setup.folder.path().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("0-0"), [7; 10_000]).unwrap();
    std::os::unix::fs::symlink(&precious, setup.outside()).unwrap();
    setup.drain();
    let file = setup.file();
    setup.drainer.finish(Closing::default()).unwrap();
    assert_eq!(events(&file).len(), 0);
    assert!(precious.join("0-0").exists());
}

fn scribble(at: usize, bytes: &[u8]) {
    let mut setup = Setup::small(2);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            for i in 0..1700u64 {
                ring.append(&i.to_le_bytes());
            }
            ring.is_recording()
        });
        std::thread::sleep(Duration::from_millis(100));
        setup.poke_control(0, at, bytes);
        setup.drainer.run(|| writer.is_finished()).unwrap();
        assert!(writer.join().unwrap());
    });
}

#[test]
fn a_waiting_writer_insists_on_its_ring() {
    scribble(control::POLICY, &1u32.to_le_bytes());
    scribble(control::STATE, &0xffu32.to_le_bytes());
    scribble(control::HEAD, &0u64.to_le_bytes());
    scribble(control::HEAD, &u64::MAX.to_le_bytes());
    scribble(control::TAIL, &(1u64 << 40).to_le_bytes());
}

/// A file of a few kilobytes can claim any number of large rings, as holes:
/// memory is not taken for all of them at once.
#[test]
fn a_spool_of_holes_is_not_copied_into_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    drop(Writer::create(&file, &Manifest::default()).unwrap());
    let config = config(20, layout::MAX_RING);
    let spool = Spool::create(&file, &config).unwrap();
    let layout = layout::Spool {
        rings: config.rings,
        ring_size: config.ring_size,
        dead_after_ms: config.dead_after_ms,
    };
    // A segment and an event in the first ring; the others full of nothing.
    let records = [8, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, b'x'];
    overwrite(spool.path(), layout.data_at(0), &records);
    for ring in 0..config.rings {
        let head = if ring == 0 {
            records.len() as u64
        } else {
            layout::MAX_RING
        };
        let put = |at, bytes: &[u8]| {
            overwrite(spool.path(), layout.control_at(ring) + at as u64, bytes);
        };
        put(control::STATE, &2u32.to_le_bytes());
        put(control::POLICY, &1u32.to_le_bytes());
        put(control::HEAD, &head.to_le_bytes());
    }
    drop(spool);
    recover_after_forks(&file).unwrap();
    assert_eq!(events(&file).len(), 1);
    let recording = Recording::open(&file).unwrap();
    assert_eq!(recording.closing().unwrap().not_recorded.len(), 19);
}
