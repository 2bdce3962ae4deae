//! What is linked into a C program that was cut: it writes down what crosses the
//! boundary, and in a replay it asks for it.
//!
//! Both are done by the same functions, called by code that `reprise cut` has put
//! into the program. In a run they append to the spool that `reprise record` has
//! made; without one they do nothing but what the program would have done. In a
//! replay there is no C library, no system and no outside: a player puts the
//! program's memory into a blank process and answers questions. So nothing that a
//! replay executes may call anything that is not here.
//!
//! | question | file |
//! | --- | --- |
//! | what does inserted code call? | `cross.rs` |
//! | how does an event get into the spool? | `record.rs`, `short.rs`; from when to when? `life.rs` |
//! | which reads and results are no event, since nothing has changed? | `seen.rs`, `last.rs`, `counted.rs` |
//! | how does a replay ask, and who calls inside functions there? | `replay.rs` |
//! | where is inside memory, and how is it allocated? | `memory.rs`, `pool.rs` |
//! | which thread is inside? | `turn.rs`, `mine.rs`, `numbers.rs`, `step.rs`; in a replay: `threads.rs` |
//! | how do inside functions jump to each other? | `jump.rs`; out of the inside: `unwind.rs` |
//! | which functions of the C library are here, too? | `own.rs`, `texts.rs`, `ctype.rs`, `plain.rs`, `round.rs`, `sort.rs` |
//! | when does a handler of signals come inside? | `signals.rs` |
//! | where is a mutex that is in inside memory? | `elsewhere.rs` |
//! | how does an inside function get a line of a file? | `line.rs` |
//! | how is a program weighed? | `weigh.rs`, `found.rs`; whose memory is it? `objects.rs`; are annotations right? `verify.rs` |
#![allow(
    unsafe_code,
    reason = "it is called by C, and its memory is the program's"
)]

mod counted;
mod cross;
mod ctype;
mod elsewhere;
mod found;
mod jump;
mod last;
mod life;
mod line;
mod memory;
mod mine;
mod numbers;
mod objects;
mod own;
mod plain;
mod pool;
mod record;
mod replay;
mod round;
mod seen;
mod short;
mod signals;
mod sort;
mod step;
mod texts;
mod threads;
mod turn;
mod unwind;
mod verify;
mod weigh;

use std::sync::atomic::{AtomicU8, Ordering};

/// What the functions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Only what the program would have done.
    Off,
    Record,
    Replay,
}

/// What each crossing looks at is in one section: it is fetched at once.
#[unsafe(link_section = ".data.reprise_often")]
static MODE: AtomicU8 = AtomicU8::new(0);

/// The same for inserted code. What has a name for others takes longer to find.
#[unsafe(export_name = "__reprise_mode")]
static MODE_FOR_INSERTED: AtomicU8 = AtomicU8::new(0);

fn mode() -> Mode {
    match MODE.load(Ordering::Relaxed) {
        1 => Mode::Record,
        2 => Mode::Replay,
        _ => Mode::Off,
    }
}

fn set_mode(mode: Mode) {
    MODE.store(mode as u8, Ordering::Relaxed);
    MODE_FOR_INSERTED.store(mode as u8, Ordering::Relaxed);
    counted::look();
}
