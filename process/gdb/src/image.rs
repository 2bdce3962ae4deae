//! An ELF file made of what is in memory, for a debugger that has no other: the
//! exported functions by name, and how to unwind the stack.
//!
//! What a debugger gets is written here, field by field; out of the recording
//! come only the bytes of segments, names that are plain text, and unwinding
//! information whose entries are where they say.
//!
//! ```text
//!  ELF header, program headers   as in memory, with our own section table
//!  segments                      those that the program cannot write to; in them
//!                                .eh_frame and .note.gnu.build-id
//!  .symtab .strtab               made from the symbols for the loader
//!  .shstrtab, section headers
//! ```

mod out;

use std::collections::BTreeMap;

use out::Out;

/// Memory that can be read: fewer bytes than asked for where there are fewer.
pub(crate) type Read<'a> = &'a dyn Fn(u64, usize) -> Vec<u8>;

/// The largest file that is made.
const LONGEST: u64 = 512 << 20;

/// How many symbols, program headers and entries of tables are looked at.
const SYMBOLS: u64 = 1 << 20;
const HEADERS: usize = 64;
const ENTRIES: u64 = 512;

/// How long the names of symbols may be together.
const NAMES: u64 = 16 << 20;

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const PT_NOTE: u32 = 4;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;

const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_DEBUG: u64 = 21;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

/// A program or library in memory.
pub(crate) struct Module<'a> {
    read: Read<'a>,
    /// What is added to the addresses in its headers.
    bias: u64,
    header: Vec<u8>,
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    in_file: u64,
    in_memory: u64,
}

/// A section of which a file of symbols tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) len: u64,
    pub(crate) flags: u64,
}

impl<'a> Module<'a> {
    /// That whose ELF header is at an address.
    pub(crate) fn at(read: Read<'a>, base: u64) -> Option<Self> {
        let header = read(base, 64);
        if header.get(..6)? != b"\x7fELF\x02\x01" || header.len() < 64 {
            return None;
        }
        let table = base.checked_add(word(&header, 32)?)?;
        let (size, count) = (half(&header, 54)?, half(&header, 56)?);
        if size != 56 || count > HEADERS {
            return None;
        }
        let table = read(table, size * count);
        let segments: Vec<Segment> = table.chunks_exact(56).filter_map(segment).collect();
        let loads = segments.iter().filter(|segment| segment.kind == PT_LOAD);
        let lowest = loads.map(|segment| segment.address & !0xfff).min()?;
        Some(Self {
            read,
            bias: base.wrapping_sub(lowest),
            header,
            segments,
        })
    }

    fn find(&self, kind: u32) -> Option<&Segment> {
        self.segments.iter().find(|segment| segment.kind == kind)
    }

    fn content(&self, segment: &Segment, most: u64) -> Vec<u8> {
        let address = segment.address.wrapping_add(self.bias);
        (self.read)(address, segment.in_file.min(most) as usize)
    }

    /// All of a segment; what is not in the recording is zero.
    fn with_holes(&self, segment: &Segment) -> Vec<u8> {
        const PAGE: u64 = 4096;
        let address = segment.address.wrapping_add(self.bias);
        let mut content = (self.read)(address, segment.in_file as usize);
        while (content.len() as u64) < segment.in_file {
            let at = address.wrapping_add(content.len() as u64);
            let behind = PAGE - at % PAGE;
            let whole = content.len() as u64 + behind;
            content.resize(whole.min(segment.in_file) as usize, 0);
            let rest = segment.in_file - content.len() as u64;
            content.extend((self.read)(at.wrapping_add(behind), rest as usize));
        }
        content
    }

    /// Reads all that the file below is made of, but for what is executed or
    /// computed with, if any of its code is known to have `run`.
    pub(crate) fn consult(&self, run: &dyn Fn(u64, u64) -> bool) {
        const EXECUTABLE: u32 = 1;
        let loads = self.segments.iter().filter(|s| s.kind == PT_LOAD);
        let mut code = loads.filter(|segment| segment.flags & EXECUTABLE != 0);
        let has_run = code.any(|segment| {
            let start = segment.address.wrapping_add(self.bias);
            run(start, start.saturating_add(segment.in_memory))
        });
        if has_run {
            self.build_id();
            self.interpreter();
            self.libraries();
            self.frames();
            self.symbols(&mut Out::new(0));
        }
    }

    /// The loader it asks for.
    pub(crate) fn interpreter(&self) -> Option<String> {
        let name = self.content(self.find(PT_INTERP)?, 4096);
        let name = name.strip_suffix(&[0])?;
        String::from_utf8(name.to_vec()).ok()
    }

    /// Its build id, with the note around it.
    fn build_id_note(&self) -> Option<(u64, Vec<u8>)> {
        let notes = self.segments.iter().filter(|s| s.kind == PT_NOTE);
        notes
            .flat_map(|segment| {
                let bytes = self.content(segment, 1 << 16);
                let found = find_build_id(&bytes);
                found.map(|(at, note)| (segment.address + at as u64, note.to_vec()))
            })
            .next()
    }

    /// Its build id.
    pub(crate) fn build_id(&self) -> Option<Vec<u8>> {
        let (_, note) = self.build_id_note()?;
        Some(note.get(16..)?.to_vec())
    }

    /// An entry of its dynamic table.
    fn dynamic(&self, wanted: u64) -> Option<u64> {
        let table = self.content(self.find(PT_DYNAMIC)?, ENTRIES * 16);
        let mut entries = table.chunks_exact(16);
        entries.find_map(|entry| (word(entry, 0)? == wanted).then(|| word(entry, 8))?)
    }

    /// The same, for an entry that is an address; the loader may have added
    /// where the library is.
    fn dynamic_address(&self, wanted: u64) -> Option<u64> {
        let value = self.dynamic(wanted)?;
        let loads = self.segments.iter().filter(|s| s.kind == PT_LOAD);
        let end = loads.map(|s| s.address.wrapping_add(s.in_memory)).max()?;
        Some(if value < end {
            value.wrapping_add(self.bias)
        } else {
            value
        })
    }

    /// The libraries that the loader has loaded: names and where they are.
    pub(crate) fn libraries(&self) -> Vec<(String, u64)> {
        let word_at = |address: u64| word(&(self.read)(address, 8), 0);
        let mut libraries = Vec::new();
        let list = self.dynamic(DT_DEBUG).filter(|debug| *debug != 0);
        let mut next = list.and_then(|debug| word_at(debug.wrapping_add(8)));
        while let Some(entry) = next.filter(|entry| *entry != 0) {
            let fields = (self.read)(entry, 40);
            let (Some(base), Some(name)) = (word(&fields, 0), word(&fields, 8)) else {
                break;
            };
            let name = (self.read)(name, 4096);
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            if let Ok(name) = std::str::from_utf8(name)
                && !name.is_empty()
            {
                libraries.push((name.to_owned(), base));
            }
            next = word(&fields, 24);
            if libraries.len() as u64 > ENTRIES {
                break;
            }
        }
        libraries
    }

    /// Makes the file, with the sections that a file of its symbols tells of: by these a
    /// debugger finds out where its symbols are.
    pub(crate) fn file(&self, known: &[Known]) -> Option<Vec<u8>> {
        let loads: Vec<&Segment> = self
            .segments
            .iter()
            .filter(|segment| segment.kind == PT_LOAD)
            .collect();
        let end_of = |segment: &&Segment| segment.offset.checked_add(segment.in_file);
        let len = loads.iter().map(end_of).max()??.max(64);
        if len > LONGEST {
            return None;
        }
        let mut file = Out::new(len as usize);
        for segment in &loads {
            file.segment(segment, !known.is_empty(), || self.with_holes(segment));
        }
        for one in known {
            file.known(one);
        }
        file.header(&self.header);
        if let Some((address, note)) = self.build_id_note() {
            file.section_at(".note.gnu.build-id", 7, address, note.len() as u64);
        }
        if let Some((address, len)) = self.frames() {
            file.section_at(".eh_frame", 1, address, len);
        }
        self.symbols(&mut file);
        Some(file.finish())
    }

    /// The unwinding information: its address and length.
    fn frames(&self) -> Option<(u64, u64)> {
        const RELATIVE: u8 = 0x1b;
        let segment = self.find(PT_GNU_EH_FRAME)?;
        let table = self.content(segment, 12);
        if *table.get(1)? != RELATIVE {
            return None;
        }
        let distance = i64::from(word32(&table, 4)?.cast_signed());
        let start = (segment.address + 4).wrapping_add_signed(distance);
        let within = |load: &&Segment| {
            load.kind == PT_LOAD && (load.address..load.address + load.in_file).contains(&start)
        };
        let load = self.segments.iter().find(within)?;
        let most = load.address + load.in_file - start;
        let bytes = (self.read)(start.wrapping_add(self.bias), most as usize);
        // Entries of the length they say, up to one of no length.
        let mut at = 0;
        while let Some(len @ 1..0xffff_fff0) = word32(&bytes, at) {
            let next = at + 4 + len as usize;
            if next > bytes.len() {
                break;
            }
            at = next;
        }
        // The entry of no length, if it is there, belongs to it.
        let len = (at + 4).min(bytes.len());
        (at > 0).then_some((start, len as u64))
    }

    fn symbols(&self, file: &mut Out) -> Option<()> {
        let (table, names) = (
            self.dynamic_address(DT_SYMTAB)?,
            self.dynamic_address(DT_STRTAB)?,
        );
        let count = self.symbol_count()?.min(SYMBOLS);
        let symbols = (self.read)(table, count as usize * 24);
        let len = self.dynamic(DT_STRSZ).unwrap_or(NAMES).min(NAMES);
        let strings = (self.read)(names, len as usize);
        let mut out = vec![0; 24];
        let mut text = vec![0];
        let mut known = BTreeMap::new();
        for symbol in symbols.chunks_exact(24) {
            let (name, info) = (word32(symbol, 0)? as usize, symbol[4]);
            let value = word(symbol, 8)?;
            let is_function_or_data = matches!(info & 15, 1 | 2 | 10);
            let section = file.section_of(value);
            let name = strings.get(name..).unwrap_or_default();
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            let plain = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
            let (true, true, Some(section)) = (is_function_or_data, plain, section) else {
                continue;
            };
            if half(symbol, 6)? == 0 || known.insert(name.to_vec(), ()).is_some() {
                continue;
            }
            out.extend((text.len() as u32).to_le_bytes());
            out.extend([info, 0]);
            out.extend((section as u16).to_le_bytes());
            out.extend(&symbol[8..24]);
            text.extend(name);
            text.push(0);
        }
        file.symbols(&out, &text);
        Some(())
    }

    /// How many symbols there are, by the table in which they are looked up.
    fn symbol_count(&self) -> Option<u64> {
        if let Some(table) = self.dynamic_address(DT_HASH) {
            return word32(&(self.read)(table, 8), 4).map(u64::from);
        }
        let table = self.dynamic_address(DT_GNU_HASH)?;
        let head = (self.read)(table, 16);
        let (buckets, first) = (u64::from(word32(&head, 0)?), u64::from(word32(&head, 4)?));
        let bloom = u64::from(word32(&head, 8)?);
        let at = table.wrapping_add(16).wrapping_add(bloom.wrapping_mul(8));
        let chains = at.wrapping_add(buckets * 4);
        let all = (self.read)(at, (buckets.min(SYMBOLS) * 4) as usize);
        let last = all.chunks_exact(4).filter_map(|b| word32(b, 0)).max()?;
        let mut last = u64::from(last);
        if last < first {
            return Some(first);
        }
        // The end of the last chain has its lowest bit set.
        while last < SYMBOLS {
            let link = (self.read)(chains.wrapping_add((last - first) * 4), 4);
            last += 1;
            if word32(&link, 0)? & 1 != 0 {
                break;
            }
        }
        Some(last)
    }
}

fn segment(bytes: &[u8]) -> Option<Segment> {
    let segment = Segment {
        kind: word32(bytes, 0)?,
        flags: word32(bytes, 4)?,
        offset: word(bytes, 8)?,
        address: word(bytes, 16)?,
        in_file: word(bytes, 32)?,
        in_memory: word(bytes, 40)?,
    };
    // Sums of these must make sense.
    let ends = [
        segment.offset.checked_add(segment.in_file)?,
        segment.address.checked_add(segment.in_file)?,
        segment.address.checked_add(segment.in_memory)?,
    ];
    ends.iter().all(|end| *end < 1 << 48).then_some(segment)
}

/// The note that has the build id: where it begins, and its bytes.
fn find_build_id(notes: &[u8]) -> Option<(usize, &[u8])> {
    let mut at = 0;
    loop {
        let (name, desc) = (word32(notes, at)? as usize, word32(notes, at + 4)? as usize);
        let kind = word32(notes, at + 8)?;
        let content = (at + 12).checked_add(name.checked_next_multiple_of(4)?)?;
        let end = content.checked_add(desc)?;
        if kind == 3 && notes.get(at + 12..at + 16)? == b"GNU\0" {
            return Some((at, notes.get(at..end)?));
        }
        at = end.checked_next_multiple_of(4)?;
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

#[cfg(test)]
mod tests;
