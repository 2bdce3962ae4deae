//! Functions of the C library as a compiler may call them on its own account. They
//! are here because a replay has no C library. In a run all of the program calls these: what is
//! longer than a few words is done by the C library there, which knows the processor.

use std::arch::asm;
use std::sync::atomic::{AtomicPtr, Ordering};

// Libraries have those of the C library.
std::arch::global_asm!(
    ".hidden memcpy",
    ".hidden memmove",
    ".hidden memset",
    ".hidden memcmp",
    ".hidden bcmp",
);

/// The C library's own, in a run.
static MOVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static SET: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

type Move = unsafe extern "C" fn(*mut u8, *const u8, usize) -> *mut u8;
type Fill = unsafe extern "C" fn(*mut u8, i32, usize) -> *mut u8;

unsafe extern "C" {
    fn dlsym(library: *const u8, name: *const std::ffi::c_char) -> *mut u8;
}

/// A run begins: there is a C library.
pub(crate) fn begin() {
    /// Behind this program.
    const NEXT: *const u8 = std::ptr::without_provenance(usize::MAX);
    // SAFETY: names with their ends. Both copy bytes that may overlap, and set them.
    unsafe {
        MOVE.store(dlsym(NEXT, c"memmove".as_ptr()), Ordering::Relaxed);
        SET.store(dlsym(NEXT, c"memset".as_ptr()), Ordering::Relaxed);
    }
}

#[inline]
fn library_move() -> Option<Move> {
    let known = MOVE.load(Ordering::Relaxed);
    // SAFETY: it is null, or the C library's function, which is of this type.
    unsafe { std::mem::transmute::<*mut u8, Option<Move>>(known) }
}

/// Copies bytes that do not overlap; most are few.
///
/// # Safety
/// `len` bytes can be read and written there.
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    match len {
        // SAFETY: as the caller says. In one piece each, since others may be writing.
        1 => unsafe { to.write(from.read()) },
        // SAFETY: the same.
        2 => unsafe { word::<u16>(to, from, 0) },
        // SAFETY: the same.
        4 => unsafe { word::<u32>(to, from, 0) },
        // SAFETY: the same.
        8 => unsafe { word::<u64>(to, from, 0) },
        _ => {
            memcpy(to, from, len);
        }
    }
}

/// Copies a word.
///
/// # Safety
/// It can be read and written there.
unsafe fn word<W: Copy>(to: *mut u8, from: *const u8, at: usize) {
    // SAFETY: as the caller says.
    unsafe {
        let word = from.add(at).cast::<W>().read_unaligned();
        to.add(at).cast::<W>().write_unaligned(word);
    }
}

/// Copies bytes that may overlap, by two words that may, too.
///
/// # Safety
/// `len` bytes can be read and written there, at least one word and at most two.
unsafe fn two_words<W: Copy>(to: *mut u8, from: *const u8, len: usize) {
    let last = len - size_of::<W>();
    // SAFETY: as the caller says; all is read before anything is written.
    unsafe {
        let first_word = from.cast::<W>().read_unaligned();
        let last_word = from.add(last).cast::<W>().read_unaligned();
        to.cast::<W>().write_unaligned(first_word);
        to.add(last).cast::<W>().write_unaligned(last_word);
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // In the order in which programs ask.
    if len > 32 {
        // SAFETY: the caller has `len` bytes at both places. In assembly, since a loop would be
        // compiled to a call of this function.
        unsafe {
            if let Some(library) = library_move() {
                return library(to, from, len);
            }
            asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _,
                options(nostack, preserves_flags));
        }
    } else if len >= 16 {
        // SAFETY: the same.
        unsafe { two_words::<u128>(to, from, len) };
    } else if len >= 8 {
        // SAFETY: the same.
        unsafe { two_words::<u64>(to, from, len) };
    } else if len >= 4 {
        // SAFETY: the same.
        unsafe { two_words::<u32>(to, from, len) };
    } else if len >= 2 {
        // SAFETY: the same.
        unsafe { two_words::<u16>(to, from, len) };
    } else if len == 1 {
        // SAFETY: the same.
        unsafe { to.write(from.read()) };
    }
    to
}

#[unsafe(no_mangle)]
extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    if len <= 32 || to.addr().wrapping_sub(from.addr()) >= len {
        return memcpy(to, from, len);
    }
    if let Some(library) = library_move() {
        // SAFETY: it does what this one does.
        return unsafe { library(to, from, len) };
    }
    // Backwards, since they overlap: words, and what is left at the beginning at last.
    let mut left = len;
    while left >= 8 {
        left -= 8;
        // SAFETY: the caller has `len` bytes at both places, and a word is read before it
        // is written.
        unsafe { word::<u64>(to, from, left) };
    }
    memcpy(to, from, left)
}

#[unsafe(no_mangle)]
extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    let word = u64::from(byte as u8) * 0x0101_0101_0101_0101;
    // SAFETY: the caller has `len` bytes there. What overlaps is written twice.
    unsafe {
        match len {
            0 => return to,
            1..8 => {
                for at in 0..len {
                    to.add(at).write_volatile(byte as u8);
                }
                return to;
            }
            8..=32 => {
                for at in [0, 8.min(len - 8), (len - 8).saturating_sub(8), len - 8] {
                    to.add(at).cast::<u64>().write_unaligned(word);
                }
                return to;
            }
            _ => {}
        }
        let known = SET.load(Ordering::Relaxed);
        // It is null, or the C library's function, which is of this type.
        if let Some(library) = std::mem::transmute::<*mut u8, Option<Fill>>(known) {
            return library(to, byte, len);
        }
        asm!("rep stosb", inout("rcx") len => _, inout("rdi") to => _, in("al") byte as u8,
            options(nostack, preserves_flags));
    }
    to
}

pub(crate) fn at(text: *const u8, index: usize) -> u8 {
    // SAFETY: callers go no further than the end of what they were given.
    unsafe { text.add(index).read_volatile() }
}

#[unsafe(no_mangle)]
extern "C" fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    let mut same = 0;
    while same + 8 <= len && eight(one, same) == eight(other, same) {
        same += 8;
    }
    for index in same..len {
        let (one, other) = (at(one, index), at(other, index));
        if one != other {
            return i32::from(one) - i32::from(other);
        }
    }
    0
}

fn eight(bytes: *const u8, index: usize) -> u64 {
    // SAFETY: callers go no further than the end of what they were given.
    unsafe { bytes.add(index).cast::<u64>().read_unaligned() }
}

#[unsafe(no_mangle)]
extern "C" fn bcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    memcmp(one, other, len)
}

/// The length of a text.
pub(crate) fn length(text: *const u8) -> usize {
    limited_length(text, usize::MAX)
}

pub(crate) fn limited_length(text: *const u8, most: usize) -> usize {
    let mut len = 0;
    while len < most && at(text, len) != 0 {
        len += 1;
    }
    len
}

pub(crate) fn compare(one: *const u8, other: *const u8, most: usize, fold: fn(u8) -> u8) -> i32 {
    for index in 0..most {
        let (one, other) = (at(one, index), at(other, index));
        if fold(one) != fold(other) || one == 0 {
            return i32::from(fold(one)) - i32::from(fold(other));
        }
    }
    0
}

pub(crate) fn find(text: *const u8, byte: u8, most: usize, to_zero: bool) -> Option<usize> {
    for index in 0..most {
        let here = at(text, index);
        if here == byte {
            return Some(index);
        }
        if to_zero && here == 0 {
            return None;
        }
    }
    None
}
