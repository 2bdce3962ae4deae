//! How well a log can be completed (section IV-E.2).

use super::similarity::Similarity;

/// The parameters of the ranking. The defaults are the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which similarity to use.
    pub similarity: Similarity,
    /// α: how much completeness counts against similarity, above 0 and below 1.
    pub alpha: f64,
    /// `max(#Sim)`: how many logs a group of similars has at most.
    pub most_similars: usize,
    /// How similar a log must be to belong to the group, from 0 to 1.
    pub threshold: f64,
}

/// A parameter that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// α.
    #[error("alpha is {0}; it must be above 0 and below 1")]
    Alpha(f64),
    /// The threshold.
    #[error("the threshold of similarity is {0}; it must be between 0 and 1")]
    Threshold(f64),
}

impl Settings {
    /// What the paper found to be good values: α = 0.7, at most 5 similars, and
    /// a threshold of 0.3 for PSIM and of 0.01 for DSIM, whose weights can be
    /// very low.
    #[must_use]
    pub fn new(similarity: Similarity) -> Self {
        Self {
            similarity,
            alpha: 0.7,
            most_similars: 5,
            threshold: match similarity {
                Similarity::Plain => 0.3,
                Similarity::Dispersion => 0.01,
            },
        }
    }

    /// Whether each parameter is in its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        // Written so that a value that is no number is out of range.
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Err(SettingsError::Alpha(self.alpha));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(SettingsError::Threshold(self.threshold));
        }
        Ok(())
    }
}

/// How likely it is that a log can be completed with what goes with it:
///
/// ```text
///                       #Fill                Σ Similarity(l0, ln)
/// Relevance(l0) = α × ───────── + (1 − α) × ──────────────────────           (3)
///                        #S                         #Sim
/// ```
/// `filled` is `#Fill`, the number of SPEs that the log or one of its similars
/// recorded; the sum is over its group of similars `Sim`. Within [0, 1]. Where
/// there are no similars the second part is 0, and so is the first where the
/// program has no SPEs.
#[must_use]
pub fn relevance(alpha: f64, filled: u32, spes: u32, similarities: &[f64]) -> f64 {
    let completeness = match spes {
        0 => 0.0,
        _ => f64::from(filled) / f64::from(spes),
    };
    let compatibility = match similarities.len() {
        0 => 0.0,
        count => similarities.iter().sum::<f64>() / count as f64,
    };
    alpha * completeness + (1.0 - alpha) * compatibility
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        // 8 of 10 SPEs; similars 0.5 and 0.3.
        let found = relevance(0.7, 8, 10, &[0.5, 0.3]);
        assert!((found - (0.7 * 0.8 + 0.3 * 0.4)).abs() < 1e-12);
    }

    #[test]
    fn alone_only_completeness_counts() {
        assert_eq!(relevance(0.7, 5, 10, &[]), 0.7 * 0.5);
        assert_eq!(relevance(0.7, 0, 0, &[]), 0.0);
    }

    #[test]
    fn parameters_have_their_ranges() {
        let settings = Settings::new(Similarity::Plain);
        assert_eq!(settings.check(), Ok(()));
        let with = |alpha, threshold| {
            Settings {
                alpha,
                threshold,
                ..settings
            }
            .check()
            .is_ok()
        };
        assert!(with(0.5, 0.0) && with(0.5, 1.0));
        assert!(!with(0.0, 0.3) && !with(1.0, 0.3) && !with(f64::NAN, 0.3));
        assert!(!with(0.5, -0.1) && !with(0.5, 1.1) && !with(0.5, f64::NAN));
    }

    proptest! {
        #[test]
        fn between_0_and_1(
            alpha in 0.001..0.999, filled in 0..=100_u32,
            similarities in proptest::collection::vec(0.0..=1.0, 0..6),
        ) {
            let found = relevance(alpha, filled, 100, &similarities);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&found));
        }

        #[test]
        fn it_grows_with_what_is_filled(alpha in 0.001..0.999, filled in 0..100_u32, similarity in 0.0..=1.0) {
            let found = |filled| relevance(alpha, filled, 100, &[similarity]);
            prop_assert!(found(filled + 1) > found(filled));
        }
    }
}
