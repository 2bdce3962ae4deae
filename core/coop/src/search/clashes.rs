//! Sets of vectors that cannot be replayed together.

use std::collections::HashMap;

use crate::log::Spe;
use crate::population::VectorId;

/// How many are kept. What is learnt after that is forgotten: a search that
/// long has other troubles.
const MOST: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Clashes {
    all: Vec<Vec<(Spe, VectorId)>>,
    /// For each vector the clashes that it is part of.
    with: HashMap<VectorId, Vec<usize>>,
}

impl Clashes {
    /// Adds a clash, and says whether it is new and was kept.
    pub(super) fn add(&mut self, mut clash: Vec<(Spe, VectorId)>) -> bool {
        clash.sort_unstable();
        clash.dedup();
        let known = |with: &Vec<usize>| with.iter().any(|&at| self.all[at] == clash);
        let Some((_, first)) = clash.first() else {
            return false;
        };
        if self.all.len() >= MOST || self.with.get(first).is_some_and(known) {
            return false;
        }
        for (_, vector) in &clash {
            self.with.entry(*vector).or_default().push(self.all.len());
        }
        self.all.push(clash);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether `vector` together with what is chosen contains a clash.
    pub(super) fn completes(&self, vector: VectorId, chosen: &[Option<VectorId>]) -> bool {
        let Some(with) = self.with.get(&vector) else {
            return false;
        };
        let is_chosen = |(spe, other): &(Spe, VectorId)| {
            *other == vector || chosen[spe.0 as usize] == Some(*other)
        };
        with.iter().any(|&at| self.all[at].iter().all(is_chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(spe: u32, vector: u32) -> (Spe, VectorId) {
        (Spe(spe), VectorId(vector))
    }

    #[test]
    fn a_clash_is_complete_with_its_last_vector() {
        let mut clashes = Clashes::default();
        assert!(clashes.add(vec![entry(1, 10), entry(0, 4)]));
        assert!(!clashes.add(vec![entry(0, 4), entry(1, 10)]), "it is known");
        assert!(!clashes.completes(VectorId(10), &[None, None]));
        assert!(!clashes.completes(VectorId(10), &[Some(VectorId(5)), None]));
        assert!(clashes.completes(VectorId(10), &[Some(VectorId(4)), None]));
        assert!(!clashes.completes(VectorId(11), &[Some(VectorId(4)), None]));
        assert!(clashes.add(vec![entry(1, 11)]));
        assert!(
            clashes.completes(VectorId(11), &[None, None]),
            "it clashes alone"
        );
        assert_eq!(clashes.len(), 2);
    }

    #[test]
    fn nothing_does_not_clash() {
        assert!(!Clashes::default().add(Vec::new()));
    }
}
