//! Whose turn it is: one thread is inside at a time, and every thread has an inside stack
//! of its own.
//!
//! A thread takes its turn when it comes inside or back from an outside function, and gives
//! it up when it leaves: whoever waits for something waits outside. So inside code needs no
//! other protection, and neither do the heap and the stack pointer that it uses. The
//! recording is the first thread's; when another one takes a turn, it ends. Its stack may
//! then be anywhere.
//!
//! In a replay there is one thread, and nothing of this is needed: there is no C library
//! either, so that what belongs to a thread cannot be asked for.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use reprise_c_events::area;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::thread::futex;

use crate::{Mode, memory, mode, record};

/// The number of the thread whose turn it is; 0 if it is nobody's.
static TURN: AtomicU32 = AtomicU32::new(0);

/// In [`TURN`]: somebody else waits.
const AWAITED: u32 = 1 << 31;

/// The last number that was given to a thread.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// Inside code is running, in a replay.
static REPLAYED_INSIDE: AtomicBool = AtomicBool::new(false);

/// What belongs to a thread.
struct Mine {
    /// Its number, from 1; 0 before it has one.
    number: Cell<u32>,
    /// It runs inside code.
    inside: Cell<bool>,
    /// How many of its calls from inside to outside are on their way.
    depth: Cell<u32>,
    /// Its inside stack pointer while it is not its turn; 0 before it has one.
    stack: Cell<u64>,
}

thread_local! {
    static MINE: Mine = const {
        Mine {
            number: Cell::new(0),
            inside: Cell::new(false),
            depth: Cell::new(0),
            stack: Cell::new(0),
        }
    };
    /// The memory of its stack, given back when the thread ends.
    static STACK: Cell<Option<Stack>> = const { Cell::new(None) };
}

/// The inside stack of a thread that is not the first.
struct Stack(*mut std::ffi::c_void);

const STACK_LEN: usize = area::STACK_LEN as usize;

impl Stack {
    fn new() -> Option<Self> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let all = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: new memory, at a place that nobody uses.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), STACK_LEN, all, flags) };
        start.ok().map(Self)
    }

    fn top(&self) -> u64 {
        (self.0.addr() + STACK_LEN) as u64
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // What the thread does from here on, in the last moments of its life, has another.
        MINE.with(|mine| mine.stack.set(0));
        // SAFETY: it was made above, and nobody has a pointer into it any more.
        let _ = unsafe { munmap(self.0, STACK_LEN) };
    }
}

/// Whether this thread runs inside code.
pub(crate) fn is_inside() -> bool {
    match mode() {
        Mode::Replay => REPLAYED_INSIDE.load(Ordering::Relaxed),
        _ => MINE.with(|mine| mine.inside.get()),
    }
}

/// The number of this thread.
pub(crate) fn number() -> u32 {
    match mode() {
        Mode::Replay => 1,
        _ => MINE.with(|mine| mine.number.get()),
    }
}

/// How many of its calls from inside to outside are on their way.
pub(crate) fn depth() -> u32 {
    match mode() {
        Mode::Replay => 0,
        _ => MINE.with(|mine| mine.depth.get()),
    }
}

/// The same after a jump.
pub(crate) fn set_depth(depth: u32) {
    MINE.with(|mine| mine.depth.set(depth));
}

/// A replay goes inside, or leaves it.
pub(crate) fn replay_inside(inside: bool) {
    REPLAYED_INSIDE.store(inside, Ordering::Relaxed);
}

/// This thread goes inside. False if it is there already: then it need not leave.
pub(crate) fn enter() -> bool {
    if mode() == Mode::Replay {
        return !REPLAYED_INSIDE.swap(true, Ordering::Relaxed);
    }
    // A signal may have come between the turn and the word that it was taken.
    let is_new = MINE.with(|mine| !mine.inside.get() && !has_turn(mine));
    if is_new {
        take();
    }
    is_new
}

/// It leaves.
pub(crate) fn leave() {
    match mode() {
        Mode::Replay => replay_inside(false),
        _ => give(),
    }
}

/// It leaves for an outside function; what to give to [`back`].
pub(crate) fn out() -> u32 {
    let depth = MINE.with(|mine| {
        let depth = mine.depth.get();
        mine.depth.set(depth.wrapping_add(1));
        depth
    });
    give();
    depth
}

/// It is back. False if it has come over others that are not.
pub(crate) fn back(depth: u32) -> bool {
    take();
    MINE.with(|mine| mine.depth.replace(depth) == depth.wrapping_add(1))
}

fn has_turn(mine: &Mine) -> bool {
    let number = mine.number.get();
    number != 0 && TURN.load(Ordering::Relaxed) & !AWAITED == number
}

fn take() {
    MINE.with(|mine| {
        if mine.number.get() == 0 {
            let number = THREADS.fetch_add(1, Ordering::Relaxed) + 1;
            mine.number.set(number & !AWAITED);
        }
        let number = mine.number.get();
        let free = TURN.compare_exchange(0, number, Ordering::Acquire, Ordering::Relaxed);
        if free.is_err() {
            wait(number);
        }
        mine.inside.set(true);
        if mine.stack.get() == 0 {
            mine.stack.set(new_stack());
        }
        memory::set_stack_pointer(mine.stack.get());
    });
}

fn wait(number: u32) {
    loop {
        // From here on there may be others that wait.
        match TURN.compare_exchange(0, number | AWAITED, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return,
            Err(whose) if whose & AWAITED == 0 => {
                let awaited = whose | AWAITED;
                let _ = TURN.compare_exchange(whose, awaited, Ordering::Relaxed, Ordering::Relaxed);
            }
            Err(whose) => {
                let _ = futex::wait(&TURN, futex::Flags::PRIVATE, whose, None);
            }
        }
    }
}

fn give() {
    MINE.with(|mine| {
        mine.stack.set(memory::stack_pointer());
        mine.inside.set(false);
    });
    if TURN.swap(0, Ordering::Release) & AWAITED != 0 {
        let _ = futex::wake(&TURN, futex::Flags::PRIVATE, 1);
    }
}

/// The stack of a thread that comes inside for the first time. The first of all has the
/// one that is recorded.
fn new_stack() -> u64 {
    static FIRST: AtomicBool = AtomicBool::new(true);
    if FIRST.swap(false, Ordering::Relaxed) {
        return memory::stack_pointer();
    }
    record::give_up();
    let Some(stack) = Stack::new() else {
        eprintln!("reprise: the memory for variables of a thread cannot be had");
        std::process::abort();
    };
    let top = stack.top();
    // Where a thread is ending already, it stays.
    let _ = STACK.try_with(|mine| mine.set(Some(stack)));
    top
}

/// A child that was forked has one thread: it is nobody's turn but its own.
pub(crate) fn forked() {
    if !is_inside() {
        TURN.store(0, Ordering::Relaxed);
    }
}
