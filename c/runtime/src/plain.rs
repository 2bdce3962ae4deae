//! Functions of the C library as a compiler may call them on its own account. They
//! are here because a replay has no C library.

use std::arch::asm;

/// Copies bytes that do not overlap; most are few.
///
/// # Safety
/// `len` bytes can be read and written there.
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    match len {
        // SAFETY: as the caller says.
        4 => unsafe {
            to.cast::<u32>()
                .write_unaligned(from.cast::<u32>().read_unaligned());
        },
        // SAFETY: as the caller says.
        8 => unsafe {
            to.cast::<u64>()
                .write_unaligned(from.cast::<u64>().read_unaligned());
        },
        _ => {
            memcpy(to, from, len);
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller has `len` bytes at both places. In assembly, since a loop
    // would be compiled to a call of this function.
    unsafe {
        asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
    to
}

#[unsafe(no_mangle)]
extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    if to.addr().wrapping_sub(from.addr()) >= len {
        return memcpy(to, from, len);
    }
    // SAFETY: as above; backwards, since they overlap.
    unsafe {
        asm!("std", "rep movsb", "cld", inout("rcx") len => _,
            inout("rdi") to.wrapping_add(len).wrapping_sub(1) => _,
            inout("rsi") from.wrapping_add(len).wrapping_sub(1) => _, options(nostack));
    }
    to
}

#[unsafe(no_mangle)]
extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    // SAFETY: the caller has `len` bytes there.
    unsafe {
        asm!("rep stosb", inout("rcx") len => _, inout("rdi") to => _, in("al") byte as u8,
            options(nostack, preserves_flags));
    }
    to
}

fn at(text: *const u8, index: usize) -> u8 {
    // SAFETY: callers go no further than the end of what they were given.
    unsafe { text.add(index).read_volatile() }
}

#[unsafe(no_mangle)]
extern "C" fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    for index in 0..len {
        let (one, other) = (at(one, index), at(other, index));
        if one != other {
            return i32::from(one) - i32::from(other);
        }
    }
    0
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
