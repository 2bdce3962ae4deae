//! Populations written as text, for these tests and those of the metrics.

use super::*;
use crate::log::{Fingerprint, Outcome, Summary};

pub(crate) const FAILURE: &str = "E";

/// A log from text: `F a1 c2` failed and recorded the vector 1 of SPE `a` and
/// the vector 2 of SPE `c`; `P` passed; any other word is another failure.
pub(crate) fn summary(run: u8, spes: u32, text: &str) -> Summary {
    let mut words = text.split(' ');
    let failed = |what: &str| {
        Outcome::Failed(Failure {
            what: what.to_owned(),
            place: String::new(),
        })
    };
    let outcome = match words.next().unwrap() {
        "P" => Outcome::Passed,
        "F" => failed(FAILURE),
        other => failed(other),
    };
    let share = words.map(|word| {
        let (spe, vector) = word.split_at(1);
        let spe = u32::from(spe.as_bytes()[0] - b'a');
        let mut print = [0; 16];
        print[0] = vector.parse().unwrap();
        (Spe(spe), Fingerprint(print))
    });
    Summary {
        program: Program {
            name: "p".to_owned(),
            version: [0; 16],
            spes,
        },
        run: RunId([run; 16]),
        outcome,
        share: share.collect(),
    }
}

/// A population from texts; the log's number is its place.
pub(crate) fn population(spes: u32, logs: &[&str]) -> Population {
    let summaries = logs
        .iter()
        .zip(1..)
        .map(|(text, run)| summary(run, spes, text));
    let (population, refused) = Population::new(summaries.collect(), None).unwrap();
    assert_eq!(refused, []);
    population
}

#[test]
fn vectors_are_numbered_per_spe() {
    let population = population(3, &["F a1 b1", "F a1 b2", "P a2 b1", "X a1"]);
    assert_eq!(population.vector_count(), 4);
    let [a1, a2, b1, b2] = [0, 1, 2, 3].map(VectorId);
    assert!(population.vectors(Spe(0)).eq([a1, a2]));
    assert!(population.vectors(Spe(1)).eq([b1, b2]));
    assert_eq!(population.vectors(Spe(2)).len(), 0);
    let spes = [a1, a2, b1, b2].map(|vector| population.spe(vector).0);
    assert_eq!(spes, [0, 0, 1, 1]);
    assert_eq!(population.share(LogId(1)), [(Spe(0), a1), (Spe(1), b2)]);
    assert_eq!(population.share(LogId(3)), [(Spe(0), a1)]);
    assert_eq!(population.holders(a1), [LogId(0), LogId(1)]);
    assert_eq!(population.holders(a2), []);
    assert_eq!(
        population.counts(a1),
        (2, 0),
        "another failure counts for neither"
    );
    assert_eq!(population.counts(a2), (0, 1));
    assert_eq!(population.counts(b1), (1, 1));
    let witnesses = [a1, a2, b1, b2].map(|vector| population.witness(vector).0);
    assert_eq!(witnesses, [1, 2, 0, 1]);
    assert_eq!(population.vector(LogId(1), Spe(1)), Some(b2));
    assert_eq!(population.vector(LogId(3), Spe(1)), None);
    assert_eq!(population.failed().len(), 2);
    assert_eq!(population.passed(), 1);
    assert_eq!(population.role(LogId(3)), Role::FailedOtherwise);
    assert_eq!(population.unrecorded(), [Spe(2)]);
    assert!(population.overlaps());
}

#[test]
fn the_order_of_arrival_makes_no_difference() {
    let texts = ["F a1 b1", "F a1 b2", "P a2 b1"];
    let mut summaries: Vec<_> = texts
        .iter()
        .zip(1..)
        .map(|(t, run)| summary(run, 2, t))
        .collect();
    let first = Population::new(summaries.clone(), None).unwrap().0;
    summaries.reverse();
    let second = Population::new(summaries, None).unwrap().0;
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn what_does_not_belong_is_named() {
    let good = summary(1, 2, "F a1");
    let twin = summary(1, 2, "F b1");
    let mut other = summary(2, 2, "F a1");
    other.program.name = "q".to_owned();
    let mut newer = summary(3, 2, "F a1");
    newer.program.version = [1; 16];
    let unsorted = summary(4, 2, "F b1 a1");
    let outside = summary(5, 2, "F c1");
    let more = summary(6, 2, "P b1");
    let summaries = vec![good, twin, other, newer, unsorted, outside, more];
    let (population, refused) = Population::new(summaries, None).unwrap();
    assert_eq!(population.len(), 2);
    let because: Vec<_> = refused.into_iter().map(|refused| refused.because).collect();
    assert_eq!(
        because,
        [
            Refusal::Twice,
            Refusal::OtherProgram {
                found: "q".to_owned(),
                expected: "p".to_owned()
            },
            Refusal::OtherVersion {
                program: "p".to_owned()
            },
            Refusal::Share { spe: 0 },
            Refusal::Share { spe: 2 },
        ]
    );
}

#[test]
fn nothing_to_merge_is_an_error() {
    let new = |texts: &[&str], failure| {
        let summaries = texts.iter().zip(1..).map(|(t, run)| summary(run, 2, t));
        Population::new(summaries.collect(), failure).map(|_| ())
    };
    assert_eq!(new(&[], None), Err(Unusable::NoLogs));
    let found = new(&["P a1", "P b1"], None);
    assert_eq!(found, Err(Unusable::NoFailure { passed: 2 }));
    let wanted = Failure {
        what: "Y".to_owned(),
        place: String::new(),
    };
    let found = new(&["X a1"], Some(&wanted));
    assert_eq!(found, Err(Unusable::NotThisFailure(wanted)));
}

#[test]
fn the_most_common_failure_is_looked_at() {
    let population = population(1, &["X a1", "F a1", "X a2", "P a1"]);
    assert_eq!(population.failure().what, "X");
    assert_eq!(population.failed(), [LogId(0), LogId(2)]);
}

#[test]
fn shares_that_never_overlap_are_noticed() {
    assert!(!population(2, &["F a1", "F b1", "P a1"]).overlaps());
}
