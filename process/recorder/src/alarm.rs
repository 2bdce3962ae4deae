//! A clock that interrupts a wait for the subject, so that events reach the
//! file even when the subject sleeps: a recorder that is killed then has lost
//! nothing that is old.
#![allow(unsafe_code, reason = "timers and handlers have no safe form here")]

use std::time::Duration;

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Rings again and again while it is set.
pub(crate) struct Alarm {
    every: Duration,
    set: bool,
}

extern "C" fn ring(_: libc::c_int) {}

impl Alarm {
    pub(crate) fn new(every: Duration) -> Self {
        let handler = SigHandler::Handler(ring);
        // No SA_RESTART: to interrupt a wait is all that it is for.
        let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler does nothing.
        let _ = unsafe { sigaction(Signal::SIGALRM, &action) };
        let set = false;
        Self { every, set }
    }

    /// Sets it, if it is not.
    pub(crate) fn set(&mut self) {
        if !self.set {
            self.set = true;
            start(self.every);
        }
    }

    pub(crate) fn stop(&mut self) {
        if self.set {
            self.set = false;
            start(Duration::ZERO);
        }
    }
}

/// Zero stops it.
fn start(every: Duration) {
    let time = libc::timeval {
        tv_sec: i64::try_from(every.as_secs()).unwrap_or(i64::MAX),
        tv_usec: i64::from(every.subsec_micros()),
    };
    let timer = libc::itimerval {
        it_interval: time,
        it_value: time,
    };
    // SAFETY: the kernel reads one `itimerval`, and writes none.
    let _ = unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}
