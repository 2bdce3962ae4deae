//! Handlers of signals that may come inside. At which instruction of the inside a signal came
//! is not known to a replay, so such a handler waits until its thread is at a crossing: there
//! it is called by the outside, and what it calls are entries like others.
//!
//! Such a handler is called by [`interrupted`], for which the program's calls of `sigaction`
//! and `signal` come here. If the inside was interrupted, that sends the signal to its own
//! thread once more and blocks it; the next crossing ([`safe_point`]) lets it through. So it is
//! the kernel that keeps it, with all that belongs to it, and calls the handler there with the
//! mask and the stack that it is to have.
//!
//! What the program's own instructions cause cannot wait, since they would cause it again.
//! Handlers that never come inside do not wait either: the inside may wait for them.

use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

use crate::{Mode, mode, turn};

const SIGNALS: usize = 65;

const IGNORED: usize = 1;
const FAILED: usize = usize::MAX;
const WITH_INFO: i32 = 4;
const NOT_BLOCKED: i32 = 0x4000_0000;
const ONCE: i32 = 0x8000_0000_u32.cast_signed();

/// Illegal instructions, traps, bus errors, wrong computations, wrong addresses.
const FAULTS: [usize; 5] = [4, 5, 7, 8, 11];

/// As the C library has it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Action {
    handler: usize,
    mask: [u64; 16],
    flags: i32,
    restorer: usize,
}

/// What the program wants of a signal.
struct Wanted {
    handler: AtomicUsize,
    flags: AtomicI32,
}

static WANTED: [Wanted; SIGNALS] = [const {
    Wanted {
        handler: AtomicUsize::new(0),
        flags: AtomicI32::new(0),
    }
}; SIGNALS];

/// Where the kernel keeps, behind what a handler has interrupted, what is blocked there.
const MASK: usize = 296;

/// Where it says how a signal came about.
const CODE: usize = 8;

unsafe extern "C" {
    fn __sigaction(signal: i32, new: *const Action, old: *mut Action) -> i32;
    /// What `signal` is.
    fn ssignal(signal: i32, handler: usize) -> usize;
    fn syscall(number: i64, ...) -> i64;
    /// The handlers that may come inside, and how many there are.
    #[link_name = "__reprise_handlers"]
    static HANDLERS: [usize; 0];
    #[link_name = "__reprise_handler_count"]
    static HANDLER_COUNT: u64;
}

/// Whether a handler may come inside.
fn comes_inside(handler: usize) -> bool {
    // SAFETY: the program has a table of as many.
    let all = unsafe {
        std::slice::from_raw_parts(
            (&raw const HANDLERS).cast::<usize>(),
            HANDLER_COUNT as usize,
        )
    };
    all.contains(&handler)
}

fn interrupted_address() -> usize {
    interrupted as *const () as usize
}

/// What the program is told of how a signal was handled.
fn as_wanted(signal: i32, action: &mut Action) {
    if let Some(wanted) = WANTED.get(signal as usize)
        && action.handler == interrupted_address()
    {
        action.handler = wanted.handler.load(Ordering::Relaxed);
        action.flags = wanted.flags.load(Ordering::Relaxed);
    }
}

/// The program says how a signal is handled.
#[unsafe(no_mangle)]
extern "C" fn sigaction(signal: i32, new: *const Action, old: *mut Action) -> i32 {
    // SAFETY: the program hands over one of its own, or none.
    let wanted = unsafe { new.as_ref() }.copied();
    let mut before = Action {
        handler: 0,
        mask: [0; 16],
        flags: 0,
        restorer: 0,
    };
    let place = WANTED.get(signal as usize);
    let result = match (wanted, place) {
        (Some(wanted), Some(place)) if mode() == Mode::Record && comes_inside(wanted.handler) => {
            // SAFETY: both are whole.
            let asked = unsafe { __sigaction(signal, std::ptr::null(), &raw mut before) };
            as_wanted(signal, &mut before);
            place.handler.store(wanted.handler, Ordering::Relaxed);
            place.flags.store(wanted.flags, Ordering::Relaxed);
            let new = Action {
                handler: interrupted_address(),
                flags: wanted.flags & !(NOT_BLOCKED | ONCE) | WITH_INFO,
                ..wanted
            };
            // SAFETY: the same.
            asked | unsafe { __sigaction(signal, &raw const new, std::ptr::null_mut()) }
        }
        // SAFETY: the program's own, or null, and one that is whole.
        _ => unsafe { __sigaction(signal, new, &raw mut before) },
    };
    if result == 0 {
        as_wanted(signal, &mut before);
        // SAFETY: the program has room for it, or wants none.
        if let Some(old) = unsafe { old.as_mut() } {
            *old = before;
        }
    }
    result
}

#[unsafe(no_mangle)]
extern "C" fn signal(number: i32, handler: usize) -> usize {
    let mut now = Action {
        handler: 0,
        mask: [0; 16],
        flags: 0,
        restorer: 0,
    };
    // SAFETY: it is whole.
    unsafe { __sigaction(number, std::ptr::null(), &raw mut now) };
    as_wanted(number, &mut now);
    let before = now.handler;
    // SAFETY: it is what the program does here.
    let result = unsafe { ssignal(number, handler) };
    if result == FAILED {
        return result;
    }
    if handler > IGNORED {
        // The C library knows with which flags.
        // SAFETY: it is whole.
        unsafe { __sigaction(number, std::ptr::null(), &raw mut now) };
        sigaction(number, &raw const now, std::ptr::null_mut());
    }
    before
}

/// A signal has come whose handler may come inside.
extern "C" fn interrupted(signal: i32, info: *const u8, context: *mut u8) {
    const GETPID: i64 = 39;
    const GETTID: i64 = 186;
    const SEND: i64 = 297;
    let Some(wanted) = WANTED.get(signal as usize) else {
        return;
    };
    let (handler, flags) = (
        wanted.handler.load(Ordering::Relaxed),
        wanted.flags.load(Ordering::Relaxed),
    );
    // SAFETY: the kernel has put both on the stack.
    let (code, mask) = unsafe {
        (
            info.add(CODE).cast::<i32>().read(),
            context.add(MASK).cast::<u64>(),
        )
    };
    let is_fault = FAULTS.contains(&(signal as usize)) && code > 0;
    if mode() == Mode::Record && !is_fault && turn::cannot_be_interrupted() {
        // SAFETY: numbers, and what the kernel has said of the signal.
        let sent = unsafe {
            let (process, thread) = (syscall(GETPID), syscall(GETTID));
            syscall(SEND, process, thread, i64::from(signal), info)
        };
        if sent == 0 {
            let bit = 1_u64 << (signal - 1);
            // SAFETY: as above. It is what is blocked when this has returned.
            unsafe { mask.write(mask.read() | bit) };
            turn::put_off(bit);
            return;
        }
    }
    if flags & ONCE != 0 {
        let otherwise = Action {
            handler: 0,
            mask: [0; 16],
            flags: 0,
            restorer: 0,
        };
        // SAFETY: it is whole.
        unsafe { __sigaction(signal, &raw const otherwise, std::ptr::null_mut()) };
    }
    if flags & NOT_BLOCKED != 0 {
        unblock(1 << (signal - 1));
    }
    turn::handles(true);
    // SAFETY: the program has said that it handles signals; one that takes less takes the first.
    let handler: extern "C" fn(i32, *const u8, *mut u8) = unsafe { std::mem::transmute(handler) };
    handler(signal, info, context);
    turn::handles(false);
}

/// Signals are let through. Those that wait come now.
#[cold]
#[inline(never)]
fn unblock(signals: u64) {
    const CHANGE_MASK: i64 = 14;
    const UNBLOCK: i64 = 1;
    let set = AtomicU64::new(signals);
    // SAFETY: a set of signals, of as many bytes as the kernel has for one.
    unsafe { syscall(CHANGE_MASK, UNBLOCK, set.as_ptr(), 0_i64, 8_i64) };
}

/// This thread is outside, and nothing is on its way: what has waited comes now.
#[inline]
pub(crate) fn safe_point() {
    if turn::has_put_off() != 0 {
        unblock(turn::take_put_off());
    }
}

/// What a program that was cut has, for the tests of this crate: their program has no such
/// handlers.
#[cfg(test)]
mod program {
    #[unsafe(export_name = "__reprise_handlers")]
    static HANDLERS: [usize; 0] = [];
    #[unsafe(export_name = "__reprise_handler_count")]
    static HANDLER_COUNT: u64 = 0;
}
