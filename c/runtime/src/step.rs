//! Loops of inside code: after so many of them it lets other threads have their turn, if
//! any waits. Without that a thread that waits for another one in a loop would wait for
//! ever, since that one cannot come inside to do what is waited for.
//!
//! Only programs in which several threads may come inside count their loops.

use crate::cross::logged;
use crate::{Mode, mode, replay, turn};

/// After how many loops it is asked whether somebody waits.
const STEPS: i64 = 1 << 18;

/// How many are left. Inserted code takes one away at the beginning of each loop, and
/// calls [`__reprise_step`] when there are none.
#[unsafe(no_mangle)]
static mut __reprise_steps: i64 = STEPS;

#[unsafe(no_mangle)]
extern "C" fn __reprise_step(site: u32) {
    // SAFETY: one thread is inside at a time.
    unsafe { (&raw mut __reprise_steps).write(STEPS) };
    if logged(site, || u64::from(turn::is_awaited())) == 0 {
        return;
    }
    match mode() {
        Mode::Replay => replay::wait_for_turn(),
        _ => turn::let_others(),
    }
}
