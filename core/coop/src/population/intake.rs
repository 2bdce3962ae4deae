//! From summaries to a population: what does not belong is named and left out,
//! the rest is numbered and indexed.

use std::collections::{BTreeMap, BTreeSet};

use super::{Log, LogId, Population, Role, VectorId};
use crate::log::{Failure, Fingerprint, Outcome, Program, RunId, Spe, Summary, limits};

/// A log that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which run it is of.
    pub run: RunId,
    /// Why.
    pub because: Refusal,
}

/// Why a log was left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is of another program.
    #[error(
        "it is of the program {found:?}, most others are of {expected:?}: merge each program's shares by themselves"
    )]
    OtherProgram {
        /// Its program.
        found: String,
        /// The program of most logs.
        expected: String,
    },
    /// It is of another version of the program.
    #[error(
        "it is of another version of {program:?} than most others: merge each version's shares by themselves"
    )]
    OtherVersion {
        /// The program.
        program: String,
    },
    /// The same run is there already.
    #[error("its run is there already")]
    Twice,
    /// Its share is not a list of the program's SPEs, ascending.
    #[error("its share names SPE {spe}, which the program does not have or which is out of order")]
    Share {
        /// The SPE.
        spe: u32,
    },
}

/// Why there is nothing to merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// There are no logs.
    #[error("there are no shares to merge")]
    NoLogs,
    /// No run failed.
    #[error(
        "none of the {passed} runs failed: collect shares until one does, or say with a condition what counts as failure"
    )]
    NoFailure {
        /// How many passed.
        passed: usize,
    },
    /// No run failed in the way that was asked for.
    #[error("no run failed with {:?} at {:?}", .0.what, .0.place)]
    NotThisFailure(Failure),
    /// There are more SPEs or entries than can be numbered.
    #[error("the shares have {0} entries, more than can be numbered: merge fewer of them")]
    TooMany(u64),
}

impl Population {
    /// Makes a population of the logs that belong together: those of the
    /// program that most logs are of. The failure looked at is `failure`, or
    /// else the one that happened most often.
    pub fn new(
        mut summaries: Vec<Summary>,
        failure: Option<&Failure>,
    ) -> Result<(Self, Vec<Refused>), Unusable> {
        let program = most_common(summaries.iter().map(|summary| &summary.program));
        let program = program.ok_or(Unusable::NoLogs)?.clone();
        if program.spes > limits::SPES {
            return Err(Unusable::TooMany(u64::from(program.spes)));
        }
        summaries.sort_by_key(|summary| summary.run);
        let refused = refuse(&mut summaries, &program);
        let failure = choose(&summaries, failure)?;
        let entries: u64 = summaries
            .iter()
            .map(|summary| summary.share.len() as u64)
            .sum();
        if entries.max(summaries.len() as u64) >= u64::from(u32::MAX) {
            return Err(Unusable::TooMany(entries));
        }
        Ok((index(program, failure, summaries), refused))
    }
}

fn refuse(summaries: &mut Vec<Summary>, program: &Program) -> Vec<Refused> {
    let mut refused = Vec::new();
    let mut runs = BTreeSet::new();
    summaries.retain(|summary| {
        let because = if summary.program.name != program.name {
            Refusal::OtherProgram {
                found: summary.program.name.clone(),
                expected: program.name.clone(),
            }
        } else if summary.program != *program {
            let program = program.name.clone();
            Refusal::OtherVersion { program }
        } else if let Some(spe) = misplaced(summary) {
            Refusal::Share { spe }
        } else if !runs.insert(summary.run) {
            Refusal::Twice
        } else {
            return true;
        };
        let run = summary.run;
        refused.push(Refused { run, because });
        false
    });
    refused
}

/// The first SPE of a share that is not above the one before or not the
/// program's.
fn misplaced(summary: &Summary) -> Option<u32> {
    let mut next = 0;
    summary.share.iter().find_map(|(spe, _)| {
        if spe.0 < next || spe.0 >= summary.program.spes {
            return Some(spe.0);
        }
        next = spe.0 + 1;
        None
    })
}

fn choose(summaries: &[Summary], wanted: Option<&Failure>) -> Result<Failure, Unusable> {
    let failures = || {
        summaries
            .iter()
            .filter_map(|summary| match &summary.outcome {
                Outcome::Failed(failure) => Some(failure),
                Outcome::Passed => None,
            })
    };
    let found = match wanted {
        None => most_common(failures()),
        Some(wanted) => failures().find(|&failure| failure == wanted),
    };
    found.cloned().ok_or_else(|| match wanted {
        Some(wanted) => Unusable::NotThisFailure(wanted.clone()),
        None => Unusable::NoFailure {
            passed: summaries.len(),
        },
    })
}

/// The value that is there most often, and among those the smallest.
fn most_common<'a, T: Ord>(values: impl Iterator<Item = &'a T>) -> Option<&'a T> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0_usize) += 1;
    }
    let most = *counts.values().max()?;
    counts
        .into_iter()
        .find(|(_, count)| *count == most)
        .map(|(value, _)| value)
}

fn index(program: Program, failure: Failure, summaries: Vec<Summary>) -> Population {
    let mut logs = Vec::with_capacity(summaries.len());
    let mut flat = Vec::new();
    for summary in summaries {
        let role = match summary.outcome {
            Outcome::Passed => Role::Passed,
            Outcome::Failed(found) if found == failure => Role::Failed,
            Outcome::Failed(_) => Role::FailedOtherwise,
        };
        let (run, start) = (summary.run, flat.len());
        logs.push(Log { run, role, start });
        flat.extend(summary.share);
    }
    let (entries, first) = number(&flat, program.spes);
    drop(flat);
    let vectors = first.last().copied().unwrap_or(0);
    let of_role = |role| {
        let logs = logs.iter().enumerate();
        logs.filter(move |(_, log): &(usize, &Log)| log.role == role)
            .map(|(at, _)| LogId(at as u32))
    };
    let failed = of_role(Role::Failed).collect();
    let passed = of_role(Role::Passed).count() as u32;
    let mut population = Population {
        program,
        failure,
        logs,
        entries,
        first,
        counts: vec![(0, 0); vectors as usize],
        holder_starts: Vec::new(),
        holders: Vec::new(),
        witnesses: vec![LogId(0); vectors as usize],
        failed,
        passed,
    };
    count(&mut population);
    population
}

/// Numbers the vectors: the entries with numbers for hashes, and for each SPE
/// the number of its first vector, with one more at the end.
fn number(flat: &[(Spe, Fingerprint)], spes: u32) -> (Vec<(Spe, VectorId)>, Vec<u32>) {
    // Where each SPE's entries begin once they stand side by side.
    let mut starts = vec![0; spes as usize + 1];
    for (spe, _) in flat {
        starts[spe.0 as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut order = vec![0; flat.len()];
    let mut next = starts.clone();
    for (at, (spe, _)) in flat.iter().enumerate() {
        let next = &mut next[spe.0 as usize];
        order[*next] = at as u32;
        *next += 1;
    }
    let mut entries = vec![(Spe(0), VectorId(0)); flat.len()];
    let mut first = Vec::with_capacity(starts.len());
    let mut vectors = 0;
    // Copied, since sorting looks at a hash many times.
    let mut hashes: Vec<(Fingerprint, u32)> = Vec::new();
    for spe in (0..spes).map(Spe) {
        first.push(vectors);
        hashes.clear();
        let own = &order[starts[spe.0 as usize]..starts[spe.0 as usize + 1]];
        hashes.extend(own.iter().map(|&at| (flat[at as usize].1, at)));
        hashes.sort_unstable();
        for same in hashes.chunk_by(|a, b| a.0 == b.0) {
            for (_, at) in same {
                entries[*at as usize] = (spe, VectorId(vectors));
            }
            vectors += 1;
        }
    }
    first.push(vectors);
    (entries, first)
}

/// Counts who recorded each vector, and lists the failed ones.
fn count(population: &mut Population) {
    let mut counts = std::mem::take(&mut population.counts);
    let mut witnesses = std::mem::take(&mut population.witnesses);
    for log in population.logs() {
        let role = population.role(log);
        for (_, vector) in population.share(log) {
            let (failed, passed) = &mut counts[vector.0 as usize];
            if role == Role::Failed || *failed == 0 {
                witnesses[vector.0 as usize] = log;
            }
            match role {
                Role::Failed => *failed += 1,
                Role::Passed => *passed += 1,
                Role::FailedOtherwise => {}
            }
        }
    }
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut all = 0;
    for (failed, _) in &counts {
        starts.push(all);
        all += failed;
    }
    let mut next = starts.clone();
    starts.push(all);
    let mut holders = vec![LogId(0); all as usize];
    for &log in &population.failed {
        for (_, vector) in population.share(log) {
            let next = &mut next[vector.0 as usize];
            holders[*next as usize] = log;
            *next += 1;
        }
    }
    population.counts = counts;
    population.witnesses = witnesses;
    population.holder_starts = starts;
    population.holders = holders;
}
