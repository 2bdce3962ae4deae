//! The tests of the crate, in one program so that it is linked once.

#![allow(clippy::unwrap_used, clippy::panic)] // A failed expectation ends a test.

mod assemble;
mod constructor;
mod dump;
mod hostile;
mod javac;
mod property;
mod read;
mod relocate;
mod round_trip;
mod support;
mod traps;
mod types;
mod verify;
