//! System calls made in the name of a stopped process.
//!
//! A process that is stopped at a system call stands just behind a `syscall`
//! instruction. It is sent over that instruction again, with other registers.

use nix::errno::Errno;
use nix::libc;
use reprise_process_events::Registers;

use crate::{Resume, Stop, TraceError, Tracee, Tracing, Trap, ptrace};

/// The length of the `syscall` instruction.
const SYSCALL: u64 = 2;

/// Every signal but the one by which the kernel reports a step: were that one
/// blocked, the kernel would take the process's handler for it away.
const ALL_BUT_TRAP: u64 = !(1 << (libc::SIGTRAP - 1));

/// The bytes of the `syscall` instruction.
const SYSCALL_BYTES: [u8; 2] = [0x0f, 0x05];

/// How `clone` is called to make a copy that is our child and not the copied
/// process's.
pub const COPY: u64 = libc::CLONE_PARENT as u64;

impl Tracee {
    /// Whether the instruction that ends at `behind` is `syscall`, and not one
    /// of the other ways into the kernel.
    #[must_use]
    pub fn is_behind_syscall(&self, behind: u64) -> bool {
        self.read_some(behind.wrapping_sub(SYSCALL), 2) == SYSCALL_BYTES
    }

    /// Makes the process do a system call with the instruction that ends at
    /// `behind`, and gives it its registers back. An error of the call itself
    /// is in the result, as a small negative number. Signals that come meanwhile
    /// come afterwards.
    pub fn call_at(&self, behind: u64, number: i64, arguments: [u64; 6]) -> Tracing<u64> {
        let blocked = ptrace::signal_mask(self.pid)?;
        let before = self.registers()?;
        let mut held = Vec::new();
        let result = ptrace::set_signal_mask(self.pid, ALL_BUT_TRAP)
            .and_then(|()| self.step_over(before, behind, number, arguments, &mut held));
        // Whatever happened: it goes on where it was.
        let restored = self.set_registers(&before);
        let unblocked = ptrace::set_signal_mask(self.pid, blocked);
        for signal in held {
            self.send(signal)?;
        }
        let result = result?;
        restored?;
        unblocked?;
        Ok(result)
    }

    fn step_over(
        &self,
        mut registers: Registers,
        behind: u64,
        number: i64,
        arguments: [u64; 6],
        held: &mut Vec<i32>,
    ) -> Tracing<u64> {
        let at = behind.wrapping_sub(SYSCALL);
        registers.set_rip(at);
        registers.set_rax(number.cast_unsigned());
        // Not in a system call any more: the kernel must not restart it.
        registers.set_orig_rax(u64::MAX);
        registers.set_arguments(arguments);
        self.set_registers(&registers)?;
        loop {
            self.resume(Resume::OneInstruction, 0)?;
            match self.wait()? {
                Stop::Signal(libc::SIGTRAP) => {
                    // The end of the call it stood in may be reported first.
                    let registers = self.registers()?;
                    if registers.rip() != at {
                        return Ok(registers.rax());
                    }
                }
                // One that cannot be blocked.
                Stop::Signal(signal) => held.push(signal),
                Stop::Trap(_) | Stop::Call => {}
                Stop::Exited(_) | Stop::Killed(_) => {
                    let what = "make the process do a system call";
                    let errno = Errno::ESRCH;
                    return Err(TraceError { what, errno });
                }
            }
        }
    }

    /// Makes a copy of the process, stopped like it, with the instruction that
    /// ends at `behind`. The copy is a child of the process's parent, which must
    /// be the caller, and the process must be traced with
    /// `PTRACE_O_TRACECLONE` and `PTRACE_O_TRACEFORK`.
    pub fn copy_at(&self, behind: u64) -> Tracing<Self> {
        let failed = |errno| TraceError {
            what: "make a copy of the process",
            errno,
        };
        let before = self.registers()?;
        let mut registers = before;
        let at = behind.wrapping_sub(SYSCALL);
        registers.set_rip(at);
        registers.set_rax(libc::SYS_clone.cast_unsigned());
        registers.set_orig_rax(u64::MAX);
        registers.set_arguments([COPY, 0, 0, 0, 0, 0]);
        self.set_registers(&registers)?;
        let mut copy = None;
        loop {
            self.resume(Resume::OneInstruction, 0)?;
            match self.wait()? {
                Stop::Signal(libc::SIGTRAP) => {}
                Stop::Trap(Trap::Child) => {
                    let pid = i32::try_from(self.message()?).map_err(|_| failed(Errno::EINVAL))?;
                    copy = Some(Self::already(nix::unistd::Pid::from_raw(pid)));
                    continue;
                }
                _ => return Err(failed(Errno::EINTR)),
            }
            registers = self.registers()?;
            if registers.rip() != at {
                break;
            }
        }
        self.set_registers(&before)?;
        let refused = i32::try_from(registers.rax().wrapping_neg()).unwrap_or(0);
        let copy = copy.ok_or_else(|| failed(Errno::from_raw(refused)))?;
        // It begins with a stop of its own.
        copy.wait()?;
        let mut before = before;
        before.set_orig_rax(u64::MAX);
        copy.set_registers(&before)?;
        Ok(copy)
    }
}
