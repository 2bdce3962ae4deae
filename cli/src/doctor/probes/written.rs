//! Who has written where: the kernel's account of it, by which a recorder follows
//! memory that processes share.

use nix::errno::Errno;
use nix::libc;

use super::tracee::{TraceError, Tracee};
use crate::doctor::finding::Finding;

/// For faults of user mode, which any user may ask for.
const USER_MODE_ONLY: u64 = 1;

/// `UFFDIO_API`, its version, and write protection of all kinds of memory that stops
/// nobody.
const API: u64 = 0xc018_aa3f;
const API_VERSION: u64 = 0xaa;
const FEATURES: u64 = (1 << 0) | (1 << 12) | (1 << 13) | (1 << 15);

/// Asks for such an account in the name of a traced child, as a recorder does.
pub(super) fn probe() -> Finding {
    match try_it() {
        Ok(Ok(())) => Finding::works("the kernel tells who has written where"),
        Ok(Err(Errno::EINVAL)) => Finding::fails("the kernel does not tell who has written where")
            .fix("a kernel from 6.7 on"),
        Ok(Err(errno)) => Finding::fails(format!("userfaultfd: {}", errno.desc())).fix(
            "this is a container or sandbox whose filter forbids it: allow userfaultfd in its \
             seccomp profile, and pidfd_getfd",
        ),
        Err(error) => Finding::fails(format!("not tried: {error}")),
    }
}

fn try_it() -> Result<Result<(), Errno>, TraceError> {
    let child = Tracee::start()?;
    child.seize()?;
    let at = child.stop()?;
    let flags = libc::O_CLOEXEC as u64 | USER_MODE_ONLY;
    let arguments = [flags, 0, 0, 0, 0, 0];
    let opened = match child.call(&at, libc::SYS_userfaultfd, arguments)? {
        Ok(opened) => opened,
        Err(errno) => return Ok(Err(errno)),
    };
    let wanted = (at.rsp - 4096) & !15;
    child.poke(wanted, &[API_VERSION, FEATURES, 0])?;
    let asked = child.call(&at, libc::SYS_ioctl, [opened, API, wanted, 0, 0, 0])?;
    Ok(asked.map(drop))
}
