//! What is mapped in the process that is played, and which pages of that are
//! missing.

use crate::ranges::Ranges;
use crate::views::Shown;

/// Mapped ranges with their protection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    mapped: Ranges<u32>,
    /// Pages that are mapped and whose content is not there. Nobody can access
    /// them.
    missing: Ranges<Origin>,
    /// What is at several addresses.
    pub(crate) shown: Ranges<Shown>,
    /// What the player has for itself. Where the recording reserves addresses that nobody
    /// ever accesses, it may be among them, and nothing is mapped over it.
    rooms: Vec<(u64, u64)>,
}

/// A mapped range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) protection: u32,
}

/// Where the content of a missing page would come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The page map.
    pub(crate) map: u32,
    /// How far the page has been moved since.
    pub(crate) moved: u64,
}

impl Space {
    /// Nothing is mapped but for what the player has for itself.
    pub(crate) fn around(rooms: &[(u64, u64)]) -> Self {
        Self {
            rooms: rooms.to_vec(),
            ..Self::default()
        }
    }

    /// The parts of a range that the player does not have for itself.
    pub(crate) fn but_for_rooms(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut parts = vec![(start, end)];
        for &(room, behind) in &self.rooms {
            parts = parts
                .into_iter()
                .flat_map(|(start, end)| [(start, end.min(room)), (start.max(behind), end)])
                .filter(|(start, end)| start < end)
                .collect();
        }
        parts
    }

    /// Maps something new; nothing is missing there.
    pub(crate) fn map(&mut self, start: u64, end: u64, protection: u32) {
        self.mapped.set(start, end, protection);
        self.missing.clear(start, end);
        self.shown.clear(start, end);
    }

    pub(crate) fn unmap(&mut self, start: u64, end: u64) {
        self.mapped.clear(start, end);
        self.missing.clear(start, end);
        self.shown.clear(start, end);
    }

    pub(crate) fn protect(&mut self, start: u64, end: u64, protection: u32) {
        for (start, end, _) in self.mapped.within(start, end) {
            self.mapped.set(start, end, protection);
        }
    }

    /// The parts of mapped ranges between two addresses.
    pub(crate) fn within(&self, start: u64, end: u64) -> Vec<Range> {
        let ranges = self.mapped.within(start, end).into_iter();
        ranges
            .map(|(start, end, protection)| Range {
                start,
                end,
                protection,
            })
            .collect()
    }

    /// How much of it somebody can access.
    pub(crate) fn accessible(&self) -> u64 {
        let all = self.all().into_iter();
        let parts = all.filter(|range| range.protection != 0);
        parts.map(|range| range.end - range.start).sum()
    }

    pub(crate) fn all(&self) -> Vec<Range> {
        self.within(0, u64::MAX)
    }

    /// The content of what is mapped between two addresses is missing, unless it is known
    /// from another address.
    pub(crate) fn omit(&mut self, start: u64, end: u64, map: u32) {
        let origin = Origin { map, moved: 0 };
        for (start, end) in self.only_here(start, end) {
            self.missing.set(start, end, origin);
        }
    }

    /// Nothing is missing between two addresses any more.
    pub(crate) fn found(&mut self, start: u64, end: u64) {
        self.missing.clear(start, end);
    }

    /// What is missing between two addresses.
    pub(crate) fn missing(&self, start: u64, end: u64) -> Vec<(u64, u64, Origin)> {
        self.missing.within(start, end)
    }

    /// Whether the page that has this address is missing.
    pub(crate) fn is_missing(&self, address: u64) -> bool {
        let end = address.saturating_add(1);
        !self.missing.within(address, end).is_empty()
    }

    /// The missing range around an address.
    pub(crate) fn missing_around(&self, address: u64) -> Option<(u64, u64, Origin)> {
        self.missing.around(address)
    }

    /// What was missing in one place is missing in another now, which is mapped
    /// already.
    pub(crate) fn move_missing(&mut self, from: u64, len: u64, to: u64) {
        let was = self.missing.within(from, from.saturating_add(len));
        for (start, end, _) in &was {
            self.missing.clear(*start, *end);
        }
        self.miss(was, to.wrapping_sub(from));
    }

    /// What is missing in one place is missing in another, too, which is mapped already.
    pub(crate) fn miss_like(&mut self, from: u64, len: u64, to: u64) {
        let is = self.missing.within(from, from.saturating_add(len));
        self.miss(is, to.wrapping_sub(from));
    }

    fn miss(&mut self, ranges: Vec<(u64, u64, Origin)>, distance: u64) {
        for (start, end, origin) in ranges {
            let moved = Origin {
                moved: origin.moved.wrapping_add(distance),
                ..origin
            };
            let (start, end) = (start.wrapping_add(distance), end.wrapping_add(distance));
            self.missing.set(start, end, moved);
        }
    }

    /// The parts of mapped ranges between two addresses that are not missing.
    pub(crate) fn present(&self, start: u64, end: u64) -> Vec<Range> {
        let mut present = Vec::new();
        for range in self.within(start, end) {
            let mut at = range.start;
            let missing = self.missing.within(range.start, range.end);
            let ends = missing.iter().map(|(start, end, _)| (*start, *end));
            for (hole, after) in ends.chain([(range.end, range.end)]) {
                if at < hole {
                    present.push(Range {
                        start: at,
                        end: hole,
                        protection: range.protection,
                    });
                }
                at = after;
            }
        }
        present
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

    #[test]
    fn rooms_are_left_out() {
        let space = Space::around(&[(10, 20), (40, 50)]);
        assert_eq!(space.but_for_rooms(0, 5), [(0, 5)]);
        assert_eq!(space.but_for_rooms(0, 60), [(0, 10), (20, 40), (50, 60)]);
        assert_eq!(space.but_for_rooms(15, 45), [(20, 40)]);
        assert_eq!(space.but_for_rooms(12, 18), []);
    }

    fn present(space: &Space) -> Vec<(u64, u64)> {
        let present = space.present(0, u64::MAX);
        present.iter().map(|r| (r.start, r.end)).collect()
    }

    #[test]
    fn what_is_missing_is_mapped_and_not_present() {
        let mut space = Space::default();
        space.map(0, 10, 1);
        space.map(20, 30, 3);
        space.omit(5, 25, 7);
        assert_eq!(present(&space), [(0, 5), (25, 30)]);
        space.found(6, 7);
        assert_eq!(present(&space), [(0, 5), (6, 7), (25, 30)]);
        space.protect(0, 30, 0);
        assert!(space.is_missing(5) && !space.is_missing(6) && !space.is_missing(12));
        space.map(0, 10, 1);
        assert_eq!(present(&space), [(0, 10), (25, 30)]);
    }

    #[test]
    fn what_is_missing_can_be_moved() {
        let mut space = Space::default();
        space.map(0, 10, 1);
        space.omit(5, 8, 7);
        space.map(20, 30, 1);
        space.move_missing(0, 10, 20);
        space.unmap(0, 10);
        assert_eq!(present(&space), [(20, 25), (28, 30)]);
        let origin = Origin { map: 7, moved: 20 };
        assert_eq!(space.missing_around(26), Some((25, 28, origin)));
        assert_eq!(space.missing_around(28), None);
    }
}
