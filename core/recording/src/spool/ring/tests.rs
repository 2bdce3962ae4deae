//! A ring writer in plain memory, with a clock that the test drives.

use super::*;
use crate::spool::layout::{MAX_POSITION, MIN_RING};
use std::{cell::Cell, rc::Rc};

const SPOOL: layout::Spool = layout::Spool {
    rings: 1,
    ring_size: MIN_RING,
    dead_after_ms: 100,
};

/// The bytes of a spool; words, so that its fields are aligned.
struct Memory(Vec<u64>);

impl Memory {
    fn new() -> Self {
        let mut memory = Self(vec![0; SPOOL.file_len() as usize / 8]);
        memory.0[SPOOL.control_at(0) as usize / 8] = ring_state::READY.into();
        memory
    }

    fn base(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

fn field<'a>(base: *mut u8, at: usize) -> &'a AtomicU64 {
    // SAFETY: `base` is a `Memory` that outlives the test's use of it, and the
    // layout's fields are aligned and within it.
    unsafe { AtomicU64::from_ptr(base.add(at).cast()) }
}

/// A world in which a pause takes a millisecond and the drainer's heart beats.
struct World {
    base: *mut u8,
    now: Rc<Cell<u64>>,
    beats: bool,
    owner: bool,
    /// How long the next pause takes.
    pause: Rc<Cell<u64>>,
}

impl Environment for World {
    fn now_ms(&mut self) -> u64 {
        self.now.get()
    }

    fn is_owner(&self) -> bool {
        self.owner
    }

    fn pause(&mut self) {
        self.now.set(self.now.get() + self.pause.replace(1));
        if self.beats {
            field(self.base, header::HEARTBEAT).fetch_add(1, Ordering::Relaxed);
        }
    }

    fn store_outside(&mut self, _: u32, _: u64, _: &[u8]) -> bool {
        false
    }
}

fn claim(memory: &mut Memory, beats: bool, owner: bool) -> (RingWriter<World>, Rc<Cell<u64>>) {
    let base = memory.base();
    let now = Rc::new(Cell::new(0));
    let world = World {
        base,
        now: now.clone(),
        beats,
        owner,
        pause: Rc::new(Cell::new(1)),
    };
    // SAFETY: the memory has the layout's length and stays until the test ends.
    let writer = unsafe { RingWriter::claim(base, SPOOL, RingInfo::default(), world) };
    (writer.unwrap(), now)
}

/// A full ring that nobody empties, while the drainer lives: the writer goes on
/// without it, and the others are not told that the recording has ended.
#[test]
fn a_ring_that_is_not_seen_is_given_up() {
    let mut memory = Memory::new();
    let (mut writer, now) = claim(&mut memory, true, true);
    while writer.append(&[1; 100]) {}
    assert_eq!(now.get(), 1000);
    assert!(!writer.is_recording());
    drop(writer);
    let state = field(memory.base(), header::STATE).load(Ordering::Relaxed);
    assert_eq!(state as u32, state::RECORDING);
}

#[test]
fn a_drainer_without_a_pulse_is_dead() {
    let mut memory = Memory::new();
    let (mut writer, now) = claim(&mut memory, false, true);
    while writer.append(&[1; 100]) {}
    assert_eq!(now.get(), 100);
    drop(writer);
    let state = field(memory.base(), header::STATE).load(Ordering::Relaxed);
    assert_eq!(state as u32, state::DRAINER_SILENT);
}

/// The child of a fork drops its copy of the writer: the ring stays its
/// parent's.
#[test]
fn a_copy_in_another_process_does_not_close_the_ring() {
    for (owner, expected) in [(true, ring_state::CLOSED), (false, ring_state::TAKEN)] {
        let mut memory = Memory::new();
        let (writer, _) = claim(&mut memory, true, owner);
        drop(writer);
        let at = SPOOL.control_at(0) as usize + control::STATE;
        let state = field(memory.base(), at).load(Ordering::Relaxed);
        assert_eq!(state as u32, expected);
    }
}

#[test]
fn a_ring_with_an_impossible_head_is_not_written_to() {
    let mut memory = Memory::new();
    let head = SPOOL.control_at(0) as usize + control::HEAD;
    field(memory.base(), head).store(MAX_POSITION, Ordering::Relaxed);
    let (mut writer, _) = claim(&mut memory, true, true);
    assert!(!writer.append(b"x"));
}

/// Subject and recorder are stopped together (a shell's Ctrl-Z, a frozen
/// container) while the writer waits: the time in which nobody ran says nothing
/// about the drainer.
#[test]
fn a_drainer_that_was_stopped_with_its_subject_is_not_dead() {
    for beats in [false, true] {
        let mut memory = Memory::new();
        let (mut writer, now) = claim(&mut memory, beats, true);
        let pause = writer.environment.pause.clone();
        pause.set(3_600_000);
        while writer.append(&[1; 100]) {}
        let running = now.get() - 3_600_000;
        assert!(running >= 50, "{running} ms, beats: {beats}");
    }
}

/// Events that are made where they stay are those that are appended, up to the last byte of the
/// ring; what was written behind one is not seen.
#[test]
fn events_are_made_in_place() {
    const LEN: usize = 10;
    let filled = |in_place: bool| {
        let mut memory = Memory::new();
        let (mut writer, _) = claim(&mut memory, true, true);
        while writer.pos + (record::HEAD + LEN) as u64 <= MIN_RING {
            let event = [writer.next_number() as u8; LEN];
            let made = |bytes: &mut [u8; 24]| {
                *bytes = [0xff; 24];
                bytes[..LEN].copy_from_slice(&event);
                LEN
            };
            assert!(match in_place {
                true => writer.append_made(made),
                false => writer.append(&event),
            });
        }
        let (end, start) = (writer.pos as usize, SPOOL.data_at(0) as usize);
        drop(writer);
        let bytes = memory.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.skip(start).take(end).collect::<Vec<u8>>()
    };
    let made = filled(true);
    assert!(made.len() as u64 > MIN_RING - 2 * LEN as u64);
    assert_eq!(made, filled(false));
}
