//! Loops of inside functions, in programs of which several threads may come inside: each
//! one counts, so that others have their turn after some.

use super::Inserter;
use crate::ir::{Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, Type, Value};

impl Inserter<'_> {
    /// Counts at the beginning of each loop of a function.
    pub(super) fn steps(&mut self, function: Value) {
        let headers = headers(&function.blocks());
        if headers.is_empty() {
            return;
        }
        let (of, step) = self.step();
        for block in headers {
            let mut all = block.instructions().into_iter();
            let first = all.find(|one| one.opcode() != LLVMOpcode::LLVMPHI);
            let Some(first) = first else { continue };
            let site = self.site(function, first, "a turn");
            self.before(first);
            self.builder.call(of, step, &[site]);
        }
    }

    /// A function that takes one away from how many loops are left, and has the runtime
    /// look around when there are none. It becomes a part of whoever calls it.
    fn step(&self) -> (Type, Value) {
        let (module, builder) = (&self.module, &self.builder);
        let (word, number, void) = (module.int(64), module.int(32), module.void());
        let (of, runtime) = self.runtime("__reprise_step", void, &[number]);
        let step = module.declare("__reprise_step_if_none_is_left", of);
        if !step.is_declaration() {
            return (of, step);
        }
        step.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        step.inline_always();
        let [first, none, done] = [(); 3].map(|()| module.append_block(step));
        builder.at_end(first);
        let left = module.global("__reprise_steps", word);
        let now = builder.sub(builder.load(word, left), module.constant(word, 1));
        builder.store(now, left);
        let zero = module.constant(word, 0);
        let is_none = builder.compare(LLVMIntPredicate::LLVMIntSLT, now, zero);
        builder.branch(is_none, none, done);
        builder.at_end(none);
        builder.call(of, runtime, &step.parameters());
        builder.ret(None);
        builder.at_end(done);
        builder.ret(None);
        (of, step)
    }
}

/// The blocks at which loops begin: those to which something goes back that was reached
/// through them. The first block is where the function begins.
fn headers(blocks: &[Block]) -> Vec<Block> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Done,
    }
    let numbers: std::collections::HashMap<Block, usize> = (0..)
        .zip(blocks)
        .map(|(index, block)| (*block, index))
        .collect();
    let after = |index: usize| -> Vec<usize> {
        let last = blocks[index].instructions().pop();
        let after = last.map(Value::successors).unwrap_or_default();
        after
            .iter()
            .filter_map(|block| numbers.get(block).copied())
            .collect()
    };
    let mut seen = vec![Seen::Not; blocks.len()];
    let mut found = Vec::new();
    let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
    if !blocks.is_empty() {
        seen[0] = Seen::OnTheWay;
        way.push((0, after(0)));
    }
    while let Some((index, rest)) = way.last_mut() {
        match rest.pop() {
            Some(next) if seen[next] == Seen::OnTheWay => found.push(next),
            Some(next) if seen[next] == Seen::Not => {
                seen[next] = Seen::OnTheWay;
                way.push((next, after(next)));
            }
            Some(_) => {}
            None => {
                seen[*index] = Seen::Done;
                way.pop();
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|index| blocks[index]).collect()
}
