//! Weighing: how often loads find something else than what their function has last found at
//! the same place. In a recording only these are events (`seen.rs`), if the place is outside;
//! which functions will be inside nobody knows yet, so each is taken by itself. That is more
//! than there will be where several of them look at the same place. And whose memory it was
//! (`objects.rs`), which will decide whether it is outside.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{objects, seen};

/// What a function has last found at an address: which, and what.
struct Found(AtomicU64, AtomicU64);

/// A function has a quarter of the places that a recording has, and they belong to who came last, as
/// there. Room for those of a thousand functions, of which a program uses what its loads come to.
const FUNCTIONS: u32 = 10;
const BITS: u32 = 12;

static FOUND: [Found; 1 << (FUNCTIONS + BITS)] =
    [const { Found(AtomicU64::new(0), AtomicU64::new(0)) }; 1 << (FUNCTIONS + BITS)];

/// A function is about to load something. Two threads at once may miscount.
#[unsafe(no_mangle)]
extern "C" fn __reprise_found(
    counter: *mut u64,
    address: *const u8,
    len: u32,
    function: u32,
    access: u32,
) {
    let is_new = match len {
        1 | 2 | 4 | 8 => {
            // SAFETY: the program is about to read it.
            let value = unsafe { seen::load(address, len as usize) };
            // Addresses of programs have 47 bits; what two functions share is a miscount.
            let key = address.addr() as u64 ^ u64::from(function) << 47 ^ u64::from(len) << 43;
            let places = (u64::from(function) % (1 << FUNCTIONS)) << BITS;
            let index = places | seen::index(address.addr() as u64, len as usize, BITS);
            let Found(whose, what) = &FOUND[index as usize];
            let is_same =
                whose.load(Ordering::Relaxed) == key && what.load(Ordering::Relaxed) == value;
            whose.store(key, Ordering::Relaxed);
            what.store(value, Ordering::Relaxed);
            !is_same
        }
        _ => true,
    };
    match objects::whose(address.addr() as u64) {
        // That is inside, whatever else is.
        objects::FIXED => return,
        object => objects::met(access, object, u64::from(is_new)),
    }
    if is_new {
        // SAFETY: inserted code hands over a counter of its own.
        unsafe { counter.write(counter.read().wrapping_add(1)) };
    }
}
