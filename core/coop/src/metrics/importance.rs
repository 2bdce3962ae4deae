//! How much a vector has to do with the failure (section IV-F).

use crate::population::{Population, VectorId};

/// The counts that the three metrics are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Correlation {
    /// `F(v)`: the failed logs that recorded the vector.
    pub failed: u32,
    /// `S(v)`: the successful logs that recorded it.
    pub passed: u32,
    /// `Ftotal`: all failed logs.
    pub all_failed: u32,
}

impl Correlation {
    /// The counts of a vector.
    #[must_use]
    pub fn of(population: &Population, vector: VectorId) -> Self {
        let (failed, passed) = population.counts(vector);
        Self {
            failed,
            passed,
            all_failed: population.failed().len() as u32,
        }
    }

    /// How many of the failures the vector accounts for:
    ///
    /// ```text
    /// Sensitivity(v) = F(v) / Ftotal
    /// ```
    /// Within [0, 1]; 0 where nothing failed. `Ftotal` counts failed logs that
    /// did not have the SPE in their share as well, so with random shares it is
    /// about the share at most.
    #[must_use]
    pub fn sensitivity(&self) -> f64 {
        ratio(self.failed, self.all_failed.into())
    }

    /// How many of the runs with this vector failed:
    ///
    /// ```text
    /// Specificity(v) = F(v) / (S(v) + F(v))
    /// ```
    /// Within [0, 1]; 0 for a vector that nobody recorded.
    #[must_use]
    pub fn specificity(&self) -> f64 {
        ratio(self.failed, u64::from(self.failed) + u64::from(self.passed))
    }

    /// The harmonic mean of the two:
    ///
    /// ```text
    /// Importance(v) = 2 / (1 / Sensitivity(v) + 1 / Specificity(v))
    /// ```
    /// Within [0, 1], and between the two; 0 where no failed log has it.
    #[must_use]
    pub fn importance(&self) -> f64 {
        // 2ab / (a + b) with a = F / T and b = F / (F + S), without the
        // divisions by 0: 2F / (T + F + S).
        let below = u64::from(self.all_failed) + u64::from(self.failed) + u64::from(self.passed);
        2.0 * ratio(self.failed, below)
    }
}

fn ratio(part: u32, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    f64::from(part) / whole as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::population::tests::population;

    #[test]
    fn by_hand() {
        // Four failed, of which three recorded a1; one of two passed did.
        let population = population(2, &["F a1", "F a1", "F a1", "F b1", "P a1", "P a2 b1"]);
        let found = Correlation::of(&population, VectorId(0));
        let expected = Correlation {
            failed: 3,
            passed: 1,
            all_failed: 4,
        };
        assert_eq!(found, expected);
        assert_eq!(found.sensitivity(), 3.0 / 4.0);
        assert_eq!(found.specificity(), 3.0 / 4.0);
        assert_eq!(found.importance(), 3.0 / 4.0);
        // a2 only passed.
        let found = Correlation::of(&population, VectorId(1));
        assert_eq!(found.sensitivity(), 0.0);
        assert_eq!(found.specificity(), 0.0);
        assert_eq!(found.importance(), 0.0);
        // b1: 1 of 4, and 1 of 2: 2 / (4 + 2).
        let found = Correlation::of(&population, VectorId(2));
        assert_eq!(found.sensitivity(), 1.0 / 4.0);
        assert_eq!(found.specificity(), 1.0 / 2.0);
        assert_eq!(found.importance(), 1.0 / 3.0);
    }

    #[test]
    fn nothing_recorded_is_not_important() {
        let none = Correlation {
            failed: 0,
            passed: 0,
            all_failed: 0,
        };
        assert_eq!(none.sensitivity(), 0.0);
        assert_eq!(none.specificity(), 0.0);
        assert_eq!(none.importance(), 0.0);
    }

    proptest! {
        #[test]
        fn importance_is_the_harmonic_mean(failed in 1..1000_u32, passed in 0..1000_u32, more in 0..1000_u32) {
            let all_failed = failed + more;
            let found = Correlation { failed, passed, all_failed };
            let (a, b) = (found.sensitivity(), found.specificity());
            let mean = 2.0 / (1.0 / a + 1.0 / b);
            prop_assert!((found.importance() - mean).abs() < 1e-12);
            prop_assert!(found.importance() >= a.min(b) - 1e-12);
            prop_assert!(found.importance() <= a.max(b) + 1e-12);
        }

        #[test]
        fn all_are_between_0_and_1(failed: u32, passed: u32, more: u32) {
            let all_failed = failed.saturating_add(more);
            let found = Correlation { failed, passed, all_failed };
            for value in [found.sensitivity(), found.specificity(), found.importance()] {
                prop_assert!((0.0..=1.0).contains(&value));
            }
        }

        #[test]
        fn more_failures_and_fewer_passes_never_matter_less(failed in 0..1000_u32, passed in 1..1000_u32) {
            let all_failed = 1001;
            let importance = |failed, passed| Correlation { failed, passed, all_failed }.importance();
            prop_assert!(importance(failed + 1, passed) > importance(failed, passed));
            prop_assert!(importance(failed, passed - 1) >= importance(failed, passed));
        }
    }
}
