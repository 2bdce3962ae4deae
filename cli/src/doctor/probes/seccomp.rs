//! Filtering system calls: the wall around a player.

use nix::errno::Errno;
use nix::libc;
use nix::sched::sched_yield;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use super::settings::Settings;
use crate::doctor::finding::Finding;

/// An error that `sched_yield` never returns by itself.
const MARK: Errno = Errno::EDOM;

/// Installs a filter that lets everything pass but `sched_yield`, and sees it
/// act.
pub(super) fn probe() -> Finding {
    if let Err(error) = install() {
        let finding = Finding::fails(format!("a filter cannot be installed: {error}"));
        return if Settings::read().filtered {
            finding.fix("allow the seccomp call in the filter of this container or sandbox")
        } else {
            finding.fix("a kernel with CONFIG_SECCOMP_FILTER (those of all distributions have it)")
        };
    }
    match sched_yield() {
        Err(MARK) => Finding::works("installed a filter and saw it act"),
        _ => Finding::fails("a filter was installed and had no effect")
            .fix("a kernel that honours seccomp filters: some emulated ones (gVisor) do not"),
    }
}

fn install() -> Result<(), seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(
        [(libc::SYS_sched_yield, Vec::new())].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(MARK as u32),
        arch,
    )?;
    let program = BpfProgram::try_from(filter)?;
    seccompiler::apply_filter(&program)
}
