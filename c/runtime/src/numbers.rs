//! The numbers of threads, by which events say whose turn it is, and their inside stacks. A number
//! is given again when its thread has ended.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use reprise_c_events::{Reason, area};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

use crate::{record, turn};

/// Which numbers are taken, a bit for each from 1 on.
static NUMBERS: [AtomicU64; area::THREADS as usize / 64] =
    [const { AtomicU64::new(0) }; area::THREADS as usize / 64];

/// The last number that was given to a thread for which there was no bit.
static BEYOND: AtomicU32 = AtomicU32::new(area::THREADS);

/// By this the C library tells when a thread ends. It does not when the program ends,
/// unlike Rust, and then the thread is still needed.
static KEY: AtomicU32 = AtomicU32::new(u32::MAX);

unsafe extern "C" {
    fn pthread_key_create(key: *mut u32, ends: extern "C" fn(usize)) -> i32;
    fn pthread_setspecific(key: u32, number: usize) -> i32;
}

/// Nothing else runs yet.
pub(crate) fn begin() {
    let mut key = 0;
    // SAFETY: there is room for the key, and the handler lives as long as the program.
    if unsafe { pthread_key_create(&raw mut key, ends) } == 0 {
        KEY.store(key, Ordering::Relaxed);
    }
}

/// A thread ends: its number is another one's.
extern "C" fn ends(number: usize) {
    turn::ended();
    if let Some(word) = number.checked_sub(1).and_then(|bit| NUMBERS.get(bit / 64)) {
        word.fetch_and(!(1 << ((number - 1) % 64)), Ordering::Release);
    }
}

/// A number that no thread has.
pub(crate) fn new() -> u32 {
    let lowest = (0..).zip(&NUMBERS).find_map(|(index, word): (u32, _)| {
        let free = |taken: u64| (taken != u64::MAX).then_some(taken | (taken + 1));
        let taken = word.fetch_update(Ordering::Acquire, Ordering::Relaxed, free);
        taken
            .ok()
            .map(|taken| index * 64 + taken.trailing_ones() + 1)
    });
    let number = match lowest {
        Some(number) => number,
        None => (BEYOND.fetch_add(1, Ordering::Relaxed) + 1) & !turn::AWAITED,
    };
    // SAFETY: the key is the one that was made, or none.
    unsafe { pthread_setspecific(KEY.load(Ordering::Relaxed), number as usize) };
    number
}

/// The stack of a thread that comes inside for the first time. Where there are too many
/// threads it is anywhere, and the recording ends.
pub(crate) fn stack(number: u32) -> u64 {
    const GUARD: usize = 4096;
    if number == 1 {
        return area::START + area::STACK_LEN;
    }
    if number <= area::THREADS {
        let (start, top) = area::thread_stack(number);
        let below = (start - GUARD as u64) as *mut std::ffi::c_void;
        // SAFETY: nothing is there: the stack of another thread begins below.
        let _ = unsafe { mprotect(below, GUARD, MprotectFlags::empty()) };
        return top;
    }
    record::give_up(Reason::Threads, None);
    let len = area::THREAD_STACK_LEN as usize;
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    let all = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: new memory, at a place that nobody uses. It stays: such threads are few.
    match unsafe { mmap_anonymous(std::ptr::null_mut(), len, all, flags) } {
        Ok(start) => (start.addr() + len) as u64,
        Err(_) => {
            eprintln!("reprise: the memory for variables of a thread cannot be had");
            std::process::abort();
        }
    }
}
