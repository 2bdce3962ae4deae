//! Twins of a stopped process, which can be told to go on like it, or to make
//! twins themselves.

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;

use crate::{Resume, Stop, TraceError, Tracee, Tracing, Trap};

/// The length of the `syscall` instruction.
const SYSCALL: u64 = 2;

/// How `clone` is called to make a twin: it is our child, not the process's.
pub const TWIN: u64 = libc::CLONE_PARENT as u64;

impl Tracee {
    /// Makes a twin of the process, stopped like it, with the instruction that
    /// ends at `behind`. The twin is a child of the process's parent, which must
    /// be the caller, and the process must be traced with
    /// `PTRACE_O_TRACECLONE` and `PTRACE_O_TRACEFORK`.
    pub fn twin_at(&self, behind: u64) -> Tracing<Self> {
        let failed = |errno| TraceError {
            what: "make a twin of the process",
            errno,
        };
        let before = self.registers()?;
        let mut registers = before;
        let at = behind.wrapping_sub(SYSCALL);
        registers.set_rip(at);
        registers.set_rax(libc::SYS_clone.cast_unsigned());
        registers.set_orig_rax(u64::MAX);
        registers.set_arguments([TWIN, 0, 0, 0, 0, 0]);
        self.set_registers(&registers)?;
        let mut twin = None;
        loop {
            self.resume(Resume::OneInstruction, 0)?;
            match self.wait()? {
                Stop::Signal(libc::SIGTRAP) => {}
                Stop::Trap(Trap::Child) => {
                    let pid = i32::try_from(self.message()?).map_err(|_| failed(Errno::EINVAL))?;
                    twin = Some(Self::already(Pid::from_raw(pid)));
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
        let twin = twin.ok_or_else(|| failed(Errno::from_raw(refused)))?;
        // It begins with a stop of its own.
        twin.wait()?;
        let mut before = before;
        before.set_orig_rax(u64::MAX);
        twin.set_registers(&before)?;
        Ok(twin)
    }
}
