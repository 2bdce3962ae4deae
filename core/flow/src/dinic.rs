//! The search, after Dinic: as long as there is a way from source to sink, all
//! shortest ways are filled, and each round the shortest way is longer.

use std::collections::VecDeque;

use crate::cut::{Crossing, Cut, CutError};
use crate::graph::{Node, UNCUTTABLE};
use crate::network::Network;

/// How far a node is that is not reached.
const NOWHERE: u32 = u32::MAX;

pub(crate) struct Search {
    network: Network,
    /// How far each node is from the sink. Counting from there, ways that lead
    /// nowhere are not entered.
    distance: Vec<u32>,
    /// The first of a node's arcs that is not known to lead nowhere.
    next: Vec<u32>,
    queue: VecDeque<Node>,
    /// The arcs of the way that is being tried.
    way: Vec<u32>,
}

impl Search {
    pub(crate) fn new(network: Network) -> Self {
        let nodes = network.nodes();
        Self {
            distance: vec![NOWHERE; nodes],
            next: vec![0; nodes],
            queue: VecDeque::new(),
            way: Vec::new(),
            network,
        }
    }

    pub(crate) fn run(mut self) -> Result<Cut, CutError> {
        while self.measure() {
            for node in 0..self.next.len() {
                self.next[node] = self.network.arcs(node as Node).start;
            }
            while self.find_way() {
                self.fill_way()?;
            }
        }
        Ok(self.cut())
    }

    /// Measures how far all nodes are from the sink; false when the source is not
    /// connected to it any more.
    fn measure(&mut self) -> bool {
        self.distance.fill(NOWHERE);
        self.distance[self.network.sink as usize] = 0;
        self.queue.clear();
        self.queue.push_back(self.network.sink);
        while let Some(node) = self.queue.pop_front() {
            let farther = self.distance[node as usize] + 1;
            for arc in self.network.arcs(node) {
                let from = self.network.to(arc);
                let towards = self.network.way_back(arc);
                if self.distance[from as usize] == NOWHERE && self.network.left(towards) > 0 {
                    self.distance[from as usize] = farther;
                    self.queue.push_back(from);
                }
            }
        }
        self.distance[self.network.source as usize] != NOWHERE
    }

    /// Finds a shortest way on which something can flow, from where `way` has got
    /// to already.
    fn find_way(&mut self) -> bool {
        let network = &self.network;
        let mut node = match self.way.last() {
            Some(arc) => network.to(*arc),
            None => network.source,
        };
        while node != network.sink {
            let distance = self.distance[node as usize];
            let end = network.arcs(node).end;
            let arc = (self.next[node as usize]..end).find(|arc| {
                let to = self.distance[network.to(*arc) as usize];
                to != NOWHERE && to + 1 == distance && network.left(*arc) > 0
            });
            if let Some(arc) = arc {
                self.next[node as usize] = arc;
                self.way.push(arc);
                node = network.to(arc);
                continue;
            }
            // Nothing leads on from here.
            self.next[node as usize] = end;
            let Some(arc) = self.way.pop() else {
                return false;
            };
            node = network.to(network.way_back(arc));
            self.next[node as usize] += 1;
        }
        true
    }

    /// Lets as much flow as the way can take, and goes back to where it is full.
    fn fill_way(&mut self) -> Result<(), CutError> {
        let amount = self.way.iter().map(|arc| self.network.left(*arc)).min();
        let amount = amount.unwrap_or(UNCUTTABLE);
        if amount == UNCUTTABLE {
            return Err(CutError::Uncuttable(self.nodes_of_way()));
        }
        for arc in &self.way {
            self.network.flows(*arc, amount);
        }
        let full = self.way.iter().position(|arc| self.network.left(*arc) == 0);
        self.way.truncate(full.unwrap_or_default());
        Ok(())
    }

    /// Without the two nodes that only join the others.
    fn nodes_of_way(&self) -> Vec<Node> {
        let nodes = self.way.iter().map(|arc| self.network.to(*arc));
        nodes.filter(|node| *node != self.network.sink).collect()
    }

    /// What still reaches the sink is inside: so it is as little as can be.
    fn cut(self) -> Cut {
        let network = &self.network;
        let is_inside = |node: Node| self.distance[node as usize] != NOWHERE;
        let nodes = network.source;
        let mut crossings = Vec::new();
        for from in (0..nodes).filter(|node| !is_inside(*node)) {
            for arc in network.arcs(from).filter(|arc| network.is_edge(*arc)) {
                let to = network.to(arc);
                if to < nodes && is_inside(to) {
                    // It is full, so that all it can take flows.
                    let bytes = network.left(network.way_back(arc));
                    crossings.push(Crossing { from, to, bytes });
                }
            }
        }
        Cut {
            bytes: crossings.iter().map(|crossing| crossing.bytes).sum(),
            crossings,
            inside: (0..nodes).map(is_inside).collect(),
        }
    }
}
