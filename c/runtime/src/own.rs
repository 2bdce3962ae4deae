//! Functions of the C library that belong to whoever calls them. With inside memory
//! they are executed again in a replay; of outside memory the result is written
//! down, and what was copied from there.

use reprise_c_events::BUFFER_LEN;

use crate::cross::logged;
use crate::memory::{is_inside, is_owned};
use crate::plain::{compare, find, length, limited_length};
use crate::{Mode, elsewhere, mode, pool, record, replay};

pub(crate) fn inside(pointer: *const u8) -> bool {
    is_inside(pointer.addr() as u64)
}

unsafe extern "C" {
    fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8;
    fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8;
    fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32;
    fn free(pointer: *mut u8);
    fn realloc(pointer: *mut u8, size: usize) -> *mut u8;
}

fn outside_realloc(pointer: *mut u8, size: u64) -> u64 {
    // SAFETY: it is what the program does here.
    unsafe { realloc(pointer, size as usize) }.addr() as u64
}

/// Whether a store to memory is to happen here.
fn exists(to: *const u8) -> bool {
    mode() != Mode::Replay || is_owned(to.addr() as u64)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_memcpy(
    to: *mut u8,
    from: *const u8,
    len: usize,
    site: u32,
) -> *mut u8 {
    if len == 0 {
        return to;
    }
    if !inside(from) {
        if mode() == Mode::Record {
            // SAFETY: the program is about to read it.
            record::values(site, unsafe { std::slice::from_raw_parts(from, len) });
        } else if mode() == Mode::Replay {
            let mut done = 0;
            while done < len {
                let piece = (len - done).min(BUFFER_LEN);
                replay::value(site);
                if exists(to) {
                    // SAFETY: inside memory, as the run had it.
                    unsafe { memmove(to.add(done), replay::buffer(), piece) };
                }
                done += piece;
            }
            return to;
        }
    }
    if exists(to) {
        // SAFETY: it is what the program does here.
        unsafe { memmove(to, from, len) };
    }
    to
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_memmove(to: *mut u8, from: *const u8, len: usize, site: u32) -> *mut u8 {
    __reprise_memcpy(to, from, len, site)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_memset(
    to: *mut u8,
    byte: i32,
    len: usize,
    _site: u32,
) -> *mut u8 {
    if exists(to) {
        // SAFETY: it is what the program does here.
        unsafe { memset(to, byte, len) };
    }
    to
}

pub(crate) fn computed(all_inside: bool, site: u32, compute: impl FnOnce() -> u64) -> u64 {
    if all_inside {
        compute()
    } else {
        logged(site, compute)
    }
}

fn compared(one: *const u8, other: *const u8, site: u32, compare: impl FnOnce() -> i32) -> i32 {
    let compare = || u64::from(compare().cast_unsigned());
    computed(inside(one) && inside(other), site, compare) as i32
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_strlen(text: *const u8, site: u32) -> usize {
    computed(inside(text), site, || length(text) as u64) as usize
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_memcmp(a: *const u8, b: *const u8, len: usize, site: u32) -> i32 {
    // SAFETY: it is what the program does here.
    compared(a, b, site, || unsafe { memcmp(a, b, len) })
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_bcmp(a: *const u8, b: *const u8, len: usize, site: u32) -> i32 {
    __reprise_memcmp(a, b, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strcmp(a: *const u8, b: *const u8, site: u32) -> i32 {
    compared(a, b, site, || compare(a, b, usize::MAX, |byte| byte))
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strncmp(a: *const u8, b: *const u8, len: usize, site: u32) -> i32 {
    compared(a, b, site, || compare(a, b, len, |byte| byte))
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strcasecmp(a: *const u8, b: *const u8, site: u32) -> i32 {
    let fold = |byte: u8| byte.to_ascii_lowercase();
    compared(a, b, site, || compare(a, b, usize::MAX, fold))
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strncasecmp(a: *const u8, b: *const u8, len: usize, site: u32) -> i32 {
    let fold = |byte: u8| byte.to_ascii_lowercase();
    compared(a, b, site, || compare(a, b, len, fold))
}

fn pointer(text: *const u8, index: Option<usize>) -> u64 {
    index.map_or(0, |index| text.addr() as u64 + index as u64)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strchr(text: *const u8, byte: i32, site: u32) -> u64 {
    let find = || pointer(text, find(text, byte as u8, usize::MAX, true));
    computed(inside(text), site, find)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strrchr(text: *const u8, byte: i32, site: u32) -> u64 {
    let find_last = || {
        let (mut last, mut from) = (0, 0);
        while let Some(at) = find(text.wrapping_add(from), byte as u8, usize::MAX, true) {
            last = text.addr() as u64 + (from + at) as u64;
            from += at + 1;
            if byte as u8 == 0 {
                break;
            }
        }
        last
    };
    computed(inside(text), site, find_last)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_memchr(text: *const u8, byte: i32, len: usize, site: u32) -> u64 {
    let find = || pointer(text, find(text, byte as u8, len, false));
    computed(inside(text), site, find)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strcpy(to: *mut u8, from: *const u8, site: u32) -> *mut u8 {
    let len = __reprise_strlen(from, site);
    __reprise_memcpy(to, from, len + 1, site)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_strncpy(
    to: *mut u8,
    from: *const u8,
    len: usize,
    site: u32,
) -> *mut u8 {
    let found = || limited_length(from, len) as u64;
    let copied = computed(inside(from), site, found) as usize;
    __reprise_memcpy(to, from, copied, site);
    __reprise_memset(to.wrapping_add(copied), 0, len - copied, site);
    to
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strcat(to: *mut u8, from: *const u8, site: u32) -> *mut u8 {
    let end = __reprise_strlen(to, site);
    __reprise_strcpy(to.wrapping_add(end), from, site);
    to
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_abs(number: i32, _site: u32) -> i32 {
    number.wrapping_abs()
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_labs(number: i64, _site: u32) -> i64 {
    number.wrapping_abs()
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_malloc(size: u64, _site: u32) -> u64 {
    pool::allocate(size)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_calloc(count: u64, size: u64, _site: u32) -> u64 {
    let Some(size) = count.checked_mul(size) else {
        return 0;
    };
    let piece = pool::allocate(size);
    if piece != 0 {
        // SAFETY: the pool has just given it out.
        unsafe { memset(piece as *mut u8, 0, size as usize) };
    }
    piece
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_free(pointer: *mut u8, _site: u32) {
    let address = pointer.addr() as u64;
    if is_owned(address) {
        elsewhere::forget(address, pool::size_of(address));
        pool::release(address);
    } else if mode() != Mode::Replay {
        // SAFETY: it is what the program does here.
        unsafe { free(pointer) };
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_realloc(pointer: *mut u8, size: u64, site: u32) -> u64 {
    let old = pointer.addr() as u64;
    if old == 0 {
        return pool::allocate(size);
    }
    if !is_owned(old) {
        return logged(site, || outside_realloc(pointer, size));
    }
    let had = pool::size_of(old);
    if size <= had && size > had / 2 {
        return old;
    }
    let new = pool::allocate(size);
    if new != 0 {
        let len = had.min(size) as usize;
        // SAFETY: both are pieces of the pool of at least this length.
        unsafe { memmove(new as *mut u8, pointer, len) };
        elsewhere::forget(old, had);
        pool::release(old);
    }
    new
}

/// Like `realloc`, for memory that outside code may write to.
#[unsafe(no_mangle)]
extern "C" fn __reprise_realloc_outside(pointer: *mut u8, size: u64, site: u32) -> u64 {
    if pointer.is_null() {
        return logged(site, || outside_realloc(pointer, size));
    }
    __reprise_realloc(pointer, size, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_reallocarray(pointer: *mut u8, count: u64, size: u64, site: u32) -> u64 {
    match count.checked_mul(size) {
        Some(size) => __reprise_realloc(pointer, size, site),
        None => 0,
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_reallocarray_outside(
    pointer: *mut u8,
    count: u64,
    size: u64,
    site: u32,
) -> u64 {
    match count.checked_mul(size) {
        Some(size) => __reprise_realloc_outside(pointer, size, site),
        None => 0,
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strdup(text: *const u8, site: u32) -> u64 {
    __reprise_strndup(text, usize::MAX, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strndup(text: *const u8, most: usize, site: u32) -> u64 {
    let found = || limited_length(text, most) as u64;
    let len = computed(inside(text), site, found) as usize;
    let piece = pool::allocate(len as u64 + 1);
    if piece != 0 {
        let new = piece as *mut u8;
        __reprise_memcpy(new, text, len, site);
        __reprise_memset(new.wrapping_add(len), 0, 1, site);
    }
    piece
}

/// The length of a text, for weighing.
#[unsafe(no_mangle)]
extern "C" fn __reprise_text_length(text: *const u8) -> u64 {
    if text.is_null() {
        0
    } else {
        length(text) as u64
    }
}
