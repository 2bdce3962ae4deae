//! Local variables of inside functions.

use std::collections::HashSet;

use super::Inserter;
use crate::ir::{LLVMOpcode, Value};

/// Every variable begins at a multiple of this.
const ALIGNMENT: u64 = 16;

/// The frame begins at a multiple of this.
const FRAME: i64 = 64;

impl Inserter<'_> {
    /// Moves variables to the inside stack whose address somebody has, and logs the
    /// address of those that outside code may write to.
    pub(super) fn locals(&mut self, function: Value, instructions: &[Value]) {
        let allocas = instructions.iter().copied();
        let allocas = allocas.filter(|at| at.opcode() == LLVMOpcode::LLVMAlloca && at.is_used());
        let (inside, outside): (Vec<Value>, Vec<Value>) = allocas.partition(|at| self.owns(*at));
        let first = instructions
            .iter()
            .copied()
            .find(|at| at.opcode() != LLVMOpcode::LLVMAlloca);
        let Some(first) = first else { return };
        // One that is made further on, as in what was put in from another function, is not there
        // at the beginning.
        let is_alloca = |at: &&Value| at.opcode() == LLVMOpcode::LLVMAlloca;
        let at_first: HashSet<Value> = instructions.iter().take_while(is_alloca).copied().collect();
        for at in outside {
            let next = match at_first.contains(&at) {
                true => Some(first),
                false => at.next(),
            };
            if let Some(next) = next {
                self.log_address(function, at, next);
            }
        }
        for at in instructions {
            let is_call = at.opcode() == LLVMOpcode::LLVMCall;
            if is_call
                && at.callee().name().starts_with("llvm.threadlocal.address")
                && let Some(next) = at.next()
            {
                self.log_address(function, *at, next);
            }
        }
        if !inside.is_empty() {
            self.move_inside(&inside, first, instructions);
        }
    }

    fn log_address(&mut self, function: Value, at: Value, next: Value) {
        let (word, number) = (self.module.int(64), self.module.int(32));
        let site = self.site(function, at, "an address");
        let (of, address) = self.runtime("__reprise_address", word, &[word, number]);
        self.builder.before(next);
        self.builder.located(next.debug_location());
        let actual = self.builder.to_number(at, word);
        let told = self.builder.call(of, address, &[actual, site]);
        let told = self.builder.to_pointer(told, self.module.pointer());
        self.moved.insert(told, at);
        take_place(at, told);
        actual.set_operand(0, at);
    }

    fn move_inside(&mut self, variables: &[Value], first: Value, instructions: &[Value]) {
        let word = self.module.int(64);
        let pointer = self.module.pointer();
        let stack = self.module.global("__reprise_sp", word);
        let builder = &self.builder;
        builder.before(first);
        builder.located(first.debug_location());
        let mask = self.module.constant(word, (-FRAME).cast_unsigned());
        let before = builder.load(word, stack);
        let mut total = 0;
        let mut fixed = Vec::new();
        for at in variables.iter().copied().filter(|at| is_fixed(*at)) {
            let count = at.operands()[0].constant_number().unwrap_or(1);
            let size = self
                .module
                .padded_size(at.allocated_type())
                .saturating_mul(count);
            fixed.push((at, total));
            total += size.next_multiple_of(ALIGNMENT);
        }
        let below = builder.sub(before, self.module.constant(word, total));
        let frame = builder.and(below, mask);
        builder.store(frame, stack);
        for (at, offset) in fixed {
            let place = builder.add(frame, self.module.constant(word, offset));
            let place = builder.to_pointer(place, pointer);
            self.moved.insert(place, at);
            take_place(at, place);
        }
        for at in variables.iter().copied().filter(|at| !is_fixed(*at)) {
            builder.before(at);
            let size = self.module.padded_size(at.allocated_type());
            let count = builder.sign_extend_or_cut(at.operands()[0], word);
            let len = builder.mul(count, self.module.constant(word, size));
            let place = builder.and(builder.sub(builder.load(word, stack), len), mask);
            builder.store(place, stack);
            let place = builder.to_pointer(place, pointer);
            self.moved.insert(place, at);
            take_place(at, place);
        }
        for at in instructions {
            if at.opcode() == LLVMOpcode::LLVMRet {
                builder.before(*at);
                builder.store(before, stack);
            }
        }
    }
}

/// Of a size that is known.
fn is_fixed(alloca: Value) -> bool {
    alloca.operands()[0].constant_number().is_some()
}

/// Calls by which the compiler tells itself something.
fn is_of_compiler(name: &str) -> bool {
    name.starts_with("llvm.lifetime")
}

/// The variable itself stays for what the compiler says about its life; all else,
/// and what debuggers know of it, goes to its new place.
fn take_place(of: Value, place: Value) {
    let is_kept = |user: &Value| {
        let is_call = user.is_instruction() && user.opcode() == LLVMOpcode::LLVMCall;
        is_call && is_of_compiler(&user.callee().name())
    };
    let kept: Vec<(Value, u32)> = of
        .users()
        .into_iter()
        .filter(is_kept)
        .flat_map(|user| {
            let operands = (0..).zip(user.operands());
            let mine = operands.filter(|(_, operand)| *operand == of);
            mine.map(move |(index, _)| (user, index))
                .collect::<Vec<_>>()
        })
        .collect();
    of.replace_with(place);
    for (user, index) in kept {
        user.set_operand(index, of);
    }
}
