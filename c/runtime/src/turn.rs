//! Whose turn it is: one thread is inside at a time, and every thread has an inside stack
//! of its own.
//!
//! A thread takes its turn when it comes inside or back from an outside function, and gives
//! it up when it leaves: whoever waits for something waits outside. So inside code needs no
//! other protection, and neither do the heap, the stack pointer and the recording. That
//! another thread has taken its turn is an event, so a replay does it in the same order.
//!
//! Inside code that computes at length, or waits for another thread in a loop, lets others
//! in between: at the beginning of a loop, after so many of them that it is the same one
//! in a replay (`step`).
//!
//! In a replay there is one thread, and nothing of this is needed: there is no C library
//! either, so that what belongs to a thread cannot be asked for. See `threads.rs`.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use reprise_c_events::area;
use rustix::thread::futex;

use crate::mine::{self, Mine, mine};
use crate::{Mode, ctype, memory, mode, numbers, record, signals, threads};

/// The number of the thread whose turn it is; 0 if it is nobody's.
#[unsafe(link_section = ".data.reprise_often")]
static TURN: AtomicU32 = AtomicU32::new(0);

/// In [`TURN`]: somebody else waits.
pub(crate) const AWAITED: u32 = 1 << 31;

/// Whose events are the last in the recording.
#[unsafe(link_section = ".data.reprise_often")]
static LAST: AtomicU32 = AtomicU32::new(1);

/// Nobody was inside yet.
static UNTOUCHED: AtomicBool = AtomicBool::new(true);

/// Inside code is running, in a replay.
static REPLAYED_INSIDE: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn dlsym(library: *const u8, name: *const std::ffi::c_char) -> *mut u8;
}

/// Where the C library says whether there is one thread; nowhere if it does not.
#[unsafe(link_section = ".data.reprise_often")]
static ALONE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// Whether there is no other thread: then nobody has to be kept away, which takes a processor
/// longer than all else that a crossing does.
#[inline]
fn is_alone() -> bool {
    let alone = ALONE.load(Ordering::Relaxed);
    // SAFETY: a byte of the C library's, which only a thread that starts another one changes.
    !alone.is_null() && unsafe { alone.read_volatile() } != 0
}

/// Nothing else runs yet.
pub(crate) fn begin() {
    // SAFETY: a name with its end; the library stays.
    let alone = unsafe { dlsym(std::ptr::null(), c"__libc_single_threaded".as_ptr()) };
    ALONE.store(alone, Ordering::Relaxed);
    mine::begin();
    numbers::begin();
}

/// A thread ends: what it does from here on, in the last moments of its life, is done by somebody
/// else.
pub(crate) fn ended() {
    mine(|mine| {
        mine.number.set(0);
        mine.stack.set(0);
        mine.depth.set(0);
    });
}

/// Whether this thread runs inside code.
pub(crate) fn is_inside() -> bool {
    match mode() {
        Mode::Replay => REPLAYED_INSIDE.load(Ordering::Relaxed),
        _ => mine(|mine| mine.inside.get()),
    }
}

/// The number of this thread.
pub(crate) fn number() -> u32 {
    match mode() {
        Mode::Replay => threads::current(),
        _ => mine(|mine| mine.number.get()),
    }
}

/// A handler of signals begins, or ends.
pub(crate) fn handles(begins: bool) {
    mine(|mine| {
        let now = mine.handlers.get();
        mine.handlers.set(match begins {
            // Once one has interrupted the inside, so has all that comes upon it.
            true if now > 0 || mine.inside.get() || has_turn(mine) => now + 1,
            true => 0,
            false => now.saturating_sub(1),
        });
    });
}

/// Whether a handler of signals runs that has interrupted the inside.
pub(crate) fn is_interrupted() -> bool {
    mine(|mine| mine.handlers.get() > 0)
}

/// Whether this thread is where no handler may come inside.
pub(crate) fn cannot_be_interrupted() -> bool {
    mine(|mine| mine.inside.get() || has_turn(mine) || mine.returns.get())
}

/// It is on its way back from an outside function, up to [`back`].
pub(crate) fn returns() {
    mine(|mine| mine.returns.set(true));
}

/// Signals have to wait.
pub(crate) fn put_off(signals: u64) {
    mine(|mine| mine.put_off.set(mine.put_off.get() | signals));
}

/// Which do.
pub(crate) fn has_put_off() -> u64 {
    mine(|mine| mine.put_off.get())
}

/// Which do, and do not any more. A child of `fork` has the word of its parent, and nothing
/// that waits: then nothing comes.
pub(crate) fn take_put_off() -> u64 {
    mine(|mine| mine.put_off.replace(0))
}

/// How many of its calls from inside to outside are on their way.
pub(crate) fn depth() -> u32 {
    match mode() {
        Mode::Replay => 0,
        _ => mine(|mine| mine.depth.get()),
    }
}

/// The same after a jump.
pub(crate) fn set_depth(depth: u32) {
    mine(|mine| mine.depth.set(depth));
}

/// The number of this thread, its depth and its inside stack pointer, while it is outside.
pub(crate) fn outside() -> (u32, u32, u64) {
    mine(|mine| {
        if mine.number.get() == 0 {
            mine.number.set(numbers::new());
        }
        let (number, stack) = (mine.number.get(), mine.stack.get());
        let stack = match stack {
            0 if number == 1 => area::START + area::STACK_LEN,
            0 if number <= area::THREADS => area::thread_stack(number).1,
            stack => stack,
        };
        (number, mine.depth.get(), stack)
    })
}

/// A replay goes inside, or leaves it.
pub(crate) fn replay_inside(inside: bool) {
    if inside {
        ctype::crossed();
    }
    REPLAYED_INSIDE.store(inside, Ordering::Relaxed);
}

/// This thread goes inside. False if it is there already: then it need not leave.
pub(crate) fn enter() -> bool {
    if mode() == Mode::Replay {
        return !REPLAYED_INSIDE.swap(true, Ordering::Relaxed);
    }
    // A signal may have come between the turn and the word that it was taken.
    mine(|mine| {
        let is_new = !mine.inside.get() && !has_turn(mine);
        if is_new && !take_again(mine) {
            take(None);
        }
        is_new
    })
}

/// The same, if it does not take too long.
pub(crate) fn try_enter(patience: Duration) -> bool {
    let is_there = mine(|mine| mine.inside.get() || has_turn(mine));
    is_there || take(Some(Instant::now() + patience))
}

/// It leaves.
pub(crate) fn leave() {
    match mode() {
        Mode::Replay => replay_inside(false),
        _ => {
            give();
            signals::safe_point();
        }
    }
}

/// It leaves for an outside function, if no signal waits for that: what to give to [`back`].
#[inline]
pub(crate) fn out_quickly() -> Option<u32> {
    let mine = mine::quickly()?;
    let depth = mine.depth.get();
    let is_usual = mine.put_off.get() == 0 && is_alone();
    if is_usual {
        mine.depth.set(depth.wrapping_add(1));
        mine.stack.set(memory::stack_pointer());
        mine.inside.set(false);
        // Nobody waits.
        TURN.store(0, Ordering::Relaxed);
    }
    is_usual.then_some(depth)
}

/// It leaves for an outside function; what to give to [`back`].
pub(crate) fn out() -> u32 {
    let depth = mine(|mine| {
        let depth = mine.depth.get();
        mine.depth.set(depth.wrapping_add(1));
        depth
    });
    give();
    signals::safe_point();
    depth
}

/// It is back, if all is as it mostly is: it is the innermost of those that were on their way, it has
/// filled nothing, and nobody else was inside. False if not, and then nothing has happened.
#[inline]
pub(crate) fn back_again(depth: u32) -> bool {
    let Some(mine) = mine::quickly() else {
        return false;
    };
    let is_next = mine.depth.get() == depth.wrapping_add(1);
    let is_usual = is_next && !mine.returns.get() && take_again(mine);
    if is_usual {
        mine.depth.set(depth);
    }
    is_usual
}

/// It is back: whether it is the innermost of those that were on their way, and whether it has
/// filled memory.
pub(crate) fn back(depth: u32) -> (bool, bool) {
    take(None);
    mine(|mine| {
        let is_next = mine.depth.replace(depth) == depth.wrapping_add(1);
        (is_next, mine.returns.replace(false))
    })
}

/// Whether another thread waits for its turn.
pub(crate) fn is_awaited() -> bool {
    TURN.load(Ordering::Relaxed) & AWAITED != 0
}

/// Lets another thread have its turn, in the midst of inside code.
pub(crate) fn let_others() {
    /// How long they have to come.
    const PATIENCE: Duration = Duration::from_millis(2);
    give();
    let started = Instant::now();
    while TURN.load(Ordering::Relaxed) == 0 && started.elapsed() < PATIENCE {
        rustix::thread::sched_yield();
    }
    // A replay waits here until it is told that it is this thread's turn.
    LAST.store(0, Ordering::Relaxed);
    take(None);
}

fn has_turn(mine: &Mine) -> bool {
    let number = mine.number.get();
    number != 0 && TURN.load(Ordering::Relaxed) & !AWAITED == number
}

/// Takes the turn, if this is the only thread, which had it the last time, too: that is the rule.
#[inline]
fn take_again(mine: &Mine) -> bool {
    let (number, stack) = (mine.number.get(), mine.stack.get());
    let is_usual = is_alone()
        && TURN.load(Ordering::Relaxed) == 0
        && LAST.load(Ordering::Relaxed) == number
        && stack != 0;
    if is_usual {
        TURN.store(number, Ordering::Relaxed);
        mine.inside.set(true);
        ctype::crossed();
        memory::set_stack_pointer(stack);
    }
    is_usual
}

/// Takes the turn; false if that was not possible in time.
#[inline(never)]
fn take(until: Option<Instant>) -> bool {
    mine(|mine| {
        if mine.number.get() == 0 {
            mine.number.set(numbers::new());
        }
        let number = mine.number.get();
        let is_free = match is_alone() {
            true => {
                let is_free = TURN.load(Ordering::Relaxed) == 0;
                if is_free {
                    TURN.store(number, Ordering::Relaxed);
                }
                is_free
            }
            false => {
                let free = TURN.compare_exchange(0, number, Ordering::Acquire, Ordering::Relaxed);
                free.is_ok()
            }
        };
        if !is_free && !wait(number, until) {
            return false;
        }
        mine.inside.set(true);
        ctype::crossed();
        let mut is_new = mine.stack.get() == 0;
        if is_new {
            mine.stack.set(numbers::stack(number));
            // A replay begins with the first.
            is_new = !UNTOUCHED.swap(false, Ordering::Relaxed) || number != 1;
        }
        memory::set_stack_pointer(mine.stack.get());
        // Only whose turn it is changes it.
        let is_other = LAST.load(Ordering::Relaxed) != number;
        if is_other {
            LAST.store(number, Ordering::Relaxed);
        }
        if mode() == Mode::Record && (is_other || is_new) {
            record::simple(6, number << 1 | u32::from(is_new), &[]);
        }
        true
    })
}

fn wait(number: u32, until: Option<Instant>) -> bool {
    /// How often somebody who does not wait for ever looks.
    const MOMENT: futex::Timespec = futex::Timespec {
        tv_sec: 0,
        tv_nsec: 5_000_000,
    };
    loop {
        // From here on there may be others that wait.
        match TURN.compare_exchange(0, number | AWAITED, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(whose) if whose & AWAITED == 0 => {
                let awaited = whose | AWAITED;
                let _ = TURN.compare_exchange(whose, awaited, Ordering::Relaxed, Ordering::Relaxed);
            }
            Err(_) if until.is_some_and(|until| Instant::now() > until) => return false,
            Err(whose) => {
                let moment = until.map(|_| MOMENT);
                let _ = futex::wait(&TURN, futex::Flags::PRIVATE, whose, moment.as_ref());
            }
        }
    }
}

fn give() {
    mine(|mine| {
        mine.stack.set(memory::stack_pointer());
        mine.inside.set(false);
    });
    if is_alone() {
        // Nobody waits.
        TURN.store(0, Ordering::Relaxed);
    } else if TURN.swap(0, Ordering::Release) & AWAITED != 0 {
        wake();
    }
}

#[cold]
#[inline(never)]
fn wake() {
    let _ = futex::wake(&TURN, futex::Flags::PRIVATE, 1);
}

/// A child that was forked has one thread: it is nobody's turn but its own.
pub(crate) fn forked() {
    let mine = match is_inside() {
        true => number(),
        false => 0,
    };
    TURN.store(mine, Ordering::Relaxed);
}
