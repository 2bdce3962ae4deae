//! Which pages of a process's memory have been written to through its page table, by its
//! instructions or by the kernel in its calls.
//!
//! The kernel keeps this account without stopping anybody, from Linux 6.7 on: ranges are
//! registered with a `userfaultfd` for asynchronous write protection, and `PAGEMAP_SCAN`
//! tells which pages have lost that protection and gives it back, both at once. The
//! descriptor has to be opened by the process itself, but need not stay there: it is
//! taken over and closed in the process. When the tracer ends, the kernel forgets all
//! about it. A copy of the process has no such account.
#![allow(unsafe_code, reason = "these requests have no safe wrapper")]

use std::fs::{self, File};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;

use crate::{TraceError, Tracee, Tracing};

const USER_MODE_ONLY: u64 = 1;

/// `UFFDIO_API`, `UFFDIO_REGISTER`, `UFFDIO_WRITEPROTECT` and `PAGEMAP_SCAN`.
const API: libc::c_ulong = 0xc018_aa3f;
const REGISTER: libc::c_ulong = 0xc020_aa00;
const PROTECT: libc::c_ulong = 0xc018_aa06;
const SCAN: libc::c_ulong = 0xc060_6610;

const API_VERSION: u64 = 0xaa;

/// Pages that are shared, that are not there yet, and no stop at a write.
const FEATURES: u64 = (1 << 0) | (1 << 12) | (1 << 13) | (1 << 15);

const REGISTER_WRITES: u64 = 1 << 1;
const PROTECT_WRITES: u64 = 1 << 0;

/// Protect what is found again, and fail where there is no account.
const SCAN_PROTECTS: u64 = (1 << 0) | (1 << 1);
const WRITTEN: u64 = 1 << 1;
const POPULATED: u64 = (1 << 3) | (1 << 4);

/// How many ranges are asked for at once.
const RANGES: usize = 512;

/// The account of one process.
#[derive(Debug)]
pub struct Written {
    faults: OwnedFd,
    pages: File,
}

#[repr(C)]
struct ScanArguments {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    ranges: u64,
    ranges_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_any_of: u64,
    return_mask: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ScannedRange {
    start: u64,
    end: u64,
    categories: u64,
}

/// Where a process has memory between two addresses, by its `pagemap`: pages that are
/// there or swapped out, as ranges. Fails before Linux 6.7.
pub fn populated(pages: &File, start: u64, end: u64) -> Tracing<Vec<(u64, u64)>> {
    let wanted = Wanted::AnyOf(POPULATED);
    scan(pages, start, end, 0, wanted)
}

/// Which pages are asked for.
#[derive(Clone, Copy)]
enum Wanted {
    AnyOf(u64),
    /// For this alone the kernel goes through a page table several times as fast, if it
    /// is told in this way.
    Exactly(u64),
}

/// The pages of a range that are wanted, as ranges.
fn scan(
    pages: &File,
    start: u64,
    end: u64,
    flags: u64,
    wanted: Wanted,
) -> Tracing<Vec<(u64, u64)>> {
    let (category_mask, category_any_of) = match wanted {
        Wanted::AnyOf(any) => (0, any),
        Wanted::Exactly(all) => (all, 0),
    };
    let mut all: Vec<(u64, u64)> = Vec::new();
    let mut at = start;
    while at < end {
        let mut found = [ScannedRange::default(); RANGES];
        let mut arguments = ScanArguments {
            size: size_of::<ScanArguments>() as u64,
            flags,
            start: at,
            end,
            walk_end: 0,
            ranges: found.as_mut_ptr() as u64,
            ranges_len: RANGES as u64,
            max_pages: 0,
            category_inverted: 0,
            category_mask,
            category_any_of,
            return_mask: category_mask | category_any_of,
        };
        // SAFETY: the kernel reads and writes one structure of the size that it says,
        // and writes at most `ranges_len` ranges to `found`; both live until then.
        let count = unsafe { libc::ioctl(pages.as_raw_fd(), SCAN, &raw mut arguments) };
        let count = usize::try_from(count).map_err(|_| failed(Errno::last()))?;
        for one in found.iter().take(count) {
            match all.last_mut() {
                // It was told in parts, or for different reasons.
                Some((_, last)) if *last == one.start => *last = one.end,
                _ => all.push((one.start, one.end)),
            }
        }
        if arguments.walk_end <= at {
            return Err(failed(Errno::EIO));
        }
        at = arguments.walk_end;
    }
    Ok(all)
}

impl Written {
    /// Begins an account for a process, by a stopped thread of it. `behind` is the end of
    /// a `syscall` instruction. Nothing is followed yet.
    pub fn of(process: Pid, thread: Tracee, behind: u64) -> Tracing<Self> {
        if filters(&process.to_string()) != filters("self") {
            // Its own filter may kill it for this.
            return refused(Errno::EPERM);
        }
        let flags = libc::O_CLOEXEC as u64 | USER_MODE_ONLY;
        let arguments = [flags, 0, 0, 0, 0, 0];
        let opened = thread.call_at(behind, libc::SYS_userfaultfd, arguments)?;
        let there = i32::try_from(opened.cast_signed()).unwrap_or(-libc::EBADF);
        if there < 0 {
            return refused(Errno::from_raw(-there));
        }
        let taken = take_over(process, there);
        thread.call_at(behind, libc::SYS_close, [opened, 0, 0, 0, 0, 0])?;
        let faults = taken?;
        let mut wanted = [API_VERSION, FEATURES, 0];
        request(&faults, API, &mut wanted)?;
        let pages = File::open(format!("/proc/{process}/pagemap"));
        let pages = pages.map_err(|error| failed(errno_of(&error)))?;
        Ok(Self { faults, pages })
    }

    /// Follows a range of memory from here on.
    pub fn follow(&self, start: u64, end: u64) -> Tracing<()> {
        let len = end.saturating_sub(start);
        request(
            &self.faults,
            REGISTER,
            &mut [start, len, REGISTER_WRITES, 0],
        )?;
        request(&self.faults, PROTECT, &mut [start, len, PROTECT_WRITES])
    }

    /// The pages of a range that have been written to since the last time, as ranges.
    pub fn take(&self, start: u64, end: u64) -> Tracing<Vec<(u64, u64)>> {
        let wanted = Wanted::Exactly(WRITTEN);
        scan(&self.pages, start, end, SCAN_PROTECTS, wanted)
    }
}

fn failed(errno: Errno) -> TraceError {
    let what = "follow what is written to memory";
    TraceError { what, errno }
}

fn refused<T>(errno: Errno) -> Tracing<T> {
    Err(failed(errno))
}

fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(0))
}

/// How many filters a process's system calls go through.
fn filters(process: &str) -> Option<u32> {
    let status = fs::read(format!("/proc/{process}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let line = |name| status.lines().find_map(|line| line.strip_prefix(name));
    line("Seccomp_filters:")?.trim().parse().ok()
}

/// Takes over a descriptor of a process.
fn take_over(process: Pid, descriptor: RawFd) -> Tracing<OwnedFd> {
    let owned = |result: libc::c_long| match RawFd::try_from(result) {
        // SAFETY: the kernel has just made this descriptor, and nobody else has it.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(failed(Errno::last())),
    };
    // SAFETY: both arguments are plain numbers.
    let process = owned(unsafe { libc::syscall(libc::SYS_pidfd_open, process.as_raw(), 0) })?;
    let number = process.as_raw_fd();
    // SAFETY: all arguments are plain numbers.
    owned(unsafe { libc::syscall(libc::SYS_pidfd_getfd, number, descriptor, 0) })
}

/// A request whose argument is as many words as the kernel takes for it.
fn request<const N: usize>(
    faults: &OwnedFd,
    number: libc::c_ulong,
    words: &mut [u64; N],
) -> Tracing<()> {
    // The length is part of the number of a request.
    if (number as usize >> 16) & 0x3fff != size_of::<[u64; N]>() {
        return refused(Errno::EINVAL);
    }
    // SAFETY: the kernel reads and writes as many bytes as the number says, which are
    // those of `words`.
    let result = unsafe { libc::ioctl(faults.as_raw_fd(), number, words.as_mut_ptr()) };
    if result == -1 {
        return refused(Errno::last());
    }
    Ok(())
}
