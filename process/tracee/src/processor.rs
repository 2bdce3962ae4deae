//! What the processor says about itself. A program can ask it without a tracer
//! noticing, so a recording has to hold it; and instructions that one processor has
//! another may lack.

use std::arch::x86_64::{__cpuid_count, __get_cpuid_max};

use iced_x86::{CpuidFeature, Instruction};

/// The questions.
const LEAVES: [u32; 5] = [0, 1, 7, 0xd, 0x8000_0001];

/// The processor's answers, four registers each.
pub type Answers = Vec<[u32; 4]>;

/// Asks the processor of this thread.
#[must_use]
pub fn ask() -> Answers {
    let answer = |&leaf: &u32| {
        let answer = question(leaf, 0);
        // The number of the core that happens to answer is no property of the
        // processor.
        let mask = if leaf == 1 { 0x00ff_ffff } else { u32::MAX };
        [answer[0], answer[1] & mask, answer[2], answer[3]]
    };
    LEAVES.iter().map(answer).collect()
}

/// Asks a question; nothing but zeros is the answer to one that it does not know.
pub(crate) fn question(leaf: u32, part: u32) -> [u32; 4] {
    if __get_cpuid_max(leaf & 0x8000_0000).0 < leaf {
        return [0; 4];
    }
    let answer = __cpuid_count(leaf, part);
    [answer.eax, answer.ebx, answer.ecx, answer.edx]
}

/// Instructions that not every processor has: where it says whether it does (question,
/// part, register, bit), and what they are called.
type Feature = (CpuidFeature, (u32, u32, usize, u32), &'static str);

const FEATURES: &[Feature] = &[
    (CpuidFeature::SSE3, (1, 0, ECX, 0), "SSE3"),
    (CpuidFeature::PCLMULQDQ, (1, 0, ECX, 1), "PCLMULQDQ"),
    (CpuidFeature::SSSE3, (1, 0, ECX, 9), "SSSE3"),
    (CpuidFeature::FMA, (1, 0, ECX, 12), "FMA"),
    (CpuidFeature::CMPXCHG16B, (1, 0, ECX, 13), "CMPXCHG16B"),
    (CpuidFeature::SSE4_1, (1, 0, ECX, 19), "SSE4.1"),
    (CpuidFeature::SSE4_2, (1, 0, ECX, 20), "SSE4.2"),
    (CpuidFeature::MOVBE, (1, 0, ECX, 22), "MOVBE"),
    (CpuidFeature::POPCNT, (1, 0, ECX, 23), "POPCNT"),
    (CpuidFeature::AES, (1, 0, ECX, 25), "AES"),
    (CpuidFeature::XSAVE, (1, 0, ECX, 26), "XSAVE"),
    (CpuidFeature::AVX, (1, 0, ECX, 28), "AVX"),
    (CpuidFeature::F16C, (1, 0, ECX, 29), "F16C"),
    (CpuidFeature::BMI1, (7, 0, EBX, 3), "BMI1"),
    (CpuidFeature::AVX2, (7, 0, EBX, 5), "AVX2"),
    (CpuidFeature::BMI2, (7, 0, EBX, 8), "BMI2"),
    (CpuidFeature::AVX512F, (7, 0, EBX, 16), "AVX512F"),
    (CpuidFeature::AVX512DQ, (7, 0, EBX, 17), "AVX512DQ"),
    (CpuidFeature::ADX, (7, 0, EBX, 19), "ADX"),
    (CpuidFeature::AVX512_IFMA, (7, 0, EBX, 21), "AVX512_IFMA"),
    (CpuidFeature::AVX512CD, (7, 0, EBX, 28), "AVX512CD"),
    (CpuidFeature::SHA, (7, 0, EBX, 29), "SHA"),
    (CpuidFeature::AVX512BW, (7, 0, EBX, 30), "AVX512BW"),
    (CpuidFeature::AVX512VL, (7, 0, EBX, 31), "AVX512VL"),
    (CpuidFeature::AVX512_VBMI, (7, 0, ECX, 1), "AVX512_VBMI"),
    (CpuidFeature::AVX512_VBMI2, (7, 0, ECX, 6), "AVX512_VBMI2"),
    (CpuidFeature::GFNI, (7, 0, ECX, 8), "GFNI"),
    (CpuidFeature::VAES, (7, 0, ECX, 9), "VAES"),
    (CpuidFeature::VPCLMULQDQ, (7, 0, ECX, 10), "VPCLMULQDQ"),
    (CpuidFeature::AVX512_VNNI, (7, 0, ECX, 11), "AVX512_VNNI"),
    (
        CpuidFeature::AVX512_BITALG,
        (7, 0, ECX, 12),
        "AVX512_BITALG",
    ),
    (
        CpuidFeature::AVX512_VPOPCNTDQ,
        (7, 0, ECX, 14),
        "AVX512_VPOPCNTDQ",
    ),
    (CpuidFeature::AVX512_FP16, (7, 0, EDX, 23), "AVX512_FP16"),
    (CpuidFeature::AMX_TILE, (7, 0, EDX, 24), "AMX"),
    (CpuidFeature::AVX512_BF16, (7, 1, EAX, 5), "AVX512_BF16"),
    (CpuidFeature::XSAVEOPT, (0xd, 1, EAX, 0), "XSAVEOPT"),
    (CpuidFeature::XSAVEC, (0xd, 1, EAX, 1), "XSAVEC"),
    (CpuidFeature::LZCNT, (0x8000_0001, 0, ECX, 5), "LZCNT"),
    (CpuidFeature::SSE4A, (0x8000_0001, 0, ECX, 6), "SSE4A"),
    (CpuidFeature::XOP, (0x8000_0001, 0, ECX, 11), "XOP"),
    (CpuidFeature::FMA4, (0x8000_0001, 0, ECX, 16), "FMA4"),
    (CpuidFeature::TBM, (0x8000_0001, 0, ECX, 21), "TBM"),
];

const EAX: usize = 0;
const EBX: usize = 1;
const ECX: usize = 2;
const EDX: usize = 3;

/// What a processor lacks of the instructions that others have.
#[derive(Clone, Debug)]
pub struct Lacking(Vec<(CpuidFeature, &'static str)>);

impl Lacking {
    /// What this processor lacks.
    #[must_use]
    pub fn here() -> Self {
        let lacks = |(_, (leaf, part, register, bit), _): &&Feature| {
            question(*leaf, *part)[*register] & 1 << bit == 0
        };
        let features = FEATURES.iter().filter(lacks);
        Self(
            features
                .map(|&(feature, _, name)| (feature, name))
                .collect(),
        )
    }

    /// What an instruction needs and the processor lacks. Some have one encoding that
    /// all processors know, in which they do another thing: `tzcnt` where there is only
    /// `bsf`. Compilers use that where both do the same.
    #[must_use]
    pub fn of(&self, instruction: &Instruction) -> Option<&'static str> {
        if instruction.mnemonic() == iced_x86::Mnemonic::Tzcnt {
            return None;
        }
        let needed = instruction.cpuid_features().iter();
        let lacking = |feature: &CpuidFeature| self.0.iter().find(|(known, _)| known == feature);
        needed.filter_map(lacking).map(|(_, name)| *name).next()
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn decoded(bytes: &[u8]) -> Instruction {
        Decoder::new(64, bytes, DecoderOptions::NONE).decode()
    }

    #[test]
    fn an_instruction_is_lacked_by_the_processors_that_say_so() {
        // vmovdqu64 zmm16, [rsi]; vmovdqu ymm0, [rsi]; rep bsf eax, eax; nop
        let wide = decoded(&[0x62, 0xe1, 0xfe, 0x48, 0x6f, 0x06]);
        let narrow = decoded(&[0xc5, 0xfe, 0x6f, 0x06]);
        let tzcnt = decoded(&[0xf3, 0x0f, 0xbc, 0xc0]);
        let nop = decoded(&[0x90]);
        let none = Lacking(Vec::new());
        let all = FEATURES.iter().map(|(feature, _, name)| (*feature, *name));
        let all = Lacking(all.collect());
        for instruction in [wide, narrow, tzcnt, nop] {
            assert!(!instruction.is_invalid());
            assert_eq!(none.of(&instruction), None);
        }
        assert_eq!(all.of(&wide), Some("AVX512F"));
        assert_eq!(all.of(&narrow), Some("AVX"));
        assert_eq!([all.of(&tzcnt), all.of(&nop)], [None, None]);
    }

    #[test]
    fn nobody_lacks_what_every_processor_has() {
        let here = Lacking::here();
        assert!(
            !here
                .0
                .iter()
                .any(|(feature, _)| *feature == CpuidFeature::SSE3)
        );
        // No processor has both AMD's abandoned instructions and Intel's matrices.
        assert!(!here.0.is_empty());
    }
}
