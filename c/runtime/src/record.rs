//! From the program into the spool.

use std::cell::{RefCell, UnsafeCell};
use std::sync::atomic::{Ordering, compiler_fence};

use reprise_c_events::{BUFFER_LEN, Reason, SAME_MOST};
use reprise_recording::spool::ring::RingWriter;
use reprise_recording::spool::{StdEnvironment, SubjectSpool};

use crate::short::Short;
use crate::{Mode, last, mode, seen, set_mode, turn};

/// What is needed while events are written.
pub(crate) struct Recorder {
    pub(crate) spool: Option<SubjectSpool>,
    pub(crate) ring: Option<RingWriter<StdEnvironment>>,
    /// Somebody is about to write an event: whoever has interrupted that does not.
    busy: bool,
    event: Vec<u8>,
    /// How many there are.
    pub(crate) events: u64,
    /// How many reads and results since the last were as before.
    pub(crate) same: u32,
    /// Results are among them: an event that is no value does not say how many there were.
    pub(crate) results: bool,
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
    busy: false,
    event: Vec::new(),
    events: 0,
    same: 0,
    results: false,
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
    if let Some(ring) = recorder.ring.as_mut().filter(|_| !recorder.busy) {
        recorder.busy = true;
        compiler_fence(Ordering::SeqCst);
        if recorder.same > 0 {
            ring.set_last_word(0);
        }
        if recorder.results && !is_value {
            let word = last_word(recorder.same).to_le_bytes();
            ring.append(&word[1..1 + usize::from(word[0])]);
            recorder.events += 1;
        }
        act(recorder.same, &mut recorder.event, ring);
        recorder.events += 1;
        recorder.same = 0;
        recorder.results = false;
        compiler_fence(Ordering::SeqCst);
        recorder.busy = false;
    }
}

/// An event that says how many reads and results were as before, behind its length: the last one
/// of a program that is killed now.
#[inline]
fn last_word(same: u32) -> u64 {
    const TAG: u64 = 12;
    let same = u64::from(same);
    let (number, len) = match same {
        ..0x80 => (same, 2),
        0x80..0x4000 => (same & 0x7f | 0x80 | same >> 7 << 8, 3),
        _ => {
            let middle = (same >> 7 & 0x7f | 0x80) << 8;
            (same & 0x7f | 0x80 | middle | same >> 14 << 16, 4)
        }
    };
    len | TAG << 8 | number << 16
}

/// What was read, computed or returned is as before, and no event; false if there were so many
/// that it is one all the same.
#[inline]
fn as_before(is_result: bool) -> bool {
    // SAFETY: it is this thread's turn.
    let recorder = unsafe { &mut *RECORDER.0.get() };
    if recorder.same >= SAME_MOST || recorder.busy {
        return false;
    }
    recorder.same += 1;
    recorder.results |= is_result;
    if let Some(ring) = recorder.ring.as_mut() {
        ring.set_last_word(last_word(recorder.same));
    }
    true
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
fn small(site: u32, value: u64) {
    with(true, |same, _, ring| {
        let mut event = Short::new(if same > 0 { 9 } else { 2 });
        event.number(u64::from(site));
        if same > 0 {
            event.number(u64::from(same));
        }
        event.word(value, significant(value)).append(ring);
    });
}

/// How many bytes a word has without zeros at its end.
fn significant(word: u64) -> usize {
    (u64::BITS - word.leading_zeros()).div_ceil(8) as usize
}

/// Memory is read that is outside and was read before, and nothing has changed there since:
/// where a copy of it is.
#[inline]
pub(crate) fn seen_before(address: *const u8, len: usize) -> Option<*const u8> {
    let place = seen::place(address, len).filter(|place| place.is(address, len))?;
    // SAFETY: the program is about to read it.
    let value = unsafe { seen::load(address, len) };
    (place.has(value) && as_before(false)).then(|| place.value())
}

/// Something was computed about what is outside.
pub(crate) fn computed(site: u32, value: u64) {
    let (key, place) = seen::place_of(site);
    if !(place.is(key, 8) && place.has(value) && as_before(false)) {
        place.set(key, 8, value);
        small(site, value);
    }
}

/// Outside memory is read, in one piece: where a copy of it is. Another thread may write
/// there at any moment, and what is written down has to be what is used.
pub(crate) fn read(site: u32, address: *const u8, len: usize) -> *const u8 {
    if let Some(place) = seen::place(address, len) {
        // SAFETY: the program is about to read it.
        let value = unsafe { seen::load(address, len) };
        place.set(address, len, value);
        small(site, value);
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

/// A call is back, and has perhaps filled memory.
pub(crate) fn result(site: u32, bytes: &[u8], has_filled: bool) {
    let filled = match has_filled {
        true => FILLED.try_with(RefCell::take).unwrap_or_default(),
        false => Vec::new(),
    };
    let last = match last::result(site, bytes) {
        _ if !filled.is_empty() => last::Result::Other,
        last::Result::Same if as_before(true) => return,
        last => last,
    };
    let number_of = u64::from(site);
    let value = last::word(bytes);
    let len = significant(value).max(1).min(bytes.len());
    with(false, |_, event, ring| match last {
        last::Result::Same => Short::new(10).number(number_of).append(ring),
        last::Result::Near(more) if is_shorter(more, len) => Short::new(13)
            .number(number_of)
            .number(twice(more))
            .append(ring),
        _ if bytes.len() <= 8 && filled.is_empty() => Short::new(3)
            .number(number_of)
            .number(len as u64)
            .word(value, len)
            .append(ring),
        _ => {
            event.clear();
            event.push(3);
            number(event, number_of);
            let bytes = match bytes.len() {
                1..=8 => &bytes[..len],
                _ => bytes,
            };
            number(event, bytes.len() as u64);
            event.extend_from_slice(bytes);
            for (address, len) in filled {
                event.extend_from_slice(&address.to_le_bytes());
                number(event, len);
                // SAFETY: an annotated call has just filled it.
                let bytes =
                    unsafe { std::slice::from_raw_parts(address as *const u8, len as usize) };
                event.extend_from_slice(bytes);
            }
            ring.append(event);
        }
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
