//! `reprise record --observe`, `reprise show` and `reprise stop` on a JVM program.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod instrument;
mod mistakes;
mod program;
mod recorded;
mod stopped;
