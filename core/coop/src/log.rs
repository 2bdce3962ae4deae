//! What one user's run leaves behind: a *partial log*, the access vectors of
//! the shared program elements in that user's share.
//!
//! | what | where |
//! | --- | --- |
//! | threads that are the same in every run | [`thread`] |
//! | access vectors and their hashes | [`vector`] |
//! | bytes ↔ log, drawn | [`wire`] |
//! | how long anything may be | [`limits`] |

#![deny(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]

pub mod limits;
pub mod thread;
pub mod vector;
pub mod wire;

use std::collections::BTreeMap;

use thread::ThreadMap;
use vector::AccessVector;

/// A shared program element: its place in the list that the static pass makes
/// of a program's fields, arrays and monitors. The list belongs to a
/// [`Program`], so the number means the same in all its logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spe(pub u32);

/// The hash of an access vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 16]);

/// What identifies a run among all users' runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub [u8; 16]);

/// Which program ran, in which version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Program {
    /// Its name, for people and to tell another program from another version.
    pub name: String,
    /// A hash of its code; logs of different code are not comparable.
    pub version: [u8; 16],
    /// How many shared program elements it has: `#S` in the paper.
    pub spes: u32,
}

/// What failed. Two runs failed alike when these are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// Its kind: an exception's class, or the user's condition.
    pub what: String,
    /// Where it happened.
    pub place: String,
}

/// How a run ended. The paper has one bit for this; with more than one bug
/// about, a bit is not enough.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It did what it should.
    Passed,
    /// It failed.
    Failed(Failure),
}

/// A partial log without its vectors: all that the statistics look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What ran.
    pub program: Program,
    /// Which run it was.
    pub run: RunId,
    /// How it ended.
    pub outcome: Outcome,
    /// The SPEs in the share with the hashes of their vectors, ascending.
    pub share: Vec<(Spe, Fingerprint)>,
}

/// The access vectors that one run of one user recorded.
///
/// An SPE that was in the share and was never accessed has an empty vector,
/// which is something else than an SPE that was not in the share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialLog {
    program: Program,
    run: RunId,
    outcome: Outcome,
    threads: ThreadMap,
    vectors: BTreeMap<Spe, (AccessVector, Fingerprint)>,
}

/// Why a vector cannot be part of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The program has no such SPE.
    #[error("there is no SPE {spe} in a program that has {spes}")]
    NoSpe {
        /// The SPE.
        spe: u32,
        /// How many there are.
        spes: u32,
    },
    /// There is a vector already.
    #[error("SPE {spe} has two vectors")]
    Twice {
        /// The SPE.
        spe: u32,
    },
    /// It names a thread that is not in the map.
    #[error("the vector of SPE {spe} names a thread that is not in the thread map")]
    NoThread {
        /// The SPE.
        spe: u32,
    },
}

impl PartialLog {
    /// A log with no vectors yet.
    #[must_use]
    pub fn new(program: Program, run: RunId, outcome: Outcome, threads: ThreadMap) -> Self {
        Self {
            program,
            run,
            outcome,
            threads,
            vectors: BTreeMap::new(),
        }
    }

    /// Puts the vector of an SPE into the log, with its hash.
    pub fn insert(&mut self, spe: Spe, vector: AccessVector) -> Result<Fingerprint, LogError> {
        let spes = self.program.spes;
        let number = spe.0;
        if number >= spes {
            return Err(LogError::NoSpe { spe: number, spes });
        }
        if self.vectors.contains_key(&spe) {
            return Err(LogError::Twice { spe: number });
        }
        let print = vector.fingerprint(spe, &self.threads);
        let print = print.ok_or(LogError::NoThread { spe: number })?;
        self.vectors.insert(spe, (vector, print));
        Ok(print)
    }

    /// What ran.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Which run it was.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }

    /// How it ended.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Who is who in the vectors.
    #[must_use]
    pub fn threads(&self) -> &ThreadMap {
        &self.threads
    }

    /// The vector of an SPE, if it was in the share.
    #[must_use]
    pub fn vector(&self, spe: Spe) -> Option<&AccessVector> {
        self.vectors.get(&spe).map(|(vector, _)| vector)
    }

    /// The SPEs in the share, with their vectors and hashes, ascending.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = (Spe, &AccessVector, Fingerprint)> {
        self.vectors
            .iter()
            .map(|(spe, (v, print))| (*spe, v, *print))
    }

    /// What the statistics look at.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            program: self.program.clone(),
            run: self.run,
            outcome: self.outcome.clone(),
            share: self.vectors().map(|(spe, _, print)| (spe, print)).collect(),
        }
    }
}

/// 128 bits of a hash: as many as the paper's, and enough to tell apart any
/// number of vectors that could be collected.
fn shorten(hasher: &blake3::Hasher) -> [u8; 16] {
    let mut short = [0; 16];
    hasher.finalize_xof().fill(&mut short);
    short
}
