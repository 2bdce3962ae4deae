//! What a base lacks, and what could be put there.

use std::collections::HashMap;

use super::candidate::Origin;
use crate::log::Spe;
use crate::metrics::importance::Correlation;
use crate::population::{LogId, Population, VectorId};
use crate::ranking::{Base, Similar};

/// A vector for a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) vector: VectorId,
    /// A log that has it.
    pub(super) log: LogId,
    pub(super) origin: Origin,
}

/// An SPE that the base did not record, and the vectors it could have; there is
/// at least one.
#[derive(Debug)]
pub(super) struct Gap {
    pub(super) spe: Spe,
    pub(super) choices: Vec<Choice>,
}

/// The vectors of each SPE by Importance, made when first asked for.
#[derive(Debug)]
pub(super) struct Choices {
    most: usize,
    by_importance: HashMap<Spe, Vec<Choice>>,
}

impl Choices {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            by_importance: HashMap::new(),
        }
    }

    fn by_importance(&mut self, population: &Population, spe: Spe) -> &[Choice] {
        let most = self.most;
        let make = || {
            let mut vectors: Vec<(f64, u32, VectorId)> = population
                .vectors(spe)
                .map(|vector| {
                    let correlation = Correlation::of(population, vector);
                    (correlation.importance(), correlation.passed, vector)
                })
                .collect();
            vectors.sort_by(|a, b| {
                let importance = b.0.total_cmp(&a.0);
                // Where no failed run has either, the more usual one.
                let usual = if a.0 > 0.0 {
                    a.1.cmp(&b.1)
                } else {
                    b.1.cmp(&a.1)
                };
                importance.then(usual).then(a.2.cmp(&b.2))
            });
            vectors.truncate(most);
            let choice = |(importance, _, vector)| Choice {
                vector,
                log: population.witness(vector),
                origin: Origin::Important { importance },
            };
            vectors.into_iter().map(choice).collect()
        };
        self.by_importance.entry(spe).or_insert_with(make)
    }
}

/// The gaps of a base, those filled with most confidence first. The similar at
/// the place `lead` comes before the others.
pub(super) fn gaps(
    population: &Population,
    choices: &mut Choices,
    base: &Base,
    lead: usize,
) -> Vec<Gap> {
    let mut similars: Vec<Similar> = base.similars.clone();
    if let Some(first) = similars.get_mut(..=lead) {
        first.rotate_right(1);
    }
    let mut recorded = population
        .share(base.log)
        .iter()
        .map(|(spe, _)| *spe)
        .peekable();
    let mut gaps = Vec::new();
    for spe in (0..population.spes()).map(Spe) {
        if recorded.next_if_eq(&spe).is_some() {
            continue;
        }
        let from_similars = similars.iter().filter_map(|similar| {
            Some(Choice {
                vector: population.vector(similar.log, spe)?,
                log: similar.log,
                origin: Origin::Similar {
                    similarity: similar.similarity,
                },
            })
        });
        let mut all: Vec<Choice> = Vec::new();
        let important = choices.by_importance(population, spe).iter().copied();
        for choice in from_similars.chain(important) {
            if !all.iter().any(|other| other.vector == choice.vector) {
                all.push(choice);
            }
        }
        all.truncate(choices.most);
        if !all.is_empty() {
            gaps.push(Gap { spe, choices: all });
        }
    }
    // Stable, so that equals stay in the order of their SPEs.
    gaps.sort_by(|a, b| confidence(b).total_cmp(&confidence(a)));
    gaps
}

/// From 1 to 2 for what a similar recorded, below for what is only important.
fn confidence(gap: &Gap) -> f64 {
    match gap.choices.first().map(|choice| choice.origin) {
        Some(Origin::Similar { similarity }) => 1.0 + similarity,
        Some(Origin::Important { importance }) => importance / 2.0,
        Some(Origin::Base) | None => 0.0,
    }
}
