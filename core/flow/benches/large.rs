//! How long a large graph takes, and how much memory: `cargo xtask study cut-large`, with so many
//! million edges if that is said.
//!
//! The graph has the shape of a program's: functions that share values, most of
//! them with their neighbours, some with everybody, and bytes of very different
//! sizes.
#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::time::Instant;

use reprise_flow::{Graph, Weight};

/// In millions, as many as the paper has for Berkeley DB.
const EDGES: u64 = 80;

/// What it may take, in kB.
const MEMORY: u64 = 8 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|one| one == "--bench") {
        // Somebody only wants to know whether it can be compiled.
        return;
    }
    let millions = arguments.iter().find_map(|one| one.parse().ok());
    let edges = 1_000_000 * millions.unwrap_or(EDGES);
    let nodes = u32::try_from(edges / 60).unwrap().max(10);
    let functions = nodes / 10;
    let mut state = 1_u64;
    let mut random = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(state % u64::from(below)).unwrap()
    };
    let start = Instant::now();
    let mut graph = Graph::new(nodes);
    graph.reserve(usize::try_from(edges).unwrap());
    for _ in 0..edges {
        let function = random(functions);
        let values = nodes - functions;
        let near = function * 9 + random(40);
        let value = functions
            + if random(20) == 0 {
                random(values)
            } else {
                near % values
            };
        let bytes = 1_u64 << random(20);
        let (from, to) = if random(3) == 0 {
            (function, value)
        } else {
            (value, function)
        };
        graph.flows(from, to, Weight::Bytes(bytes)).unwrap();
    }
    println!(
        "{edges} edges made in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    let sources: Vec<u32> = (0..functions).step_by(97).collect();
    let targets: Vec<u32> = (functions / 2..functions / 2 + 20)
        .filter(|f| f % 97 != 0)
        .collect();
    let cut = graph.cut(&sources, &targets).unwrap();
    println!(
        "cut in {:.1} s: {} bytes, {} crossings, {} of {nodes} nodes inside",
        start.elapsed().as_secs_f64(),
        cut.bytes,
        cut.crossings.len(),
        cut.inside()
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let most = lines.find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let most: u64 = most.trim().trim_end_matches(" kB").parse().unwrap();
    println!("at most {} MB of memory", most >> 10);
    assert!(edges > 1_000_000 * EDGES || most <= MEMORY, "{most} kB");
}
