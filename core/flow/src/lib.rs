//! Where a program is cheapest to cut: the data-flow graph, and its minimum cut.
//!
//! Nodes are the functions of a program and the values they share; an edge says
//! that data flows, and its weight how many bytes. What cannot be played again (a
//! read from a socket) is a *source*, what has to be played again is a *target*.
//! Each cut between them is a boundary at which a recording is complete; the one
//! with the least weight is the one with the smallest log.
//!
//! ```
//! use reprise_flow::{Graph, Weight};
//!
//! // recv -> buffer -> parse -> table -> target
//! let mut graph = Graph::new(5);
//! graph.flows(0, 1, Weight::Bytes(4096))?;
//! graph.flows(1, 2, Weight::Bytes(4096))?;
//! graph.flows(2, 3, Weight::Bytes(16))?;
//! graph.flows(3, 4, Weight::Bytes(400))?;
//! let cut = graph.cut(&[0], &[4])?;
//! assert_eq!(cut.bytes, 16);
//! assert!(cut.is_inside(3) && cut.is_inside(4) && !cut.is_inside(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | file |
//! | --- | --- |
//! | how is a graph made? | `graph.rs` |
//! | how does it look to the search, and what does it cost in memory? | `network.rs` |
//! | how is the cut found? | `dinic.rs` |
//! | what is the answer? | `cut.rs` |
//!
//! Pure. A graph of 80 million edges takes about 4 GB while it is cut.
#![deny(clippy::panic, clippy::unwrap_used)]

mod cut;
mod dinic;
mod graph;
mod network;

pub use cut::{Crossing, Cut, CutError};
pub use graph::{Graph, GraphError, Node, Weight};
