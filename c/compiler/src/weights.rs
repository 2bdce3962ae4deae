//! What was counted in the runs that were weighed, as a file of words of eight bytes,
//! little-endian:
//!
//! ```text
//! word 0          says which program it is
//! word 1 …        how often each block ran, then how many bytes each call has moved, then
//!                 how often each load has found something new
//! behind them     pairs: which call through a pointer << 32 | whom, and how often;
//!                 whom: the number of a function whose address is taken, or none;
//!                 with the highest bit: which load << 32 | whose memory, and how often it has
//!                 found something new there; behind the loads stores, which find nothing;
//!                 whose: the number of an object, or nobody's, or not clear;
//!                 all ones: how often there was no room to count
//! ```
//! The runtime writes it (`c/runtime/src/weigh.rs`).

use std::collections::HashMap;

use reprise_c_analysis::model::{Met, Whose};

/// A function that is not the program's.
const NO_FUNCTION: u32 = u32::MAX;

/// Memory of which nobody knows whose it is.
const UNCLEAR: u32 = u32::MAX - 1;

/// The highest bit of keys of loads and stores.
const MET: u64 = 1 << 63;

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
    /// By load, and behind them by store: whose memory it was. None as above.
    met: Option<HashMap<u32, Met>>,
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
        let mut met: HashMap<u32, Met> = HashMap::new();
        let mut is_complete = true;
        for [key, times] in pairs {
            is_complete &= *key != LOST || *times == 0;
            if key & MET != 0 {
                let whose = match *key as u32 {
                    u32::MAX => Whose::Nobody,
                    UNCLEAR => Whose::Unclear,
                    object => Whose::Object(object),
                };
                let access = ((key & !MET) >> 32) as u32;
                met.entry(access).or_default().push((whose, *times));
                continue;
            }
            let whom = Some(*key as u32).filter(|whom| *whom != NO_FUNCTION);
            let call = (*key >> 32) as u32;
            called.entry(call).or_default().push((whom, *times));
        }
        Some(Self {
            counters: counters.to_vec(),
            called: is_complete.then_some(called),
            met: is_complete.then_some(met),
        })
    }

    /// A counter.
    pub(crate) fn counter(&self, at: usize) -> u64 {
        self.counters.get(at).copied().unwrap_or(0)
    }

    /// Whose memory a load, or a store behind them, has met.
    pub(crate) fn met(&self, access: u32) -> Option<Met> {
        let all = self.met.as_ref()?;
        Some(all.get(&access).cloned().unwrap_or_default())
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
    fn whose_memory_loads_have_met() {
        let load = MET | 3 << 32;
        let words = [
            7,
            10,
            20,
            load | 5,
            4,
            load | 0xffff_ffff,
            2,
            load | 0xffff_fffe,
            0,
        ];
        let read = Weights::read(&file(&words), 7, 2).unwrap();
        let expected = vec![
            (Whose::Object(5), 4),
            (Whose::Nobody, 2),
            (Whose::Unclear, 0),
        ];
        assert_eq!(read.met(3), Some(expected));
        assert_eq!(read.met(4), Some(Vec::new()));
        assert_eq!(read.called(3), Some(&[][..]));
    }

    #[test]
    fn what_was_lost_makes_all_of_it_uncertain() {
        let words = [7, 10, 20, 3 << 32 | 5, 4, LOST, 2];
        let read = Weights::read(&file(&words), 7, 2).unwrap();
        assert_eq!(read.called(3), None);
        assert_eq!(read.met(3), None);
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
