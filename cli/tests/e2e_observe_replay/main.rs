//! `reprise replay` of recordings of JVM programs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod debugger;
mod mistakes;
mod replays;
mod stage;
mod walls;
