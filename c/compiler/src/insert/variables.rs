//! Variables for debuggers. Of most variables of an optimised function a debugger finds
//! nothing at most places. Where that is wanted, whatever an inside function assigns to a
//! variable is also stored to memory that is nothing else's, and debuggers are told of that.
//!
//! From where on the optimiser has lost a variable, debuggers are told so as before, up to the
//! next place where something is assigned to it: an old value would be a wrong one. A variable
//! that it has in parts is left as it is.

use std::collections::HashMap;

use super::Inserter;
use crate::ir::{Block, LLVMOpcode, LLVMTypeKind, Type, Value};

/// A variable: what debuggers are told of it, and where the function that it is of was called,
/// if that has become a part of its caller.
type Variable = (Value, usize);

/// What is known of how a variable's values can be kept.
struct Kept {
    /// The type of memory for them.
    of: Type,
    /// All of them can.
    whole: bool,
}

/// Expressions by which a value is made of what debuggers are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expression {
    /// It is the value.
    Plain,
    /// A part of the value.
    Part,
    Other,
}

impl Inserter<'_> {
    pub(super) fn variables(&self, inside: &[Value]) {
        self.module.debug_calls(true);
        let mut expressions = HashMap::new();
        for function in inside {
            for all in told(*function).into_values() {
                if let Some(kept) = kept(&all, &mut expressions) {
                    self.keep(*function, &kept, &all, &expressions);
                }
            }
        }
        self.module.debug_calls(false);
    }

    fn keep(
        &self,
        function: Value,
        kept: &Kept,
        all: &[Value],
        expressions: &HashMap<Value, Expression>,
    ) {
        let blocks = function.blocks();
        let Some(first) = blocks.first().and_then(|block| block.first()) else {
            return;
        };
        let (builder, module) = (&self.builder, &self.module);
        // A truth is a byte.
        let is_truth = kept.of.width() == 1;
        let of = if is_truth { module.int(8) } else { kept.of };
        builder.instead_of(first);
        let memory = builder.alloca(of);
        builder.store(module.zero(of), memory).set_volatile();
        if let Some(one) = all.first().filter(|_| kept.whole) {
            let told = one.arguments();
            builder.located(one.debug_location());
            let (declare_type, declare) = module.dbg_declare();
            let known = [module.told(memory), told[1], told[2]];
            builder.call(declare_type, declare, &known);
        }
        for call in all {
            let told = call.arguments();
            let is_plain = expressions.get(&told[2]) == Some(&Expression::Plain);
            let Some(what) = told[0].is_told().filter(|_| is_plain) else {
                continue;
            };
            builder.instead_of(*call);
            builder.located(following(*call).debug_location());
            let what = match is_truth {
                true => builder.zero_extend(what, of),
                false => what,
            };
            builder.store(what, memory).set_volatile();
            if kept.whole {
                call.erase();
            } else {
                call.set_operand(0, module.told(memory));
                call.set_operand(2, module.dereferenced());
            }
        }
    }
}

/// How the values of a variable can be kept, if any can.
fn kept(all: &[Value], expressions: &mut HashMap<Value, Expression>) -> Option<Kept> {
    let (mut found, mut whole) = (None, true);
    for call in all {
        let arguments = call.arguments();
        let [what, _, expression] = arguments[..] else {
            return None;
        };
        let known = expressions.entry(expression).or_insert_with(|| {
            let printed = expression.printed();
            if printed.ends_with("!DIExpression()") {
                Expression::Plain
            } else if printed.contains("DW_OP_LLVM_fragment") {
                Expression::Part
            } else {
                Expression::Other
            }
        });
        let what = what.is_told();
        match (*known, what) {
            (Expression::Part, _) => return None,
            (Expression::Plain, Some(what)) => {
                let of = what.kind();
                let fits = match of.kind() {
                    LLVMTypeKind::LLVMPointerTypeKind
                    | LLVMTypeKind::LLVMFloatTypeKind
                    | LLVMTypeKind::LLVMDoubleTypeKind => true,
                    LLVMTypeKind::LLVMIntegerTypeKind => of.width() <= 64,
                    _ => false,
                };
                if !fits || found.is_some_and(|other| other != of) {
                    return None;
                }
                found = Some(of);
            }
            _ => whole = false,
        }
    }
    found.map(|of| Kept { of, whole })
}

/// The next instruction that does something.
fn following(call: Value) -> Value {
    let mut at = call;
    while is_telling(at) {
        match at.next() {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

fn is_telling(at: Value) -> bool {
    at.opcode() == LLVMOpcode::LLVMCall && at.callee().name().starts_with("llvm.dbg.")
}

/// What debuggers are told of which variable.
fn told(function: Value) -> HashMap<Variable, Vec<Value>> {
    let mut all: HashMap<Variable, Vec<Value>> = HashMap::new();
    for at in function.blocks().into_iter().flat_map(Block::instructions) {
        if is_telling(at) && at.callee().name() == "llvm.dbg.value" {
            let variable = (at.arguments()[1], at.debug_location().called_at());
            all.entry(variable).or_default().push(at);
        }
    }
    all
}
