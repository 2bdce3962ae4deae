//! What the recorder leaves to its guard, in memory that both share: how the subject
//! has ended, the signals that wait in the recorder, the processes that the subject has made, and the bytes of
//! programs that were changed.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::unistd::Pid;

use crate::session::Ended;

/// The most processes of a subject that the guard knows of.
const MEMBERS: usize = 256;

/// The most places in programs that the guard knows of.
const SITES: usize = 1024;

/// What the recorder leaves to its guard.
#[repr(C)]
struct Left {
    /// How the subject ends or has ended, as `waitpid` says it, and that this is known.
    ended: AtomicU64,
    /// The signals that wait in the recorder, a bit each.
    held: AtomicU64,
    /// The processes that the subject has made; 0 is none.
    members: [AtomicI32; MEMBERS],
    /// How often a byte of a program was changed, and the last of them: the address
    /// with the old byte below it.
    changes: AtomicUsize,
    sites: [AtomicU64; SITES],
}

/// Where the guard sees it; null where there is no guard.
static LEFT: AtomicPtr<Left> = AtomicPtr::new(std::ptr::null_mut());

fn left() -> Option<&'static Left> {
    // SAFETY: null, or a mapping of this size that stays for good and began as
    // zeros, which is a value of this type.
    unsafe { LEFT.load(Ordering::Relaxed).as_ref() }
}

/// A byte of a program is about to be changed, so that an instruction stops. What
/// cannot be remembered must stay as it is; returns whether it was.
pub(crate) fn remember(address: u64, byte: u8) -> bool {
    let Some(left) = left() else { return false };
    let site = address << 8 | u64::from(byte);
    let known = left.sites.iter();
    if !{ known }.any(|known| known.load(Ordering::Relaxed) == site) {
        let next = left.changes.fetch_add(1, Ordering::Relaxed);
        left.sites[next % SITES].store(site, Ordering::Relaxed);
    }
    true
}

/// The bytes that were changed, in whichever program.
pub(crate) fn changes() -> Vec<(u64, u8)> {
    let sites = left().map(|left| &left.sites[..]).unwrap_or_default();
    let sites = sites.iter().map(|site| site.load(Ordering::Relaxed));
    let sites = sites.filter(|site| *site != 0);
    sites.map(|site| (site >> 8, site as u8)).collect()
}

/// Says that a status is known.
const KNOWN: u64 = 1 << 32;

/// The subject is about to end, or has ended, with this status as `waitpid` says it.
pub(crate) fn ends(status: u32) {
    if let Some(left) = left() {
        let known = KNOWN | u64::from(status);
        left.ended.store(known, Ordering::Relaxed);
    }
}

/// How the subject has ended, if its recorder has learnt that.
pub(super) fn ended() -> Option<Ended> {
    let status = left()?.ended.load(Ordering::Relaxed);
    let known = status & KNOWN != 0;
    let status = (status & (KNOWN - 1)) as i32;
    known.then_some(match status & 0x7f {
        0 => Ended::Exited(status >> 8 & 0xff),
        signal => Ended::Killed(signal),
    })
}

fn held() -> Option<&'static AtomicU64> {
    left().map(|left| &left.held)
}

/// The signals that wait.
pub(super) fn held_signals() -> impl Iterator<Item = i32> {
    let held = held().map_or(0, |held| held.load(Ordering::Relaxed));
    (1..=64).filter(move |signal| held & bit(*signal) != 0)
}

/// The processes that the subject has made.
pub(super) fn members() -> impl Iterator<Item = Pid> {
    let members = left().map(|left| &left.members[..]).unwrap_or_default();
    let members = members.iter().map(|member| member.load(Ordering::Relaxed));
    members.filter(|member| *member != 0).map(Pid::from_raw)
}

/// The subject has made a process.
pub(crate) fn joins(process: Pid) {
    replace(0, process.as_raw());
}

/// A process of the subject has ended, or does not depend on the recorder.
pub(crate) fn leaves(process: Pid) {
    replace(process.as_raw(), 0);
}

fn replace(old: i32, new: i32) {
    let members = left().map(|left| &left.members[..]).unwrap_or_default();
    let mut found = members.iter();
    if let Some(member) = found.find(|member| member.load(Ordering::Relaxed) == old) {
        member.store(new, Ordering::Relaxed);
    }
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1).clamp(0, 63)
}

/// A signal waits in the recorder from here on.
pub(crate) fn hold(signal: i32) {
    if let Some(held) = held() {
        held.fetch_or(bit(signal), Ordering::Relaxed);
    }
}

/// It waits no more.
pub(crate) fn let_go_of(signal: i32) {
    if let Some(held) = held() {
        held.fetch_and(!bit(signal), Ordering::Relaxed);
    }
}

/// Makes the memory that recorder and guard share. Without it signals may get
/// lost when the recorder is killed, and nothing else.
pub(super) fn share() {
    let len = NonZeroUsize::MIN.saturating_add(size_of::<Left>() - 1);
    let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    // SAFETY: a new mapping, at an address of the kernel's choice.
    let page = unsafe { mmap_anonymous(None, len, protection, MapFlags::MAP_SHARED) };
    if let Ok(page) = page {
        LEFT.store(page.cast().as_ptr(), Ordering::Relaxed);
    }
}
