//! A processor that many have: what the one here says of itself, without what came after
//! x86-64-v3 (AVX2 and what belongs to it, of 2013) and AES. A program that is told so uses
//! no instructions that an older or smaller processor lacks, and replays there.

use std::arch::x86_64::CpuidResult;

/// What extensions the leaf 7 may name, by register: BMI1, AVX2, BMI2, and what is no
/// instruction of programs'.
const EXTENSIONS: CpuidResult = CpuidResult {
    eax: 1,
    ebx: bits(&[0, 1, 3, 5, 6, 7, 8, 9, 10, 13, 20]),
    ecx: bits(&[2, 16]),
    edx: bits(&[4, 10, 26, 27, 28, 29, 30, 31]),
};

/// In its second part: what makes copying fast.
const FAST_COPIES: u32 = bits(&[10, 11, 12]);

/// What AMD's processors had for a time, or have alone: SSE4A, XOP, FMA4 and others; 3DNow.
const AMD_ECX: u32 = bits(&[6, 11, 15, 16, 21, 29]);
const AMD_EDX: u32 = bits(&[30, 31]);

/// … and CLZERO, RDPRU, WBNOINVD.
const AMD_EBX: u32 = bits(&[0, 4, 9]);

const NOTHING: CpuidResult = CpuidResult {
    eax: 0,
    ebx: 0,
    ecx: 0,
    edx: 0,
};

/// What the processor says in a part of a leaf, as far as many would. Where registers are
/// kept in memory is left as it is, since that is what the instructions for it do.
#[must_use]
pub fn portable(leaf: u32, part: u32, mut said: CpuidResult) -> CpuidResult {
    match (leaf, part) {
        (7, 0) => CpuidResult {
            eax: said.eax.min(EXTENSIONS.eax),
            ebx: said.ebx & EXTENSIONS.ebx,
            ecx: said.ecx & EXTENSIONS.ecx,
            edx: said.edx & EXTENSIONS.edx,
        },
        (7, 1) => CpuidResult {
            eax: said.eax & FAST_COPIES,
            ..NOTHING
        },
        // AVX10, AMX and more.
        (7 | 0x14 | 0x19 | 0x1d | 0x1e | 0x24, _) => NOTHING,
        (0x8000_0001, _) => {
            said.ecx &= !AMD_ECX;
            said.edx &= !AMD_EDX;
            said
        }
        (0x8000_0008, _) => {
            said.ebx &= !AMD_EBX;
            said
        }
        _ => said,
    }
}

const fn bits(numbers: &[u32]) -> u32 {
    let (mut bits, mut at) = (0, 0);
    while at < numbers.len() {
        bits |= 1 << numbers[at];
        at += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: CpuidResult = CpuidResult {
        eax: u32::MAX,
        ebx: u32::MAX,
        ecx: u32::MAX,
        edx: u32::MAX,
    };

    #[test]
    fn avx2_stays_and_what_came_later_goes() {
        let said = portable(7, 0, ALL);
        assert_eq!(said.ebx >> 5 & 1, 1, "AVX2");
        for bit in [4, 11, 16, 17, 19, 21, 28, 29, 30, 31] {
            assert_eq!(said.ebx >> bit & 1, 0, "{bit}");
        }
        for bit in [1, 5, 6, 8, 9, 10, 11, 12, 14, 22] {
            assert_eq!(said.ecx >> bit & 1, 0, "{bit}");
        }
        assert_eq!(said.edx & bits(&[2, 3, 8, 22, 23, 24, 25]), 0);
        assert_eq!(portable(7, 1, ALL).eax & bits(&[4, 5, 23]), 0);
        assert_eq!(portable(7, 1, ALL).edx, 0);
        assert_eq!(portable(0x24, 0, ALL), NOTHING);
        // What registers take in memory is what the processor does.
        assert_eq!(portable(0xd, 0, ALL), ALL);
        assert_eq!(portable(1, 0, ALL), ALL);
    }
}
