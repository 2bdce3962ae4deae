//! System calls made in the name of a stopped process.
//!
//! A process of somebody else's is sent through a [`Springboard`], from which it comes
//! back by itself should its tracer be killed. One that dies with its tracer, or has
//! no room for that, is sent over a `syscall` instruction of its own, with other
//! registers.

use std::ffi::CStr;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::Registers;

use crate::springboard::{Springboard, Then};
use crate::{Resume, Stop, TraceError, Tracee, Tracing, Trap, ptrace};

/// The length of the `syscall` instruction.
pub(crate) const SYSCALL: u64 = 2;

/// Every signal but the one by which the kernel reports a step: were that one
/// blocked, the kernel would take the process's handler for it away.
const ALL_BUT_TRAP: u64 = !(1 << (libc::SIGTRAP - 1));

/// The bytes of the `syscall` instruction.
pub const SYSCALL_BYTES: [u8; 2] = [0x0f, 0x05];

/// The code segment of 64-bit programs.
pub const LONG_MODE: u64 = 0x33;

/// Signals that an instruction causes: the kernel would take a process's handler
/// away if it blocked them.
pub(crate) const FAULTS: [i32; 6] = [
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGSEGV,
    libc::SIGSYS,
];

/// What a copy of a process is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kin {
    /// A child of its parent, so that the process does not see it.
    Sibling,
    /// A child that sends no signal when it ends, and that the process does not
    /// see unless it waits for children of that kind (`__WCLONE`).
    Child,
}

/// A call in the name of a process was not made.
pub(crate) fn failed(errno: Errno) -> TraceError {
    TraceError {
        what: "make the process do a system call",
        errno,
    }
}

impl Tracee {
    /// Whether the instruction that ends at `behind` is `syscall`, and not one
    /// of the other ways into the kernel.
    #[must_use]
    pub fn is_behind_syscall(&self, behind: u64) -> bool {
        self.read_some(behind.wrapping_sub(SYSCALL), 2) == SYSCALL_BYTES
    }

    /// Makes the process do a system call, and gives it its registers back. An
    /// error of the call itself is in the result, as a small negative number.
    /// `behind` is the end of a `syscall` instruction, for where there is no room for
    /// another.
    ///
    /// Signals wait meanwhile. A process that was interrupted in a call that
    /// blocks other signals for its own time must not be sent elsewhere: that
    /// would end the call's time.
    pub fn call_at(&self, behind: u64, number: i64, arguments: [u64; 6]) -> Tracing<u64> {
        if let Some(board) = Springboard::in_process(*self)
            && let Some((result, _)) = board.call(*self, number, arguments, Then::Return)?
        {
            return Ok(result);
        }
        self.call_plainly_at(behind, number, arguments)
    }

    /// The same with the instruction that ends at `behind`, for a process that dies
    /// with its tracer.
    pub fn call_plainly_at(&self, behind: u64, number: i64, arguments: [u64; 6]) -> Tracing<u64> {
        self.undisturbed(|before, held| {
            let (result, _) = self.send_over(behind, before, number, arguments, held)?;
            Ok(result)
        })
    }

    /// Gives a process that dies with its tracer another name. Room for that is borrowed
    /// below the end of this stack.
    pub fn rename_at(&self, behind: u64, name: &CStr, stack: u64) -> Tracing<()> {
        const BELOW: u64 = 512;
        let at = stack.wrapping_sub(BELOW);
        let name = name.to_bytes_with_nul();
        let before = self.read_some(at, name.len());
        if before.len() < name.len() || self.write(at, name).is_err() {
            return Err(failed(Errno::EFAULT));
        }
        let arguments = [libc::PR_SET_NAME as u64, at, 0, 0, 0, 0];
        let renamed = self.call_plainly_at(behind, libc::SYS_prctl, arguments);
        self.write(at, &before)?;
        renamed.map(drop)
    }

    /// Makes the process copy itself, and gives it its registers back. The copy is
    /// traced, stopped, executes nothing, and dies with this thread. `None` when the
    /// kernel refuses. The process must be one whose new processes are traced.
    pub fn copy_at(&self, behind: u64, kin: Kin) -> Tracing<Option<Self>> {
        /// Should the tracer die before it holds the copy, that must not get far.
        const NO_STACK: u64 = 8;
        let flags = match kin {
            Kin::Sibling => libc::CLONE_PARENT as u64,
            Kin::Child => 0,
        };
        let arguments = [flags, NO_STACK, 0, 0, 0, 0];
        let board = Springboard::in_process(*self);
        let done = match &board {
            Some(board) => {
                let then = Then::ReturnUnlessCopy;
                board.call(*self, libc::SYS_clone, arguments, then)?
            }
            None => None,
        };
        let (_, copy) = match done {
            Some(done) => done,
            None => self.undisturbed(|before, held| {
                self.send_over(behind, before, libc::SYS_clone, arguments, held)
            })?,
        };
        if let Some(copy) = copy {
            copy.wait()?;
            let options = libc::PTRACE_O_EXITKILL as usize;
            let request = libc::PTRACE_SETOPTIONS;
            ptrace::request(request, copy.pid, 0, options, "PTRACE_SETOPTIONS")?;
            if let Some(board) = board {
                board.clear(copy);
            }
        }
        Ok(copy)
    }

    /// Whether the signal that it has stopped for comes of its own instruction.
    pub(crate) fn is_fault(&self, signal: i32) -> Tracing<bool> {
        Ok(FAULTS.contains(&signal) && self.signal_info()?.si_code > 0)
    }

    /// Does something with the process while it gets no signals, and gives it
    /// its registers back.
    fn undisturbed<T>(
        &self,
        work: impl FnOnce(Registers, &mut Vec<i32>) -> Tracing<T>,
    ) -> Tracing<T> {
        let before = self.registers()?;
        let blocked = ptrace::signal_mask(self.pid)?;
        ptrace::set_signal_mask(self.pid, ALL_BUT_TRAP)?;
        let mut held = Vec::new();
        let done = work(before, &mut held);
        self.set_registers(&before)?;
        ptrace::set_signal_mask(self.pid, blocked)?;
        for signal in held {
            self.send(signal)?;
        }
        done
    }

    /// Sends the process over a `syscall` instruction. Returns the result, and
    /// the process that was made, if one was.
    fn send_over(
        &self,
        behind: u64,
        before: Registers,
        number: i64,
        arguments: [u64; 6],
        held: &mut Vec<i32>,
    ) -> Tracing<(u64, Option<Self>)> {
        let mut registers = before;
        let at = behind.wrapping_sub(SYSCALL);
        registers.set_rip(at);
        // In a 32-bit program the instruction means other calls, or nothing at all.
        registers.set_cs(LONG_MODE);
        registers.set_rax(number.cast_unsigned());
        // Not in a system call any more: the kernel must not restart it.
        registers.set_orig_rax(u64::MAX);
        registers.set_arguments(arguments);
        self.set_registers(&registers)?;
        let mut made = None;
        loop {
            self.resume(Resume::OneInstruction, 0)?;
            match self.wait()? {
                Stop::Signal(libc::SIGTRAP) => {
                    // The end of the call it stood in may be reported first.
                    let registers = self.registers()?;
                    if registers.rip() != at {
                        return Ok((registers.rax(), made));
                    }
                }
                // It would come each time.
                Stop::Signal(signal) if self.is_fault(signal)? => {
                    return Err(failed(Errno::EFAULT));
                }
                // One that cannot be blocked; it comes again.
                Stop::Signal(signal) => held.push(signal),
                Stop::Trap(Trap::Child) => {
                    let pid = i32::try_from(self.message()?).unwrap_or_default();
                    made = Some(Self::already(Pid::from_raw(pid)));
                }
                Stop::Trap(_) | Stop::Call => {}
                Stop::Exited(_) | Stop::Killed(_) => return Err(failed(Errno::ESRCH)),
            }
        }
    }
}
