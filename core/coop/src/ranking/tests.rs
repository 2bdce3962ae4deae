//! The ranking against a comparison of every log with every other.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::metrics::similarity::Similarity;
use crate::population::tests::population;

/// The same, by comparing all.
fn by_comparing_all(population: &Population, settings: &Settings) -> Vec<Base> {
    let weights = Weights::new(population, settings.similarity);
    let mut bases = Vec::new();
    for &log in population.failed() {
        let others = population.failed().iter().filter(|&&other| other != log);
        let mut similars: Vec<Similar> = others
            .map(|&other| Similar {
                log: other,
                similarity: weights.between(population, log, other),
            })
            .filter(|similar| similar.similarity >= settings.threshold && similar.similarity > 0.0)
            .collect();
        similars.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        similars.truncate(settings.most_similars);
        let members = similars.iter().map(|similar| similar.log).chain([log]);
        let filled: BTreeSet<Spe> = members
            .flat_map(|member| population.share(member))
            .map(|(spe, _)| *spe)
            .collect();
        let similarities: Vec<f64> = similars.iter().map(|similar| similar.similarity).collect();
        let filled = filled.len() as u32;
        bases.push(Base {
            log,
            relevance: relevance(settings.alpha, filled, population.spes(), &similarities),
            similars,
        });
    }
    bases.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    bases
}

#[test]
fn by_hand() {
    // Plain, of 4 SPEs. 0–1: a b equal, c differs: 2/4 × 3/4 = 0.375.
    // 0–2 and 1–2: a equal: 0.25, below the threshold. 3 passed.
    let population = population(4, &["F a1 b1 c1", "F a1 b1 c2 d1", "F a1", "P a1 b1 c1"]);
    let settings = Settings::new(Similarity::Plain);
    let bases = rank(&population, &settings).unwrap();
    let order: Vec<u32> = bases.iter().map(|base| base.log.0).collect();
    assert_eq!(order, [0, 1, 2]);
    // Log 0 is filled up by d of log 1, log 1 needs nothing.
    for (base, other) in [(0, 1), (1, 0)] {
        let similars = &bases[base].similars;
        assert_eq!(similars.len(), 1);
        assert_eq!(similars[0].log, LogId(other));
        assert_eq!(similars[0].similarity, 0.375);
        let expected = 0.7 * 1.0 + 0.3 * 0.375;
        assert!((bases[base].relevance - expected).abs() < 1e-12);
    }
    assert_eq!(bases[2].similars, []);
    assert!((bases[2].relevance - 0.7 * 0.25).abs() < 1e-12);
}

#[test]
fn similars_are_the_best_and_not_too_many() {
    let logs = [
        "F a1 b1 c1 d1",
        "F a1",
        "F a1 b1",
        "F a1 b1 c1",
        "F a1 b1 c1",
    ];
    let population = population(4, &logs);
    let mut settings = Settings::new(Similarity::Plain);
    settings.most_similars = 3;
    settings.threshold = 0.0;
    let bases = rank(&population, &settings).unwrap();
    let base = bases.iter().find(|base| base.log == LogId(0)).unwrap();
    let group: Vec<u32> = base.similars.iter().map(|similar| similar.log.0).collect();
    assert_eq!(group, [3, 4, 2]);
    settings.most_similars = 0;
    assert!(
        rank(&population, &settings)
            .unwrap()
            .iter()
            .all(|base| base.similars.is_empty())
    );
    settings.alpha = 2.0;
    assert_eq!(rank(&population, &settings), Err(SettingsError::Alpha(2.0)));
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let entries = proptest::collection::btree_map(0..8_u8, 1..4_u8, 0..8);
    let log = (any::<bool>(), entries).prop_map(|(passed, entries)| {
        let words = entries.iter();
        let words = words.map(|(spe, vector)| format!(" {}{vector}", char::from(b'a' + spe)));
        let outcome = if passed { "P" } else { "F" };
        format!("{outcome}{}", words.collect::<String>())
    });
    proptest::collection::vec(log, 0..40)
}

proptest! {
    #[test]
    fn it_is_what_comparing_all_gives(
        texts in texts(), plain: bool, threshold in 0.0..0.6, most_similars in 0..7_usize,
    ) {
        let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        texts.push("F a1 c2 d3");
        let population = population(8, &texts);
        let similarity = if plain { Similarity::Plain } else { Similarity::Dispersion };
        let settings = Settings { threshold, most_similars, ..Settings::new(similarity) };
        let found = rank(&population, &settings).unwrap();
        prop_assert_eq!(found, by_comparing_all(&population, &settings));
    }
}
