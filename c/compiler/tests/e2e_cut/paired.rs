//! What two programs that take turns say about each other, whatever else the machine does.

use std::fmt;

/// By how much the second is more than the first: the median of the ratios of neighbours, and
/// between which two it is with a certainty of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paired {
    median: f64,
    low: f64,
    high: f64,
}

impl Paired {
    /// Of the median nothing has to be known but that each ratio is as likely above it as
    /// below: how many are below is a matter of tossing coins.
    pub(crate) fn of(pairs: &[[f64; 2]]) -> Self {
        let mut ratios: Vec<f64> = pairs.iter().map(|[one, other]| other / one).collect();
        ratios.sort_by(f64::total_cmp);
        let rank = rank(ratios.len());
        Self {
            median: ratios[ratios.len() / 2],
            low: ratios[rank],
            high: ratios[ratios.len() - 1 - rank],
        }
    }
}

/// How many of the lowest, and of the highest, of so many can be left out.
fn rank(count: usize) -> usize {
    // The chance that at most so many of all coins show heads.
    let mut one = 0.5_f64.powi(count as i32);
    let (mut sum, mut heads) = (one, 0);
    while sum <= 0.025 {
        heads += 1;
        one *= (count + 1 - heads) as f64 / heads as f64;
        sum += one;
    }
    heads.saturating_sub(1)
}

impl fmt::Display for Paired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, low, high] =
            [self.median, self.low, self.high].map(|ratio| 100.0 * (ratio - 1.0));
        write!(f, "{median:+.1} % ({low:+.1} to {high:+.1})")
    }
}

pub(crate) fn median_of(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// As in tables of the sign test.
#[test]
fn ranks() {
    assert_eq!([5, 6, 9, 15, 20, 31].map(rank), [0, 0, 1, 3, 5, 9]);
}

#[test]
fn neighbours_are_compared() {
    // The machine becomes slower and slower, and the second is a tenth more each time.
    let pairs: Vec<[f64; 2]> = (1..=31)
        .map(|at| [f64::from(at), 1.1 * f64::from(at)])
        .collect();
    assert_eq!(Paired::of(&pairs).to_string(), "+10.0 % (+10.0 to +10.0)");
}
