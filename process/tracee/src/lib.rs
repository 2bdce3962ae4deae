//! A traced process: its stops, its registers, its memory, and system calls
//! made in its name. Recorder and player are both built on this.
//!
//! The kernel's interface is used directly where `nix` has no room for it: its
//! signals end before the real-time ones, and it knows no extended registers.
//! All `unsafe` of that is in `ptrace`.

pub mod asking;
mod debug;
pub mod extended;
mod foresee;
mod idle;
mod inject;
mod memory;
mod portable;
pub mod processor;
mod ptrace;
mod springboard;
mod stop;
mod twin;
mod waiter;
mod written;

pub use crate::debug::{Use, Watch};
pub use crate::inject::{Kin, LONG_MODE, SYSCALL_BYTES};
pub use crate::memory::Tracing;
pub use crate::portable::portable;
pub use crate::stop::{Stop, Trap};
pub use crate::twin::TWIN;
pub use crate::waiter::Waiter;
pub use crate::written::{Written, populated};

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::{Registers, State};

/// The codes of a SIGSEGV that is about an address: nothing is there, or it may
/// not be accessed so.
const SEGV_MAPERR: i32 = 1;
const SEGV_ACCERR: i32 = 2;

/// Waits until some traced process or child has something to tell, or for so
/// long. The caller blocks SIGCHLD, or it may miss what was told before.
pub fn wait_for_any(at_most: Option<std::time::Duration>) {
    ptrace::wait_for_child(at_most);
}

/// Why a traced process did not do what it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {errno}", errno = .errno.desc())]
pub struct TraceError {
    /// What was asked of the kernel.
    pub what: &'static str,
    /// What it said.
    pub errno: Errno,
}

/// How a stopped process goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Up to the beginning or the end of a system call.
    ToCall,
    /// Up to a system call, which is then not made.
    EmulatingCalls,
    /// For one instruction.
    OneInstruction,
    /// For one instruction, or up to a system call, which is then not made.
    OneInstructionEmulatingCalls,
    /// Up to the next signal.
    Freely,
    /// Not at all: it stays in the stop that a signal such as SIGSTOP asked for,
    /// and tells when that is over.
    Listening,
}

/// A process that this thread traces.
///
/// Whoever holds it keeps to the order of things: all but [`wait`](Self::wait)
/// and [`interrupt`](Self::interrupt) need the process to be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracee {
    pid: Pid,
}

impl Tracee {
    /// Begins to trace a process, without stopping it. `options` are those of
    /// `PTRACE_SETOPTIONS`.
    pub fn seize(pid: Pid, options: i32) -> Result<Self, TraceError> {
        ptrace::request(libc::PTRACE_SEIZE, pid, 0, options as usize, "PTRACE_SEIZE")?;
        Ok(Self { pid })
    }

    /// Changes the options that it was seized with.
    pub fn set_options(&self, options: i32) -> Result<(), TraceError> {
        let (request, what) = (libc::PTRACE_SETOPTIONS, "PTRACE_SETOPTIONS");
        ptrace::request(request, self.pid, 0, options as usize, what)
    }

    /// A process that is traced already, as a child of one whose children are.
    #[must_use]
    pub fn already(pid: Pid) -> Self {
        Self { pid }
    }

    /// Its number.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Stops it, wherever it is.
    pub fn interrupt(&self) -> Result<(), TraceError> {
        ptrace::request(libc::PTRACE_INTERRUPT, self.pid, 0, 0, "PTRACE_INTERRUPT")
    }

    /// Lets it go on, with a signal or with none (0).
    pub fn resume(&self, how: Resume, signal: i32) -> Result<(), TraceError> {
        let (request, what) = match how {
            Resume::ToCall => (libc::PTRACE_SYSCALL, "PTRACE_SYSCALL"),
            Resume::EmulatingCalls => (libc::PTRACE_SYSEMU, "PTRACE_SYSEMU"),
            Resume::OneInstruction => (libc::PTRACE_SINGLESTEP, "PTRACE_SINGLESTEP"),
            Resume::OneInstructionEmulatingCalls => {
                (libc::PTRACE_SYSEMU_SINGLESTEP, "PTRACE_SYSEMU_SINGLESTEP")
            }
            Resume::Freely => (libc::PTRACE_CONT, "PTRACE_CONT"),
            Resume::Listening => (libc::PTRACE_LISTEN, "PTRACE_LISTEN"),
        };
        ptrace::request(request, self.pid, 0, signal as usize, what)
    }

    /// Lets it go for good, with a signal or with none (0).
    pub fn detach(&self, signal: i32) -> Result<(), TraceError> {
        let request = libc::PTRACE_DETACH;
        ptrace::request(request, self.pid, 0, signal as usize, "PTRACE_DETACH")
    }

    /// Sends it a signal, as another process would.
    pub fn send(&self, signal: i32) -> Result<(), TraceError> {
        ptrace::send(self.pid, signal)
    }

    /// What came with the last event: a new process's number, an exit status.
    pub fn message(&self) -> Result<u64, TraceError> {
        ptrace::message(self.pid)
    }

    /// The signals that wait to be delivered, blocked or not, a bit each.
    pub fn pending(&self) -> Result<u64, TraceError> {
        ptrace::pending(self.pid)
    }

    /// Everything about the signal that stopped it.
    pub fn signal_info(&self) -> Result<libc::siginfo_t, TraceError> {
        nix::sys::ptrace::getsiginfo(self.pid).map_err(|errno| TraceError {
            what: "PTRACE_GETSIGINFO",
            errno,
        })
    }

    /// The address that it must not access, if that is what the signal that it
    /// has stopped at is about.
    pub fn fault_address(&self) -> Result<Option<u64>, TraceError> {
        let info = self.signal_info()?;
        let is_address = [SEGV_MAPERR, SEGV_ACCERR].contains(&info.si_code);
        let is_fault = info.si_signo == libc::SIGSEGV && is_address;
        Ok(is_fault.then(|| ptrace::address_of(&info)))
    }

    /// Changes what its handler will learn about the signal.
    pub fn set_signal_info(&self, info: &libc::siginfo_t) -> Result<(), TraceError> {
        nix::sys::ptrace::setsiginfo(self.pid, info).map_err(|errno| TraceError {
            what: "PTRACE_SETSIGINFO",
            errno,
        })
    }

    /// Where it has told the kernel to write what happens to it: address, length
    /// and signature of its area for restartable sequences.
    #[must_use]
    pub fn rseq(&self) -> Option<(u64, u32, u32)> {
        ptrace::rseq(self.pid)
    }

    /// Where the list of locks is that it holds and that the kernel frees when it
    /// ends; 0 is nowhere.
    #[must_use]
    pub fn robust_list(&self) -> u64 {
        ptrace::robust_list(self.pid)
    }

    /// The general registers.
    pub fn registers(&self) -> Result<Registers, TraceError> {
        ptrace::registers(self.pid)
    }

    /// Changes the general registers.
    pub fn set_registers(&self, registers: &Registers) -> Result<(), TraceError> {
        ptrace::set_registers(self.pid, registers)
    }

    /// All registers.
    pub fn state(&self) -> Result<State, TraceError> {
        let mut extended = ptrace::extended(self.pid)?;
        extended::mend(&mut extended);
        Ok(State {
            registers: self.registers()?,
            extended,
        })
    }

    /// Changes all registers.
    pub fn set_state(&self, state: &State) -> Result<(), TraceError> {
        self.set_registers(&state.registers)?;
        let mut extended = state.extended.clone();
        extended::claim(&mut extended);
        ptrace::set_extended(self.pid, &extended)
    }
}
