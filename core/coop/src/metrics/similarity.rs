//! How much two logs have in common (section IV-E.1).
//!
//! With `Equal` the SPEs that both logs recorded with identical vectors and
//! `Diff` those that both recorded with different ones (table I):
//!
//! ```text
//! PSIM(l0, l1) = #Equal / #S × (1 − #Diff / #S)                         (1)
//!
//! DSIM(l0, l1) =   Σ   weight(x) × (1 −   Σ   weight(y))
//!               x ∈ Equal              y ∈ Diff
//!
//! weight(s) = #avecs(s) / #AV                                           (2)
//! ```
//! where `avecs(s)` are the different vectors that all logs, failed or not,
//! recorded for `s`, and `AV` those of all SPEs. Vectors that are shared
//! although they vary much count more than vectors that are always the same.
//!
//! PSIM is DSIM with the weight `1 / #S` for each SPE, so there is one
//! computation for both. It is in whole numbers, the weights' numerators, up to
//! the last step: the result depends neither on the order of the SPEs nor on
//! that of the two logs.
//!
//! Both are within [0, 1] and symmetric. Both are 0 for logs that have no equal
//! vector, an empty log among them, and 1 exactly for two logs that recorded
//! all SPEs (for DSIM: all that anybody recorded) identically. So a log that is
//! not complete is not even like itself: its similarity to itself is its share.

use crate::log::Spe;
use crate::population::{LogId, Population, VectorId};

/// The two flavours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// PSIM: all SPEs weigh the same.
    Plain,
    /// DSIM: SPEs weigh as much as they vary.
    Dispersion,
}

/// What each SPE weighs.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The numerators.
    each: Vec<u32>,
    /// The denominator.
    total: u64,
}

/// What two logs have in common: the weights' numerators, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// Of `Equal`.
    pub equal: u64,
    /// Of `Diff`.
    pub diff: u64,
}

impl Weights {
    /// The weights of a population's SPEs.
    #[must_use]
    pub fn new(population: &Population, similarity: Similarity) -> Self {
        let spes = population.spes();
        match similarity {
            Similarity::Plain => Self {
                each: vec![1; spes as usize],
                total: u64::from(spes),
            },
            Similarity::Dispersion => Self {
                each: (0..spes)
                    .map(|spe| population.vectors(Spe(spe)).len() as u32)
                    .collect(),
                total: u64::from(population.vector_count()),
            },
        }
    }

    /// `weight(s)`.
    #[must_use]
    pub fn weight(&self, spe: Spe) -> f64 {
        self.ratio(self.numerator(spe))
    }

    /// The similarity of two logs that have this in common.
    #[must_use]
    pub fn similarity(&self, common: Common) -> f64 {
        self.ratio(common.equal) * (1.0 - self.ratio(common.diff))
    }

    /// The similarity of two logs.
    #[must_use]
    pub fn between(&self, population: &Population, l0: LogId, l1: LogId) -> f64 {
        self.similarity(self.common(population.share(l0), population.share(l1)))
    }

    /// What two shares, both ascending, have in common.
    #[must_use]
    pub fn common(&self, a: &[(Spe, VectorId)], b: &[(Spe, VectorId)]) -> Common {
        let mut common = Common::default();
        let mut b = b.iter().peekable();
        for &(spe, vector) in a {
            while b.next_if(|(other, _)| *other < spe).is_some() {}
            if let Some(&(_, other)) = b.next_if(|(other, _)| *other == spe) {
                let sum = if other == vector {
                    &mut common.equal
                } else {
                    &mut common.diff
                };
                *sum += self.numerator(spe);
            }
        }
        common
    }

    pub(crate) fn numerator(&self, spe: Spe) -> u64 {
        u64::from(self.each[spe.0 as usize])
    }

    /// A sum of numerators as a part of all.
    pub(crate) fn ratio(&self, sum: u64) -> f64 {
        if self.total == 0 {
            return 0.0;
        }
        sum as f64 / self.total as f64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::population::tests::population;

    fn between(population: &Population, similarity: Similarity, l0: u32, l1: u32) -> f64 {
        Weights::new(population, similarity).between(population, LogId(l0), LogId(l1))
    }

    #[test]
    fn plain_by_hand() {
        // Of five SPEs, a and b are equal, c differs, d and e are not shared.
        let population = population(5, &["F a1 b1 c1 d1", "F a1 b1 c2 e1"]);
        let expected = 2.0 / 5.0 * (1.0 - 1.0 / 5.0);
        assert_eq!(between(&population, Similarity::Plain, 0, 1), expected);
        assert_eq!(between(&population, Similarity::Plain, 0, 0), 4.0 / 5.0);
    }

    /// The example below equation (2).
    #[test]
    fn weights_of_the_paper() {
        let population = population(2, &["F a1 b1", "F a1 b2"]);
        let weights = Weights::new(&population, Similarity::Dispersion);
        assert_eq!(weights.weight(Spe(0)), 1.0 / 3.0);
        assert_eq!(weights.weight(Spe(1)), 2.0 / 3.0);
        let found = weights.between(&population, LogId(0), LogId(1));
        assert!((found - 1.0 / 9.0).abs() < 1e-15);
    }

    #[test]
    fn dispersion_by_hand() {
        // Different vectors: a 1, b 3, c 2; 6 in all. Successful runs count.
        let population = population(3, &["F a1 b1 c1", "F a1 b1 c2", "F a1 b2", "P b3"]);
        let found = between(&population, Similarity::Dispersion, 0, 1);
        assert_eq!(found, 4.0 / 6.0 * (1.0 - 2.0 / 6.0));
        // Sharing what varies says more than sharing what never does.
        let rare = between(&population, Similarity::Dispersion, 0, 1);
        let usual = between(&population, Similarity::Dispersion, 0, 2);
        assert_eq!(usual, 1.0 / 6.0 * (1.0 - 3.0 / 6.0));
        assert!(rare > usual);
    }

    #[test]
    fn one_means_complete_and_identical() {
        let population = population(2, &["F a1 b1", "F a1 b1", "F a1"]);
        for similarity in [Similarity::Plain, Similarity::Dispersion] {
            assert_eq!(between(&population, similarity, 0, 1), 1.0);
            assert_eq!(between(&population, similarity, 0, 2), 0.5);
        }
    }

    #[test]
    fn nothing_in_common_is_0() {
        let population = population(3, &["F a1", "F b1", "F", "F a2"]);
        for similarity in [Similarity::Plain, Similarity::Dispersion] {
            for other in 1..4 {
                assert_eq!(between(&population, similarity, 0, other), 0.0);
                assert_eq!(between(&population, similarity, other, 0), 0.0);
            }
        }
        let nothing = super::super::super::population::tests::population(0, &["F"]);
        assert_eq!(between(&nothing, Similarity::Plain, 0, 0), 0.0);
        assert_eq!(between(&nothing, Similarity::Dispersion, 0, 0), 0.0);
    }

    /// A log as the paper's partial function from SPEs to hashes.
    type Log = BTreeMap<u8, u8>;

    fn logs() -> impl Strategy<Value = Vec<Log>> {
        let log = proptest::collection::btree_map(0..6_u8, 1..4_u8, 0..6);
        proptest::collection::vec(log, 1..8)
    }

    fn of(logs: &[Log]) -> Population {
        let texts = logs.iter().map(|log| {
            let entries = log.iter();
            let words = entries.map(|(spe, vector)| format!(" {}{vector}", char::from(b'a' + spe)));
            format!("F{}", words.collect::<String>())
        });
        let texts: Vec<String> = texts.collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        population(6, &texts)
    }

    /// The equations, word for word, over sets.
    fn by_the_paper(logs: &[Log], similarity: Similarity, l0: &Log, l1: &Log) -> f64 {
        let both: Vec<u8> = l0
            .keys()
            .filter(|spe| l1.contains_key(spe))
            .copied()
            .collect();
        let (equal, diff): (Vec<u8>, Vec<u8>) = both.iter().partition(|spe| l0[spe] == l1[spe]);
        let all: BTreeSet<(u8, u8)> = logs.iter().flatten().map(|(s, v)| (*s, *v)).collect();
        let weight = |spe: &u8| {
            let avecs = all.iter().filter(|(other, _)| other == spe).count();
            avecs as f64 / all.len() as f64
        };
        match similarity {
            Similarity::Plain => equal.len() as f64 / 6.0 * (1.0 - diff.len() as f64 / 6.0),
            Similarity::Dispersion => {
                equal.iter().map(weight).sum::<f64>() * (1.0 - diff.iter().map(weight).sum::<f64>())
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_what_the_paper_says(logs in logs()) {
            let population = of(&logs);
            for similarity in [Similarity::Plain, Similarity::Dispersion] {
                for (i, l0) in logs.iter().enumerate() {
                    for (j, l1) in logs.iter().enumerate() {
                        let found = between(&population, similarity, i as u32, j as u32);
                        let expected = by_the_paper(&logs, similarity, l0, l1);
                        prop_assert!((found - expected).abs() < 1e-12);
                        prop_assert!((0.0..=1.0).contains(&found));
                        prop_assert_eq!(found, between(&population, similarity, j as u32, i as u32));
                        // Equation (1) is 1 exactly for complete and identical logs.
                        if similarity == Similarity::Plain {
                            prop_assert_eq!(found == 1.0, l0 == l1 && l0.len() == 6);
                        }
                    }
                }
            }
        }

        #[test]
        fn dispersion_weights_add_up_to_1(logs in logs()) {
            let population = of(&logs);
            let weights = Weights::new(&population, Similarity::Dispersion);
            let sum: f64 = (0..6).map(|spe| weights.weight(Spe(spe))).sum();
            let expected = if population.vector_count() == 0 { 0.0 } else { 1.0 };
            prop_assert!((sum - expected).abs() < 1e-12);
        }
    }
}
