//! Programs recorded with `observe=`, on every JDK of this machine: the same
//! output as without, and the events that are expected.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

mod changed;
mod ended;
mod jvms;
mod killed;
mod mistakes;
mod modules;
mod programs;
mod subjects;
mod support;
