//! The order of the search by hand, and what always holds.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::log::thread::{Birth, ThreadId, ThreadMap};
use crate::log::vector::AccessVector;
use crate::log::{PartialLog, RunId};
use crate::metrics::similarity::Similarity;
use crate::population::tests::{population, summary};

fn search<'a>(population: &'a Population, threshold: f64) -> Search<'a> {
    let settings = Settings {
        threshold,
        ..Settings::new(Similarity::Plain)
    };
    Search::new(population, &settings, Limits::default()).unwrap()
}

/// A candidate as text: the base's place, then for each SPE its vector in the
/// notation of the populations, with where it came from: nothing for the base,
/// `~` for a similar, `!` for importance.
fn text(population: &Population, candidate: &Candidate) -> String {
    let mut text = format!("{}:", candidate.base.0);
    for part in &candidate.parts {
        let first = population.vectors(part.spe).next().unwrap();
        let spe = char::from(b'a' + part.spe.0 as u8);
        let vector = part.vector.0 - first.0 + 1;
        let origin = match part.origin {
            Origin::Base => "",
            Origin::Similar { .. } => "~",
            Origin::Important { .. } => "!",
        };
        text.push_str(&format!(" {spe}{vector}{origin}"));
    }
    text
}

/// Those that are complete, or that clashes leave incomplete.
fn texts(population: &Population, search: Search<'_>) -> Vec<String> {
    search
        .filter(|candidate| !matches!(candidate.stage, Stage::Alone | Stage::Again(_)))
        .map(|candidate| text(population, &candidate))
        .collect()
}

#[test]
fn bases_by_relevance_gaps_from_similars_then_by_importance() {
    // Log 0 is like 1 in a and b (0.4) and like 2 in a (0.2). SPE e was only
    // recorded by passing runs, twice as 2.
    let logs = [
        "F a1 b1",
        "F a1 b1 c1",
        "F a1 c2 d2",
        "P e1",
        "P e2",
        "P e2",
    ];
    let population = population(5, &logs);
    let mut search = search(&population, 0.1);
    let order: Vec<u32> = search.bases().iter().map(|base| base.log.0).collect();
    // Fill is a to d for each. Similarities: of 0: 0.4, 0.2. Of 1: 0.4 and
    // 1/5 × 4/5 = 0.16. Of 2: 0.2 and 0.16.
    assert_eq!(order, [0, 1, 2]);
    let first = search.next().unwrap();
    assert_eq!(text(&population, &first), "0: a1 b1 c1~ d1~ e2!");
    assert_eq!(first.number, 1);
    assert_eq!(first.stage, Stage::First);
    assert_eq!(first.missing, []);
    let sources: Vec<u32> = first.parts.iter().map(|part| part.log.0).collect();
    assert_eq!(sources, [0, 0, 1, 2, 5]);
    let similarity = 0.4;
    assert_eq!(first.parts[2].origin, Origin::Similar { similarity });
    // Base 1 gives the same combination; base 2 another one.
    let second = search.next().unwrap();
    assert_eq!(text(&population, &second), "2: a1 b1~ c2 d1 e2!");
    // Another lead: log 2 first for base 0 is the same combination. Then each alone, and
    // that in other orders.
    let third = search.next().unwrap();
    assert_eq!(text(&population, &third), "0: a1 b1");
    assert_eq!(third.stage, Stage::Alone);
    assert_eq!(third.free, [Spe(2), Spe(3), Spe(4)]);
    // Then the least certain first: e, by importance.
    let other = search.find(|candidate| candidate.stage == Stage::Other);
    let other = other.unwrap();
    assert_eq!(
        other.number,
        2 + 3 + 3 * Limits::default().orders as usize + 1
    );
    assert_eq!(text(&population, &other), "0: a1 b1 c1~ d1~ e1!");
}

#[test]
fn a_lead_brings_all_its_vectors() {
    // Base 0 has two equally similar logs that differ in c and d.
    let logs = ["F a1 b1", "F a1 b1 c1 d1", "F a1 b1 c2 d2"];
    let population = population(4, &logs);
    let found = texts(&population, search(&population, 0.1));
    assert_eq!(
        found[..3],
        ["0: a1 b1 c1~ d1~", "2: a1 b1 c2 d2", "0: a1 b1 c1~ d2~"]
    );
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn what_clashed_is_not_tried_again() {
    let logs = ["F a1 b1", "F a1 b1 c1 d1", "F a1 b1 c2 d2"];
    let population = population(4, &logs);
    let mut search = search(&population, 0.1);
    let first = search.next().unwrap();
    assert_eq!(text(&population, &first), "0: a1 b1 c1~ d1~");
    // b and c cannot be together, so the same base is tried with another c.
    assert!(search.learn(&first, &[Spe(1), Spe(2)]));
    assert!(!search.learn(&first, &[Spe(1), Spe(2)]));
    assert_eq!(search.learnt(), 1);
    // Log 1 contains the clash: it is no base any more.
    let second = search.next().unwrap();
    assert_eq!(text(&population, &second), "2: a1 b1 c2 d2");
    let retry = search.find(|candidate| candidate.stage != Stage::Alone);
    let retry = retry.unwrap();
    assert_eq!(text(&population, &retry), "0: a1 b1 c2~ d1~");
    assert_eq!(retry.stage, Stage::Retry(1));
    assert_eq!(texts(&population, search), [""; 0]);
}

#[test]
fn what_fits_to_nothing_is_left_free() {
    let population = population(4, &["F a1 b1", "F a2 c1 d1"]);
    let mut search = search(&population, 0.1);
    let first = search.next().unwrap();
    assert_eq!(text(&population, &first), "1: a2 b1! c1 d1");
    let second = search.next().unwrap();
    assert_eq!(text(&population, &second), "0: a1 b1 c1! d1!");
    assert_eq!(second.free, []);
    // There is no other vector of c, so base 0 has no complete candidate.
    assert!(search.learn(&second, &[Spe(0), Spe(2)]));
    let third = search.find(|candidate| candidate.stage != Stage::Alone);
    let third = third.unwrap();
    assert_eq!(text(&population, &third), "0: a1 b1 d1!");
    assert_eq!((third.stage, third.free), (Stage::Free, vec![Spe(2)]));
    assert_eq!(texts(&population, search), [""; 0]);
}

#[test]
fn nobody_recorded_it_means_it_is_named() {
    let population = population(3, &["F a1", "F a2"]);
    let candidate = search(&population, 0.1).next().unwrap();
    assert_eq!(candidate.missing, [Spe(1), Spe(2)]);
    assert_eq!(candidate.parts.len(), 1);
}

#[test]
fn it_says_why_it_ended() {
    let population = population(3, &["F a1 b1", "F a2 c1", "P b2 c2"]);
    let settings = Settings::new(Similarity::Dispersion);
    let ended = |limits| {
        let mut search = Search::new(&population, &settings, limits).unwrap();
        let count = search.by_ref().count();
        (count, search.ended())
    };
    let limits = Limits::default();
    // Four that are complete, and both bases alone, in each order.
    let orders = limits.orders as usize;
    assert_eq!(ended(limits), (4 + 2 + 2 * orders, Some(Ended::Exhausted)));
    let attempts = 3;
    assert_eq!(
        ended(Limits { attempts, ..limits }),
        (3, Some(Ended::Attempts))
    );
    let combinations = 2;
    let few = Limits {
        combinations,
        ..limits
    };
    assert_eq!(ended(few), (2, Some(Ended::Combinations)));
}

/// A log of a program with two threads besides the first, numbered in either
/// order; the accesses are by birth order of the threads.
fn log(run: u8, swapped: bool, vectors: &[(u32, &[u32])]) -> PartialLog {
    let mut threads = ThreadMap::default();
    let (parent, order) = (None, 0);
    let parent = Some(threads.add(Birth { parent, order }).unwrap());
    let births = if swapped { [1, 0] } else { [0, 1] };
    for order in births {
        threads.add(Birth { parent, order }).unwrap();
    }
    let like = summary(run, 2, "F");
    let mut log = PartialLog::new(like.program, RunId([run; 16]), like.outcome, threads);
    for (spe, accesses) in vectors {
        let mut vector = AccessVector::default();
        for order in *accesses {
            let thread = 1 + if swapped { 1 - order } else { *order };
            vector.push(ThreadId(thread), 1).unwrap();
        }
        log.insert(Spe(*spe), vector).unwrap();
    }
    log
}

#[test]
fn threads_keep_their_identity_when_logs_are_joined() {
    let logs = [
        log(1, false, &[(0, &[0, 1, 1])]),
        log(2, true, &[(0, &[0, 1, 1]), (1, &[1, 0])]),
    ];
    let summaries = logs.iter().map(PartialLog::summary).collect();
    let population = Population::new(summaries, None).unwrap().0;
    assert_eq!(population.vector_count(), 2, "numbers do not matter");
    let candidate = search(&population, 0.1).next().unwrap();
    let find = |run| logs.iter().find(|log| log.run() == run);
    let complete = candidate.assemble(&population, find).unwrap();
    let expected = log(1, false, &[(0, &[0, 1, 1]), (1, &[1, 0])]);
    let hashes = |log: &PartialLog| log.summary().share;
    assert_eq!(hashes(&complete), hashes(&expected));
    let nobody = candidate.assemble(&population, |_| None);
    assert_eq!(nobody, Err(AssembleError::NoLog(RunId([1; 16]))));
}

/// Logs over four SPEs with three vectors each.
fn logs() -> impl Strategy<Value = Vec<String>> {
    let entries = proptest::collection::btree_map(0..4_u8, 1..4_u8, 0..5);
    let log = (0..3_u8, entries).prop_map(|(outcome, entries)| {
        let words = entries.iter();
        let words = words.map(|(spe, vector)| format!(" {}{vector}", char::from(b'a' + spe)));
        let outcome = if outcome == 0 { "P" } else { "F" };
        format!("{outcome}{}", words.collect::<String>())
    });
    proptest::collection::vec(log, 0..8)
}

fn with_a_failure(texts: &[String]) -> Population {
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.push("F b1");
    population(4, &texts)
}

/// Everything that could be a candidate: a base, and for each SPE that it lacks
/// any vector that anybody recorded.
fn possible(population: &Population) -> BTreeSet<Vec<VectorId>> {
    let mut all = BTreeSet::new();
    for &base in population.failed() {
        let mut combinations = vec![Vec::new()];
        for spe in (0..population.spes()).map(Spe) {
            let vectors: Vec<VectorId> = match population.vector(base, spe) {
                Some(vector) => vec![vector],
                None => population.vectors(spe).collect(),
            };
            if vectors.is_empty() {
                continue;
            }
            let with = |combination: Vec<VectorId>| {
                let with = move |&vector| [combination.as_slice(), &[vector]].concat();
                vectors.iter().map(with).collect::<Vec<_>>()
            };
            combinations = combinations.into_iter().flat_map(with).collect();
        }
        all.extend(combinations);
    }
    all
}

fn vectors(candidate: &Candidate) -> Vec<VectorId> {
    candidate.parts.iter().map(|part| part.vector).collect()
}

proptest! {
    #[test]
    fn every_combination_comes_once(texts in logs(), plain: bool) {
        let population = with_a_failure(&texts);
        let similarity = if plain { Similarity::Plain } else { Similarity::Dispersion };
        let settings = Settings { threshold: 0.05, ..Settings::new(similarity) };
        let mut search = Search::new(&population, &settings, Limits::default()).unwrap();
        let mut found = BTreeSet::new();
        let mut complete = BTreeSet::new();
        for candidate in search.by_ref() {
            for part in &candidate.parts {
                prop_assert_eq!(population.vector(part.log, part.spe), Some(part.vector));
                prop_assert_eq!(part.origin == Origin::Base, part.log == candidate.base);
            }
            prop_assert!(candidate.parts.is_sorted_by_key(|part| part.spe));
            let is_complete = candidate.free.is_empty() && candidate.order == 0;
            let name = (vectors(&candidate), candidate.order);
            prop_assert!(found.insert(name), "it came before");
            if is_complete {
                complete.insert(vectors(&candidate));
            }
        }
        prop_assert_eq!(search.ended(), Some(Ended::Exhausted));
        prop_assert_eq!(complete, possible(&population));
    }

    #[test]
    fn what_was_learnt_holds(texts in logs(), clashes in proptest::collection::vec(proptest::collection::btree_set(0..4_u32, 1..3), 0..30)) {
        let population = with_a_failure(&texts);
        let mut search = search(&population, 0.05);
        let mut learnt: Vec<Vec<VectorId>> = Vec::new();
        let mut found = BTreeSet::new();
        let mut clashes = clashes.into_iter();
        while let Some(candidate) = search.next() {
            let vectors = vectors(&candidate);
            for clash in &learnt {
                prop_assert!(!clash.iter().all(|vector| vectors.contains(vector)));
            }
            prop_assert!(found.insert((vectors, candidate.order)));
            if let Some(clash) = clashes.next() {
                let spes: Vec<Spe> = clash.into_iter().map(Spe).collect();
                search.learn(&candidate, &spes);
                let parts = candidate.parts.iter().filter(|part| spes.contains(&part.spe));
                let clash: Vec<VectorId> = parts.map(|part| part.vector).collect();
                if !clash.is_empty() {
                    learnt.push(clash);
                }
            }
        }
        // Nothing is lost: what contains no clash came.
        for combination in possible(&population) {
            let clashes = learnt.iter().any(|clash| clash.iter().all(|vector| combination.contains(vector)));
            prop_assert!(clashes || found.contains(&(combination, 0)));
        }
    }

    #[test]
    fn it_is_the_same_every_time(texts in logs()) {
        let population = with_a_failure(&texts);
        let all = |search: Search<'_>| search.collect::<Vec<_>>();
        prop_assert_eq!(all(search(&population, 0.1)), all(search(&population, 0.1)));
    }
}

#[test]
fn what_is_suspected_comes_when_nothing_else_is_left() {
    let population = population(2, &["F a1", "F b1"]);
    let mut search = search(&population, 0.1);
    let first = search.next().unwrap();
    assert_eq!(text(&population, &first), "0: a1 b1!");
    assert!(search.suspect(&first, &[Spe(0), Spe(1)]));
    assert!(!search.suspect(&first, &[Spe(0), Spe(1)]));
    // Both bases alone, and these in other orders; then there is nothing but the first one,
    // which was tried.
    let rest: Vec<Candidate> = search.by_ref().collect();
    let orders = Limits::default().orders as usize;
    assert_eq!(rest.len(), 2 + 2 * orders);
    assert!(rest.iter().all(|candidate| candidate.parts.len() == 1));
    assert_eq!(search.ended(), Some(Ended::Exhausted));
}

#[test]
fn what_was_suspected_wrongly_is_found_in_the_end() {
    // Of b there are two vectors; b1 with a1 is what fails, and a1 with any b is suspected.
    let population = population(2, &["F a1", "F b1", "F b2"]);
    let mut search = search(&population, 0.1);
    let mut found = None;
    while let Some(candidate) = search.next() {
        if candidate.parts.len() == 2 {
            if text(&population, &candidate).contains("b2") {
                found = Some(candidate);
                break;
            }
            // Too broad a suspicion: the other b is suspected before it was tried.
            let mut other = candidate.clone();
            let b2 = population.vectors(Spe(1)).nth(1).unwrap();
            other.parts[1].vector = b2;
            search.suspect(&other, &[Spe(0), Spe(1)]);
        }
    }
    let found = found.expect("doubts bring it up");
    assert!(found.number > 2, "{found:?}");
}

#[test]
fn what_runs_free_does_so_in_several_orders() {
    let population = population(3, &["F a1 b1", "P a2 b1"]);
    let found: Vec<Candidate> = search(&population, 0.1).collect();
    let orders = Limits::default().orders;
    // Nobody has recorded c.
    let numbers: Vec<u32> = found.iter().map(|candidate| candidate.order).collect();
    assert_eq!(numbers, (0..=orders).collect::<Vec<u32>>());
    assert!(found.iter().all(|candidate| candidate.missing == [Spe(2)]));
}
