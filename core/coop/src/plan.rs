//! Who logs what: the ways to hand out shares (section IV-C, where the paper
//! uses the first and names the other two).
//!
//! | plan | each user logs | guaranteed |
//! | --- | --- | --- |
//! | [`random`] | a random share | sizes equal; SPEs covered equally often, ±1 |
//! | [`fixed`] | a common subset and a random rest | two users overlap in the common subset at least; the rest as above |
//! | [`balanced`] | a share that costs as much as the others' | SPEs covered equally often; costs differ by one SPE's at most |
//!
//! The paper decides for each SPE by a throw of the dice, which covers each SPE
//! in the mean only. Here shares are dealt like cards: each user's is as random
//! as before, and with `n` SPEs, `u` users and `m` SPEs each, every SPE is logged
//! by at least `⌊u × m / n⌋` users, which no plan can better.
//!
//! A plan depends on its arguments alone, for ever.

mod balanced;
mod dealt;

use crate::log::{Spe, limits};
pub use balanced::balanced;
pub use dealt::{fixed, random};

/// What each user logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    spes: u32,
    /// For each user the SPEs, ascending.
    shares: Vec<Vec<Spe>>,
}

/// Why there is no such plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// A share that is no part of a whole.
    #[error("the share is {0}; it must be above 0 and at most 1")]
    Share(f64),
    /// Too many SPEs.
    #[error("there are {0} SPEs, more than {most}", most = limits::SPES)]
    Spes(usize),
    /// The common subset is not one.
    #[error("the common subset names SPE {0}, which is there twice or not in the program")]
    Common(u32),
    /// The common subset leaves no room.
    #[error(
        "the common subset has {common} SPEs, and a share has {share}: make the share larger or the subset smaller"
    )]
    CommonTooLarge {
        /// How large the common subset is.
        common: usize,
        /// How large a share is.
        share: usize,
    },
}

impl Plan {
    /// What each user logs, ascending.
    #[must_use]
    pub fn shares(&self) -> &[Vec<Spe>] {
        &self.shares
    }

    /// For each SPE how many users log it.
    #[must_use]
    pub fn coverage(&self) -> Vec<u32> {
        let mut coverage = vec![0; self.spes as usize];
        for spe in self.shares.iter().flatten() {
            coverage[spe.0 as usize] += 1;
        }
        coverage
    }

    /// What each user is expected to log, in accesses, when the program accesses
    /// its SPEs as often as `profile` says. An SPE that the profile does not
    /// have costs nothing.
    #[must_use]
    pub fn costs(&self, profile: &[u64]) -> Vec<u64> {
        let cost = |spe: &Spe| profile.get(spe.0 as usize).copied().unwrap_or(0);
        let sum = |share: &Vec<Spe>| share.iter().map(cost).fold(0, u64::saturating_add);
        self.shares.iter().map(sum).collect()
    }

    fn new(spes: u32, mut shares: Vec<Vec<Spe>>) -> Self {
        for share in &mut shares {
            share.sort_unstable();
        }
        Self { spes, shares }
    }
}

/// How many SPEs a share of the whole is: rounded, but never none.
fn size(spes: u32, share: f64) -> Result<usize, PlanError> {
    if spes > limits::SPES {
        return Err(PlanError::Spes(spes as usize));
    }
    if !(share > 0.0 && share <= 1.0) {
        return Err(PlanError::Share(share));
    }
    let size = (f64::from(spes) * share).round() as u32;
    Ok(size.max(1).min(spes) as usize)
}

#[cfg(test)]
mod tests;
