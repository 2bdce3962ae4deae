//! Code that a process is sent through for a system call, and that brings it back
//! by itself if there is nobody left to do so.
//!
//! The kernel lets a process go on when its tracer is killed, with the registers
//! that it has at that moment. Whoever borrows it for a call of its own would leave
//! it in the middle of that, with the wrong result, arguments and signal mask; and a
//! single step that outlives its tracer is a SIGTRAP, which kills. So there is no
//! single step here, and the call is the first instruction of a piece of code that
//! then gives back the mask and every register that the call needed, and jumps to
//! where the process was. The code and what it gives back are written before any
//! register is changed. Whenever the tracer is killed, the process is
//!
//! | when | what it does |
//! | --- | --- |
//! | before the registers are set | goes on; nothing has changed but bytes that nobody uses |
//! | before the mask is set | makes the call, sets the mask that it has, goes on |
//! | before, in and behind the call | makes the call, gives back mask and registers, goes on |
//! | when the mask is back, and not the registers | sets the mask again, goes on |
//! | when the registers are back | goes on |
//!
//! A signal that comes meanwhile waits for the mask, and its handler returns into
//! this code like into any other. A call that the process was interrupted in is made
//! again at the end, as the kernel does. A copy that nobody holds ends at once: it
//! has the result 0, and no stack.
//!
//! The code stands behind the end of the kernel's own functions, in the rest of
//! their last page, which belongs to nobody. What was there is put back. Code that
//! is found there is that of a tracer that was killed, and perhaps still in use:
//! then the place next to it is taken. Where there is no such page, or no room, the
//! process is sent over an instruction of its own (`inject`), and a tracer that is
//! killed in those microseconds leaves it in the middle of the call.

mod code;

use std::fs;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::Registers;

pub(crate) use self::code::Then;
use self::code::{LEN, code, is_ours};
use crate::inject::{FAULTS, SYSCALL, failed};
use crate::{Resume, Stop, Tracee, Tracing, Trap, ptrace};

/// How many places are looked at.
const PLACES: u64 = 8;

const PAGE: u64 = 4096;

/// How often a call that was interrupted is made again.
const TRIES: usize = 64;

/// A place for such code.
#[derive(Clone)]
pub(crate) struct Springboard {
    at: u64,
    /// What is there otherwise.
    original: Vec<u8>,
}

impl Springboard {
    /// Finds a place in a process.
    pub(crate) fn in_process(process: Tracee) -> Option<Self> {
        let start = kernels_functions(process.pid())?;
        let (used, end) = extent(&process.read_some(start, PAGE as usize))?;
        let places = (1..=PLACES).map(|index| end.checked_sub(index * LEN as u64));
        for offset in places.map_while(|offset| offset.filter(|offset| *offset >= used)) {
            let at = start.checked_add(offset)?;
            let original = process.read_some(at, LEN);
            if original.len() < LEN {
                return None;
            }
            if !is_ours(&original) {
                return Some(Self { at, original });
            }
        }
        None
    }

    /// Makes a stopped process do a call. Returns the result, and the process that
    /// was made, if one was. `None` if nothing was done.
    pub(crate) fn call(
        &self,
        process: Tracee,
        number: i64,
        arguments: [u64; 6],
        then: Then,
    ) -> Tracing<Option<(u64, Option<Tracee>)>> {
        let before = process.registers()?;
        let blocked = ptrace::signal_mask(process.pid())?;
        let code = code(&landing(&before), blocked, then);
        if process.write_code(self.at, &code).is_err() {
            return Ok(None);
        }
        let mut there = before;
        there.set_rip(self.at);
        there.set_rax(number.cast_unsigned());
        // Not in a system call any more: the kernel must not restart it.
        there.set_orig_rax(u64::MAX);
        there.set_arguments(arguments);
        process.set_registers(&there)?;
        let all = FAULTS
            .iter()
            .fold(!0, |all, fault| all & !(1 << (fault - 1)));
        ptrace::set_signal_mask(process.pid(), all)?;
        let mut held = Vec::new();
        let done = self.follow(process, &there, &mut held);
        let cut_off = is_cut_off(&before);
        if done.is_err() {
            // It may stand before a call, which must not be made.
            ptrace::set_signal_mask(process.pid(), blocked)?;
            process.set_registers(&landing(&before))?;
        } else {
            if cut_off {
                // The kernel makes calls again only on the way to a signal or a stop.
                process.interrupt()?;
            }
            ptrace::set_signal_mask(process.pid(), blocked)?;
            process.set_registers(&before)?;
            if cut_off {
                until_interrupted(process, &mut held)?;
            }
        }
        self.clear(process);
        for signal in held {
            process.send(signal)?;
        }
        match done {
            Err(error) if error.errno == Errno::EFAULT => Ok(None),
            done => done.map(Some),
        }
    }

    /// Puts back what was there, or leaves what harms nobody.
    pub(crate) fn clear(&self, process: Tracee) {
        let _ = process.write_code(self.at, &self.original);
    }

    /// Follows the process until it has made the call.
    fn follow(
        &self,
        process: Tracee,
        there: &Registers,
        held: &mut Vec<i32>,
    ) -> Tracing<(u64, Option<Tracee>)> {
        let behind = self.at + SYSCALL;
        let mut made = None;
        let mut entered = false;
        for _ in 0..TRIES {
            process.resume(Resume::ToCall, 0)?;
            match process.wait()? {
                Stop::Call => {
                    let now = process.registers()?;
                    if now.rip() != behind {
                        // The end of the call that it stood in.
                        process.set_registers(there)?;
                    } else if !entered {
                        entered = true;
                    } else if is_restart(now.rax()) {
                        entered = false;
                    } else {
                        return Ok((now.rax(), made));
                    }
                }
                Stop::Signal(signal) if process.is_fault(signal)? => {
                    return Err(failed(Errno::EFAULT));
                }
                // One that is not blocked; it comes again.
                Stop::Signal(signal) => held.push(signal),
                Stop::Trap(Trap::Child) => {
                    let pid = i32::try_from(process.message()?).unwrap_or_default();
                    made = Some(Tracee::already(Pid::from_raw(pid)));
                }
                Stop::Trap(_) => {}
                Stop::Exited(_) | Stop::Killed(_) => return Err(failed(Errno::ESRCH)),
            }
        }
        Err(failed(Errno::EINTR))
    }
}

/// Waits for the stop that was asked for; it comes before any instruction.
fn until_interrupted(process: Tracee, held: &mut Vec<i32>) -> Tracing<()> {
    loop {
        process.resume(Resume::ToCall, 0)?;
        match process.wait()? {
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) | Stop::Exited(_) | Stop::Killed(_) => {
                return Ok(());
            }
            Stop::Signal(signal) => held.push(signal),
            Stop::Trap(_) | Stop::Call => {}
        }
    }
}

/// Where the kernel has put its functions into a process.
fn kernels_functions(process: Pid) -> Option<u64> {
    let words = fs::read(format!("/proc/{process}/auxv")).ok()?;
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).ok();
    let mut pairs = words.chunks_exact(16);
    let pair = pairs.find(|pair| word(&pair[..8]) == Some(libc::AT_SYSINFO_EHDR))?;
    word(&pair[8..])
}

/// How much of the kernel's functions is ever used, and how much is mapped, by the
/// first page of them.
fn extent(file: &[u8]) -> Option<(u64, u64)> {
    const LOAD: u64 = 1;
    let number = |at: usize, len: usize| {
        let mut word = [0; 8];
        word[..len].copy_from_slice(file.get(at..at.checked_add(len)?)?);
        Some(u64::from_le_bytes(word))
    };
    if !file.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let headers = usize::try_from(number(32, 8)?).ok()?;
    let mut used = 0;
    for index in 0..usize::try_from(number(56, 2)?).ok()? {
        let header = headers.checked_add(index * 56)?;
        if number(header, 4)? == LOAD {
            let end = number(header + 16, 8)?.checked_add(number(header + 40, 8)?)?;
            used = end.max(used);
        }
    }
    let sections = number(40, 8)?.checked_add(number(58, 2)? * number(60, 2)?)?;
    (used > 0).then_some(())?;
    Some((used, used.max(sections).checked_next_multiple_of(PAGE)?))
}

/// Whether a call has ended with what makes the kernel make it again.
fn is_restart(result: u64) -> bool {
    matches!(result.cast_signed(), -512 | -513 | -514 | -516)
}

/// Whether a process stands at the end of such a call.
fn is_cut_off(registers: &Registers) -> bool {
    registers.orig_rax().cast_signed() >= 0 && is_restart(registers.rax())
}

/// With what a process goes on that nobody traces.
fn landing(before: &Registers) -> Registers {
    let mut landing = *before;
    if is_cut_off(before) {
        landing.set_rip(before.rip().wrapping_sub(SYSCALL));
        landing.set_rax(match before.rax().cast_signed() {
            -516 => libc::SYS_restart_syscall.cast_unsigned(),
            _ => before.orig_rax(),
        });
    }
    landing.set_orig_rax(u64::MAX);
    landing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_cut_off_is_made_again() {
        let mut before = Registers::default();
        before.set_rip(0x1002);
        before.set_orig_rax(61);
        let check = |result: i64, rip, rax: i64| {
            let mut before = before;
            before.set_rax(result.cast_unsigned());
            let landing = landing(&before);
            assert_eq!((landing.rip(), landing.rax()), (rip, rax.cast_unsigned()));
        };
        check(-512, 0x1000, 61);
        check(-516, 0x1000, libc::SYS_restart_syscall);
        check(-4, 0x1002, -4);
        check(0, 0x1002, 0);
    }

    #[test]
    fn this_kernels_functions_have_an_end() {
        let own = nix::unistd::getpid();
        let Some(start) = kernels_functions(own) else {
            return;
        };
        let first = Tracee::already(own).read_some(start, PAGE as usize);
        let (used, end) = extent(&first).unwrap();
        assert!(used <= end && end % PAGE == 0);
        assert_eq!(extent(b"nothing"), None);
        assert_eq!(extent(b"\x7fELF\x02"), None);
    }
}
