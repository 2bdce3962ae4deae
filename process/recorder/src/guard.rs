//! What happens to the subject when the recorder is killed.
//!
//! The kernel lets the subject go then, but not without a trace: reading the
//! time-stamp counter would still be a fault, for it and for every process that
//! it makes. So the recorder works in a process of its own, and this one does
//! nothing but wait for it. When the recorder dies, it takes over, undoes that,
//! and waits for the subject's end.
//!
//! It is also the process whose number others know: what a supervisor sends to
//! it is meant for the subject, and is passed on.
//!
//! Between the recorder's death and that moment lie a few milliseconds in which
//! the subject can still meet the fault.
#![allow(unsafe_code, reason = "fork and signal handlers have no safe form")]

use std::io::{self, PipeWriter, Read as _, Write as _, pipe};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, sigaction};
use nix::unistd::{ForkResult, Pid, fork};
use reprise_syscalls::is_error;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::segment::find_syscall;
use crate::session::{Ended, counter_on};
use crate::spawn::{FOR_SUBJECT, end_of, leave_signals_to_subject};

/// How the recorder tells its guard whom to look after.
pub struct Guard(PipeWriter);

impl Guard {
    /// This process is about to be recorded.
    pub fn watch(&mut self, pid: u32) {
        // Without a guard the subject is recorded all the same.
        let _ = self.0.write_all(&pid.to_le_bytes());
    }
}

/// How guarded work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// It returned this status.
    Done(u8),
    /// It was killed, and the subject ended like this; `None` when there was no
    /// subject yet, or it could not be followed.
    Died(Option<Ended>),
}

/// Does the work in a process of its own and looks after the subject if that
/// is killed. To be called while there is one thread.
pub fn guarded(work: impl FnOnce(Guard) -> u8) -> io::Result<Guarded> {
    let (mut watched, watch) = pipe()?;
    // SAFETY: there is only this thread, so the child has all that it needs.
    match unsafe { fork() }? {
        ForkResult::Child => {
            drop(watched);
            let status = work(Guard(watch));
            std::process::exit(status.into());
        }
        ForkResult::Parent { child } => {
            drop(watch);
            leave_signals_to_subject();
            let mut pid = [0; 4];
            let subject = watched.read_exact(&mut pid).ok().map(|()| {
                let pid = i32::from_le_bytes(pid);
                pass_signals_to(pid);
                Pid::from_raw(pid)
            });
            let ended = end_of(child).map_err(io::Error::other)?;
            if let Ended::Exited(status) = ended {
                return Ok(Guarded::Done(u8::try_from(status).unwrap_or(u8::MAX)));
            }
            let ended = subject.and_then(|subject| take_over(subject).ok());
            Ok(Guarded::Died(ended))
        }
    }
}

/// The subject, for the handler.
static SUBJECT: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    let subject = SUBJECT.load(Ordering::Relaxed);
    if subject > 0 {
        // SAFETY: `kill` may be called in a handler, and takes two numbers.
        unsafe { libc::kill(subject, signal) };
    }
}

fn pass_signals_to(subject: i32) {
    SUBJECT.store(subject, Ordering::Relaxed);
    let handler = SigHandler::Handler(pass_on);
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    for signal in FOR_SUBJECT {
        // SAFETY: the handler does only what a handler may.
        let _ = unsafe { sigaction(signal, &action) };
    }
}

/// Undoes what the recorder did to the subject, and follows it to its end.
fn take_over(pid: Pid) -> Result<Ended, TraceError> {
    let subject = Tracee::seize(pid, libc::PTRACE_O_TRACESYSGOOD)?;
    subject.interrupt()?;
    let mut stop = subject.wait()?;
    if stop == Stop::Trap(Trap::Stop(libc::SIGTRAP)) {
        // What cannot be undone must not keep it from running.
        let _ = undo(subject);
    }
    loop {
        match stop {
            Stop::Exited(status) => return Ok(Ended::Exited(status)),
            Stop::Killed(signal) => return Ok(Ended::Killed(signal)),
            Stop::Signal(signal) => subject.resume(Resume::Freely, signal)?,
            Stop::Trap(Trap::Stop(signal)) if signal != libc::SIGTRAP => {
                subject.resume(Resume::Listening, 0)?;
            }
            _ => subject.resume(Resume::Freely, 0)?,
        }
        stop = subject.wait()?;
    }
}

fn undo(subject: Tracee) -> Result<(), TraceError> {
    let here = subject.registers()?.rip();
    let behind = if subject.is_behind_syscall(here) {
        Some(here)
    } else {
        find_syscall(subject)
    };
    match behind {
        Some(behind) => counter_on(subject, behind).map(|result| debug_assert!(!is_error(result))),
        None => Ok(()),
    }
}
