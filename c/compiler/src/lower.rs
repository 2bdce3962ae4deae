//! What the analysis has no words for is said otherwise, before anything is looked at.
//!
//! | what | instead |
//! | --- | --- |
//! | a structure that is passed by value | its caller makes a copy, and passes where that is |
//! | a library's function that is called through a pointer | a function of the program that calls it |
//! | one that takes any number of arguments | whoever calls through a pointer asks whether it is that one |
//! | a jump to a computed place (`goto *table[x]`) | places are numbers, and a switch goes there |
//!
//! A function whose address is taken may be called by a library, in the library's way: its
//! structures stay as they are.

use reprise_c_analysis::annotations::Annotations;

use crate::ir::{
    Block, Builder, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMTypeKind, Module, Type, Value,
};
use crate::read::{is_address_taken, known_name};

/// In front of the names of functions that call a library's.
const CALLER: &str = "call_of.";

/// The same of those that ask first which one it is.
const ASKING: &str = "call_of_any.";

/// Lowers a whole program.
pub(crate) fn lower(module: &Module, annotations: &Annotations) {
    let builder = Builder::new(module);
    for function in module.functions() {
        let name = function.name();
        let is_known = known_name(&name).is_some_and(|name| annotations.find(name).is_some());
        if function.is_declaration() && is_known && is_address_taken(function) {
            caller(&builder, module, function);
        }
    }
    let functions = module.functions().into_iter();
    let defined: Vec<Value> = functions.filter(|one| !one.is_declaration()).collect();
    for function in &defined {
        if !is_address_taken(*function) {
            structures(&builder, module, *function);
        }
    }
    let known = module.functions().into_iter().filter(|function| {
        let name = function.name();
        let is_known = known_name(&name).is_some_and(|name| annotations.find(name).is_some());
        let is_variadic = function.value_type().is_variadic() && !name.starts_with("llvm.");
        function.is_declaration() && is_known && is_variadic && is_address_taken(*function)
    });
    let known: Vec<Value> = known.collect();
    if !known.is_empty() {
        let mut asking = Vec::new();
        for function in &defined {
            variadic_calls(&builder, module, *function, &known, &mut asking);
        }
    }
    let mut places = 0;
    for function in defined {
        computed_jumps(&builder, module, function, &mut places);
    }
}

/// Whoever has the address of a library's function that is known gets that of a function
/// of the program instead: what a call through a pointer does is known then, too.
fn caller(builder: &Builder, module: &Module, function: Value) {
    let of = function.value_type();
    let is_weak = function.linkage() == LLVMLinkage::LLVMExternalWeakLinkage;
    if of.is_variadic() || is_weak || function.name().starts_with("llvm.") {
        return;
    }
    let caller = module.function(&format!("{CALLER}{}", function.name()), of);
    caller.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    function.replace_address(caller);
    builder.at_end(module.append_block(caller));
    let call = builder.call(of, function, &caller.parameters());
    caller.copy_convention(function);
    call.copy_convention(function);
    for index in 0..=caller.parameters().len() as u32 {
        caller.copy_call_attributes(index, function);
        call.copy_call_attributes(index, function);
    }
    let is_void = of.result().kind() == LLVMTypeKind::LLVMVoidTypeKind;
    builder.ret((!is_void).then_some(call));
}

/// Calls through pointers of functions that take any number of arguments, as `fprintf`: a
/// function of the program that is told how many there are asks which one it is, and calls that.
/// What then is called by the pointer is none that is known.
fn variadic_calls(
    builder: &Builder,
    module: &Module,
    function: Value,
    known: &[Value],
    asking: &mut Vec<((Type, Vec<Type>), Value)>,
) {
    let all = function.blocks().into_iter().flat_map(Block::instructions);
    let calls = all.filter(|at| {
        at.opcode() == LLVMOpcode::LLVMCall
            && !at.callee().is_function()
            && !at.callee().is_assembly()
            && at.called_type().is_variadic()
    });
    for call in calls.collect::<Vec<Value>>() {
        let of = call.called_type();
        let like: Vec<Value> = known
            .iter()
            .copied()
            .filter(|one| one.value_type() == of)
            .collect();
        let arguments = call.arguments();
        let by_value = (1..).zip(&arguments);
        let mut by_value = by_value.filter(|(index, _)| call.has_call_attribute(*index, "byval"));
        if like.is_empty() || by_value.next().is_some() {
            continue;
        }
        let key = (of, arguments.iter().map(|one| one.kind()).collect());
        let same = asking.iter().find(|(other, _)| *other == key);
        let asks = match same {
            Some((_, asks)) => *asks,
            None => {
                let name = format!("{ASKING}{}", asking.len());
                let asks = asks_which(builder, module, &name, call, &like);
                asking.push((key, asks));
                asks
            }
        };
        let mut given = vec![call.callee()];
        given.extend(arguments);
        builder.before(call);
        builder.located(call.debug_location());
        let new = builder.call(asks.value_type(), asks, &given);
        if call.is_used() {
            call.replace_with(new);
        }
        call.erase();
    }
}

/// The function that asks, for calls like one.
fn asks_which(
    builder: &Builder,
    module: &Module,
    name: &str,
    call: Value,
    known: &[Value],
) -> Value {
    let of = call.called_type();
    let mut parameters = vec![module.pointer()];
    parameters.extend(call.arguments().iter().map(|one| one.kind()));
    let asks = module.function(name, module.function_type(of.result(), &parameters));
    asks.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let given = asks.parameters();
    let is_void = of.result().kind() == LLVMTypeKind::LLVMVoidTypeKind;
    let pass_on = |to: Value| {
        let passed = builder.call(of, to, &given[1..]);
        passed.copy_convention(call);
        for index in 0..given.len() as u32 {
            passed.copy_call_attributes(index, call);
        }
        builder.ret((!is_void).then_some(passed));
    };
    let mut at = module.append_block(asks);
    for one in known {
        let (it_is, it_is_not) = (module.append_block(asks), module.append_block(asks));
        builder.at_end(at);
        let same = builder.compare(LLVMIntPredicate::LLVMIntEQ, given[0], *one);
        builder.branch(same, it_is, it_is_not);
        builder.at_end(it_is);
        pass_on(*one);
        at = it_is_not;
    }
    builder.at_end(at);
    pass_on(given[0]);
    asks
}

/// Those who call a function make the copies that it gets.
fn structures(builder: &Builder, module: &Module, function: Value) {
    let parameters = (1..).zip(function.parameters());
    let by_value: Vec<(u32, Type, u64)> = parameters
        .filter_map(|(index, _)| {
            let of = function.attribute_type(index, "byval")?;
            let alignment = function.attribute_number(index, "align").unwrap_or(16);
            Some((index, of, alignment.max(8)))
        })
        .collect();
    if by_value.is_empty() {
        return;
    }
    for call in function.users() {
        // The compiler believes of such calls that they need nothing of their caller's.
        call.set_no_tail();
        for (index, of, alignment) in &by_value {
            let caller = call.function();
            let Some(first) = caller.blocks().first().and_then(|block| block.first()) else {
                continue;
            };
            builder.before(first);
            let copy = builder.alloca(*of);
            copy.set_alignment(*alignment);
            builder.before(call);
            builder.located(call.debug_location());
            let original = call.arguments()[*index as usize - 1];
            let size = module.constant(module.int(64), module.padded_size(*of));
            builder.copy(copy, original, size);
            call.set_operand(index - 1, copy);
            call.remove_call_attribute(*index, "byval");
        }
    }
    for (index, ..) in by_value {
        function.remove_attribute(index, "byval");
    }
}

/// Gives each place that can be jumped to a number, and goes there by it.
fn computed_jumps(builder: &Builder, module: &Module, function: Value, places: &mut u64) {
    let all = function.blocks().into_iter().flat_map(Block::instructions);
    let jumps: Vec<Value> = all
        .filter(|one| one.opcode() == LLVMOpcode::LLVMIndirectBr)
        .collect();
    if jumps.is_empty() {
        return;
    }
    let word = module.int(64);
    // 0 is no place; two programs that compare places of two functions are different.
    let mut numbered: Vec<(Block, Value)> = Vec::new();
    for block in jumps.iter().flat_map(|jump| jump.successors()) {
        if numbered.iter().all(|(known, _)| *known != block) {
            *places += 1;
            numbered.push((block, module.constant(word, *places)));
        }
    }
    let nowhere = module.append_block(function);
    builder.at_end(nowhere);
    builder.unreachable();
    for jump in jumps {
        builder.instead_of(jump);
        builder.located(jump.debug_location());
        let place = builder.to_number(jump.operands()[0], word);
        let mut left: Vec<(Block, Value)> = numbered.clone();
        let cases = jump.successors().into_iter().map(|block| {
            let known = left.iter().position(|(one, _)| *one == block);
            let number = known.map(|at| left.swap_remove(at).1);
            // The same place again: it has to be a successor as often as before.
            let number = number.unwrap_or_else(|| {
                *places += 1;
                module.constant(word, *places)
            });
            (number, block)
        });
        let cases: Vec<(Value, Block)> = cases.collect();
        builder.switch(place, nowhere, &cases);
        jump.erase();
    }
    for (block, number) in numbered {
        let address = module.block_address(function, block);
        address.replace_with(module.as_pointer(number));
    }
}
