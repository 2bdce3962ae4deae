//! Memory that comes when it is first used: how it is found out which pages a
//! segment needs.
//!
//! Every page whose content the segment began with, or that a file brought in, is
//! there but cannot be accessed. The processor tells of the first access, or the
//! player makes one itself where the kernel did; then the page gets its content
//! and its protection, and is one of those that are needed. That takes no more
//! than the player can do anyway, in a container, too.
//!
//! When a recording that holds only such pages is played, the others stay as they
//! are: who uses them has left the recording.

use std::collections::{BTreeMap, BTreeSet};

use nix::libc;
use reprise_process_events::PAGE;
use reprise_recording::Source;
use reprise_syscalls::{Extent, Memory, is_error, read_by};
use reprise_tracee::{Stop, Tracee};

use crate::PlayError;
use crate::divergence::Fact;
use crate::load::check;
use crate::play::Play;
use crate::space::Space;
use crate::views::Joiner;

/// What a page holds.
pub type Page = [u8; PAGE as usize];

/// The memory of a process that is not in its recording yet.
pub trait Supply {
    /// The ranges of a page map in which there may be something.
    fn ranges(&mut self, map: u32) -> Vec<(u64, u64)>;

    /// The page of a page map that begins at an address.
    fn page(&mut self, map: u32, address: u64) -> Page;

    /// The ranges in which there was something at the pause of this event; `None`
    /// if memory was not kept there, the process having been in a loop that changes
    /// nothing.
    fn ranges_at(&mut self, pause: u64) -> Option<Vec<(u64, u64)>>;

    /// Reads whole pages as they were then; `false` if nobody knows.
    fn read_at(&mut self, pause: u64, address: u64, into: &mut [u8]) -> bool;
}

/// The pages that a replay has used, by page map.
pub type Used = BTreeMap<u32, BTreeSet<u64>>;

/// A supply, and what was taken from it.
pub(crate) struct Supplies<'o> {
    pub(crate) from: &'o mut dyn Supply,
    pub(crate) used: Used,
    /// What has come since whoever translates code was told, from where to where.
    pub(crate) brought: Vec<(u64, u64)>,
}

/// Memory as it is there now, which remembers what was missing.
struct Seen<'a> {
    process: Tracee,
    space: &'a Space,
    missing: std::cell::Cell<Option<u64>>,
}

impl Memory for Seen<'_> {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let read = self.process.read(address, into);
        let stopped = address.saturating_add(read as u64);
        if read < into.len() && self.space.is_missing(stopped) {
            self.missing.set(Some(stopped));
        }
        read
    }
}

impl<S: Source> Play<'_, '_, S> {
    /// The missing page that the process has tried to access, if that is why it
    /// has stopped.
    pub(crate) fn missed(&self, stop: Stop) -> Option<u64> {
        if stop != Stop::Signal(libc::SIGSEGV) {
            return None;
        }
        let address = self.blank.tracee.fault_address().ok()??;
        if self.closed == Some(address & !(PAGE - 1)) {
            return None;
        }
        self.space.is_missing(address).then_some(address)
    }

    /// Makes a range of memory accessible that the player is about to access in
    /// the place of the kernel.
    pub(crate) fn need(&mut self, event: u64, address: u64, len: u64) -> Result<(), PlayError> {
        let end = address.saturating_add(len);
        for (start, end, _) in self.space.missing(address, end) {
            if self.supplies.is_none() {
                return Err(self.not_recorded(event, start));
            }
            let first = start & !(PAGE - 1);
            for page in (first..end).step_by(PAGE as usize) {
                self.bring(page)?;
            }
        }
        Ok(())
    }

    /// What a call reads.
    pub(crate) fn extents(
        &mut self,
        call: &reprise_syscalls::Call,
        arguments: &[u64; 6],
    ) -> Result<Vec<Extent>, PlayError> {
        loop {
            let seen = Seen {
                process: self.blank.tracee,
                space: &self.space,
                missing: std::cell::Cell::default(),
            };
            let extents = read_by(call, arguments, &seen);
            match seen.missing.get() {
                Some(address) if self.supplies.is_some() => self.bring(address)?,
                _ => return Ok(extents),
            }
        }
    }

    /// Gives a missing page its content, if there is one with this address.
    pub(crate) fn bring(&mut self, address: u64) -> Result<(), PlayError> {
        let start = address & !(PAGE - 1);
        if !self.space.is_missing(start) {
            return Ok(());
        }
        if self.bring_all(start, start + PAGE)? {
            return Ok(());
        }
        // The kernel allows so many ranges of different protection and no more:
        // all that is missing around there, then.
        if let Some((start, end, _)) = self.space.missing_around(start) {
            self.bring_all(start, end)?;
        }
        Ok(())
    }

    /// Gives missing pages their content. Returns whether they can be accessed.
    fn bring_all(&mut self, start: u64, end: u64) -> Result<bool, PlayError> {
        let process = self.blank.tracee;
        let mut parts = self.space.alike(start, end);
        parts.push((start, end));
        let ranges = parts.iter();
        let ranges = ranges.flat_map(|&(start, end)| self.space.within(start, end));
        for range in ranges.collect::<Vec<_>>() {
            let protection = u64::from(range.protection);
            let arguments = [range.start, range.end - range.start, protection, 0, 0, 0];
            let result = self.blank.call(libc::SYS_mprotect, arguments)?;
            if is_error(result) && result != u64::from(libc::ENOMEM as u32).wrapping_neg() {
                check(self.done, result)?;
            }
            if is_error(result) {
                return Ok(false);
            }
        }
        let Some(supplies) = &mut self.supplies else {
            return Ok(false);
        };
        for (first, last, origin) in self.space.missing(start, end) {
            for page in (first..last).step_by(PAGE as usize) {
                let there = page.wrapping_sub(origin.moved);
                let content = supplies.from.page(origin.map, there);
                supplies.used.entry(origin.map).or_default().insert(there);
                if content.iter().all(|&byte| byte == 0) {
                    continue;
                }
                if self.space.is_shown(page, page + PAGE) {
                    let call = |number, arguments| self.blank.call(number, arguments);
                    let joiner = Joiner::new(process, &call, self.done, self.blank.memory);
                    joiner.write(&self.space, page, &content)?;
                } else {
                    process.write_code(page, &content)?;
                }
            }
        }
        for (start, end) in parts {
            supplies.brought.push((start, end));
            self.space.found(start, end);
        }
        Ok(true)
    }

    /// What a missing page holds; `None` if nobody knows.
    pub(crate) fn look_up(&mut self, page: u64) -> Option<Page> {
        let (_, _, origin) = self.space.missing_around(page)?;
        let supplies = self.supplies.as_mut()?;
        let there = page.wrapping_sub(origin.moved);
        Some(supplies.from.page(origin.map, there))
    }

    /// Something was used that is not in the recording.
    pub(crate) fn not_recorded(&self, event: u64, address: u64) -> PlayError {
        let ip = self.blank.tracee.registers().map_or(0, |at| at.rip());
        self.diverged(event, ip, Fact::Recorded, Fact::NotRecorded { address })
    }
}
