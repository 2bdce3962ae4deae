//! Which objects a pointer may point to: inclusion-based (Andersen), without
//! fields, contexts or order.
//!
//! Every object has a value of its own that stands for what is in it. Facts become
//! edges between values, along which sets of objects flow; a load or a store adds
//! edges as its pointer's set grows, and so does a call through a pointer.
//!
//! What leaves for code that is not known is *escaped*: it is in
//! [`UNKNOWN`]'s content, and so is all that can be reached from it. That code may
//! store there whatever it can reach, and call functions with it. What is in one
//! escaped object may so be in all of them: they share one value, and whatever points
//! to [`UNKNOWN`] may point to any of them, without its saying so.
//!
//! What functions return of which it is known that they keep nothing is [`LENT`]: an object
//! like others, until a pointer to it gets to code that is not known. It is data: a call
//! through a pointer calls nobody there, which is looked at while the program runs.

mod calls;
mod cycles;
mod escape;
mod found;
mod quick;
mod set;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::model::{
    Callee, Fact, FunctionId, HANDLE, LENT, NOTHING, ObjectId, Program, Storage, TABLES, UNKNOWN,
    Var,
};
use quick::QuickSet;
use set::Set;

pub use found::{PointsTo, SetId};

/// Solves a program.
pub fn solve(program: &Program) -> PointsTo {
    solve_with(program, EDGES)
}

/// After how many new edges circles are looked for.
const EDGES: usize = 1 << 14;

fn solve_with(program: &Program, edges: usize) -> PointsTo {
    let mut solver = Solver::new(program);
    solver.begin();
    solver.run(edges);
    solver.finish()
}

#[derive(Clone, Debug, Default)]
struct Node {
    has: Set,
    /// What has not flowed on yet.
    news: Set,
    to: Vec<Var>,
    loads: Vec<Var>,
    stores: Vec<Var>,
    /// Calls through this pointer.
    calls: Vec<usize>,
    waits: bool,
}

struct Solver<'p> {
    program: &'p Program,
    nodes: Vec<Node>,
    edges: QuickSet,
    /// Values that have news, those first from which others have theirs.
    work: BinaryHeap<Reverse<(u32, Var)>>,
    /// Where a value is among those from which others have news, when that was last looked at.
    order: Vec<u32>,
    /// The value that stands for one with which it goes round in circles.
    stands: Vec<Var>,
    callees: Vec<Vec<FunctionId>>,
    escaped: Set,
    /// Objects that begin with pointers.
    begun: Set,
    parameters_of_outside: HashSet<FunctionId>,
}

impl<'p> Solver<'p> {
    fn new(program: &'p Program) -> Self {
        let nodes = program.vars as usize + program.objects.len();
        Self {
            program,
            nodes: vec![Node::default(); nodes],
            edges: QuickSet::default(),
            work: BinaryHeap::new(),
            order: vec![0; nodes],
            stands: (0..nodes as u32).collect(),
            callees: vec![Vec::new(); program.calls.len()],
            escaped: Set::default(),
            begun: Set::default(),
            parameters_of_outside: HashSet::new(),
        }
    }

    /// The value that stands for what is in an object.
    fn content(&self, object: ObjectId) -> Var {
        match self.escaped.has(object) {
            true => self.program.vars + UNKNOWN,
            false => self.program.vars + object,
        }
    }

    /// Whether nobody can store anything in an object.
    fn is_fixed(&self, object: ObjectId) -> bool {
        let storage = self.program.objects[object as usize].storage;
        matches!(storage, Storage::Constant | Storage::Function(_))
    }

    /// A value, or that of all escaped objects if it stood for the content of one, or the
    /// one that stands for it.
    fn now(&self, var: Var) -> Var {
        let mut var = match var.checked_sub(self.program.vars) {
            Some(object) if (object as usize) < self.program.objects.len() => self.content(object),
            _ => var,
        };
        while self.stands[var as usize] != var {
            var = self.stands[var as usize];
        }
        var
    }

    fn begin(&mut self) {
        let program = self.program;
        for fact in &program.facts {
            match *fact {
                Fact::Address { to, object } => self.point(to, object),
                Fact::Copy { to, from } => self.edge(from, to),
                Fact::Begins { object, value } => {
                    self.begun.add(object);
                    self.edge(value, program.vars + object);
                }
                Fact::Load { to, pointer } if to != NOTHING => {
                    self.nodes[pointer as usize].loads.push(to);
                }
                Fact::Store { pointer, value } if value != NOTHING => {
                    self.nodes[pointer as usize].stores.push(value);
                }
                Fact::Load { .. } | Fact::Store { .. } => {}
            }
        }
        let unknown = self.content(UNKNOWN);
        self.point(unknown, UNKNOWN);
        self.point(self.content(HANDLE), HANDLE);
        self.point(self.content(LENT), LENT);
        self.point(self.content(TABLES), TABLES);
        for (object, known) in (0..).zip(&program.objects) {
            match known.storage {
                Storage::External => self.point(unknown, object),
                Storage::Handle => self.point(self.content(object), HANDLE),
                _ => {}
            }
        }
        for var in &program.given_away {
            self.edge(*var, unknown);
        }
        for (index, call) in program.calls.iter().enumerate() {
            match call.callee {
                Callee::Direct(function) => self.link(index, function),
                Callee::Indirect(pointer) | Callee::Callback(pointer) => {
                    self.nodes[pointer as usize].calls.push(index);
                }
            }
        }
    }

    fn point(&mut self, to: Var, object: ObjectId) {
        let to = self.now(to);
        if to == NOTHING {
            return;
        }
        let node = &mut self.nodes[to as usize];
        if node.has.add(object) {
            node.news.add(object);
            self.wait(to);
        }
    }

    fn wait(&mut self, var: Var) {
        let node = &mut self.nodes[var as usize];
        if !node.waits {
            node.waits = true;
            self.work.push(Reverse((self.order[var as usize], var)));
        }
    }

    fn edge(&mut self, from: Var, to: Var) {
        let (from, to) = (self.now(from), self.now(to));
        if from == NOTHING || to == NOTHING || from == to || !self.edges.insert((from, to)) {
            return;
        }
        if from == self.content(UNKNOWN) {
            self.point(to, UNKNOWN);
            return;
        }
        self.nodes[from as usize].to.push(to);
        let has = self.nodes[from as usize].has.clone();
        self.flow(&has, to);
    }

    fn flow(&mut self, what: &Set, to: Var) {
        let to = self.now(to);
        let node = &mut self.nodes[to as usize];
        if node.has.take(what, &mut node.news) {
            self.wait(to);
        }
    }

    fn run(&mut self, often: usize) {
        let mut looked_at = 0;
        self.find_circles();
        while let Some(Reverse((_, var))) = self.work.pop() {
            if self.edges.len() - looked_at >= often + looked_at / 4 {
                looked_at = self.edges.len();
                self.find_circles();
            }
            if self.now(var) != var {
                // Another one stands for it, which waits itself.
                continue;
            }
            if var == self.content(UNKNOWN) {
                let node = &mut self.nodes[var as usize];
                node.waits = false;
                for object in std::mem::take(&mut node.news).iter() {
                    self.escape(object);
                }
                continue;
            }
            self.tell(var);
        }
    }

    /// What is new in a value goes where its content flows, and to what is done with it.
    fn tell(&mut self, var: Var) {
        let node = &mut self.nodes[var as usize];
        node.waits = false;
        let news = std::mem::take(&mut node.news);
        let to = std::mem::take(&mut node.to);
        let (loads, stores) = (
            std::mem::take(&mut node.loads),
            std::mem::take(&mut node.stores),
        );
        let calls = std::mem::take(&mut node.calls);
        for to in &to {
            self.flow(&news, *to);
        }
        if !loads.is_empty() {
            for content in self.contents(&news, Self::can_be_loaded_from) {
                for load in &loads {
                    self.edge(content, *load);
                }
            }
        }
        if !stores.is_empty() {
            for content in self.contents(&news, Self::can_be_stored_in) {
                for store in &stores {
                    self.edge(*store, content);
                }
            }
        }
        for call in &calls {
            for object in news.iter() {
                if let Storage::Function(function) = self.program.objects[object as usize].storage {
                    self.link(*call, function);
                }
            }
            if news.has(UNKNOWN) {
                self.call_unknown(*call);
            }
        }
        // What came in meanwhile stands behind.
        let node = &mut self.nodes[var as usize];
        for (mut old, new) in [
            (to, &mut node.to),
            (loads, &mut node.loads),
            (stores, &mut node.stores),
        ] {
            old.append(new);
            *new = old;
        }
        node.calls = calls;
    }

    /// The values that stand for what is in objects, each once.
    fn contents(&self, objects: &Set, wanted: impl Fn(&Self, ObjectId) -> bool) -> Vec<Var> {
        let wanted = objects.iter().filter(|object| wanted(self, *object));
        let mut all: Vec<Var> = wanted.map(|one| self.now(self.content(one))).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A text, or the code of a function, holds no pointer, and never will.
    fn can_be_loaded_from(&self, object: ObjectId) -> bool {
        self.begun.has(object) || !self.is_fixed(object)
    }

    /// Nothing of the program's is stored where a handle points to, and only the library
    /// stores a handle where it is kept.
    fn can_be_stored_in(&self, object: ObjectId) -> bool {
        let storage = self.program.objects[object as usize].storage;
        ![HANDLE, TABLES].contains(&object) && storage != Storage::Handle && !self.is_fixed(object)
    }

    /// Looks again at all that a value has.
    fn again(&mut self, var: Var) {
        let var = self.now(var);
        if var == NOTHING {
            return;
        }
        let node = &mut self.nodes[var as usize];
        node.news = node.has.clone();
        self.wait(var);
    }

    fn finish(mut self) -> PointsTo {
        self.call_escaped();
        let mut sets = vec![Vec::new()];
        let mut known: HashMap<&Set, SetId> = HashMap::new();
        let none = Set::default();
        known.insert(&none, 0);
        // Most values have another one standing for them.
        let mut of: Vec<Option<SetId>> = vec![None; self.nodes.len()];
        for var in 0..self.nodes.len() as u32 {
            let first = self.now(var) as usize;
            let id = of[first].unwrap_or_else(|| {
                let has = &self.nodes[first].has;
                *known.entry(has).or_insert_with(|| {
                    sets.push(has.iter().collect());
                    sets.len() as u32 - 1
                })
            });
            of[first] = Some(id);
            of[var as usize] = Some(id);
        }
        let of = of.into_iter().map(Option::unwrap_or_default).collect();
        PointsTo {
            sets,
            of,
            vars: self.program.vars,
            callees: self.callees,
        }
    }
}

#[cfg(test)]
mod tests;
