//! The failed logs by Relevance, each with its group of similars.
//!
//! For each log, the vectors it recorded lead through the population's index
//! to the logs that recorded the same ones. The index entries of its most
//! common vectors are left out as long as these together weigh less than the
//! threshold: a log that shares nothing else cannot be similar enough. Of those
//! that may be, only those are compared in full whose equal vectors alone would
//! bring them into the group. The result is exact.
//!
//! With `n` failed logs of `m` SPEs each, a vector that is shared by `h` logs on
//! average costs `n × m × h` steps in the worst case, where no vector is common
//! enough to be left out. The crate's documentation says what that comes to.

use crate::log::Spe;
use crate::metrics::relevance::{Settings, SettingsError, relevance};
use crate::metrics::similarity::Weights;
use crate::population::{LogId, Population, VectorId};

/// A log of a group of similars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similar {
    /// Which.
    pub log: LogId,
    /// How similar it is to the log whose group this is.
    pub similarity: f64,
}

/// A failed log as the base of a merge.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Which.
    pub log: LogId,
    /// Its Relevance.
    pub relevance: f64,
    /// Its group of similars, the most similar first.
    pub similars: Vec<Similar>,
}

/// The failed logs, the most relevant first; among equals, by run id. In the
/// group of similars are at most [`Settings::most_similars`] failed logs whose
/// similarity is at least the threshold, and not 0: the most similar ones,
/// among equals again by run id.
pub fn rank(population: &Population, settings: &Settings) -> Result<Vec<Base>, SettingsError> {
    settings.check()?;
    let mut ranker = Ranker {
        population,
        settings,
        weights: Weights::new(population, settings.similarity),
        equal: vec![0; population.len()],
        touched: Vec::new(),
        seen: vec![u32::MAX; population.spes() as usize],
    };
    let mut bases: Vec<Base> = population
        .failed()
        .iter()
        .map(|&log| ranker.base(log))
        .collect();
    bases.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.log.cmp(&b.log)));
    Ok(bases)
}

struct Ranker<'a> {
    population: &'a Population,
    settings: &'a Settings,
    weights: Weights,
    /// For each log the weight of the equal vectors found so far.
    equal: Vec<u32>,
    /// The logs for which that is not 0.
    touched: Vec<LogId>,
    /// For each SPE the log in whose group it was seen last.
    seen: Vec<u32>,
}

/// How many of the most promising logs are compared first, to know early what
/// is not good enough.
const PROMISING: usize = 16;

impl Ranker<'_> {
    fn base(&mut self, log: LogId) -> Base {
        let similars = self.similars(log);
        let similarities: Vec<f64> = similars.iter().map(|similar| similar.similarity).collect();
        let filled = self.filled(log, &similars);
        let spes = self.population.spes();
        Base {
            log,
            relevance: relevance(self.settings.alpha, filled, spes, &similarities),
            similars,
        }
    }

    /// `#Fill`.
    fn filled(&mut self, log: LogId, similars: &[Similar]) -> u32 {
        let mut filled = 0;
        for member in std::iter::once(log).chain(similars.iter().map(|similar| similar.log)) {
            for (spe, _) in self.population.share(member) {
                let seen = std::mem::replace(&mut self.seen[spe.0 as usize], log.0);
                filled += u32::from(seen != log.0);
            }
        }
        filled
    }

    fn similars(&mut self, log: LogId) -> Vec<Similar> {
        let mut group = Vec::new();
        if self.settings.most_similars == 0 {
            return group;
        }
        let left_out = self.collect(log);
        let mut touched = std::mem::take(&mut self.touched);
        let promising = PROMISING.max(self.settings.most_similars);
        if touched.len() > promising {
            let equal = &self.equal;
            touched.select_nth_unstable_by_key(promising, |other| {
                std::cmp::Reverse(equal[other.0 as usize])
            });
        }
        for other in touched.drain(..) {
            let equal = std::mem::take(&mut self.equal[other.0 as usize]);
            if other != log {
                let most = self.weights.ratio(u64::from(equal) + left_out);
                self.consider(&mut group, log, other, most);
            }
        }
        self.touched = touched;
        group
    }

    /// Adds up the weights of equal vectors for every log that may be similar
    /// enough, and returns the weight of the vectors that were left out of it.
    fn collect(&mut self, log: LogId) -> u64 {
        let population = self.population;
        let mut vectors: Vec<(usize, Spe, VectorId)> = population
            .share(log)
            .iter()
            .map(|&(spe, vector)| (population.holders(vector).len(), spe, vector))
            .collect();
        vectors.sort_unstable();
        let mut rest = vectors.len();
        let mut left_out = 0;
        while let Some((_, spe, _)) = rest.checked_sub(1).and_then(|at| vectors.get(at)) {
            let more = left_out + self.weights.numerator(*spe);
            if self.weights.ratio(more) >= self.settings.threshold {
                break;
            }
            left_out = more;
            rest -= 1;
        }
        let (vectors, rest) = vectors.split_at(rest);
        for &(_, spe, vector) in vectors {
            let weight = self.weights.numerator(spe) as u32;
            for &holder in population.holders(vector) {
                let equal = &mut self.equal[holder.0 as usize];
                if *equal == 0 {
                    self.touched.push(holder);
                }
                *equal += weight;
            }
        }
        // Going through the rest costs its holders, not knowing it costs
        // comparing shares: what is cheaper?
        let holders: usize = rest.iter().map(|(holders, ..)| holders).sum();
        if holders > self.touched.len() * population.share(log).len() {
            return left_out;
        }
        for &(_, spe, vector) in rest {
            let weight = self.weights.numerator(spe) as u32;
            for &holder in population.holders(vector) {
                let equal = &mut self.equal[holder.0 as usize];
                *equal += if *equal == 0 { 0 } else { weight };
            }
        }
        0
    }

    /// Puts `other` into the group if it belongs there. `most` is what its
    /// similarity is at most.
    fn consider(&self, group: &mut Vec<Similar>, log: LogId, other: LogId, most: f64) {
        let full = group.len() >= self.settings.most_similars;
        let worst = group.last().map_or(0.0, |last| last.similarity);
        if most < self.settings.threshold || full && most < worst {
            return;
        }
        let similarity = self.weights.between(self.population, log, other);
        if similarity < self.settings.threshold || similarity <= 0.0 {
            return;
        }
        let before = |member: &Similar| {
            let order = member.similarity.total_cmp(&similarity);
            order.then(other.cmp(&member.log)).is_gt()
        };
        let place = group.partition_point(before);
        let log = other;
        group.insert(place, Similar { log, similarity });
        group.truncate(self.settings.most_similars);
    }
}

#[cfg(test)]
mod tests;
