//! Programs that have filters of their own for system calls (seccomp).
//!
//! A recorder makes calls in the name of its subject, keeps it from making some, and has
//! it ask the kernel for the time, which it would have found out by itself. A filter that
//! lists what its program does has none of that in it, and kills. So it is set aside for
//! as long as such a call takes, which is for those to do who may do anything (and whom no
//! filter binds). Whoever may not asks the filter, before it is in force: a process that would be
//! punished is recorded no more, and its filter is set up with these calls for the time allowed.

use std::fs;

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::Registers;
use reprise_syscalls::filter::{Instruction, Verdict, allowing, ask};
use reprise_tracee::{TraceError, Tracee};

use crate::calls::unrecordable;
use crate::session::{Session, Trouble};
use crate::spawn::OPTIONS;

/// `PTRACE_O_SUSPEND_SECCOMP`: calls are made whatever filters say.
pub(crate) const ASIDE: i32 = 1 << 21;

/// The most instructions that a filter has.
const LONGEST: usize = 4096;

/// How a filter is handed to the kernel: how many instructions, and where.
const HEAD: usize = 16;

/// What is below the stack's end and may be in use all the same.
const RED_ZONE: u64 = 128;

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
        let Some((is_list, at)) = sets_up(call.number, arguments) else {
            return Ok(());
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

/// A thread that is let go stands in front of the call by which it sets up a filter: makes that in
/// its name, with what it asks the kernel for only because it was recorded allowed beside. It
/// still has no other way to the time, and would be punished for asking.
pub(crate) fn set_up_wider(thread: Tracee, before: &Registers) -> Result<(), TraceError> {
    let (number, mut arguments) = (before.rax(), before.arguments());
    let Some((true, at)) = sets_up(number, &arguments) else {
        return Ok(());
    };
    let filter = read(thread, at);
    let missing: Vec<i64> = OTHERWISE_UNSEEN
        .into_iter()
        .filter(|&number| ask(&filter, number, [0; 6]) != Verdict::Made)
        .collect();
    let wider: Vec<_> = allowing(&missing)
        .into_iter()
        .chain(filter.clone())
        .collect();
    if filter.is_empty() || missing.is_empty() || wider.len() > LONGEST {
        return Ok(());
    }
    // Room for it is borrowed from the stack, below what a function may use without a word.
    let len = (HEAD + wider.len() * Instruction::LEN) as u64;
    let start = before.rsp().wrapping_sub(RED_ZONE + len) & !0xf;
    let mut bytes = (wider.len() as u64).to_le_bytes().to_vec();
    bytes.extend((start + HEAD as u64).to_le_bytes());
    bytes.extend(wider.into_iter().flat_map(Instruction::to_bytes));
    let saved = thread.read_some(start, bytes.len());
    if saved.len() < bytes.len() || thread.write(start, &bytes).is_err() {
        return Ok(());
    }
    arguments[2] = start;
    let behind = before.rip() + 2;
    let result = thread.call_plainly_at(behind, number.cast_signed(), arguments);
    thread.write(start, &saved)?;
    let mut after = *before;
    after.set_rax(result?);
    after.set_rip(behind);
    thread.set_registers(&after)
}

/// If a call sets up a filter: whether that is a list, and where it is.
fn sets_up(number: u64, arguments: &[u64; 6]) -> Option<(bool, u64)> {
    match (number.cast_signed(), arguments[0] as i32) {
        (libc::SYS_seccomp, 0) => Some((false, 0)),
        (libc::SYS_seccomp, 1) => Some((true, arguments[2])),
        (libc::SYS_prctl, libc::PR_SET_SECCOMP) => Some((arguments[1] == 2, arguments[2])),
        _ => None,
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
    let mut head = [0; HEAD];
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
