//! How often the search finds a failing combination, and after how many
//! attempts, for synthetic programs:
//! `cargo run --release -p reprise-coop --example chances`.
#![allow(clippy::unwrap_used, reason = "a study fails by panicking")]

#[path = "../tests/synthetic/study.rs"]
mod study;
#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use reprise_coop::metrics::similarity::Similarity;
use reprise_coop::plan;
use study::{SHAPE, attempts, failed, runs};
use synthetic::Synthetic;

const PROGRAMS: usize = 20;
const ATTEMPTS: usize = 500;

fn main() {
    println!("reproduced of {PROGRAMS} programs within {ATTEMPTS} attempts (median attempts)\n");
    println!(
        "similarity  learning  users  10 %         25 %         50 %         75 %         100 %"
    );
    for users in [20, 100, 500] {
        for (name, similarity) in [
            ("plain", Similarity::Plain),
            ("dispersion", Similarity::Dispersion),
        ] {
            for learning in [false, true] {
                let cells: Vec<String> = [0.1, 0.25, 0.5, 0.75, 1.0]
                    .map(|share| cell(users, share, similarity, learning))
                    .to_vec();
                let learning = if learning { "yes" } else { "no" };
                println!("{name:<12}{learning:<10}{users:<7}{}", cells.join("  "));
            }
        }
    }
}

/// The first programs of which some user's run fails.
fn cell(users: usize, share: f64, similarity: Similarity, learning: bool) -> String {
    let mut found = Vec::new();
    let with_failures = (1..)
        .map(|seed| {
            let program = Synthetic::new(SHAPE, seed);
            let runs = runs(&program, users, seed);
            (seed, program, runs)
        })
        .filter(|(_, _, runs)| failed(runs) > 0);
    for (seed, program, runs) in with_failures.take(PROGRAMS) {
        let plan = plan::random(SHAPE.spes as u32, users, share, seed).unwrap();
        found.extend(attempts(
            &program, &runs, &plan, similarity, learning, ATTEMPTS,
        ));
    }
    found.sort_unstable();
    let median = found.get(found.len() / 2);
    let median = median.map_or("–".to_owned(), usize::to_string);
    format!("{:<11}", format!("{} ({median})", found.len()))
}
