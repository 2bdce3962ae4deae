//! Which words of memory tell that the process has not arrived yet.
//!
//! A loop may come by millions of times with the registers that are looked for. Somewhere in
//! memory it counts, or nothing would ever change; but most of what differs at one time is only
//! a passing thing, like a count of references, and is right again the next time. So the words
//! are looked for that were wrong each time, those first that come nearer.

use std::collections::BTreeMap;

/// The most words that are watched.
const WATCHED: usize = 4096;

/// A word that is not as it was at the pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Differing {
    pub(super) address: u64,
    pub(super) wanted: u64,
    pub(super) here: u64,
}

/// The words that were wrong each time.
#[derive(Debug, Default)]
pub(super) struct Telling {
    words: BTreeMap<u64, Word>,
    /// How often the process has come by since these are watched.
    times: u32,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    wanted: u64,
    here: u64,
    /// How often it was another one than the time before, and how often nearer.
    moved: u32,
    nearer: u32,
}

impl Telling {
    /// The words that are watched.
    pub(super) fn watched(&self) -> impl Iterator<Item = u64> {
        self.words.keys().copied()
    }

    /// The process has come by, and these words are wrong: all of those that are watched, or of
    /// all memory if none of them is.
    pub(super) fn come_by(&mut self, differing: &[Differing]) {
        let mut still = BTreeMap::new();
        for one in differing {
            if let Some(word) = self.words.get(&one.address) {
                still.insert(one.address, word.now(one.here));
            }
        }
        self.times += 1;
        if still.is_empty() {
            let first = differing.iter().take(WATCHED);
            still.extend(first.map(|one| (one.address, Word::new(one))));
            self.times = 1;
        }
        self.words = still;
    }

    /// The words that tell most, the best last, with what they should be; none before the process
    /// has come by twice.
    pub(super) fn best(&self, most: usize) -> Vec<(u64, u64)> {
        if self.times < 2 {
            return Vec::new();
        }
        let mut words: Vec<(&u64, &Word)> = self.words.iter().collect();
        words.sort_by_key(|(_, word)| (word.nearer, word.moved));
        let skipped = words.len().saturating_sub(most);
        let words = words.into_iter().skip(skipped);
        words
            .map(|(address, word)| (*address, word.wanted))
            .collect()
    }
}

impl Word {
    fn new(of: &Differing) -> Self {
        Self {
            wanted: of.wanted,
            here: of.here,
            moved: 0,
            nearer: 0,
        }
    }

    fn now(self, here: u64) -> Self {
        let moved = here != self.here;
        let nearer = moved && self.wanted.abs_diff(here) < self.wanted.abs_diff(self.here);
        Self {
            here,
            moved: self.moved + u32::from(moved),
            nearer: self.nearer + u32::from(nearer),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What differs from what is wanted, of words that have these values.
    fn differing(wanted: &[u64], here: &[u64]) -> Vec<Differing> {
        let pairs = (0..).zip(wanted.iter().zip(here));
        let differing = pairs.filter(|(_, (wanted, here))| wanted != here);
        differing
            .map(|(index, (&wanted, &here))| Differing {
                address: index * 8,
                wanted,
                here,
            })
            .collect()
    }

    #[test]
    fn one_time_tells_nothing() {
        let mut telling = Telling::default();
        telling.come_by(&differing(&[1, 2], &[3, 4]));
        assert_eq!(telling.best(4), []);
        assert_eq!(telling.watched().collect::<Vec<_>>(), [0, 8]);
    }

    #[test]
    fn what_is_right_now_and_then_is_no_longer_watched() {
        let mut telling = Telling::default();
        telling.come_by(&differing(&[7, 7, 7], &[1, 2, 3]));
        telling.come_by(&differing(&[7, 7, 7], &[1, 7, 4]));
        assert_eq!(telling.watched().collect::<Vec<_>>(), [0, 16]);
    }

    #[test]
    fn a_counter_tells_most() {
        // A count of references, one that is always wrong, one that is nearer each time, and
        // one that jumps.
        let wanted = [100, 5, 5000, 40];
        let mut telling = Telling::default();
        for time in 0..10 {
            let here = [100 + time % 3, 6, time * 17, 40 + (time + 1) * 31 % 7];
            telling.come_by(&differing(&wanted, &here));
        }
        assert_eq!(telling.best(1), [(16, 5000)]);
    }

    #[test]
    fn when_none_is_left_others_are_watched() {
        let mut telling = Telling::default();
        telling.come_by(&differing(&[7, 7, 7], &[1, 2, 7]));
        telling.come_by(&differing(&[7, 7, 7], &[7, 7, 3]));
        assert_eq!(telling.watched().collect::<Vec<_>>(), [16]);
        assert_eq!(telling.best(4), []);
    }
}
