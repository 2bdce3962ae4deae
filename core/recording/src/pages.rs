//! Memory pages, stored once per content.
//!
//! A *pages* chunk holds contents, 4096 bytes each; pages are numbered through
//! the whole recording, so that `first` and `count` of the chunk's header find
//! one. A *page map* chunk says which page stood at which address: its header
//! has the process in `stream`, the segment, and the lowest address in
//! `first`. Its payload, `count` entries by rising address:
//!
//! ```text
//!  varint  page frames between this entry and the one before (the first:
//!          the distance from the lowest address, which is 0)
//!  varint  0: the page is all zero
//!          n: its number is that of the last entry that had one, plus 1, plus
//!             n-1 in zigzag
//! ```
//! So a zero page costs two bytes before compression, a page that is already
//! in the recording a few, and a run of new pages nearly nothing.

use crate::{
    chunk::ChunkKind,
    damage::{Damage, Damaged, ReadError, malformed},
    index::ChunkEntry,
    reader::Recording,
    source::Source,
    varint,
    writer::{Place, WriteError, Writer},
};
use std::collections::{BTreeMap, HashMap};

/// The length of a page.
pub const LEN: usize = 4096;

/// A page's content.
pub type Page = [u8; LEN];

/// Pages per chunk: one access unpacks this much.
pub(crate) const PAGES_PER_CHUNK: usize = 32;
/// Entries per page map chunk.
pub(crate) const ENTRIES_PER_MAP: usize = 1 << 15;

const ZERO: Page = [0; LEN];

/// The pages that a writer has met.
#[derive(Default)]
pub(crate) struct PageStore {
    /// By the first half of their hash: about a hundredth of what they take.
    seen: HashMap<[u8; 16], u64>,
    waiting: Vec<u8>,
    /// The number of the next new page.
    pub(crate) next: u64,
}

impl PageStore {
    /// The number of a page with this content, new or not.
    fn number(&mut self, page: &Page, writer: &Writer) -> Result<u64, WriteError> {
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(page).as_bytes()[..16]);
        if let Some(number) = self.seen.get(&key) {
            return Ok(*number);
        }
        if self.waiting.len() >= PAGES_PER_CHUNK * LEN {
            self.flush(writer)?;
        }
        let number = self.next;
        self.waiting.extend_from_slice(page);
        self.seen.insert(key, number);
        self.next += 1;
        Ok(number)
    }

    fn flush(&mut self, writer: &Writer) -> Result<(), WriteError> {
        let count = (self.waiting.len() / LEN) as u32;
        if count == 0 {
            return Ok(());
        }
        let place = Place {
            first: self.next - u64::from(count),
            count,
            ..Place::default()
        };
        writer.append(ChunkKind::Pages, place, &self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

/// Collects the pages of one process in one segment.
pub struct PageMapWriter {
    writer: Writer,
    process: u32,
    segment: u32,
    /// By page frame; `None` is a zero page.
    entries: BTreeMap<u64, Option<u64>>,
}

impl Writer {
    /// Starts the page map of a process in a segment.
    #[must_use]
    pub fn page_map(&self, process: u32, segment: u32) -> PageMapWriter {
        PageMapWriter {
            writer: self.clone(),
            process,
            segment,
            entries: BTreeMap::new(),
        }
    }
}

impl PageMapWriter {
    /// Puts a page at an address, which is rounded down to a page.
    pub fn insert(&mut self, address: u64, page: &Page) -> Result<(), WriteError> {
        let number = if *page == ZERO {
            None
        } else {
            let shared = self.writer.shared();
            Some(shared.pages().number(page, &self.writer)?)
        };
        self.entries.insert(address / LEN as u64, number);
        Ok(())
    }

    /// Writes the pages that are new, and then the map that refers to them.
    pub fn finish(self) -> Result<(), WriteError> {
        self.writer.shared().pages().flush(&self.writer)?;
        let entries: Vec<_> = self.entries.into_iter().collect();
        for part in entries.chunks(ENTRIES_PER_MAP) {
            let place = Place {
                stream: self.process,
                segment: self.segment,
                first: part[0].0 * LEN as u64,
                count: part.len() as u32,
                ..Place::default()
            };
            self.writer
                .append(ChunkKind::PageMap, place, &write_map(part))?;
        }
        Ok(())
    }
}

fn write_map(entries: &[(u64, Option<u64>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut frame = entries.first().map_or(0, |entry| entry.0);
    let mut expected = 0u64;
    for (at, number) in entries {
        varint::put(&mut out, at - frame);
        frame = at + 1;
        match number {
            None => varint::put(&mut out, 0),
            Some(number) => {
                let step = number.wrapping_sub(expected) as i64;
                varint::put(&mut out, 1 + ((step << 1) ^ (step >> 63)) as u64);
                expected = number + 1;
            }
        }
    }
    out
}

/// Reads a map whose lowest address is `first`; `None` when it is malformed.
fn read_map(mut payload: &[u8], first: u64, count: u32) -> Option<PageMap> {
    if payload.len() < count as usize * 2 || !first.is_multiple_of(LEN as u64) {
        return None;
    }
    let mut entries = Vec::with_capacity(count as usize);
    let mut frame = first / LEN as u64;
    let mut expected = 0u64;
    for _ in 0..count {
        let at = frame.checked_add(varint::take(&mut payload)?)?;
        if at > u64::MAX / LEN as u64 {
            return None;
        }
        frame = at + 1;
        let number = match varint::take(&mut payload)? {
            0 => None,
            code => {
                let code = code - 1;
                let step = (code >> 1) as i64 ^ -((code & 1) as i64);
                let number = expected.checked_add_signed(step)?;
                expected = number.checked_add(1)?;
                Some(number)
            }
        };
        entries.push((at, number));
    }
    payload.is_empty().then_some(entries)
}

/// A page map once it is read: page frames with the numbers of their pages.
type PageMap = Vec<(u64, Option<u64>)>;

/// Reads pages; keeps what it unpacked last, since neighbours are asked for
/// together.
pub struct Pages<'r, S = std::fs::File> {
    recording: &'r Recording<S>,
    map: Option<(ChunkEntry, PageMap)>,
    contents: Option<(ChunkEntry, Vec<u8>)>,
}

impl<S: Source> Recording<S> {
    /// The pages of the recording.
    #[must_use]
    pub fn pages(&self) -> Pages<'_, S> {
        Pages {
            recording: self,
            map: None,
            contents: None,
        }
    }

    /// The chunks that say which pages stood where: `stream` is the process.
    #[must_use]
    pub fn page_maps(&self) -> &[ChunkEntry] {
        &self.page_maps
    }

    /// The chunks that hold pages.
    #[must_use]
    pub fn page_chunks(&self) -> &[ChunkEntry] {
        &self.page_chunks
    }

    /// How many different pages it holds, zero pages not counted.
    #[must_use]
    pub fn page_count(&self) -> u64 {
        self.page_chunks.last().map_or(0, ChunkEntry::end)
    }
}

impl<S: Source> Pages<'_, S> {
    /// The page that holds `address` in a process at the start of a segment.
    pub fn get(
        &mut self,
        process: u32,
        segment: u32,
        address: u64,
    ) -> Result<Option<Page>, ReadError> {
        let frame = address / LEN as u64;
        let Some(number) = self.lookup(process, segment, frame)? else {
            return Ok(None);
        };
        match number {
            None => Ok(Some(ZERO)),
            Some(number) => self.content(number).map(Some),
        }
    }

    /// The addresses at which pages are known, zero pages among them.
    pub fn addresses(&mut self, process: u32, segment: u32) -> Result<Vec<u64>, ReadError> {
        let mut addresses = Vec::new();
        for entry in self.maps(process, segment) {
            let map = self.load_map(entry)?;
            addresses.extend(map.iter().map(|(frame, _)| frame * LEN as u64));
        }
        addresses.sort_unstable();
        addresses.dedup();
        Ok(addresses)
    }

    fn maps(&self, process: u32, segment: u32) -> Vec<ChunkEntry> {
        let maps = self.recording.page_maps.iter();
        maps.filter(|map| map.stream == process && map.segment == segment)
            .copied()
            .collect()
    }

    fn lookup(
        &mut self,
        process: u32,
        segment: u32,
        frame: u64,
    ) -> Result<Option<Option<u64>>, ReadError> {
        let address = frame.saturating_mul(LEN as u64);
        // The last map that covers the address speaks: maps are only added.
        for entry in self.maps(process, segment).into_iter().rev() {
            if entry.first > address {
                continue;
            }
            let map = self.load_map(entry)?;
            if let Ok(at) = map.binary_search_by_key(&frame, |(frame, _)| *frame) {
                return Ok(Some(map[at].1));
            }
        }
        Ok(None)
    }

    fn load_map(&mut self, entry: ChunkEntry) -> Result<&[(u64, Option<u64>)], ReadError> {
        if self.map.as_ref().is_none_or(|(loaded, _)| *loaded != entry) {
            let payload = self.recording.payload(&entry)?;
            let map =
                read_map(&payload, entry.first, entry.count).ok_or_else(|| malformed(&entry))?;
            self.map = Some((entry, map));
        }
        Ok(self.map.as_ref().map_or(&[], |(_, map)| map))
    }

    fn content(&mut self, number: u64) -> Result<Page, ReadError> {
        let chunks = &self.recording.page_chunks;
        let at = chunks.partition_point(|chunk| chunk.end() <= number);
        let entry = chunks.get(at).filter(|entry| entry.first <= number);
        let Some(entry) = entry.copied() else {
            // The map is whole but the chunk with its page is not.
            return Err(Damaged {
                offset: self.map.as_ref().map_or(0, |(entry, _)| entry.offset),
                what: Damage::Content {
                    kind: ChunkKind::PageMap,
                },
            }
            .into());
        };
        if self
            .contents
            .as_ref()
            .is_none_or(|(loaded, _)| *loaded != entry)
        {
            let payload = self.recording.payload(&entry)?;
            if payload.len() != entry.count as usize * LEN {
                return Err(malformed(&entry).into());
            }
            self.contents = Some((entry, payload));
        }
        let start = (number - entry.first) as usize * LEN;
        let payload = self.contents.as_ref().map(|(_, payload)| payload);
        payload
            .and_then(|payload| payload.get(start..)?.first_chunk::<LEN>())
            .copied()
            .ok_or_else(|| malformed(&entry).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::btree_map, option, prelude::*};

    proptest! {
        #[test]
        fn maps_round_trip(map in btree_map(0..1u64 << 52, option::of(0..u64::MAX / 4), 1..50)) {
            let entries: Vec<_> = map.into_iter().collect();
            let first = entries[0].0 * LEN as u64;
            let back = read_map(&write_map(&entries), first, entries.len() as u32);
            prop_assert_eq!(back, Some(entries));
        }

        #[test]
        fn any_bytes_end(payload: Vec<u8>, first: u64, count: u32) {
            let _ = read_map(&payload, first & !4095, count);
        }
    }

    #[test]
    fn a_run_of_new_pages_is_a_run_of_equal_bytes() {
        let entries: Vec<_> = (0..4).map(|i| (100 + i, Some(i))).collect();
        assert_eq!(write_map(&entries), [0, 1, 0, 1, 0, 1, 0, 1]);
    }
}
