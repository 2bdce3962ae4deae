//! System calls that a container forbids.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::errno::Errno;
use nix::libc;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use serde_json::Value;

use crate::{allows, assert_probe, doctor, here, report};

const DENY: &str = "REPRISE_TEST_DENY";

/// Not a test of its own: run by [`denied`], it forbids itself system calls and
/// becomes `reprise doctor`. No other safe way leads there, because what comes
/// between fork and exec is unsafe code.
#[test]
fn launcher() {
    let Ok(denied) = env::var(DENY) else {
        return;
    };
    for rule in denied.split(',') {
        let (call, errno) = rule.split_once('=').unwrap();
        let filter = SeccompFilter::new(
            [(call.parse().unwrap(), Vec::new())].into(),
            SeccompAction::Allow,
            SeccompAction::Errno(errno.parse().unwrap()),
            env::consts::ARCH.try_into().unwrap(),
        );
        let program = BpfProgram::try_from(filter.unwrap()).unwrap();
        seccompiler::apply_filter(&program).unwrap();
    }
    panic!("{}", doctor().env_remove(DENY).exec());
}

/// The report of a `doctor` that is forbidden a system call.
fn denied(call: libc::c_long, errno: Errno) -> Value {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "denied::launcher", "--nocapture"]);
    command.env(DENY, format!("{call}={}", errno as i32));
    report(&mut command)
}

#[test]
fn without_ptrace_no_process_is_recorded_or_replayed() {
    let report = denied(libc::SYS_ptrace, Errno::EPERM);
    assert_probe(
        &report,
        "ptrace",
        "fails",
        "a child cannot be traced: PTRACE_SEIZE: Operation not permitted",
        "--cap-add=SYS_PTRACE",
    );
    assert_eq!(allows(&report, "last", "record"), "no");
    assert_eq!(allows(&report, "last", "replay"), "no");
    assert_eq!(
        allows(&report, "observe", "record"),
        here("observe", "record")
    );
}

#[test]
fn without_userfaultfd_much_shared_memory_is_not_followed() {
    let report = denied(libc::SYS_userfaultfd, Errno::EPERM);
    assert_probe(
        &report,
        "written",
        "fails",
        "userfaultfd: Operation not permitted",
        "seccomp profile",
    );
    assert_eq!(allows(&report, "last", "record"), "but");
    assert_eq!(allows(&report, "last", "replay"), here("last", "replay"));
}

#[test]
fn without_seccomp_nothing_is_replayed_in_a_sandbox() {
    let report = denied(libc::SYS_seccomp, Errno::EPERM);
    assert_probe(&report, "seccomp", "fails", "cannot be installed", "allow");
    assert_eq!(allows(&report, "last", "record"), here("last", "record"));
    for kind in ["observe", "last", "cut"] {
        assert_eq!(allows(&report, kind, "replay"), "no", "{kind}");
    }
    assert_eq!(
        allows(&report, "schedule", "replay"),
        here("schedule", "replay")
    );
}

#[test]
fn without_landlock_no_jvm_recording_is_replayed() {
    let report = denied(libc::SYS_landlock_create_ruleset, Errno::ENOSYS);
    assert_probe(&report, "landlock", "fails", "cannot be denied", "5.13");
    assert_eq!(allows(&report, "observe", "replay"), "no");
    assert_eq!(allows(&report, "last", "replay"), here("last", "replay"));
}

#[test]
fn without_namespaces_one_wall_is_missing() {
    for call in [libc::SYS_unshare, libc::SYS_mount] {
        let report = denied(call, Errno::EPERM);
        assert_probe(&report, "namespaces", "fails", "new namespaces", "docker");
        assert_eq!(allows(&report, "last", "replay"), "but");
        assert_eq!(allows(&report, "last", "record"), here("last", "record"));
    }
}
