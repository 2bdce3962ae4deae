//! Subjects that write anything at all into their spool, and recorders that
//! are killed at the worst moment.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reprise_recording::{
    Closing, CutShort, Manifest, Recording, StreamInfo, Writer,
    spool::{
        Drainer, Spool, SpoolConfig, SubjectSpool,
        layout::{self, Policy, control},
        recover,
        ring::RingInfo,
    },
};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

struct Setup {
    folder: tempfile::TempDir,
    drainer: Drainer,
    subject: SubjectSpool,
    layout: layout::Spool,
}

impl Setup {
    fn new(rings: u32, dead_after_ms: u32) -> Self {
        let ring_size = 1 << 14;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.reprise");
        let writer = Writer::create(&file, &Manifest::default()).unwrap();
        let config = SpoolConfig {
            rings,
            ring_size,
            dead_after_ms,
            kinds: vec![("test".into(), 3)],
        };
        let spool = Spool::create(&file, &config).unwrap();
        let drainer = Drainer::new(spool, writer).unwrap();
        let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
        let layout = layout::Spool {
            rings,
            ring_size,
            dead_after_ms,
        };
        Self {
            folder,
            drainer,
            subject,
            layout,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("x.reprise")
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("x.reprise.spool.d")
    }

    fn poke(&self, at: u64, bytes: &[u8]) {
        let file = File::options().write(true).open(self.drainer.spool_path());
        file.unwrap().write_all_at(bytes, at).unwrap();
    }

    fn poke_control(&self, ring: u32, at: usize, bytes: &[u8]) {
        self.poke(self.layout.control_at(ring) + at as u64, bytes);
    }

    fn drain(&mut self) {
        self.drainer.run(|| true).unwrap();
    }

    fn finish(self) -> (Vec<Event>, Closing) {
        let file = self.file();
        self.drainer.finish(Closing::default()).unwrap();
        let closing = Recording::open(&file).unwrap().closing().cloned();
        (events(&file), closing.unwrap())
    }
}

fn info(thread: u64) -> RingInfo<'static> {
    RingInfo {
        thread,
        ..RingInfo::default()
    }
}

fn ring_info(thread: u64) -> RingInfo<'static> {
    RingInfo {
        policy: Policy::Ring,
        ..info(thread)
    }
}

#[allow(dead_code, reason = "some are for a message only")]
struct Event {
    stream: u32,
    number: u64,
    stamp: u64,
    segment: u32,
    payload: Vec<u8>,
}

fn events(file: &Path) -> Vec<Event> {
    let recording = Recording::open(file).unwrap();
    assert_eq!(recording.opened().damage, []);
    let mut all = Vec::new();
    for (id, _) in recording.streams() {
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            all.push(Event {
                stream: id.0,
                number: event.number,
                stamp: event.stamp,
                segment: event.segment,
                payload: event.payload.to_vec(),
            });
        }
    }
    all
}

#[test]
fn a_pad_that_reaches_past_the_head_ends_the_ring() {
    let mut setup = Setup::new(1, 1000);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(b"x");
    // Behind the segment record the event becomes a pad; the head stays.
    let pad = 0xc000u16.to_le_bytes();
    setup.poke(setup.layout.data_at(0) + 10, &pad);
    setup.drain();
    let (events, closing) = setup.finish();
    assert_eq!(events.len(), 0);
    assert_eq!(closing.not_recorded.len(), 1);
}

#[test]
fn a_count_of_lost_events_near_the_largest_number_is_corrupt() {
    let mut setup = Setup::new(1, 1000);
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
    assert_eq!(setup.finish().0.len(), 0);
}

#[test]
fn positions_near_the_largest_number_are_corrupt() {
    let mut setup = Setup::new(1, 1000);
    std::mem::forget(setup.subject.ring(info(1)).unwrap());
    let head = u64::MAX - 10;
    setup.poke_control(0, control::HEAD, &head.to_le_bytes());
    setup.poke_control(0, control::STATE, &3u32.to_le_bytes());
    setup.drain();
    setup.poke_control(0, control::STATE, &2u32.to_le_bytes());
    setup.poke_control(0, control::HEAD, &100u64.to_le_bytes());
    setup.drain();
    assert_eq!(setup.finish().0.len(), 0);
}

#[test]
fn a_start_near_the_largest_number_is_corrupt() {
    let mut setup = Setup::new(1, 1000);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    ring.append(b"x");
    let number_at = setup.layout.region_at(0) + 16;
    setup.poke(number_at, &u64::MAX.to_le_bytes());
    setup.drainer.dump().unwrap();
    assert_eq!(setup.finish().0.len(), 0);
}

#[test]
fn a_pipe_in_place_of_a_long_event_holds_nobody_up() {
    let mut setup = Setup::new(1, 1000);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    ring.append(&[1; 10_000]);
    let file = setup.outside().join("0-0");
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    setup.drain();
    assert_eq!(setup.finish().0.len(), 0);
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let mut setup = Setup::new(1, 1000);
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

#[test]
fn a_loss_counts_after_the_recorder_was_killed() {
    let mut setup = Setup::new(1, 1000);
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
fn what_was_complete_is_kept_when_a_recording_is_cut_short() {
    let mut setup = Setup::new(2, 1000);
    let mut block = setup.subject.ring(info(1)).unwrap();
    let mut ring = setup.subject.ring(ring_info(2)).unwrap();
    for i in 0..10u64 {
        assert!(block.append(&i.to_le_bytes()));
        assert!(ring.append(&i.to_le_bytes()));
    }
    let why = CutShort::Stopped { by: "user".into() };
    setup.drainer.cut_short(why.clone());
    let (events, closing) = setup.finish();
    assert_eq!(events.len(), 20);
    assert_eq!(closing.cut_short, Some(why));
}

#[test]
fn a_dump_is_not_repeated_by_a_recovery() {
    let mut setup = Setup::new(1, 1000);
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
fn a_segment_begins_on_a_full_ring() {
    let setup = Setup::new(2, 1000);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    // Up to four bytes before the end of the ring.
    for i in 0..1637u64 {
        assert!(ring.append(&i.to_le_bytes()));
    }
    ring.begin_segment(1);
    assert!(ring.append(b"kept"));
    let (events, _) = setup.finish();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].segment, events[0].number), (1, 1637));
}

#[test]
fn a_writer_under_the_ring_policy_sees_the_end() {
    let setup = Setup::new(2, 1000);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    setup.finish();
    ring.begin_segment(1);
    assert!(!ring.is_recording());
}

#[test]
fn a_stamp_outlives_the_segment_it_was_given_in() {
    let setup = Setup::new(1, 1000);
    let mut ring = setup.subject.ring(ring_info(1)).unwrap();
    let stamp = ring.stamp();
    for i in 0..100u64 {
        ring.append(&i.to_le_bytes());
    }
    ring.begin_segment(1);
    for _ in 0..1610 {
        ring.append(&[0; 8]);
    }
    let (events, _) = setup.finish();
    assert_eq!((events[0].segment, events[0].stamp), (1, stamp));
}

/// Another thread scribbles on the control of a ring whose writer waits.
fn scribble(at: usize, bytes: &[u8]) {
    let mut setup = Setup::new(2, 500);
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

#[test]
fn slices_that_stay_are_no_work() {
    let mut setup = Setup::new(1, 1000);
    let mut ring = setup.subject.ring(info(1)).unwrap();
    for _ in 0..500 {
        ring.stamp();
    }
    let busy = (0..1000).filter(|_| setup.drainer.poll().unwrap()).count();
    assert!(busy < 10, "{busy} of 1000 polls");
}

#[test]
fn a_dead_drainer_holds_up_one_new_thread_only() {
    let setup = Setup::new(1, 300);
    let _one = setup.subject.ring(info(1)).unwrap();
    let start = Instant::now();
    for thread in 0..5 {
        assert!(setup.subject.ring(info(thread)).is_none());
    }
    assert!(start.elapsed() < Duration::from_millis(900));
}

#[test]
fn nothing_is_appended_to_a_finished_recording() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    let clone = writer.clone();
    let mut map = writer.page_map(1, 0);
    map.insert(0, &[1; 4096]).unwrap();
    writer.finish(Closing::default()).unwrap();
    assert!(map.finish().is_err());
    assert!(clone.stream(&StreamInfo::default()).is_err());
    assert!(Recording::open(&file).unwrap().opened().by_index);
}

#[test]
fn the_lock_goes_with_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    writer.finish(Closing::default()).unwrap();
    let (writer, _reader) = Writer::reopen(&file).unwrap();
    writer.finish(Closing::default()).unwrap();
    assert!(Writer::reopen(&file).is_ok());
}

#[test]
fn a_ring_that_nobody_wants_keeps_its_segments() {
    let mut setup = Setup::new(2, 1000);
    let mut one = setup.subject.ring(ring_info(1)).unwrap();
    let mut two = setup.subject.ring(ring_info(2)).unwrap();
    one.append(b"one");
    two.append(b"two");
    drop(two);
    setup.drainer.poll().unwrap();
    assert_eq!(setup.finish().0.len(), 2);
}

#[test]
fn the_last_of_many_slices_outlives_the_recorder() {
    let mut setup = Setup::new(2, 1000);
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
