//! Programs that have filters of their own for system calls (seccomp).
//!
//! A recorder makes calls in the name of its subject, keeps it from making some, and has
//! it ask the kernel for the time, which it would have found out by itself. A filter that
//! lists what its program does has none of that in it, and kills. So it is set aside for
//! as long as such a call takes, which is for those to do who may do anything (and whom no
//! filter binds). Whoever may not asks the filter, before it is in force: a process that would be
//! punished is recorded no more.

use std::fs;

use nix::libc;
use nix::unistd::Pid;
use reprise_syscalls::filter::{Instruction, Verdict, ask};
use reprise_tracee::{TraceError, Tracee};

use crate::calls::unrecordable;
use crate::session::{Session, Trouble};
use crate::spawn::OPTIONS;

/// `PTRACE_O_SUSPEND_SECCOMP`: calls are made whatever filters say.
pub(crate) const ASIDE: i32 = 1 << 21;

/// The most instructions that a filter has.
const LONGEST: usize = 4096;

/// The calls for which a program need not ask the kernel, unless it is recorded.
const OTHERWISE_UNSEEN: [i64; 5] = [
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_getcpu,
];

/// What is done in the name of a process that has been started here.
const IN_ITS_NAME: [(i64, [u64; 6]); 8] = [
    (libc::SYS_clone, [0, 8, 0, 0, 0, 0]),
    (libc::SYS_clone, [libc::CLONE_PARENT as u64, 8, 0, 0, 0, 0]),
    (libc::SYS_close_range, [0, u32::MAX as u64, 0, 0, 0, 0]),
    (
        libc::SYS_wait4,
        [1, 0, (libc::__WALL | libc::WNOHANG) as u64, 0, 0, 0],
    ),
    (libc::SYS_prctl, [libc::PR_SET_NAME as u64, 1, 0, 0, 0, 0]),
    (
        libc::SYS_prctl,
        [
            libc::PR_SET_TSC as u64,
            libc::PR_TSC_ENABLE as u64,
            0,
            0,
            0,
            0,
        ],
    ),
    (
        libc::SYS_prctl,
        [libc::PR_SET_PDEATHSIG as u64, 0, 0, 0, 0, 0],
    ),
    (
        libc::SYS_rt_sigprocmask,
        [libc::SIG_SETMASK as u64, 1, 0, 8, 0, 0],
    ),
];

/// What a call that is not made looks like.
const NOT_MADE: i64 = -1;

impl Session {
    /// A call begins. If it is one that sets up a filter, the process is recorded
    /// from here on only if it survives that.
    pub(crate) fn check_filter(
        &mut self,
        call: &reprise_syscalls::Call,
        arguments: &[u64; 6],
    ) -> Result<(), Trouble> {
        let (is_list, at) = match (call.number.cast_signed(), arguments[0] as i32) {
            (libc::SYS_seccomp, 0) => (false, 0),
            (libc::SYS_seccomp, 1) => (true, arguments[2]),
            (libc::SYS_prctl, libc::PR_SET_SECCOMP) => (arguments[1] == 2, arguments[2]),
            _ => return Ok(()),
        };
        let thread = self.thread.tracee;
        if thread.set_options(OPTIONS | ASIDE).is_ok() {
            thread.set_options(OPTIONS)?;
            self.filtered = true;
            return Ok(());
        }
        let filter = if is_list {
            read(thread, at)
        } else {
            Vec::new()
        };
        if is_harmless(&filter) {
            return Ok(());
        }
        Err(unrecordable(
            "a filter of its own for system calls (seccomp), which only root can set aside",
        ))
    }

    /// The thread is about to make a call that it makes only because it is recorded, or
    /// that it is kept from: no filter is to have a say in that. Returns whether there
    /// is one.
    pub(crate) fn set_filter_aside(&self, number: u64, is_made: bool) -> Result<bool, Trouble> {
        let is_ours = !is_made || OTHERWISE_UNSEEN.contains(&number.cast_signed());
        if !self.filtered || !is_ours {
            return Ok(false);
        }
        self.thread.tracee.set_options(OPTIONS | ASIDE)?;
        Ok(true)
    }
}

/// Does something with a stopped thread while its filters have no say, if that can be had.
/// Whoever cannot have that does not record those to whom it matters.
pub(crate) fn aside<T>(
    thread: Tracee,
    work: impl FnOnce() -> Result<T, TraceError>,
) -> Result<T, TraceError> {
    let is_aside = has_own(thread.pid()) && thread.set_options(OPTIONS | ASIDE).is_ok();
    let done = work();
    if is_aside {
        // Who is gone has none.
        let _ = thread.set_options(OPTIONS);
    }
    done
}

/// Whether filters have a say in a thread's calls that have none in those of this process.
pub(crate) fn has_own(thread: Pid) -> bool {
    let theirs = fs::read(format!("/proc/{thread}/status")).unwrap_or_default();
    let ours = fs::read("/proc/thread-self/status").unwrap_or_default();
    filters(&theirs) != filters(&ours)
}

/// How a list of what is known of a thread says which filters it has.
fn filters(status: &[u8]) -> Vec<&[u8]> {
    let lines = status.split(|byte| *byte == b'\n');
    lines.filter(|line| line.starts_with(b"Seccomp")).collect()
}

/// Whether nobody is punished for being recorded.
fn is_harmless(filter: &[Instruction]) -> bool {
    let made = |&(number, arguments)| ask(filter, number, arguments) == Verdict::Made;
    let skipped = ask(filter, NOT_MADE, [0; 6]);
    IN_ITS_NAME.iter().all(made) && matches!(skipped, Verdict::Made | Verdict::Refused)
}

/// Reads a filter as a program hands it to the kernel: how many instructions there are,
/// and where. One that cannot be read is none for the kernel, either.
fn read(thread: Tracee, at: u64) -> Vec<Instruction> {
    let mut head = [0; 16];
    if thread.read(at, &mut head) < head.len() {
        return Vec::new();
    }
    let [a, b, _, _, _, _, _, _, start @ ..] = head;
    let count = usize::from(u16::from_le_bytes([a, b])).min(LONGEST);
    let bytes = thread.read_some(u64::from_le_bytes(start), count * Instruction::LEN);
    let (all, _) = bytes.as_chunks();
    all.iter().copied().map(Instruction::from_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_what_is_forbidden_are_harmless() {
        let says = |answer| {
            Instruction::from_bytes({
                let [a, b, c, d] = u32::to_le_bytes(answer);
                [6, 0, 0, 0, a, b, c, d]
            })
        };
        assert!(is_harmless(&[says(libc::SECCOMP_RET_ALLOW)]));
        assert!(!is_harmless(&[says(libc::SECCOMP_RET_KILL_PROCESS)]));
        assert!(!is_harmless(&[says(libc::SECCOMP_RET_ERRNO)]));
        assert!(!is_harmless(&[]));
    }

    #[test]
    fn this_process_has_no_other_filters_than_this_process() {
        assert!(!has_own(nix::unistd::gettid()));
        let all = b"Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\nSpeculation:\tx\n";
        assert_eq!(filters(all), [&b"Seccomp:\t2"[..], b"Seccomp_filters:\t1"]);
    }
}
