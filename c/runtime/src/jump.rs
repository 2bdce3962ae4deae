//! Jumps between functions: `setjmp` and `longjmp`, for inside functions.
//!
//! What the C library keeps of the processor is different in each run, so it must not get
//! into inside memory. Here it is in a table that is no part of it, and the program's
//! buffer holds a number in that table: the same in a replay, where the table has what the
//! replay's processor had at the same place. A program may copy its buffer.
//!
//! | who jumps, whereto | what is written down |
//! | --- | --- |
//! | inside, to an inside function | nothing: the replay does the same |
//! | outside, to an inside function | that it was done: inside functions and outside ones are left |
//! | inside, to an outside function | a value: how many calls from inside to outside are left |
//! | outside, over inside functions | the same, as a jump |
//! | a signal handler that has interrupted the inside | the recording ends |
//!
//! Outside functions among each other use the C library's functions. Where they have marked a
//! place is known by the address of the buffer; one that was copied ends the recording.

use std::arch::global_asm;

use reprise_c_events::{LEFT, Reason, ask};

use crate::cross::logged;
use crate::memory::{self, is_inside, is_owned};
use crate::{Mode, mode, record, replay, turn, unwind};

/// How many places can be marked at once.
const MOST: usize = 4096;

/// What a buffer holds, beside the number of a mark.
const TOKEN: u64 = 0x7265_7072_6973_0000;

/// A place to jump to.
#[repr(C)]
#[derive(Clone, Copy)]
struct Mark {
    /// rbx, rbp, r12 to r15, rsp, and where to go on.
    registers: [u64; 8],
    /// The program's buffer; 0 if nobody uses this mark.
    buffer: u64,
    /// The inside stack pointer.
    stack: u64,
    /// Whose mark it is.
    thread: u32,
    /// How many calls from inside to outside were on their way.
    depth: u32,
    /// In a replay: the innermost of those calls.
    wait: u64,
    /// The signal mask was wanted, too.
    masks: bool,
    mask: [u64; 16],
}

const UNUSED: Mark = Mark {
    registers: [0; 8],
    buffer: 0,
    stack: 0,
    thread: 0,
    depth: 0,
    wait: 0,
    masks: false,
    mask: [0; 16],
};

struct Marks {
    all: [Mark; MOST],
    /// How many of them were ever used.
    known: usize,
}

static mut MARKS: Marks = Marks {
    all: [UNUSED; MOST],
    known: 0,
};

/// The marks. Whoever is inside, or has just come there, has them for itself.
fn marks() -> &'static mut Marks {
    let marks = &raw mut MARKS;
    // SAFETY: one thread is inside at a time, and no caller keeps them.
    unsafe { &mut *marks }
}

// `__reprise_setjmp(buffer, masks)` returns 0, and again with what `__reprise_leap` is
// given. It keeps what a function has to leave as it was, and where its caller goes on.
global_asm!(
    ".globl __reprise_setjmp",
    ".type __reprise_setjmp, @function",
    "__reprise_setjmp:",
    "sub rsp, 8",
    "call {mark}",
    "add rsp, 8",
    "mov [rax], rbx",
    "mov [rax + 8], rbp",
    "mov [rax + 16], r12",
    "mov [rax + 24], r13",
    "mov [rax + 32], r14",
    "mov [rax + 40], r15",
    "lea rdx, [rsp + 8]",
    "mov [rax + 48], rdx",
    "mov rdx, [rsp]",
    "mov [rax + 56], rdx",
    "xor eax, eax",
    "ret",
    ".size __reprise_setjmp, . - __reprise_setjmp",
    ".type __reprise_leap, @function",
    "__reprise_leap:",
    "mov eax, esi",
    "mov rbx, [rdi]",
    "mov rbp, [rdi + 8]",
    "mov r12, [rdi + 16]",
    "mov r13, [rdi + 24]",
    "mov r14, [rdi + 32]",
    "mov r15, [rdi + 40]",
    "mov rsp, [rdi + 48]",
    "jmp [rdi + 56]",
    ".size __reprise_leap, . - __reprise_leap",
    mark = sym mark,
);

unsafe extern "C" {
    fn __reprise_leap(registers: *const u64, value: i32) -> !;
    fn longjmp(buffer: *const u64, value: i32) -> !;
    fn pthread_sigmask(how: i32, new: *const u64, old: *mut u64) -> i32;
}

/// How a signal mask is set.
const SET: i32 = 2;

/// Where to keep the registers of a function that marks a place.
extern "C" fn mark(buffer: *mut u64, masks: i32) -> *mut u64 {
    let (stack, thread) = (memory::stack_pointer(), turn::number());
    let address = buffer.addr() as u64;
    let marks = marks();
    let (mut same, mut free) = (None, None);
    for (index, one) in marks.all.iter_mut().take(marks.known).enumerate() {
        // The function that has marked it has returned since.
        if one.thread == thread && one.stack < stack {
            one.buffer = 0;
        }
        match one.buffer {
            0 => free = free.or(Some(index)),
            used if used == address && one.thread == thread => same = Some(index),
            _ => {}
        }
    }
    let index = same.or(free).unwrap_or(marks.known);
    let Some(one) = marks.all.get_mut(index) else {
        full();
    };
    marks.known = marks.known.max(index + 1);
    *one = Mark {
        buffer: address,
        stack,
        thread,
        depth: turn::depth(),
        wait: unwind::innermost(),
        masks: masks != 0,
        ..UNUSED
    };
    if mode() != Mode::Replay {
        if masks != 0 {
            // SAFETY: there is room for a mask; nothing is set.
            unsafe { pthread_sigmask(SET, std::ptr::null(), one.mask.as_mut_ptr()) };
            // What waits for a crossing is blocked by nobody.
            one.mask[0] &= !turn::has_put_off();
        }
        // SAFETY: the program gives its buffer to be written to.
        unsafe { buffer.write(TOKEN | index as u64) };
    } else if is_owned(address) {
        // SAFETY: the same, in inside memory.
        unsafe { buffer.write(TOKEN | index as u64) };
    }
    one.registers.as_mut_ptr()
}

#[cold]
fn full() -> ! {
    if mode() == Mode::Replay {
        give_in();
    }
    eprintln!("reprise: more than {MOST} places are marked by setjmp at once");
    std::process::abort();
}

/// In a replay: there is nothing more to do.
fn give_in() -> ! {
    loop {
        replay::wait_for(ask::NOBODY);
    }
}

/// The number of the mark that a buffer's content means.
fn number(word: u64) -> Option<usize> {
    let index = (word ^ TOKEN) as usize;
    let one = marks().all.get(index)?;
    (one.buffer != 0).then_some(index)
}

/// Goes to a mark.
pub(crate) fn leap(index: usize, value: i32) -> ! {
    let Some(one) = marks().all.get(index) else {
        give_in();
    };
    memory::set_stack_pointer(one.stack);
    if mode() == Mode::Replay {
        unwind::set_innermost(one.wait);
    } else {
        turn::set_depth(one.depth);
        if one.masks {
            // SAFETY: the mask was kept when the place was marked.
            unsafe { pthread_sigmask(SET, one.mask.as_ptr(), std::ptr::null_mut()) };
        }
    }
    let value = if value == 0 { 1 } else { value };
    // SAFETY: the function that has marked the place has not returned, or the program
    // does what nobody knows.
    unsafe { __reprise_leap(one.registers.as_ptr(), value) }
}

/// An inside function jumps.
#[unsafe(no_mangle)]
extern "C" fn __reprise_jump(buffer: *const u64, value: i32, site: u32) -> ! {
    // SAFETY: the program is about to read it.
    let content = || unsafe { buffer.read() };
    let word = match is_inside(buffer.addr() as u64) {
        true => content(),
        false => logged(site, content),
    };
    if let Some(index) = number(word) {
        leap(index, value);
    }
    let marked = match mode() {
        Mode::Replay => None,
        _ => unwind::marked(buffer),
    };
    let depth = logged(site, || {
        marked.map_or(u64::MAX, |(depth, _)| u64::from(depth))
    });
    if mode() == Mode::Replay {
        unwind::to(depth);
        give_in();
    }
    match marked {
        Some((depth, stack)) => {
            turn::set_depth(depth);
            memory::set_stack_pointer(stack);
        }
        None => record::give_up(Reason::Jump, Some(site)),
    }
    turn::leave();
    // SAFETY: it is what the program does here.
    unsafe { longjmp(buffer, value) }
}

/// `setjmp` has returned in an outside function. If that was a jump of a signal handler that
/// had interrupted the inside, a replay would not know where, and the recording ends here.
#[unsafe(no_mangle)]
extern "C" fn __reprise_jumped(buffer: *const u64, result: i32) {
    if result == 0 {
        unwind::mark(buffer);
    } else if turn::is_inside() {
        record::give_up(Reason::Jump, None);
        turn::leave();
    }
}

/// An outside function jumps.
#[unsafe(no_mangle)]
extern "C" fn __reprise_longjmp(buffer: *const u64, value: i32) -> ! {
    // SAFETY: the program is about to read it.
    let word = unsafe { buffer.read() };
    let Some(index) = number(word) else {
        over(buffer, value);
        // SAFETY: it is what the program does here.
        unsafe { longjmp(buffer, value) }
    };
    let was_outside = turn::enter();
    if mode() == Mode::Record {
        if was_outside {
            record::simple(5, index as u32, &value.to_le_bytes());
        } else {
            // It is a signal handler's, and nobody knows when.
            record::give_up(Reason::Jump, None);
        }
    }
    leap(index, value)
}

/// An outside function jumps to another one, over inside functions if there are any between.
fn over(buffer: *const u64, value: i32) {
    let (_, here, _) = turn::outside();
    let Some((depth, stack)) = unwind::marked(buffer).filter(|(depth, _)| *depth < here) else {
        return;
    };
    if turn::enter() {
        if mode() == Mode::Record {
            record::simple(5, LEFT | depth, &value.to_le_bytes());
        }
        turn::set_depth(depth);
        memory::set_stack_pointer(stack);
        turn::leave();
    }
}
