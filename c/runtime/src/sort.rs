//! `qsort`, for inside memory: its caller's, and executed again in a replay. Of outside
//! memory it is the C library's, and a call like any other.
//!
//! Sorted by merging, as the C library does: elements that are equal stay in order, which
//! programs have come to rely on.

use crate::cross::{__reprise_back, __reprise_is_entry, __reprise_out};
use crate::memory::is_owned;
use crate::plain::memcpy;
use crate::{Mode, mode, pool, replay};

type Compare = extern "C" fn(*const u8, *const u8) -> i32;

unsafe extern "C" {
    fn qsort(base: *mut u8, count: usize, size: usize, compare: Compare);
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_qsort(
    base: *mut u8,
    count: usize,
    size: usize,
    compare: Compare,
    site: u32,
) {
    let room = match is_owned(base.addr() as u64) {
        true => count
            .checked_mul(size)
            .map(|len| pool::allocate(len as u64)),
        false => None,
    };
    let Some(room @ 1..) = room else {
        let depth = __reprise_out(site);
        if mode() != Mode::Replay {
            // SAFETY: it is what the program does here.
            unsafe { qsort(base, count, size, compare) };
            __reprise_back(site, 0, 0, depth);
        }
        return;
    };
    let sorter = Sorter {
        size,
        compare,
        site,
        room: room as *mut u8,
    };
    sorter.sort(base, count);
    pool::release(room);
}

struct Sorter {
    size: usize,
    compare: Compare,
    site: u32,
    /// As long as what is sorted.
    room: *mut u8,
}

impl Sorter {
    fn sort(&self, base: *mut u8, count: usize) {
        if count < 2 {
            return;
        }
        let half = count / 2;
        let second = base.wrapping_add(half * self.size);
        self.sort(base, half);
        self.sort(second, count - half);
        let (mut one, mut other) = (base, second);
        let (mut left, mut left_other) = (half, count - half);
        let mut to = self.room;
        while left > 0 && left_other > 0 {
            if self.in_order(one, other) {
                memcpy(to, one, self.size);
                one = one.wrapping_add(self.size);
                left -= 1;
            } else {
                memcpy(to, other, self.size);
                other = other.wrapping_add(self.size);
                left_other -= 1;
            }
            to = to.wrapping_add(self.size);
        }
        // What is left of the second half is in its place.
        memcpy(to, one, left * self.size);
        memcpy(base, self.room, (count - left_other) * self.size);
    }

    fn in_order(&self, one: *const u8, other: *const u8) -> bool {
        if __reprise_is_entry((self.compare as *const u8).addr() as u64) != 0 {
            return (self.compare)(one, other) <= 0;
        }
        // An outside function: what it finds out is logged.
        let depth = __reprise_out(self.site);
        if mode() == Mode::Replay {
            // SAFETY: the buffer is longer than this.
            return unsafe { replay::buffer().cast::<i32>().read_unaligned() } <= 0;
        }
        let found = (self.compare)(one, other);
        let value = u64::from(found.cast_unsigned());
        __reprise_back(self.site, value, 4, depth);
        found <= 0
    }
}
