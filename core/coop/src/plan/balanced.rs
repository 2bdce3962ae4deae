//! Shares that cost about the same.

use super::{Plan, PlanError, size};
use crate::log::{Spe, limits};
use crate::random::Random;

/// Gives each user about the same number of accesses to log, when the program
/// accesses its SPEs as often as `profile` says.
///
/// Each SPE is in `k` shares, `users × share` rounded, at least one; so the mean
/// cost is about that share of all accesses. No two users' costs differ by more
/// than the accesses of the most accessed SPE. (Since a vector is logged whole,
/// an SPE that is most of all accesses is most of somebody's cost.) How *many*
/// SPEs a user logs differs.
///
/// Each SPE goes to the `k` users who have the least to log so far, the most
/// accessed SPE first. That never makes the difference larger than the largest
/// SPE: whoever is given more had less than those who are not.
pub fn balanced(profile: &[u64], users: usize, share: f64, seed: u64) -> Result<Plan, PlanError> {
    let spes = u32::try_from(profile.len()).ok();
    let spes = spes.filter(|&spes| spes <= limits::SPES);
    let spes = spes.ok_or(PlanError::Spes(profile.len()))?;
    size(spes, share)?;
    let times = ((users as f64 * share).round() as usize).max(1).min(users);
    let mut order: Vec<Spe> = (0..spes).map(Spe).collect();
    let mut random = Random::new(seed);
    random.shuffle(&mut order);
    let accesses = |spe: &Spe| profile[spe.0 as usize];
    // Stable, so equals stay shuffled.
    order.sort_by_key(|spe| std::cmp::Reverse(accesses(spe)));
    let mut shares = vec![Vec::new(); users];
    let mut costs = vec![0_u64; users];
    // (cost, number of SPEs, chance): equals are told apart by chance, or else
    // the same users would always log the same SPEs together.
    let mut queue: Vec<(u64, usize, u64, usize)> = Vec::with_capacity(users);
    for spe in order {
        queue.clear();
        queue.extend((0..users).map(|user| (costs[user], shares[user].len(), random.next(), user)));
        if times < users {
            queue.select_nth_unstable(times);
        }
        for &(_, _, _, user) in &queue[..times] {
            costs[user] = costs[user].saturating_add(accesses(&spe));
            shares[user].push(spe);
        }
    }
    Ok(Plan::new(spes, shares))
}
