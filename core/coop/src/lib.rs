//! Cooperative recording: many users log a share each, and the failing run is
//! put together again.
//!
//! Logging every access to every shared field, array and monitor (every *shared
//! program element*, SPE) costs too much. So each user logs a [share](plan) of
//! the SPEs only, and sends in a [partial log](log): for each SPE of the share
//! the sequence of threads that accessed it. This crate is what happens then, as
//! the CoopREP paper describes it. It is pure: whoever records, collects and
//! replays uses it.
//!
//! ```text
//!  partial logs ──▶ population ──▶ ranking ──▶ search ──▶ candidate ──▶ replay
//!  (log)            numbers and    failed logs   ▲                        │
//!                   an index       by Relevance  └── what clashed ────────┘
//! ```
//!
//! | question | module |
//! | --- | --- |
//! | what does a user send in, byte by byte? | [`log`], [`log::wire`] |
//! | how alike are two logs, how important is a vector? | [`metrics`], with the paper's formulas |
//! | which logs belong together, which are refused? | [`population`] |
//! | which failed logs are most promising? | [`ranking`] |
//! | what is to be replayed next? | [`search`] |
//! | what separates failing from passing runs? | [`causes`] |
//! | what is wrong with these shares, and what would help? | [`weaknesses`] |
//! | who should log what? | [`plan`] |
//!
//! # Where it goes beyond the paper
//!
//! - How a run failed is more than a bit: with two bugs about, logs of the other
//!   failure count neither for nor against this one.
//! - The hash of a vector includes its SPE, so that the weights add up to 1.
//! - A replay that hangs tells which vectors clash, and no combination with that
//!   clash comes again; what is only suspected comes last.
//! - Bases are tried alone, too, and what runs free in several orders.
//! - When all bases were tried, variations follow instead of giving up.
//! - Shares are dealt so that each SPE is logged equally often.
//!
//! # How often it succeeds
//!
//! `cargo run --release -p reprise-coop --example chances` makes programs with 3
//! threads of 40 accesses to 20 SPEs, of which a random schedule fails when an
//! access of one thread falls into a window of another, for two SPEs at once.
//! Shares are random. Of 20 programs, reproduced within 500 attempts (median of
//! attempts of those):
//!
//! | users | similarity | clashes learnt | 10 % | 25 % | 50 % | 75 % | 100 % |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 20 | either | either | 3 (2) | 7 (2) | 13 (2) | 19 (2) | 20 (1) |
//! | 100 | plain | no | 8 (4) | 14 (5) | 17 (5) | 19 (2) | 20 (1) |
//! | 100 | plain | yes | 9 (7) | 15 (6) | 18 (5) | 19 (2) | 20 (1) |
//! | 100 | dispersion | no | 8 (5) | 14 (4) | 17 (4) | 19 (2) | 20 (1) |
//! | 100 | dispersion | yes | 9 (9) | 15 (6) | 18 (4) | 19 (2) | 20 (1) |
//! | 500 | plain | no | 16 (15) | 20 (21) | 20 (10) | 20 (1) | 20 (1) |
//! | 500 | plain | yes | 19 (18) | 20 (15) | 20 (7) | 20 (1) | 20 (1) |
//! | 500 | dispersion | no | 16 (16) | 20 (20) | 20 (3) | 20 (1) | 20 (1) |
//! | 500 | dispersion | yes | 19 (19) | 20 (21) | 20 (2) | 20 (1) | 20 (1) |
//!
//! More users make up for smaller shares. What helps most is to try each base alone as
//! well: what it lacks and the program does by itself is often better than what others
//! did there. Learning what clashes matters where shares are small, and which similarity
//! is used matters little. The numbers are the same on every machine.
//!
//! One figure to know: PSIM is never above the smaller log's share of the SPEs,
//! and with random shares about the square of it, so the paper's threshold of
//! 0.3 gives no log a similar one unless shares are above a half.
//! [`weaknesses`] says so when it happens.
//!
//! # What ranking costs
//!
//! `cargo run --release -p reprise-coop --example scale` simulates users who log
//! a quarter of 1,000 SPEs each; a tenth of the runs fail. Processor time on one
//! core of a virtual machine, and the memory of all of it:
//!
//! | users | index | plain, threshold 0.3 | plain, 0.03 | dispersion, 0.01 | memory |
//! | --- | --- | --- | --- | --- | --- |
//! | 1,000 | 0.0 s | 0.0 s | 0.0 s | 0.0 s | 14 MB |
//! | 10,000 | 0.2 s | 0.0 s | 0.1 s | 0.0 s | 104 MB |
//! | 100,000 | 3.2 s | 0.1 s | 5.9 s | 0.8 s | 1.3 GB |
//!
//! The index and the memory grow with users × SPEs in a share. Ranking grows with
//! the *square* of the failed logs: where all of 100,000 runs failed it would
//! take a hundred times as long as in the last line. A sample of the failed logs
//! is enough then, and it is the caller who takes it.

pub mod causes;
pub mod log;
pub mod metrics;
pub mod plan;
pub mod population;
mod random;
pub mod ranking;
pub mod search;
pub mod weaknesses;
