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
mod found;
mod set;

use std::collections::{HashMap, HashSet};

use crate::model::{
    Callee, Fact, FunctionId, HANDLE, LENT, NOTHING, ObjectId, Program, Storage, UNKNOWN, Var,
};
use set::Set;

pub use found::{PointsTo, SetId};

/// Solves a program.
pub fn solve(program: &Program) -> PointsTo {
    solve_with(program, STEPS)
}

/// After how many steps circles are looked for.
const STEPS: usize = 1 << 14;

fn solve_with(program: &Program, steps: usize) -> PointsTo {
    let mut solver = Solver::new(program);
    solver.begin();
    solver.run(steps);
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
    edges: HashSet<(Var, Var)>,
    work: Vec<Var>,
    /// The value that stands for one with which it goes round in circles.
    stands: Vec<Var>,
    callees: Vec<Vec<FunctionId>>,
    escaped: Set,
    parameters_of_outside: HashSet<FunctionId>,
}

impl<'p> Solver<'p> {
    fn new(program: &'p Program) -> Self {
        let nodes = program.vars as usize + program.objects.len();
        Self {
            program,
            nodes: vec![Node::default(); nodes],
            edges: HashSet::new(),
            work: Vec::new(),
            stands: (0..nodes as u32).collect(),
            callees: vec![Vec::new(); program.calls.len()],
            escaped: Set::default(),
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
            self.work.push(var);
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
        let mut steps = 0;
        while let Some(var) = self.work.pop() {
            if self.now(var) != var {
                // Another one stands for it, which waits itself.
                continue;
            }
            steps += 1;
            if steps % often == 0 {
                self.find_circles();
            }
            let var = self.now(var);
            if var == self.content(UNKNOWN) {
                let node = &mut self.nodes[var as usize];
                node.waits = false;
                for object in std::mem::take(&mut node.news).iter() {
                    self.escape(object);
                }
                continue;
            }
            let node = &mut self.nodes[var as usize];
            node.waits = false;
            let news = std::mem::take(&mut node.news);
            let (loads, stores) = (node.loads.clone(), node.stores.clone());
            let (calls, to) = (node.calls.clone(), node.to.clone());
            for object in news.iter() {
                let content = self.content(object);
                for load in &loads {
                    self.edge(content, *load);
                }
                // Nothing of the program's is stored where a handle points to, and only the
                // library stores a handle where it is kept.
                if object != HANDLE
                    && self.program.objects[object as usize].storage != Storage::Handle
                {
                    for store in &stores {
                        self.edge(*store, content);
                    }
                }
                if let Storage::Function(function) = self.program.objects[object as usize].storage {
                    for call in &calls {
                        self.link(*call, function);
                    }
                }
            }
            if news.has(UNKNOWN) {
                for call in &calls {
                    self.call_unknown(*call);
                }
            }
            for to in to {
                self.flow(&news, to);
            }
        }
    }

    /// Code that is not known has an object.
    fn escape(&mut self, object: ObjectId) {
        if object == UNKNOWN || object == HANDLE || !self.escaped.add(object) {
            return;
        }
        // Nobody asks for the value of its own any more: what it has, and what it
        // flows to, is that of all escaped objects from here on.
        let own = self.program.vars + object;
        let unknown = self.content(UNKNOWN);
        self.escape_circle(own);
        let old = std::mem::take(&mut self.nodes[own as usize]);
        self.flow(&old.has, unknown);
        for to in old.to {
            self.edge(unknown, to);
        }
        if let Storage::Function(function) = self.program.objects[object as usize].storage {
            self.called_from_outside(function);
        }
    }

    fn called_from_outside(&mut self, function: FunctionId) {
        if !self.parameters_of_outside.insert(function) {
            return;
        }
        let unknown = self.content(UNKNOWN);
        let known = &self.program.functions[function as usize];
        for parameter in known.parameters.iter().copied().chain(known.variadic) {
            self.edge(unknown, parameter);
        }
        self.edge(known.result, unknown);
    }

    fn call_unknown(&mut self, call: usize) {
        let call = &self.program.calls[call];
        let unknown = self.content(UNKNOWN);
        for argument in &call.arguments {
            self.edge(*argument, unknown);
        }
        self.edge(unknown, call.result);
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

    /// A call of anything may call every function that is called from outside and
    /// takes as many arguments. All values flow there already.
    fn call_escaped(&mut self) {
        let mut by_arguments: HashMap<usize, Vec<FunctionId>> = HashMap::new();
        for function in &self.parameters_of_outside {
            let known = &self.program.functions[*function as usize];
            let all = by_arguments.entry(known.parameters.len()).or_default();
            all.push(*function);
        }
        let mut all = std::mem::take(&mut self.callees);
        for (call, callees) in self.program.calls.iter().zip(&mut all) {
            let (Callee::Indirect(pointer) | Callee::Callback(pointer)) = call.callee else {
                continue;
            };
            if self.nodes[self.now(pointer) as usize].has.has(UNKNOWN) {
                let more = by_arguments.get(&call.arguments.len());
                callees.extend(more.into_iter().flatten());
                callees.sort_unstable();
                callees.dedup();
            }
        }
        self.callees = all;
    }

    fn finish(mut self) -> PointsTo {
        self.call_escaped();
        let mut sets = vec![Vec::new()];
        let mut known: HashMap<Vec<ObjectId>, SetId> = HashMap::from([(Vec::new(), 0)]);
        let of = (0..self.nodes.len() as u32).map(|var| {
            let has = &self.nodes[self.now(var) as usize].has;
            let members: Vec<ObjectId> = has.iter().collect();
            *known.entry(members).or_insert_with_key(|members| {
                sets.push(members.clone());
                sets.len() as u32 - 1
            })
        });
        let of = of.collect();
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
