//! Calls that leave the inside: wrappers that tell the runtime, and what the function has filled.

use reprise_c_analysis::annotations::{Annotation, Length};
use reprise_c_analysis::scanned::Scanned;
use reprise_c_events::OUT_IN_REPLAY;

use super::Inserter;
use crate::ir::{LLVMIntPredicate, LLVMTypeKind, Type, Value};
use crate::read::scanned;

/// What a wrapper is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Out {
    /// The function; none for a call through a pointer.
    callee: Option<Value>,
    of: Type,
    arguments: Vec<Type>,
    /// Whether somebody wants the result.
    used: bool,
    /// What it fills by its format.
    scanned: Vec<(usize, Scanned)>,
}

impl Inserter<'_> {
    /// An outside function behind a wrapper.
    pub(super) fn out(
        &mut self,
        function: Value,
        at: Value,
        callee: Option<Value>,
        does: Option<&Annotation>,
        name: &str,
    ) {
        let arguments = at.arguments();
        let out = Out {
            callee,
            of: at.called_type(),
            arguments: arguments.iter().map(|one| one.kind()).collect(),
            used: at.is_used(),
            scanned: does.and_then(|does| scanned(does, at)).unwrap_or_default(),
        };
        let wrapper = match self.outs.get(&out) {
            Some(wrapper) => *wrapper,
            None => {
                let wrapper = self.wrapper(&out, at, does);
                self.outs.insert(out, wrapper);
                wrapper
            }
        };
        let mut given = vec![self.site(function, at, name)];
        if callee.is_none() {
            given.push(at.callee());
        }
        given.extend(arguments);
        self.before(at);
        let new = self.builder.call(wrapper.value_type(), wrapper, &given);
        if at.is_used() {
            at.replace_with(new);
        }
        at.erase();
    }

    fn wrapper(&self, out: &Out, like: Value, does: Option<&Annotation>) -> Value {
        let (module, builder) = (&self.module, &self.builder);
        let (number, pointer) = (module.int(32), module.pointer());
        let result = out.of.result();
        let mut parameters = vec![number];
        if out.callee.is_none() {
            parameters.push(pointer);
        }
        let before = parameters.len();
        parameters.extend(&out.arguments);
        let name = format!("__reprise_out.{}", self.outs.len());
        let wrapper = module.function(&name, module.function_type(result, &parameters));
        wrapper.set_linkage(crate::ir::LLVMLinkage::LLVMInternalLinkage);
        let given = wrapper.parameters();
        let site = given[0];
        let arguments = &given[before..];
        let callee = out.callee.unwrap_or_else(|| given[1]);
        let is_void = result.kind() == LLVMTypeKind::LLVMVoidTypeKind;
        let call = |arguments: &[Value]| {
            let call = builder.call(out.of, callee, arguments);
            call.copy_convention(like);
            for index in 0..=arguments.len() as u32 {
                call.copy_call_attributes(index, like);
            }
            call
        };
        let giving = does.is_none().then(|| self.giving());
        let finish = |value: Value| builder.ret((!is_void).then_some(value));
        let zero = module.constant(number, 0);
        let mut start = module.append_block(wrapper);
        if out.callee.is_none() {
            let (within, beyond) = (module.append_block(wrapper), module.append_block(wrapper));
            builder.at_end(start);
            let word = module.int(64);
            let (of, is_entry) = self.runtime("__reprise_is_entry", number, &[word]);
            let is_entry = builder.call(of, is_entry, &[builder.to_number(callee, word)]);
            let ne = LLVMIntPredicate::LLVMIntNE;
            builder.branch(builder.compare(ne, is_entry, zero), within, beyond);
            builder.at_end(within);
            finish(call(arguments));
            start = beyond;
        }
        let (record, replay) = (module.append_block(wrapper), module.append_block(wrapper));
        builder.at_end(start);
        let (of, leaves) = self.runtime("__reprise_out", number, &[number]);
        let depth = builder.call(of, leaves, &[site]);
        let eq = LLVMIntPredicate::LLVMIntEQ;
        let in_replay = module.constant(number, u64::from(OUT_IN_REPLAY));
        builder.branch(builder.compare(eq, depth, in_replay), replay, record);

        builder.at_end(record);
        if let Some(giving) = giving {
            // Of a structure that is passed by value the function gets a copy.
            let given = (1..).zip(arguments);
            let given = given.filter(|(index, _)| !like.has_call_attribute(*index, "byval"));
            let given: Vec<Value> = given.map(|(_, argument)| *argument).collect();
            self.given(giving, &given, site);
        }
        let value = call(&self.elsewhere(does, arguments));
        if let Some(does) = does {
            self.filled(does, value, arguments);
            self.filled_by_format(&out.scanned, value, arguments);
        }
        self.back(value, out.used.then_some(result), site, depth);
        finish(value);

        builder.at_end(replay);
        match (is_void, out.used) {
            (true, _) => builder.ret(None),
            (false, true) => {
                let buffer = module.global("__reprise_buffer", module.int(8));
                let told = builder.load(result, buffer);
                // The next read may put something else there.
                told.set_volatile();
                builder.ret(Some(told));
            }
            (false, false) => builder.ret(Some(module.zero(result))),
        }
        wrapper
    }

    /// It is back, with a result if anybody wants one.
    fn back(&self, value: Value, wanted: Option<Type>, site: Value, depth: Value) {
        let (module, builder) = (&self.module, &self.builder);
        let (number, word) = (module.int(32), module.int(64));
        let size = module.constant(number, wanted.map_or(0, |result| module.size(result)));
        let as_word = match wanted {
            None => Some(module.constant(word, 0)),
            Some(_) => self.as_word(value),
        };
        match as_word {
            Some(value) => {
                let parameters = [number, word, number, number];
                let (of, back) = self.runtime("__reprise_back", module.void(), &parameters);
                builder.call(of, back, &[site, value, size, depth]);
            }
            None => {
                let parameters = [number, module.pointer(), number, number];
                let (of, back) = self.runtime("__reprise_back_with", module.void(), &parameters);
                let room = builder.alloca(value.kind());
                builder.store(value, room);
                builder.call(of, back, &[site, room, size, depth]);
            }
        }
    }

    /// What a function is given, but for what it has in the program's memory that differs from
    /// run to run: if that is inside, the runtime has it elsewhere.
    fn elsewhere(&self, does: Option<&Annotation>, arguments: &[Value]) -> Vec<Value> {
        let (pointer, word) = (self.module.pointer(), self.module.int(64));
        let mut given = arguments.to_vec();
        for (at, bytes) in does.into_iter().flat_map(|does| &does.varies) {
            if let (Some(argument), Some(bytes)) = (given.get_mut(*at), bytes) {
                let (of, elsewhere) =
                    self.runtime("__reprise_elsewhere", pointer, &[pointer, word]);
                let bytes = self.module.constant(word, *bytes);
                *argument = self.builder.call(of, elsewhere, &[*argument, bytes]);
            }
        }
        given
    }

    /// Nobody knows what the function does: it must not get hold of inside memory.
    fn given(&self, (of, given): (Type, Value), arguments: &[Value], site: Value) {
        for argument in arguments {
            if argument.kind().kind() == LLVMTypeKind::LLVMPointerTypeKind {
                self.builder.call(of, given, &[*argument, site]);
            }
        }
    }

    /// The same by a format: as far as it came.
    fn filled_by_format(&self, scanned: &[(usize, Scanned)], value: Value, arguments: &[Value]) {
        let (module, builder) = (&self.module, &self.builder);
        let (word, pointer, void) = (module.int(64), module.pointer(), module.void());
        for (at, one) in scanned {
            let behind = module.constant(value.kind(), one.behind);
            let is_done = builder.compare(LLVMIntPredicate::LLVMIntSGE, value, behind);
            let nowhere = module.zero(pointer);
            let filled_at = builder.select(is_done, arguments[*at], nowhere);
            let (name, len) = match one.length {
                Length::Bytes(bytes) => ("__reprise_filled", Some(module.constant(word, bytes))),
                _ => ("__reprise_filled_text", None),
            };
            let parameters: Vec<Type> = [pointer, word]
                .into_iter()
                .take(1 + len.iter().len())
                .collect();
            let (of, filled) = self.runtime(name, void, &parameters);
            let given: Vec<Value> = [filled_at].into_iter().chain(len).collect();
            builder.call(of, filled, &given);
        }
    }

    /// Says which memory an outside function has filled.
    fn filled(&self, does: &Annotation, value: Value, arguments: &[Value]) {
        let (module, builder) = (&self.module, &self.builder);
        let (word, pointer, void) = (module.int(64), module.pointer(), module.void());
        let as_word = |value: Value| match value.kind().width() {
            0 => module.constant(word, 0),
            _ => builder.sign_extend_or_cut(value, word),
        };
        for (at, length) in &does.fills {
            let Some(argument) = arguments.get(*at) else {
                continue;
            };
            let number = |at: usize| match arguments.get(at) {
                Some(argument) => as_word(*argument),
                None => module.constant(word, 0),
            };
            let len = match *length {
                Length::Bytes(bytes) => module.constant(word, bytes),
                Length::Result => as_word(value),
                Length::ResultTimes(factor) => builder.mul(as_word(value), number(factor)),
                Length::Argument(at) => number(at),
                Length::ArgumentTimes(at, bytes) => {
                    builder.mul(number(at), module.constant(word, bytes))
                }
                Length::Text => {
                    let (of, filled) = self.runtime("__reprise_filled_text", void, &[pointer]);
                    builder.call(of, filled, &[*argument]);
                    continue;
                }
            };
            let (of, filled) = self.runtime("__reprise_filled", void, &[pointer, word]);
            builder.call(of, filled, &[*argument, len]);
        }
    }
}
