//! The graph as the search wants it: the edges of a node side by side, each with
//! its way back.
//!
//! Four numbers per direction of an edge, 16 bytes: where it leads, where its way
//! back is, and what can still flow. A node more on each side joins all sources
//! and all targets.

use crate::graph::{Edge, Graph, Node, UNCUTTABLE};

/// The highest bit of `back`: this is the way back of an edge, not the edge.
const BACKWARDS: u32 = 1 << 31;

/// A graph between one source and one sink.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) source: Node,
    pub(crate) sink: Node,
    /// Where the edges of each node begin; one more than there are nodes.
    first: Vec<u32>,
    to: Vec<Node>,
    back: Vec<u32>,
    left: Vec<u64>,
}

impl Network {
    pub(crate) fn new(graph: Graph, sources: &[Node], targets: &[Node]) -> Self {
        let Graph { nodes, mut edges } = graph;
        let (source, sink) = (nodes, nodes + 1);
        let joins = |from, to| Edge {
            weight: UNCUTTABLE,
            from,
            to,
        };
        edges.extend(sources.iter().map(|node| joins(source, *node)));
        edges.extend(targets.iter().map(|node| joins(*node, sink)));
        let mut first = vec![0_u32; nodes as usize + 3];
        for edge in &edges {
            first[edge.from as usize + 1] += 1;
            first[edge.to as usize + 1] += 1;
        }
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let arcs = 2 * edges.len();
        let mut network = Self {
            source,
            sink,
            to: vec![0; arcs],
            back: vec![0; arcs],
            left: vec![0; arcs],
            first,
        };
        let mut next = network.first.clone();
        let mut place = |node: Node| {
            let place = next[node as usize];
            next[node as usize] += 1;
            place
        };
        for edge in edges {
            let (there, back) = (place(edge.from), place(edge.to));
            network.to[there as usize] = edge.to;
            network.to[back as usize] = edge.from;
            network.back[there as usize] = back;
            network.back[back as usize] = there | BACKWARDS;
            network.left[there as usize] = edge.weight;
        }
        network
    }

    /// With the two that join the others.
    pub(crate) fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The edges of a node, and the ways back of those that lead to it.
    pub(crate) fn arcs(&self, node: Node) -> std::ops::Range<u32> {
        self.first[node as usize]..self.first[node as usize + 1]
    }

    pub(crate) fn to(&self, arc: u32) -> Node {
        self.to[arc as usize]
    }

    pub(crate) fn left(&self, arc: u32) -> u64 {
        self.left[arc as usize]
    }

    pub(crate) fn way_back(&self, arc: u32) -> u32 {
        self.back[arc as usize] & !BACKWARDS
    }

    pub(crate) fn is_edge(&self, arc: u32) -> bool {
        self.back[arc as usize] & BACKWARDS == 0
    }

    /// So much flows through this arc from now on, beside what did before.
    pub(crate) fn flows(&mut self, arc: u32, amount: u64) {
        let back = self.way_back(arc);
        // What cannot be cut has no end, in either direction.
        let left = &mut self.left;
        if left[arc as usize] != UNCUTTABLE {
            left[arc as usize] -= amount;
        }
        if left[back as usize] != UNCUTTABLE {
            left[back as usize] += amount;
        }
    }
}
