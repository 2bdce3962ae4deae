//! The auxiliary vector, by which a debugger finds out where the program and its
//! loader are. The kernel puts it at the top of the stack and nothing changes it
//! later.

use reprise_player::Session;
use reprise_process_events::Region;
use reprise_recording::Source;

const AT_NULL: u64 = 0;
const AT_PHDR: u64 = 3;
const AT_PAGESZ: u64 = 6;
const AT_BASE: u64 = 7;
const AT_ENTRY: u64 = 9;

/// The page size, which follows its type.
const PAGE: u64 = 4096;

/// The highest type so far, with room for more.
const HIGHEST: u64 = 128;

/// How much of the stack's top is searched: arguments and environment are there,
/// too.
const SEARCHED: u64 = 4 << 20;

/// Finds it in the stack; empty when it is not there.
pub(crate) fn find<S: Source>(session: &Session<'_, '_, S>, regions: &[Region]) -> Vec<u8> {
    let Some(stack) = regions.iter().find(|region| region.name == "[stack]") else {
        return Vec::new();
    };
    let mut bytes = Vec::new();
    let mut at = stack.end - (stack.end - stack.start).min(SEARCHED);
    // The part behind the last page that is not in the recording.
    while at < stack.end {
        bytes.resize((stack.end - at) as usize, 0);
        let read = session.read(at, &mut bytes);
        if read == bytes.len() {
            break;
        }
        bytes.clear();
        at = (at + read as u64 + 1).next_multiple_of(PAGE);
    }
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
        .collect();
    let vector = in_words(&words).unwrap_or_default();
    vector.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Finds the vector around its entry for the page size, the last that looks like
/// one: it is above all frames.
fn in_words(words: &[u64]) -> Option<&[u64]> {
    let pairs = (0..words.len().saturating_sub(1)).rev();
    let mut candidates = pairs.filter(|&at| words[at] == AT_PAGESZ && words[at + 1] == PAGE);
    candidates.find_map(|at| {
        let mut start = at;
        while start >= 2 && (1..HIGHEST).contains(&words[start - 2]) {
            start -= 2;
        }
        let mut end = at;
        while end + 1 < words.len() && words[end] != AT_NULL {
            if words[end] >= HIGHEST {
                return None;
            }
            end += 2;
        }
        let vector = words.get(start..end + 2)?;
        let has = |kind| vector.chunks_exact(2).any(|entry| entry[0] == kind);
        (has(AT_PHDR) && has(AT_ENTRY)).then_some(vector)
    })
}

/// The file that the program is from.
pub(crate) fn program(auxv: &[u8], regions: &[Region]) -> Option<String> {
    let entry = value(auxv, AT_ENTRY)?;
    let region = regions
        .iter()
        .find(|region| (region.start..region.end).contains(&entry))?;
    let name = region.name.strip_suffix(" (deleted)");
    let name = name.unwrap_or(&region.name);
    name.starts_with('/').then(|| name.to_owned())
}

/// Where the program is: its program headers are in its first page.
pub(crate) fn base(auxv: &[u8]) -> Option<u64> {
    Some(value(auxv, AT_PHDR)? & !(PAGE - 1))
}

/// Where its loader is.
pub(crate) fn loader(auxv: &[u8]) -> Option<u64> {
    value(auxv, AT_BASE)
}

fn value(auxv: &[u8], wanted: u64) -> Option<u64> {
    auxv.chunks_exact(16).find_map(|entry| {
        let (kind, value) = entry.split_at(8);
        let value = u64::from_le_bytes(value.try_into().ok()?);
        (kind == wanted.to_le_bytes()).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vector_is_found_behind_arguments_and_environment() {
        let vector = [33, 0x7ffe, 6, 4096, 3, 0x40, 9, 0x1000, 0, 0];
        let mut words = vec![
            6,
            4096,
            0xffff_ffff,
            2,
            0x7fff_0000,
            0x7fff_1000,
            0,
            0x7fff_2000,
            0,
        ];
        words.extend(vector);
        words.extend([0x6574_7865, 7]);
        assert_eq!(in_words(&words), Some(&vector[..]));
        assert_eq!(in_words(&words[..9]), None);
        assert_eq!(in_words(&[]), None);
    }
}
