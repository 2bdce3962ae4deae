//! What calls do with pointers.

use super::Solver;
use super::cells::{Shift, Span};
use crate::annotations::Annotation;
use crate::model::{FunctionId, HANDLE, LENT, Move, NOTHING, TABLES, Var, Words};

/// The most words of a copy that are told apart.
const COPIED: u32 = 32;

impl Solver<'_> {
    pub(super) fn link(&mut self, index: usize, callee: FunctionId) {
        if self.callees[index].contains(&callee) {
            return;
        }
        self.callees[index].push(callee);
        let call = &self.program.calls[index];
        let function = &self.program.functions[callee as usize];
        if function.defined {
            for (position, argument) in call.arguments.iter().enumerate() {
                match function.parameters.get(position) {
                    Some(parameter) => self.edge(*argument, *parameter),
                    None => self.edge(*argument, function.variadic.unwrap_or(NOTHING)),
                }
            }
            self.edge(function.result, call.result);
        } else {
            match &function.annotation {
                Some(does) => self.annotated(index, does),
                None => self.call_unknown(index),
            }
        }
    }

    fn annotated(&mut self, index: usize, does: &Annotation) {
        let call = &self.program.calls[index];
        let argument = |position: usize| call.arguments.get(position).copied().unwrap_or(NOTHING);
        let unknown = self.unknown();
        if let Some(object) = call.allocates {
            self.point(call.result, object);
            if let Some(old) = does.reallocates {
                // The memory may be the same, and has the content of the old.
                self.edge(argument(old), call.result);
            }
        }
        if let Some((to, from)) = does.copies.filter(|_| !does.text) {
            let spans: Vec<Span> = match call.copied {
                Words::First(words @ ..=COPIED) => (0..words).map(Span::word).collect(),
                _ => vec![Span::ALL],
            };
            for span in spans {
                let through = self.through(argument(from), span);
                let into = self.now(argument(to));
                self.nodes[into as usize].stores.push((through, span));
            }
            self.again(argument(to));
        }
        if does.starts.is_some() {
            self.call_unknown(index);
        }
        // What it hands out may be the program's own only if somebody's code is in it.
        let hands_out = match does.handler.or(does.handler_in) {
            Some(_) => unknown,
            None => self.program.vars + LENT,
        };
        for (to, from) in &does.stores {
            let from = from.map(|from| self.anywhere(argument(from)));
            let stored = [Some(hands_out), from].into_iter().flatten();
            let stored = stored.map(|value| (value, Span::ALL));
            let into = self.now(argument(*to));
            self.nodes[into as usize].stores.extend(stored);
            self.again(into);
        }
        let called = does.calls.iter().map(|(position, _)| position);
        // Whom a function of the caller's own calls is the caller's affair.
        let called = called.filter(|_| !does.own);
        for position in called.chain(&does.handler) {
            self.edge(argument(*position), unknown);
        }
        if let Some(position) = does.handler_in {
            let through = self.through(argument(position), Span::ALL);
            self.edge(through, unknown);
        }
        let written = does.writes.iter().filter(|_| !does.own);
        for position in does.keeps.iter().chain(written) {
            self.edge(argument(*position), unknown);
        }
        match does.returns {
            Some(position) => {
                let returned = self.anywhere(argument(position));
                self.edge(returned, call.result);
            }
            None if does.handle => self.point(call.result, HANDLE),
            None if does.tables => self.point(call.result, TABLES),
            None if call.allocates.is_none() => self.edge(hands_out, call.result),
            None => {}
        }
    }

    /// A value that holds what is in memory at a pointer.
    fn through(&mut self, pointer: Var, span: Span) -> Var {
        let through = self.value();
        let pointer = self.now(pointer);
        self.nodes[pointer as usize].loads.push((through, span));
        self.again(pointer);
        through
    }

    /// A pointer to anywhere in the memory that another one points to.
    fn anywhere(&mut self, pointer: Var) -> Var {
        let moved = self.value();
        let pointer = self.now(pointer);
        let shift = Shift::new(moved, Move::ANYWHERE);
        self.nodes[pointer as usize].shifts.push(shift);
        self.again(pointer);
        moved
    }
}
