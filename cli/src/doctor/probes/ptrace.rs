//! Tracing a child: what `--last` records with, and what the player plays with.

use super::settings::Settings;
use super::tracee::{TraceError, Tracee};
use crate::doctor::finding::Finding;

/// Traces a child, stops it, reads registers and memory, and lets it go.
pub(super) fn probe() -> Finding {
    match try_it() {
        Ok(true) => Finding::works("stopped a child, read its registers and memory, let it go"),
        Ok(false) => Finding::fails("a traced child did not end as it should after it was let go"),
        Err(error) => {
            let finding = Finding::fails(format!("a child cannot be traced: {error}"));
            blame(finding, &Settings::read())
        }
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
fn blame(mut finding: Finding, settings: &Settings) -> Finding {
    let scope = settings.get("kernel.yama.ptrace_scope");
    if let Some(scope) = scope {
        finding.detail += &format!(" (kernel.yama.ptrace_scope is {scope})");
    }
    match scope {
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
    if settings.filtered {
        finding = finding.fix(
            "this is a container or sandbox whose filter forbids it: \
             docker run --cap-add=SYS_PTRACE … (Kubernetes: securityContext.capabilities.add)",
        );
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_has_its_fix() {
        let blamed = |scope| {
            let settings = Settings::of(false, &[("kernel.yama.ptrace_scope", scope)]);
            blame(Finding::fails("x"), &settings)
        };
        let blamed_two = blamed("2");
        assert_eq!(blamed_two.detail, "x (kernel.yama.ptrace_scope is 2)");
        assert_eq!(
            blamed_two.fixes,
            ["sudo sysctl -w kernel.yama.ptrace_scope=1"]
        );
        assert!(blamed("3").fixes[0].starts_with("boot without"));
        // A child may be traced under scope 1, so that is not the reason.
        assert_eq!(blamed("1").fixes, [""; 0]);
    }

    #[test]
    fn a_container_is_named_only_where_there_is_a_filter() {
        let blamed = |filtered| blame(Finding::fails("x"), &Settings::of(filtered, &[]));
        assert!(blamed(true).fixes[0].contains("--cap-add=SYS_PTRACE"));
        assert_eq!(blamed(false).fixes, [""; 0]);
    }
}
