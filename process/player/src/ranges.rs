//! Ranges of addresses, each with something that holds for it.

use std::collections::BTreeMap;

/// Ranges that do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranges<T>(
    /// By start: end, and what holds.
    BTreeMap<u64, (u64, T)>,
);

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Copy> Ranges<T> {
    /// From here on this holds between two addresses.
    pub(crate) fn set(&mut self, start: u64, end: u64, value: T) {
        self.clear(start, end);
        if start < end {
            self.0.insert(start, (end, value));
        }
    }

    /// Nothing holds between two addresses any more.
    pub(crate) fn clear(&mut self, start: u64, end: u64) {
        for (from, to, value) in self.touching(start, end) {
            self.0.remove(&from);
            if from < start {
                self.0.insert(from, (start, value));
            }
            if end < to {
                self.0.insert(end, (to, value));
            }
        }
    }

    /// The parts of ranges between two addresses.
    pub(crate) fn within(&self, start: u64, end: u64) -> Vec<(u64, u64, T)> {
        let mut ranges = self.touching(start, end);
        for range in &mut ranges {
            range.0 = range.0.max(start);
            range.1 = range.1.min(end);
        }
        ranges
    }

    /// All ranges.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64, T)> {
        let all = self.0.iter();
        all.map(|(&start, &(end, value))| (start, end, value))
    }

    /// The whole range that has this address.
    pub(crate) fn around(&self, address: u64) -> Option<(u64, u64, T)> {
        let (&start, &(end, value)) = self.0.range(..=address).next_back()?;
        (address < end).then_some((start, end, value))
    }

    fn touching(&self, start: u64, end: u64) -> Vec<(u64, u64, T)> {
        let ranges = self.0.range(..end).rev();
        let mut touching: Vec<_> = ranges
            .take_while(|(_, (range_end, _))| *range_end > start)
            .map(|(&start, &(end, value))| (start, end, value))
            .collect();
        touching.reverse();
        touching
    }
}
