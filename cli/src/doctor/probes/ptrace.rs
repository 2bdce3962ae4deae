//! Tracing a child: what `--last` records with, and what the player plays with.

use super::tracee::{TraceError, Tracee};
use super::{is_filtered, sysctl};
use crate::doctor::finding::Finding;

/// Traces a child, stops it, reads registers and memory, and lets it go.
pub(super) fn probe() -> Finding {
    match try_it() {
        Ok(true) => Finding::works("stopped a child, read its registers and memory, let it go"),
        Ok(false) => Finding::fails("a traced child did not end as it should after it was let go"),
        Err(error) => blame(Finding::fails(format!("a child cannot be traced: {error}"))),
    }
}

fn try_it() -> Result<bool, TraceError> {
    let tracee = Tracee::start()?;
    tracee.seize()?;
    let registers = tracee.stop()?;
    tracee.peek(registers.rsp)?;
    tracee.let_go()
}

/// Adds what forbids tracing, and how to allow it.
fn blame(mut finding: Finding) -> Finding {
    let scope = sysctl("kernel.yama.ptrace_scope");
    if let Some(scope) = &scope {
        finding.detail += &format!(" (kernel.yama.ptrace_scope is {scope})");
    }
    match scope.as_deref() {
        Some("3") => {
            return finding.fix(
                "boot without kernel.yama.ptrace_scope=3 (see /etc/sysctl.d); \
                 3 cannot be taken back while the machine runs",
            );
        }
        Some("2") => {
            finding = finding.fix("sudo sysctl -w kernel.yama.ptrace_scope=1");
        }
        _ => {}
    }
    if is_filtered() {
        finding = finding.fix(
            "this is a container or sandbox whose filter forbids it: \
             docker run --cap-add=SYS_PTRACE … (Kubernetes: securityContext.capabilities.add)",
        );
    }
    finding
}
