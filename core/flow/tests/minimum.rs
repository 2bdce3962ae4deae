//! The cut is the lightest there is, and the one nearest to the targets: against
//! all cuts of small graphs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use reprise_flow::{CutError, Graph, GraphError, Weight};

type Edges = Vec<(u32, u32, Option<u64>)>;

fn graph(nodes: u32, edges: &Edges) -> Graph {
    let mut graph = Graph::new(nodes);
    for (from, to, weight) in edges {
        let weight = weight.map_or(Weight::Uncuttable, Weight::Bytes);
        graph.flows(*from, *to, weight).unwrap();
    }
    graph
}

/// What a set of inside nodes costs; `None` if it cannot be.
fn cost(inside: u32, edges: &Edges) -> Option<u64> {
    let mut sum = 0;
    for (from, to, weight) in edges {
        if inside >> from & 1 == 0 && inside >> to & 1 == 1 {
            sum += (*weight)?;
        }
    }
    Some(sum)
}

/// The lightest cut by trying all, and of those the one with the fewest nodes
/// inside; there is one that is part of all others.
fn by_trying(nodes: u32, edges: &Edges, sources: &[u32], targets: &[u32]) -> Option<(u64, u32)> {
    let set = |nodes: &[u32]| nodes.iter().fold(0_u32, |set, node| set | 1 << node);
    let (sources, targets) = (set(sources), set(targets));
    let all = 0..1_u32 << nodes;
    let possible = all.filter(|inside| inside & sources == 0 && inside & targets == targets);
    let best = possible.filter_map(|inside| Some((cost(inside, edges)?, inside)));
    best.min_by_key(|(cost, inside)| (*cost, inside.count_ones()))
}

fn edges(nodes: u32) -> impl Strategy<Value = Edges> {
    let weight = prop_oneof![1 => Just(None), 9 => (0_u64..20).prop_map(Some)];
    prop::collection::vec((0..nodes, 0..nodes, weight), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn as_by_trying_all_cuts(
        (nodes, edges) in (3_u32..9).prop_flat_map(|nodes| (Just(nodes), edges(nodes))),
        sources in 1_u32..3,
    ) {
        // The first nodes are sources, the last is the target.
        let sources: Vec<u32> = (0..sources).collect();
        let targets = [nodes - 1];
        let expected = by_trying(nodes, &edges, &sources, &targets);
        match graph(nodes, &edges).cut(&sources, &targets) {
            Ok(cut) => {
                let (bytes, inside) = expected.unwrap();
                prop_assert_eq!(cut.bytes, bytes);
                for node in 0..nodes {
                    prop_assert_eq!(cut.is_inside(node), inside >> node & 1 == 1, "{}", node);
                }
                let crossing: u64 = cut.crossings.iter().map(|crossing| crossing.bytes).sum();
                prop_assert_eq!(crossing, bytes);
                for crossing in &cut.crossings {
                    prop_assert!(!cut.is_inside(crossing.from) && cut.is_inside(crossing.to));
                }
            }
            Err(CutError::Uncuttable(way)) => {
                prop_assert_eq!(expected, None);
                prop_assert!(sources.contains(&way[0]));
                prop_assert_eq!(way.last(), Some(&targets[0]));
                for step in way.windows(2) {
                    prop_assert!(edges.contains(&(step[0], step[1], None)));
                }
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}

/// Figure 2 of the iTarget paper: `f` calls `g` twice, which adds a random number
/// to a counter. Cut 1 records both random numbers, cut 2 what `f` reads.
#[test]
fn the_example_of_the_paper() {
    // random, a, g, cnt, f
    let [random, a, g, cnt, f] = [0, 1, 2, 3, 4];
    let flows = vec![
        (random, a, Some(8)),
        (a, g, Some(8)),
        (cnt, g, Some(8)),
        (g, cnt, Some(8)),
        (cnt, f, Some(4)),
    ];
    let cut = graph(5, &flows).cut(&[random], &[f]).unwrap();
    assert_eq!(cut.bytes, 4);
    assert_eq!(cut.inside(), 1);
    // Read often, the counter is better recorded where it is written.
    let mut flows = flows;
    flows[4].2 = Some(16);
    let cut = graph(5, &flows).cut(&[random], &[f]).unwrap();
    assert_eq!(cut.bytes, 8);
    assert!(!cut.is_inside(g) && cut.is_inside(cnt));
    // Written often too, it is better computed again.
    flows[3].2 = Some(16);
    let cut = graph(5, &flows).cut(&[random], &[f]).unwrap();
    assert_eq!(cut.bytes, 8);
    assert!(cut.is_inside(g) && cut.is_inside(cnt) && !cut.is_inside(a));
}

#[test]
fn bad_input_is_refused() {
    let mut bad = Graph::new(2);
    let refused = bad.flows(0, 2, Weight::Bytes(1));
    assert_eq!(refused, Err(GraphError::NoSuchNode { node: 2, nodes: 2 }));
    let heavy = u64::MAX - 1;
    let refused = bad.flows(0, 1, Weight::Bytes(heavy));
    assert_eq!(refused, Err(GraphError::TooHeavy(heavy)));
    assert_eq!(bad.clone().cut(&[5], &[0]), Err(CutError::NoSuchNode(5)));
    assert_eq!(bad.clone().cut(&[1], &[1]), Err(CutError::Both(1)));
    assert_eq!(bad.cut(&[], &[1]).unwrap().inside(), 1);
}

/// A chain is as deep as there are nodes: no recursion.
#[test]
fn a_long_chain() {
    let nodes = 300_000;
    let mut graph = Graph::new(nodes);
    for node in 1..nodes {
        let weight = if node == 1234 { 3 } else { 7 };
        graph.flows(node - 1, node, Weight::Bytes(weight)).unwrap();
    }
    let cut = graph.cut(&[0], &[nodes - 1]).unwrap();
    assert_eq!(cut.bytes, 3);
    assert_eq!(cut.inside(), (nodes - 1234) as usize);
}
