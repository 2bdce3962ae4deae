//! Build ids: by them, debuggers find the symbols of what a subject had mapped.
//! They are read from its memory, so the files need not be there any more.

use std::collections::BTreeMap;

use reprise_process_events::Region;

/// More than any header table or note that has a build id.
const LONGEST: usize = 64 << 10;

const LOAD: u32 = 1;
const NOTE: u32 = 4;
const BUILD_ID: u32 = 3;

/// The build ids of the files among the regions, by name. `read` fills a buffer
/// from an address on, as far as it can, and returns how far that is.
pub(crate) fn all(
    regions: &[Region],
    read: impl Fn(u64, &mut [u8]) -> usize,
) -> BTreeMap<String, String> {
    let mut ids = BTreeMap::new();
    let mut last = "";
    for region in regions {
        // The first region of a file has its header.
        let is_first = region.name != last;
        last = &region.name;
        if is_first
            && region.name.starts_with('/')
            && let Some(id) = of_image(region.start, &read)
        {
            ids.entry(region.name.clone()).or_insert(id);
        }
    }
    ids
}

/// The build id of an ELF image whose header is at `base`.
fn of_image(base: u64, read: &impl Fn(u64, &mut [u8]) -> usize) -> Option<String> {
    let bytes = |address: u64, len: usize| {
        let mut bytes = vec![0; len.min(LONGEST)];
        let read = read(address, &mut bytes);
        bytes.truncate(read);
        bytes
    };
    let header = bytes(base, 64);
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = bytes(
        base.checked_add(word(&header, 32)?)?,
        usize::from(half(&header, 54)?) * usize::from(half(&header, 56)?),
    );
    let entries = || table.chunks_exact(56);
    if half(&header, 54)? != 56 {
        return None;
    }
    // What the image calls the address of its header.
    let first = entries().find(|entry| word32(entry, 0) == Some(LOAD))?;
    let called = word(first, 16)?.checked_sub(word(first, 8)?)?;
    let bias = base.wrapping_sub(called);
    entries()
        .filter(|entry| word32(entry, 0) == Some(NOTE))
        .find_map(|entry| {
            let len = usize::try_from(word(entry, 32)?).ok()?;
            of_notes(&bytes(bias.wrapping_add(word(entry, 16)?), len))
        })
}

/// The build id among notes: length of the name, length of what follows, kind,
/// and both of these, padded to four bytes.
fn of_notes(mut notes: &[u8]) -> Option<String> {
    loop {
        let name_len = word32(notes, 0)? as usize;
        let len = word32(notes, 4)? as usize;
        let kind = word32(notes, 8)?;
        let rest = notes.get(12..)?;
        let name = rest.get(..name_len)?;
        let rest = rest.get(name_len.checked_next_multiple_of(4)?..)?;
        let content = rest.get(..len)?;
        if kind == BUILD_ID && name == b"GNU\0" {
            return Some(content.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = rest.get(len.checked_next_multiple_of(4)?..)?;
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image that calls its header's address `called`.
    fn image(called: u64) -> Vec<u8> {
        let mut image = vec![0; 64 + 2 * 56];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        image[32] = 64;
        image[54] = 56;
        image[56] = 2;
        let mut entry = |at: usize, kind: u8, address: u64, len: u8| {
            image[at] = kind;
            image[at + 16..at + 24].copy_from_slice(&address.to_le_bytes());
            image[at + 32] = len;
        };
        entry(64, 1, called, 200);
        entry(120, 4, called + 176, 44);
        for (name, kind, content) in [
            (&b"x\0"[..], 1u8, &[1, 2, 3][..]),
            (b"GNU\0", 3, &[0xab, 0xc]),
        ] {
            image.extend([
                name.len() as u8,
                0,
                0,
                0,
                content.len() as u8,
                0,
                0,
                0,
                kind,
                0,
                0,
                0,
            ]);
            for part in [name, content] {
                image.extend(part);
                image.resize(image.len().next_multiple_of(4), 0);
            }
        }
        image
    }

    fn check(base: u64, image: &[u8], expected: Option<&str>) {
        let regions = [Region {
            start: base,
            end: base + 4096,
            name: "/bin/x".to_owned(),
            ..Region::default()
        }];
        let ids = all(&regions, |address, into: &mut [u8]| {
            let from = usize::try_from(address.wrapping_sub(base)).unwrap_or(usize::MAX);
            let there = image.get(from..).unwrap_or_default();
            let len = there.len().min(into.len());
            into[..len].copy_from_slice(&there[..len]);
            len
        });
        assert_eq!(ids.get("/bin/x").map(String::as_str), expected);
    }

    #[test]
    fn an_image_has_an_id_wherever_it_is() {
        check(0x7000_0000, &image(0), Some("ab0c"));
        check(0x40_0000, &image(0x40_0000), Some("ab0c"));
    }

    #[test]
    fn what_is_no_image_or_damaged_has_none() {
        let whole = image(0);
        check(0x1000, b"text", None);
        for len in 0..whole.len() - 2 {
            check(0x1000, &whole[..len], None);
        }
        let mut strange = whole;
        strange[32..40].fill(0xff);
        check(0x1000, &strange, None);
    }
}
