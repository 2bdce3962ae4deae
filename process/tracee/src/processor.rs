//! What the processor says about itself. A program can ask it without a tracer
//! noticing, so a recording has to hold it, and a replay needs one like it.

use std::arch::x86_64::{__cpuid_count, __get_cpuid_max};

/// The questions.
const LEAVES: [u32; 5] = [0, 1, 7, 0xd, 0x8000_0001];

/// Which registers of the answers are sets of features, by question: a bit each.
const FEATURES: [&[usize]; 5] = [&[], &[2, 3], &[1, 2, 3], &[0], &[2, 3]];

/// The processor's answers, four registers each.
pub type Answers = Vec<[u32; 4]>;

/// Asks the processor of this thread.
#[must_use]
pub fn ask() -> Answers {
    let answer = |&leaf: &u32| {
        if __get_cpuid_max(leaf & 0x8000_0000).0 < leaf {
            return [0; 4];
        }
        let answer = __cpuid_count(leaf, 0);
        // The number of the core that happens to answer is no property of the
        // processor.
        let mask = if leaf == 1 { 0x00ff_ffff } else { u32::MAX };
        [answer.eax, answer.ebx & mask, answer.ecx, answer.edx]
    };
    LEAVES.iter().map(answer).collect()
}

/// How many features the first has and the second lacks.
#[must_use]
pub fn lacking(recorded: &[[u32; 4]], here: &[[u32; 4]]) -> u32 {
    let pairs = recorded.iter().zip(here).zip(FEATURES);
    pairs
        .flat_map(|((recorded, here), features)| {
            let registers = features.iter();
            registers.map(|&at| (recorded[at] & !here[at]).count_ones())
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_lacks_nothing_of_itself() {
        let here = ask();
        assert_eq!(lacking(&here, &here), 0);
        let mut more = here.clone();
        more[2][1] = u32::MAX;
        assert_eq!(lacking(&more, &here), here[2][1].count_zeros());
        assert_eq!(lacking(&here, &more), 0);
    }
}
