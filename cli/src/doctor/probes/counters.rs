//! Hardware counters. Reprise does not need them; other recorders do, and
//! people who know those will ask.

use nix::errno::Errno;
use nix::libc;

use super::tracee::{TraceError, Tracee};
use crate::doctor::finding::Finding;

/// The first published size of `struct perf_event_attr`, eight words.
const ATTRIBUTE_BYTES: u64 = 64;
/// The bits `disabled`, `exclude_kernel` and `exclude_hv`.
const USER_CODE_ONLY: u64 = 1 | 1 << 5 | 1 << 6;

/// Opens a counter of CPU cycles, in the name of a traced child.
pub(super) fn probe() -> Finding {
    match try_it() {
        Ok(Ok(())) => Finding::works("present (Reprise does not need them)"),
        Ok(Err(Errno::EACCES | Errno::EPERM)) => {
            Finding::fails("not allowed here (Reprise does not need them)")
        }
        Ok(Err(_)) => Finding::fails("not present (Reprise does not need them)"),
        Err(_) => Finding::fails("not tried (Reprise does not need them)"),
    }
}

fn try_it() -> Result<Result<(), Errno>, TraceError> {
    let child = Tracee::start()?;
    child.seize()?;
    let at = child.stop()?;
    let attribute = (at.rsp - 4096) & !15;
    // Type 0 with configuration 0 is the cycle counter of the processor.
    let first = ATTRIBUTE_BYTES << 32;
    child.poke(attribute, &[first, 0, 0, 0, 0, USER_CODE_ONLY, 0, 0])?;
    let any_cpu = u64::MAX;
    let no_group = u64::MAX;
    let arguments = [attribute, 0, any_cpu, no_group, 0, 0];
    let opened = child.call(&at, libc::SYS_perf_event_open, arguments)?;
    Ok(opened.map(drop))
}
