//! A thread that was stopped wherever it was, brought to a place between two
//! instructions of its program.
//!
//! One that slept in a call has been woken, and the call would fail, or would be
//! made again by the kernel when it likes. It is made again in any case: the
//! thread stands in front of it.

use std::fs;

use nix::libc;
use reprise_process_events::Registers;
use reprise_tracee::{Resume, Stop, TraceError, Tracee};

/// What the kernel says in place of a result when a call is to be made again:
/// always, unless a handler runs, or with what is left of its time.
const RESTARTSYS: u64 = (-512i64).cast_unsigned();
const RESTARTNOINTR: u64 = (-513i64).cast_unsigned();
const RESTARTNOHAND: u64 = (-514i64).cast_unsigned();
const RESTART_RESTARTBLOCK: u64 = (-516i64).cast_unsigned();
const EINTR: u64 = (-libc::EINTR as i64).cast_unsigned();

/// The most instructions that are stepped over.
const STEPS: usize = 100_000;

/// Where a thread stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// It stands in front of a call that goes on with what is left of its time:
    /// this call, with these registers at its beginning.
    pub(crate) resumes: Option<Registers>,
}

/// Settles a thread that is stopped, not at the beginning of a call.
pub(crate) fn settle(thread: Tracee) -> Result<Settled, TraceError> {
    let mut registers = thread.registers()?;
    let in_call = registers.orig_rax().cast_signed() >= 0;
    let behind = registers.rip();
    if !in_call || !thread.is_behind_syscall(behind) {
        return Ok(Settled::default());
    }
    let number = registers.orig_rax();
    let mut settled = Settled::default();
    let again = match registers.rax() {
        RESTARTSYS | RESTARTNOINTR => number,
        RESTARTNOHAND | RESTART_RESTARTBLOCK | EINTR if is_about_to_be_told(thread) => {
            // As it would be without us: it is interrupted.
            registers.set_rax(EINTR);
            registers.set_orig_rax(u64::MAX);
            thread.set_registers(&registers)?;
            return Ok(settled);
        }
        RESTARTNOHAND | EINTR => number,
        RESTART_RESTARTBLOCK => {
            let mut beginning = registers;
            beginning.set_rax(number);
            settled.resumes = Some(beginning);
            libc::SYS_restart_syscall.cast_unsigned()
        }
        _ => return Ok(settled),
    };
    registers.set_rax(again);
    registers.set_rip(behind.wrapping_sub(2));
    registers.set_orig_rax(u64::MAX);
    thread.set_registers(&registers)?;
    Ok(settled)
}

/// Whether a handler of a signal is about to run.
fn is_about_to_be_told(thread: Tracee) -> bool {
    let status = fs::read(format!("/proc/{}/status", thread.pid())).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    };
    (mask("SigPnd:") | mask("ShdPnd:")) & !mask("SigBlk:") & mask("SigCgt:") != 0
}

/// Lets a thread go on until it stands outside of a range.
pub(crate) fn step_out(thread: Tracee, range: (u64, u64)) -> Result<(), TraceError> {
    for _ in 0..STEPS {
        let here = thread.registers()?.rip();
        if !(range.0..range.1).contains(&here) {
            return Ok(());
        }
        thread.resume(Resume::OneInstruction, 0)?;
        match thread.wait()? {
            Stop::Exited(_) | Stop::Killed(_) => return Ok(()),
            // It is told later, when it goes on.
            Stop::Signal(signal) if signal != libc::SIGTRAP => thread.send(signal)?,
            _ => {}
        }
    }
    Ok(())
}
