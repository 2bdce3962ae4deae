//! The graph whose cheapest cut is the boundary.
//!
//! ```text
//! function ─bytes→ function      what is called with, what is returned
//! function ──∞──→ written set ──∞──→ object     whoever may write to an object is
//!                                               inside, or the object is outside
//! function ──∞──→ object                        what an outside function has is outside
//! object ──∞──→ read set ─bytes→ function       what is read of outside objects
//! object ──∞──→ met set ─checks→ function       what has to be looked at while it runs, since
//!                                               one of the objects that it may mean is outside
//! the world ─bytes→ function                    what calls of libraries return
//! the world ─bytes→ filled set ──∞──→ object    what they fill, whichever object it is
//! ```
//! One node for each different set of objects, and not an edge for each object
//! that an instruction may mean: a tenth of the edges, and an access counts once.

use std::collections::{BTreeMap, BTreeSet};

use reprise_flow::{CutError, Graph, Node, Weight};

use crate::annotations::Length;
use crate::model::{
    Callee, FunctionId, HANDLE, LENT, NOTHING, ObjectId, Place, Program, Storage, TABLES, UNKNOWN,
};
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

/// Which objects a read through a pointer with such a set is taken to mean, when it is estimated
/// what that costs. Texts of the system (the arguments, the environment) get into structures of
/// the program, and are read seldom: who may read one of those or memory of the program reads
/// that. While the program runs it is its address that decides.
pub(crate) fn meant<'a>(
    program: &'a Program,
    members: &'a [ObjectId],
) -> impl Iterator<Item = ObjectId> + 'a {
    let storage = |object: ObjectId| program.objects[object as usize].storage;
    let is_text = move |object: ObjectId| object == HANDLE || storage(object) == Storage::Variable;
    let is_own = move |object: &ObjectId| {
        matches!(
            storage(*object),
            Storage::Global | Storage::Stack(_) | Storage::Heap(_)
        )
    };
    let has_own = members.iter().any(is_own);
    let all = members.iter().copied();
    all.filter(move |object| !has_own || !is_text(*object))
}

/// What functions do, added up.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// What a function reads through pointers with such a set: bytes, how often.
    pub(crate) reads: BTreeMap<(FunctionId, SetId), (u64, u64)>,
    /// How often a function loads or stores through pointers with such a set.
    pub(crate) meets: BTreeMap<(FunctionId, SetId), u64>,
    /// A function writes to, allocates or frees objects of a set.
    pub(crate) writes: BTreeSet<(FunctionId, SetId)>,
    /// The bytes that a library fills for a function.
    pub(crate) fills: BTreeMap<(FunctionId, FunctionId, SetId), u64>,
    /// Calls between functions of the program: how often, bytes of results.
    pub(crate) calls: BTreeMap<(FunctionId, FunctionId), (u64, u64)>,
    /// Calls of libraries: how often, bytes of results.
    pub(crate) externals: BTreeMap<(FunctionId, FunctionId), (u64, u64)>,
    /// Those that are called at any moment, for a signal.
    pub(crate) handlers: BTreeSet<FunctionId>,
    /// Those of them that are called for what instructions of the program cause, and where that
    /// is said.
    pub(crate) faults: BTreeMap<FunctionId, Place>,
}

impl Effects {
    pub(crate) fn of(program: &Program, points_to: &PointsTo) -> Self {
        let mut all = Self::default();
        for access in &program.accesses {
            let key = (access.function, points_to.set(access.pointer));
            if access.executed > 0 {
                *all.meets.entry(key).or_default() += access.executed;
            }
            if access.write {
                all.writes.insert(key);
            } else if points_to.members(key.1) != [TABLES] {
                let sum = all.reads.entry(key).or_default();
                sum.0 += access.bytes;
                sum.1 += access.times;
            }
        }
        for (index, call) in program.calls.iter().enumerate() {
            for callee in points_to.callees(index) {
                all.call(program, points_to, index, *callee);
            }
            if let Callee::Indirect(pointer) | Callee::Callback(pointer) = call.callee
                && points_to.objects(pointer).contains(&UNKNOWN)
            {
                // Whoever it is, it is outside; there is a name for that.
                let key = (call.function, FunctionId::MAX);
                let times = call.times_of(None);
                let sum: &mut (u64, u64) = all.externals.entry(key).or_default();
                sum.0 += times;
                sum.1 += times * call.result_bytes;
            }
        }
        all
    }

    fn call(&mut self, program: &Program, points_to: &PointsTo, index: usize, callee: FunctionId) {
        let call = &program.calls[index];
        let function = call.function;
        let known = &program.functions[callee as usize];
        let argument = |at: usize| {
            let var = call.arguments.get(at).copied().unwrap_or(NOTHING);
            points_to.set(var)
        };
        let times = match call.callee {
            Callee::Direct(_) => call.times,
            Callee::Indirect(_) => call.times_of(Some(callee)),
            // It may have been called by nobody else.
            Callee::Callback(_) => known.entered,
        };
        let bytes = times * call.result_bytes;
        if known.defined {
            let sum = self.calls.entry((function, callee)).or_default();
            sum.0 += times;
            sum.1 += bytes;
            return;
        }
        let does = known.annotation.clone().unwrap_or_default();
        if call.allocates.is_some() {
            self.writes.insert((function, points_to.set(call.result)));
        }
        if let Some(at) = does.frees.or(does.reallocates) {
            self.writes.insert((function, argument(at)));
        }
        // Whoever takes a mutex writes to it.
        let taken = does.varies.iter().filter(|(_, bytes)| bytes.is_some());
        for (at, _) in taken {
            self.writes.insert((function, argument(*at)));
        }
        let var = |at: usize| call.arguments.get(at).copied().unwrap_or(NOTHING);
        let direct = does
            .handler
            .map_or(&[][..], |at| points_to.objects(var(at)));
        let held = does
            .handler_in
            .map_or(&[][..], |at| points_to.objects(var(at)));
        // What is in an escaped object is not known: it could be all functions.
        let held = held.iter().filter(|one| !points_to.is_escaped(**one));
        let held = held.flat_map(|one| points_to.content(*one));
        let handlers = direct.iter().chain(held).filter_map(|one| {
            match program.objects[*one as usize].storage {
                Storage::Function(function) => Some(function),
                _ => None,
            }
        });
        for handler in handlers {
            self.handlers.insert(handler);
            if call.is_for_fault {
                let place = || call.place.clone();
                self.faults.entry(handler).or_insert_with(place);
            }
        }
        if does.own {
            let (to, from) = does
                .copies
                .map_or((None, None), |(to, from)| (Some(to), Some(from)));
            for at in does.writes.iter().copied().chain(to) {
                self.writes.insert((function, argument(at)));
            }
            let reads: Vec<usize> = match from {
                Some(from) => vec![from],
                None if does.writes.is_empty() => (0..call.arguments.len()).collect(),
                None => Vec::new(),
            };
            for at in reads {
                if argument(at) != 0 {
                    let sum = self.reads.entry((function, argument(at))).or_default();
                    sum.0 += call.moved;
                    sum.1 += times;
                }
            }
            return;
        }
        // What is kept of the processor, or where that is kept.
        if let Some(at) = does.marks {
            self.writes.insert((function, argument(at)));
            return;
        }
        if does.jumps_to.is_some() {
            return;
        }
        let manages = call.allocates.is_some() || does.frees.is_some();
        if !manages {
            let sum = self.externals.entry((function, callee)).or_default();
            sum.0 += times;
            sum.1 += bytes;
        }
        for (at, scanned) in &call.scanned {
            let key = (function, callee, argument(*at));
            let bytes = match scanned.length {
                Length::Bytes(bytes) => bytes,
                // A word or a name.
                _ => 16,
            };
            *self.fills.entry(key).or_default() += bytes * times;
            self.writes.insert((function, argument(*at)));
        }
        for (at, _) in &does.fills {
            let key = (function, callee, argument(*at));
            *self.fills.entry(key).or_default() += call.moved;
            self.writes.insert((function, argument(*at)));
        }
    }
}

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
