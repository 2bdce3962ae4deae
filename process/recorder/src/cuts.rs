//! Whether threads wait for each other in loops: their turns then end in the
//! middle of a computation, again and again at the same few places.

use std::collections::{HashSet, VecDeque};

/// Where turns ended in the middle of a computation, the last ones.
#[derive(Default)]
pub(crate) struct Cuts(VecDeque<u64>);

impl Cuts {
    /// How many are looked at, and at how many places they are if threads wait
    /// for each other in loops. A place is so many bytes of code.
    const MANY: usize = 16;
    const FEW: usize = 4;
    const PLACE: u64 = 64;

    pub(crate) fn push(&mut self, ip: u64) {
        self.0.push_back(ip / Self::PLACE);
        if self.0.len() > Self::MANY {
            self.0.pop_front();
        }
    }

    /// Whether threads seem to wait for each other without system calls.
    pub(crate) fn are_of_spinning(&self) -> bool {
        let places: HashSet<&u64> = self.0.iter().collect();
        self.0.len() == Self::MANY && places.len() <= Self::FEW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_that_always_end_in_the_same_loops_are_of_spinning() {
        let mut cuts = Cuts::default();
        for turn in 0..Cuts::MANY as u64 {
            assert!(!cuts.are_of_spinning());
            cuts.push(if turn % 2 == 0 { 0x1000 + turn } else { 0x2000 });
        }
        assert!(cuts.are_of_spinning());
        for place in 0..Cuts::FEW as u64 {
            cuts.push(0x9000 + place * Cuts::PLACE);
        }
        assert!(!cuts.are_of_spinning());
    }
}
