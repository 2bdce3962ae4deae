//! What code that `reprise cut` has inserted calls.

use reprise_c_events::{OUT_IN_REPLAY, Reason};

use crate::memory::{is_inside, is_owned};
use crate::{Mode, counted, mode, record, replay, seen, turn, unwind};

fn bytes<'a>(address: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: inserted code hands over what the program itself is about to read.
    unsafe { std::slice::from_raw_parts(address, len) }
}

/// In front of a load of any length: from where to load instead.
#[unsafe(no_mangle)]
extern "C" fn __reprise_read(address: *const u8, len: u32, site: u32) -> *const u8 {
    if is_inside(address.addr() as u64) {
        return address;
    }
    match mode() {
        Mode::Off => address,
        Mode::Record => record::read(site, address, len as usize),
        Mode::Replay => replay::read(site, address, len as usize),
    }
}

/// Functions instead of a load of so many bytes: what it loads.
macro_rules! loads {
    ($($name:ident $anew:ident $bytes:literal $of:ty)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name(address: *const u8, site: u32) -> $of {
            match seen_again(address, $bytes) {
                Some(value) => value as $of,
                None => $anew(address, site),
            }
        }

        #[inline(never)]
        extern "C" fn $anew(address: *const u8, site: u32) -> $of {
            loaded(address, $bytes, site) as $of
        }
    )* };
}

loads! {
    __reprise_load1 load1_anew 1 u8
    __reprise_load2 load2_anew 2 u16
    __reprise_load4 load4_anew 4 u32
    __reprise_load8 load8_anew 8 u64
}

/// What a load finds that was found there before, which most are.
#[inline]
fn seen_again(address: *const u8, len: usize) -> Option<u64> {
    // In a replay, and where nothing is recorded, there are never few.
    if !counted::are_few() {
        return None;
    }
    let place = seen::place(address, len).filter(|place| place.is(address, len))?;
    let value = place.word();
    // SAFETY: the program is about to read it; only what is outside has a place.
    if unsafe { seen::look(address, len) } != value {
        return None;
    }
    // SAFETY: there are few.
    unsafe { counted::one_of_few(false) };
    Some(value)
}

/// What a load finds.
#[inline]
fn loaded(address: *const u8, len: usize, site: u32) -> u64 {
    match mode() {
        // SAFETY: it is what the program does here.
        Mode::Off => unsafe { seen::look(address, len) },
        Mode::Record => record::load(site, address, len),
        Mode::Replay => {
            let from = __reprise_read(address, len as u32, site);
            // SAFETY: it is where to load from.
            unsafe { seen::load(from, len) }
        }
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
    if mode() != Mode::Replay
        && let Some(depth) = turn::out_quickly()
    {
        return depth & !OUT_IN_REPLAY;
    }
    out_otherwise(site)
}

#[inline(never)]
extern "C" fn out_otherwise(site: u32) -> u32 {
    if mode() == Mode::Replay {
        unwind::wait(u64::from(site));
        return OUT_IN_REPLAY;
    }
    turn::out() & !OUT_IN_REPLAY
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// Does something that may allocate memory or write files, of which the program is to see nothing.
/// To write down a short event is nothing of that kind.
fn unseen(act: impl FnOnce()) {
    // SAFETY: the C library has one for each thread, which stays where it is.
    let (place, errno) = unsafe {
        let place = __errno_location();
        (place, place.read())
    };
    act();
    // SAFETY: as above.
    unsafe { place.write(errno) };
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
        unseen(|| record::filled(address.addr() as u64, len.cast_unsigned()));
    }
}

/// The outside function has filled memory with a text.
#[unsafe(no_mangle)]
extern "C" fn __reprise_filled_text(address: *const u8) {
    if !address.is_null() && mode() == Mode::Record && is_owned(address.addr() as u64) {
        let len = crate::plain::length(address) + 1;
        unseen(|| record::filled(address.addr() as u64, len as u64));
    }
}

/// The outside function is back, and this is what it returned, in at most eight bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_back(site: u32, value: u64, len: u32, depth: u32) {
    if !turn::back_again(depth) {
        return back_otherwise(site, value, len, depth);
    }
    if mode() == Mode::Record {
        record::word(site, len, value);
    }
}

#[inline(never)]
extern "C" fn back_otherwise(site: u32, value: u64, len: u32, depth: u32) {
    let has_filled = is_back(site, depth);
    if mode() == Mode::Record {
        match has_filled {
            false => record::word(site, len, value),
            true => {
                let value = value.to_le_bytes();
                let value = value.get(..len as usize).unwrap_or(&value);
                unseen(|| record::result(site, value));
            }
        }
    }
}

/// The same with any number of bytes.
#[unsafe(no_mangle)]
extern "C" fn __reprise_back_with(site: u32, result: *const u8, len: u32, depth: u32) {
    is_back(site, depth);
    if mode() == Mode::Record {
        unseen(|| record::result(site, bytes(result, len as usize)));
    }
}

/// It is back; whether it has filled memory.
fn is_back(site: u32, depth: u32) -> bool {
    let (is_next, has_filled) = turn::back(depth);
    // What was jumped over between has not come back, and never will.
    if !is_next {
        record::give_up(Reason::Jump, Some(site));
    }
    has_filled
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
