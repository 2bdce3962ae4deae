//! What keeps the process that is played from doing anything at all.
//!
//! Its tracer makes none of its system calls. Should one get past the tracer
//! (through the vsyscall page, say, or because the tracer has a bug), a filter
//! lets only those pass that the tracer itself makes in its name: mapping
//! memory that nothing is behind. Everything else kills.

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// The filter, as the kernel wants it: `struct sock_filter`s. With `copies` the
/// tracer may also make copies of the process, which have the same walls, and ask which of
/// its pages are there.
pub(crate) fn filter(copies: bool) -> Result<Vec<u8>, seccompiler::BackendError> {
    let anonymous = u64::from(libc::MAP_ANONYMOUS.cast_unsigned());
    let flags = SeccompCondition::new(
        3,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::MaskedEq(anonymous),
        anonymous,
    )?;
    let dropping = SeccompCondition::new(
        2,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        libc::MADV_DONTNEED as u64,
    )?;
    let copying = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::Eq,
        reprise_tracee::TWIN,
    )?;
    let mut rules = vec![
        (libc::SYS_mmap, vec![SeccompRule::new(vec![flags])?]),
        (libc::SYS_munmap, vec![]),
        (libc::SYS_mprotect, vec![]),
        (libc::SYS_mremap, vec![]),
        (libc::SYS_madvise, vec![SeccompRule::new(vec![dropping])?]),
    ];
    if copies {
        rules.push((libc::SYS_clone, vec![SeccompRule::new(vec![copying])?]));
        rules.push((libc::SYS_mincore, vec![]));
    }
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::KillProcess,
        SeccompAction::Allow,
        TargetArch::x86_64,
    )?;
    let program = BpfProgram::try_from(filter)?;
    let mut bytes = Vec::new();
    for instruction in program {
        bytes.extend(instruction.code.to_le_bytes());
        bytes.extend([instruction.jt, instruction.jf]);
        bytes.extend(instruction.k.to_le_bytes());
    }
    Ok(bytes)
}

/// The length of a `struct sock_filter`.
pub(crate) const INSTRUCTION: usize = 8;
