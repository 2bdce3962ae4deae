//! What ranking costs, for populations of simulated shares:
//! `cargo run --release -p reprise-coop --example scale`, with the numbers of
//! users and the failed runs in a hundred as arguments, if others are wanted.
#![allow(clippy::unwrap_used, reason = "a study fails by panicking")]

use reprise_coop::log::{Failure, Fingerprint, Outcome, Program, RunId, Spe, Summary};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::metrics::similarity::Similarity;
use reprise_coop::plan;
use reprise_coop::population::Population;
use reprise_coop::ranking::rank;

const SPES: u32 = 1000;
const SHARE: f64 = 0.25;

fn main() {
    let arguments: Vec<usize> = std::env::args()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    let (percent, sizes) = match arguments.split_last() {
        Some((percent, sizes)) if !sizes.is_empty() => (*percent, sizes.to_vec()),
        _ => (10, vec![1000, 10_000, 100_000]),
    };
    println!("{SPES} SPEs, shares of {SHARE}, {percent} % of the runs failed\n");
    println!("processor time (logs with similars)");
    println!("users    index    plain, 0.3        plain, 0.03       dispersion, 0.01  peak memory");
    for users in sizes {
        let summaries: Vec<Summary> = (0..users).map(|user| summary(user, percent)).collect();
        let begin = processor_time();
        let population = Population::new(summaries, None).unwrap().0;
        let index = processor_time() - begin;
        let mut cells = String::new();
        for (similarity, threshold) in [
            (Similarity::Plain, 0.3),
            (Similarity::Plain, 0.03),
            (Similarity::Dispersion, 0.01),
        ] {
            let settings = Settings {
                threshold,
                ..Settings::new(similarity)
            };
            let begin = processor_time();
            let bases = rank(&population, &settings).unwrap();
            let time = processor_time() - begin;
            let groups = bases.iter().filter(|base| !base.similars.is_empty());
            cells += &format!("{:<18}", format!("{time:.1} s ({})", groups.count()));
        }
        let memory = format!("{} MB", peak_memory());
        println!("{users:<9}{:<9}{cells}{memory}", format!("{index:.1} s"));
    }
}

/// A run of a program in which 40 % of the SPEs never vary, 40 % have up to ten
/// vectors, and 20 % have as many as there are ways to interleave: 2,000, of
/// which runs of one class prefer one.
fn summary(user: usize, percent: usize) -> Summary {
    let random = |spe: u32| {
        let mut bits = (user as u64) << 20 | u64::from(spe);
        for _ in 0..2 {
            bits = (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        bits >> 33
    };
    let class = random(SPES) % 50;
    let vector = |spe: u32| match spe % 5 {
        0 | 1 => 0,
        2 | 3 => random(spe) % u64::from(2 + spe % 9),
        _ if random(spe) % 2 == 0 => class,
        _ => 50 + random(spe) / 2 % 2000,
    };
    let share = plan::random(SPES, 1, SHARE, user as u64).unwrap();
    let failed = user % 100 < percent;
    let mut id = [0; 16];
    id[..8].copy_from_slice(&(user as u64).to_le_bytes());
    Summary {
        program: Program {
            name: "simulated".to_owned(),
            version: [0; 16],
            spes: SPES,
        },
        run: RunId(id),
        outcome: if failed {
            Outcome::Failed(Failure {
                what: "E".to_owned(),
                place: String::new(),
            })
        } else {
            Outcome::Passed
        },
        share: share.shares()[0]
            .iter()
            .map(|&spe| (spe, print(spe, vector(spe.0))))
            .collect(),
    }
}

fn print(spe: Spe, vector: u64) -> Fingerprint {
    let mut print = [0; 16];
    print[..4].copy_from_slice(&spe.0.to_le_bytes());
    print[8..].copy_from_slice(&vector.to_le_bytes());
    Fingerprint(print)
}

/// In seconds, where the system says it. A busy machine makes no difference.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks: f64 = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

/// In megabytes, where the system says it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
