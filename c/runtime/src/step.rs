//! Loops of inside code: after so many of them it lets other threads have their turn, or a
//! handler of signals, if any waits. Without that a thread that waits for another one in a loop
//! would wait for ever, since that one cannot come inside to do what is waited for.
//!
//! Only programs in which several threads may come inside, or handlers of signals, count their
//! loops.

use reprise_c_events::OUT_IN_REPLAY;

use crate::cross::{__reprise_back, __reprise_out, logged};
use crate::{Mode, mode, replay, turn};

/// After how many loops it is asked whether somebody waits.
const STEPS: i64 = 1 << 18;

/// What waits, as a replay is told.
const THREAD: u64 = 1;
const SIGNAL: u64 = 2;

/// How many are left. Inserted code takes one away at the beginning of each loop, and
/// calls [`__reprise_step`] when there are none.
#[unsafe(no_mangle)]
static mut __reprise_steps: i64 = STEPS;

#[unsafe(no_mangle)]
extern "C" fn __reprise_step(site: u32) {
    // SAFETY: one thread is inside at a time.
    unsafe { (&raw mut __reprise_steps).write(STEPS) };
    let waits = || match (turn::has_put_off(), turn::is_awaited()) {
        (1.., _) => SIGNAL,
        (_, true) => THREAD,
        _ => 0,
    };
    match (logged(site, waits), mode()) {
        (THREAD, Mode::Replay) => replay::wait_for_turn(),
        (THREAD, _) => turn::let_others(),
        (SIGNAL, _) => {
            // As if it called an outside function, which does nothing else.
            let depth = __reprise_out(site);
            if depth != OUT_IN_REPLAY {
                __reprise_back(site, 0, 0, depth);
            }
        }
        _ => {}
    }
}
