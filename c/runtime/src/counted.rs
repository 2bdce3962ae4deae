//! How many reads and results since the last event were as before: they are no events, and the next
//! event says how many there were. Most of what a recording meets ends here, so what is usual is
//! short: one comparison says that something is recorded, that nobody is about to write an event,
//! and that the number has one byte.
//!
//! What is counted stands in the spool, too, as the last word of the ring: the last event of a
//! program that is killed now.

use std::sync::atomic::{AtomicU64, Ordering};

use reprise_c_events::SAME_MOST;

use crate::{Mode, mode};

/// Numbers up to this have one byte.
const FEW: u32 = 0x7f;

const TAG: u64 = 12;

/// What is counted.
#[repr(align(64))]
struct Counted {
    /// How many there were.
    same: u32,
    /// Up to how many nothing else has to be looked at; none where something has.
    few: u32,
    /// Results are among them: an event that is no value does not say how many there were.
    results: bool,
    /// Somebody is about to write an event.
    paused: bool,
    /// The last word of the ring.
    word: Option<&'static AtomicU64>,
}

#[unsafe(link_section = ".data.reprise_often")]
static mut COUNTED: Counted = Counted {
    same: 0,
    few: 0,
    results: false,
    paused: false,
    word: None,
};

fn counted() -> &'static mut Counted {
    let counted = &raw mut COUNTED;
    // SAFETY: only the thread whose turn it is counts, and no caller keeps it.
    unsafe { &mut *counted }
}

/// From here on it is counted, and stands there; or nowhere.
pub(crate) fn counts_at(word: Option<&'static AtomicU64>) {
    counted().word = word;
    look();
}

/// Whether something is recorded is another matter from here on.
#[inline]
pub(crate) fn look() {
    let counted = counted();
    let is_usual = mode() == Mode::Record && !counted.paused && counted.word.is_some();
    counted.few = if is_usual { FEW } else { 0 };
}

/// Whether something is recorded and there were few: then [`one_of_few`] may be next.
#[inline]
pub(crate) fn are_few() -> bool {
    let counted = counted();
    counted.same < counted.few
}

/// Something is as before, and no event.
///
/// # Safety
/// [`are_few`] has just said so.
#[inline]
pub(crate) unsafe fn one_of_few(is_result: bool) {
    let counted = counted();
    counted.same += 1;
    counted.results |= is_result;
    let same = u64::from(counted.same);
    // SAFETY: there are few only where there is a word.
    let word = unsafe { counted.word.unwrap_unchecked() };
    word.store(2 | TAG << 8 | same << 16, Ordering::Release);
}

/// Something is as before, and no event; false if there were so many that it is one all the same.
#[inline]
pub(crate) fn one_more(is_result: bool) -> bool {
    if !are_few() {
        return one_of_many(is_result);
    }
    // SAFETY: there are few.
    unsafe { one_of_few(is_result) };
    true
}

#[cold]
#[inline(never)]
fn one_of_many(is_result: bool) -> bool {
    let counted = counted();
    if counted.same >= SAME_MOST || counted.paused {
        return false;
    }
    counted.same += 1;
    counted.results |= is_result;
    if let Some(word) = counted.word {
        word.store(event(counted.same), Ordering::Release);
    }
    true
}

/// What was counted before an event that is about to be written.
pub(crate) struct Before {
    /// How many there were.
    pub(crate) same: u32,
    /// Results are among them.
    pub(crate) results: bool,
    few: u32,
}

/// An event is about to be written. None if somebody is about to write one already.
#[inline]
pub(crate) fn pause() -> Option<Before> {
    let counted = counted();
    if counted.paused {
        return None;
    }
    let before = Before {
        same: counted.same,
        results: counted.results,
        few: counted.few,
    };
    (counted.paused, counted.few) = (true, 0);
    if before.same > 0
        && let Some(word) = counted.word
    {
        word.store(0, Ordering::Release);
    }
    Some(before)
}

/// It is written.
#[inline]
pub(crate) fn go_on(before: &Before) {
    let counted = counted();
    (counted.same, counted.results) = (0, false);
    (counted.few, counted.paused) = (before.few, false);
}

/// So many are counted already.
pub(crate) fn set(same: u32, results: bool) {
    let counted = counted();
    (counted.same, counted.results) = (same, results);
}

/// How many there are, and whether results are among them.
pub(crate) fn now() -> (u32, bool) {
    let counted = counted();
    (counted.same, counted.results)
}

/// An event that says how many there were, behind its length.
#[inline]
pub(crate) fn event(same: u32) -> u64 {
    let same = u64::from(same);
    let (number, len) = match same {
        ..0x80 => (same, 2),
        0x80..0x4000 => (same & 0x7f | 0x80 | same >> 7 << 8, 3),
        _ => {
            let middle = (same >> 7 & 0x7f | 0x80) << 8;
            (same & 0x7f | 0x80 | middle | same >> 14 << 16, 4)
        }
    };
    len | TAG << 8 | number << 16
}
