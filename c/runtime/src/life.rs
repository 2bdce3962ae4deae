//! The recording of a process: where it begins, what becomes of it in children, and where it ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reprise_c_events::SPOOL;
use reprise_recording::spool::ring::{RingInfo, RingWriter};
use reprise_recording::spool::{StdEnvironment, SubjectSpool};

use crate::record::{RECORDER, Recorder, simple, with};
use crate::{Mode, counted, memory, mode, set_mode, turn};

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
    if !counts(recorder) {
        return;
    }
    set_mode(Mode::Record);
    // SAFETY: handlers that take nothing and live as long as the program.
    unsafe { pthread_atfork(Some(forking), Some(parent), Some(child)) };
}

/// What is no event is counted in the ring that there is; false if there is none.
fn counts(recorder: &Recorder) -> bool {
    let word = recorder.ring.as_ref().map(RingWriter::last_word);
    // SAFETY: the spool stays mapped for as long as the program runs.
    let word = word.map(|word| unsafe { &*word });
    counted::counts_at(word);
    word.is_some()
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
        let (same, results) = counted::now();
        counted::set(0, false);
        recorder.process = std::process::id();
        recorder.events = 0;
        if recorder.children <= CHILDREN {
            recorder.ring = ring(recorder, "child");
        }
        match counts(recorder) {
            true => {
                simple(7, process, &events.to_le_bytes());
                // A replay is not told of that event: its parent's reads come before the next.
                counted::set(same, results);
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
    with(false, |_, event, ring| {
        event.clear();
        event.push(4);
        event.extend_from_slice(&memory::sum().to_le_bytes());
        let (start, end) = crate::pool::used();
        event.extend_from_slice(&(end - start).to_le_bytes());
        ring.append(event);
    });
    set_mode(Mode::Off);
    counted::counts_at(None);
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
