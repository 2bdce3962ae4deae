//! System calls made in the name of a stopped process.
//!
//! A process that is stopped at a system call stands just behind a `syscall`
//! instruction. It is sent over that instruction again, with other registers.

use nix::errno::Errno;
use nix::libc;
use reprise_process_events::Registers;

use crate::{Resume, Stop, TraceError, Tracee, Tracing, ptrace};

/// The length of the `syscall` instruction.
const SYSCALL: u64 = 2;

/// Every signal but the one by which the kernel reports a step: were that one
/// blocked, the kernel would take the process's handler for it away.
const ALL_BUT_TRAP: u64 = !(1 << (libc::SIGTRAP - 1));

/// The bytes of the `syscall` instruction.
const SYSCALL_BYTES: [u8; 2] = [0x0f, 0x05];

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
}
