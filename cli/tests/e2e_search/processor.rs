//! Processor time, which other programs on the machine change less than the time of day.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// What the children that have ended took so far, with theirs, in seconds.
pub(crate) fn of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}
