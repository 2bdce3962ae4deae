//! The recording: one file that holds what a recorder kept of a run.
//!
//! This crate knows no kind of subject. It stores numbered events in streams,
//! memory pages by content, and two manifests; what an event means is the
//! business of the kind that wrote it. It is also the only crate of the core
//! that touches files.
//!
//! ```text
//!  subject                       recorder                      anybody, later
//!  ┌────────────┐  mapped file   ┌─────────┐   append-only    ┌───────────┐
//!  │ RingWriter ├──── spool ────▶│ Drainer ├──▶ Writer ──────▶│ Recording │
//!  └────────────┘                └─────────┘    x.reprise     └───────────┘
//! ```
//!
//! # The file
//!
//! A [file header](header), then [chunks](chunk) one after another, to the
//! end. Every chunk carries its own length and two checksums, so that a reader
//! needs nothing but the bytes in front of it: a recorder that was killed
//! leaves a recording that is complete up to its last whole chunk, and the
//! [`spool`] holds the rest.
//!
//! ```text
//!  file header │ manifest │ stream │ events │ events │ pages │ page map │ …
//!              │ … │ closing manifest │ index │ trailer
//! ```
//!
//! | chunk | content | reader and writer |
//! | --- | --- | --- |
//! | manifest, closing | what was recorded, how it ended | [`manifest`] |
//! | stream | who a stream belongs to and the version of its events | [`stream`] |
//! | events | a run of one stream's events | [`events`] |
//! | pages, page map | memory by content; where it was | [`pages`] |
//! | index, trailer | where every chunk is | [`index`] |
//!
//! Without its `std` feature the crate is `no_std` and holds only what code
//! inside a subject needs: the spool's layout and its [ring writer](spool::ring).
#![cfg_attr(not(feature = "std"), no_std)]

pub mod spool;

#[cfg(feature = "std")]
pub mod chunk;
#[cfg(feature = "std")]
mod codec;
#[cfg(feature = "std")]
mod damage;
#[cfg(feature = "std")]
pub mod events;
#[cfg(feature = "std")]
mod file_size;
#[cfg(feature = "std")]
pub mod header;
#[cfg(feature = "std")]
pub mod index;
#[cfg(feature = "std")]
pub mod limits;
#[cfg(feature = "std")]
pub mod manifest;
#[cfg(feature = "std")]
pub mod pages;
#[cfg(feature = "std")]
mod reader;
#[cfg(feature = "std")]
mod scan;
#[cfg(feature = "std")]
mod source;
#[cfg(feature = "std")]
pub mod stream;
#[cfg(feature = "std")]
mod timeline;
#[cfg(feature = "std")]
mod varint;
#[cfg(feature = "std")]
mod walk;
#[cfg(feature = "std")]
mod writer;

#[cfg(feature = "std")]
pub use crate::{
    damage::{Damage, Damaged, OpenError, ReadError},
    events::Event,
    manifest::{Closing, CutShort, Ending, Failure, Manifest, NotRecorded},
    reader::{Opened, Recording},
    source::Source,
    stream::{StreamId, StreamInfo},
    timeline::Timeline,
    walk::Events,
    writer::{Finished, Packing, StreamWriter, WriteError, Writer},
};
