//! The calls into the kernel.
#![allow(
    unsafe_code,
    reason = "ptrace and waitpid have no safe wrapper that knows real-time signals and extended \
              registers"
)]

use std::time::Duration;

use nix::errno::Errno;
use nix::libc::{self, c_void};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::Pid;
use reprise_process_events::Registers;

use crate::{TraceError, extended};

/// The note type of the registers that XSAVE stores.
const NT_X86_XSTATE: usize = 0x202;

/// That of those which FXSAVE stores.
const NT_PRFPREG: usize = 2;

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

/// The extended registers, as XSAVE lays them out. Processors that do not have it have its
/// first part, which is handed out alone.
pub(crate) fn extended(pid: Pid) -> Result<Vec<u8>, TraceError> {
    match registers_of(pid, NT_X86_XSTATE) {
        Err(error) if error.errno == Errno::ENODEV => {
            let mut bytes = registers_of(pid, NT_PRFPREG)?;
            bytes.resize(extended::LEAST, 0);
            Ok(bytes)
        }
        other => other,
    }
}

fn registers_of(pid: Pid, kind: usize) -> Result<Vec<u8>, TraceError> {
    let mut bytes = vec![0u8; EXTENDED];
    let mut vector = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast::<c_void>(),
        iov_len: bytes.len(),
    };
    // SAFETY: the kernel stores at most `iov_len` bytes at `iov_base`, which
    // are ours, and updates the length in `vector`.
    let result =
        unsafe { libc::ptrace(libc::PTRACE_GETREGSET, pid.as_raw(), kind, &raw mut vector) };
    check(result, "PTRACE_GETREGSET")?;
    bytes.truncate(vector.iov_len);
    Ok(bytes)
}

pub(crate) fn set_extended(pid: Pid, bytes: &[u8]) -> Result<(), TraceError> {
    match set_registers_of(pid, NT_X86_XSTATE, bytes) {
        Err(error) if error.errno == Errno::ENODEV => {
            let legacy = bytes.get(..extended::LEGACY).unwrap_or(bytes);
            set_registers_of(pid, NT_PRFPREG, legacy)
        }
        other => other,
    }
}

fn set_registers_of(pid: Pid, kind: usize, bytes: &[u8]) -> Result<(), TraceError> {
    let mut vector = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast::<c_void>(),
        iov_len: bytes.len(),
    };
    // SAFETY: the kernel only reads the `iov_len` bytes at `iov_base`, and
    // updates the length in `vector`.
    let result =
        unsafe { libc::ptrace(libc::PTRACE_SETREGSET, pid.as_raw(), kind, &raw mut vector) };
    check(result, "PTRACE_SETREGSET")
}

/// The signals that the process blocks, a bit each.
pub(crate) fn signal_mask(pid: Pid) -> Result<u64, TraceError> {
    let mut mask = 0u64;
    // SAFETY: the kernel stores as many bytes as the third argument says where
    // the last one points.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_GETSIGMASK,
            pid.as_raw(),
            size_of::<u64>(),
            &raw mut mask,
        )
    };
    check(result, "PTRACE_GETSIGMASK")?;
    Ok(mask)
}

pub(crate) fn set_signal_mask(pid: Pid, mask: u64) -> Result<(), TraceError> {
    // SAFETY: the kernel reads as many bytes as the third argument says where
    // the last one points.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_SETSIGMASK,
            pid.as_raw(),
            size_of::<u64>(),
            &raw const mask,
        )
    };
    check(result, "PTRACE_SETSIGMASK")
}

/// How many signals are asked for at once.
const SIGNALS: usize = 8;

/// The signals that wait for the process, a bit each. One that the kernel had no
/// room to describe is not among them.
pub(crate) fn pending(pid: Pid) -> Result<u64, TraceError> {
    let mut mask = 0;
    for flags in [0, libc::PTRACE_PEEKSIGINFO_SHARED] {
        let mut off = 0;
        loop {
            // SAFETY: a `siginfo_t` of zeros is one that says nothing.
            let mut found: [libc::siginfo_t; SIGNALS] = unsafe { std::mem::zeroed() };
            let arguments = libc::ptrace_peeksiginfo_args {
                off,
                flags,
                nr: SIGNALS as i32,
            };
            // SAFETY: the kernel reads the arguments and stores at most as many
            // `siginfo_t` as they say.
            let count = unsafe {
                libc::ptrace(
                    libc::PTRACE_PEEKSIGINFO,
                    pid.as_raw(),
                    &raw const arguments,
                    found.as_mut_ptr(),
                )
            };
            check(count, "PTRACE_PEEKSIGINFO")?;
            let count = usize::try_from(count).unwrap_or(0).min(SIGNALS);
            for info in &found[..count] {
                mask |= 1u64 << (info.si_signo - 1).clamp(0, 63);
            }
            if count < SIGNALS {
                break;
            }
            off += SIGNALS as u64;
        }
    }
    Ok(mask)
}

/// The status of a process that stopped or ended; `None` when there is none yet
/// or when the wait was interrupted.
///
/// A stop is looked at and not taken: a signal that a tracer has taken is gone
/// when the tracer dies before it lets the process go on, and one that it has
/// only seen is delivered. So a stop is seen until the process is resumed.
pub(crate) fn wait(pid: Pid, block: bool) -> Result<Option<i32>, TraceError> {
    let options = if block { 0 } else { libc::WNOHANG };
    // SAFETY: a `siginfo_t` of zeros is one that says nothing.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // The stops of a traced process are told without being asked for.
    let all = libc::WEXITED | libc::WNOWAIT | libc::__WALL;
    let id = pid.as_raw().cast_unsigned();
    // SAFETY: the kernel stores one `siginfo_t` where the pointer says.
    let result = unsafe { libc::waitid(libc::P_PID, id, &raw mut info, options | all) };
    match Errno::result(result) {
        Err(Errno::EINTR) => return Ok(None),
        result => check(result.map_or(-1, i64::from), "waitid")?,
    }
    // SAFETY: `waitid` has filled in these fields, or left them zero.
    let (whose, status) = unsafe { (info.si_pid(), info.si_status()) };
    if whose == 0 {
        return Ok(None);
    }
    if ![libc::CLD_EXITED, libc::CLD_KILLED, libc::CLD_DUMPED].contains(&info.si_code) {
        return Ok(Some(status << 8 | 0x7f));
    }
    let mut status = 0;
    // SAFETY: the kernel stores one number where the pointer says.
    let result = unsafe { libc::waitpid(pid.as_raw(), &raw mut status, libc::__WALL) };
    check(result.into(), "waitpid")?;
    Ok(Some(status))
}

/// Waits until some traced process or child tells something, or for so long.
/// SIGCHLD must be blocked.
pub(crate) fn wait_for_child(at_most: Option<Duration>) {
    let mut child = SigSet::empty();
    child.add(Signal::SIGCHLD);
    let timeout = at_most.map(|most| libc::timespec {
        tv_sec: most.as_secs().cast_signed(),
        tv_nsec: most.subsec_nanos().into(),
    });
    let timeout = timeout
        .as_ref()
        .map_or(std::ptr::null(), |time| &raw const *time);
    // SAFETY: the kernel reads the set and the time, which live until then, and
    // stores nothing.
    let _ = unsafe { libc::sigtimedwait(child.as_ref(), std::ptr::null_mut(), timeout) };
}

/// Has a signal that otherwise means nothing cut off what a thread waits for.
pub(crate) fn be_cut_off_by(signal: Signal) {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler = SigHandler::Handler(nothing);
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: the handler does nothing.
    let _ = unsafe { sigaction(signal, &action) };
}

pub(crate) fn send(pid: Pid, signal: i32) -> Result<(), TraceError> {
    // SAFETY: `tkill` takes two numbers and touches no memory of ours. It needs
    // no number of a process, which a thread may not be the first of.
    let result = unsafe { libc::syscall(libc::SYS_tkill, pid.as_raw(), signal) };
    check(result, "tkill")
}

/// The address that a signal of the memory protection is about.
pub(crate) fn address_of(info: &libc::siginfo_t) -> u64 {
    // SAFETY: reads a field that such a signal has; in any other it is a number.
    unsafe { info.si_addr() as u64 }
}

/// `PTRACE_GET_RSEQ_CONFIGURATION`.
const GET_RSEQ: libc::c_uint = 0x420f;

/// Where a thread has told the kernel to write what happens to it: address,
/// length and signature of its area for restartable sequences.
pub(crate) fn rseq(pid: Pid) -> Option<(u64, u32, u32)> {
    #[repr(C)]
    #[derive(Default)]
    struct Configuration {
        address: u64,
        len: u32,
        signature: u32,
        flags: u32,
        unused: u32,
    }
    let mut area = Configuration::default();
    let len = size_of::<Configuration>();
    // SAFETY: the kernel stores at most as many bytes as it is told there are.
    let result = unsafe { libc::ptrace(GET_RSEQ, pid.as_raw(), len, &raw mut area) };
    (result > 0 && area.address != 0).then_some((area.address, area.len, area.signature))
}

/// Where the list of locks is that a thread holds and that the kernel frees when
/// it ends; 0 is nowhere.
pub(crate) fn robust_list(pid: Pid) -> u64 {
    let mut head = 0u64;
    let mut len = 0usize;
    // SAFETY: the kernel stores an address and a length where the pointers say.
    let result = unsafe {
        libc::syscall(
            libc::SYS_get_robust_list,
            pid.as_raw(),
            &raw mut head,
            &raw mut len,
        )
    };
    if result == 0 { head } else { 0 }
}
