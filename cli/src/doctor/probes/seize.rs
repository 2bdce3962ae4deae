//! Attaching to a process that runs already.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::unistd::{Pid, geteuid};

use super::settings::Settings;
use crate::doctor::finding::Finding;

/// Becomes the tracer of a process without stopping it. This process ends at
/// once, and with it the tracing: a process cannot be let go otherwise without
/// stopping it first.
pub(super) fn probe(pid: u32) -> Finding {
    let target = Pid::from_raw(pid.cast_signed());
    match ptrace::seize(target, Options::empty()) {
        Ok(()) => Finding::works("can be attached to (it was, for a moment, without stopping)"),
        Err(errno) => blame(pid, errno, is_anothers(pid), &Settings::read()),
    }
}

fn blame(pid: u32, errno: Errno, is_anothers: bool, settings: &Settings) -> Finding {
    let mut finding = Finding::fails(format!("cannot be attached to: {}", errno.desc()));
    if errno != Errno::EPERM {
        return finding;
    }
    let as_root = format!("sudo reprise doctor --pid {pid}");
    if is_anothers {
        return finding.fix(as_root);
    }
    match settings.get("kernel.yama.ptrace_scope") {
        Some(scope @ ("1" | "2")) => {
            finding.detail += &format!(" (kernel.yama.ptrace_scope is {scope})");
            finding
                .fix("sudo sysctl -w kernel.yama.ptrace_scope=0")
                .fix(as_root)
        }
        _ if settings.filtered => finding.fix(
            "the filter of this container or sandbox forbids it: \
             docker run --cap-add=SYS_PTRACE …",
        ),
        _ => finding,
    }
}

/// Whether the process belongs to another user, and we are not root.
fn is_anothers(pid: u32) -> bool {
    let me = geteuid();
    let owner = fs::metadata(format!("/proc/{pid}")).map(|metadata| metadata.uid());
    !me.is_root() && owner.is_ok_and(|owner| owner != me.as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_blamed_on_the_user_the_setting_or_the_container() {
        let scope = |scope| Settings::of(true, &[("kernel.yama.ptrace_scope", scope)]);
        let fixes = |errno, is_anothers, settings: &Settings| {
            blame(7, errno, is_anothers, settings).fixes.join("; ")
        };
        let root = "sudo reprise doctor --pid 7";
        assert_eq!(fixes(Errno::EPERM, true, &scope("1")), root);
        assert_eq!(
            fixes(Errno::EPERM, false, &scope("1")),
            format!("sudo sysctl -w kernel.yama.ptrace_scope=0; {root}")
        );
        assert!(fixes(Errno::EPERM, false, &scope("0")).contains("docker"));
        assert_eq!(fixes(Errno::ESRCH, false, &scope("1")), "");
    }
}
