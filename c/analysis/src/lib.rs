//! What flows where in a C program, and where it is cheapest to cut.
//!
//! A [`Program`](model::Program) is a list of functions, of memory objects and of what the
//! instructions do with pointers; who makes one of a compiler's files is of no
//! concern here. [`points_to`] finds out which objects a pointer may point to,
//! [`boundary`] which functions and objects are inside, so that the log is
//! smallest and nothing enters unseen.
//!
//! | question | file |
//! | --- | --- |
//! | what is known of a program? | `model.rs` |
//! | what do functions do that are not part of it? | `annotations.rs` |
//! | what do `scanf` and its like fill? | `scanned.rs` |
//! | what does a pointer point to? | `points_to.rs`; which words are told apart: `points_to/cells.rs` |
//! | what do functions do? | `effects.rs` |
//! | what is inside, and what does that cost? | `boundary.rs`; the graph that is cut: `graph.rs` |
//! | was something seen that was not computed? | `missed.rs` |
//! | which functions does a pattern mean? | `target.rs` |
//! | which threads may come inside? | `threads.rs` |
//! | of which functions would it pay to know more? | `unknown.rs` |
//!
//! **Which side an object is on.** An object that outside code may write to is
//! outside; every other one is inside. So only inside code has to be looked at
//! while the program runs, and the log has what inside code reads of outside
//! objects, what calls return, and what inside functions are called with.
//!
//! Pure.
#![deny(clippy::panic, clippy::unwrap_used)]

pub mod annotations;
pub mod boundary;
mod effects;
mod graph;
pub mod missed;
pub mod model;
pub mod points_to;
pub mod scanned;
pub mod target;
pub mod threads;
pub mod unknown;
