//! A child that is traced for a probe, and system calls made in its name.
//!
//! Making the child do a system call is how the recorder and the player reach
//! into a process, so it is what the probes try. The child blocks in `read`;
//! stopped there, its instruction pointer is just behind a `syscall`
//! instruction, which is executed again with other registers. If this process
//! dies, the kernel kills the child.

use std::io::{self, Read as _, Write as _};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc::{c_long, c_void, user_regs_struct};
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::{Inner, inner};

/// The bytes of the `syscall` instruction, as the low half of a word.
const SYSCALL: u64 = 0x050f;

/// What a traced child can fail at.
#[derive(Debug, thiserror::Error)]
pub(super) enum TraceError {
    #[error("the child to be traced could not be started: {0}")]
    Start(#[from] io::Error),
    #[error("{what}: {errno}", errno = .errno.desc())]
    Refused { what: &'static str, errno: Errno },
    #[error("the child ended while it was traced")]
    Ended,
    #[error("the child was never found waiting in a system call")]
    NeverWaiting,
}

/// A child that waits to be traced.
pub(super) struct Tracee {
    child: Child,
    pid: Pid,
}

/// The child's part: say that we are there, then wait for the end of input.
pub(super) fn wait() {
    let mut stdout = io::stdout();
    if stdout.write_all(b"!").and_then(|()| stdout.flush()).is_ok() {
        let _ = io::stdin().read(&mut [0; 1]);
    }
}

impl Tracee {
    /// Starts a child and waits until it runs.
    pub(super) fn start() -> Result<Self, TraceError> {
        let mut child = inner(Inner::Wait)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pid = Pid::from_raw(child.id().cast_signed());
        if let Some(stdout) = &mut child.stdout {
            stdout.read_exact(&mut [0; 1])?;
        }
        Ok(Self { child, pid })
    }

    /// Becomes the child's tracer, without stopping it.
    pub(super) fn seize(&self) -> Result<(), TraceError> {
        ptrace::seize(self.pid, Options::PTRACE_O_EXITKILL).map_err(refused("PTRACE_SEIZE"))
    }

    /// Stops the child where it waits and returns its registers.
    pub(super) fn stop(&self) -> Result<user_regs_struct, TraceError> {
        for _ in 0..1000 {
            ptrace::interrupt(self.pid).map_err(refused("PTRACE_INTERRUPT"))?;
            self.wait_for_stop()?;
            let registers = self.registers()?;
            let before = self.peek(registers.rip.wrapping_sub(2))?;
            if before & 0xffff == SYSCALL {
                return Ok(registers);
            }
            // It is still on its way into `read`.
            ptrace::cont(self.pid, None).map_err(refused("PTRACE_CONT"))?;
            sleep(Duration::from_millis(1));
        }
        Err(TraceError::NeverWaiting)
    }

    /// Makes the stopped child do a system call. The outer error says that it
    /// could not be made to; the inner one is what the call returned.
    pub(super) fn call(
        &self,
        at: &user_regs_struct,
        number: c_long,
        arguments: [u64; 6],
    ) -> Result<Result<u64, Errno>, TraceError> {
        let mut registers = *at;
        registers.rip -= 2;
        registers.rax = number.cast_unsigned();
        // Not in a system call any more: the kernel must not restart `read`.
        registers.orig_rax = u64::MAX;
        [
            registers.rdi,
            registers.rsi,
            registers.rdx,
            registers.r10,
            registers.r8,
            registers.r9,
        ] = arguments;
        ptrace::setregs(self.pid, registers).map_err(refused("PTRACE_SETREGS"))?;
        ptrace::step(self.pid, None).map_err(refused("PTRACE_SINGLESTEP"))?;
        self.wait_for_stop()?;
        let result = self.registers()?.rax.cast_signed();
        Ok(match result {
            -4095..=-1 => Err(Errno::from_raw(i32::try_from(-result).unwrap_or_default())),
            _ => Ok(result.cast_unsigned()),
        })
    }

    /// Reads a word of the stopped child's memory.
    pub(super) fn peek(&self, address: u64) -> Result<u64, TraceError> {
        let word = ptrace::read(self.pid, address as *mut c_void);
        Ok(word.map_err(refused("PTRACE_PEEKDATA"))?.cast_unsigned())
    }

    /// Writes words to the stopped child's memory.
    pub(super) fn poke(&self, address: u64, words: &[u64]) -> Result<(), TraceError> {
        for (i, word) in (0u64..).zip(words) {
            let address = (address + 8 * i) as *mut c_void;
            ptrace::write(self.pid, address, word.cast_signed())
                .map_err(refused("PTRACE_POKEDATA"))?;
        }
        Ok(())
    }

    /// Lets the stopped child go and waits until it has ended by itself.
    /// Returns whether it ended as if nothing had happened.
    pub(super) fn let_go(mut self) -> Result<bool, TraceError> {
        ptrace::detach(self.pid, None).map_err(refused("PTRACE_DETACH"))?;
        drop(self.child.stdin.take());
        Ok(self.child.wait()?.success())
    }

    fn registers(&self) -> Result<user_regs_struct, TraceError> {
        ptrace::getregs(self.pid).map_err(refused("PTRACE_GETREGS"))
    }

    fn wait_for_stop(&self) -> Result<(), TraceError> {
        match waitpid(self.pid, None).map_err(refused("waitpid"))? {
            WaitStatus::Stopped(..) | WaitStatus::PtraceEvent(..) => Ok(()),
            _ => Err(TraceError::Ended),
        }
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn refused(what: &'static str) -> impl Fn(Errno) -> TraceError {
    move |errno| TraceError::Refused { what, errno }
}
