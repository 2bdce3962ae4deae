//! What code has that is not known, and what it may do with it.

use std::collections::HashMap;

use super::Solver;
use super::cells::Cell;
use crate::model::{Callee, FunctionId, HANDLE, Storage, TABLES, UNKNOWN};

impl Solver<'_> {
    /// Code that is not known has a pointer to an object.
    pub(super) fn escape(&mut self, cell: Cell) {
        let object = self.cells.object(cell);
        let is_never = [UNKNOWN, HANDLE, TABLES].contains(&object);
        if is_never || !self.escaped.add(object) {
            return;
        }
        if let Storage::Function(function) = self.program.objects[object as usize].storage {
            self.called_from_outside(function);
        }
        // Nobody asks for the values of its own any more: what they have, and what they
        // flow to, is that of all escaped objects from here on.
        let unknown = self.unknown();
        for own in self.escaped_cells(object) {
            self.escape_circle(own);
            self.stands[own as usize] = unknown;
            let old = std::mem::take(&mut self.nodes[own as usize]);
            self.flow(&old.has, unknown);
            for to in old.to {
                self.edge(unknown, to);
            }
        }
    }

    pub(super) fn called_from_outside(&mut self, function: FunctionId) {
        if !self.parameters_of_outside.insert(function) {
            return;
        }
        let unknown = self.unknown();
        let known = &self.program.functions[function as usize];
        for parameter in known.parameters.iter().copied().chain(known.variadic) {
            self.edge(unknown, parameter);
        }
        self.edge(known.result, unknown);
    }

    pub(super) fn call_unknown(&mut self, call: usize) {
        let call = &self.program.calls[call];
        let unknown = self.unknown();
        for argument in &call.arguments {
            self.edge(*argument, unknown);
        }
        self.edge(unknown, call.result);
    }

    /// A call of anything may call every function that is called from outside and
    /// takes as many arguments. All values flow there already.
    pub(super) fn call_escaped(&mut self) {
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
}
