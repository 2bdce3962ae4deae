//! What code that `reprise cut` has inserted calls.

use reprise_c_events::{OUT_IN_REPLAY, Reason};

use crate::memory::{is_inside, is_owned};
use crate::{Mode, mode, record, replay, turn, unwind};

fn bytes<'a>(address: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: inserted code hands over what the program itself is about to read.
    unsafe { std::slice::from_raw_parts(address, len) }
}

/// In front of a load: from where to load instead.
#[unsafe(no_mangle)]
extern "C" fn __reprise_read(address: *const u8, len: u32, site: u32) -> *const u8 {
    let mode = mode();
    // Most reads end here. Only what is outside has been seen.
    if mode == Mode::Record
        && let Some(value) = record::seen_before(address, len as usize)
    {
        return value;
    }
    if is_inside(address.addr() as u64) {
        return address;
    }
    match mode {
        Mode::Off => address,
        Mode::Record => record::read(site, address, len as usize),
        Mode::Replay => replay::read(site, address, len as usize),
    }
}

/// In front of a store: whereto to store instead. In a replay there is no outside.
#[unsafe(no_mangle)]
extern "C" fn __reprise_write(address: *mut u8) -> *mut u8 {
    if mode() != Mode::Replay || is_owned(address.addr() as u64) {
        return address;
    }
    replay::buffer().cast_mut()
}

/// In front of an atomic operation: whereto instead.
#[unsafe(no_mangle)]
extern "C" fn __reprise_atomic(address: *mut u8, site: u32) -> *mut u8 {
    if mode() != Mode::Replay || is_owned(address.addr() as u64) {
        return address;
    }
    replay::value(site);
    replay::buffer().cast_mut()
}

/// Behind an atomic operation: what it has found.
#[unsafe(no_mangle)]
extern "C" fn __reprise_atomic_done(address: *const u8, found: u64, len: u32, site: u32) {
    if mode() == Mode::Record && !is_owned(address.addr() as u64) {
        let found = found.to_le_bytes();
        record::simple(2, site, found.get(..len as usize).unwrap_or(&found));
    }
}

/// The address of something outside that is elsewhere in each run.
#[unsafe(no_mangle)]
extern "C" fn __reprise_address(address: u64, site: u32) -> u64 {
    logged(site, || address)
}

/// What an outside computation finds out; a replay is told.
pub(crate) fn logged(site: u32, compute: impl FnOnce() -> u64) -> u64 {
    match mode() {
        Mode::Off => compute(),
        Mode::Record => {
            let value = compute();
            record::computed(site, value);
            value
        }
        Mode::Replay => replay::computed(site),
    }
}

/// An inside function is called by somebody; what to give back to
/// [`__reprise_leave`].
#[unsafe(no_mangle)]
extern "C" fn __reprise_enter(entry: u32, arguments: *const u8, len: u32) -> u32 {
    if !turn::enter() {
        // At which instruction of the inside it was called is not known.
        if mode() == Mode::Record && turn::is_interrupted() {
            record::give_up(Reason::Handler, None);
        }
        return 1;
    }
    if mode() == Mode::Record {
        record::entry(entry, bytes(arguments, len as usize));
    }
    0
}

/// A handler of signals begins, or ends.
#[unsafe(no_mangle)]
extern "C" fn __reprise_handles(begins: u32) {
    turn::handles(begins != 0);
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_leave(was: u32) {
    if was == 0 {
        turn::leave();
    }
}

/// An inside function is about to call an outside one. [`OUT_IN_REPLAY`]: this is a
/// replay, and the result is in the buffer. Anything else: it has to, and gives that
/// to [`__reprise_back`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_out(site: u32) -> u32 {
    if mode() == Mode::Replay {
        unwind::wait(u64::from(site));
        return OUT_IN_REPLAY;
    }
    turn::out() & !OUT_IN_REPLAY
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// A function of which nothing is known is given memory. If it is inside after all,
/// what was computed does not hold, and the recording ends here: what is written to
/// that memory would be missing.
#[unsafe(no_mangle)]
extern "C" fn __reprise_given(address: *const u8, site: u32) {
    if mode() == Mode::Record && is_owned(address.addr() as u64) {
        record::give_up(Reason::Given, Some(site));
    }
}

/// The outside function has filled memory.
#[unsafe(no_mangle)]
extern "C" fn __reprise_filled(address: *const u8, len: i64) {
    if len > 0 && mode() == Mode::Record && is_owned(address.addr() as u64) {
        record::filled(address.addr() as u64, len.cast_unsigned());
    }
}

/// The outside function has filled memory with a text.
#[unsafe(no_mangle)]
extern "C" fn __reprise_filled_text(address: *const u8) {
    if !address.is_null() && mode() == Mode::Record && is_owned(address.addr() as u64) {
        let len = crate::plain::length(address) + 1;
        record::filled(address.addr() as u64, len as u64);
    }
}

/// The outside function is back, and this is what it returned.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_back(site: u32, result: *const u8, len: u32, depth: u32) {
    // SAFETY: the C library has one for each thread, which stays where it is.
    let (place, errno) = unsafe {
        let place = __errno_location();
        (place, place.read())
    };
    let (is_next, has_filled) = turn::back(depth);
    // What was jumped over between has not come back, and never will.
    if !is_next {
        record::give_up(Reason::Jump, Some(site));
    }
    if mode() == Mode::Record {
        record::result(site, bytes(result, len as usize), has_filled);
    }
    // SAFETY: as above.
    unsafe { place.write(errno) };
}

unsafe extern "C" {
    #[link_name = "__start_reprise_entry"]
    static ENTRY_START: u8;
    #[link_name = "__stop_reprise_entry"]
    static ENTRY_END: u8;
}

/// Whether a pointer is that of an inside function.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_is_entry(function: u64) -> u32 {
    let entries = (&raw const ENTRY_START).addr() as u64..(&raw const ENTRY_END).addr() as u64;
    u32::from(entries.contains(&function))
}
