//! What is mapped in the process that is played.

use std::collections::BTreeMap;

/// Mapped ranges with their protection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    /// By start: end and protection.
    ranges: BTreeMap<u64, (u64, u32)>,
}

/// A mapped range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) protection: u32,
}

impl Space {
    pub(crate) fn map(&mut self, start: u64, end: u64, protection: u32) {
        self.unmap(start, end);
        if start < end {
            self.ranges.insert(start, (end, protection));
        }
    }

    pub(crate) fn unmap(&mut self, start: u64, end: u64) {
        for range in self.touching(start, end) {
            self.ranges.remove(&range.start);
            if range.start < start {
                self.ranges.insert(range.start, (start, range.protection));
            }
            if end < range.end {
                self.ranges.insert(end, (range.end, range.protection));
            }
        }
    }

    pub(crate) fn protect(&mut self, start: u64, end: u64, protection: u32) {
        for range in self.within(start, end) {
            self.map(range.start, range.end, protection);
        }
    }

    /// The parts of mapped ranges between two addresses.
    pub(crate) fn within(&self, start: u64, end: u64) -> Vec<Range> {
        let mut ranges = self.touching(start, end);
        for range in &mut ranges {
            range.start = range.start.max(start);
            range.end = range.end.min(end);
        }
        ranges
    }

    pub(crate) fn all(&self) -> Vec<Range> {
        self.within(0, u64::MAX)
    }

    fn touching(&self, start: u64, end: u64) -> Vec<Range> {
        let ranges = self.ranges.range(..end).rev();
        let mut touching: Vec<Range> = ranges
            .take_while(|(_, (range_end, _))| *range_end > start)
            .map(|(&start, &(end, protection))| Range {
                start,
                end,
                protection,
            })
            .collect();
        touching.reverse();
        touching
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(space: &Space, expected: &[(u64, u64, u32)]) {
        let all: Vec<_> = space
            .all()
            .iter()
            .map(|range| (range.start, range.end, range.protection))
            .collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn mapping_replaces_what_was_there() {
        let mut space = Space::default();
        space.map(0, 10, 1);
        space.map(4, 6, 3);
        check(&space, &[(0, 4, 1), (4, 6, 3), (6, 10, 1)]);
        space.map(3, 7, 5);
        check(&space, &[(0, 3, 1), (3, 7, 5), (7, 10, 1)]);
    }

    #[test]
    fn protection_changes_only_what_is_mapped() {
        let mut space = Space::default();
        space.map(0, 2, 1);
        space.map(4, 6, 1);
        space.protect(1, 5, 3);
        check(&space, &[(0, 1, 1), (1, 2, 3), (4, 5, 3), (5, 6, 1)]);
        space.unmap(1, 5);
        check(&space, &[(0, 1, 1), (5, 6, 1)]);
        assert_eq!(space.within(1, 5), []);
    }
}
