//! What characters are: the tables of the C library by which `isspace` and its like look it
//! up, for inside functions. Where the C library has them differs from run to run, so inside
//! functions get a copy in inside memory, and a replay has the same.
//!
//! Another locale has other tables, and may be set by whoever is outside. So the first one
//! who asks after a crossing finds out whether the copy still holds, which is an event; those
//! who ask after that, up to the next crossing, cost none. Most programs have the tables of the
//! locale C, which everybody knows: these are not written down.

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::{Mode, mode, record, replay};

/// Characters from -128 to 255.
const LEN: usize = 384;

/// What is in the tables for 0 is at this place.
const ZERO: i32 = 128;

/// The tables, and where they are, as the C library has it.
#[repr(C)]
struct Tables {
    kinds_at: *const u16,
    lower_at: *const i32,
    upper_at: *const i32,
    kinds: [u16; LEN],
    lower: [i32; LEN],
    upper: [i32; LEN],
}

#[unsafe(link_section = "reprise_inside")]
static mut TABLES: Tables = Tables {
    kinds_at: std::ptr::null(),
    lower_at: std::ptr::null(),
    upper_at: std::ptr::null(),
    kinds: [0; LEN],
    lower: [0; LEN],
    upper: [0; LEN],
};

/// Nobody has crossed since the copy was looked at.
#[unsafe(link_section = ".data.reprise_often")]
static FRESH: AtomicBool = AtomicBool::new(false);

/// Of which table of the C library the copy is.
static COPIED: AtomicPtr<u16> = AtomicPtr::new(std::ptr::null_mut());

unsafe extern "C" {
    fn __ctype_b_loc() -> *const *const u16;
    fn __ctype_tolower_loc() -> *const *const i32;
    fn __ctype_toupper_loc() -> *const *const i32;
}

fn tables() -> *mut Tables {
    &raw mut TABLES
}

/// Somebody crosses: from here on the locale may be another one.
pub(crate) fn crossed() {
    FRESH.store(false, Ordering::Relaxed);
}

/// The tables as they are now; none if nothing is recorded.
fn current(site: u32) -> Option<*mut Tables> {
    let tables = tables();
    if mode() == Mode::Off {
        return None;
    }
    if !FRESH.swap(true, Ordering::Relaxed) {
        // SAFETY: only whose turn it is comes here.
        unsafe { look(tables, site) };
    }
    Some(tables)
}

/// What a replay is told: the copy holds, the tables follow, or they are those of C.
const SAME: u8 = 0;
const OTHERS: u8 = 1;
const OF_C: u8 = 2;

/// What is in the tables of the locale C for a character: what it is, by the bits of the C
/// library, and what it is in lower and in upper case.
fn of_c(index: usize) -> (u16, i32, i32) {
    // Those below 0 are the upper half once more, but for the end of a file.
    let character = match index as i32 - ZERO {
        -1 => -1,
        below @ ..-1 => below + 256,
        character => character,
    };
    let Some(byte) = u8::try_from(character).ok().filter(u8::is_ascii) else {
        return (0, character, character);
    };
    let is = [
        (byte.is_ascii_uppercase(), 0x100),
        (byte.is_ascii_lowercase(), 0x200),
        (byte.is_ascii_alphabetic(), 0x400),
        (byte.is_ascii_digit(), 0x800),
        (byte.is_ascii_hexdigit(), 0x1000),
        (matches!(byte, 9..=13 | b' '), 0x2000),
        (byte.is_ascii_graphic() || byte == b' ', 0x4000),
        (byte.is_ascii_graphic(), 0x8000),
        (matches!(byte, 9 | b' '), 0x1),
        (byte.is_ascii_control(), 0x2),
        (byte.is_ascii_punctuation(), 0x4),
        (byte.is_ascii_alphanumeric(), 0x8),
    ];
    let kinds = is.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum();
    let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
    (kinds, i32::from(lower), i32::from(upper))
}

/// Finds out whether the copy still holds, and makes another one if not.
///
/// # Safety
/// It is this thread's turn.
unsafe fn look(tables: *mut Tables, site: u32) {
    const BYTES: usize = LEN * 2 + 2 * LEN * 4;
    // SAFETY: a place in the tables.
    let kinds = unsafe { (&raw mut (*tables).kinds).cast::<u8>() };
    if mode() == Mode::Replay {
        replay::value(site);
        // SAFETY: the buffer is longer than this; so are the tables behind each other.
        unsafe {
            match replay::buffer().read() {
                SAME => return,
                OF_C => {
                    for index in 0..LEN {
                        let (kind, lower, upper) = of_c(index);
                        (*tables).kinds[index] = kind;
                        (*tables).lower[index] = lower;
                        (*tables).upper[index] = upper;
                    }
                }
                _ => {
                    crate::plain::memcpy(kinds, replay::buffer().add(1), BYTES);
                }
            }
        }
    } else {
        // SAFETY: they are there for every thread, from -128 on.
        let from = unsafe { (*__ctype_b_loc()).sub(ZERO as usize) };
        if COPIED.swap(from.cast_mut(), Ordering::Relaxed).cast_const() == from {
            record::simple(2, site, &[SAME]);
            return;
        }
        let mut event = [OTHERS; 1 + BYTES];
        // SAFETY: the same; the tables behind each other are as long as this.
        unsafe {
            let lower = (*__ctype_tolower_loc()).sub(ZERO as usize);
            let upper = (*__ctype_toupper_loc()).sub(ZERO as usize);
            crate::plain::memcpy(kinds, from.cast(), LEN * 2);
            crate::plain::memcpy(kinds.add(LEN * 2), lower.cast(), LEN * 4);
            crate::plain::memcpy(kinds.add(LEN * 6), upper.cast(), LEN * 4);
            crate::plain::memcpy((&raw mut event).cast::<u8>().add(1), kinds, BYTES);
        }
        // SAFETY: as the caller says.
        let is_of_c = (0..LEN).all(|index| unsafe {
            let has = ((*tables).kinds[index], (*tables).lower[index]);
            (has.0, has.1, (*tables).upper[index]) == of_c(index)
        });
        match is_of_c {
            true => record::simple(2, site, &[OF_C]),
            false => record::simple(2, site, &event),
        }
    }
    // SAFETY: as the caller says; the places are within the tables.
    unsafe {
        (*tables).kinds_at = (&raw const (*tables).kinds)
            .cast::<u16>()
            .add(ZERO as usize);
        (*tables).lower_at = (&raw const (*tables).lower)
            .cast::<i32>()
            .add(ZERO as usize);
        (*tables).upper_at = (&raw const (*tables).upper)
            .cast::<i32>()
            .add(ZERO as usize);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___ctype_b_loc(site: u32) -> *const *const u16 {
    match current(site) {
        // SAFETY: a place in the tables.
        Some(tables) => unsafe { &raw const (*tables).kinds_at },
        // SAFETY: it is what the program does here.
        None => unsafe { __ctype_b_loc() },
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___ctype_tolower_loc(site: u32) -> *const *const i32 {
    match current(site) {
        // SAFETY: a place in the tables.
        Some(tables) => unsafe { &raw const (*tables).lower_at },
        // SAFETY: it is what the program does here.
        None => unsafe { __ctype_tolower_loc() },
    }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise___ctype_toupper_loc(site: u32) -> *const *const i32 {
    match current(site) {
        // SAFETY: a place in the tables.
        Some(tables) => unsafe { &raw const (*tables).upper_at },
        // SAFETY: it is what the program does here.
        None => unsafe { __ctype_toupper_loc() },
    }
}

fn is(character: i32, kind: u16, site: u32) -> i32 {
    if !(-ZERO..LEN as i32 - ZERO).contains(&character) {
        return 0;
    }
    // SAFETY: the character is one that the table has.
    let kinds = unsafe {
        (*__reprise___ctype_b_loc(site))
            .offset(character as isize)
            .read()
    };
    i32::from(kinds & kind)
}

fn other(character: i32, table: *const *const i32) -> i32 {
    if !(-ZERO..LEN as i32 - ZERO).contains(&character) {
        return character;
    }
    // SAFETY: the character is one that the table has.
    unsafe { (*table).offset(character as isize).read() }
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_tolower(character: i32, site: u32) -> i32 {
    other(character, __reprise___ctype_tolower_loc(site))
}

#[unsafe(no_mangle)]
extern "C" fn __reprise_toupper(character: i32, site: u32) -> i32 {
    other(character, __reprise___ctype_toupper_loc(site))
}

/// Functions that look up one bit.
macro_rules! kinds {
    ($($name:ident $bit:literal)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name(character: i32, site: u32) -> i32 {
            is(character, $bit, site)
        }
    )* };
}

kinds! {
    __reprise_isupper 0x100
    __reprise_islower 0x200
    __reprise_isalpha 0x400
    __reprise_isdigit 0x800
    __reprise_isxdigit 0x1000
    __reprise_isspace 0x2000
    __reprise_isprint 0x4000
    __reprise_isgraph 0x8000
    __reprise_isblank 0x1
    __reprise_iscntrl 0x2
    __reprise_ispunct 0x4
    __reprise_isalnum 0x8
}
