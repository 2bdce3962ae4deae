//! The extended registers, as the XSAVE instruction lays them out. Which parts there
//! are, and where, differs between processors: AMD's have the registers of AVX-512
//! elsewhere than Intel's, and many have none. So a recording says where its parts are,
//! and a replay on another processor moves them.
//!
//! ```text
//! 0    legacy part: x87, SSE                      the same everywhere
//! 512  header: which parts are in use, a bit each
//! 576  part 2 (AVX), and the others wherever the processor has them
//! ```

use std::ops::Range;
use std::sync::OnceLock;

use crate::processor::question;

/// The parts behind the header: number, where, how long.
pub type Layout = Vec<[u32; 3]>;

pub(crate) const LEGACY: usize = 512;
const HEADER: usize = 576;

/// The length of registers that have nothing more.
pub(crate) const LEAST: usize = HEADER;
const IN_USE: Range<usize> = 512..520;

/// Access to memory by keys. What a key forbids shows in faults, which are recorded,
/// so the register is not needed where there is none.
const KEYS: u32 = 9;

/// The parts that this processor has, as far as they are a program's.
#[must_use]
pub fn layout() -> Layout {
    let whole = question(0xd, 0);
    let has = u64::from(whole[3]) << 32 | u64::from(whole[0]);
    let parts = (2..63).filter(|number| has & 1 << number != 0);
    parts
        .map(|number| {
            let part = question(0xd, number);
            [number, part[1], part[0]]
        })
        .collect()
}

/// How many bytes the parts take that the system uses.
#[must_use]
pub fn len() -> usize {
    (question(0xd, 0)[1] as usize).max(LEAST)
}

/// Registers that were recorded on another processor, as this one lays them out in so
/// many bytes. Fails with the number of a part that is in use and not there.
pub fn moved(recorded: &[u8], from: &Layout, to: &Layout, len: usize) -> Result<Vec<u8>, u32> {
    let mut moved = vec![0; len.max(HEADER)];
    let legacy = recorded.len().min(LEGACY);
    moved[..legacy].copy_from_slice(&recorded[..legacy]);
    let in_use = in_use(recorded);
    let mut here = in_use & 3;
    for &[number, at, len] in from {
        if number > 62 || in_use & 1 << number == 0 {
            continue;
        }
        let Some(part) = range(at, len).and_then(|range| recorded.get(range)) else {
            continue;
        };
        let there = to.iter().find(|[other, ..]| *other == number);
        let there = there.and_then(|&[_, at, _]| range(at, len));
        match there.and_then(|there| moved.get_mut(there)) {
            Some(place) => {
                place.copy_from_slice(part);
                here |= 1 << number;
            }
            None if number == KEYS || part.iter().all(|&byte| byte == 0) => {}
            None => return Err(number),
        }
    }
    moved[IN_USE].copy_from_slice(&here.to_le_bytes());
    Ok(moved)
}

/// Mends registers that the kernel has handed out. A process that has just become another
/// program has nothing in use, and the keys that it begins with are not told before it has
/// run: those that every program begins with.
pub(crate) fn mend(registers: &mut [u8]) {
    const AT_FIRST: u32 = 0x5555_5554;
    if in_use(registers) != 0 {
        return;
    }
    let place = keys().and_then(|place| registers.get_mut(place)?.first_chunk_mut());
    if let Some(keys) = place
        && u32::from_le_bytes(*keys) == 0
    {
        *keys = AT_FIRST.to_le_bytes();
    }
}

/// Where the keys are, if there are any. To ask costs much on a virtual machine.
fn keys() -> Option<Range<usize>> {
    static PLACE: OnceLock<Option<Range<usize>>> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let keys = question(0xd, KEYS);
        range(keys[1], keys[0]).filter(|place| place.start >= HEADER)
    });
    place.clone()
}

/// Says of registers that are to be set that they are in use. The kernel hands out what
/// parts are like that are not, but where it is told so, it leaves others as they were: the
/// control register of SSE, if the processor packs nothing. Keys it keeps elsewhere, says
/// that they are not in use, and forgets them if it is told that.
pub(crate) fn claim(registers: &mut [u8]) {
    let has_keys = keys().and_then(|place| registers.get(place));
    let has_keys = has_keys.is_some_and(|keys| keys.iter().any(|&byte| byte != 0));
    let keys = if has_keys { 1 << KEYS } else { 0 };
    let in_use = in_use(registers) | 3 | keys;
    if let Some(word) = registers.get_mut(IN_USE) {
        word.copy_from_slice(&in_use.to_le_bytes());
    }
}

fn in_use(registers: &[u8]) -> u64 {
    let word = registers.get(IN_USE).and_then(|word| word.try_into().ok());
    word.map_or(3, u64::from_le_bytes)
}

/// What of the registers means the same on two processors. The rest of the legacy part
/// is where the last floating-point instruction was, which AMD's keep only if it
/// failed, what the processor allows, and room for the system.
#[must_use]
pub fn common(one: &Layout, other: &Layout) -> Vec<Range<usize>> {
    let mut common = vec![0..6, 24..28, 32..464];
    for &[number, at, len] in other {
        if one.iter().any(|[known, ..]| *known == number) && number != KEYS {
            common.extend(range(at, len));
        }
    }
    common
}

fn range(at: u32, len: u32) -> Option<Range<usize>> {
    let (at, len) = (usize::try_from(at).ok()?, usize::try_from(len).ok()?);
    Some(at..at.checked_add(len)?)
}

/// What a part is called.
#[must_use]
pub fn name(part: u32) -> &'static str {
    match part {
        2 => "AVX",
        3 | 4 => "MPX",
        5..=7 => "AVX-512",
        KEYS => "protection keys",
        17 | 18 => "AMX",
        _ => "extended",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts as AMD's processors have them, and as Intel's do.
    fn amd() -> Layout {
        vec![[2, 576, 256], [5, 832, 64], [6, 896, 512], [9, 2432, 8]]
    }

    fn intel() -> Layout {
        vec![
            [2, 576, 256],
            [3, 960, 64],
            [5, 1088, 64],
            [6, 1152, 512],
            [9, 2688, 8],
        ]
    }

    fn registers(len: usize, in_use: u64, parts: &[(usize, u8)]) -> Vec<u8> {
        let mut registers = vec![0; len];
        registers[IN_USE].copy_from_slice(&in_use.to_le_bytes());
        for (at, byte) in parts {
            registers[*at] = *byte;
        }
        registers
    }

    #[test]
    fn parts_move_to_where_they_are_here() {
        let recorded = registers(2440, 0b110_0111, &[(32, 1), (576, 2), (832, 3), (900, 4)]);
        let moved = moved(&recorded, &amd(), &intel(), 2696).unwrap();
        let expected = registers(2696, 0b110_0111, &[(32, 1), (576, 2), (1088, 3), (1156, 4)]);
        assert!(moved == expected);
    }

    #[test]
    fn what_is_not_here_must_be_unused() {
        let plain = vec![[2, 576, 256]];
        let unused = registers(2440, 0b110_0111, &[(576, 2)]);
        let moved_ = moved(&unused, &amd(), &plain, 832).unwrap();
        assert!(moved_ == registers(832, 0b111, &[(576, 2)]));
        let used = registers(2440, 0b110_0111, &[(832, 2)]);
        assert_eq!(moved(&used, &amd(), &plain, 832), Err(5));
        // Nobody looks at keys.
        let keys = registers(2440, 0b10_0000_0011, &[(2432, 0x54)]);
        assert!(moved(&keys, &amd(), &plain, 832).is_ok());
    }

    #[test]
    fn a_layout_of_a_stranger_is_harmless() {
        let recorded = registers(600, u64::MAX, &[]);
        let strange = vec![[2, u32::MAX, u32::MAX], [90, 0, 8], [5, 590, 100]];
        assert!(moved(&recorded, &strange, &amd(), 2440).is_ok());
        assert!(moved(&[], &strange, &strange, 0).is_ok());
        let overlapping = vec![[2, 0, 600]];
        assert!(moved(&recorded, &overlapping, &overlapping, 2440).is_ok());
    }

    #[test]
    fn this_processor_agrees_with_itself() {
        let here = layout();
        assert!(
            here.iter()
                .any(|[number, at, _]| (*number, *at) == (2, 576))
        );
        let whole = registers(len(), 7, &[(40, 1), (600, 2)]);
        assert!(moved(&whole, &here, &here, len()).unwrap() == whole);
        assert!(common(&here, &here).contains(&(576..832)));
    }
}
