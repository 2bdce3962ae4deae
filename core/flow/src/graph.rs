//! A graph while it is being made: nodes are numbers, edges a list.

use thiserror::Error;

use crate::cut::{Cut, CutError};
use crate::dinic::Search;
use crate::network::Network;

/// A function or a value: its number, from 0.
pub type Node = u32;

/// What it costs to cut an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// So many bytes would be recorded.
    Bytes(u64),
    /// Nothing can be recorded here.
    Uncuttable,
}

/// More edges than this have no numbers.
const MOST_EDGES: usize = 1 << 30;

/// Heavier edges would not add up.
const HEAVIEST: u64 = 1 << 48;

/// Why an edge was not taken.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GraphError {
    /// There is no such node.
    #[error("node {node} of a graph of {nodes} nodes")]
    NoSuchNode {
        /// The node that was named.
        node: Node,
        /// How many there are.
        nodes: u32,
    },
    /// The graph has as many edges as it can have.
    #[error("more than {MOST_EDGES} edges")]
    TooManyEdges,
    /// Weights of edges are added.
    #[error("an edge of {0} bytes; the heaviest has {HEAVIEST}")]
    TooHeavy(u64),
}

/// The flow of data in a program.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) nodes: u32,
    pub(crate) edges: Vec<Edge>,
}

/// The highest weight is that of what cannot be cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) weight: u64,
    pub(crate) from: Node,
    pub(crate) to: Node,
}

pub(crate) const UNCUTTABLE: u64 = u64::MAX;

impl Graph {
    /// A graph with so many nodes and no edges.
    pub fn new(nodes: u32) -> Self {
        Self {
            nodes,
            edges: Vec::new(),
        }
    }

    /// Makes room for edges, where it is known how many there will be.
    pub fn reserve(&mut self, edges: usize) {
        self.edges.reserve_exact(edges.min(MOST_EDGES));
    }

    /// Data flows from one node to another.
    pub fn flows(&mut self, from: Node, to: Node, weight: Weight) -> Result<(), GraphError> {
        for node in [from, to] {
            if node >= self.nodes {
                let nodes = self.nodes;
                return Err(GraphError::NoSuchNode { node, nodes });
            }
        }
        if self.edges.len() >= MOST_EDGES {
            return Err(GraphError::TooManyEdges);
        }
        let weight = match weight {
            Weight::Bytes(bytes) if bytes > HEAVIEST => return Err(GraphError::TooHeavy(bytes)),
            Weight::Bytes(bytes) => bytes,
            Weight::Uncuttable => UNCUTTABLE,
        };
        // What costs nothing to cut is as good as not there, and so is what flows
        // in a circle of one.
        if weight > 0 && from != to {
            self.edges.push(Edge { weight, from, to });
        }
        Ok(())
    }

    /// The lightest set of edges that separates all sources from all targets;
    /// among those, the one nearest to the targets.
    pub fn cut(self, sources: &[Node], targets: &[Node]) -> Result<Cut, CutError> {
        let mut is_source = vec![false; self.nodes as usize];
        for node in sources.iter().chain(targets) {
            if *node >= self.nodes {
                return Err(CutError::NoSuchNode(*node));
            }
        }
        if sources.is_empty() || targets.is_empty() {
            return Ok(Cut::without_edges(self.nodes, targets));
        }
        for source in sources {
            is_source[*source as usize] = true;
        }
        if let Some(both) = targets.iter().find(|node| is_source[**node as usize]) {
            return Err(CutError::Both(*both));
        }
        let network = Network::new(self, sources, targets);
        Search::new(network).run()
    }
}
