//! How far a jump to an outside function goes. In a run: what was on its way where an outside
//! function has marked a place. In a replay, where outside functions are not: inside functions
//! stand where they wait for outside ones, and a jump goes back to one of these places.

use std::arch::global_asm;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::{memory, replay, turn};

/// A place that an outside function has marked.
struct Mark {
    buffer: u64,
    thread: u32,
    /// How many calls from inside to outside were on their way.
    depth: u32,
    /// The inside stack pointer.
    stack: u64,
}

static MARKS: Mutex<Vec<Mark>> = Mutex::new(Vec::new());

/// The marks; nothing if they cannot be had, since this is a handler of signals that has
/// interrupted somebody here.
fn marks() -> Option<MutexGuard<'static, Vec<Mark>>> {
    const PATIENCE: u32 = 10_000;
    (0..PATIENCE).find_map(|_| {
        let marks = MARKS.try_lock().ok();
        if marks.is_none() {
            rustix::thread::sched_yield();
        }
        marks
    })
}

/// An outside function marks a place.
pub(crate) fn mark(buffer: *const u64) {
    if turn::is_inside() {
        return;
    }
    let (thread, depth, stack) = turn::outside();
    let buffer = buffer.addr() as u64;
    let Some(mut marks) = marks() else { return };
    // Those deeper than this were left; the same buffer has one meaning.
    marks.retain(|one| one.buffer != buffer && (one.thread != thread || one.depth <= depth));
    marks.push(Mark {
        buffer,
        thread,
        depth,
        stack,
    });
}

/// How many calls were on their way where a place was marked by this thread, and the inside
/// stack pointer there.
pub(crate) fn marked(buffer: *const u64) -> Option<(u32, u64)> {
    let (thread, buffer) = (turn::number(), buffer.addr() as u64);
    let marks = marks()?;
    let mut all = marks.iter();
    let one = all.find(|one| one.buffer == buffer && one.thread == thread)?;
    Some((one.depth, one.stack))
}

/// A place where an inside function waits for an outside one, in a replay; on the stack of
/// the processor.
#[repr(C)]
struct Wait {
    /// The site of the call.
    site: u64,
    /// The next one outwards.
    outer: u64,
    /// The inside stack pointer.
    stack: u64,
    /// How many there are further out.
    depth: u64,
}

/// The innermost of the thread that runs.
static INNERMOST: AtomicU64 = AtomicU64::new(0);

// `__reprise_wait(site)` comes back when the outside function does; `__reprise_wait_again`
// goes to one of these places and waits there again.
global_asm!(
    ".type __reprise_wait, @function",
    "__reprise_wait:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 40",
    "mov [rsp], rdi",
    "2:",
    "mov rdi, rsp",
    "call {waits}",
    "add rsp, 40",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    ".type __reprise_wait_again, @function",
    "__reprise_wait_again:",
    "mov rsp, rdi",
    "jmp 2b",
    ".size __reprise_wait, . - __reprise_wait",
    waits = sym waits,
);

unsafe extern "C" {
    fn __reprise_wait(site: u64);
    fn __reprise_wait_again(place: u64) -> !;
}

extern "C" fn waits(place: *mut Wait) {
    let outer = innermost();
    // SAFETY: the place is on the stack of whoever waits, who is further out than all that
    // follows.
    unsafe {
        (*place).outer = outer;
        (*place).stack = memory::stack_pointer();
        (*place).depth = match outer {
            0 => 0,
            outer => (*(outer as *const Wait)).depth + 1,
        };
        set_innermost(place.addr() as u64);
        replay::wait_for((*place).site);
        set_innermost((*place).outer);
    }
}

/// In a replay: waits for an outside function.
pub(crate) fn wait(site: u64) {
    // SAFETY: it comes back as a function does, once.
    unsafe { __reprise_wait(site) }
}

pub(crate) fn innermost() -> u64 {
    INNERMOST.load(Ordering::Relaxed)
}

/// After a jump, or where another thread goes on.
pub(crate) fn set_innermost(place: u64) {
    INNERMOST.store(place, Ordering::Relaxed);
}

/// In a replay: goes back to where so many calls were on their way. Comes back if there is no
/// such place.
pub(crate) fn to(depth: u64) {
    let mut place = innermost();
    while place != 0 {
        // SAFETY: places are on the stack of the thread that runs, from the innermost on.
        let one = unsafe { &*(place as *const Wait) };
        if one.depth == depth {
            set_innermost(one.outer);
            memory::set_stack_pointer(one.stack);
            // SAFETY: who waits there has not come back.
            unsafe { __reprise_wait_again(place) }
        }
        place = one.outer;
    }
}
