//! The answer: what is inside, and what crosses.

use thiserror::Error;

use crate::graph::Node;

/// An edge from outside to inside: this is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Outside.
    pub from: Node,
    /// Inside.
    pub to: Node,
    /// What it costs.
    pub bytes: u64,
}

/// Which nodes are inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The sum of what crosses.
    pub bytes: u64,
    /// What crosses, by where it comes from.
    pub crossings: Vec<Crossing>,
    pub(crate) inside: Vec<bool>,
}

/// Why there is no cut.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CutError {
    /// A source or target that is not in the graph.
    #[error("there is no node {0}")]
    NoSuchNode(Node),
    /// It cannot be played again, and has to be.
    #[error("node {0} is a source and a target")]
    Both(Node),
    /// Nothing on this way can be cut, from a source to a target.
    #[error("{} edges from node {} to node {} cannot be cut", .0.len().saturating_sub(1), .0.first().copied().unwrap_or_default(), .0.last().copied().unwrap_or_default())]
    Uncuttable(Vec<Node>),
}

impl Cut {
    /// Whether this node is played again.
    pub fn is_inside(&self, node: Node) -> bool {
        self.inside.get(node as usize).copied().unwrap_or_default()
    }

    /// How many nodes are played again.
    pub fn inside(&self) -> usize {
        self.inside.iter().filter(|inside| **inside).count()
    }

    /// Where nothing has to be separated, the targets alone are inside.
    pub(crate) fn without_edges(nodes: u32, targets: &[Node]) -> Self {
        let mut inside = vec![false; nodes as usize];
        for target in targets {
            inside[*target as usize] = true;
        }
        Self {
            bytes: 0,
            crossings: Vec::new(),
            inside,
        }
    }
}
