//! The program, as its file has it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use object::{
    Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _, SegmentFlags,
};
use reprise_c_events::{OUTSIDE, Program, SECTION, Subject};
use reprise_recording::{WriteError, Writer};

const PAGE: u64 = 4096;

/// Why a program is none that was cut.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It cannot be read.
    #[error("{}: {error}", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is another kind of file.
    #[error("{} was not built by `reprise cut`", .0.display())]
    NotCut(PathBuf),
    /// It is not whole.
    #[error("{} was built by `reprise cut`, but {what}", .path.display())]
    Broken {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// A program that was cut.
pub struct Image {
    /// What a recording says about it.
    pub subject: Subject,
    /// The content of its pages.
    pages: Vec<(u64, Box<[u8; PAGE as usize]>)>,
}

impl Image {
    /// Reads a program.
    pub fn read(path: &Path) -> Result<Self, ImageError> {
        let bytes = fs::read(path).map_err(|error| ImageError::Io {
            path: path.to_owned(),
            error,
        })?;
        let not_cut = || ImageError::NotCut(path.to_owned());
        let file = object::File::parse(&*bytes).map_err(|_| not_cut())?;
        let section = file.section_by_name(SECTION).ok_or_else(not_cut)?;
        let broken = |what: String| ImageError::Broken {
            path: path.to_owned(),
            what,
        };
        let text = section.data().map_err(|error| broken(error.to_string()))?;
        let program: Program = serde_json::from_slice(text)
            .map_err(|error| broken(format!("does not say how: {error}")))?;
        let symbol = |name: &str| {
            let found = file.symbol_by_name(name);
            let found = found.map(|symbol| symbol.address());
            found.ok_or_else(|| broken(format!("has no {name}: it was stripped")))
        };
        let mut image = Self {
            subject: Subject {
                program,
                regions: Vec::new(),
                path: path.to_string_lossy().into_owned(),
                start: symbol("__reprise_replay")?,
                question: symbol("__reprise_asked")?,
                buffer: symbol("__reprise_buffer")?,
                ring: symbol("__reprise_ring")?,
            },
            pages: Vec::new(),
        };
        for segment in file.segments() {
            let data = segment.data().map_err(|error| broken(error.to_string()))?;
            let protection = match segment.flags() {
                // What ELF calls 4, 2, 1 is read, write and execute.
                SegmentFlags::Elf { p_flags } => {
                    p_flags >> 2 & 1 | p_flags & 2 | (p_flags & 1) << 2
                }
                _ => 3,
            };
            image
                .map(segment.address(), segment.size(), data, protection)
                .ok_or_else(|| broken("has a part that does not fit into memory".to_owned()))?;
        }
        if let Some(outside) = file.section_by_name(OUTSIDE) {
            let end = outside.address().saturating_add(outside.size());
            image.leave_out(outside.address(), end);
        }
        Ok(image)
    }

    /// Takes away the pages that are within.
    fn leave_out(&mut self, start: u64, end: u64) {
        let start = start.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
        let end = end & !(PAGE - 1);
        if start >= end {
            return;
        }
        let regions = std::mem::take(&mut self.subject.regions);
        let around = |&(first, last, how): &(u64, u64, u32)| {
            [(first, last.min(start), how), (first.max(end), last, how)]
        };
        let regions = regions.iter().flat_map(around);
        self.subject.regions = regions.filter(|(first, last, _)| first < last).collect();
        self.pages.retain(|(page, _)| !(start..end).contains(page));
    }

    fn map(&mut self, address: u64, len: u64, data: &[u8], protection: u32) -> Option<()> {
        let start = address & !(PAGE - 1);
        let end = address.checked_add(len)?.checked_next_multiple_of(PAGE)?;
        if data.len() as u64 > len {
            return None;
        }
        let regions = &mut self.subject.regions;
        match regions.last_mut() {
            // Parts that share a page, or that are next to each other, are one where
            // they overlap.
            Some(last) if last.1 > start => {
                last.2 |= protection;
                let more = last.1;
                if end > more {
                    regions.push((more, end, protection));
                }
            }
            _ => regions.push((start, end, protection)),
        }
        let mut at = address;
        let mut rest = data;
        while !rest.is_empty() {
            let page = at & !(PAGE - 1);
            let offset = (at - page) as usize;
            let len = rest.len().min(PAGE as usize - offset);
            let (piece, after) = rest.split_at(len);
            if self.pages.last().is_none_or(|(last, _)| *last != page) {
                self.pages.push((page, Box::new([0; PAGE as usize])));
            }
            if let Some((_, content)) = self.pages.last_mut() {
                content[offset..offset + len].copy_from_slice(piece);
            }
            at += len as u64;
            rest = after;
        }
        Some(())
    }

    /// Writes the pages to a recording.
    pub(crate) fn write(&self, writer: &Writer) -> Result<(), WriteError> {
        let mut map = writer.page_map(crate::PROCESS, 0);
        for (address, page) in &self.pages {
            map.insert(*address, page)?;
        }
        map.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_outside_variables_are_left_out() {
        let mut image = Image {
            subject: Subject::default(),
            pages: Vec::new(),
        };
        image.map(0x1000, 0x1000, &[1; 0x1000], 5).unwrap();
        image.map(0x2000, 0x5000, &[2; 0x5000], 3).unwrap();
        // What shares a page with something else stays.
        image.leave_out(0x2fff, 0x5001);
        let regions = [
            (0x1000, 0x2000, 5),
            (0x2000, 0x3000, 3),
            (0x5000, 0x7000, 3),
        ];
        assert_eq!(image.subject.regions, regions);
        let pages: Vec<u64> = image.pages.iter().map(|(page, _)| *page).collect();
        assert_eq!(pages, [0x1000, 0x2000, 0x5000, 0x6000]);
        // Nothing is within.
        image.leave_out(0x5001, 0x5fff);
        assert_eq!(image.subject.regions, regions);
    }
}
