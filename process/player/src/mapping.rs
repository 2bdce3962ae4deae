//! The calls that change the address space, made again: with nothing behind the
//! memory, at the places where the kernel put it, and with the content that a
//! file brought in.

use std::cmp::Ordering;

use nix::libc;
use reprise_process_events::{Call, PAGE};
use reprise_recording::Source;
use reprise_syscalls::is_error;

use crate::load::{ANONYMOUS, check, omitted};
use crate::play::Play;
use crate::{ADDRESSES, PlayError};

const PROTECTIONS: u32 = (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) as u32;
const WRITABLE: u64 = (libc::PROT_READ | libc::PROT_WRITE) as u64;

impl<S: Source> Play<'_, '_, S> {
    /// Does to the address space what the recorded call did.
    pub(crate) fn map(&mut self, event: u64, call: &Call) -> Result<(), PlayError> {
        let argument = |index: usize| call.arguments.get(index).copied().unwrap_or(0);
        let number = call.number.cast_signed();
        // Advice for a range with holes fails, and is followed outside of them.
        if is_error(call.result) && number != libc::SYS_madvise {
            return Ok(());
        }
        match number {
            libc::SYS_mmap => {
                let (start, end) = pages(event, call.result, argument(1))?;
                let protection = argument(2) as u32 & PROTECTIONS;
                self.make(event, start, end, protection)?;
                self.fill(event, call, start, end)?;
            }
            libc::SYS_shmat => {
                let (start, end) = pages(event, call.result, argument(3))?;
                self.make(event, start, end, protection_of(argument(2)))?;
                self.fill(event, call, start, end)?;
            }
            libc::SYS_shmdt => {
                let (start, end) = pages(event, argument(0), argument(1))?;
                self.unmake(event, start, end)?;
            }
            libc::SYS_munmap => {
                let (start, end) = pages(event, argument(0), argument(1))?;
                self.unmake(event, start, end)?;
            }
            libc::SYS_mprotect => {
                let (start, end) = pages(event, argument(0), argument(1))?;
                let protection = argument(2) as u32 & PROTECTIONS;
                self.check_room(start, end, protection)?;
                for range in self.space.present(start, end) {
                    self.protect(event, range.start, range.end, protection)?;
                }
                self.space.protect(start, end, protection);
            }
            libc::SYS_brk => self.move_brk(event, call.result)?,
            libc::SYS_mremap => {
                self.move_pages(event, call, argument(0), argument(1), argument(2))?;
            }
            libc::SYS_madvise if drops_pages(argument(2)) => {
                let (start, end) = pages(event, argument(0), argument(1))?;
                for (start, end) in self.space.only_here(start, end) {
                    self.open_missing(event, start, end)?;
                }
                if argument(2) as i32 == libc::MADV_REMOVE {
                    self.clear_shown(event, start, end)?;
                }
                for (start, end) in self.space.only_here(start, end) {
                    let advice = libc::MADV_DONTNEED as u64;
                    let arguments = [start, end - start, advice, 0, 0, 0];
                    self.call(event, libc::SYS_madvise, arguments)?;
                }
                self.fill(event, call, start, end)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes away what is at several addresses, at all of them.
    fn clear_shown(&mut self, event: u64, start: u64, end: u64) -> Result<(), PlayError> {
        for (start, end, _) in self.space.shown.within(start, end) {
            let mut parts = self.space.alike(start, end);
            parts.push((start, end));
            for (start, end) in parts {
                self.open_missing(event, start, end)?;
            }
            for page in (start..end).step_by(PAGE as usize) {
                self.write_shown(event, page, &[0; PAGE as usize])?;
            }
        }
        Ok(())
    }

    fn make(&mut self, event: u64, start: u64, end: u64, protection: u32) -> Result<(), PlayError> {
        if start == end {
            return Ok(());
        }
        self.check_room(start, end, protection)?;
        for (start, end) in self.space.but_for_rooms(start, end) {
            let arguments = [
                start,
                end - start,
                u64::from(protection),
                ANONYMOUS,
                u64::MAX,
                0,
            ];
            self.call(event, libc::SYS_mmap, arguments)?;
            self.space.map(start, end, protection);
        }
        Ok(())
    }

    /// Whether there may be so much more memory. The kernel sees to what can be written
    /// to; of the rest, small pieces are limited by how many it allows.
    fn check_room(&self, start: u64, end: u64, protection: u32) -> Result<(), PlayError> {
        const LARGE: u64 = 1 << 20;
        let more = end - start;
        if protection == 0 || more < LARGE {
            return Ok(());
        }
        if self.space.accessible().saturating_add(more) > self.blank.memory {
            return Err(PlayError::Limit("its memory"));
        }
        Ok(())
    }

    fn unmake(&mut self, event: u64, start: u64, end: u64) -> Result<(), PlayError> {
        if start == end {
            return Ok(());
        }
        self.call(event, libc::SYS_munmap, [start, end - start, 0, 0, 0, 0])?;
        self.space.unmap(start, end);
        Ok(())
    }

    fn protect(&self, event: u64, start: u64, end: u64, protection: u32) -> Result<(), PlayError> {
        let protection = u64::from(protection);
        let arguments = [start, end - start, protection, 0, 0, 0];
        self.call(event, libc::SYS_mprotect, arguments)
    }

    fn move_brk(&mut self, event: u64, brk: u64) -> Result<(), PlayError> {
        let round = |brk: u64| pages(event, 0, brk).map(|(_, end)| end);
        let (old, new) = (round(self.brk)?, round(brk)?);
        self.brk = brk;
        if old < new {
            let protection = WRITABLE as u32;
            self.make(event, old, new, protection)
        } else {
            self.unmake(event, new, old)
        }
    }

    fn move_pages(
        &mut self,
        event: u64,
        call: &Call,
        from: u64,
        old_len: u64,
        new_len: u64,
    ) -> Result<(), PlayError> {
        let (old_start, old_end) = pages(event, from, old_len)?;
        let (start, end) = pages(event, call.result, new_len)?;
        let old = self.space.within(old_start, old_end.max(old_start + 1));
        let protection = old.first().map_or(0, |range| range.protection);
        if old_start == old_end {
            // A second view of shared memory.
            self.make(event, start, end, protection)?;
            return self.fill(event, call, start, end);
        }
        let flags = call.arguments.get(3).copied().unwrap_or(0);
        let keeps = flags & libc::MREMAP_DONTUNMAP as u64;
        let (flags, to) = if start == old_start {
            (0, 0)
        } else {
            let moving = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            (moving as u64 | keeps, start)
        };
        // The kernel moves only what is of one protection. Missing pages get
        // their own again where they are moved to.
        self.protect(event, old_start, old_end, protection)?;
        let arguments = [old_start, old_end - old_start, end - start, flags, to, 0];
        let mremap = libc::SYS_mremap;
        // Who shows the same afterwards is said by the next event, and there may be nothing
        // behind the end of what is shown here.
        let by_hand = self.space.is_shown(old_start, old_end);
        if by_hand
            || is_error(
                self.blank
                    .tracee
                    .call_plainly_at(self.behind, mremap, arguments)?,
            )
        {
            // To the kernel it may still be several.
            self.copy_pages(event, (old_start, old_end), (start, end), keeps != 0)?;
            self.protect(event, start, end, protection)?;
        }
        if start == old_start {
            self.space.unmap(end.min(old_end), old_end);
            let grown = end.max(old_end);
            if old_end < grown {
                self.space.map(old_end, grown, protection);
            }
            self.space.protect(start, end, protection);
        } else {
            self.space.map(start, end, protection);
            self.space
                .move_missing(old_start, (old_end - old_start).min(end - start), start);
            self.space.found(old_start, old_end);
            if keeps == 0 {
                self.space.unmap(old_start, old_end);
            }
        }
        self.hide_missing(event, start, end)?;
        self.fill(event, call, start, end)
    }

    /// Does by hand what the kernel does not: makes a range longer or shorter, or
    /// copies it.
    fn copy_pages(
        &self,
        event: u64,
        old: (u64, u64),
        new: (u64, u64),
        keeps: bool,
    ) -> Result<(), PlayError> {
        const BLOCK: usize = 1 << 20;
        let map = |start: u64, end: u64| {
            let arguments = [start, end - start, WRITABLE, ANONYMOUS, u64::MAX, 0];
            self.call(event, libc::SYS_mmap, arguments)
        };
        let unmap = |start: u64, end: u64| {
            self.call(event, libc::SYS_munmap, [start, end - start, 0, 0, 0, 0])
        };
        if old.0 == new.0 {
            return match old.1.cmp(&new.1) {
                Ordering::Less => map(old.1, new.1),
                Ordering::Equal => Ok(()),
                Ordering::Greater => unmap(new.1, old.1),
            };
        }
        map(new.0, new.1)?;
        self.protect(event, old.0, old.1, WRITABLE as u32)?;
        let process = self.blank.tracee;
        let len = (old.1 - old.0).min(new.1 - new.0);
        for range in self.space.present(old.0, old.0 + len) {
            let mut at = range.start;
            while at < range.end {
                let most = usize::try_from(range.end - at).unwrap_or(BLOCK).min(BLOCK);
                let bytes = process.read_some(at, most);
                if bytes.iter().any(|&byte| byte != 0) {
                    process.write(at - old.0 + new.0, &bytes)?;
                }
                at += most as u64;
            }
        }
        if keeps {
            let advice = libc::MADV_DONTNEED as u64;
            let arguments = [old.0, old.1 - old.0, advice, 0, 0, 0];
            return self.call(event, libc::SYS_madvise, arguments);
        }
        unmap(old.0, old.1)
    }

    /// What is missing between two addresses cannot be accessed.
    fn hide_missing(&self, event: u64, start: u64, end: u64) -> Result<(), PlayError> {
        for (start, end, _) in self.space.missing(start, end) {
            self.protect(event, start, end, 0)?;
        }
        Ok(())
    }

    /// Nothing is missing between two addresses any more; what was can be
    /// accessed.
    fn open_missing(&mut self, event: u64, start: u64, end: u64) -> Result<(), PlayError> {
        for (start, end, _) in self.space.missing(start, end) {
            for range in self.space.within(start, end) {
                self.protect(event, range.start, range.end, range.protection)?;
            }
            self.space.found(start, end);
        }
        Ok(())
    }

    /// Writes what a file brought in, which may be memory that is not writable.
    fn fill(&mut self, event: u64, call: &Call, start: u64, end: u64) -> Result<(), PlayError> {
        let Some(content) = call.content else {
            return Ok(());
        };
        if let Some(supplies) = &mut self.supplies {
            for (from, to) in supplies.from.ranges(content.map) {
                self.space.omit(from.max(start), to.min(end), content.map);
            }
            return self.hide_missing(event, start, end);
        }
        let ranges = self.space.within(start, end);
        for range in &ranges {
            self.protect(event, range.start, range.end, WRITABLE as u32)?;
        }
        let mut pages = self.recording.pages();
        for address in pages.addresses(self.process, content.map)? {
            if !(start..end).contains(&address) {
                let what = format!("a page at {address:#x} is outside of what was mapped");
                return Err(PlayError::Unplayable { event, what });
            }
            if let Some(page) = pages.get(self.process, content.map, address)? {
                self.blank.tracee.write(address, &page)?;
                self.space.found(address, address + PAGE);
            }
        }
        for (from, to) in omitted(self.recording, self.process, content.map)? {
            self.space.omit(from.max(start), to.min(end), content.map);
        }
        for range in &ranges {
            self.protect(event, range.start, range.end, range.protection)?;
        }
        self.hide_missing(event, start, end)
    }

    fn call(&self, event: u64, number: i64, arguments: [u64; 6]) -> Result<(), PlayError> {
        let result = self
            .blank
            .tracee
            .call_plainly_at(self.behind, number, arguments)?;
        check(event, result)
    }
}

/// The protection of memory that was attached with these flags.
fn protection_of(flags: u64) -> u32 {
    let flags = flags as i32;
    let mut protection = libc::PROT_READ;
    if flags & libc::SHM_RDONLY == 0 {
        protection |= libc::PROT_WRITE;
    }
    if flags & libc::SHM_EXEC != 0 {
        protection |= libc::PROT_EXEC;
    }
    protection as u32
}

/// Whole pages, at addresses that a program can have.
fn pages(event: u64, start: u64, len: u64) -> Result<(u64, u64), PlayError> {
    let end = start
        .checked_add(len)
        .and_then(|end| end.checked_next_multiple_of(PAGE));
    match end {
        Some(end) if start.is_multiple_of(PAGE) && end <= ADDRESSES => Ok((start, end)),
        _ => {
            let what = format!("there is no memory of {len:#x} bytes at {start:#x}");
            Err(PlayError::Unplayable { event, what })
        }
    }
}

/// Whether advice takes pages away.
pub(crate) fn drops_pages(advice: u64) -> bool {
    let advice = advice as i32;
    [libc::MADV_DONTNEED, libc::MADV_FREE, libc::MADV_REMOVE].contains(&advice)
}
