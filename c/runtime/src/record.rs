//! From the program into the spool.

use std::cell::{RefCell, UnsafeCell};
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};
use std::time::Duration;

use reprise_c_events::{BUFFER_LEN, Reason, SAME_MOST, SPOOL};
use reprise_recording::spool::ring::{RingInfo, RingWriter};
use reprise_recording::spool::{StdEnvironment, SubjectSpool};

use crate::{Mode, last, memory, mode, seen, set_mode, turn};

/// What is needed while events are written.
struct Recorder {
    spool: Option<SubjectSpool>,
    ring: Option<RingWriter<StdEnvironment>>,
    /// Somebody is about to write an event: whoever has interrupted that does not.
    busy: bool,
    event: Vec<u8>,
    /// How many there are.
    events: u64,
    /// How many reads since the last have found what was found there before.
    same: u32,
    /// Whose they are.
    process: u32,
    /// How many children were forked.
    children: u32,
}

thread_local! {
    /// Pieces of memory that the call that is on its way back has filled.
    static FILLED: RefCell<Vec<(u64, u64)>> = const { RefCell::new(Vec::new()) };
}

struct Shared(UnsafeCell<Recorder>);

// SAFETY: only the thread whose turn it is writes events.
unsafe impl Sync for Shared {}

static RECORDER: Shared = Shared(UnsafeCell::new(Recorder {
    spool: None,
    ring: None,
    busy: false,
    event: Vec::new(),
    events: 0,
    same: 0,
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

/// The recorder, for one event, and how many reads before it were none. It is this thread's
/// turn.
#[inline]
fn with(act: impl FnOnce(u32, &mut Vec<u8>, &mut RingWriter<StdEnvironment>)) {
    // SAFETY: one thread is inside at a time, and `act` does not come here again.
    let recorder = unsafe { &mut *RECORDER.0.get() };
    if let Some(ring) = recorder.ring.as_mut().filter(|_| !recorder.busy) {
        recorder.busy = true;
        compiler_fence(Ordering::SeqCst);
        act(recorder.same, &mut recorder.event, ring);
        recorder.events += 1;
        recorder.same = 0;
        compiler_fence(Ordering::SeqCst);
        recorder.busy = false;
    }
}

extern "C" fn begin() {
    if !memory::map_area() {
        // The program cannot run without it: inside variables are there.
        eprintln!("reprise: the memory for recorded variables cannot be had");
        std::process::abort();
    }
    crate::plain::begin();
    turn::begin();
    let Some(path) = std::env::var_os(SPOOL) else {
        return;
    };
    // SAFETY: nothing else runs yet. What the program starts has its own recording.
    unsafe { std::env::remove_var(SPOOL) };
    // SAFETY: nothing else runs yet.
    let recorder = unsafe { &mut *RECORDER.0.get() };
    recorder.spool = SubjectSpool::open(path).ok();
    recorder.process = std::process::id();
    recorder.ring = ring(recorder, "main");
    if recorder.ring.is_none() {
        return;
    }
    set_mode(Mode::Record);
    // SAFETY: handlers that take nothing and live as long as the program.
    unsafe { pthread_atfork(Some(forking), Some(parent), Some(child)) };
}

fn ring(recorder: &Recorder, name: &str) -> Option<RingWriter<StdEnvironment>> {
    let info = RingInfo {
        process: recorder.process,
        thread: 1,
        name,
        ..RingInfo::default()
    };
    recorder.spool.as_ref()?.ring(info)
}

unsafe extern "C" {
    pub(crate) fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> i32;
}

/// It became this thread's turn for a fork.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// The most children that are recorded; there is a ring for each.
const CHILDREN: u32 = 6;

/// The program is about to fork: nobody is to be in the midst of something inside, since a
/// child has what was done so far and one thread.
extern "C" fn forking() {
    if mode() == Mode::Record {
        ENTERED.store(turn::enter(), Ordering::Relaxed);
        // SAFETY: it is this thread's turn.
        unsafe { (*RECORDER.0.get()).children += 1 };
    }
}

extern "C" fn parent() {
    if ENTERED.swap(false, Ordering::Relaxed) {
        turn::leave();
    }
}

/// What a child does is recorded behind what its parent did before.
extern "C" fn child() {
    turn::forked();
    if mode() == Mode::Record {
        // SAFETY: a child has one thread.
        let recorder = unsafe { &mut *RECORDER.0.get() };
        // It is the parent's, which goes on using it.
        std::mem::forget(recorder.ring.take());
        let (process, events) = (recorder.process, recorder.events);
        let same = recorder.same;
        recorder.process = std::process::id();
        recorder.events = 0;
        if recorder.children <= CHILDREN {
            recorder.ring = ring(recorder, "child");
        }
        match recorder.ring.is_some() {
            true => {
                simple(7, process, &events.to_le_bytes());
                // A replay is not told of that event: its parent's reads come before the next.
                // SAFETY: a child has one thread.
                unsafe { (*RECORDER.0.get()).same = same };
            }
            false => set_mode(Mode::Off),
        }
    }
    parent();
}

/// The program ends without what the C library does at its end.
#[unsafe(no_mangle)]
extern "C" fn _exit(status: i32) -> ! {
    crate::weigh::end();
    // SAFETY: only a number is read. A child that shares the memory of its parent (`vfork`) is
    // not the one that is recorded.
    let is_mine = unsafe { (*RECORDER.0.get()).process } == std::process::id();
    if mode() == Mode::Record && is_mine {
        end();
    }
    loop {
        // SAFETY: the call by which a process ends; it reads nothing.
        unsafe {
            std::arch::asm!("syscall", in("rax") 231, in("rdi") status,
                lateout("rcx") _, lateout("r11") _);
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn _Exit(status: i32) -> ! {
    _exit(status)
}

extern "C" fn end() {
    /// How long a thread that computes may keep the program from ending.
    const PATIENCE: Duration = Duration::from_millis(100);
    if mode() != Mode::Record {
        return;
    }
    if !turn::try_enter(PATIENCE) {
        set_mode(Mode::Off);
        return;
    }
    with(|_, event, ring| {
        event.clear();
        event.push(4);
        event.extend_from_slice(&memory::sum().to_le_bytes());
        let (start, end) = crate::pool::used();
        event.extend_from_slice(&(end - start).to_le_bytes());
        ring.append(event);
    });
    set_mode(Mode::Off);
    // SAFETY: it is this thread's turn.
    unsafe { (*RECORDER.0.get()).ring = None };
    turn::leave();
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// An event that is a number and bytes.
pub(crate) fn simple(tag: u8, site: u32, bytes: &[u8]) {
    with(|same, event, ring| {
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
    with(|_, event, ring| {
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
    // One byte, two numbers of at most five, and the value.
    const LEN: usize = 19;
    with(|same, _, ring| {
        let mut event = [0; LEN];
        event[0] = if same > 0 { 9 } else { 2 };
        let mut at = 1;
        for number in [site, same].into_iter().take(1 + usize::from(same > 0)) {
            let mut rest = number;
            while rest >= 0x80 {
                event[at] = rest as u8 | 0x80;
                rest >>= 7;
                at += 1;
            }
            event[at] = rest as u8;
            at += 1;
        }
        event[at..at + 8].copy_from_slice(&value.to_le_bytes());
        ring.append(&event[..at + significant(value)]);
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
    // SAFETY: the program is about to read it, and it is this thread's turn.
    let (value, same) = unsafe {
        let same = &mut (*RECORDER.0.get()).same;
        (seen::load(address, len), same)
    };
    // Every so often it is an event all the same, so that there is an end to it.
    let is_same = place.has(value) && *same < SAME_MOST;
    *same += u32::from(is_same);
    is_same.then(|| place.value())
}

/// Something was computed about what is outside.
pub(crate) fn computed(site: u32, value: u64) {
    let (key, place) = seen::place_of(site);
    // SAFETY: it is this thread's turn.
    let same = unsafe { &mut (*RECORDER.0.get()).same };
    if place.is(key, 8) && place.has(value) && *same < SAME_MOST {
        *same += 1;
    } else {
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

/// A call is back.
pub(crate) fn result(site: u32, bytes: &[u8]) {
    let filled = FILLED.try_with(RefCell::take).unwrap_or_default();
    let is_same = last::result(site, bytes) && filled.is_empty();
    with(|_, event, ring| {
        event.clear();
        event.push(if is_same { 10 } else { 3 });
        number(event, u64::from(site));
        if !is_same {
            let bytes = match bytes.len() {
                1..=8 => &bytes[..significant(last::word(bytes)).max(1)],
                _ => bytes,
            };
            number(event, bytes.len() as u64);
            event.extend_from_slice(bytes);
        }
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
