//! The runtime is told where the program's objects are, and which of them stores mean; of loads it is told
//! anyway. What it has counted is in the weights by object.

use reprise_c_analysis::model::{ObjectId, Storage};

use crate::ir::{Block, Builder, LLVMLinkage, LLVMOpcode, Module, Value};
use crate::read::Reading;

/// What may be somebody's, and what never changes, for the runtime.
const UNCLEAR: u64 = u32::MAX as u64 - 1;
const FIXED: u64 = u32::MAX as u64 - 2;

/// Inserts it all; the last is what has to be done when the program begins.
pub(super) fn insert(module: &Module, builder: &Builder, reading: &Reading) {
    let objects = Objects {
        module,
        builder,
        reading,
    };
    for function in &reading.defined {
        objects.returns(*function);
        for at in function.blocks().into_iter().flat_map(Block::instructions) {
            match at.opcode() {
                LLVMOpcode::LLVMAlloca => objects.variable(at),
                LLVMOpcode::LLVMCall => objects.call(at),
                _ => {}
            }
        }
    }
    objects.stores();
}

struct Objects<'a> {
    module: &'a Module,
    builder: &'a Builder,
    reading: &'a Reading,
}

impl Objects<'_> {
    fn number(&self, object: ObjectId) -> Value {
        let number = self.module.int(32);
        self.module.constant(number, u64::from(object))
    }

    fn address(&self, pointer: Value) -> Value {
        self.builder.to_number(pointer, self.module.int(64))
    }

    /// A variable of a function begins to be.
    fn variable(&self, at: Value) {
        let (module, builder, word) = (self.module, self.builder, self.module.int(64));
        let (Some(object), Some(next)) = (self.reading.objects.get(&at), at.next()) else {
            return;
        };
        let of = module.function_type(module.void(), &[word, word, module.int(32)]);
        let begins = module.declare("__reprise_object", of);
        builder.before(next);
        builder.located(at.debug_location());
        let each = module.constant(word, module.padded_size(at.allocated_type()));
        let (len, number) = match at.operands().first() {
            Some(count) if count.constant_number() != Some(1) => {
                // It ends with a part of its function, of which nobody is told.
                let len = builder.mul(each, builder.zero_extend(*count, word));
                (len, module.constant(module.int(32), UNCLEAR))
            }
            _ => (each, self.number(*object)),
        };
        let given = [self.address(at), len, number];
        builder.call(of, begins, &given);
    }

    /// Variables of a function end with it: what comes to be where they were is not theirs.
    fn returns(&self, function: Value) {
        let (module, builder, word) = (self.module, self.builder, self.module.int(64));
        let of = module.function_type(module.void(), &[word, word]);
        let blocks = function.blocks();
        let first = blocks.first().map(|block| block.instructions());
        let is_variable = |at: &Value| {
            at.opcode() == LLVMOpcode::LLVMAlloca
                && at.operands().first().and_then(|one| one.constant_number()) == Some(1)
        };
        let variables = first.into_iter().flatten().filter(is_variable);
        let variables: Vec<Value> = variables.collect();
        let last = blocks.iter().filter_map(|block| block.instructions().pop());
        let returns = last.filter(|at| at.opcode() == LLVMOpcode::LLVMRet);
        // Nothing may be between such a call and the return.
        for at in returns.filter(|at| !at.is_behind_last_call()) {
            builder.before(at);
            builder.located(at.debug_location());
            for variable in &variables {
                let len = module.padded_size(variable.allocated_type());
                let given = [self.address(*variable), module.constant(word, len)];
                builder.call(of, module.declare("__reprise_object_ends", of), &given);
            }
        }
    }

    /// The C library allocates, or gets memory back.
    fn call(&self, at: Value) {
        let (module, builder, word) = (self.module, self.builder, self.module.int(64));
        let name = at.callee().name();
        if name.starts_with("llvm.lifetime.") {
            // The compiler would have two variables at one place.
            at.erase();
            return;
        }
        let arguments = at.arguments();
        if let ("free", [pointer]) = (name.as_str(), &arguments[..]) {
            let of = module.function_type(module.void(), &[word]);
            let gone = module.declare("__reprise_object_gone", of);
            builder.before(at);
            builder.located(at.debug_location());
            builder.call(of, gone, &[self.address(*pointer)]);
        }
        let before = match name.as_str() {
            "malloc" | "calloc" | "strdup" | "strndup" => None,
            "realloc" | "reallocarray" => arguments.first().copied(),
            // How long that is only its library knows.
            _ => return,
        };
        let (Some(object), Some(next)) = (self.reading.objects.get(&at), at.next()) else {
            return;
        };
        let of = module.function_type(module.void(), &[word, word, module.int(32)]);
        let allocated = module.declare("__reprise_object_allocated", of);
        builder.before(next);
        builder.located(at.debug_location());
        let before = match before {
            Some(before) => self.address(before),
            None => module.constant(word, 0),
        };
        let given = [self.address(at), before, self.number(*object)];
        builder.call(of, allocated, &given);
    }

    /// In front of each store: whereto.
    fn stores(&self) {
        let (module, builder) = (self.module, self.builder);
        let (number, word) = (module.int(32), module.int(64));
        let of = module.function_type(module.void(), &[number, word]);
        let met = module.declare("__reprise_met", of);
        let first = self.reading.loads.len() as u64;
        for (index, store) in (first..).zip(&self.reading.stores) {
            builder.before(*store);
            builder.located(store.debug_location());
            let address = self.address(store.operands()[1]);
            builder.call(of, met, &[module.constant(number, index), address]);
        }
    }
}

/// The runtime is told of all global variables, at the end of what is being inserted.
pub(super) fn globals(module: &Module, builder: &Builder, reading: &Reading) {
    let (pointer, word) = (module.pointer(), module.int(64));
    let (mut starts, mut about) = (Vec::new(), Vec::new());
    for global in module.globals() {
        let Some(object) = reading.objects.get(&global) else {
            continue;
        };
        let number = match reading.program.objects[*object as usize].storage {
            Storage::Global | Storage::Variable => u64::from(*object),
            // Equal texts may be one.
            Storage::Constant => FIXED,
            _ => continue,
        };
        starts.push(global);
        let len = module.padded_size(global.value_type());
        about.extend([len, number].map(|one| module.constant(word, one)));
    }
    let count = module.constant(word, starts.len() as u64);
    let array = |name: &str, array: Value| {
        let global = module.global(name, array.kind());
        global.set_initializer(array);
        global.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        global
    };
    let starts = array("__reprise_globals", module.constant_array(pointer, &starts));
    let about = array("__reprise_about", module.constant_array(word, &about));
    let of = module.function_type(module.void(), &[pointer, pointer, word]);
    let all = module.declare("__reprise_object_globals", of);
    builder.call(of, all, &[starts, about, count]);
}
