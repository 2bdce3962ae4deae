//! More functions for texts that belong to whoever calls them, as in `own.rs`.

use crate::memory::is_inside;
use crate::own::{__reprise_memcpy, __reprise_memset, __reprise_strlen, computed, inside};
use crate::plain::{at, compare, find, length, limited_length};

fn both(one: *const u8, other: *const u8) -> bool {
    inside(one) && inside(other)
}

fn place(text: *const u8, index: usize) -> u64 {
    text.addr() as u64 + index as u64
}

/// How many bytes at the beginning of a text are among others, or are not.
fn span(text: *const u8, among: *const u8, wanted: bool) -> usize {
    let mut len = 0;
    while at(text, len) != 0 && find(among, at(text, len), usize::MAX, true).is_some() == wanted {
        len += 1;
    }
    len
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strnlen(text: *const u8, most: usize, site: u32) -> usize {
    let is_inside = is_inside(text.addr() as u64);
    computed(is_inside, site, || limited_length(text, most) as u64) as usize
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strspn(text: *const u8, among: *const u8, site: u32) -> usize {
    let span = || span(text, among, true) as u64;
    computed(both(text, among), site, span) as usize
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strcspn(text: *const u8, among: *const u8, site: u32) -> usize {
    let span = || span(text, among, false) as u64;
    computed(both(text, among), site, span) as usize
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strpbrk(text: *const u8, among: *const u8, site: u32) -> u64 {
    let find = || match span(text, among, false) {
        end if at(text, end) == 0 => 0,
        found => place(text, found),
    };
    computed(both(text, among), site, find)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strstr(text: *const u8, part: *const u8, site: u32) -> u64 {
    let find_part = || {
        let (len, first) = (length(part), at(part, 0));
        if len == 0 {
            return place(text, 0);
        }
        let mut from = 0;
        while let Some(found) = find(text.wrapping_add(from), first, usize::MAX, true) {
            from += found;
            if compare(text.wrapping_add(from), part, len, |byte| byte) == 0 {
                return place(text, from);
            }
            from += 1;
        }
        0
    };
    computed(both(text, part), site, find_part)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strchrnul(text: *const u8, byte: i32, site: u32) -> u64 {
    let find = || match find(text, byte as u8, usize::MAX, true) {
        Some(found) => place(text, found),
        None => place(text, length(text)),
    };
    computed(inside(text), site, find)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_rawmemchr(text: *const u8, byte: i32, site: u32) -> u64 {
    let find = || find(text, byte as u8, usize::MAX, false).map_or(0, |found| place(text, found));
    computed(inside(text), site, find)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_memrchr(text: *const u8, byte: i32, len: usize, site: u32) -> u64 {
    let find = || {
        let mut all = (0..len).rev();
        let found = all.find(|index| at(text, *index) == byte as u8);
        found.map_or(0, |found| place(text, found))
    };
    computed(inside(text), site, find)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __reprise_mempcpy(
    to: *mut u8,
    from: *const u8,
    len: usize,
    site: u32,
) -> *mut u8 {
    __reprise_memcpy(to, from, len, site).wrapping_add(len)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_stpcpy(to: *mut u8, from: *const u8, site: u32) -> *mut u8 {
    let len = __reprise_strlen(from, site);
    __reprise_memcpy(to, from, len + 1, site).wrapping_add(len)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_strncat(to: *mut u8, from: *const u8, most: usize, site: u32) -> *mut u8 {
    let end = __reprise_strlen(to, site);
    let len = __reprise_strnlen(from, most, site);
    __reprise_memcpy(to.wrapping_add(end), from, len, site);
    __reprise_memset(to.wrapping_add(end + len), 0, 1, site);
    to
}

// With `_FORTIFY_SOURCE` programs call functions that are told how much room there is, and
// end the program where it is not enough.

unsafe extern "C" {
    fn __chk_fail() -> !;
}

/// Ends the program if there is not enough room.
fn room(needed: usize, there_is: usize, site: u32) {
    if needed > there_is {
        // Like a call of an outside function that does not come back.
        crate::cross::__reprise_out(site);
        // SAFETY: it is what the program does here. A replay has ended before.
        unsafe { __chk_fail() };
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___memcpy_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    room(len, there_is, site);
    __reprise_memcpy(to, from, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___memmove_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    room(len, there_is, site);
    __reprise_memcpy(to, from, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___mempcpy_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    room(len, there_is, site);
    __reprise_mempcpy(to, from, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___memset_chk(
    to: *mut u8,
    byte: i32,
    len: usize,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    room(len, there_is, site);
    __reprise_memset(to, byte, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___strcpy_chk(
    to: *mut u8,
    from: *const u8,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    let len = __reprise_strlen(from, site) + 1;
    room(len, there_is, site);
    __reprise_memcpy(to, from, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___stpcpy_chk(
    to: *mut u8,
    from: *const u8,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    let len = __reprise_strlen(from, site);
    room(len + 1, there_is, site);
    __reprise_memcpy(to, from, len + 1, site).wrapping_add(len)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___strncpy_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    room(len, there_is, site);
    crate::own::__reprise_strncpy(to, from, len, site)
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___strcat_chk(
    to: *mut u8,
    from: *const u8,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    let (end, len) = (__reprise_strlen(to, site), __reprise_strlen(from, site) + 1);
    room(end.saturating_add(len), there_is, site);
    __reprise_memcpy(to.wrapping_add(end), from, len, site);
    to
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___strncat_chk(
    to: *mut u8,
    from: *const u8,
    most: usize,
    there_is: usize,
    site: u32,
) -> *mut u8 {
    let end = __reprise_strlen(to, site);
    let len = __reprise_strnlen(from, most, site);
    room(end.saturating_add(len).saturating_add(1), there_is, site);
    __reprise_memcpy(to.wrapping_add(end), from, len, site);
    __reprise_memset(to.wrapping_add(end + len), 0, 1, site);
    to
}
