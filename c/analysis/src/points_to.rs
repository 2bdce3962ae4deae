//! Which objects a pointer may point to: inclusion-based (Andersen), with the words of objects
//! told apart as far as the program says so, without contexts or order.
//!
//! Every word of an object has a value of its own that stands for what is in it (`cells.rs`).
//! Facts become edges between values, along which sets of words flow; a load or a store adds
//! edges as its pointer's set grows, and so does a call through a pointer. Where a pointer is
//! moved in its object, the words that it points to are others.
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
mod cells;
mod cycles;
mod escape;
mod found;
mod quick;
mod set;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::model::{
    Callee, Fact, FunctionId, HANDLE, LENT, NOTHING, ObjectId, Program, Storage, TABLES, UNKNOWN,
    Var,
};
use cells::{Cell, Cells, Shift, Span};
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
    found::finish(solver)
}

#[derive(Clone, Debug, Default)]
struct Node {
    has: Set,
    /// What has not flowed on yet.
    news: Set,
    to: Vec<Var>,
    /// Where it flows to, moved.
    shifts: Vec<Shift>,
    /// Whereto loads through this pointer go.
    loads: Vec<(Var, Span)>,
    /// What is stored through it.
    stores: Vec<(Var, Span)>,
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
    /// The values that stand for what is in objects.
    is_content: Vec<bool>,
    cells: Cells,
    /// The cells that stay the same however far a pointer is moved.
    unmoved: Set,
    callees: Vec<Vec<FunctionId>>,
    /// Objects that code has which is not known.
    escaped: Set,
    /// Objects that begin with pointers.
    begun: Set,
    parameters_of_outside: HashSet<FunctionId>,
}

impl<'p> Solver<'p> {
    fn new(program: &'p Program) -> Self {
        let nodes = program.vars as usize + program.objects.len();
        let objects = program.objects.len() as u32;
        let mut unmoved = Set::default();
        for (object, known) in (0..).zip(&program.objects) {
            if known.words <= 1 {
                unmoved.add(object);
            }
        }
        Self {
            program,
            nodes: vec![Node::default(); nodes],
            edges: QuickSet::default(),
            work: BinaryHeap::new(),
            order: vec![0; nodes],
            stands: (0..nodes as u32).collect(),
            is_content: (0..nodes as u32).map(|var| var >= program.vars).collect(),
            cells: Cells::new(objects, program.vars),
            unmoved,
            callees: vec![Vec::new(); program.calls.len()],
            escaped: Set::default(),
            begun: Set::default(),
            parameters_of_outside: HashSet::new(),
        }
    }

    /// Whether nobody can store anything in an object.
    fn is_fixed(&self, object: ObjectId) -> bool {
        let storage = self.program.objects[object as usize].storage;
        matches!(storage, Storage::Constant | Storage::Function(_))
    }

    /// The value that stands for what is in all escaped objects.
    fn unknown(&self) -> Var {
        self.program.vars + UNKNOWN
    }

    /// The one that stands for a value, if there is one.
    fn now(&self, mut var: Var) -> Var {
        while self.stands[var as usize] != var {
            var = self.stands[var as usize];
        }
        var
    }

    /// A new value.
    fn value(&mut self) -> Var {
        let var = self.nodes.len() as u32;
        self.nodes.push(Node::default());
        self.stands.push(var);
        self.order.push(0);
        self.is_content.push(false);
        var
    }

    fn begin(&mut self) {
        let program = self.program;
        for fact in &program.facts {
            match *fact {
                Fact::Address { to, object } => self.point(to, object),
                Fact::Copy { to, from } => self.edge(from, to),
                Fact::Moved { to, from, by } if to != NOTHING => {
                    self.nodes[from as usize].shifts.push(Shift::new(to, by));
                }
                Fact::Begins {
                    object,
                    word,
                    value,
                } => {
                    self.begun.add(object);
                    let holds = self.word(object, word.cast_signed());
                    self.edge(value, holds);
                }
                Fact::Load { to, pointer, words } if to != NOTHING => {
                    self.nodes[pointer as usize].loads.push((to, words.into()));
                }
                Fact::Store {
                    pointer,
                    value,
                    words,
                } if value != NOTHING => {
                    let stores = &mut self.nodes[pointer as usize].stores;
                    stores.push((value, words.into()));
                }
                Fact::Moved { .. } | Fact::Load { .. } | Fact::Store { .. } => {}
            }
        }
        let unknown = self.unknown();
        for object in [UNKNOWN, HANDLE, LENT, TABLES] {
            self.point(program.vars + object, object);
        }
        for (object, known) in (0..).zip(&program.objects) {
            match known.storage {
                Storage::External => self.point(unknown, object),
                Storage::Handle => self.point(program.vars + object, HANDLE),
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
        if from == self.unknown() {
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
            if var == self.unknown() {
                let node = &mut self.nodes[var as usize];
                node.waits = false;
                for cell in std::mem::take(&mut node.news).iter() {
                    self.escape(cell);
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
        let (shifts, loads, stores) = (
            std::mem::take(&mut node.shifts),
            std::mem::take(&mut node.loads),
            std::mem::take(&mut node.stores),
        );
        let calls = std::mem::take(&mut node.calls);
        for to in &to {
            self.flow(&news, *to);
        }
        self.shift(&news, &shifts);
        let cells: Vec<Cell> = match loads.is_empty() && stores.is_empty() {
            true => Vec::new(),
            false => news.iter().collect(),
        };
        for_each_span(&loads, |span, loads| {
            for content in self.loaded(&cells, span) {
                for (load, _) in loads {
                    self.edge(content, *load);
                }
            }
        });
        for_each_span(&stores, |span, stores| {
            for content in self.stored(&cells, span) {
                for (store, _) in stores {
                    self.edge(*store, content);
                }
            }
        });
        for call in &calls {
            for cell in news.iter() {
                let object = self.cells.object(cell);
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
        behind(to, &mut node.to);
        behind(shifts, &mut node.shifts);
        behind(loads, &mut node.loads);
        behind(stores, &mut node.stores);
        node.calls = calls;
    }

    /// What is new in a value goes where it flows moved.
    fn shift(&mut self, news: &Set, shifts: &[Shift]) {
        if shifts.is_empty() {
            return;
        }
        let unmoved = news.both(&self.unmoved);
        let moved: Vec<Cell> = news.without(&unmoved).iter().collect();
        for by in shifts {
            let mut found = unmoved.clone();
            for cell in &moved {
                self.shifted(*cell, *by, |cell| {
                    found.add(cell);
                });
            }
            self.flow(&found, by.to);
        }
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
}

fn behind<T>(mut old: Vec<T>, new: &mut Vec<T>) {
    old.append(new);
    *new = old;
}

/// Loads or stores, those of the same words together.
fn for_each_span(all: &[(Var, Span)], mut act: impl FnMut(Span, &[(Var, Span)])) {
    for same in all.chunk_by(|one, other| one.1 == other.1) {
        act(same[0].1, same);
    }
}

#[cfg(test)]
mod tests;
