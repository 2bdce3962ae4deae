//! Weighing: whether functions of libraries leave memory alone, as annotations say.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often each call is looked at.
const TIMES: u64 = 100;

/// A call that is on its way.
struct Looked {
    /// What is called, and where.
    call: usize,
    /// How often it was looked at.
    times: &'static AtomicU64,
    /// The memory that it was given, and what was in it.
    pieces: Vec<(u64, Vec<u8>)>,
    /// What it may have filled.
    filled: Vec<(u64, u64)>,
}

thread_local! {
    static LOOKED: RefCell<Option<Looked>> = const { RefCell::new(None) };
}

#[repr(C)]
struct Piece {
    start: u64,
    len: usize,
}

unsafe extern "C" {
    fn getpid() -> i32;
    fn process_vm_readv(
        process: i32,
        to: *const Piece,
        to_count: u64,
        from: *const Piece,
        from_count: u64,
        flags: u64,
    ) -> isize;
    fn __errno_location() -> *mut i32;
}

/// What is in memory, as far as there is any: the program's pointers may be wrong.
fn content(start: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    let to = Piece {
        start: bytes.as_mut_ptr().addr() as u64,
        len,
    };
    let from = Piece { start, len };
    // SAFETY: the kernel copies into the buffer, and says how much there was to read.
    let read = unsafe { process_vm_readv(getpid(), &raw const to, 1, &raw const from, 1, 0) };
    bytes.truncate(read.max(0) as usize);
    bytes
}

/// Does something that the program does not notice.
fn unnoticed(act: impl FnOnce(&mut Option<Looked>)) {
    // SAFETY: the C library has one for each thread.
    let errno = unsafe { __errno_location().read() };
    let _ = LOOKED.try_with(|looked| {
        if let Ok(mut looked) = looked.try_borrow_mut() {
            act(&mut looked);
        }
    });
    // SAFETY: as above.
    unsafe { __errno_location().write(errno) };
}

/// An annotated function is about to be called.
#[unsafe(no_mangle)]
extern "C" fn __reprise_verify(call: *const u8, times: *const AtomicU64) {
    // SAFETY: inserted code hands over a counter of its own.
    let times: &'static AtomicU64 = unsafe { &*times };
    unnoticed(|looked| {
        let again = times.fetch_add(1, Ordering::Relaxed) < TIMES;
        *looked = again.then(|| Looked {
            call: call.addr(),
            times,
            pieces: Vec::new(),
            filled: Vec::new(),
        });
    });
}

/// It is given this memory.
#[unsafe(no_mangle)]
extern "C" fn __reprise_verify_piece(start: u64, len: u64) {
    unnoticed(|looked| {
        if let Some(looked) = looked {
            looked.pieces.push((start, content(start, len as usize)));
        }
    });
}

/// It may have filled this memory.
#[unsafe(no_mangle)]
extern "C" fn __reprise_verify_filled(start: u64, len: i64) {
    unnoticed(|looked| {
        if let Some(looked) = looked {
            looked.filled.push((start, len.max(0).cast_unsigned()));
        }
    });
}

/// It has returned.
#[unsafe(no_mangle)]
extern "C" fn __reprise_verified() {
    unnoticed(|looked| {
        let Some(looked) = looked.take() else { return };
        for (start, before) in &looked.pieces {
            let after = content(*start, before.len());
            let mut changed = (*start..).zip(before.iter().zip(&after));
            let is_filled = |address: u64| {
                let mut filled = looked.filled.iter();
                filled.any(|(start, len)| address.wrapping_sub(*start) < *len)
            };
            if changed.any(|(address, (one, other))| one != other && !is_filled(address)) {
                looked.times.store(TIMES, Ordering::Relaxed);
                let text = looked.call as *const u8;
                // SAFETY: inserted code hands over a text of its own.
                let text = unsafe { std::ffi::CStr::from_ptr(text.cast()) };
                let text = text.to_string_lossy();
                eprintln!(
                    "reprise: {text} writes to memory of which its annotation does not say so"
                );
                break;
            }
        }
    });
}
