//! What code has that is not known, and what it may do with it.

use std::collections::HashMap;

use super::Solver;
use crate::model::{Callee, FunctionId, HANDLE, ObjectId, Storage, TABLES, UNKNOWN};

impl Solver<'_> {
    /// Code that is not known has an object.
    pub(super) fn escape(&mut self, object: ObjectId) {
        let is_never = [UNKNOWN, HANDLE, TABLES].contains(&object);
        if is_never || !self.escaped.add(object) {
            return;
        }
        // Nobody asks for the value of its own any more: what it has, and what it
        // flows to, is that of all escaped objects from here on.
        let own = self.program.vars + object;
        let unknown = self.content(UNKNOWN);
        if let Storage::Function(function) = self.program.objects[object as usize].storage {
            self.called_from_outside(function);
        }
        self.escape_circle(own);
        let old = std::mem::take(&mut self.nodes[own as usize]);
        self.flow(&old.has, unknown);
        for to in old.to {
            self.edge(unknown, to);
        }
    }

    pub(super) fn called_from_outside(&mut self, function: FunctionId) {
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

    pub(super) fn call_unknown(&mut self, call: usize) {
        let call = &self.program.calls[call];
        let unknown = self.content(UNKNOWN);
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
