//! The memory of a stopped process: its pages at the start of a segment and
//! behind a mapped file, and their checksums at the end.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use nix::unistd::Pid;
use reprise_process_events::{PAGE, PageSums, Region, STACK_RED_ZONE};

use crate::files::Files;
use crate::followed::Mirrored;
use crate::maps::{self, Mapped};
use crate::views::in_order;

/// How much is read at once.
const BLOCK: u64 = 256 * PAGE;

/// How far below the stack pointer memory counts as unused where the stack is
/// one that the program made itself, and so may have other things below.
const OWN_STACK: u64 = 16 << 10;

/// The memory of a process, whatever its protection, and what was mapped when
/// this was made.
pub(crate) struct Image {
    memory: File,
    pages: File,
    mapped: Vec<Mapped>,
    /// What is kept of memory that is shared with others.
    mirrored: Vec<Mirrored>,
    /// Where there is memory that others write to, or may.
    written: Vec<u64>,
    pid: Pid,
}

impl Image {
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        Ok(Self {
            memory: File::open(format!("/proc/{pid}/mem"))?,
            pages: File::open(format!("/proc/{pid}/pagemap"))?,
            mapped: maps::mapped(pid)?,
            mirrored: Vec::new(),
            written: Vec::new(),
            pid,
        })
    }

    /// With these parts as they are there, whatever becomes of them in the process.
    pub(crate) fn with(self, mirrored: Vec<Mirrored>) -> Self {
        Self { mirrored, ..self }
    }

    /// With what is known of who writes to memory that is shared.
    pub(crate) fn written_as(self, files: &Files) -> Self {
        let shared = self.mapped.iter().filter(|mapped| mapped.shared);
        let written = shared.filter(|mapped| files.has_writer(&mapped.object));
        let written = written.map(|mapped| mapped.region.start).collect();
        Self { written, ..self }
    }

    /// What is mapped.
    pub(crate) fn mapped(&self) -> &[Mapped] {
        &self.mapped
    }

    fn mirrored(&self, address: u64) -> Option<&Mirrored> {
        let mut all = self.mirrored.iter();
        all.find(|one| (one.start..one.end).contains(&address))
    }

    /// The memory of another process from here on: a copy of the one that it was.
    pub(crate) fn look_at(&mut self, copy: Pid) -> io::Result<()> {
        self.memory = File::open(format!("/proc/{copy}/mem"))?;
        self.pages = File::open(format!("/proc/{copy}/pagemap"))?;
        self.pid = copy;
        Ok(())
    }

    /// What is mapped, with the room into which the stack may still grow: a
    /// player cannot let it grow by itself.
    pub(crate) fn regions(&self) -> io::Result<Vec<Region>> {
        let limit = maps::stack_limit(self.pid)?.unwrap_or(1 << 30);
        let mut regions: Vec<Region> = Vec::new();
        for mut region in self.mapped.iter().map(|mapped| mapped.region.clone()) {
            if region.name == "[stack]" {
                let below = regions.last().map_or(0, |last| last.end);
                let lowest = region.end.saturating_sub(limit.min(1 << 30)) & !(PAGE - 1);
                region.start = region.start.min(lowest.max(below));
            }
            regions.push(region);
        }
        Ok(regions)
    }

    /// Fills `into` from `address` on, as far as there is memory, and returns how
    /// far that is.
    pub(crate) fn read_some(&self, address: u64, into: &mut [u8]) -> usize {
        if let Some(mirrored) = self.mirrored(address) {
            return read_mirrored(mirrored, address, into);
        }
        let next = self.mirrored.iter().map(|one| one.start);
        let next = next.filter(|start| *start > address).min();
        let len = next.map_or(u64::MAX, |next| next - address);
        let len = usize::try_from(len).unwrap_or(usize::MAX).min(into.len());
        self.memory.read_at(&mut into[..len], address).unwrap_or(0)
    }

    /// The ranges in which there may be something.
    pub(crate) fn ranges(&self) -> io::Result<Vec<(u64, u64)>> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for mapped in &self.mapped {
            let (at, last) = (mapped.region.start, mapped.region.end);
            if let Some(mirrored) = self.mirrored(at) {
                let pages = mirrored.pages(at, last.min(mirrored.end));
                ranges.extend(pages.map(|(page, _)| (page, page + PAGE)));
                continue;
            }
            for (mut at, last) in self.populated(mapped) {
                while at < last {
                    let end = last.min(at + BLOCK);
                    let present = self.present(at, end, mapped.file)?;
                    for (index, _) in (0..).zip(present).filter(|(_, present)| *present) {
                        let page = at + index * PAGE;
                        match ranges.last_mut() {
                            Some((_, end)) if *end == page => *end += PAGE,
                            _ => ranges.push((page, page + PAGE)),
                        }
                    }
                    at = end;
                }
            }
        }
        Ok(ranges)
    }

    /// Where there may be something in a part: a program may have reserved terabytes, and
    /// looking at each page of that takes minutes.
    fn populated(&self, mapped: &Mapped) -> Vec<(u64, u64)> {
        let (start, end) = (mapped.region.start, mapped.region.end);
        if mapped.file || end - start <= BLOCK {
            return vec![(start, end)];
        }
        let found = reprise_tracee::populated(&self.pages, start, end);
        found.unwrap_or_else(|_| vec![(start, end)])
    }

    /// Reads a page; what cannot be read is zero.
    pub(crate) fn read_page(&self, address: u64, page: &mut [u8; PAGE as usize]) {
        if let Some(mirrored) = self.mirrored(address) {
            *page = mirrored
                .page(address)
                .copied()
                .unwrap_or([0; PAGE as usize]);
            return;
        }
        self.read(address, page, &[true]);
    }

    /// Hands every page that is not all zero to `each`.
    pub(crate) fn all_pages<E: From<io::Error>>(
        &self,
        mut each: impl FnMut(u64, &mut [u8; PAGE as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        for mapped in &self.mapped {
            self.pages_of(mapped, &mut each)?;
        }
        Ok(())
    }

    /// The same of memory that can be written to.
    pub(crate) fn writable_pages<E: From<io::Error>>(
        &self,
        mut each: impl FnMut(u64, &mut [u8; PAGE as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        const WRITABLE: u32 = nix::libc::PROT_WRITE as u32;
        let parts = self.mapped.iter();
        for mapped in parts.filter(|mapped| mapped.region.protection & WRITABLE != 0) {
            self.pages_of(mapped, &mut each)?;
        }
        Ok(())
    }

    /// What a copy of the process would not keep: memory that others share, and
    /// `unforked` ranges. Of what is at several addresses, the first (`in_order`) is kept.
    pub(crate) fn uncopied(&self, unforked: &[(u64, u64)]) -> Vec<Mapped> {
        let mut parts: Vec<Mapped> = Vec::new();
        let mut kept: Vec<&Mapped> = Vec::new();
        let mut mapped: Vec<&Mapped> = self.mapped.iter().collect();
        mapped.sort_by_key(|mapped| in_order(mapped));
        for mapped in mapped {
            let is_within = |one: &&Mapped| {
                one.object == mapped.object
                    && one.offset <= mapped.offset
                    && mapped.end_in_file() <= one.end_in_file()
            };
            let is_written = !in_order(mapped).0 || self.written.contains(&mapped.region.start);
            if self.mirrored(mapped.region.start).is_some() {
                kept.push(mapped);
            } else if mapped.shared && is_written {
                if !kept.iter().any(is_within) {
                    parts.push(mapped.clone());
                    kept.push(mapped);
                }
            } else {
                let ranges = unforked.iter();
                parts.extend(ranges.filter_map(|&(start, end)| mapped.within(start, end)));
            }
        }
        parts
    }

    /// Hands every page between two addresses that has a file behind it and is
    /// not all zero to `each`.
    pub(crate) fn file_pages<E: From<io::Error>>(
        &self,
        start: u64,
        end: u64,
        mut each: impl FnMut(u64, &mut [u8; PAGE as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let parts = self.mapped.iter().filter(|mapped| mapped.file);
        for part in parts.filter_map(|mapped| mapped.within(start, end)) {
            self.pages_of(&part, &mut each)?;
        }
        Ok(())
    }

    /// The checksums of all pages, and which part of the stack is unused.
    pub(crate) fn sums(&self, stack_pointer: u64) -> io::Result<((u64, u64), PageSums)> {
        let unused = self.unused(stack_pointer);
        let mut sums = PageSums::default();
        self.all_pages(|address, page| {
            PageSums::blank_unused(address, page, unused);
            if page.iter().any(|&byte| byte != 0) {
                sums.push(address, crc32c::crc32c(page));
            }
            Ok::<_, io::Error>(())
        })?;
        Ok((unused, sums))
    }

    fn unused(&self, stack_pointer: u64) -> (u64, u64) {
        let end = stack_pointer.saturating_sub(STACK_RED_ZONE);
        let stack = self
            .mapped
            .iter()
            .map(|mapped| &mapped.region)
            .find(|region| (region.start..region.end).contains(&stack_pointer));
        match stack {
            Some(stack) if stack.name == "[stack]" => (stack.start.min(end), end),
            Some(stack) => (end.saturating_sub(OWN_STACK).max(stack.start).min(end), end),
            None => (0, 0),
        }
    }

    /// Hands every page of a part that is not all zero to `each`.
    pub(crate) fn pages_of<E: From<io::Error>>(
        &self,
        mapped: &Mapped,
        each: &mut impl FnMut(u64, &mut [u8; PAGE as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(mirrored) = self.mirrored(mapped.region.start) {
            let end = mapped.region.end.min(mirrored.end);
            for (address, page) in mirrored.pages(mapped.region.start, end) {
                each(address, &mut page.clone())?;
            }
            return Ok(());
        }
        for (start, end) in self.populated(mapped) {
            self.pages_between(start, end, mapped.file, each)?;
        }
        Ok(())
    }

    /// The same between two addresses.
    fn pages_between<E: From<io::Error>>(
        &self,
        start: u64,
        last: u64,
        file: bool,
        each: &mut impl FnMut(u64, &mut [u8; PAGE as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = vec![0; BLOCK.min(last - start) as usize];
        let mut at = start;
        while at < last {
            let end = last.min(at + BLOCK);
            let present = self.present(at, end, file)?;
            if present.iter().any(|&present| present) {
                let block = &mut block[..(end - at) as usize];
                self.read(at, block, &present);
                let pages = block.chunks_exact_mut(PAGE as usize);
                for ((index, page), present) in (0..).zip(pages).zip(present) {
                    let Ok(page) = <&mut [u8; PAGE as usize]>::try_from(page) else {
                        continue;
                    };
                    if present && page.iter().any(|&byte| byte != 0) {
                        each(at + index * PAGE, page)?;
                    }
                }
            }
            at = end;
        }
        Ok(())
    }

    /// Which pages can hold anything. With a file behind them that is all;
    /// otherwise those that are in memory or swapped out.
    fn present(&self, start: u64, end: u64, file: bool) -> io::Result<Vec<bool>> {
        const PRESENT_OR_SWAPPED: u64 = 3 << 62;
        let count = ((end - start) / PAGE) as usize;
        if file {
            return Ok(vec![true; count]);
        }
        let mut entries = vec![0; count * 8];
        self.pages.read_exact_at(&mut entries, start / PAGE * 8)?;
        let entries = entries.chunks_exact(8).map(|entry| {
            let mut word = [0; 8];
            word.copy_from_slice(entry);
            u64::from_le_bytes(word) & PRESENT_OR_SWAPPED != 0
        });
        Ok(entries.collect())
    }

    /// Fills `block`, page by page where it cannot be had as a whole: behind the
    /// end of a mapped file there is nothing to read, which counts as zero.
    fn read(&self, at: u64, block: &mut [u8], present: &[bool]) {
        if present.iter().all(|&present| present) && self.memory.read_exact_at(block, at).is_ok() {
            return;
        }
        let pages = block.chunks_exact_mut(PAGE as usize);
        for ((index, page), present) in (0..).zip(pages).zip(present) {
            let address = at + index * PAGE;
            if !present || self.memory.read_exact_at(page, address).is_err() {
                page.fill(0);
            }
        }
    }
}

/// Fills `into` from `address` on, as far as the part goes.
fn read_mirrored(mirrored: &Mirrored, address: u64, into: &mut [u8]) -> usize {
    let len = usize::try_from(mirrored.end - address).unwrap_or(usize::MAX);
    let len = len.min(into.len());
    let mut done = 0;
    while done < len {
        let at = address + done as u64;
        let offset = (at % PAGE) as usize;
        let count = (PAGE as usize - offset).min(len - done);
        let piece = &mut into[done..done + count];
        match mirrored.page(at) {
            Some(page) => piece.copy_from_slice(&page[offset..offset + count]),
            None => piece.fill(0),
        }
        done += count;
    }
    len
}
