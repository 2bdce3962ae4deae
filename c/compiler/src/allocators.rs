//! Functions that allocate for others: they return what `malloc` and its like return.
//! All memory of a program would be one object, if it were known by the place of that
//! call alone.

use crate::ir::{Block, LLVMOpcode, LLVMTypeKind, Module, Value};

/// A longer function is more than a wrapper.
const LONGEST: usize = 40;

const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "strdup",
    "strndup",
];

/// Marks them to be put into their callers; returns how many there are.
pub(crate) fn mark(module: &Module) -> usize {
    let all = module.functions().into_iter();
    let wrappers = all.filter(|function| is_wrapper(*function));
    wrappers.map(Value::inline_always).count()
}

fn is_wrapper(function: Value) -> bool {
    let of = function.value_type();
    let returns_pointer = of.result().kind() == LLVMTypeKind::LLVMPointerTypeKind;
    if function.is_declaration() || !returns_pointer || of.is_variadic() {
        return false;
    }
    let blocks = function.blocks().into_iter();
    let instructions: Vec<Value> = blocks.flat_map(Block::instructions).collect();
    let calls_itself = instructions
        .iter()
        .any(|one| one.opcode() == LLVMOpcode::LLVMCall && one.callee() == function);
    let mut returned = instructions
        .iter()
        .filter(|one| one.opcode() == LLVMOpcode::LLVMRet)
        .flat_map(|one| one.operands());
    instructions.len() <= LONGEST && !calls_itself && returned.any(|one| is_allocated(one, 3))
}

/// Whether a value is, in some case, what an allocator has returned.
fn is_allocated(value: Value, depth: usize) -> bool {
    if depth == 0 || !value.is_instruction() {
        return false;
    }
    match value.opcode() {
        LLVMOpcode::LLVMCall => ALLOCATORS.contains(&value.callee().name().as_str()),
        LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect => value
            .operands()
            .into_iter()
            .any(|one| is_allocated(one, depth - 1)),
        _ => false,
    }
}
