//! Jars that were instrumented ahead of time, run by plain JVMs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod jars;
mod programs;
mod stage;
mod subjects;
