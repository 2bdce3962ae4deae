//! What a traced process tells its tracer.

use std::time::{Duration, Instant};

use nix::libc;

use crate::{TraceError, Tracee, ptrace};

/// A thing that the kernel tells about beside calls and signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// It has another program now.
    Exec,
    /// It has made a process or a thread.
    Child,
    /// It is about to end; its registers and memory are still there.
    Exit,
    /// It stopped because it was told to, by us or by a signal such as SIGSTOP;
    /// this is that signal, or SIGTRAP.
    Stop(i32),
}

/// Why a process stopped or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the beginning or the end of a system call.
    Call,
    /// A signal is about to be delivered.
    Signal(i32),
    /// Something else.
    Trap(Trap),
    /// It is gone, with this status.
    Exited(i32),
    /// It is gone, by this signal.
    Killed(i32),
}

impl Stop {
    fn of(status: i32) -> Self {
        if libc::WIFEXITED(status) {
            return Self::Exited(libc::WEXITSTATUS(status));
        }
        if libc::WIFSIGNALED(status) {
            return Self::Killed(libc::WTERMSIG(status));
        }
        let signal = libc::WSTOPSIG(status);
        match status >> 16 {
            0 if signal == libc::SIGTRAP | 0x80 => Self::Call,
            0 => Self::Signal(signal),
            libc::PTRACE_EVENT_EXEC => Self::Trap(Trap::Exec),
            libc::PTRACE_EVENT_EXIT => Self::Trap(Trap::Exit),
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                Self::Trap(Trap::Child)
            }
            _ => Self::Trap(Trap::Stop(signal)),
        }
    }
}

impl Tracee {
    /// Waits until it stops or ends.
    pub fn wait(&self) -> Result<Stop, TraceError> {
        loop {
            if let Some(status) = ptrace::wait(self.pid, true)? {
                return Ok(Stop::of(status));
            }
        }
    }

    /// The same, but not if this thread is [nudged](crate::Waiter::nudge).
    pub fn wait_once(&self) -> Result<Option<Stop>, TraceError> {
        Ok(ptrace::wait(self.pid, true)?.map(Stop::of))
    }

    /// Whether it has stopped or ended.
    pub fn wait_now(&self) -> Result<Option<Stop>, TraceError> {
        Ok(ptrace::wait(self.pid, false)?.map(Stop::of))
    }

    /// Waits until it stops or ends, or until `deadline`.
    pub fn wait_until(&self, deadline: Instant) -> Result<Option<Stop>, TraceError> {
        loop {
            if let Some(status) = ptrace::wait(self.pid, false)? {
                return Ok(Some(Stop::of(status)));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
