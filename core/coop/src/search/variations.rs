//! All ways to leave the first choices, the smallest deviations first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A deviation: places with the choice wanted there, never 0, ascending.
type Deviation = Vec<(usize, usize)>;

/// Each deviation once: by the sum of its choices, then by its places.
#[derive(Debug)]
pub(super) struct Variations {
    /// The places that have more than one choice, with how many they have.
    places: Vec<(usize, usize)>,
    /// In terms of `places`.
    next: BinaryHeap<Reverse<(usize, Deviation)>>,
}

impl Variations {
    /// `counts` says how many choices each place has.
    pub(super) fn new(counts: Vec<usize>) -> Self {
        let places: Vec<_> = counts.into_iter().enumerate().collect();
        let mut variations = Self {
            places: places.into_iter().filter(|(_, count)| *count > 1).collect(),
            next: BinaryHeap::new(),
        };
        variations.push(1, vec![(0, 1)]);
        variations
    }

    fn push(&mut self, sum: usize, deviation: Deviation) {
        let possible = deviation
            .last()
            .is_some_and(|&(at, rank)| self.places.get(at).is_some_and(|(_, count)| rank < *count));
        if possible {
            self.next.push(Reverse((sum, deviation)));
        }
    }
}

impl Iterator for Variations {
    type Item = Deviation;

    /// Every deviation but the first has exactly one from which it is made:
    /// with a last choice above 1, by raising that; else, with the last two
    /// places side by side, by adding the last; else by moving the last.
    fn next(&mut self) -> Option<Deviation> {
        let Reverse((sum, deviation)) = self.next.pop()?;
        let (&(at, rank), before) = deviation.split_last()?;
        let followed_by = |last| {
            let mut deviation = before.to_vec();
            deviation.push(last);
            deviation
        };
        if rank == 1 {
            self.push(sum, followed_by((at + 1, 1)));
        }
        self.push(sum + 1, followed_by((at, rank + 1)));
        let mut longer = deviation.clone();
        longer.push((at + 1, 1));
        self.push(sum + 1, longer);
        let place = |(at, rank): (usize, usize)| (self.places[at].0, rank);
        Some(deviation.into_iter().map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_comes_once_and_the_small_ones_first() {
        let counts = vec![2, 1, 3, 0, 2];
        let all: Vec<Deviation> = Variations::new(counts.clone()).collect();
        assert_eq!(all.len(), 2 * 3 * 2 - 1);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        let sums: Vec<usize> = all
            .iter()
            .map(|d| d.iter().map(|(_, rank)| rank).sum())
            .collect();
        assert!(sums.is_sorted());
        assert_eq!(all[..3], [vec![(0, 1)], vec![(2, 1)], vec![(4, 1)]]);
        for deviation in all {
            assert!(
                deviation
                    .iter()
                    .all(|(at, rank)| (1..counts[*at]).contains(rank))
            );
        }
    }

    #[test]
    fn without_choices_there_is_nothing() {
        assert_eq!(Variations::new(vec![1, 0, 1]).count(), 0);
        assert_eq!(Variations::new(Vec::new()).count(), 0);
    }
}
