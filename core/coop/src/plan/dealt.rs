//! Shares dealt like cards from shuffled packs of all SPEs.

use std::collections::VecDeque;

use super::{Plan, PlanError, size};
use crate::log::Spe;
use crate::random::Random;

/// Gives each user a random share of the SPEs.
///
/// Each share has `m`, `spes × share` rounded, SPEs, at least one. Each SPE is in
/// `⌊users × m / spes⌋` shares or in one more.
pub fn random(spes: u32, users: usize, share: f64, seed: u64) -> Result<Plan, PlanError> {
    fixed(spes, users, share, &[], seed)
}

/// Gives each user the `common` SPEs and a random share of the others.
///
/// Each share has `m` SPEs as with [`random`], so any two have at least the
/// `c` common ones in common. Each other SPE is in
/// `⌊users × (m − c) / (spes − c)⌋` shares or in one more.
pub fn fixed(
    spes: u32,
    users: usize,
    share: f64,
    common: &[Spe],
    seed: u64,
) -> Result<Plan, PlanError> {
    let size = size(spes, share)?;
    let mut is_common = vec![false; spes as usize];
    for spe in common {
        match is_common.get_mut(spe.0 as usize) {
            Some(is_common) if !*is_common => *is_common = true,
            _ => return Err(PlanError::Common(spe.0)),
        }
    }
    let Some(rest) = size.checked_sub(common.len()) else {
        return Err(PlanError::CommonTooLarge {
            common: common.len(),
            share: size,
        });
    };
    let others = (0..spes).filter(|&spe| !is_common[spe as usize]);
    let mut dealer = Dealer {
        cards: others.map(Spe).collect(),
        pack: VecDeque::new(),
        random: Random::new(seed),
    };
    let shares = (0..users).map(|_| [common, &dealer.deal(rest)].concat());
    Ok(Plan::new(spes, shares.collect()))
}

struct Dealer {
    cards: Vec<Spe>,
    pack: VecDeque<Spe>,
    random: Random,
}

impl Dealer {
    /// A hand of `count` different cards; there are at least as many.
    ///
    /// A new pack is opened when the old one is used up. Cards of the new one
    /// that the hand has from the old one stay on top for the next: a pack is
    /// used up before another is opened, so all cards are dealt equally often.
    fn deal(&mut self, count: usize) -> Vec<Spe> {
        let mut hand: Vec<Spe> = self.pack.drain(..count.min(self.pack.len())).collect();
        if hand.len() < count {
            self.random.shuffle(&mut self.cards);
            let mut held = hand.clone();
            held.sort_unstable();
            let mut later = Vec::new();
            self.pack.extend(&self.cards);
            while hand.len() < count
                && let Some(card) = self.pack.pop_front()
            {
                if held.binary_search(&card).is_ok() {
                    later.push(card);
                } else {
                    hand.push(card);
                }
            }
            for card in later.into_iter().rev() {
                self.pack.push_front(card);
            }
        }
        hand
    }
}
