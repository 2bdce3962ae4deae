//! What crosses the boundary of chosen functions of a C program: streams of the
//! kind [`KIND`], and what a recording says about the program that it is of.
//!
//! A program that was cut writes these events, and its replay asks for them. Both
//! are done by the same code, linked into the program, so a replay is at the same
//! place when it asks.
//!
//! ```text
//!  byte    1 entry, 2 value, 3 result, 4 end, 5 jump, 6 turn, 7 forked, 8 left, 9 later value,
//!          10 same result, 11 like entry, 12 same, 13 near result
//!  entry:   number of the function, bytes of the arguments (eight for each)
//!  value:   number of the site, bytes
//!  later value: number of the site, number of reads, bytes
//!  result:  number of the site, number of bytes, bytes,
//!           then up to the end: word address, number of bytes, bytes
//!  same result: number of the site
//!  like entry: number of the function, number: a bit for each argument that is another one,
//!           then for each of these: number of bytes, bytes
//!  same:    number of reads and results
//!  near result: number of the site, number: twice the difference to the last, as a signed
//!           word; less one and negated if that is negative
//!  turn:    number: twice the number of the thread, and one more if it is new there
//!  forked:  number of the process, word: how many events of it
//!  jump:    number of the mark, four bytes: the value
//!  left:    number of the reason, number: 0 or one more than that of the site
//!  end:     word: checksum of all inside memory, word: how much of the pool is used
//!
//!  number   seven bits to a byte, lowest first, top bit set on all but the last
//!  word     eight bytes, little-endian
//! ```
//! Values, results and arguments of at most eight bytes may be without zeros at their end.
//! *entry*: an outside function calls an inside one. *value*: an inside function
//! reads outside memory, or takes the address of an outside local variable. *later value*: the
//! same, and so many reads since the event before have found at their addresses what was in the
//! log when these were last read; in front of any other event there may have been such, too.
//! *result*: an outside function that an inside one has called returns, and has
//! filled these pieces of inside memory. *jump*: an outside function jumps to where an
//! inside one has marked a place, by the number of that mark. Everything else follows.
//! *same result*: one with the bytes of the last at this site, which has filled nothing. *near
//! result*: one of eight bytes, which as a number is not far from the last at this site. *like
//! entry*: one of this function with the arguments of the last, but for those that are said.
//! [`Before`] makes ordinary ones of these. *same*: so many reads and results since the event
//! before were as before, each at its place; a later value counts both, too. In front of any other
//! event there were no such results. As the last event it is what a program that was killed had
//! come to.
//! *turn*: the events that follow are another thread's, which is inside now; before the
//! first they are those of thread 1. *forked*: the first event of a child; before it come
//! so many events of its parent. *left*: the program ran on unrecorded. Version 1 had no
//! jumps, one thread and no children; up to version 2 nobody said why a recording was left; up to version 3
//! every read was an event, up to version 4 every event was whole, up to version 5 every result was
//! an event.
//!
//! Pure; reader and writer are side by side.
#![deny(clippy::panic, clippy::unwrap_used)]

mod before;
mod describe;
mod program;
mod wire;

pub use crate::before::Before;
pub use crate::describe::describe;
pub use crate::program::{DETAILS, ENTRIES, INSIDE, OUTSIDE, Program, SECTION, Site, Subject};
pub use crate::wire::{WireError, begins_child, read, write};

/// The kind of the streams.
pub const KIND: &str = "c.crossings";

/// The version of the events.
pub const VERSION: u32 = 6;

/// The kind of the recordings.
pub const RECORDING: &str = "c.cut";

/// The environment variable by which a program learns where its spool is.
pub const SPOOL: &str = "REPRISE_CUT_SPOOL";

/// What inserted code is told when it is about to call an outside function in a replay.
pub const OUT_IN_REPLAY: u32 = 1 << 31;

/// In the mark of a jump: it is one of an outside function over inside ones, to where as many
/// calls from inside to outside are on their way as the rest says.
pub const LEFT: u32 = 1 << 31;

/// How a replay asks for what is next: by this system call, which there is not.
pub const QUESTION: u64 = 511;

/// What a replay asks for; the first argument of the call.
pub mod ask {
    /// An entry, a result or the end; the second argument is the site of the call
    /// that waits for its result, or [`NOBODY`].
    pub const NEXT: u64 = 1;
    /// A value; the second argument is the site.
    pub const VALUE: u64 = 2;
    /// Nothing: it has come to the end, and this is its checksum.
    pub const END: u64 = 3;
    /// Crossings ahead, into the ring; told how many bytes there are, or 0 if what is
    /// next has to be asked for alone.
    pub const MORE: u64 = 4;
    /// Nothing: what is next in the ring is something else than what it needs. See
    /// [`super::ring::other`].
    pub const OTHER: u64 = 5;
    /// The site of nobody: no inside function waits for a result.
    pub const NOBODY: u64 = u32::MAX as u64;
}

/// What a replay is told about what is next; the result of the call. The number of
/// the function follows from [`answer::ENTRY`] on.
pub mod answer {
    /// The result is in the buffer.
    pub const RESULT: u64 = 0;
    /// The run has ended.
    pub const END: u64 = 1;
    /// This and the number of a function, whose arguments are in the buffer.
    pub const ENTRY: u64 = 2;
    /// This and the number of a mark, to which an outside function jumps with the value
    /// in the buffer.
    pub const JUMP: u64 = 1 << 40;
    /// This and what a turn says: it is another thread's.
    pub const SWITCH: u64 = 1 << 41;
}

/// Crossings that a replay is told ahead, so that it need not stop at each. In front of
/// the bytes of each stands, in words: its kind (as in an event), the number of its
/// function or site, how many bytes follow; then, for a result, how many pieces of
/// memory were filled, and for each its address, how many bytes, and these. All bytes
/// are padded to whole words. A later value has, before its bytes, how many reads come
/// before it.
pub mod ring {
    /// How long the ring is.
    pub const LEN: usize = 1 << 17;
    /// The most crossings in it: going backwards, a debugger begins anew at a stop.
    pub const MOST: u64 = 64;
    /// No crossing, but instead of more of them: as many reads as the next word says find
    /// what was found before. Only programs of version 5 and before are told this.
    pub const SAME: u64 = 10;
    /// As many reads and results as the next word says are as before, no more and no fewer.
    pub const COUNTED: u64 = 12;

    /// What a replay says that needs something else than crossing `index` in the ring.
    pub const fn other(what: u64, index: u64, site: u64) -> u64 {
        super::ask::OTHER | what << 8 | index << 16 | site << 32
    }

    /// What was needed, the index and the site.
    pub const fn read_other(said: u64) -> Option<(u64, u64, u64)> {
        match said & 0xff {
            super::ask::OTHER => Some((said >> 8 & 0xff, said >> 16 & 0xffff, said >> 32)),
            _ => None,
        }
    }
}

/// Where inside memory is, but for globals: a range of its own.
pub mod area {
    /// Where the area begins.
    pub const START: u64 = 0x2000_0000_0000;
    /// How long it is: 64 GiB.
    pub const LEN: u64 = 1 << 36;
    /// The stack is at its beginning, and grows down from here.
    pub const STACK_LEN: u64 = 64 << 20;
    /// Where the pool of the heap begins.
    pub const POOL: u64 = START + STACK_LEN;
    /// How many threads can be recorded at once.
    pub const THREADS: u32 = 1024;
    /// The stacks of so many are where they were when there could be no more.
    const FIRST_THREADS: u32 = 64;
    /// How long the stack of a thread is that is not the first, with what is left free
    /// below it.
    pub const THREAD_STACK_LEN: u64 = 8 << 20;
    /// Where the pool ends; the stacks of threads are behind it.
    pub const POOL_END: u64 = START + LEN - THREADS as u64 * THREAD_STACK_LEN;
    /// Where a replay has the processor's stack; nothing is there in a run.
    pub const REPLAY_STACK: u64 = START - (1 << 30);
    /// How long that is.
    pub const REPLAY_STACK_LEN: u64 = 64 << 20;

    /// Below a stack there is nothing.
    const GUARD: u64 = 4096;

    /// From where to where the inside stack of a thread is that is not the first.
    pub const fn thread_stack(thread: u32) -> (u64, u64) {
        match thread > FIRST_THREADS {
            true => stack(POOL_END, thread - FIRST_THREADS),
            false => stack(START + LEN - LEN_OF_FIRST, thread),
        }
    }

    /// Where a replay has the processor's stack for it.
    pub const fn replay_thread_stack(thread: u32) -> (u64, u64) {
        match thread > FIRST_THREADS {
            true => stack(REPLAY_STACK - (LEN >> 1), thread - FIRST_THREADS),
            false => stack(REPLAY_STACK + 2 * REPLAY_STACK_LEN, thread),
        }
    }

    const LEN_OF_FIRST: u64 = FIRST_THREADS as u64 * THREAD_STACK_LEN;

    const fn stack(from: u64, thread: u32) -> (u64, u64) {
        let start = from + (thread as u64 - 1) * THREAD_STACK_LEN;
        (start + GUARD, start + THREAD_STACK_LEN)
    }
}

/// After so many reads and results that were no event, the next is one.
pub const SAME_MOST: u32 = 1 << 16;

/// The longest value; a longer one is several.
pub const BUFFER_LEN: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::area;

    /// No two threads share a stack, and none has a place of something else.
    #[test]
    fn every_thread_has_stacks_of_its_own() {
        let mut all: Vec<(u64, u64)> = (1..=area::THREADS)
            .flat_map(|thread| {
                [
                    area::thread_stack(thread),
                    area::replay_thread_stack(thread),
                ]
            })
            .collect();
        all.push((area::START, area::POOL_END));
        all.push((
            area::REPLAY_STACK,
            area::REPLAY_STACK + area::REPLAY_STACK_LEN,
        ));
        all.sort_unstable();
        for pair in all.windows(2) {
            assert!(pair[0].0 < pair[0].1 && pair[0].1 <= pair[1].0, "{pair:x?}");
        }
        // As it was when there could be 64.
        let (start, end) = area::thread_stack(64);
        assert_eq!((start, end), (0x200f_ff80_1000, 0x2010_0000_0000));
        assert!(all.iter().all(|(_, end)| *end <= area::START + area::LEN));
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// An inside function is called from outside.
    Entry {
        /// Its number among those that can be.
        function: u32,
        /// What it is called with, eight bytes each.
        arguments: Vec<u8>,
    },
    /// Outside memory is read.
    Value {
        /// By which instruction.
        site: u32,
        /// How many reads before it have found what was found there before.
        same: u32,
        /// What is there.
        bytes: Vec<u8>,
    },
    /// A call returns.
    Result {
        /// Which.
        site: u32,
        /// What it returns, if that is used.
        bytes: Vec<u8>,
        /// What it has filled.
        filled: Vec<(u64, Vec<u8>)>,
    },
    /// A call returns what the last at its site has returned, and has filled nothing.
    SameResult {
        /// Which.
        site: u32,
    },
    /// A call returns a number of eight bytes that is not far from the last at its site, and has
    /// filled nothing.
    NearResult {
        /// Which.
        site: u32,
        /// How much more it is.
        more: i64,
    },
    /// Reads and results were as before.
    Same {
        /// How many.
        count: u32,
    },
    /// An inside function is called from outside, as the last time but for some arguments.
    LikeEntry {
        /// Its number among those that can be.
        function: u32,
        /// Which arguments are others, a bit for each.
        changed: u64,
        /// These, of at most eight bytes each.
        arguments: Vec<Vec<u8>>,
    },
    /// A child begins.
    Forked {
        /// Its parent.
        process: u32,
        /// How many events of that come before.
        events: u64,
    },
    /// It is another thread's turn.
    Turn {
        /// Its number, from 1.
        thread: u32,
        /// Nothing is left of what a thread of this number did before.
        new: bool,
    },
    /// An outside function jumps to an inside one.
    Jump {
        /// By which mark.
        mark: u32,
        /// With what.
        value: i32,
    },
    /// The program runs on unrecorded.
    Left {
        /// Why.
        why: Reason,
        /// Where.
        site: Option<u32>,
    },
    /// The run has ended.
    End {
        /// A checksum of inside memory.
        sum: u64,
        /// How many bytes of the pool are in use.
        pool: u64,
    },
}

/// Why a program runs on unrecorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// More threads than there are stacks for.
    Threads = 1,
    /// A jump that a replay could not follow.
    Jump = 2,
    /// A handler of signals that has interrupted the inside calls inside functions.
    Handler = 3,
    /// Inside memory is given to a function of which nothing is known.
    Given = 4,
}

impl Reason {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Threads, Self::Jump, Self::Handler, Self::Given];
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Threads => write!(f, "more than {} threads were inside", area::THREADS),
            Self::Jump => f.write_str("a jump left the inside"),
            Self::Handler => f.write_str(
                "a handler of signals that had interrupted the inside called inside functions",
            ),
            Self::Given => {
                f.write_str("inside memory was given to a function of which nothing is known")
            }
        }
    }
}
