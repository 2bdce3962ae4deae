//! The language as its users meet it: text in, text out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod check;
mod convert;
mod golden;
mod parse;
mod round_trip;
mod trace;
mod values;
