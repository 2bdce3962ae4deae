//! The search for a complete log that fails: candidates, the most promising
//! first, each to be replayed by the caller, who says what went wrong.
//!
//! A candidate begins with a *base*, a failed log with all its vectors. Each
//! SPE that it lacks is a *gap*, and for each gap there are *choices*, in this
//! order:
//!
//! 1. the vectors of the base's similars, the most similar first;
//! 2. the vectors that anybody recorded, by Importance; those that no failed
//!    run has come last, the most usual first.
//!
//! Candidates come in this order:
//!
//! 1. **first choices**: for each base, by Relevance, its gaps with their first
//!    choices;
//! 2. **alone**: each base with nothing in its gaps, since what was put there may be
//!    what is wrong, and the base may be enough;
//! 3. **retries**: for each base again what is left of its choices. When a clash was
//!    learnt, the same base comes once more, up to [`Limits::retries`] times, before
//!    the next;
//! 4. **other leads**: for each base again, with its second similar before the
//!    first, then with its third, and so on: vectors of one run go together, so
//!    whole logs are exchanged before single vectors;
//! 5. **left free**: for each base again, where clashes leave no choice for a
//!    gap, with nothing there: the program orders these accesses by itself.
//!    What explains the failure may well be among the rest;
//! 6. **again**: those of them in which something runs free, with other
//!    [orders](Candidate::order) of that, [`Limits::orders`] times;
//! 7. **other choices**: for each base in turn, one gap with its second choice,
//!    then two gaps or a third choice, and so on. The gaps that were filled with
//!    the least confidence change first: those filled by Importance, the least
//!    important first, then those filled from similars, the least similar first;
//! 8. **doubts**: all of it once more, with what was only suspected.
//!
//! No candidate comes twice. A [clash](Search::learn) is a set of vectors that
//! cannot be replayed together; while gaps are filled, a choice that would
//! complete one is passed over, and no candidate contains one. What is only
//! [suspected](Search::suspect) to be one is passed over as well, until nothing
//! else is left. The order depends on nothing but the population, the settings
//! and what was learnt.

mod candidate;
mod clashes;
mod gaps;
mod limits;
mod position;
mod variations;

use std::collections::HashSet;

use crate::log::Spe;
use crate::metrics::relevance::{Settings, SettingsError};
use crate::population::{Population, VectorId};
use crate::ranking::{Base, rank};
pub use candidate::{AssembleError, Candidate, Origin, Part, Stage};
use clashes::Clashes;
use gaps::{Choice, Choices, Gap};
pub use limits::{Ended, Limits};
use position::{Position, Turns};
use variations::Variations;

/// The search: an iterator of candidates.
#[derive(Debug)]
pub struct Search<'a> {
    population: &'a Population,
    limits: Limits,
    bases: Vec<Base>,
    choices: Choices,
    /// What cannot be replayed together, and what probably cannot.
    proven: Clashes,
    suspected: Clashes,
    /// What was only suspected does not count any more.
    doubts: bool,
    /// What was a candidate already.
    tried: HashSet<[u8; 16]>,
    /// The candidates in which something runs free.
    open: Vec<Candidate>,
    missing: Vec<Spe>,
    attempts: usize,
    combinations: usize,
    position: Position,
    ended: Option<Ended>,
}

impl<'a> Search<'a> {
    /// Ranks the failed logs, and begins.
    pub fn new(
        population: &'a Population,
        settings: &Settings,
        limits: Limits,
    ) -> Result<Self, SettingsError> {
        Ok(Self {
            population,
            limits,
            bases: rank(population, settings)?,
            choices: Choices::new(limits.choices),
            proven: Clashes::default(),
            suspected: Clashes::default(),
            doubts: false,
            tried: HashSet::new(),
            open: Vec::new(),
            missing: population.unrecorded(),
            attempts: 0,
            combinations: 0,
            position: Position::First(0),
            ended: None,
        })
    }

    /// The bases, by Relevance.
    #[must_use]
    pub fn bases(&self) -> &[Base] {
        &self.bases
    }

    /// Why there are no more candidates; `None` while there may be.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Learns that the vectors of these SPEs cannot be replayed together: no
    /// candidate will have all of them again. It is up to the caller that this
    /// follows from these vectors alone; a clash that is stated too broadly
    /// loses nothing, one that names too few SPEs loses candidates. Returns
    /// whether that was news.
    pub fn learn(&mut self, candidate: &Candidate, clash: &[Spe]) -> bool {
        let clash = vectors(candidate, clash);
        self.suspected.add(clash.clone());
        self.proven.add(clash)
    }

    /// Learns that these vectors probably cannot be replayed together: as long as there are
    /// others, no candidate has all of them. Returns whether that was news.
    pub fn suspect(&mut self, candidate: &Candidate, clash: &[Spe]) -> bool {
        self.suspected.add(vectors(candidate, clash))
    }

    /// How many clashes are known, or suspected.
    #[must_use]
    pub fn learnt(&self) -> usize {
        self.suspected.len()
    }

    fn clashes(&self) -> &Clashes {
        match self.doubts {
            true => &self.proven,
            false => &self.suspected,
        }
    }

    /// The next combination that may be a candidate, or why there is none.
    fn advance(&mut self) -> Result<Option<Candidate>, Ended> {
        if self.attempts >= self.limits.attempts {
            return Err(Ended::Attempts);
        }
        if self.combinations >= self.limits.combinations {
            return Err(Ended::Combinations);
        }
        match &mut self.position {
            Position::First(base) => {
                let at = *base;
                if at >= self.bases.len() {
                    self.position = Position::Alone(0);
                    return Ok(None);
                }
                *base += 1;
                Ok(self.combine(at, 0, Stage::First, &[]))
            }
            Position::Retry(turns) => {
                if turns.base >= self.bases.len() {
                    self.position = Position::Lead { base: 0, lead: 1 };
                    return Ok(None);
                }
                let turn = turns.next(self.suspected.len(), self.limits.retries);
                Ok(turn
                    .and_then(|(base, retry)| self.combine(base, 0, Stage::Retry(retry + 1), &[])))
            }
            Position::Free(turns) => {
                if turns.base >= self.bases.len() {
                    self.position = Position::Again { order: 1, at: 0 };
                    return Ok(None);
                }
                let turn = turns.next(self.suspected.len(), self.limits.retries);
                Ok(turn.and_then(|(base, _)| self.combine(base, 0, Stage::Free, &[])))
            }
            Position::Alone(base) => {
                let at = *base;
                if at >= self.bases.len() {
                    self.position = Position::Retry(Turns::default());
                    return Ok(None);
                }
                *base += 1;
                Ok(self.combine(at, 0, Stage::Alone, &[]))
            }
            Position::Again { order, at } => {
                if *order > self.limits.orders {
                    self.position = Position::other();
                    return Ok(None);
                }
                let (now, of) = (*order, *at);
                let Some(candidate) = self.open.get(of).cloned() else {
                    (*order, *at) = (now + 1, 0);
                    return Ok(None);
                };
                *at += 1;
                Ok(self.again(candidate, now))
            }
            Position::Lead { base, lead } => {
                let (at, now) = (*base, *lead);
                if at >= self.bases.len() {
                    self.position = Position::Free(Turns::default());
                    return Ok(None);
                }
                if now >= self.bases[at].similars.len() {
                    (*base, *lead) = (at + 1, 1);
                    return Ok(None);
                }
                *lead += 1;
                Ok(self.combine(at, now, Stage::Lead(now), &[]))
            }
            Position::Other { .. } => self.advance_variations(),
        }
    }

    fn advance_variations(&mut self) -> Result<Option<Candidate>, Ended> {
        let Position::Other {
            base,
            variations,
            any_left,
        } = &mut self.position
        else {
            return Ok(None);
        };
        let at = *base;
        if at >= self.bases.len() {
            if !std::mem::take(any_left) {
                if self.doubts || self.suspected.len() == self.proven.len() {
                    return Err(Ended::Exhausted);
                }
                self.doubts = true;
                self.position = Position::First(0);
                return Ok(None);
            }
            *base = 0;
            return Ok(None);
        }
        *base += 1;
        if at >= variations.len() {
            let gaps = gaps::gaps(self.population, &mut self.choices, &self.bases[at], 0);
            // The gap that was filled last, with the least confidence, first.
            let counts = gaps.iter().rev().map(|gap| gap.choices.len());
            variations.push(Some(Variations::new(counts.collect())));
        }
        let Some(next) = variations[at].as_mut().and_then(Iterator::next) else {
            variations[at] = None;
            return Ok(None);
        };
        *any_left = true;
        Ok(self.combine(at, 0, Stage::Other, &next))
    }

    /// Fills the gaps of a base. `ranks` says for which gaps, counted from the
    /// one with the least confidence, which choice is wanted.
    fn combine(
        &mut self,
        base: usize,
        lead: usize,
        stage: Stage,
        ranks: &[(usize, usize)],
    ) -> Option<Candidate> {
        self.combinations += 1;
        let base = &self.bases[base];
        let gaps = gaps::gaps(self.population, &mut self.choices, base, lead);
        let mut chosen = vec![None; self.population.spes() as usize];
        let mut parts = Vec::with_capacity(chosen.len());
        let mut free = Vec::new();
        for &(spe, vector) in self.population.share(base.log) {
            if self.clashes().completes(vector, &chosen) {
                return None;
            }
            chosen[spe.0 as usize] = Some(vector);
            let (log, origin) = (base.log, Origin::Base);
            parts.push(Part {
                spe,
                vector,
                log,
                origin,
            });
        }
        for (at, gap) in gaps.iter().enumerate() {
            if stage == Stage::Alone {
                free.push(gap.spe);
                continue;
            }
            let wanted = ranks.iter().find(|(gap, _)| *gap == gaps.len() - 1 - at);
            let choice = self.choose(gap, wanted.map(|(_, rank)| *rank), &chosen);
            let Some(choice) = choice else {
                if stage != Stage::Free {
                    return None;
                }
                free.push(gap.spe);
                continue;
            };
            chosen[gap.spe.0 as usize] = Some(choice.vector);
            parts.push(Part {
                spe: gap.spe,
                vector: choice.vector,
                log: choice.log,
                origin: choice.origin,
            });
        }
        parts.sort_unstable_by_key(|part| part.spe);
        free.sort_unstable();
        if !self.tried.insert(name(&parts, 0)) {
            return None;
        }
        self.attempts += 1;
        let candidate = Candidate {
            number: self.attempts,
            base: base.log,
            relevance: base.relevance,
            stage,
            parts,
            missing: self.missing.clone(),
            free,
            order: 0,
        };
        if !candidate.missing.is_empty() || !candidate.free.is_empty() {
            self.open.push(candidate.clone());
        }
        Some(candidate)
    }

    /// A candidate again, with another order of what runs free in it.
    fn again(&mut self, mut candidate: Candidate, order: u32) -> Option<Candidate> {
        self.combinations += 1;
        let mut chosen = vec![None; self.population.spes() as usize];
        for part in &candidate.parts {
            if self.proven.completes(part.vector, &chosen) {
                return None;
            }
            chosen[part.spe.0 as usize] = Some(part.vector);
        }
        if !self.tried.insert(name(&candidate.parts, order)) {
            return None;
        }
        self.attempts += 1;
        candidate.number = self.attempts;
        candidate.stage = Stage::Again(order);
        candidate.order = order;
        Some(candidate)
    }

    /// The wanted choice, or else the first, that completes no clash.
    fn choose<'g>(
        &self,
        gap: &'g Gap,
        wanted: Option<usize>,
        chosen: &[Option<VectorId>],
    ) -> Option<&'g Choice> {
        let fits = |choice: &&Choice| !self.clashes().completes(choice.vector, chosen);
        match wanted {
            Some(rank) => gap.choices.get(rank).filter(fits),
            None => gap.choices.iter().find(fits),
        }
    }
}

impl Iterator for Search<'_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        while self.ended.is_none() {
            match self.advance() {
                Ok(Some(candidate)) => return Some(candidate),
                Ok(None) => {}
                Err(ended) => self.ended = Some(ended),
            }
        }
        None
    }
}

/// The vectors that a candidate has for some SPEs.
fn vectors(candidate: &Candidate, spes: &[Spe]) -> Vec<(Spe, VectorId)> {
    let parts = candidate.parts.iter();
    let parts = parts.filter(|part| spes.contains(&part.spe));
    parts.map(|part| (part.spe, part.vector)).collect()
}

/// What tells one combination from another.
fn name(parts: &[Part], order: u32) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&order.to_le_bytes());
    for part in parts {
        hasher.update(&part.vector.0.to_le_bytes());
    }
    let mut name = [0; 16];
    hasher.finalize_xof().fill(&mut name);
    name
}

#[cfg(test)]
mod tests;
