//! Synthetic users' shares put together again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "synthetic/study.rs"]
mod study;
mod synthetic;

use reprise_coop::log::{Outcome, Spe};
use reprise_coop::metrics::similarity::Similarity;
use reprise_coop::plan;
use study::{SHAPE, attempts, failed, runs};
use synthetic::{Replay, Synthetic};

#[test]
fn a_complete_log_replays_its_own_run() {
    for seed in 1..20 {
        let program = Synthetic::new(SHAPE, seed);
        for run in runs(&program, 50, seed) {
            let expected = match run.outcome() {
                Outcome::Failed(_) => Replay::Failed,
                Outcome::Passed => Replay::Passed,
            };
            assert_eq!(program.replay(&run), expected);
        }
    }
}

/// What the replayer says clashes does so in every combination: that is what
/// the search may learn.
#[test]
fn a_clash_follows_from_its_vectors_alone() {
    let mut clashes = 0;
    for seed in 1..10 {
        let program = Synthetic::new(SHAPE, seed);
        let runs = runs(&program, 4, seed);
        let halves: Vec<Vec<Spe>> = vec![(0..10).map(Spe).collect(), (10..20).map(Spe).collect()];
        for (a, b) in [(0, 1), (0, 2), (1, 3)] {
            let mut mixed = program.part(&runs[a], &halves[0]);
            for &spe in &halves[1] {
                mixed
                    .insert(spe, runs[b].vector(spe).unwrap().clone())
                    .unwrap();
            }
            if let Replay::Hung(clash) = program.replay(&mixed) {
                clashes += 1;
                let alone = program.part(&mixed, &clash);
                assert!(matches!(program.replay(&alone), Replay::Hung(_)));
            }
        }
    }
    assert!(clashes > 5, "{clashes}");
}

#[test]
fn shares_of_everything_need_one_attempt() {
    for seed in 1..11 {
        let program = Synthetic::new(SHAPE, seed);
        let runs = runs(&program, 100, seed);
        if failed(&runs) == 0 {
            continue;
        }
        let plan = plan::random(20, 100, 1.0, seed).unwrap();
        for similarity in [Similarity::Plain, Similarity::Dispersion] {
            assert_eq!(
                attempts(&program, &runs, &plan, similarity, true, 5),
                Some(1)
            );
        }
    }
}

/// A quarter of the SPEs each, a hundred users, a hundred attempts. The figures are
/// exact, since everything is seeded; a better search may raise them.
#[test]
fn quarters_are_put_together_and_learning_helps() {
    let mut found = [0, 0];
    for seed in 1..11 {
        let program = Synthetic::new(SHAPE, seed);
        let runs = runs(&program, 100, seed);
        let plan = plan::random(20, 100, 0.25, seed).unwrap();
        for (found, learning) in found.iter_mut().zip([false, true]) {
            let attempts = attempts(&program, &runs, &plan, Similarity::Dispersion, learning, 30);
            *found += usize::from(attempts.is_some());
        }
    }
    assert_eq!(found, [5, 6]);
}
