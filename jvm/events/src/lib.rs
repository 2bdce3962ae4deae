//! The events of a JVM program's boundary: what they are, their bytes, and
//! what a person reads.
//!
//! A recording of chosen classes has one stream of kind [`CALLS`] per thread
//! and streams of kind [`TABLES`] that the others refer to: one that the agent
//! writes (classes, methods, sites, original class bytes, and the values that
//! the runtime interns). Reader and writer of each structure stand side by
//! side, and the format is drawn where it is read:
//!
//! | what | where |
//! | --- | --- |
//! | numbers, strings | [`bytes`] |
//! | values: scalars, references, boxes | [`value`] |
//! | events of a thread | [`event`] |
//! | table entries | [`table`] |
//! | bytes → events with the tables at hand | [`reader`] |
//! | events → text | [`describe`] |
//! | every call returns | [`nesting`] |
//!
//! The second writer of [`CALLS`] is Java: `jvm/runtime` writes these bytes
//! from within the subject. Pure: bytes in, values out, an error on any input.
#![deny(clippy::indexing_slicing, clippy::panic)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::panic))]

pub mod bytes;
pub mod describe;
pub mod event;
pub mod nesting;
pub mod reader;
pub mod table;
pub mod value;

/// The kind of a thread's events.
pub const CALLS: &str = "jvm.calls";
/// The version of [`CALLS`].
pub const CALLS_VERSION: u32 = 3;
/// The kind of the tables.
pub const TABLES: &str = "jvm.tables";
/// The version of [`TABLES`].
pub const TABLES_VERSION: u32 = 2;
