//! The inside alone: it asks for everything else.
//!
//! A replay begins in [`__reprise_replay`], with the program's memory as the file
//! has it, on a stack of the player's. The question is a system call that there is
//! not, in one place; the player writes what comes from outside to the buffer, or to
//! where it was filled in, and its result says what is next.

use std::arch::global_asm;
use std::sync::atomic::Ordering;

use reprise_c_events::{BUFFER_LEN, QUESTION, answer, ask as what};

use crate::{INSIDE, Mode, memory, set_mode};

global_asm!(
    ".globl __reprise_ask",
    ".globl __reprise_asked",
    ".type __reprise_ask, @function",
    "__reprise_ask:",
    "mov eax, {question}",
    "syscall",
    "__reprise_asked:",
    "ret",
    question = const QUESTION,
);

unsafe extern "C" {
    fn __reprise_ask(what: u64, site: u64) -> u64;
    /// What calls an inside function with arguments from a buffer.
    #[link_name = "__reprise_entries"]
    static ENTRIES: [extern "C" fn(*const u8); 0];
}

/// Aligned for every value that is loaded from it.
#[repr(C, align(64))]
struct Buffer([u8; BUFFER_LEN]);

/// Where answers go.
#[unsafe(no_mangle)]
static mut __reprise_buffer: Buffer = Buffer([0; BUFFER_LEN]);

pub(crate) fn buffer() -> *const u8 {
    (&raw const __reprise_buffer).cast()
}

fn question(what: u64, site: u64) -> u64 {
    // SAFETY: in a replay the player answers, and it changes only what came from
    // outside in the run.
    unsafe { __reprise_ask(what, site) }
}

/// The value that was read at a site is in the buffer from here on.
pub(crate) fn value(site: u32) {
    question(what::VALUE, u64::from(site));
}

/// What outside code did, up to the result of the call at a site.
pub(crate) fn wait_for(site: u64) {
    INSIDE.store(false, Ordering::Relaxed);
    loop {
        match question(what::NEXT, site) {
            answer::RESULT => break,
            answer::END => loop {
                question(what::END, memory::sum());
            },
            entry => {
                let entry = (entry - answer::ENTRY) as usize;
                INSIDE.store(true, Ordering::Relaxed);
                // SAFETY: the table has an entry for each number that the program
                // has written down; what a false recording does stays in its process.
                let call = unsafe {
                    (&raw const ENTRIES)
                        .cast::<extern "C" fn(*const u8)>()
                        .add(entry)
                        .read()
                };
                call(buffer());
                INSIDE.store(false, Ordering::Relaxed);
            }
        }
    }
    INSIDE.store(true, Ordering::Relaxed);
}

/// Where a replay begins.
#[unsafe(no_mangle)]
extern "C" fn __reprise_replay() {
    set_mode(Mode::Replay);
    loop {
        wait_for(what::NOBODY);
    }
}
