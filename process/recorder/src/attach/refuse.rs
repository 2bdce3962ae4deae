//! Programs that cannot be attached to, and why.

use std::fs::{self, File};
use std::io::Read as _;

use nix::errno::Errno;
use reprise_tracee::TraceError;

/// Why a program cannot be attached to.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// There is no such process.
    #[error("there is no process {0}")]
    Gone(u32),
    /// It is a thread of a process.
    #[error("{0} is a thread of process {1}")]
    Thread(u32, u32),
    /// It is the recorder.
    #[error("process {0} is the recorder itself")]
    Own(u32),
    /// It is no program.
    #[error("process {0} is a part of the kernel")]
    Kernel(u32),
    /// It is a 32-bit program.
    #[error("process {0} is a 32-bit program; only those of x86-64 are recorded")]
    ThirtyTwo(u32),
    /// It is traced by another.
    #[error("process {0} is traced by process {1} already; only one can")]
    Traced(u32, u32),
    /// It was stopped by a signal.
    #[error("process {0} is stopped; continue it first (kill -CONT {0})")]
    Stopped(u32),
    /// The kernel writes to its memory unseen.
    #[error("process {0} uses {1}, by which the kernel writes to its memory unseen")]
    Unseen(u32, &'static str),
    /// It would be killed for what is done in its name.
    #[error(
        "process {0} has a filter of its own for system calls (seccomp), which only root can set \
         aside"
    )]
    Filtered(u32),
    /// The system does not allow it.
    #[error("process {0} may not be traced: {1}")]
    Forbidden(u32, String),
    /// Something else.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Whether there is a reason not to.
pub(super) fn check(process: u32) -> Result<(), AttachError> {
    let own = std::process::id();
    let Some(status) = Status::of(process) else {
        return Err(AttachError::Gone(process));
    };
    if status.field("State:").starts_with(['Z', 'X']) {
        return Err(AttachError::Gone(process));
    }
    let group = status.number("Tgid:");
    if group != process {
        return Err(AttachError::Thread(process, group));
    }
    if process == own || process == nix::unistd::getppid().as_raw().cast_unsigned() {
        return Err(AttachError::Own(process));
    }
    match status.number("TracerPid:") {
        0 => {}
        tracer => return Err(AttachError::Traced(process, tracer)),
    }
    // A part of the kernel has no memory of its own.
    if status.field("VmSize:").is_empty() {
        return Err(AttachError::Kernel(process));
    }
    if status.field("State:").starts_with(['T', 't']) {
        return Err(AttachError::Stopped(process));
    }
    let mut class = [0; 5];
    let program = File::open(format!("/proc/{process}/exe"));
    if program.is_ok_and(|mut file| file.read_exact(&mut class).is_ok()) && class[4] == 1 {
        return Err(AttachError::ThirtyTwo(process));
    }
    let open = fs::read_dir(format!("/proc/{process}/fd"));
    let links = open.into_iter().flatten().flatten();
    let mut links = links.filter_map(|link| fs::read_link(link.path()).ok());
    if links.any(|link| link.as_os_str() == "anon_inode:[io_uring]") {
        return Err(AttachError::Unseen(process, "io_uring"));
    }
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    if maps.lines().any(|line| line.contains("/[aio]")) {
        return Err(AttachError::Unseen(
            process,
            "asynchronous input and output",
        ));
    }
    Ok(())
}

/// Why the kernel has refused.
pub(super) fn explain(process: u32, error: TraceError) -> AttachError {
    match error.errno {
        Errno::ESRCH => AttachError::Gone(process),
        Errno::EBUSY => AttachError::Stopped(process),
        Errno::EPERM | Errno::EACCES => {
            let status = Status::of(process);
            let tracer = status
                .as_ref()
                .map_or(0, |status| status.number("TracerPid:"));
            if tracer != 0 {
                return AttachError::Traced(process, tracer);
            }
            AttachError::Forbidden(process, permission(status.as_ref()))
        }
        _ => error.into(),
    }
}

fn permission(status: Option<&Status>) -> String {
    let own = nix::unistd::geteuid().as_raw();
    let owner = status.map_or(own, |status| status.number("Uid:"));
    if owner != own {
        return format!("it belongs to user {owner}; try as that user, or as root");
    }
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    match scope.trim() {
        "1" => "here only a parent may trace (kernel.yama.ptrace_scope is 1); try as root, or \
                start it with: reprise record --last 10s -- CMD"
            .to_owned(),
        "2" => "here only root may trace (kernel.yama.ptrace_scope is 2)".to_owned(),
        "3" => "here nobody may trace (kernel.yama.ptrace_scope is 3)".to_owned(),
        _ => "the system forbids it; reprise doctor says more".to_owned(),
    }
}

struct Status(String);

impl Status {
    fn of(process: u32) -> Option<Self> {
        let text = fs::read(format!("/proc/{process}/status")).ok()?;
        Some(Self(String::from_utf8_lossy(&text).into_owned()))
    }

    fn field(&self, name: &str) -> &str {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().trim()
    }

    fn number(&self, name: &str) -> u32 {
        let first = self.field(name).split_whitespace().next();
        first.and_then(|first| first.parse().ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_other_program_is_refused() {
        let own = std::process::id();
        assert!(matches!(check(own), Err(AttachError::Own(_))));
        assert!(matches!(check(u32::MAX), Err(AttachError::Gone(_))));
    }
}
