//! Variables for debuggers. Of most variables of an optimised function a debugger finds
//! nothing at most places. Where that is wanted, whatever an inside function assigns to a
//! variable is also stored to memory that is nothing else's, and debuggers are told of that.
//!
//! From where on the optimiser has lost a variable, debuggers are told so as before, up to the
//! next place where something is assigned to it: an old value would be a wrong one. A variable
//! that it has in parts is left as it is. Of a variable that is in inside memory it is kept where
//! that is.

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
            let mut order = Order::of(*function);
            for declared in telling(*function, "llvm.dbg.declare") {
                let told = told_by(declared, &mut expressions, &mut order);
                if let Some(place) = told.what.filter(|place| is_computed(*place)) {
                    self.keep_place(*function, declared, place);
                }
            }
            for all in told(*function).into_values() {
                let values: Vec<Told> = all
                    .into_iter()
                    .map(|call| told_by(call, &mut expressions, &mut order))
                    .collect();
                if let Some(kept) = kept(&values) {
                    self.keep(*function, &kept, &values);
                }
            }
        }
        self.module.debug_calls(false);
    }

    /// Keeps where a variable is.
    fn keep_place(&self, function: Value, declared: Value, place: Value) {
        let blocks = function.blocks();
        let Some(first) = blocks.first().and_then(|block| block.first()) else {
            return;
        };
        let (builder, module) = (&self.builder, &self.module);
        builder.instead_of(first);
        let memory = builder.alloca(module.pointer());
        // As soon as it is there: a debugger takes what is told for the whole function.
        let next = place.next().unwrap_or(declared);
        builder.instead_of(next);
        builder.located(following(next).debug_location());
        builder.store(place, memory).set_volatile();
        declared.set_operand(0, module.told(memory));
        declared.set_operand(2, module.dereferenced());
    }

    fn keep(&self, function: Value, kept: &Kept, all: &[Told]) {
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
            let told = one.call.arguments();
            builder.located(one.call.debug_location());
            let (declare_type, declare) = module.dbg_declare();
            let known = [module.told(memory), told[1], told[2]];
            builder.call(declare_type, declare, &known);
        }
        for Told { call, what, .. } in all {
            let Some(what) = *what else { continue };
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

/// What debuggers are told of a variable at a place.
struct Told {
    call: Value,
    /// The value, if it is one that can be stored here.
    what: Option<Value>,
    /// It is a part of the variable.
    is_part: bool,
}

fn told_by(call: Value, expressions: &mut HashMap<Value, Expression>, order: &mut Order) -> Told {
    let arguments = call.arguments();
    let known = expressions.entry(arguments[2]).or_insert_with(|| {
        let printed = arguments[2].printed();
        if printed.ends_with("!DIExpression()") {
            Expression::Plain
        } else if printed.contains("DW_OP_LLVM_fragment") {
            Expression::Part
        } else {
            Expression::Other
        }
    });
    let what = arguments[0].is_told();
    let what = what.filter(|_| *known == Expression::Plain);
    Told {
        call,
        what: what.filter(|what| order.comes_before(*what, call)),
        is_part: *known == Expression::Part,
    }
}

/// What is computed before what. The optimiser tells debuggers of values that there are not yet.
struct Order {
    /// The blocks of a function by their number, and which follow which.
    numbers: HashMap<Block, usize>,
    following: Vec<Vec<usize>>,
    /// Which blocks one comes to without coming to another one.
    without: HashMap<usize, Vec<bool>>,
}

impl Order {
    fn of(function: Value) -> Self {
        let blocks = function.blocks();
        let numbers: HashMap<Block, usize> = blocks.iter().copied().zip(0..).collect();
        let following = blocks.iter().map(|block| {
            let last = block.instructions().pop();
            let all = last.map(Value::successors).unwrap_or_default();
            let all = all.iter().filter_map(|block| numbers.get(block).copied());
            all.collect()
        });
        Self {
            following: following.collect(),
            numbers,
            without: HashMap::new(),
        }
    }

    /// Whether a value is always there at an instruction.
    fn comes_before(&mut self, what: Value, at: Value) -> bool {
        let (Some(made), Some(used)) = (what.block(), at.block()) else {
            // A constant or a parameter.
            return true;
        };
        if made == used {
            let next = std::iter::successors(Some(what), |one| one.next());
            return next.skip(1).any(|one| one == at);
        }
        let (Some(&made), Some(&used)) = (self.numbers.get(&made), self.numbers.get(&used)) else {
            return false;
        };
        let following = &self.following;
        let without = self.without.entry(made).or_insert_with(|| {
            let mut seen = vec![false; following.len()];
            let mut ahead: Vec<usize> = (0..1).filter(|first| *first != made).collect();
            while let Some(block) = ahead.pop() {
                if block != made && !std::mem::replace(&mut seen[block], true) {
                    ahead.extend(&following[block]);
                }
            }
            seen
        });
        !without[used]
    }
}

/// How the values of a variable can be kept, if any can.
fn kept(all: &[Told]) -> Option<Kept> {
    let (mut found, mut whole) = (None, true);
    for one in all {
        if one.is_part {
            return None;
        }
        let Some(what) = one.what else {
            whole = false;
            continue;
        };
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

/// A place that is computed, and not that of a variable on the stack.
fn is_computed(place: Value) -> bool {
    let computes = [LLVMOpcode::LLVMIntToPtr, LLVMOpcode::LLVMGetElementPtr];
    place.is_instruction() && computes.contains(&place.opcode())
}

/// The calls in a function that tell debuggers something.
fn telling(function: Value, how: &str) -> Vec<Value> {
    let all = function.blocks().into_iter().flat_map(Block::instructions);
    all.filter(|at| is_telling(*at) && at.callee().name() == how)
        .collect()
}

/// What debuggers are told of which variable.
fn told(function: Value) -> HashMap<Variable, Vec<Value>> {
    let mut all: HashMap<Variable, Vec<Value>> = HashMap::new();
    for at in telling(function, "llvm.dbg.value") {
        let variable = (at.arguments()[1], at.debug_location().called_at());
        all.entry(variable).or_default().push(at);
    }
    all
}
