//! What makes a merge unlikely to succeed, and what would help.

use crate::log::Spe;
use crate::metrics::relevance::Settings;
use crate::metrics::similarity::Weights;
use crate::population::{LogId, Population};
use crate::ranking::Base;

/// A weakness of a population.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Weakness {
    /// SPEs that nobody logged.
    #[error("{} of the shared elements are in nobody's share and will run free: hand out shares with a plan, or collect more of them", .0.len())]
    NeverRecorded(Vec<Spe>),
    /// There is nothing to compare the only failure with.
    #[error(
        "only one share is of a run that failed in this way: collect more of them, or let each user log a larger share"
    )]
    OneFailure,
    /// No SPE was logged in two failed runs.
    #[error(
        "no two failed runs logged the same element, so nothing tells which of them go together: let all users log a common subset (a fixed plan), or larger shares"
    )]
    NeverOverlap,
    /// No log is large enough for the threshold.
    #[error(
        "two logs must have a similarity of {threshold}, and the shares are so small that it is {most} at most: lower the threshold, use the dispersion-based similarity, or let users log larger shares"
    )]
    OutOfReach {
        /// The threshold.
        threshold: f64,
        /// What the similarity of two failed logs of this size is at most.
        most: f64,
    },
    /// No log has a similar one.
    #[error(
        "no two failed runs are alike by {threshold} or more: lower the threshold, collect more shares, or let users log larger ones"
    )]
    NeverSimilar {
        /// The threshold.
        threshold: f64,
    },
    /// Importance has nothing to tell failed from passed runs by.
    #[error(
        "no run passed, so nothing tells which vectors have to do with the failure: collect shares of passing runs as well"
    )]
    NoPassingRun,
}

/// What is weak about a population that was ranked with these settings. Of the
/// reasons for which no log has similars, the first that holds is named.
#[must_use]
pub fn weaknesses(population: &Population, settings: &Settings, bases: &[Base]) -> Vec<Weakness> {
    let mut weaknesses = Vec::new();
    let unrecorded = population.unrecorded();
    if !unrecorded.is_empty() {
        weaknesses.push(Weakness::NeverRecorded(unrecorded));
    }
    if bases.iter().all(|base| base.similars.is_empty()) {
        weaknesses.push(without_similars(population, settings));
    }
    if population.passed() == 0 {
        weaknesses.push(Weakness::NoPassingRun);
    }
    weaknesses
}

fn without_similars(population: &Population, settings: &Settings) -> Weakness {
    let threshold = settings.threshold;
    if population.failed().len() < 2 {
        return Weakness::OneFailure;
    }
    if !population.overlaps() {
        return Weakness::NeverOverlap;
    }
    // Two logs cannot have more in common than the smaller of them has.
    let weights = Weights::new(population, settings.similarity);
    let own = |&log: &LogId| weights.between(population, log, log);
    let mut own: Vec<f64> = population.failed().iter().map(own).collect();
    own.sort_by(|a, b| b.total_cmp(a));
    match own.get(1) {
        Some(&most) if most < threshold => Weakness::OutOfReach { threshold, most },
        _ => Weakness::NeverSimilar { threshold },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::similarity::Similarity;
    use crate::population::tests::population;
    use crate::ranking::rank;

    fn check(logs: &[&str], expected: &[Weakness]) {
        let population = population(4, logs);
        let settings = Settings::new(Similarity::Plain);
        let bases = rank(&population, &settings).unwrap();
        assert_eq!(weaknesses(&population, &settings, &bases), expected);
    }

    #[test]
    fn each_is_named() {
        let threshold = 0.3;
        check(&["F a1 b1 c1", "F a1 b1 d1", "P a1"], &[]);
        check(&["F a1 b1 c1", "F a1 b1 d1"], &[Weakness::NoPassingRun]);
        let never = Weakness::NeverRecorded(vec![Spe(3)]);
        check(&["F a1 b1 c1", "F a1 b1", "P a1"], &[never]);
        check(&["F a1 b1 c1", "P d1"], &[Weakness::OneFailure]);
        check(&["F a1 b1", "F c1 d1", "P a1"], &[Weakness::NeverOverlap]);
        let most = 0.25;
        let never = Weakness::OutOfReach { threshold, most };
        check(&["F a1", "F a1 b1 c1 d1", "P a1"], &[never]);
        let never = Weakness::NeverSimilar { threshold };
        check(&["F a1 b1 c1", "F a2 b1 d1", "P a1"], &[never]);
    }

    #[test]
    fn the_text_says_what_would_help() {
        let text = Weakness::NeverRecorded(vec![Spe(3)]).to_string();
        assert!(text.starts_with("1 of the shared elements"), "{text}");
        assert!(Weakness::NeverOverlap.to_string().contains("fixed plan"));
    }
}
