//! A blank process: no files, no memory but one page, no way out.
//!
//! The page comes from an executable of a few bytes that is made here and run
//! from memory. It holds a `syscall` instruction, by which the tracer maps and
//! unmaps in the process's name while there is no code of the recording yet.
#![allow(
    unsafe_code,
    reason = "what happens between fork and exec is out of the compiler's sight"
)]

use std::ffi::{CStr, CString};
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CloneFlags, CpuSet, sched_setaffinity, unshare};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, raise};
use nix::unistd::{ForkResult, Pid, fork};
use reprise_process_events::PAGE;
use reprise_syscalls::is_error;
use reprise_tracee::{Resume, Stop, Tracee, Trap};
use rustix::fs::MemfdFlags;

use crate::{ADDRESSES, Limits, PlayError, walls};

/// More files than a recorder has open.
const MANY: u32 = 1 << 16;

/// Where the code is in the page.
const CODE: u64 = 0xb0;

/// A blank process, stopped.
pub(crate) struct Blank {
    pub(crate) tracee: Tracee,
    /// The address behind the `syscall` instruction of the page.
    behind: u64,
    page: u64,
    /// How much memory may be there.
    pub(crate) memory: u64,
}

impl Blank {
    /// Makes one whose page is in none of these ranges.
    pub(crate) fn new(
        used: &[(u64, u64)],
        limits: &Limits,
        processor: Option<usize>,
        copies: Copies,
    ) -> Result<Self, PlayError> {
        let page = free_page(used)?;
        let image = executable(page)?;
        if let Some(processor) = processor {
            // The program may have asked on which processor it runs.
            let mut one = CpuSet::new();
            if one.set(processor).is_ok() {
                let _ = sched_setaffinity(Pid::from_raw(0), &one);
            }
        }
        let parent = nix::unistd::getpid();
        let path = CString::new(format!("/proc/self/fd/{}", image.as_raw_fd()));
        let path = path.unwrap_or_default();
        // SAFETY: the child makes system calls and nothing else; it takes no
        // lock and allocates nothing.
        let child = match unsafe { fork() }.map_err(failed("fork"))? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => become_blank(parent, image.as_raw_fd(), &path, limits),
        };
        let blank = Self {
            tracee: Tracee::already(child),
            behind: page + CODE + 2,
            page,
            memory: limits.memory,
        };
        blank.take_over(copies)?;
        blank.empty()?;
        blank.close_off(copies)?;
        Ok(blank)
    }

    /// Makes the process do a system call.
    pub(crate) fn call(&self, number: i64, arguments: [u64; 6]) -> Result<u64, PlayError> {
        Ok(self
            .tracee
            .call_plainly_at(self.behind, number, arguments)?)
    }

    /// The range that it needs until it is left.
    pub(crate) fn pages(&self) -> (u64, u64) {
        (self.page, self.page + 2 * PAGE)
    }

    /// Goes on as one of its copies.
    pub(crate) fn become_copy(&mut self, mut copy: Copied) {
        std::mem::swap(&mut self.tracee, &mut copy.0);
    }

    /// Takes the page away; there is no memory but the recording's then.
    pub(crate) fn leave(&self) -> Result<(), PlayError> {
        let arguments = [self.page, PAGE, 0, 0, 0, 0];
        self.checked("unmap the last page", libc::SYS_munmap, arguments)
    }

    fn checked(
        &self,
        what: &'static str,
        number: i64,
        arguments: [u64; 6],
    ) -> Result<(), PlayError> {
        let result = self.call(number, arguments)?;
        if is_error(result) {
            let errno = Errno::from_raw(i32::try_from(result.wrapping_neg()).unwrap_or(0));
            return Err(PlayError::Blank { what, errno });
        }
        Ok(())
    }

    /// Follows the child until it has its own, tiny program.
    fn take_over(&self, copies: Copies) -> Result<(), PlayError> {
        let lost = |_| PlayError::Blank {
            what: "the child did not become blank",
            errno: Errno::ECHILD,
        };
        self.expect(Stop::Signal(libc::SIGSTOP)).map_err(lost)?;
        let mut options = nix::sys::ptrace::Options::PTRACE_O_EXITKILL
            | nix::sys::ptrace::Options::PTRACE_O_TRACESYSGOOD
            | nix::sys::ptrace::Options::PTRACE_O_TRACEEXEC;
        if copies == Copies::Allowed {
            // They are traced from their first moment, and by the same options.
            options |= nix::sys::ptrace::Options::PTRACE_O_TRACEFORK
                | nix::sys::ptrace::Options::PTRACE_O_TRACECLONE;
        }
        nix::sys::ptrace::setoptions(self.tracee.pid(), options)
            .map_err(failed("PTRACE_SETOPTIONS"))?;
        nix::sys::ptrace::cont(self.tracee.pid(), None).map_err(failed("PTRACE_CONT"))?;
        self.expect(Stop::Trap(Trap::Exec)).map_err(lost)?;
        // The end of the call that ran it.
        self.tracee.resume(Resume::ToCall, 0)?;
        self.expect(Stop::Call).map_err(lost)
    }

    fn expect(&self, expected: Stop) -> Result<(), Option<Stop>> {
        match self.tracee.wait() {
            Ok(stop) if stop == expected => Ok(()),
            Ok(stop) => Err(Some(stop)),
            Err(_) => Err(None),
        }
    }

    /// Unmaps all but the page: stack, vDSO and whatever else there is.
    fn empty(&self) -> Result<(), PlayError> {
        let above = self.page + PAGE;
        for (start, end) in [(0, self.page), (above, ADDRESSES)] {
            let arguments = [start, end - start, 0, 0, 0, 0];
            self.checked("unmap everything", libc::SYS_munmap, arguments)?;
        }
        Ok(())
    }

    /// From here on there are no system calls but those that the filter allows.
    fn close_off(&self, copies: Copies) -> Result<(), PlayError> {
        const FILTER: u64 = libc::SECCOMP_SET_MODE_FILTER as u64;
        let at = self.page + PAGE;
        let filter = walls::filter(copies == Copies::Allowed).map_err(|_| PlayError::Blank {
            what: "make the filter",
            errno: Errno::EINVAL,
        })?;
        let writable = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_ANONYMOUS) as u64;
        let arguments = [at, PAGE, writable, flags, u64::MAX, 0];
        self.checked("map a page", libc::SYS_mmap, arguments)?;
        // A `struct sock_fprog`: how many instructions, and where.
        let count = (filter.len() / walls::INSTRUCTION) as u64;
        let mut program = [count.to_le_bytes(), (at + 16).to_le_bytes()].concat();
        program.extend(filter);
        self.tracee.write(at, &program)?;
        let arguments = [FILTER, 0, at, 0, 0, 0];
        self.checked("install the filter", libc::SYS_seccomp, arguments)?;
        let arguments = [at, PAGE, 0, 0, 0, 0];
        self.checked("unmap a page", libc::SYS_munmap, arguments)
    }
}

impl Drop for Blank {
    fn drop(&mut self) {
        end(self.tracee);
    }
}

/// Whether the tracer may make copies of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    Allowed,
    Forbidden,
}

/// A copy of a blank process, stopped for good unless it is copied again. It
/// ends with this value.
#[derive(Debug)]
pub(crate) struct Copied(Tracee);

impl Copied {
    /// Copies a stopped process, with the `syscall` instruction that ends at
    /// `behind`.
    pub(crate) fn of(process: Tracee, behind: u64) -> Result<Self, PlayError> {
        Ok(Self(process.twin_at(behind)?))
    }

    pub(crate) fn tracee(&self) -> Tracee {
        self.0
    }

    /// Copies this copy.
    pub(crate) fn again(&self, behind: u64) -> Result<Self, PlayError> {
        Self::of(self.0, behind)
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        end(self.0);
    }
}

/// Kills a process and sees it off.
fn end(process: Tracee) {
    let _ = nix::sys::signal::kill(process.pid(), Signal::SIGKILL);
    while let Ok(stop) = process.wait() {
        if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
            break;
        }
    }
}

/// The child's part. What fails here is seen by the parent, since the child
/// then does not become what it waits for.
fn become_blank(parent: Pid, image: RawFd, path: &CStr, limits: &Limits) -> ! {
    // One wall more, where that is allowed.
    let _ = unshare(
        CloneFlags::CLONE_NEWUSER
            | CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWIPC
            | CloneFlags::CLONE_NEWUTS
            | CloneFlags::CLONE_NEWNS,
    );
    // What is typed at a terminal to interrupt a debugger is not for it.
    let _ = nix::unistd::setpgid(Pid::from_raw(0), Pid::from_raw(0));
    // Stopped, it would outlive a parent that is killed before it holds it, with all
    // that it has open. Becoming another user, above, would have undone this.
    let ready = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)
        .and_then(|()| match nix::unistd::getppid() == parent {
            true => Ok(()),
            false => Err(Errno::ESRCH),
        })
        .and_then(|()| nix::sys::ptrace::traceme())
        .and_then(|()| raise(Signal::SIGSTOP))
        .and_then(|()| setrlimit(Resource::RLIMIT_CORE, 0, 0))
        .and_then(|()| setrlimit(Resource::RLIMIT_CPU, limits.seconds, limits.seconds + 1))
        // What cannot be accessed takes nothing: programs reserve terabytes of that.
        .and_then(|()| setrlimit(Resource::RLIMIT_DATA, limits.memory, limits.memory));
    if ready.is_ok() {
        let nothing = [std::ptr::null::<libc::c_char>()];
        // SAFETY: these calls take numbers and pointers to what lives until the
        // process has become another; the descriptors of this one are closed
        // by the kernel when that happens.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV);
            let flag = libc::CLOSE_RANGE_CLOEXEC;
            if libc::syscall(libc::SYS_close_range, 0, u32::MAX, flag) != 0 {
                // Kernels before 5.11 know no such flag.
                close_all_but(image);
            }
            libc::syscall(
                libc::SYS_execveat,
                image,
                c"".as_ptr(),
                nothing.as_ptr(),
                nothing.as_ptr(),
                libc::AT_EMPTY_PATH,
            );
            // There are kernels that look for a name all the same, where a name may be
            // missing, `/dev/fd`.
            libc::execve(path.as_ptr(), nothing.as_ptr(), nothing.as_ptr());
        }
    }
    // SAFETY: ends the process without running anything of the parent's.
    unsafe { libc::_exit(127) }
}

/// Closes all files but one, which is closed when another program is run.
fn close_all_but(image: RawFd) {
    let image = image.cast_unsigned();
    let parts = [(0, image.checked_sub(1)), (image + 1, Some(u32::MAX))];
    for (from, to) in parts {
        let Some(to) = to else {
            continue;
        };
        // SAFETY: takes numbers, and nobody in this process uses its files any more.
        let closed = unsafe { libc::syscall(libc::SYS_close_range, from, to, 0) };
        if closed != 0 {
            // Kernels before 5.9 have no such call.
            for file in from..=to.min(MANY) {
                // SAFETY: as above.
                unsafe { libc::close(file.cast_signed()) };
            }
        }
    }
}

/// An address that is in none of these ranges.
fn free_page(used: &[(u64, u64)]) -> Result<u64, PlayError> {
    const STEP: u64 = 1 << 20;
    // One page more for the filter, and one on each side for good measure.
    let is_free = |page: &u64| {
        let (from, to) = (page - PAGE, page + 3 * PAGE);
        used.iter().all(|&(start, end)| end <= from || to <= start)
    };
    let mut pages = (1..1 << 16).map(|index| index * STEP);
    pages.find(is_free).ok_or(PlayError::Unplayable {
        event: 0,
        what: "it leaves no free page".to_owned(),
    })
}

/// An executable of one page at this address, in memory.
fn executable(page: u64) -> Result<OwnedFd, PlayError> {
    const LOAD: u32 = 1;
    const GNU_STACK: u32 = 0x6474_e551;
    const READ_EXECUTE: u32 = 5;
    const READ_WRITE: u32 = 6;
    let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |elf: &mut Vec<u8>, value: u16| elf.extend(value.to_le_bytes());
    let word = |elf: &mut Vec<u8>, value: u32| elf.extend(value.to_le_bytes());
    let long = |elf: &mut Vec<u8>, value: u64| elf.extend(value.to_le_bytes());
    // An executable for x86-64.
    half(&mut elf, 2);
    half(&mut elf, 62);
    word(&mut elf, 1);
    long(&mut elf, page + CODE);
    // Program headers right behind this one, no sections.
    long(&mut elf, 64);
    long(&mut elf, 0);
    word(&mut elf, 0);
    for value in [64, 56, 2, 0, 0, 0] {
        half(&mut elf, value);
    }
    let segments = [
        (LOAD, READ_EXECUTE, page, PAGE),
        (GNU_STACK, READ_WRITE, 0, 0),
    ];
    for (kind, flags, address, len) in segments {
        word(&mut elf, kind);
        word(&mut elf, flags);
        for value in [0, address, address, len, len, PAGE] {
            long(&mut elf, value);
        }
    }
    elf.resize(CODE as usize, 0);
    // syscall; int3
    elf.extend([0x0f, 0x05, 0xcc]);
    elf.resize(PAGE as usize, 0);
    let name = CString::from(c"blank");
    let file = rustix::fs::memfd_create(&*name, MemfdFlags::CLOEXEC).map_err(|errno| {
        let what = "memfd_create";
        let errno = Errno::from_raw(errno.raw_os_error());
        PlayError::Blank { what, errno }
    })?;
    let mut file = std::fs::File::from(file);
    file.write_all(&elf).map_err(|error| {
        let what = "write the blank executable";
        let errno = Errno::from_raw(error.raw_os_error().unwrap_or(0));
        PlayError::Blank { what, errno }
    })?;
    Ok(file.into())
}

fn failed(what: &'static str) -> impl Fn(Errno) -> PlayError {
    move |errno| PlayError::Blank { what, errno }
}
