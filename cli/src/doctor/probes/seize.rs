//! Attaching to a process that runs already.

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::unistd::Pid;

use super::{is_filtered, sysctl};
use crate::doctor::finding::Finding;

/// Becomes the tracer of a process without stopping it. This process ends at
/// once, and with it the tracing: a process cannot be let go otherwise without
/// stopping it first.
pub(super) fn probe(pid: u32) -> Finding {
    let target = Pid::from_raw(pid.cast_signed());
    match ptrace::seize(target, Options::empty()) {
        Ok(()) => Finding::works("can be attached to (it was, for a moment, without stopping)"),
        Err(errno) => blame(pid, errno),
    }
}

fn blame(pid: u32, errno: Errno) -> Finding {
    let finding = Finding::fails(format!("cannot be attached to: {}", errno.desc()));
    if errno != Errno::EPERM {
        return finding;
    }
    let me = nix::unistd::geteuid();
    let owner = std::fs::metadata(format!("/proc/{pid}"))
        .map(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata));
    if !me.is_root() && owner.is_ok_and(|owner| owner != me.as_raw()) {
        return finding.fix(format!("sudo reprise doctor --pid {pid}"));
    }
    match sysctl("kernel.yama.ptrace_scope").as_deref() {
        Some(scope @ ("1" | "2")) => {
            let mut finding = finding;
            finding.detail += &format!(" (kernel.yama.ptrace_scope is {scope})");
            finding
                .fix("sudo sysctl -w kernel.yama.ptrace_scope=0")
                .fix(format!("sudo reprise doctor --pid {pid}"))
        }
        _ if is_filtered() => finding.fix(
            "the filter of this container or sandbox forbids it: \
             docker run --cap-add=SYS_PTRACE …",
        ),
        _ => finding,
    }
}
