//! Loops of inside functions, in programs of which several threads or handlers of signals may
//! come inside: they count, so that others have their turn after some.
//!
//! Where only handlers wait, nobody inside can wait for them but in a loop that looks at memory
//! again each time, and calls nothing: these count, and the outermost ones of each function, so
//! that a handler does not wait for too long.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Inserter;
use crate::ir::{Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, Type, Value};

impl Inserter<'_> {
    /// Counts at the beginning of each loop of a function.
    pub(super) fn steps(&mut self, function: Value) {
        let blocks = function.blocks();
        let mut headers = loops(&blocks);
        if !self.how.threads {
            let is_within = |one: &Loop| {
                let mut others = headers.iter().filter(|other| other.header != one.header);
                others.any(|other| other.blocks.contains(&one.header))
            };
            let wanted: Vec<bool> = headers
                .iter()
                .map(|one| !is_within(one) || one.looks_again())
                .collect();
            let mut wanted = wanted.into_iter();
            headers.retain(|_| wanted.next() == Some(true));
        }
        let mut headers: Vec<Block> = headers.into_iter().map(|one| one.header).collect();
        let calls_itself =
            |at: &Value| at.opcode() == LLVMOpcode::LLVMCall && at.callee() == function;
        let mut all = blocks.iter().flat_map(|block| block.instructions());
        if !self.how.threads && all.any(|at| calls_itself(&at)) {
            // It computes at length without a loop. Its variables are made first.
            headers.extend(blocks.first().filter(|first| !headers.contains(first)));
        }
        if headers.is_empty() {
            return;
        }
        let (of, step) = self.step();
        for block in headers {
            let mut all = block.instructions().into_iter();
            let begins = [LLVMOpcode::LLVMPHI, LLVMOpcode::LLVMAlloca];
            let first = all.find(|one| !begins.contains(&one.opcode()));
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

/// A loop.
struct Loop {
    /// Where it begins.
    header: Block,
    /// All of it.
    blocks: HashSet<Block>,
}

impl Loop {
    /// Whether it reads what may change while nothing of the program does that.
    fn looks_again(&self) -> bool {
        let mut all = self.blocks.iter().flat_map(|block| block.instructions());
        all.any(|at| match at.opcode() {
            LLVMOpcode::LLVMLoad => at.is_volatile_or_atomic(),
            LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => true,
            _ => false,
        })
    }
}

/// The loops of a function: something goes back to where each begins that was reached
/// through there. The first block is where the function begins.
fn loops(blocks: &[Block]) -> Vec<Loop> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Done,
    }
    let numbers: HashMap<Block, usize> = (0..)
        .zip(blocks)
        .map(|(index, block)| (*block, index))
        .collect();
    let after: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| {
            let last = block.instructions().pop();
            let after = last.map(Value::successors).unwrap_or_default();
            let after = after.iter().filter_map(|block| numbers.get(block).copied());
            after.collect()
        })
        .collect();
    let mut seen = vec![Seen::Not; blocks.len()];
    // From where something goes back, by where to.
    let mut back: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
    if !blocks.is_empty() {
        seen[0] = Seen::OnTheWay;
        way.push((0, after[0].clone()));
    }
    while let Some((index, rest)) = way.last_mut() {
        match rest.pop() {
            Some(next) if seen[next] == Seen::OnTheWay => {
                back.entry(next).or_default().push(*index);
            }
            Some(next) if seen[next] == Seen::Not => {
                seen[next] = Seen::OnTheWay;
                way.push((next, after[next].clone()));
            }
            Some(_) => {}
            None => {
                seen[*index] = Seen::Done;
                way.pop();
            }
        }
    }
    let mut before = vec![Vec::new(); blocks.len()];
    for (index, all) in after.iter().enumerate() {
        for next in all {
            before[*next].push(index);
        }
    }
    back.into_iter()
        .map(|(header, mut ahead)| {
            let mut all = HashSet::from([header]);
            while let Some(index) = ahead.pop() {
                if all.insert(index) {
                    ahead.extend(&before[index]);
                }
            }
            Loop {
                header: blocks[header],
                blocks: all.into_iter().map(|index| blocks[index]).collect(),
            }
        })
        .collect()
}
