//! Weighing: which variable, or memory that was allocated where, is at an address. What is read
//! there is counted for that one, and not for all that a pointer could have meant; and a pointer
//! that means what nobody has computed is found out.
//!
//! A tree by address: 4 bytes have a number each. Two that share 4 bytes have none.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

/// Nobody that is known.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Somebody of several.
const UNCLEAR: u32 = u32::MAX - 1;

/// What never changes.
pub(crate) const FIXED: u32 = u32::MAX - 2;

/// How many bytes have one number.
const PIECE: u64 = 4;

/// Addresses of programs have 47 bits: 15 for the first step, 18 for the second, which leave 16
/// KiB for the third.
const FIRST: u32 = 32;
const SECOND: u32 = 14;

/// Numbers are one more than those of objects: 0 is nobody.
type Leaf = [AtomicU32; (1 << SECOND) / PIECE as usize];
type Branch = [AtomicPtr<Leaf>; 1 << (FIRST - SECOND)];

static ROOT: [AtomicPtr<Branch>; 1 << (47 - FIRST)] =
    [const { AtomicPtr::new(null_mut()) }; 1 << (47 - FIRST)];

/// What is at a place of the tree, which is all zeros where it is new.
fn at<T>(place: &AtomicPtr<T>, make: bool) -> Option<&'static T> {
    let mut known = place.load(Ordering::Acquire);
    if known.is_null() && make {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let all = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: new memory, wherever the kernel has some.
        let new = unsafe { mmap_anonymous(null_mut(), size_of::<T>(), all, flags) };
        let new = new.ok()?.cast::<T>();
        // Another thread may have been first; the kernel has the other one back at the end.
        let ours = place.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        known = ours.map_or_else(|theirs| theirs, |_| new);
    }
    // SAFETY: it is memory of that length, is never given back, and zeros are a `T`.
    (!known.is_null()).then(|| unsafe { &*known })
}

/// The number of 4 bytes.
fn number(address: u64, make: bool) -> Option<&'static AtomicU32> {
    let branch = at(ROOT.get((address >> FIRST) as usize)?, make)?;
    let leaf = at(&branch[(address >> SECOND) as usize % branch.len()], make)?;
    Some(&leaf[(address / PIECE) as usize % leaf.len()])
}

/// Whose memory is at an address.
pub(crate) fn whose(address: u64) -> u32 {
    match number(address, false).map(|number| number.load(Ordering::Relaxed)) {
        None | Some(0) => NOBODY,
        Some(number) => number - 1,
    }
}

fn set(start: u64, len: u64, to: u32) {
    let end = start.saturating_add(len);
    let mut at = start / PIECE * PIECE;
    while at < end {
        let is_whole = at >= start && end - at >= PIECE;
        let Some(number) = number(at, true) else {
            return;
        };
        // What is alone in its first or last bytes does not know.
        let to = match is_whole || to == 0 {
            true => to,
            false => UNCLEAR + 1,
        };
        number.store(to, Ordering::Relaxed);
        at += PIECE;
    }
}

/// Memory is that of an object from here on.
#[unsafe(no_mangle)]
extern "C" fn __reprise_object(start: u64, len: u64, object: u32) {
    if start != 0 {
        set(start, len, object + 1);
    }
}

/// Memory is nobody's from here on.
#[unsafe(no_mangle)]
extern "C" fn __reprise_object_ends(start: u64, len: u64) {
    set(start, len, 0);
}

unsafe extern "C" {
    fn malloc_usable_size(start: *const u8) -> usize;
}

/// How long what the C library has allocated is.
fn allocated(start: u64) -> u64 {
    // SAFETY: it has returned that, or it is zero.
    unsafe { malloc_usable_size(std::ptr::without_provenance(start as usize)) as u64 }
}

/// The C library has allocated memory, in the place of other memory if that is not zero.
#[unsafe(no_mangle)]
extern "C" fn __reprise_object_allocated(start: u64, before: u64, object: u32) {
    let object = match whose(start) {
        // It has grown where it was.
        known @ ..FIXED if start == before => known,
        _ => object,
    };
    if start != 0 {
        set(start, allocated(start), object + 1);
    }
}

/// The program is about to give memory back.
#[unsafe(no_mangle)]
extern "C" fn __reprise_object_gone(start: u64) {
    set(start, allocated(start), 0);
}

/// Global variables: where they are, and for each its length and its number.
#[unsafe(no_mangle)]
extern "C" fn __reprise_object_globals(starts: *const u64, about: *const [u64; 2], count: u64) {
    for index in 0..count as usize {
        // SAFETY: inserted code hands over two arrays of its own, with their length.
        let (start, [len, object]) = unsafe { (*starts.add(index), *about.add(index)) };
        set(start, len, object as u32 + 1);
    }
}

/// An access and an object, and how often they have met.
struct Pair(AtomicU64, AtomicU64);

/// How many pairs there is room for: 16 MiB, of which a program uses what it comes to.
const PAIRS: usize = 1 << 20;

/// How far is looked for room.
const NEAR: usize = 64;

static PAIRS_MET: [Pair; PAIRS] = [const { Pair(AtomicU64::new(0), AtomicU64::new(0)) }; PAIRS];

static UNCOUNTED: AtomicU64 = AtomicU64::new(0);

/// The highest bit of a key, which says that it is one of these.
pub(crate) const MET: u64 = 1 << 63;

/// An access has met an object, and found something new so often. Any thread does that, and any
/// handler of a signal.
pub(crate) fn met(access: u32, object: u32, times: u64) {
    let key = MET | u64::from(access) << 32 | u64::from(object);
    let start = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as usize;
    for step in 0..NEAR {
        let Pair(whose, count) = &PAIRS_MET[(start + step) % PAIRS];
        let mut known = whose.load(Ordering::Relaxed);
        if known == 0 {
            let taken = whose.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
            known = taken.map_or_else(|other| other, |_| key);
        }
        if known == key {
            if times > 0 {
                count.fetch_add(times, Ordering::Relaxed);
            }
            return;
        }
    }
    UNCOUNTED.fetch_add(1, Ordering::Relaxed);
}

/// A store is about to happen.
#[unsafe(no_mangle)]
extern "C" fn __reprise_met(access: u32, address: u64) {
    met(access, whose(address), 0);
}

/// All pairs that have met, and how many had no room.
pub(crate) fn all_met() -> (Vec<(u64, u64)>, u64) {
    let pairs = PAIRS_MET.iter().map(|Pair(key, times)| {
        let (key, times) = (key.load(Ordering::Relaxed), times.load(Ordering::Relaxed));
        (key, times)
    });
    let met = pairs.filter(|(key, _)| *key != 0).collect();
    (met, UNCOUNTED.load(Ordering::Relaxed))
}

/// What was met before is somebody else's.
pub(crate) fn forget_met() {
    for Pair(_, times) in &PAIRS_MET {
        if times.load(Ordering::Relaxed) != 0 {
            times.store(0, Ordering::Relaxed);
        }
    }
    UNCOUNTED.store(0, Ordering::Relaxed);
}
