//! `record --last` and `replay`, from end to end: every subject in `subjects/`,
//! programs that nobody here wrote, and recordings that were tampered with.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

mod attach;
mod control;
mod family;
mod filters;
mod limits;
mod moments;
mod pages;
mod programs;
mod rewrite;
mod stage;
mod subjects;
mod tampered;
mod threads;
mod unharmed;
