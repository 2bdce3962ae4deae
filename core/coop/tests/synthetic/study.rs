//! One experiment: a program, its users, and how long the search takes.

use std::collections::HashMap;

use reprise_coop::log::{Outcome, PartialLog};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::metrics::similarity::Similarity;
use reprise_coop::plan::Plan;
use reprise_coop::population::Population;
use reprise_coop::search::{Limits, Search};

use crate::synthetic::{Replay, Shape, Synthetic};

/// What the programs of the studies look like.
pub(crate) const SHAPE: Shape = Shape {
    spes: 20,
    threads: 3,
    accesses: 40,
    switches: 40,
};

/// The runs of all users, complete: what a share of 100 % would log.
pub(crate) fn runs(program: &Synthetic, users: usize, seed: u64) -> Vec<PartialLog> {
    let users = users as u64;
    (0..users)
        .map(|user| program.run(user, seed * users + user + 1))
        .collect()
}

/// How many of the runs failed.
pub(crate) fn failed(runs: &[PartialLog]) -> usize {
    let failed = |run: &&PartialLog| matches!(run.outcome(), Outcome::Failed(_));
    runs.iter().filter(failed).count()
}

/// Puts together what each user logged of the runs, and replays candidates
/// until one fails: at which attempt.
pub(crate) fn attempts(
    program: &Synthetic,
    runs: &[PartialLog],
    plan: &Plan,
    similarity: Similarity,
    learning: bool,
    attempts: usize,
) -> Option<usize> {
    let parts = runs.iter().zip(plan.shares());
    let logs: HashMap<_, _> = parts
        .map(|(run, share)| (run.run(), program.part(run, share)))
        .collect();
    let summaries = logs.values().map(PartialLog::summary).collect();
    let (population, refused) = Population::new(summaries, None).ok()?;
    assert_eq!(refused, []);
    let limits = Limits {
        attempts,
        ..Limits::default()
    };
    let settings = Settings::new(similarity);
    let mut search = Search::new(&population, &settings, limits).unwrap();
    while let Some(candidate) = search.next() {
        let complete = candidate
            .assemble(&population, |run| logs.get(&run))
            .unwrap();
        match program.replay(&complete) {
            Replay::Failed => return Some(candidate.number),
            Replay::Hung(clash) if learning => {
                search.learn(&candidate, &clash);
            }
            Replay::Hung(_) | Replay::Passed => {}
        }
    }
    None
}
