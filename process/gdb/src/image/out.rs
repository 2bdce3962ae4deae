//! An ELF file, written section by section.

use super::{Known, Segment};

const EXECUTE: u32 = 1;
const WRITE: u32 = 2;

/// Of sections: they have no content in the file; they can be written to, and executed.
const NO_CONTENT: u32 = 8;
const WRITABLE: u64 = 1;
const EXECUTABLE: u64 = 4;

/// A file that is being made.
pub(super) struct Out {
    bytes: Vec<u8>,
    sections: Vec<Section>,
}

#[derive(Default)]
struct Section {
    name: String,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    len: u64,
    link: u32,
    info: u32,
    entry: u64,
}

impl Out {
    /// With room for segments that end at `len`.
    pub(super) fn new(len: usize) -> Self {
        Self {
            bytes: vec![0; len],
            sections: vec![Section::default()],
        }
    }

    /// The ELF header; the table of sections is put into it at the end.
    pub(super) fn header(&mut self, header: &[u8]) {
        let len = header.len().min(self.bytes.len());
        self.bytes[..len].copy_from_slice(&header[..len]);
    }

    /// The table of symbols and that of their names.
    pub(super) fn symbols(&mut self, symbols: &[u8], names: &[u8]) {
        let names_section = self.sections.len() as u32 + 1;
        self.section(".symtab", 2, symbols);
        if let Some(section) = self.sections.last_mut() {
            section.link = names_section;
            section.info = 1;
            section.entry = 24;
        }
        self.section(".strtab", 3, names);
    }

    /// A segment, as a section; one that can be written to has no content here. Where its
    /// sections are `known`, it has a name that none of them has.
    pub(super) fn segment(
        &mut self,
        segment: &Segment,
        known: bool,
        content: impl FnOnce() -> Vec<u8>,
    ) {
        let code = segment.flags & EXECUTE != 0;
        let data = segment.flags & WRITE != 0;
        let (name, flags) = match (code, data) {
            (true, _) => (".text", 2 | 4),
            (false, true) => (".data", 2 | 1),
            (false, false) => (".rodata", 2),
        };
        let name = if known { "segment" } else { name };
        let mut kind = NO_CONTENT;
        if !data {
            let content = content();
            let at = segment.offset as usize;
            self.bytes[at..at + content.len()].copy_from_slice(&content);
            kind = 1;
        }
        self.sections.push(Section {
            name: name.to_owned(),
            kind,
            flags,
            address: segment.address,
            offset: segment.offset,
            len: if data {
                segment.in_memory
            } else {
                segment.in_file
            },
            ..Section::default()
        });
    }

    /// A part of a segment, as a section of its own.
    pub(super) fn section_at(&mut self, name: &str, kind: u32, address: u64, len: u64) {
        let around = self.section_of(address).map(|index| &self.sections[index]);
        let offset = around.map(|around| around.offset + (address - around.address));
        if let Some(offset) = offset {
            self.sections.push(Section {
                name: name.to_owned(),
                kind,
                flags: 2,
                address,
                offset,
                len,
                ..Section::default()
            });
        }
    }

    /// A section of which a file of symbols tells, if it is in a segment.
    pub(super) fn known(&mut self, known: &Known) {
        let around = self.section_of(known.address);
        let Some(around) = around.map(|index| &self.sections[index]) else {
            return;
        };
        let behind = known.address - around.address;
        if around.len - behind < known.len {
            return;
        }
        self.sections.push(Section {
            name: known.name.clone(),
            kind: around.kind,
            flags: known.flags & (2 | WRITABLE | EXECUTABLE),
            address: known.address,
            offset: around.offset + behind,
            len: known.len,
            ..Section::default()
        });
    }

    /// A section that is in no segment.
    fn section(&mut self, name: &str, kind: u32, content: &[u8]) {
        self.align();
        self.sections.push(Section {
            name: name.to_owned(),
            kind,
            offset: self.bytes.len() as u64,
            len: content.len() as u64,
            ..Section::default()
        });
        self.bytes.extend_from_slice(content);
    }

    /// Which section an address is in.
    pub(super) fn section_of(&self, address: u64) -> Option<usize> {
        let within = |section: &Section| {
            let end = section.address.saturating_add(section.len);
            section.len > 0 && (section.address..end).contains(&address)
        };
        self.sections.iter().position(within)
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let mut names = vec![0];
        let mut starts: Vec<u32> = Vec::new();
        let own = ".shstrtab";
        let all = self.sections.iter().map(|section| section.name.as_str());
        for name in all.chain([own]) {
            starts.push(names.len() as u32);
            names.extend(name.bytes());
            names.push(0);
        }
        self.section(own, 3, &names);
        self.align();
        let table = self.bytes.len() as u64;
        let count = self.sections.len() as u16;
        for (section, name) in self.sections.iter().zip(starts) {
            let bytes = &mut self.bytes;
            bytes.extend(name.to_le_bytes());
            bytes.extend(section.kind.to_le_bytes());
            let words = [section.flags, section.address, section.offset, section.len];
            for value in words {
                bytes.extend(value.to_le_bytes());
            }
            bytes.extend(section.link.to_le_bytes());
            bytes.extend(section.info.to_le_bytes());
            bytes.extend(8u64.to_le_bytes());
            bytes.extend(section.entry.to_le_bytes());
        }
        self.bytes[40..48].copy_from_slice(&table.to_le_bytes());
        self.bytes[58..60].copy_from_slice(&64u16.to_le_bytes());
        self.bytes[60..62].copy_from_slice(&count.to_le_bytes());
        self.bytes[62..64].copy_from_slice(&(count - 1).to_le_bytes());
        self.bytes
    }

    fn align(&mut self) {
        let len = self.bytes.len().next_multiple_of(16);
        self.bytes.resize(len, 0);
    }
}
