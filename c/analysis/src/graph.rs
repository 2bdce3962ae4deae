//! The graph whose cheapest cut is the boundary.
//!
//! ```text
//! function ─bytes→ function      what is called with, what is returned
//! function ──∞──→ written set ──∞──→ object     whoever may write to an object is
//!                                               inside, or the object is outside
//! function ──∞──→ object                        what an outside function has is outside
//! object ─bytes→ function                       what is read of it, if it is outside, as
//!                                               weighed
//! object ──∞──→ read set ─bytes→ function       the same where nobody knows of which object
//! object ──∞──→ met set ─checks→ function       what has to be looked at while it runs, since
//!                                               one of the objects that it may mean is outside
//! the world ─bytes→ function                    what calls of libraries return
//! the world ─bytes→ filled set ──∞──→ object    what they fill, whichever object it is
//! ```
//! One node for each different set of objects, and not an edge for each object
//! that an instruction may mean: a tenth of the edges, and an access counts once.

use std::collections::BTreeSet;

use reprise_flow::{CutError, Graph, Node, Weight};

use crate::effects::{Effects, meant};
use crate::model::{FunctionId, HANDLE, LENT, Program, Storage, TABLES, UNKNOWN};
use crate::points_to::{PointsTo, SetId};

/// What an event costs beside the bytes that it carries.
pub(crate) const EVENT: u64 = 2;

/// What a byte weighs. What has never crossed weighs 1, so that even thousands of such
/// edges are no reason to log a few bytes.
pub(crate) const SCALE: u64 = 1 << 10;

/// What it weighs that a load or a store is looked at while the program runs. An event of six
/// bytes takes 50 ns, a read of outside memory that is none takes 4, and one of inside memory that
/// is looked at half of one (`studies/cut-programs`): half a byte, or a twentieth.
pub(crate) const CHECK: u64 = SCALE / 10;

/// Why there is no boundary.
#[derive(Debug)]
pub(crate) struct NoWay {
    /// Functions and objects between which nothing can be recorded.
    pub(crate) through: Vec<String>,
}

/// What was cut.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) inside: Vec<bool>,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
}

/// The functions that are inside of the cheapest boundary.
pub(crate) fn cut(
    program: &Program,
    points_to: &PointsTo,
    effects: &Effects,
    refused: &[bool],
    targets: &[FunctionId],
) -> Result<Found, NoWay> {
    let layout = Layout {
        functions: program.functions.len() as u32,
        objects: program.objects.len() as u32,
        sets: points_to.sets() as u32,
    };
    let mut edges: Vec<(Node, Node, Weight)> = Vec::new();
    let bytes = |bytes: u64| match bytes {
        0 => Weight::Bytes(1),
        bytes => Weight::Bytes(SCALE * bytes.min(1 << 36)),
    };
    let mut used: BTreeSet<(bool, SetId)> = BTreeSet::new();
    for ((function, set), (read, times)) in &effects.reads {
        used.insert((false, *set));
        edges.push((layout.read(*set), *function, bytes(read + times * EVENT)));
    }
    for ((function, object), (read, times)) in &effects.found {
        let from = object.map_or(layout.world(), |object| layout.object(object));
        edges.push((from, *function, bytes(read + times * EVENT)));
    }
    let mut met_sets: BTreeSet<SetId> = BTreeSet::new();
    for ((function, set), times) in &effects.meets {
        let weight = Weight::Bytes(CHECK * (*times).min(1 << 36));
        match points_to.members(*set) {
            // A pointer to nothing known may be anything.
            [] => edges.push((layout.world(), *function, weight)),
            _ => {
                met_sets.insert(*set);
                edges.push((layout.met(*set), *function, weight));
            }
        }
    }
    for set in met_sets {
        for object in points_to.members(set) {
            edges.push((layout.object(*object), layout.met(set), Weight::Uncuttable));
        }
    }
    for (function, set) in &effects.writes {
        used.insert((true, *set));
        edges.push((*function, layout.written(*set), Weight::Uncuttable));
    }
    let mut filled_sets: BTreeSet<SetId> = BTreeSet::new();
    for ((_, _, set), filled) in &effects.fills {
        filled_sets.insert(*set);
        let weight = bytes(if *filled > 0 { *filled + EVENT } else { 0 });
        edges.push((layout.world(), layout.filled(*set), weight));
    }
    for set in filled_sets {
        for object in points_to.members(set) {
            let (from, to) = (layout.filled(set), layout.object(*object));
            edges.push((from, to, Weight::Uncuttable));
        }
    }
    for (writes, set) in used {
        if !writes {
            for object in meant(program, points_to.members(set)) {
                edges.push((layout.object(object), layout.read(set), Weight::Uncuttable));
            }
            continue;
        }
        for object in points_to.members(set) {
            if program.objects[*object as usize].storage != Storage::Constant {
                let (from, to) = (layout.written(set), layout.object(*object));
                edges.push((from, to, Weight::Uncuttable));
            }
        }
    }
    for ((caller, callee), (times, results)) in &effects.calls {
        let known = &program.functions[*callee as usize];
        let arguments = times * (8 * known.parameters.len() as u64 + EVENT);
        let into = match known.no_entry {
            Some(_) => Weight::Uncuttable,
            None => bytes(arguments),
        };
        edges.push((*caller, *callee, into));
        edges.push((*callee, *caller, bytes(results + times * EVENT)));
    }
    for ((caller, _), (times, results)) in &effects.externals {
        edges.push((layout.world(), *caller, bytes(results + times * EVENT)));
    }
    for (index, object) in (0..).zip(&program.objects) {
        if let Storage::Stack(owner) | Storage::Heap(owner) = object.storage {
            edges.push((owner, layout.object(index), Weight::Uncuttable));
        }
    }
    let mut sources = vec![
        layout.world(),
        layout.object(UNKNOWN),
        layout.object(HANDLE),
        layout.object(LENT),
        layout.object(TABLES),
    ];
    for var in &program.varying {
        let varying = points_to.objects(*var).iter();
        sources.extend(varying.map(|object| layout.object(*object)));
    }
    for (index, object) in (0..).zip(&program.objects) {
        let written_outside = match object.storage {
            Storage::External | Storage::Handle | Storage::Variable => true,
            Storage::Constant | Storage::Function(_) | Storage::Unknown => false,
            _ => points_to.is_escaped(index),
        };
        if written_outside {
            sources.push(layout.object(index));
        }
    }
    for ((index, function), refused) in (0..).zip(&program.functions).zip(refused) {
        if function.defined && *refused && !targets.contains(&index) {
            sources.push(index);
        }
    }
    let mut graph = Graph::new(layout.nodes());
    graph.reserve(edges.len());
    let count = edges.len() as u64;
    for (from, to, weight) in edges {
        // Every node is one of the layout, and weights are clamped.
        let _ = graph.flows(from, to, weight);
    }
    match graph.cut(&sources, targets) {
        Ok(cut) => Ok(Found {
            inside: (0..layout.functions)
                .map(|node| cut.is_inside(node))
                .collect(),
            nodes: u64::from(layout.nodes()),
            edges: count,
        }),
        Err(CutError::Uncuttable(way)) => Err(NoWay {
            through: way
                .iter()
                .filter_map(|node| layout.name(program, *node))
                .collect(),
        }),
        Err(CutError::NoSuchNode(node) | CutError::Both(node)) => Err(NoWay {
            through: layout.name(program, node).into_iter().collect(),
        }),
    }
}

/// Which node is what.
struct Layout {
    functions: u32,
    objects: u32,
    sets: u32,
}

impl Layout {
    fn object(&self, object: u32) -> Node {
        self.functions + object
    }

    fn read(&self, set: SetId) -> Node {
        self.functions + self.objects + set
    }

    fn written(&self, set: SetId) -> Node {
        self.functions + self.objects + self.sets + set
    }

    fn filled(&self, set: SetId) -> Node {
        self.functions + self.objects + 2 * self.sets + set
    }

    fn met(&self, set: SetId) -> Node {
        self.functions + self.objects + 3 * self.sets + set
    }

    fn world(&self) -> Node {
        self.functions + self.objects + 4 * self.sets
    }

    fn nodes(&self) -> u32 {
        self.world() + 1
    }

    fn name(&self, program: &Program, node: Node) -> Option<String> {
        if let Some(function) = program.functions.get(node as usize) {
            return Some(function.name.clone());
        }
        let object = node.checked_sub(self.functions)?;
        let object = program.objects.get(object as usize)?;
        Some(object.name.clone())
    }
}
