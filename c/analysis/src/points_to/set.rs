//! Sets of words of cells.

use super::cells::Cell;

/// A set of cells by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn add(&mut self, cell: Cell) -> bool {
        let (word, bit) = (cell as usize / 64, 1 << (cell % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub(super) fn has(&self, cell: Cell) -> bool {
        let word = self.0.get(cell as usize / 64);
        word.is_some_and(|word| word >> (cell % 64) & 1 != 0)
    }

    /// Adds all of another set, and what is new to a third; whether anything was.
    pub(super) fn take(&mut self, other: &Self, news: &mut Self) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        // Most often nothing is, which is found out many words at a time.
        let pairs = self.0.iter().zip(&other.0);
        if pairs.fold(0, |all, (mine, from)| all | from & !mine) == 0 {
            return false;
        }
        if news.0.len() < other.0.len() {
            news.0.resize(other.0.len(), 0);
        }
        for ((mine, from), new) in self.0.iter_mut().zip(&other.0).zip(&mut news.0) {
            *new |= from & !*mine;
            *mine |= from;
        }
        true
    }

    /// What is in another one, too.
    pub(super) fn both(&self, other: &Self) -> Self {
        let pairs = self.0.iter().zip(&other.0);
        Self(pairs.map(|(mine, other)| mine & other).collect())
    }

    /// What is not in another one.
    pub(super) fn without(&self, other: &Self) -> Self {
        let others = other.0.iter().chain(std::iter::repeat(&0));
        let pairs = self.0.iter().zip(others);
        Self(pairs.map(|(mine, other)| mine & !other).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Cell> {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            // Without its lowest bit, until there is none.
            let rests =
                std::iter::successors(Some(*word), |rest| Some(rest & rest.wrapping_sub(1)));
            let rests = rests.take_while(|rest| *rest != 0);
            rests.map(move |rest| index as u32 * 64 + rest.trailing_zeros())
        })
    }
}
