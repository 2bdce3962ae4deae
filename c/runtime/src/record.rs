//! From the program into the spool.

use std::cell::{RefCell, UnsafeCell};
use std::sync::atomic::{Ordering, compiler_fence};

use reprise_c_events::{BUFFER_LEN, Reason};
use reprise_recording::spool::ring::RingWriter;
use reprise_recording::spool::{StdEnvironment, SubjectSpool};

use crate::memory::is_inside;
use crate::{Mode, counted, last, mode, seen, set_mode, short, turn};

/// What is needed while events are written.
pub(crate) struct Recorder {
    pub(crate) spool: Option<SubjectSpool>,
    pub(crate) ring: Option<RingWriter<StdEnvironment>>,
    event: Vec<u8>,
    /// How many there are.
    pub(crate) events: u64,
    /// Whose they are.
    pub(crate) process: u32,
    /// How many children were forked.
    pub(crate) children: u32,
}

thread_local! {
    /// Pieces of memory that the call that is on its way back has filled.
    static FILLED: RefCell<Vec<(u64, u64)>> = const { RefCell::new(Vec::new()) };
}

pub(crate) struct Shared(pub(crate) UnsafeCell<Recorder>);

// SAFETY: only the thread whose turn it is writes events.
unsafe impl Sync for Shared {}

pub(crate) static RECORDER: Shared = Shared(UnsafeCell::new(Recorder {
    spool: None,
    ring: None,
    event: Vec::new(),
    events: 0,
    process: 0,
    children: 0,
}));

/// The program runs on unrecorded; why, and where, is the last event.
pub(crate) fn give_up(why: Reason, site: Option<u32>) {
    if mode() != Mode::Record {
        return;
    }
    let entered = turn::enter();
    let mut at = Vec::new();
    number(&mut at, site.map_or(0, |site| u64::from(site) + 1));
    simple(8, why as u32, &at);
    set_mode(Mode::Off);
    if entered {
        turn::leave();
    }
}

/// The recorder, for one event. It is this thread's turn. The event is a value, and says how
/// many reads and results before it were none; or it is not, and has an event before it that does.
#[inline]
pub(crate) fn with(
    is_value: bool,
    act: impl FnOnce(u32, &mut Vec<u8>, &mut RingWriter<StdEnvironment>),
) {
    // SAFETY: one thread is inside at a time, and `act` does not come here again.
    let recorder = unsafe { &mut *RECORDER.0.get() };
    let Some(ring) = recorder.ring.as_mut() else {
        return;
    };
    // Whoever has interrupted somebody who is about to write an event does not.
    let Some(before) = counted::pause() else {
        return;
    };
    compiler_fence(Ordering::SeqCst);
    if before.results && !is_value {
        let word = counted::event(before.same).to_le_bytes();
        ring.append(&word[1..1 + usize::from(word[0])]);
        recorder.events += 1;
    }
    act(before.same, &mut recorder.event, ring);
    recorder.events += 1;
    compiler_fence(Ordering::SeqCst);
    counted::go_on(&before);
}

fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// An event that is a number and bytes.
pub(crate) fn simple(tag: u8, site: u32, bytes: &[u8]) {
    with(tag == 2, |same, event, ring| {
        event.clear();
        match (tag, same) {
            (2, 1..) => {
                event.push(9);
                number(event, u64::from(site));
                number(event, u64::from(same));
            }
            _ => {
                event.push(tag);
                number(event, u64::from(site));
            }
        }
        event.extend_from_slice(bytes);
        ring.append(event);
    });
}

/// An inside function is called with these arguments, eight bytes each.
pub(crate) fn entry(function: u32, arguments: &[u8]) {
    let Some(changed) = last::changed(function, arguments) else {
        return simple(1, function, arguments);
    };
    with(false, |_, event, ring| {
        event.clear();
        event.push(11);
        number(event, u64::from(function));
        number(event, changed);
        for (place, word) in arguments.as_chunks::<8>().0.iter().enumerate() {
            if changed >> place & 1 != 0 {
                let len = significant(u64::from_le_bytes(*word));
                event.push(len as u8);
                event.extend_from_slice(&word[..len]);
            }
        }
        ring.append(event);
    });
}

/// A value of at most eight bytes, which is most of what there is.
#[inline(never)]
extern "C" fn small(site: u32, value: u64) {
    with(true, |same, _, ring| {
        let tag = if same > 0 { 9 } else { 2 };
        short::append(ring, tag, |event| {
            event.number(u64::from(site));
            if same > 0 {
                event.number(u64::from(same));
            }
            event.word(value, significant(value));
        });
    });
}

/// How many bytes a word has without zeros at its end.
fn significant(word: u64) -> usize {
    (u64::BITS - word.leading_zeros()).div_ceil(8) as usize
}

/// So many bytes of memory are loaded, in one piece: what is there. Another thread may write
/// there at any moment, and what is written down has to be what is used.
#[inline]
pub(crate) fn load(site: u32, address: *const u8, len: usize) -> u64 {
    // SAFETY: the program is about to read it.
    let value = unsafe { seen::load(address, len) };
    let Some(place) = seen::place(address, len) else {
        return value;
    };
    let is_its = place.is(address, len);
    // Only what is outside has a place.
    if !is_its && is_inside(address.addr() as u64) {
        return value;
    }
    if !(is_its && place.has(value) && counted::one_more(false)) {
        place.set(address, len, value);
        small(site, value);
    }
    value
}

/// Something was computed about what is outside.
pub(crate) fn computed(site: u32, value: u64) {
    let (key, place) = seen::place_of(site);
    if !(place.is(key, 8) && place.has(value) && counted::one_more(false)) {
        place.set(key, 8, value);
        small(site, value);
    }
}

/// Outside memory is read, in one piece: where a copy of it is. It may be of any length.
pub(crate) fn read(site: u32, address: *const u8, len: usize) -> *const u8 {
    if let Some(place) = seen::place(address, len) {
        load(site, address, len);
        return place.value();
    }
    if len > BUFFER_LEN {
        return address;
    }
    let buffer = crate::replay::buffer();
    // SAFETY: the program is about to read it, and the buffer is of whose turn it is.
    let bytes = unsafe {
        crate::plain::copy(buffer.cast_mut(), address, len);
        std::slice::from_raw_parts(buffer, len)
    };
    simple(2, site, bytes);
    buffer
}

/// Outside memory is read, as many events as that takes.
pub(crate) fn values(site: u32, bytes: &[u8]) {
    for piece in bytes.chunks(BUFFER_LEN) {
        simple(2, site, piece);
    }
}

/// The call that is on its way back has filled memory.
pub(crate) fn filled(address: u64, len: u64) {
    turn::returns();
    let _ = FILLED.try_with(|filled| filled.borrow_mut().push((address, len)));
}

/// A call is back with at most eight bytes, and has filled nothing.
#[inline]
pub(crate) fn word(site: u32, len: u32, value: u64) {
    match last::result(site, len, value) {
        last::Result::Same if counted::are_few() => {
            // SAFETY: there are few.
            unsafe { counted::one_of_few(true) };
        }
        last::Result::Same => same_word(site),
        last::Result::Near(more) => other_word(site, len, value, more),
        last::Result::Other => other_word(site, len, value, i64::MIN),
    }
}

/// It is the same again, after many that were.
#[inline(never)]
extern "C" fn same_word(site: u32) {
    if !counted::one_more(true) {
        with(false, |_, _, ring| {
            short::append(ring, 10, |event| {
                event.number(u64::from(site));
            });
        });
    }
}

/// It is another one, which is so much `more` than the last; the most if that is not known, which no
/// event says.
#[inline(never)]
extern "C" fn other_word(site: u32, len: u32, value: u64, more: i64) {
    let (site, len) = (u64::from(site), shorter(value, len as usize));
    let (tag, then) = match is_shorter(more, len) {
        true => (13, twice(more)),
        false => (3, len as u64),
    };
    with(false, |_, _, ring| {
        short::append(ring, tag, |event| {
            event.number(site).number(then);
            if tag == 3 {
                event.word(value, len);
            }
        });
    });
}

/// How many of so many bytes of a word are written down.
fn shorter(value: u64, len: usize) -> usize {
    significant(value).max(1).min(len)
}

/// A call is back, with any number of bytes, and has perhaps filled memory.
pub(crate) fn result(site: u32, bytes: &[u8]) {
    let filled = FILLED.try_with(RefCell::take).unwrap_or_default();
    let (value, len) = (last::word(bytes), bytes.len());
    if len <= 8 && filled.is_empty() {
        return word(site, len as u32, value);
    }
    // What is told in full is what comes next to the next one.
    last::result(site, len as u32, value);
    with(false, |_, event, ring| {
        event.clear();
        event.push(3);
        number(event, u64::from(site));
        let bytes = match len {
            1..=8 => &bytes[..shorter(value, len)],
            _ => bytes,
        };
        number(event, bytes.len() as u64);
        event.extend_from_slice(bytes);
        for (address, len) in filled {
            event.extend_from_slice(&address.to_le_bytes());
            number(event, len);
            // SAFETY: an annotated call has just filled it.
            let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, len as usize) };
            event.extend_from_slice(bytes);
        }
        ring.append(event);
    });
}

/// A difference as a number without a sign, the less of it the closer.
fn twice(more: i64) -> u64 {
    (more << 1 ^ more >> 63).cast_unsigned()
}

/// Whether a difference takes fewer bytes than so many of the result itself, behind their number.
fn is_shorter(more: i64, len: usize) -> bool {
    let bits = u64::BITS - twice(more).leading_zeros();
    (bits.div_ceil(7) as usize) < 1 + len
}
