//! Catching page faults in another process: how a dump finds the pages that an
//! interval needs.
//!
//! The calls are made in the name of a traced child, which is how the player
//! makes them; it needs no `unsafe`, and no crate that asks for libclang when
//! it is built. The numbers are those of `linux/userfaultfd.h` on x86-64.

use nix::errno::Errno;
use nix::libc;

use super::settings::Settings;
use super::tracee::{TraceError, Tracee};
use crate::doctor::finding::Finding;

/// Faults of the kernel itself are not caught; allowed without privileges.
const UFFD_USER_MODE_ONLY: u64 = 1;
const UFFD_API: u64 = 0xaa;
const UFFDIO_API: u64 = 0xc018_aa3f;
const UFFDIO_REGISTER: u64 = 0xc020_aa00;
const UFFDIO_REGISTER_MODE_MISSING: u64 = 1;
const PAGE: u64 = 4096;

enum Outcome {
    Registered,
    Refused(&'static str, Errno),
}

/// Registers a mapping of a child for missing pages.
pub(super) fn probe() -> Finding {
    match try_it() {
        Ok(Outcome::Registered) => Finding::works("registered a child's mapping for missing pages"),
        Ok(Outcome::Refused(call, errno)) => blame(call, errno, &Settings::read()),
        Err(error) => Finding::fails(format!("could not be tried without tracing: {error}")),
    }
}

fn try_it() -> Result<Outcome, TraceError> {
    let child = Tracee::start()?;
    child.seize()?;
    let at = child.stop()?;
    // Well below the stack pointer is memory that the child does not use.
    let scratch = (at.rsp - 4096) & !15;

    let open = |flags| {
        let cloexec = u64::from(libc::O_CLOEXEC.cast_unsigned());
        let arguments = [cloexec | flags, 0, 0, 0, 0, 0];
        child.call(&at, libc::SYS_userfaultfd, arguments)
    };
    let fd = match open(UFFD_USER_MODE_ONLY)? {
        // Before Linux 5.11 the flag did not exist and was not needed.
        Err(Errno::EINVAL) => open(0)?,
        other => other,
    };
    let fd = match fd {
        Ok(fd) => fd,
        Err(errno) => return Ok(Outcome::Refused("userfaultfd", errno)),
    };

    child.poke(scratch, &[UFFD_API, 0, 0])?;
    let arguments = [fd, UFFDIO_API, scratch, 0, 0, 0];
    if let Err(errno) = child.call(&at, libc::SYS_ioctl, arguments)? {
        return Ok(Outcome::Refused("UFFDIO_API", errno));
    }

    let protection = (libc::PROT_READ | libc::PROT_WRITE).cast_unsigned();
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS).cast_unsigned();
    let arguments = [0, PAGE, protection.into(), flags.into(), u64::MAX, 0];
    let mapping = match child.call(&at, libc::SYS_mmap, arguments)? {
        Ok(mapping) => mapping,
        Err(errno) => return Ok(Outcome::Refused("mmap", errno)),
    };

    child.poke(scratch, &[mapping, PAGE, UFFDIO_REGISTER_MODE_MISSING, 0])?;
    let arguments = [fd, UFFDIO_REGISTER, scratch, 0, 0, 0];
    if let Err(errno) = child.call(&at, libc::SYS_ioctl, arguments)? {
        return Ok(Outcome::Refused("UFFDIO_REGISTER", errno));
    }
    Ok(Outcome::Registered)
}

/// Tells a kernel that has it not from one that does not allow it.
fn blame(call: &str, errno: Errno, settings: &Settings) -> Finding {
    let finding = |why: &str| Finding::fails(format!("{call} failed with {errno}: {why}"));
    match errno {
        Errno::ENOSYS if settings.filtered => {
            finding("this kernel has no userfaultfd, or the filter of this container pretends so")
        }
        Errno::ENOSYS => finding("this kernel was built without it")
            .fix("a kernel with CONFIG_USERFAULTFD (the kernels of Debian and Ubuntu have it)"),
        Errno::EPERM | Errno::EACCES if settings.filtered => {
            finding("the system-call filter of this container or sandbox forbids it").fix(
                "docker run --security-opt seccomp=PROFILE.json … \
                 with \"userfaultfd\" among the profile's allowed calls",
            )
        }
        Errno::EPERM if settings.get("vm.unprivileged_userfaultfd") == Some("0") => {
            finding("vm.unprivileged_userfaultfd is 0")
                .fix("sudo sysctl -w vm.unprivileged_userfaultfd=1")
        }
        _ => finding(errno.desc()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_a_filter_and_a_lack_are_told_apart() {
        let off = [("vm.unprivileged_userfaultfd", "0")];
        let check = |errno, filtered, expected: &str, fix: &str| {
            let finding = blame("userfaultfd", errno, &Settings::of(filtered, &off));
            assert!(finding.detail.contains(expected), "{}", finding.detail);
            assert!(finding.fixes.concat().contains(fix), "{:?}", finding.fixes);
        };
        check(Errno::EPERM, false, "userfaultfd is 0", "userfaultfd=1");
        check(Errno::EPERM, true, "filter of this container", "docker");
        check(
            Errno::ENOSYS,
            false,
            "built without it",
            "CONFIG_USERFAULTFD",
        );
        check(Errno::ENOSYS, true, "pretends so", "");
        check(Errno::ENOMEM, false, "memory", "");
    }
}
