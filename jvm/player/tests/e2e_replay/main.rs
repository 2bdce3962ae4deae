//! Programs recorded by the agent, and played without their classes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod changed;
mod hostile;
mod jvms;
mod libraries;
mod memory;
mod modules;
mod nanoxml;
mod order;
mod programs;
mod sets;
mod subjects;
mod support;
