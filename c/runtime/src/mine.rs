//! What belongs to a thread, in a run. A replay has one thread (`threads.rs`).

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What belongs to a thread.
pub(crate) struct Mine {
    /// Its number, from 1; 0 before it has one.
    pub(crate) number: Cell<u32>,
    /// It runs inside code.
    pub(crate) inside: Cell<bool>,
    /// How many of its calls from inside to outside are on their way.
    pub(crate) depth: Cell<u32>,
    /// Its inside stack pointer while it is not its turn; 0 before it has one.
    pub(crate) stack: Cell<u64>,
    /// How many handlers of signals it runs that have interrupted the inside.
    pub(crate) handlers: Cell<u32>,
    /// It is on its way back from an outside function, with what that has filled.
    pub(crate) returns: Cell<bool>,
    /// Signals that wait until it is at a crossing.
    pub(crate) put_off: Cell<u64>,
}

thread_local! {
    static MINE: Mine = const {
        Mine {
            number: Cell::new(0),
            inside: Cell::new(false),
            depth: Cell::new(0),
            stack: Cell::new(0),
            handlers: Cell::new(0),
            returns: Cell::new(false),
            put_off: Cell::new(0),
        }
    };
}

/// Where that is, from where the kernel says that the memory of a thread is; 0 before it is known.
/// Of a program, of which this is always a part, it is the same for all threads. The compiler does
/// not know that, and would have a function called.
#[unsafe(link_section = ".data.reprise_often")]
static MINE_AT: AtomicUsize = AtomicUsize::new(0);

/// Where the memory of this thread is, which it has there itself.
#[inline]
fn thread_at() -> usize {
    let at: usize;
    // SAFETY: on this processor the C library has it there.
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) at,
            options(pure, readonly, nostack, preserves_flags));
    }
    at
}

/// Nothing else runs yet.
pub(crate) fn begin() {
    let mine = MINE.with(|mine| std::ptr::from_ref(mine).expose_provenance());
    MINE_AT.store(mine.wrapping_sub(thread_at()), Ordering::Relaxed);
}

/// What belongs to this thread, if that can be had without a call.
#[inline]
pub(crate) fn quickly() -> Option<&'static Mine> {
    let at = MINE_AT.load(Ordering::Relaxed);
    let mine = std::ptr::with_exposed_provenance::<Mine>(thread_at().wrapping_add(at));
    // SAFETY: it is there for as long as the thread is, and needs no making.
    (at != 0).then(|| unsafe { &*mine })
}

/// What belongs to this thread.
#[inline]
pub(crate) fn mine<T>(act: impl FnOnce(&Mine) -> T) -> T {
    match quickly() {
        Some(mine) => act(mine),
        None => MINE.with(act),
    }
}
