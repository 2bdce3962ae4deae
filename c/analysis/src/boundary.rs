//! A boundary: which functions and objects are inside, and what crosses it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::effects::{self, Effects};
use crate::graph;
use crate::model::{
    FunctionId, HANDLE, LENT, ObjectId, Place, Program, Storage, TABLES, UNKNOWN, Var,
};
use crate::points_to::{PointsTo, SetId};

/// How the boundary is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// The one with the smallest log.
    #[default]
    Cheapest,
    /// Around the target, and nothing else.
    Naive,
    /// Around all functions that can be inside.
    Whole,
}

/// What crosses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Flow {
    /// An inside function reads outside objects.
    Read {
        /// The function.
        function: String,
        /// Some of the objects.
        objects: Vec<String>,
    },
    /// An outside function calls an inside one.
    Entry {
        /// Who calls.
        caller: String,
        /// Who is called.
        callee: String,
    },
    /// An inside function calls an outside one.
    Result {
        /// Who calls.
        caller: String,
        /// Who is called.
        callee: String,
    },
    /// A library fills inside objects.
    Filled {
        /// Who calls the library.
        caller: String,
        /// The library's function.
        callee: String,
    },
}

/// What it costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// What.
    pub flow: Flow,
    /// Bytes of data.
    pub bytes: u64,
    /// Events; each takes a few bytes more.
    pub events: u64,
}

/// A boundary.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    /// Which functions are inside.
    pub functions: Vec<bool>,
    /// Which objects are.
    pub objects: Vec<bool>,
    /// Jumps between functions are followed: no library has the memory in which places to
    /// jump to are marked.
    pub follows_jumps: bool,
    /// Functions that are called at any moment, for a signal.
    pub handlers: Vec<FunctionId>,
    /// What crosses, the most expensive first.
    pub flows: Vec<Cost>,
    /// How many loads and stores were looked at in the runs that were weighed.
    pub looked_at: u64,
    /// The size of the graph that was cut.
    pub nodes: u64,
    /// The same.
    pub edges: u64,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundaryError {
    /// A function of the target cannot be inside.
    #[error("{function} cannot be recorded: {why} ({place})")]
    Refused {
        /// Which.
        function: String,
        /// Why not.
        why: String,
        /// Where that stands.
        place: Place,
    },
    /// Nothing can be recorded on the way from what is outside to the target.
    #[error("nothing can be recorded between {}", .0.join(" and "))]
    NoWay(Vec<String>),
}

impl Boundary {
    /// How many bytes of data cross.
    pub fn bytes(&self) -> u64 {
        self.flows.iter().map(|cost| cost.bytes).sum()
    }

    /// How many events.
    pub fn events(&self) -> u64 {
        self.flows.iter().map(|cost| cost.events).sum()
    }

    /// Whether all that a pointer may point to is inside, so that nobody has to look
    /// at it while the program runs. A pointer to nothing known may be anything. Even
    /// where a handle points to a program may look: `getc_unlocked` is a macro.
    pub fn is_inside(&self, points_to: &PointsTo, pointer: Var) -> bool {
        let objects = points_to.objects(pointer);
        let is_inside = |object: &ObjectId| self.objects.get(*object as usize) == Some(&true);
        !objects.is_empty() && objects.iter().all(is_inside)
    }

    /// Whether something that a pointer may point to is inside, or nothing is known of it.
    pub fn may_be_inside(&self, points_to: &PointsTo, pointer: Var) -> bool {
        let objects = points_to.objects(pointer);
        let is_inside = |object: &ObjectId| self.objects.get(*object as usize) == Some(&true);
        objects.is_empty() || objects.iter().any(is_inside)
    }
}

/// Finds the boundary for a target.
pub fn find(
    program: &Program,
    points_to: &PointsTo,
    targets: &[FunctionId],
    choice: Choice,
) -> Result<Boundary, BoundaryError> {
    let effects = Effects::of(program, points_to);
    let follows_jumps = follows_jumps(program, points_to);
    let refusal = |index: FunctionId| {
        let function = &program.functions[index as usize];
        let handler = effects.faults.get(&index).map(|place| {
            let why = "it handles a signal that the program's own instructions cause".to_owned();
            (why, place.clone())
        });
        let jump = function.jumps.first().filter(|_| !follows_jumps);
        let jump = jump.map(|(_, place)| {
            let why = "it jumps between functions, by memory that a library may have".to_owned();
            (why, place.clone())
        });
        function.refused.clone().or(handler).or(jump)
    };
    let refused: Vec<bool> = (0..program.functions.len() as u32)
        .map(|index| refusal(index).is_some())
        .collect();
    for target in targets {
        if let Some((why, place)) = refusal(*target) {
            let function = program.functions[*target as usize].name.clone();
            return Err(BoundaryError::Refused {
                function,
                why,
                place,
            });
        }
    }
    let (mut nodes, mut edges) = (0, 0);
    let functions = match choice {
        Choice::Cheapest => {
            let found = graph::cut(program, points_to, &effects, &refused, targets);
            let found = found.map_err(|no| BoundaryError::NoWay(no.through))?;
            (nodes, edges) = (found.nodes, found.edges);
            found.inside
        }
        Choice::Naive => with_callers(program, &effects, targets),
        Choice::Whole => {
            let all = program.functions.iter().zip(&refused);
            let mut inside: Vec<bool> = all
                .map(|(function, refused)| function.defined && !refused)
                .collect();
            drop_without_entry(program, &effects, &mut inside);
            inside
        }
    };
    let objects = objects_inside(program, points_to, &effects, &functions);
    let flows = flows(program, points_to, &effects, &functions, &objects);
    let looked_at = looked_at(points_to, &effects, &functions, &objects);
    Ok(Boundary {
        functions,
        objects,
        follows_jumps,
        handlers: effects.handlers.iter().copied().collect(),
        flows,
        looked_at,
        nodes,
        edges,
    })
}

/// How many loads and stores of inside functions may be of outside memory.
fn looked_at(points_to: &PointsTo, effects: &Effects, functions: &[bool], objects: &[bool]) -> u64 {
    let of_inside = effects.meets.iter().filter(|((function, set), _)| {
        let members = points_to.members(*set);
        let all_inside = members.iter().all(|one| objects[*one as usize]);
        functions[*function as usize] && (members.is_empty() || !all_inside)
    });
    of_inside.map(|(_, times)| times).sum()
}

/// Whether all memory in which places to jump to are marked is the program's: then no
/// library jumps.
fn follows_jumps(program: &Program, points_to: &PointsTo) -> bool {
    let jumps = program.functions.iter().flat_map(|one| &one.jumps);
    let mut marks = jumps.filter_map(|(memory, _)| *memory);
    marks.all(|memory| {
        let objects = points_to.objects(memory);
        let is_ours = |object: &ObjectId| {
            ![UNKNOWN, HANDLE, LENT, TABLES].contains(object) && !points_to.is_escaped(*object)
        };
        !objects.is_empty() && objects.iter().all(is_ours)
    })
}

/// The target, and whoever calls a function of it that cannot be entered.
fn with_callers(program: &Program, effects: &Effects, targets: &[FunctionId]) -> Vec<bool> {
    let mut inside = vec![false; program.functions.len()];
    for target in targets {
        inside[*target as usize] = true;
    }
    loop {
        let mut more = false;
        for (caller, callee) in effects.calls.keys() {
            let needs = program.functions[*callee as usize].no_entry.is_some();
            if needs && inside[*callee as usize] && !inside[*caller as usize] {
                inside[*caller as usize] = true;
                more = true;
            }
        }
        if !more {
            return inside;
        }
    }
}

/// What cannot be entered and has an outside caller is outside.
fn drop_without_entry(program: &Program, effects: &Effects, inside: &mut [bool]) {
    loop {
        let mut fewer = false;
        for (caller, callee) in effects.calls.keys() {
            let needs = program.functions[*callee as usize].no_entry.is_some();
            if needs && inside[*callee as usize] && !inside[*caller as usize] {
                inside[*callee as usize] = false;
                fewer = true;
            }
        }
        if !fewer {
            return;
        }
    }
}

/// An object that nobody outside may write to is inside.
fn objects_inside(
    program: &Program,
    points_to: &PointsTo,
    effects: &Effects,
    functions: &[bool],
) -> Vec<bool> {
    let is_inside = |function: FunctionId| functions[function as usize];
    let mut inside: Vec<bool> = (0..)
        .zip(&program.objects)
        .map(|(index, object)| match object.storage {
            Storage::Unknown | Storage::External | Storage::Handle | Storage::Variable => false,
            Storage::Constant | Storage::Function(_) => true,
            Storage::Global => !points_to.is_escaped(index),
            Storage::Stack(owner) | Storage::Heap(owner) => {
                is_inside(owner) && !points_to.is_escaped(index)
            }
        })
        .collect();
    for var in &program.varying {
        for object in points_to.objects(*var) {
            inside[*object as usize] = false;
        }
    }
    for (function, set) in &effects.writes {
        if is_inside(*function) {
            continue;
        }
        for object in points_to.members(*set) {
            let storage = program.objects[*object as usize].storage;
            if !matches!(storage, Storage::Constant | Storage::Function(_)) {
                inside[*object as usize] = false;
            }
        }
    }
    inside
}

fn flows(
    program: &Program,
    points_to: &PointsTo,
    effects: &Effects,
    functions: &[bool],
    objects: &[bool],
) -> Vec<Cost> {
    /// How many objects are named.
    const NAMED: usize = 4;
    let name = |function: FunctionId| match program.functions.get(function as usize) {
        Some(function) => function.name.clone(),
        None => "a function of a library".to_owned(),
    };
    let is_inside = |function: FunctionId| functions.get(function as usize) == Some(&true);
    let mut all: BTreeMap<Flow, (u64, u64)> = BTreeMap::new();
    let mut add = |flow: Flow, bytes: u64, events: u64| {
        let sum = all.entry(flow).or_default();
        sum.0 += bytes;
        sum.1 += events;
    };
    let outside = |set: SetId| {
        let members = effects::meant(program, points_to.members(set));
        members.filter(|object| !objects[*object as usize])
    };
    for ((function, set), (bytes, times)) in &effects.reads {
        if is_inside(*function) && outside(*set).next().is_some() {
            let function = name(*function);
            let named = outside(*set).take(NAMED);
            let objects = named.map(|one| program.objects[one as usize].name.clone());
            let objects = objects.collect();
            add(Flow::Read { function, objects }, *bytes, *times);
        }
    }
    for ((function, object), (bytes, times)) in &effects.found {
        let is_outside = object.is_none_or(|object| !objects[object as usize]);
        if is_inside(*function) && is_outside {
            let object = object.unwrap_or(UNKNOWN);
            let objects = vec![program.objects[object as usize].name.clone()];
            let function = name(*function);
            add(Flow::Read { function, objects }, *bytes, *times);
        }
    }
    for ((caller, callee), (times, results)) in &effects.calls {
        let (from, to) = (name(*caller), name(*callee));
        match (is_inside(*caller), is_inside(*callee)) {
            (false, true) => {
                let parameters = &program.functions[*callee as usize].parameters;
                let bytes = 8 * parameters.len() as u64 * times;
                let (caller, callee) = (from, to);
                add(Flow::Entry { caller, callee }, bytes, *times);
            }
            (true, false) => {
                let (caller, callee) = (from, to);
                add(Flow::Result { caller, callee }, *results, *times);
            }
            _ => {}
        }
    }
    for ((caller, callee), (times, results)) in &effects.externals {
        if is_inside(*caller) {
            let (caller, callee) = (name(*caller), name(*callee));
            add(Flow::Result { caller, callee }, *results, *times);
        }
    }
    for ((caller, callee, set), bytes) in &effects.fills {
        let any = points_to
            .members(*set)
            .iter()
            .any(|one| objects[*one as usize]);
        if is_inside(*caller) && any {
            let (caller, callee) = (name(*caller), name(*callee));
            add(Flow::Filled { caller, callee }, *bytes, 0);
        }
    }
    let mut all: Vec<Cost> = all
        .into_iter()
        .map(|(flow, (bytes, events))| Cost {
            flow,
            bytes,
            events,
        })
        .filter(|cost| cost.bytes > 0 || cost.events > 0)
        .collect();
    all.sort_by_key(|cost| std::cmp::Reverse((cost.bytes, cost.events)));
    all
}

#[cfg(test)]
mod tests;
