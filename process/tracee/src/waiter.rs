//! A thread that waits for one process, and can be told to look up.

use nix::sys::signal::Signal;
use nix::unistd::{Pid, gettid};

use crate::ptrace;

/// Nobody else uses it here, and who has no handler for it ignores it.
const LOOK_UP: Signal = Signal::SIGURG;

/// A thread of this process.
#[derive(Clone, Copy, Debug)]
pub struct Waiter(Pid);

impl Waiter {
    /// This thread.
    #[must_use]
    pub fn this() -> Self {
        ptrace::be_cut_off_by(LOOK_UP);
        Self(gettid())
    }

    /// Has [`Tracee::wait_once`](crate::Tracee::wait_once) return, if the thread is there now.
    pub fn nudge(self) {
        // It may have ended.
        let _ = ptrace::send(self.0, LOOK_UP as i32);
    }
}
