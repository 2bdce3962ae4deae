//! The calls into the kernel.
#![allow(
    unsafe_code,
    reason = "ptrace and waitpid have no safe wrapper that knows real-time signals and extended \
              registers"
)]

use nix::errno::Errno;
use nix::libc::{self, c_void};
use nix::unistd::Pid;
use reprise_process_events::Registers;

use crate::TraceError;

/// The note type of the registers that XSAVE stores.
const NT_X86_XSTATE: usize = 0x202;

/// More than the extended registers of any processor so far.
const EXTENDED: usize = 16 << 10;

fn check(result: libc::c_long, what: &'static str) -> Result<(), TraceError> {
    if result == -1 {
        let errno = Errno::last();
        return Err(TraceError { what, errno });
    }
    Ok(())
}

/// A request that passes no pointer of ours.
pub(crate) fn request(
    request: libc::c_uint,
    pid: Pid,
    address: usize,
    data: usize,
    what: &'static str,
) -> Result<(), TraceError> {
    // SAFETY: the callers in this crate make only requests for which both
    // arguments are plain numbers, so the kernel writes nothing of ours.
    let result = unsafe { libc::ptrace(request, pid.as_raw(), address, data) };
    check(result, what)
}

pub(crate) fn message(pid: Pid) -> Result<u64, TraceError> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the kernel stores one unsigned long where the last argument points.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_GETEVENTMSG,
            pid.as_raw(),
            0usize,
            &raw mut message,
        )
    };
    check(result, "PTRACE_GETEVENTMSG")?;
    Ok(message)
}

/// Reads a word of the kernel's `struct user`.
pub(crate) fn user_word(pid: Pid, offset: usize) -> Result<u64, TraceError> {
    // The result may be any number, so only the error number says whether it
    // is one.
    Errno::clear();
    // SAFETY: for this request the C library stores the word in a variable of
    // its own and returns it; both arguments are plain numbers.
    let word = unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, pid.as_raw(), offset, 0usize) };
    match Errno::last_raw() {
        0 => Ok(word.cast_unsigned()),
        errno => Err(TraceError {
            what: "PTRACE_PEEKUSER",
            errno: Errno::from_raw(errno),
        }),
    }
}

pub(crate) fn registers(pid: Pid) -> Result<Registers, TraceError> {
    const { assert!(size_of::<Registers>() == size_of::<libc::user_regs_struct>()) };
    let mut registers = Registers::default();
    // SAFETY: the kernel stores a `user_regs_struct`, which is 27 words, where
    // the last argument points, and there are 27 words.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_GETREGS,
            pid.as_raw(),
            0usize,
            registers.0.as_mut_ptr(),
        )
    };
    check(result, "PTRACE_GETREGS")?;
    Ok(registers)
}

pub(crate) fn set_registers(pid: Pid, registers: &Registers) -> Result<(), TraceError> {
    // SAFETY: the kernel reads a `user_regs_struct`, which is 27 words, where
    // the last argument points, and there are 27 words.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_SETREGS,
            pid.as_raw(),
            0usize,
            registers.0.as_ptr(),
        )
    };
    check(result, "PTRACE_SETREGS")
}

pub(crate) fn extended(pid: Pid) -> Result<Vec<u8>, TraceError> {
    let mut bytes = vec![0u8; EXTENDED];
    let mut vector = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast::<c_void>(),
        iov_len: bytes.len(),
    };
    // SAFETY: the kernel stores at most `iov_len` bytes at `iov_base`, which
    // are ours, and updates the length in `vector`.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_GETREGSET,
            pid.as_raw(),
            NT_X86_XSTATE,
            &raw mut vector,
        )
    };
    check(result, "PTRACE_GETREGSET")?;
    bytes.truncate(vector.iov_len);
    Ok(bytes)
}

pub(crate) fn set_extended(pid: Pid, bytes: &[u8]) -> Result<(), TraceError> {
    let mut vector = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast::<c_void>(),
        iov_len: bytes.len(),
    };
    // SAFETY: the kernel only reads the `iov_len` bytes at `iov_base`, and
    // updates the length in `vector`.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_SETREGSET,
            pid.as_raw(),
            NT_X86_XSTATE,
            &raw mut vector,
        )
    };
    check(result, "PTRACE_SETREGSET")
}

/// Waits for the process; `None` when nothing has happened and `block` is false,
/// or when the wait was interrupted.
pub(crate) fn wait(pid: Pid, block: bool) -> Result<Option<i32>, TraceError> {
    let mut status = 0;
    let options = if block { 0 } else { libc::WNOHANG };
    // SAFETY: the kernel stores one int where the second argument points.
    let result = unsafe { libc::waitpid(pid.as_raw(), &raw mut status, options | libc::__WALL) };
    match result {
        0 => Ok(None),
        -1 if Errno::last() == Errno::EINTR => Ok(None),
        result => {
            check(result.into(), "waitpid")?;
            Ok(Some(status))
        }
    }
}

pub(crate) fn send(pid: Pid, signal: i32) -> Result<(), TraceError> {
    // SAFETY: `tgkill` takes three numbers and touches no memory of ours.
    let result = unsafe { libc::syscall(libc::SYS_tgkill, pid.as_raw(), pid.as_raw(), signal) };
    check(result, "tgkill")
}
