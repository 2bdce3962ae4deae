//! A combination of vectors to replay, and where each of them came from.

use std::collections::BTreeMap;

use crate::log::thread::{Birth, ThreadError, ThreadId, ThreadKey, ThreadMap};
use crate::log::vector::AccessVector;
use crate::log::{LogError, Outcome, PartialLog, RunId, Spe};
use crate::population::{LogId, Population, VectorId};

/// Why a vector was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// The base recorded it.
    Base,
    /// A similar of the base recorded it.
    Similar {
        /// How similar that log is to the base.
        similarity: f64,
    },
    /// It has to do with the failure.
    Important {
        /// How much; 0 for a vector that no failed run has.
        importance: f64,
    },
}

/// A vector of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Of which SPE.
    pub spe: Spe,
    /// Which.
    pub vector: VectorId,
    /// The log to take it from.
    pub log: LogId,
    /// Why it was chosen.
    pub origin: Origin,
}

/// In which part of the search a candidate came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The first choices for a base.
    First,
    /// The same base again, after something was learnt: how often.
    Retry(usize),
    /// Another similar before the others: its place in the group.
    Lead(usize),
    /// Gaps for which clashes leave no choice stay empty.
    Free,
    /// All gaps stay empty.
    Alone,
    /// The same as before, with another order of what runs free: which.
    Again(u32),
    /// Other choices for some gaps.
    Other,
}

/// A complete log to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The first is 1.
    pub number: usize,
    /// The log that it is built on.
    pub base: LogId,
    /// Its Relevance.
    pub relevance: f64,
    /// How it came up.
    pub stage: Stage,
    /// The vectors, by SPE.
    pub parts: Vec<Part>,
    /// SPEs that nobody recorded: they run free.
    pub missing: Vec<Spe>,
    /// SPEs of which no vector goes together with the others: they run free, too.
    pub free: Vec<Spe>,
    /// In which order what runs free does so: 0 is the usual one, others are chosen by chance
    /// that depends on this number.
    pub order: u32,
}

/// Why the vectors of a candidate cannot be put into one log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// A log is not at hand.
    #[error("the share of the run {} is not at hand", hex(.0))]
    NoLog(RunId),
    /// A log does not have what its summary said.
    #[error("the share of the run {} has no vector for SPE {}", hex(.run), spe.0)]
    NoVector {
        /// Which log.
        run: RunId,
        /// Which SPE.
        spe: Spe,
    },
    /// Together there are too many threads.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// A log is not of this program.
    #[error(transparent)]
    Log(#[from] LogError),
}

fn hex(run: &RunId) -> String {
    run.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Candidate {
    /// Puts the vectors into one log with one thread map. `log` hands out the
    /// partial log of a run. The result carries the run id of the base and the
    /// failure that is looked for.
    pub fn assemble<'l>(
        &self,
        population: &Population,
        mut log: impl FnMut(RunId) -> Option<&'l PartialLog>,
    ) -> Result<PartialLog, AssembleError> {
        let mut threads = Union::default();
        let mut vectors = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let run = population.run(part.log);
            let source = log(run).ok_or(AssembleError::NoLog(run))?;
            let spe = part.spe;
            let vector = source.vector(spe);
            let vector = vector.ok_or(AssembleError::NoVector { run, spe })?;
            let renamed = threads.rename(vector, source.threads())?;
            vectors.push((spe, renamed));
        }
        let mut complete = PartialLog::new(
            population.program().clone(),
            population.run(self.base),
            Outcome::Failed(population.failure().clone()),
            threads.map,
        );
        for (spe, vector) in vectors {
            complete.insert(spe, vector)?;
        }
        Ok(complete)
    }
}

/// The threads of several logs.
#[derive(Default)]
struct Union {
    map: ThreadMap,
    known: BTreeMap<ThreadKey, ThreadId>,
}

impl Union {
    /// A vector in terms of this map.
    fn rename(
        &mut self,
        vector: &AccessVector,
        threads: &ThreadMap,
    ) -> Result<AccessVector, ThreadError> {
        let mut renamed = AccessVector::default();
        for stretch in vector.stretches() {
            let thread = self.add(stretch.thread, threads)?;
            // It is as long as the vector it is made of, so it fits.
            let _ = renamed.push(thread, stretch.count);
        }
        Ok(renamed)
    }

    /// Adds a thread with its parents.
    fn add(&mut self, thread: ThreadId, threads: &ThreadMap) -> Result<ThreadId, ThreadError> {
        let mut line = Vec::new();
        let mut next = Some(thread);
        let mut known = None;
        while let Some(thread) = next {
            let (Some(key), Some(birth)) =
                (threads.key(thread), threads.births().get(thread.0 as usize))
            else {
                let (thread, parent) = (threads.len(), thread.0);
                return Err(ThreadError::Parent { thread, parent });
            };
            known = self.known.get(key).copied();
            if known.is_some() {
                break;
            }
            line.push((*key, birth.order));
            next = birth.parent;
        }
        for (key, order) in line.into_iter().rev() {
            let parent = known;
            let thread = self.map.add(Birth { parent, order })?;
            self.known.insert(key, thread);
            known = Some(thread);
        }
        // A thread that is in its own log's map is in this one by now.
        known.ok_or(ThreadError::TooMany)
    }
}
