//! Functions that allocate for others: they return what `malloc` and its like return, or store it
//! where a parameter says. All memory of a program would be one object, if it were known by the
//! place of that call alone.

use reprise_c_analysis::annotations::Annotations;

use crate::ir::{Block, LLVMOpcode, LLVMTypeKind, Module, Value};

/// A longer function is more than a wrapper.
const LONGEST: usize = 40;

/// The same of one that also says whether it could allocate.
const LONGEST_WITH_RESULT: usize = 60;

/// Marks them to be put into their callers; returns how many there are.
pub(crate) fn mark(module: &Module, known: &Annotations) -> usize {
    let all = module.functions().into_iter();
    let wrappers = all.filter(|function| is_wrapper(*function, known));
    wrappers.map(Value::inline_always).count()
}

fn is_wrapper(function: Value, known: &Annotations) -> bool {
    let of = function.value_type();
    let returns_pointer = of.result().kind() == LLVMTypeKind::LLVMPointerTypeKind;
    if function.is_declaration() || of.is_variadic() {
        return false;
    }
    let blocks = function.blocks().into_iter();
    let instructions: Vec<Value> = blocks.flat_map(Block::instructions).collect();
    let calls_itself = instructions
        .iter()
        .any(|one| one.opcode() == LLVMOpcode::LLVMCall && one.callee() == function);
    if calls_itself {
        return false;
    }
    let is_allocated = |one: &Value| is_allocated(*one, known, 3);
    if returns_pointer {
        let returns = instructions.iter();
        let returns = returns.filter(|one| one.opcode() == LLVMOpcode::LLVMRet);
        let mut returned = returns.flat_map(|one| one.operands());
        return instructions.len() <= LONGEST && returned.any(|one| is_allocated(&one));
    }
    let parameters = function.parameters();
    let stores = instructions.iter();
    let mut stores = stores.filter(|one| one.opcode() == LLVMOpcode::LLVMStore);
    let hands_out = stores.any(|one| match one.operands()[..] {
        [what, whereto] => parameters.contains(&whereto) && is_allocated(&what),
        _ => false,
    });
    instructions.len() <= LONGEST_WITH_RESULT && hands_out
}

/// Whether a value is, in some case, what an allocator has returned.
fn is_allocated(value: Value, known: &Annotations, depth: usize) -> bool {
    if depth == 0 || !value.is_instruction() {
        return false;
    }
    match value.opcode() {
        LLVMOpcode::LLVMCall => {
            let does = known.find(&value.callee().name());
            does.is_some_and(|does| does.allocates || does.reallocates.is_some())
        }
        LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect => value
            .operands()
            .into_iter()
            .any(|one| is_allocated(one, known, depth - 1)),
        _ => false,
    }
}
