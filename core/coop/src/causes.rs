//! What separates failing from passing runs: the likely cause.

use crate::log::Spe;
use crate::metrics::importance::Correlation;
use crate::population::{Population, VectorId};

/// An SPE with the vector that tells most about the failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// The SPE.
    pub spe: Spe,
    /// The vector.
    pub vector: VectorId,
    /// Its counts, from which its Importance follows.
    pub correlation: Correlation,
    /// How much more often runs with this vector failed than all runs that
    /// recorded this SPE: above 0, below 1.
    pub increase: f64,
}

/// The SPEs that have a vector with which runs failed more often than without,
/// each with the most important of them, the most important SPE first.
///
/// Importance alone would not do: an SPE whose vector is always the same has
/// one that is in every failed run. So only vectors count whose Specificity is
/// above that of the SPE as a whole (Liblit's *increase*, from whom the paper
/// takes its scores). Where no run passed, nothing can be said, and there are
/// none.
#[must_use]
pub fn causes(population: &Population) -> Vec<Cause> {
    let mut causes: Vec<Cause> = (0..population.spes())
        .filter_map(|spe| cause(population, Spe(spe)))
        .collect();
    let importance = |cause: &Cause| cause.correlation.importance();
    // Stable, so that equals stay in the order of their SPEs.
    causes.sort_by(|a, b| importance(b).total_cmp(&importance(a)));
    causes
}

fn cause(population: &Population, spe: Spe) -> Option<Cause> {
    let all = population
        .vectors(spe)
        .map(|vector| population.counts(vector));
    let (failed, passed) = all.fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
    let context = Correlation {
        failed,
        passed,
        ..Correlation::default()
    };
    population
        .vectors(spe)
        .map(|vector| {
            let correlation = Correlation::of(population, vector);
            Cause {
                spe,
                vector,
                correlation,
                increase: correlation.specificity() - context.specificity(),
            }
        })
        .filter(|cause| cause.increase > 0.0)
        // The first of equals: the maximum is the last.
        .rev()
        .max_by(|a, b| {
            let importance = |cause: &Cause| cause.correlation.importance();
            importance(a).total_cmp(&importance(b))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::tests::population;

    #[test]
    fn the_vector_that_only_failing_runs_have() {
        // a is always the same; b2 fails, b1 passes; c says a little.
        let logs = ["F a1 b2 c1", "F a1 b2 c2", "P a1 b1 c1", "P a1 b1 c1"];
        let population = population(4, &logs);
        let causes = causes(&population);
        let spes: Vec<u32> = causes.iter().map(|cause| cause.spe.0).collect();
        assert_eq!(spes, [1, 2]);
        assert_eq!(causes[0].correlation.importance(), 1.0);
        assert_eq!(causes[0].increase, 0.5);
        // c2: one of two failures, never in a passing run.
        assert_eq!(causes[1].correlation.importance(), 2.0 / 3.0);
    }

    #[test]
    fn without_passing_runs_nothing_is_said() {
        assert_eq!(causes(&population(2, &["F a1 b1", "F a2 b1"])), []);
    }
}
