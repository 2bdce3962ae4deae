//! Any bytes as a partial log. What is read is written the same way again, its
//! front alone says the same, and it can be merged with itself.
#![cfg_attr(fuzzing, no_main)]

use reprise_coop::log::{RunId, wire};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::metrics::similarity::Similarity;
use reprise_coop::population::Population;
use reprise_coop::search::{Limits, Search};

reprise_fuzz::target!(|data| {
    let front = wire::read_summary(data);
    let Ok(log) = wire::read(data) else {
        return;
    };
    let summary = log.summary();
    assert_eq!(front.as_ref(), Ok(&summary), "the front says the same");
    let mut bytes = Vec::new();
    wire::write(&log, &mut bytes);
    assert_eq!(
        wire::read(&bytes),
        Ok(log.clone()),
        "it is written as it was read"
    );
    let mut twin = summary.clone();
    twin.run = RunId([0; 16]);
    let Ok((population, _)) = Population::new(vec![summary, twin], None) else {
        return;
    };
    let settings = Settings::new(Similarity::Dispersion);
    let limits = Limits {
        attempts: 3,
        ..Limits::default()
    };
    if let Ok(mut search) = Search::new(&population, &settings, limits) {
        while let Some(candidate) = search.next() {
            let complete = candidate.assemble(&population, |_| Some(&log));
            assert!(complete.is_ok(), "{complete:?}");
            let clash: Vec<_> = candidate
                .parts
                .iter()
                .take(1)
                .map(|part| part.spe)
                .collect();
            search.learn(&candidate, &clash);
        }
    }
});
