//! Where functions begin, by a file's tables for unwinding: the sorted one of
//! `.eh_frame_hdr`, or `.eh_frame` itself where nobody has made that, as in most
//! static programs.
//!
//! ```text
//! length 4 · id 4 · rest      id 0: what those that refer to it have in common (CIE),
//!                             with how addresses are written;
//!                             else: how far back that is, and a function (FDE)
//! ```

use super::{half, word, word32};

/// Addresses are four bytes, relative to where they stand.
const RELATIVE: u8 = 0x1b;

/// The table of `.eh_frame_hdr`: pairs of a function's beginning and where more is
/// said of it, both from the table's own address on.
pub(super) fn sorted(table: &[u8], address: u64) -> Option<Vec<u64>> {
    const HEAD: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
    if !table.starts_with(&HEAD) {
        return Some(Vec::new());
    }
    let count = word32(table, 8)? as usize;
    let entries = table.get(12..)?.chunks_exact(8).take(count);
    let mut found: Vec<u64> = entries
        .filter_map(|entry| {
            Some(address.wrapping_add_signed(word32(entry, 0)?.cast_signed().into()))
        })
        .collect();
    found.sort_unstable();
    Some(found)
}

/// The beginnings in the section of this name of an ELF file, if it has one.
pub(super) fn of_section(file: &[u8]) -> Option<Vec<u64>> {
    const NAME: &[u8] = b".eh_frame\0";
    const ENTRY: usize = 64;
    let table = usize::try_from(word(file, 40)?).ok()?;
    let (count, names) = (half(file, 60)?, half(file, 62)?);
    if half(file, 58)? as usize != ENTRY {
        return None;
    }
    let section = |index: u16| file.get(table.checked_add(usize::from(index) * ENTRY)?..);
    let content = |entry: &[u8]| {
        let start = usize::try_from(word(entry, 24)?).ok()?;
        let end = start.checked_add(usize::try_from(word(entry, 32)?).ok()?)?;
        file.get(start..end)
    };
    let names = content(section(names)?)?;
    for index in 0..count {
        let entry = section(index)?;
        let name = names.get(word32(entry, 0)? as usize..)?;
        if name.starts_with(NAME) {
            return Some(all(content(entry)?, word(entry, 16)?));
        }
    }
    None
}

/// The beginnings that a section at an address tells of, in order.
fn all(section: &[u8], address: u64) -> Vec<u64> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(len) = word32(section, at).filter(|len| (4..u32::MAX).contains(len)) {
        if let Some(function) = function(section, at, address) {
            found.push(function);
        }
        let Some(next) = at.checked_add(4 + len as usize) else {
            break;
        };
        at = next;
    }
    found.sort_unstable();
    found
}

/// The function of an entry, if it is one of a function.
fn function(section: &[u8], at: usize, address: u64) -> Option<u64> {
    let back = word32(section, at + 4)? as usize;
    let common = (at + 4).checked_sub(back).filter(|_| back != 0)?;
    if encoding(section.get(common..)?)? != RELATIVE {
        return None;
    }
    let distance = word32(section, at + 8)?.cast_signed();
    let place = address.checked_add(at as u64 + 8)?;
    Some(place.wrapping_add_signed(distance.into()))
}

/// How addresses are written, by an entry of what others have in common.
fn encoding(entry: &[u8]) -> Option<u8> {
    if word32(entry, 4)? != 0 {
        return None;
    }
    // Length, id, version.
    let rest = entry.get(9..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    let (letters, rest) = rest.split_at_checked(end)?;
    let mut rest = rest.get(1..)?;
    // Two alignments, the register of the return address, and how long the following is.
    for _ in 0..4 {
        let len = rest.iter().position(|&byte| byte & 0x80 == 0)? + 1;
        rest = rest.get(len..)?;
    }
    for letter in letters.strip_prefix(b"z")? {
        match letter {
            b'R' => return rest.first().copied(),
            b'L' => rest = rest.get(1..)?,
            // How the routine's address is written, and that in four bytes.
            b'P' if rest.first()? & 0xf == 0xb || rest.first()? & 0xf == 3 => {
                rest = rest.get(5..)?;
            }
            b'S' | b'B' => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section at 0x1000 with two functions, and one that is written otherwise.
    fn section() -> Vec<u8> {
        let common = |letters: &[u8], last: &[u8]| {
            let mut entry = [&[0, 0, 0, 0, 1], letters, &[0, 1, 0x78, 0x10], last].concat();
            entry.resize(entry.len().next_multiple_of(4), 0);
            [&(entry.len() as u32).to_le_bytes()[..], &entry].concat()
        };
        let mut section = common(b"zR", &[1, 0x1b]);
        let function = |section: &mut Vec<u8>, common: usize, address: u64| {
            let at = section.len();
            let distance = address.wrapping_sub(0x1000 + at as u64 + 8) as u32;
            for word in [12, (at + 4 - common) as u32, distance, 16] {
                section.extend(word.to_le_bytes());
            }
        };
        function(&mut section, 0, 0x9000);
        function(&mut section, 0, 0x800);
        let other = section.len();
        section.extend(common(b"zPLR", &[7, 0x1b, 1, 2, 3, 4, 0x1b, 0x03]));
        function(&mut section, other, 0xa000);
        section.extend([0; 4]);
        section
    }

    #[test]
    fn functions_are_found_where_addresses_are_relative() {
        assert_eq!(all(&section(), 0x1000), [0x800, 0x9000]);
    }

    #[test]
    fn any_bytes_will_do() {
        let section = section();
        for end in 0..section.len() {
            assert!(all(&section[..end], 0x1000).len() <= 2);
        }
        for at in 0..section.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut other = section.clone();
                other[at] = byte;
                assert!(all(&other, u64::MAX - 3).len() <= 3);
            }
        }
        assert_eq!(of_section(&section), None);
    }
}
