//! The threads of a replay: it has one, which does what each of them did, in the order in
//! which they took their turns. Each has a stack for the processor and one for inside
//! variables, and stands where it waits for something from outside.

use std::arch::global_asm;

use reprise_c_events::{area, ask};

use crate::{memory, turn, unwind};

/// A thread that is not running.
#[derive(Clone, Copy)]
struct Thread {
    /// The processor's stack pointer; what else it needs is there.
    processor: u64,
    /// The inside stack pointer.
    inside: u64,
    /// Where it waits for outside functions.
    waits: u64,
}

struct Threads {
    all: [Thread; area::THREADS as usize + 1],
    current: u32,
}

static mut THREADS: Threads = Threads {
    all: [Thread {
        processor: 0,
        inside: 0,
        waits: 0,
    }; area::THREADS as usize + 1],
    current: 1,
};

// `__reprise_switch(kept, stack)` keeps the stack pointer of whoever calls it, and goes on
// where another one has called it.
global_asm!(
    ".type __reprise_switch, @function",
    "__reprise_switch:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    ".size __reprise_switch, . - __reprise_switch",
);

unsafe extern "C" {
    fn __reprise_switch(kept: *mut u64, stack: u64);
}

fn threads() -> *mut Threads {
    &raw mut THREADS
}

/// The number of the thread that runs.
pub(crate) fn current() -> u32 {
    // SAFETY: a replay has one thread.
    unsafe { (*threads()).current }
}

/// It is another thread's turn. Comes back when it is this one's again.
pub(crate) fn switch(to: u32, is_new: bool) {
    let me = current();
    if to == me && !is_new {
        return;
    }
    if to == 0 || to > area::THREADS {
        return;
    }
    // SAFETY: a replay has one thread; both numbers are within the table.
    let (from, next) = unsafe {
        let all = &raw mut (*threads()).all;
        let all = all.cast::<Thread>();
        (all.add(me as usize), all.add(to as usize))
    };
    // SAFETY: as above. A thread that was never here begins on a stack that nobody uses.
    unsafe {
        (*from).inside = memory::stack_pointer();
        (*from).waits = unwind::innermost();
        if is_new || (*next).processor == 0 {
            *next = begin(to);
        }
        (*threads()).current = to;
        memory::set_stack_pointer((*next).inside);
        unwind::set_innermost((*next).waits);
        __reprise_switch(&raw mut (*from).processor, (*next).processor);
    }
}

/// The stacks of a new thread, as if it had called [`__reprise_switch`] at its beginning.
fn begin(number: u32) -> Thread {
    /// What is taken from the stack there, and where it goes on.
    const WORDS: u64 = 8;
    let (_, inside) = match number {
        1 => (area::START, area::START + area::STACK_LEN),
        number => area::thread_stack(number),
    };
    let (_, top) = area::replay_thread_stack(number);
    let processor = top - 64 - WORDS * 8;
    let place = processor as *mut u64;
    // SAFETY: the stack of a thread that does not run.
    unsafe {
        for word in 0..WORDS as usize {
            place.add(word).write(0);
        }
        place.add(6).write((base as *const u8).addr() as u64);
    }
    let waits = 0;
    Thread {
        processor,
        inside,
        waits,
    }
}

/// Where a thread of a replay begins: outside functions call inside ones.
extern "C" fn base() -> ! {
    loop {
        turn::replay_inside(false);
        unwind::wait(ask::NOBODY);
    }
}
