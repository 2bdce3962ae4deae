//! A program that counts how often each of its blocks runs, how many bytes its calls
//! move, how often its loads find something new and in whose memory (`weigh/objects.rs`), and whom its
//! calls through pointers call; and that looks whether annotations are right (`weigh/verify.rs`).

mod objects;
mod verify;

use std::path::Path;

use reprise_c_analysis::points_to;

use crate::ir::{Builder, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, Module, Value};
use crate::read::{Moved, Reading};

/// Inserts the counters. They are added to a file when the program ends.
pub(crate) fn insert(module: &Module, reading: &Reading, file: &Path) {
    let builder = Builder::new(module);
    let word = module.int(64);
    // The first says which counters these are.
    let count = (1 + reading.counters()) as u64;
    let mut initial = vec![module.constant(word, 0); count as usize];
    initial[0] = module.constant(word, reading.signature());
    let initial = module.constant_array(word, &initial);
    let counters = module.global("__reprise_counters", initial.kind());
    counters.set_initializer(initial);
    counters.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let add = |index: u64, amount: Value| {
        let place = builder.element(word, counters, module.constant(word, index));
        let sum = builder.add(builder.load(word, place), amount);
        builder.store(sum, place);
    };
    let mut number = 1;
    for function in &reading.defined {
        for block in function.blocks() {
            let all = block.instructions();
            let first = all
                .iter()
                .find(|one| !matches!(one.opcode(), LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMAlloca));
            if let Some(first) = first {
                builder.before(*first);
                add(number, module.constant(word, 1));
            }
            number += 1;
        }
    }
    for (call, moved) in &reading.moving {
        insert_moved(module, &builder, *call, *moved, &|amount| {
            add(number, amount);
        });
        number += 1;
    }
    let (pointer, void) = (module.pointer(), module.void());
    insert_found(module, &builder, reading, counters, number);
    insert_called(module, &builder, reading);
    objects::insert(module, &builder, reading);
    let points_to = points_to::solve(&reading.program);
    verify::insert(module, &builder, reading, &points_to);
    let pointed = module.constant_array(pointer, &reading.pointed);
    let functions = module.global("__reprise_functions", pointed.kind());
    functions.set_initializer(pointed);
    functions.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let mut name = file.to_string_lossy().into_owned().into_bytes();
    name.push(0);
    let text = module.constant_bytes(&name);
    let path = module.global("__reprise_weights", text.kind());
    path.set_initializer(text);
    let of = module.function_type(void, &[pointer, pointer, word, pointer, word]);
    let weighing = module.declare("__reprise_weighing", of);
    let begin = module.function("__reprise_weigh_begin", module.function_type(void, &[]));
    builder.at_end(module.append_block(begin));
    let (count, pointed) = (
        module.constant(word, count),
        module.constant(word, reading.pointed.len() as u64),
    );
    builder.call(of, weighing, &[path, counters, count, functions, pointed]);
    objects::globals(module, &builder, reading);
    builder.ret(None);
    let list = module.global("__reprise_weigh_at_begin", pointer);
    list.set_initializer(begin);
    list.set_section(".init_array");
    define_nothing(module, &builder);
}

/// In front of each load: where it is going to look, for the function that it is in. Counters
/// begin with a number.
fn insert_found(
    module: &Module,
    builder: &Builder,
    reading: &Reading,
    counters: Value,
    first: u64,
) {
    let (pointer, word, number) = (module.pointer(), module.int(64), module.int(32));
    let of = module.function_type(module.void(), &[pointer, pointer, number, number, number]);
    let found = module.declare("__reprise_found", of);
    for (load_number, load) in (0..).zip(&reading.loads) {
        let index = first + load_number;
        let function = reading.functions.get(&load.function()).copied();
        let function = u64::from(function.unwrap_or_default());
        builder.before(*load);
        builder.located(load.debug_location());
        let counter = builder.element(word, counters, module.constant(word, index));
        let given = [
            counter,
            load.operands()[0],
            module.constant(number, module.size(load.kind())),
            module.constant(number, function),
            module.constant(number, load_number),
        ];
        builder.call(of, found, &given);
    }
}

/// In front of each call through a pointer: whom it is about to call.
fn insert_called(module: &Module, builder: &Builder, reading: &Reading) {
    let (number, word) = (module.int(32), module.int(64));
    let of = module.function_type(module.void(), &[number, word]);
    let called = module.declare("__reprise_called", of);
    for (index, call) in (0..).zip(&reading.indirect) {
        builder.before(*call);
        builder.located(call.debug_location());
        let whom = builder.to_number(call.callee(), word);
        builder.call(of, called, &[module.constant(number, index), whom]);
    }
}

fn insert_moved(
    module: &Module,
    builder: &Builder,
    call: Value,
    moved: Moved,
    add: &dyn Fn(Value),
) {
    let word = module.int(64);
    let arguments = call.arguments();
    let Some(next) = call.next() else {
        return;
    };
    builder.before(next);
    builder.located(call.debug_location());
    let as_word = |value: Value| match value.kind().width() {
        0 => module.constant(word, 0),
        _ => builder.sign_extend_or_cut(value, word),
    };
    let zero = module.constant(word, 0);
    let positive = |value: Value| {
        let is = builder.compare(LLVMIntPredicate::LLVMIntSGT, value, zero);
        builder.select(is, value, zero)
    };
    let amount = match moved {
        Moved::Bytes(bytes) => module.constant(word, bytes),
        Moved::Argument(at) => as_word(arguments[at]),
        Moved::ArgumentTimes(at, bytes) => {
            builder.mul(as_word(arguments[at]), module.constant(word, bytes))
        }
        Moved::Result => positive(as_word(call)),
        Moved::ResultTimes(at) => builder.mul(positive(as_word(call)), as_word(arguments[at])),
        Moved::Text(at) => {
            let of = module.function_type(word, &[module.pointer()]);
            let length = module.declare("__reprise_text_length", of);
            builder.call(of, length, &[arguments[at]])
        }
    };
    add(amount);
}

/// What the runtime expects of a program that was cut, of which there is nothing.
fn define_nothing(module: &Module, builder: &Builder) {
    let none = module.array(module.pointer(), 1);
    let entries = module.global("__reprise_entries", none);
    entries.set_initializer(module.zero(none));
    let handlers = module.global("__reprise_handlers", none);
    handlers.set_initializer(module.zero(none));
    let count = module.global("__reprise_handler_count", module.int(64));
    count.set_initializer(module.constant(module.int(64), 0));
    let entry = module.function(
        "__reprise_no_entry",
        module.function_type(module.void(), &[]),
    );
    entry.set_section("reprise_entry");
    builder.at_end(module.append_block(entry));
    builder.ret(None);
}
