//! System calls made in the name of a stopped process.
//!
//! A process that is stopped at a system call stands just behind a `syscall`
//! instruction. It is sent over that instruction again, with other registers.

use nix::errno::Errno;
use nix::libc;

use crate::{Resume, Stop, TraceError, Tracee, Tracing};

/// The length of the `syscall` instruction.
const SYSCALL: u64 = 2;

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
    /// is in the result, as a small negative number.
    pub fn call_at(&self, behind: u64, number: i64, arguments: [u64; 6]) -> Tracing<u64> {
        let before = self.registers()?;
        let mut registers = before;
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
                Stop::Signal(libc::SIGTRAP) => {}
                _ => {
                    let what = "make the process do a system call";
                    let errno = Errno::EINTR;
                    return Err(TraceError { what, errno });
                }
            }
            // The end of the call it stood in may be reported first.
            registers = self.registers()?;
            if registers.rip() != at {
                break;
            }
        }
        let result = registers.rax();
        self.set_registers(&before)?;
        Ok(result)
    }
}
