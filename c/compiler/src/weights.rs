//! What was counted in the runs that were weighed, as a file of words of eight bytes,
//! little-endian:
//!
//! ```text
//! word 0          says which program it is
//! word 1 …        how often each block ran, then how many bytes each call has moved, then
//!                 how often each load has found something new
//! behind them     pairs: which call through a pointer << 32 | whom, and how often;
//!                 whom: the number of a function whose address is taken, or none;
//!                 all ones: how often there was no room to count
//! ```
//! The runtime writes it (`c/runtime/src/weigh.rs`).

use std::collections::HashMap;

/// A function that is not the program's.
const NO_FUNCTION: u32 = u32::MAX;

/// The key of what could not be counted.
const LOST: u64 = u64::MAX;

/// Functions, none for those that are not the program's, and how often each was called.
type Called = Vec<(Option<u32>, u64)>;

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weights {
    /// Blocks, what calls have moved, and what loads have found.
    counters: Vec<u64>,
    /// By call through a pointer: whom it has called, and how often. None if that is
    /// not known of all of them.
    called: Option<HashMap<u32, Called>>,
}

impl Weights {
    /// Reads a file that has so many counters, if it is of the program with this
    /// signature.
    pub(crate) fn read(bytes: &[u8], signature: u64, counters: usize) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (first, words) = words.split_first()?;
        let (counters, pairs) = words.split_at_checked(counters)?;
        let (pairs, odd) = pairs.as_chunks::<2>();
        if *first != signature || !rest.is_empty() || !odd.is_empty() {
            return None;
        }
        let mut called: HashMap<u32, Called> = HashMap::new();
        let mut is_complete = true;
        for [key, times] in pairs {
            is_complete &= *key != LOST || *times == 0;
            let whom = Some(*key as u32).filter(|whom| *whom != NO_FUNCTION);
            let call = (*key >> 32) as u32;
            called.entry(call).or_default().push((whom, *times));
        }
        Some(Self {
            counters: counters.to_vec(),
            called: is_complete.then_some(called),
        })
    }

    /// A counter.
    pub(crate) fn counter(&self, at: usize) -> u64 {
        self.counters.get(at).copied().unwrap_or(0)
    }

    /// Whom a call through a pointer has called: functions whose address is taken, by
    /// their number.
    pub(crate) fn called(&self, call: u32) -> Option<&[(Option<u32>, u64)]> {
        let all = self.called.as_ref()?;
        Some(all.get(&call).map_or(&[], Vec::as_slice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn counters_and_callees() {
        let words = [7, 10, 20, 3 << 32 | 5, 4, 3 << 32 | 0xffff_ffff, 2];
        let read = Weights::read(&file(&words), 7, 2).unwrap();
        assert_eq!((read.counter(0), read.counter(1)), (10, 20));
        assert_eq!(read.called(3), Some(&[(Some(5), 4), (None, 2)][..]));
        // It has been counted, and there was nothing.
        assert_eq!(read.called(4), Some(&[][..]));
    }

    #[test]
    fn what_was_lost_makes_all_of_it_uncertain() {
        let words = [7, 10, 20, 3 << 32 | 5, 4, LOST, 2];
        let read = Weights::read(&file(&words), 7, 2).unwrap();
        assert_eq!(read.called(3), None);
    }

    #[test]
    fn what_is_of_another_program_is_none() {
        assert_eq!(Weights::read(&file(&[7, 1, 2]), 8, 2), None);
        assert_eq!(Weights::read(&file(&[7, 1]), 7, 2), None);
        assert_eq!(Weights::read(&file(&[7, 1, 2, 3]), 7, 2), None);
        assert_eq!(Weights::read(&[7, 0, 0], 7, 0), None);
        assert_eq!(Weights::read(&[], 7, 0), None);
    }
}
