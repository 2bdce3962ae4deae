//! `replay --debug`, with the real gdb: crashes, breakpoints, watchpoints, and
//! going back.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

mod clients;
mod crash;
mod programs;
mod stage;
mod threads;
mod whole;
