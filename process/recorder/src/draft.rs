//! A recording that has everything but memory yet. Its own replay shows which
//! pages are needed; then those are written, or all of them if it fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Seek as _};
use std::sync::Arc;

use reprise_process_events::{OMITTED, PAGE, PLACES, PLACES_VERSION, Place, Region, Start, wire};
use reprise_recording::{Closing, Manifest, NotRecorded, Packing, StreamInfo, WriteError, Writer};

use crate::dump::{Recorded, Snapshot, Without};
use crate::log::{Beginning, Contents, Page};

/// A recording without memory.
pub struct Draft {
    file: File,
    manifest: Manifest,
    writer: Writer,
    snapshots: Vec<Snapshot>,
    closing: Closing,
}

/// The memory of a process that is not in a recording yet, by page maps.
#[derive(Clone, Copy)]
pub struct Memory<'a>(&'a Snapshot);

impl Draft {
    pub(crate) fn new(
        file: File,
        manifest: Manifest,
        snapshots: Vec<Snapshot>,
        closing: Closing,
    ) -> Result<Self, WriteError> {
        let writer = write(&file, &manifest, &snapshots)?;
        Ok(Self {
            file,
            manifest,
            writer,
            snapshots,
            closing,
        })
    }

    /// Begins again, without a pause of a process that was not found. Returns what else
    /// is missing then, if that can be; nothing of the memory may have been written yet.
    pub fn do_without(&mut self, process: u32, pause: u64) -> Result<Option<Without>, WriteError> {
        let mut all = self.snapshots.iter_mut();
        let one = all.find(|one| one.whose.process == process);
        let Some(without) = one.and_then(|one| one.do_without(pause)) else {
            return Ok(None);
        };
        let empty = self.file.set_len(0).and_then(|()| self.file.rewind());
        empty.map_err(WriteError::Io)?;
        self.writer = write(&self.file, &self.manifest, &self.snapshots)?;
        Ok(Some(without))
    }

    /// The event of the last pause of a process.
    #[must_use]
    pub fn last_pause(&self, process: u32) -> Option<u64> {
        let mut all = self.snapshots.iter();
        let one = all.find(|one| one.whose.process == process)?;
        let mut pauses = one.later.iter().rev().filter(|one| one.is_paused());
        Some(pauses.next()?.first - 1)
    }

    /// Writes where the pauses of a process were: their events, and how many
    /// instructions ran before each.
    pub fn keep_places(&self, process: u32, places: &[Place]) -> Result<(), WriteError> {
        if places.is_empty() {
            return Ok(());
        }
        let mut stream = self.writer.stream(&StreamInfo {
            process,
            thread: u64::from(process),
            kind: PLACES.to_owned(),
            version: PLACES_VERSION,
            table: true,
            ..StreamInfo::default()
        })?;
        let mut bytes = Vec::new();
        for place in places {
            bytes.clear();
            wire::write_place(*place, &mut bytes);
            stream.append(&bytes)?;
        }
        stream.flush()
    }

    /// The processes that are in it, with their programs.
    pub fn processes(&self) -> impl Iterator<Item = (u32, &str)> {
        let all = self.snapshots.iter();
        all.map(|one| (one.whose.process, one.whose.name.as_str()))
    }

    /// What the recording says of its end so far.
    #[must_use]
    pub fn closing(&self) -> &Closing {
        &self.closing
    }

    /// The memory of a process.
    #[must_use]
    pub fn memory(&self, process: u32) -> Option<Memory<'_>> {
        let mut all = self.snapshots.iter();
        all.find(|one| one.whose.process == process).map(Memory)
    }

    /// Something is not recorded.
    pub fn note(&mut self, what: NotRecorded) {
        let mut notes = self.closing.not_recorded.iter_mut();
        match notes.find(|note| note.what == what.what && note.why == what.why) {
            Some(note) => note.count += what.count,
            None => self.closing.not_recorded.push(what),
        }
    }

    /// Writes memory of a process: these pages of each page map, or all.
    pub fn keep(
        &self,
        process: u32,
        pages: Option<&BTreeMap<u32, BTreeSet<u64>>>,
    ) -> Result<(), WriteError> {
        let Some(memory) = self.memory(process) else {
            return Ok(());
        };
        match pages {
            None => memory.write_all(&self.writer)?,
            Some(pages) => memory.write(&self.writer, pages)?,
        }
        if !memory.0.shadow.is_there() {
            let lost = "the system took the memory of the segment's start";
            return Err(WriteError::Io(io::Error::other(lost)));
        }
        Ok(())
    }

    /// Finishes it.
    pub fn finish(self) -> Result<Recorded, WriteError> {
        let mut closing = self.closing;
        let finished = self.writer.finish(closing.clone())?;
        closing.cut_short.clone_from(&finished.cut_short);
        Ok(Recorded { closing, finished })
    }
}

/// Writes all but the memory.
fn write(file: &File, manifest: &Manifest, snapshots: &[Snapshot]) -> Result<Writer, WriteError> {
    let file = file.try_clone().map_err(WriteError::Io)?;
    let writer = Writer::start_with(file, manifest, Packing::DENSE)?;
    for snapshot in snapshots {
        snapshot.write(&writer)?;
    }
    Ok(writer)
}

impl Memory<'_> {
    /// The page map of the start.
    #[must_use]
    pub fn first(&self) -> u32 {
        self.0.segment
    }

    /// The page maps of what files brought in later, in that order.
    pub fn later(&self) -> impl Iterator<Item = u32> {
        self.0.contents.iter().map(|contents| contents.number)
    }

    /// The state at the start.
    #[must_use]
    pub fn start(&self) -> &Start {
        &self.0.start
    }

    /// What is mapped at the start.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.0.start.regions
    }

    /// The ranges of a page map in which there may be something.
    #[must_use]
    pub fn ranges(&self, map: u32) -> Vec<(u64, u64)> {
        if map == self.0.segment {
            return self.0.shadow.ranges().unwrap_or_default();
        }
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let brought = self.brought(map).into_iter();
        for address in brought.flat_map(Contents::addresses) {
            match ranges.last_mut() {
                Some((_, end)) if *end == address => *end += PAGE,
                _ => ranges.push((address, address + PAGE)),
            }
        }
        ranges
    }

    /// The page of a page map at an address.
    #[must_use]
    pub fn page(&self, map: u32, address: u64) -> Page {
        if map == self.0.segment {
            return self.0.shadow.page(address);
        }
        let brought = self.brought(map);
        let page = brought.and_then(|brought| brought.page(address));
        page.copied().unwrap_or([0; PAGE as usize])
    }

    /// The ranges in which there was something at a pause, by its event; `None` if
    /// memory was not kept there.
    #[must_use]
    pub fn ranges_at(&self, pause: u64) -> Option<Vec<(u64, u64)>> {
        let paused = self.paused(pause)?;
        Some(paused.shadow.ranges().unwrap_or_default())
    }

    /// Reads memory as it was at a pause, if that is known.
    pub fn read_at(&self, pause: u64, address: u64, into: &mut [u8]) -> bool {
        let paused = self.paused(pause);
        paused.is_some_and(|paused| paused.shadow.fill(address, into))
    }

    fn paused(&self, pause: u64) -> Option<&Beginning> {
        let mut all = self.0.later.iter();
        all.find(|one| one.is_paused() && one.first == pause + 1)
    }

    /// The pages that a file brought in.
    fn brought(&self, map: u32) -> Option<&Contents> {
        let mut all = self.0.contents.iter();
        all.find(|contents| contents.number == map).map(Arc::as_ref)
    }

    fn write(
        &self,
        writer: &Writer,
        pages: &BTreeMap<u32, BTreeSet<u64>>,
    ) -> Result<(), WriteError> {
        let process = self.0.whose.process;
        let none = BTreeSet::new();
        for number in std::iter::once(self.first()).chain(self.later()) {
            let kept = pages.get(&number).unwrap_or(&none);
            let mut map = writer.page_map(process, number);
            for &address in kept {
                map.insert(address, &self.page(number, address))?;
            }
            map.finish()?;
            let mut left_out = writer.page_map(process, number | OMITTED);
            for bound in bounds_without(&self.ranges(number), kept) {
                left_out.insert(bound, &[0; PAGE as usize])?;
            }
            left_out.finish()?;
        }
        Ok(())
    }

    fn write_all(&self, writer: &Writer) -> Result<(), WriteError> {
        let process = self.0.whose.process;
        let mut map = writer.page_map(process, self.first());
        let shadow = &self.0.shadow;
        shadow.all_pages(|address, page: &mut Page| map.insert(address, page))?;
        map.finish()?;
        for contents in &self.0.contents {
            let mut map = writer.page_map(process, contents.number);
            for (at, page) in contents.pages.iter() {
                map.insert(contents.base + at, page)?;
            }
            map.finish()?;
        }
        Ok(())
    }
}

/// Where the parts of ranges that have none of these pages begin and end, by
/// turns.
fn bounds_without(ranges: &[(u64, u64)], pages: &BTreeSet<u64>) -> BTreeSet<u64> {
    let mut bounds = BTreeSet::new();
    // What begins where something else ends goes on.
    let mut add = |start: u64, end: u64| {
        if start < end {
            for bound in [start, end] {
                if !bounds.remove(&bound) {
                    bounds.insert(bound);
                }
            }
        }
    };
    for &(start, end) in ranges {
        let mut at = start;
        for &page in pages.range(start..end) {
            add(at, page);
            at = page + PAGE;
        }
        add(at, end);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranges: &[(u64, u64)], pages: &[u64], expected: &[u64]) {
        let page = |page: &u64| page * PAGE;
        let ranges: Vec<_> = ranges.iter().map(|(a, b)| (page(a), page(b))).collect();
        let bounds = bounds_without(&ranges, &pages.iter().map(page).collect());
        let bounds: Vec<_> = bounds.iter().map(|bound| bound / PAGE).collect();
        assert_eq!(bounds, expected);
    }

    #[test]
    fn what_is_left_out_has_a_beginning_and_an_end() {
        check(&[(2, 5)], &[], &[2, 5]);
        check(&[(2, 5)], &[2, 3, 4], &[]);
        check(&[(2, 5)], &[3], &[2, 3, 4, 5]);
        check(&[(2, 5), (7, 9)], &[2, 8, 20], &[3, 5, 7, 8]);
    }

    #[test]
    fn neighbours_are_one() {
        check(&[(2, 5), (5, 9)], &[], &[2, 9]);
        check(&[(2, 5), (5, 9)], &[5], &[2, 5, 6, 9]);
    }
}
