//! The inside alone: it asks for everything else.
//!
//! A replay begins in [`__reprise_replay`], with the program's memory as the file
//! has it, on a stack of the player's. The question is a system call that there is
//! not, in one place; the player writes what comes from outside to the buffer, or to
//! where it was filled in, and its result says what is next. It may also write many
//! crossings to a ring, which are then taken from there without a stop.

use std::arch::global_asm;

use reprise_c_events::{BUFFER_LEN, LEFT, QUESTION, answer, ask as what, ring};

use crate::{Mode, jump, last, memory, seen, set_mode, threads, turn, unwind};

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

/// Where crossings go that the player tells ahead.
#[repr(C, align(64))]
struct Ring([u64; ring::LEN / 8]);

#[unsafe(no_mangle)]
static mut __reprise_ring: Ring = Ring([0; ring::LEN / 8]);

/// How far the ring is read.
struct Cursor {
    /// The next word.
    at: usize,
    /// Behind the last.
    end: usize,
    /// How many crossings were taken from it.
    index: u64,
    /// What is next has to be asked for alone.
    alone: bool,
    /// How many reads and results before the next crossing were as before.
    same: u64,
}

static mut CURSOR: Cursor = Cursor {
    at: 0,
    end: 0,
    index: 0,
    alone: false,
    same: 0,
};

impl Cursor {
    /// Sees to it that something is in the ring. False if what is next has to be asked for
    /// alone.
    fn fill(&mut self) -> bool {
        if !self.alone && self.at >= self.end {
            let len = question(what::MORE, 0);
            (self.at, self.end, self.index) = (0, len as usize / 8, 0);
            self.alone = len == 0;
        }
        !self.alone
    }

    /// A word further on.
    fn ahead(&self, by: usize) -> u64 {
        // SAFETY: the player has written whole crossings, up to the end; the index is
        // kept within the ring whatever it has written.
        unsafe {
            (&raw const __reprise_ring)
                .cast::<u64>()
                .add((self.at + by) % (ring::LEN / 8))
                .read()
        }
    }

    /// Whether a read finds what was found there before. It does if no value is next: a value
    /// that is other than before is in the log. Values are never told alone.
    fn is_same(&mut self) -> bool {
        if !self.fill() {
            return true;
        }
        match self.ahead(0) {
            2 | 9 | ring::COUNTED => self.is_counted(),
            _ => true,
        }
    }

    /// Whether a read or a result is one of those that were counted, since they were as before.
    fn is_counted(&mut self) -> bool {
        if !self.fill() {
            return false;
        }
        let most = match self.ahead(0) {
            9 => self.ahead(3),
            ring::COUNTED => self.ahead(1),
            _ => 0,
        };
        let is_counted = self.same < most;
        self.same += u64::from(is_counted);
        is_counted
    }

    fn word(&mut self) -> u64 {
        let word = self.ahead(0);
        self.at += 1;
        word
    }

    /// Copies the next bytes.
    fn bytes(&mut self, to: *mut u8, len: u64) {
        let from = (&raw const __reprise_ring).cast::<u64>();
        let from = from.wrapping_add(self.at).cast::<u8>();
        // SAFETY: there are as many, and they go to the buffer, which has room for all
        // that is in the ring, or to where the run had them.
        unsafe { crate::plain::copy(to, from, len as usize) };
        self.at += len.div_ceil(8) as usize;
    }
}

fn cursor() -> &'static mut Cursor {
    let cursor = &raw mut CURSOR;
    // SAFETY: a replay has one thread, and nobody who is called by who has it comes here again.
    unsafe { &mut *cursor }
}

/// It needs something else than what is next.
fn other(what: u64, index: u64, site: u64) -> ! {
    loop {
        question(ring::other(what, index, site), 0);
    }
}

/// What is next: from the ring, if there is any, or from the player.
fn next(what: u64, site: u64) -> u64 {
    let cursor = cursor();
    while cursor.fill() && cursor.ahead(0) == ring::COUNTED {
        if cursor.same != cursor.ahead(1) {
            other(what, cursor.index, site);
        }
        cursor.at += 2;
        cursor.index += 1;
        cursor.same = 0;
    }
    if cursor.alone {
        cursor.alone = false;
        return question(what, site);
    }
    let (kind, number, len) = (cursor.word(), cursor.word(), cursor.word());
    let before = std::mem::take(&mut cursor.same);
    let is_it = match kind {
        1 | 5 | 6 => what == what::NEXT,
        2 => what == what::VALUE && number == site,
        9 => what == what::VALUE && number == site && before == cursor.word(),
        _ => what == what::NEXT && number == site,
    };
    if !is_it {
        other(what, cursor.index, site);
    }
    cursor.index += 1;
    cursor.bytes(buffer().cast_mut(), len);
    if kind == 3 {
        for _ in 0..cursor.word() {
            let (address, len) = (cursor.word(), cursor.word());
            cursor.bytes(std::ptr::with_exposed_provenance_mut(address as usize), len);
        }
    }
    match kind {
        1 => answer::ENTRY + number,
        5 => answer::JUMP + number,
        6 => answer::SWITCH + number,
        _ => answer::RESULT,
    }
}

/// The value that was read at a site is in the buffer from here on.
pub(crate) fn value(site: u32) {
    next(what::VALUE, u64::from(site));
}

/// What was computed at a site about what was outside.
pub(crate) fn computed(site: u32) -> u64 {
    let (key, place) = seen::place_of(site);
    // SAFETY: a place has as much.
    unsafe { seen::load(found(site, key, 8, place), 8) }
}

/// Outside memory is read: where what was there is.
pub(crate) fn read(site: u32, address: *const u8, len: usize) -> *const u8 {
    let Some(place) = seen::place(address, len) else {
        value(site);
        return buffer();
    };
    found(site, address, len, place)
}

/// What is next is as it was at its place, or it is a value.
fn found(site: u32, address: *const u8, len: usize, place: &mut seen::Place) -> *const u8 {
    if cursor().is_same() {
        if !place.is(address, len) {
            other(what::VALUE, cursor().index, u64::from(site));
        }
    } else {
        value(site);
        // SAFETY: the buffer is longer than this.
        place.set(address, len, unsafe { seen::load(buffer(), len) });
    }
    place.value()
}

/// What is next for an outside function that an inside one waits for, if any does: its result is in
/// the buffer.
fn next_outside(site: u64) -> u64 {
    let result = buffer().cast_mut().cast::<u64>();
    let called = u32::try_from(site).ok().filter(|_| site != what::NOBODY);
    if let Some(called) = called
        && cursor().is_counted()
    {
        let Some(value) = last::again(called) else {
            other(what::NEXT, cursor().index, site);
        };
        // SAFETY: the buffer is longer than this, and aligned.
        unsafe { result.write(value) };
        return answer::RESULT;
    }
    let next = next(what::NEXT, site);
    if let (Some(called), answer::RESULT) = (called, next) {
        // SAFETY: the same.
        last::told(called, unsafe { result.read() });
    }
    next
}

/// What outside code did, up to the result of the call at a site.
pub(crate) fn wait_for(site: u64) {
    turn::replay_inside(false);
    loop {
        match next_outside(site) {
            answer::RESULT => break,
            answer::END => loop {
                question(what::END, memory::sum());
            },
            other @ answer::SWITCH.. => {
                switch(other);
                turn::replay_inside(false);
            }
            jump @ answer::JUMP.. => {
                turn::replay_inside(true);
                // SAFETY: the buffer is longer than this.
                let value = unsafe { buffer().cast::<i32>().read_unaligned() };
                let mark = jump - answer::JUMP;
                if mark & u64::from(LEFT) != 0 {
                    unwind::to(mark & !u64::from(LEFT));
                    continue;
                }
                jump::leap(mark as usize, value);
            }
            entry => {
                let entry = (entry - answer::ENTRY) as usize;
                turn::replay_inside(true);
                // SAFETY: the table has an entry for each number that the program
                // has written down; what a false recording does stays in its process.
                let call = unsafe {
                    (&raw const ENTRIES)
                        .cast::<extern "C" fn(*const u8)>()
                        .add(entry)
                        .read()
                };
                call(buffer());
                turn::replay_inside(false);
            }
        }
    }
    turn::replay_inside(true);
}

/// Other threads had their turn, in the midst of inside code.
pub(crate) fn wait_for_turn() {
    if let other @ answer::SWITCH.. = next(what::NEXT, what::NOBODY) {
        switch(other);
    }
    turn::replay_inside(true);
}

fn switch(other: u64) {
    let other = other - answer::SWITCH;
    threads::switch((other >> 1) as u32, other & 1 != 0);
}

/// Where a replay begins.
#[unsafe(no_mangle)]
extern "C" fn __reprise_replay() {
    set_mode(Mode::Replay);
    loop {
        unwind::wait(what::NOBODY);
    }
}
