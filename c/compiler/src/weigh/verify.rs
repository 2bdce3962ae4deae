//! What annotations say of functions of libraries is looked at while a program is weighed:
//! memory of the program that such a function is given stays as it was, but for what its
//! annotation says that it fills.
//!
//! Of a variable all is looked at, of other memory the first word: how long a piece of the
//! heap is nobody knows here.

use std::collections::HashSet;

use reprise_c_analysis::annotations::{Annotation, Length};
use reprise_c_analysis::model::{ObjectId, Storage};
use reprise_c_analysis::points_to::PointsTo;

use crate::ir::{Block, Builder, LLVMLinkage, LLVMOpcode, LLVMTypeKind, Module, Value};
use crate::read::{Reading, place};

/// The most that is looked at of a variable.
const LONGEST: u64 = 4096;

/// What is looked at of other memory.
const WORD: u64 = 8;

/// The most arguments of a call that are.
const ARGUMENTS: usize = 4;

struct Verifier<'a> {
    module: &'a Module,
    builder: &'a Builder,
    reading: &'a Reading,
    points_to: &'a PointsTo,
    /// What is outside whatever happens: lists of variable arguments, which functions that
    /// are given one write to.
    varying: HashSet<ObjectId>,
}

/// Has all calls of annotated functions looked at.
pub(super) fn insert(module: &Module, builder: &Builder, reading: &Reading, points_to: &PointsTo) {
    let verifier = Verifier {
        module,
        builder,
        reading,
        points_to,
        varying: reading
            .program
            .varying
            .iter()
            .flat_map(|var| points_to.objects(*var))
            .copied()
            .collect(),
    };
    for function in &reading.defined {
        for at in function.blocks().into_iter().flat_map(Block::instructions) {
            if at.opcode() == LLVMOpcode::LLVMCall && at.callee().is_function() {
                verifier.call(at);
            }
        }
    }
}

impl Verifier<'_> {
    fn call(&self, at: Value) {
        let id = self.reading.functions.get(&at.callee());
        let known = id.map(|id| &self.reading.program.functions[*id as usize]);
        let Some(does) = known.and_then(|known| known.annotation.as_ref()) else {
            return;
        };
        let Some(next) = at.next().filter(|_| can_be_verified(does)) else {
            return;
        };
        let given = at.arguments().into_iter();
        let given: Vec<(Value, u64)> = given
            .filter_map(|one| self.looked_at(one))
            .take(ARGUMENTS)
            .collect();
        if given.is_empty() {
            return;
        }
        let (module, builder) = (self.module, self.builder);
        let (pointer, word, void) = (module.pointer(), module.int(64), module.void());
        let text = format!("{} ({})\0", at.callee().name(), place(at));
        let text = module.constant_bytes(text.as_bytes());
        let name = module.new_global("__reprise_call", text.kind());
        name.set_initializer(text);
        name.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        let times = module.new_global("__reprise_times", word);
        times.set_initializer(module.constant(word, 0));
        times.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        builder.before(at);
        builder.located(at.debug_location());
        let of = module.function_type(void, &[pointer, pointer]);
        let begins = module.declare("__reprise_verify", of);
        builder.call(of, begins, &[name, times]);
        let of_piece = module.function_type(void, &[pointer, word]);
        let piece = module.declare("__reprise_verify_piece", of_piece);
        for (start, len) in given {
            builder.call(of_piece, piece, &[start, module.constant(word, len)]);
        }
        builder.before(next);
        builder.located(at.debug_location());
        let arguments = at.arguments();
        let as_word = |value: Value| match value.kind().width() {
            0 => module.constant(word, 0),
            _ => builder.sign_extend_or_cut(value, word),
        };
        let number = |at: usize| match arguments.get(at) {
            Some(argument) => as_word(*argument),
            None => module.constant(word, 0),
        };
        let fills = module.declare("__reprise_verify_filled", of_piece);
        for (filled, length) in &does.fills {
            let Some(start) = arguments.get(*filled) else {
                continue;
            };
            // The end of a text is not known: up to anywhere.
            let len = match *length {
                Length::Bytes(bytes) => module.constant(word, bytes),
                Length::Result => as_word(at),
                Length::ResultTimes(factor) => builder.mul(as_word(at), number(factor)),
                Length::Argument(at) => number(at),
                Length::ArgumentTimes(at, bytes) => {
                    builder.mul(number(at), module.constant(word, bytes))
                }
                Length::Text => module.constant(word, LONGEST),
            };
            builder.call(of_piece, fills, &[*start, len]);
        }
        let of = module.function_type(void, &[]);
        let ends = module.declare("__reprise_verified", of);
        builder.call(of, ends, &[]);
    }

    /// From where on an argument is looked at, and how much.
    fn looked_at(&self, argument: Value) -> Option<(Value, u64)> {
        if argument.kind().kind() != LLVMTypeKind::LLVMPointerTypeKind {
            return None;
        }
        let objects = self.points_to.objects(self.reading.var(argument));
        let is_own = |object: &u32| {
            let storage = self.reading.program.objects[*object as usize].storage;
            matches!(
                storage,
                Storage::Global | Storage::Stack(_) | Storage::Heap(_)
            ) && !self.points_to.is_escaped(*object)
                && !self.varying.contains(object)
        };
        if objects.is_empty() || !objects.iter().all(is_own) {
            return None;
        }
        let mut base = argument;
        while base.is_instruction() && base.opcode() == LLVMOpcode::LLVMGetElementPtr {
            base = *base.operands().first()?;
        }
        let is_local = base.is_instruction() && base.opcode() == LLVMOpcode::LLVMAlloca;
        let one = is_local && base.operands().first()?.constant_number() == Some(1);
        Some(if one {
            let size = self.module.size(base.allocated_type());
            (base, size.min(LONGEST))
        } else {
            (argument, WORD)
        })
    }
}

/// What moves memory about, waits for others, calls back or jumps has its own ways.
fn can_be_verified(does: &Annotation) -> bool {
    !does.own
        && does.varies.is_empty()
        && !does.allocates
        && does.reallocates.is_none()
        && does.frees.is_none()
        && does.scans.is_none()
        && does.calls.is_empty()
        && does.starts.is_none()
        && does.marks.is_none()
        && does.jumps_to.is_none()
        && !does.jumps
}
