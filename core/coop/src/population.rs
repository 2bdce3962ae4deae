//! The collected logs, as the statistics see them: numbers instead of hashes,
//! and an index from each vector to the failed logs that recorded it.
//!
//! The order in which logs arrive makes no difference: they are numbered in
//! the order of their run ids, vectors in the order of SPE and hash.

mod intake;

use crate::log::{Failure, Program, RunId, Spe};
pub use intake::{Refusal, Refused, Unusable};

/// A log, by its place in the population.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId(pub(crate) u32);

/// A different access vector of one SPE: an element of `AV`, the paper's set of
/// all hashes that were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorId(pub(crate) u32);

/// How a log counts for the failure that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It failed in that way.
    Failed,
    /// It did not fail.
    Passed,
    /// It failed in another way: it says which vectors there are, but neither
    /// for nor against this failure.
    FailedOtherwise,
}

#[derive(Debug)]
struct Log {
    run: RunId,
    role: Role,
    /// Where its entries begin.
    start: usize,
}

/// The logs of one program and one failure.
#[derive(Debug)]
pub struct Population {
    program: Program,
    failure: Failure,
    logs: Vec<Log>,
    /// For each log its SPEs, ascending, with their vectors.
    entries: Vec<(Spe, VectorId)>,
    /// For each SPE the number of its first vector; one more at the end.
    first: Vec<u32>,
    /// For each vector how many failed and how many passed logs recorded it.
    counts: Vec<(u32, u32)>,
    /// For each vector where its holders begin; one more at the end.
    holder_starts: Vec<u32>,
    /// The failed logs that recorded a vector, ascending.
    holders: Vec<LogId>,
    /// For each vector a log that recorded it, a failed one if there is one.
    witnesses: Vec<LogId>,
    failed: Vec<LogId>,
    passed: u32,
}

impl Population {
    /// The program that all logs are of.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The failure that is looked at.
    #[must_use]
    pub fn failure(&self) -> &Failure {
        &self.failure
    }

    /// `#S`: how many SPEs the program has.
    #[must_use]
    pub fn spes(&self) -> u32 {
        self.program.spes
    }

    /// How many logs there are, of every outcome.
    #[must_use]
    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Whether there is no log; there never is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// The logs that failed in the way that is looked at. `Ftotal` is their
    /// number.
    #[must_use]
    pub fn failed(&self) -> &[LogId] {
        &self.failed
    }

    /// How many logs passed.
    #[must_use]
    pub fn passed(&self) -> u32 {
        self.passed
    }

    /// Which run a log is of.
    #[must_use]
    pub fn run(&self, log: LogId) -> RunId {
        self.logs[log.0 as usize].run
    }

    /// How a log counts.
    #[must_use]
    pub fn role(&self, log: LogId) -> Role {
        self.logs[log.0 as usize].role
    }

    /// All logs.
    pub fn logs(&self) -> impl ExactSizeIterator<Item = LogId> + use<> {
        (0..self.logs.len() as u32).map(LogId)
    }

    /// `S_l` with `avec_l`: the SPEs of a log with their vectors, ascending.
    #[must_use]
    pub fn share(&self, log: LogId) -> &[(Spe, VectorId)] {
        let at = log.0 as usize;
        let end = self
            .logs
            .get(at + 1)
            .map_or(self.entries.len(), |l| l.start);
        &self.entries[self.logs[at].start..end]
    }

    /// `avecs(s)`: the different vectors that were recorded for an SPE.
    pub fn vectors(
        &self,
        spe: Spe,
    ) -> impl ExactSizeIterator<Item = VectorId> + DoubleEndedIterator + use<> {
        let at = spe.0 as usize;
        (self.first[at]..self.first[at + 1]).map(VectorId)
    }

    /// `#AV`: how many different vectors there are.
    #[must_use]
    pub fn vector_count(&self) -> u32 {
        self.counts.len() as u32
    }

    /// The SPE that a vector is of.
    #[must_use]
    pub fn spe(&self, vector: VectorId) -> Spe {
        let after = self.first.partition_point(|&first| first <= vector.0);
        Spe(after as u32 - 1)
    }

    /// The failed logs that recorded a vector, ascending.
    #[must_use]
    pub fn holders(&self, vector: VectorId) -> &[LogId] {
        let at = vector.0 as usize;
        let (start, end) = (self.holder_starts[at], self.holder_starts[at + 1]);
        &self.holders[start as usize..end as usize]
    }

    /// A log that recorded a vector: a failed one if there is one.
    #[must_use]
    pub fn witness(&self, vector: VectorId) -> LogId {
        self.witnesses[vector.0 as usize]
    }

    /// The vector that a log recorded for an SPE.
    #[must_use]
    pub fn vector(&self, log: LogId, spe: Spe) -> Option<VectorId> {
        let share = self.share(log);
        let at = share.binary_search_by_key(&spe, |(spe, _)| *spe).ok()?;
        share.get(at).map(|(_, vector)| *vector)
    }

    /// `F(v)` and `S(v)`: how many failed and passed logs recorded a vector.
    #[must_use]
    pub fn counts(&self, vector: VectorId) -> (u32, u32) {
        self.counts[vector.0 as usize]
    }

    /// The SPEs that no log recorded. Nothing can fill them.
    #[must_use]
    pub fn unrecorded(&self) -> Vec<Spe> {
        let spes = (0..self.spes()).map(Spe);
        spes.filter(|&spe| self.vectors(spe).len() == 0).collect()
    }

    /// Whether there is an SPE that two failed logs recorded. Where there is
    /// none, nothing can be said about which logs go together.
    #[must_use]
    pub fn overlaps(&self) -> bool {
        let mut seen = vec![false; self.spes() as usize];
        let shares = self.failed.iter().flat_map(|&log| self.share(log));
        shares
            .into_iter()
            .any(|(spe, _)| std::mem::replace(&mut seen[spe.0 as usize], true))
    }
}

#[cfg(test)]
pub(crate) mod tests;
