//! What is inserted into a program so that it can be recorded and replayed at its
//! boundary.
//!
//! | where | what | file |
//! | --- | --- | --- |
//! | loads and stores of inside functions that may be of outside memory | whereto instead | here, `insert/checks.rs` |
//! | calls of inside functions | outside functions behind a wrapper (`insert/outside.rs`); parts of the C library by the runtime's | `insert/calls.rs` |
//! | local variables | on the inside stack, or with an address that is logged | `insert/locals.rs` |
//! | loops, if several threads may be inside | counted, so that others have their turn | `insert/steps.rs` |
//! | inside functions | a wrapper with the function's name for outside callers; one for replays | `insert/entries.rs` |
//! | variables | a section for inside ones, and one for outside ones | `insert/globals.rs` |
//! | addresses of a library's functions | those of functions that go there | `insert/addresses.rs` |

mod addresses;
mod calls;
mod checks;
mod entries;
mod globals;
mod locals;
mod outside;
mod steps;
mod variables;

use std::collections::HashMap;

use reprise_c_analysis::boundary::Boundary;
use reprise_c_analysis::model::FunctionId;
use reprise_c_analysis::points_to::PointsTo;
use reprise_c_events::{Program, SECTION, Site};

use crate::ir::{Block, Builder, LLVMOpcode, Module, Type, Value};
use crate::read::{Reading, place};

/// What was inserted.
pub(crate) struct Inserted {
    /// How many loads and stores are looked at, of how many.
    pub(crate) checked: (u64, u64),
}

struct Inserter<'a> {
    module: Module,
    builder: Builder,
    reading: &'a Reading,
    points_to: &'a PointsTo,
    boundary: &'a Boundary,
    how: &'a How,
    described: Program,
    /// Wrappers of outside functions.
    outs: HashMap<outside::Out, Value>,
    /// What stands in the place of local variables.
    moved: HashMap<Value, Value>,
    /// Loads in whose place something else stands. They go when all is done: what comes to be
    /// where they were in the compiler's memory would be taken for them.
    gone: Vec<Value>,
    /// Calls that stay inside.
    direct: Vec<(Value, Value)>,
    checked: (u64, u64),
}

/// What a compiler may believe of a function that does nothing but what its body says.
const BELIEFS: &[&str] = &[
    "memory",
    "nosync",
    "nofree",
    "willreturn",
    "norecurse",
    "nocallback",
    "speculatable",
];
const BELIEFS_OF_PARAMETERS: &[&str] = &[
    "readonly",
    "readnone",
    "writeonly",
    "nocapture",
    "noalias",
    "dereferenceable",
    "dereferenceable_or_null",
];

/// What else is wanted.
#[derive(Clone, Debug)]
pub(crate) struct How {
    /// Several threads may come inside.
    pub(crate) threads: bool,
    /// Handlers of signals that may.
    pub(crate) handlers: Vec<FunctionId>,
    /// Debuggers are to find variables.
    pub(crate) variables: bool,
}

/// Inserts everything.
pub(crate) fn insert(
    module: &Module,
    reading: &Reading,
    points_to: &PointsTo,
    boundary: &Boundary,
    how: &How,
) -> Inserted {
    let mut inserter = Inserter {
        module: *module,
        builder: Builder::new(module),
        reading,
        points_to,
        boundary,
        how,
        described: Program {
            threads: how.threads,
            ..Program::default()
        },
        outs: HashMap::new(),
        moved: HashMap::new(),
        gone: Vec::new(),
        direct: Vec::new(),
        checked: (0, 0),
    };
    inserter.globals();
    let inside: Vec<Value> = reading
        .defined
        .iter()
        .copied()
        .filter(|function| inserter.is_inside(*function))
        .collect();
    for function in module.functions() {
        forget_beliefs(function, inserter.is_inside(function));
    }
    for function in reading.defined.iter().copied() {
        if inserter.is_inside(function) {
            inserter.body(function);
        } else {
            inserter.jumps(function);
            if id_in(&boundary.handlers, inserter.id(function)) {
                inserter.handler(function);
            }
        }
    }
    for load in std::mem::take(&mut inserter.gone) {
        load.erase();
    }
    inserter.handlers();
    inserter.entries(&inside);
    inserter.addresses();
    if how.variables {
        inserter.variables(&inside);
    }
    inserter.describe();
    Inserted {
        checked: inserter.checked,
    }
}

fn id_in(all: &[FunctionId], id: Option<FunctionId>) -> bool {
    id.is_some_and(|id| all.contains(&id))
}

/// Inserted calls do more than the compiler has found out. What it knows of a library's function
/// still holds where an outside function calls it: nothing is inserted there.
fn forget_beliefs(function: Value, is_inside: bool) {
    for belief in BELIEFS {
        function.remove_attribute(u32::MAX, belief);
    }
    for (index, _) in (1..).zip(function.parameters()) {
        for belief in BELIEFS_OF_PARAMETERS {
            function.remove_attribute(index, belief);
        }
    }
    for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
        if instruction.opcode() != LLVMOpcode::LLVMCall {
            continue;
        }
        let callee = instruction.callee();
        if !is_inside && callee.is_function() && callee.is_declaration() {
            continue;
        }
        for belief in BELIEFS {
            instruction.remove_call_attribute(u32::MAX, belief);
        }
        for (index, _) in (1..).zip(instruction.arguments()) {
            for belief in BELIEFS_OF_PARAMETERS {
                instruction.remove_call_attribute(index, belief);
            }
        }
    }
}

impl Inserter<'_> {
    fn id(&self, function: Value) -> Option<FunctionId> {
        self.reading.functions.get(&function).copied()
    }

    fn is_inside(&self, function: Value) -> bool {
        let id = self.id(function);
        id.is_some_and(|id| self.boundary.functions.get(id as usize) == Some(&true))
    }

    /// Whether all that a pointer may point to is inside.
    fn points_inside(&self, pointer: Value) -> bool {
        let var = self.reading.var(self.before_it_moved(pointer));
        self.boundary.is_inside(self.points_to, var)
    }

    /// Whether something that a pointer may point to is inside.
    fn may_be_inside(&self, pointer: Value) -> bool {
        let var = self.reading.var(self.before_it_moved(pointer));
        self.boundary.may_be_inside(self.points_to, var)
    }

    /// A variable that was moved is known by what it was.
    fn before_it_moved(&self, value: Value) -> Value {
        self.moved.get(&value).copied().unwrap_or(value)
    }

    /// Whether an object is inside: that of a global, a variable or a call.
    fn owns(&self, value: Value) -> bool {
        let object = self.reading.objects.get(&value);
        object.is_some_and(|object| self.boundary.objects[*object as usize])
    }

    fn site(&mut self, function: Value, at: Value, what: &str) -> Value {
        let place = place(at);
        self.described.sites.push(Site {
            function: function.name(),
            place: place.to_string(),
            what: what.to_owned(),
        });
        let number = self.described.sites.len() as u64 - 1;
        self.module.constant(self.module.int(32), number)
    }

    /// A function of the runtime and its type.
    fn runtime(&self, name: &str, result: Type, parameters: &[Type]) -> (Type, Value) {
        let of = self.module.function_type(result, parameters);
        (of, self.module.declare(name, of))
    }

    fn body(&mut self, function: Value) {
        let instructions: Vec<Value> = function
            .blocks()
            .into_iter()
            .flat_map(Block::instructions)
            .collect();
        if self.how.threads || !self.how.handlers.is_empty() {
            self.steps(function);
        }
        self.locals(function, &instructions);
        for at in &instructions {
            match at.opcode() {
                LLVMOpcode::LLVMLoad => self.load(function, *at),
                LLVMOpcode::LLVMStore => self.store(*at),
                LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => {
                    self.atomic(function, *at);
                }
                _ => {}
            }
        }
        let calls = instructions
            .iter()
            .filter(|at| at.opcode() == LLVMOpcode::LLVMCall);
        let calls: Vec<_> = calls.map(|at| (*at, self.known(*at))).collect();
        for (at, known) in calls {
            self.call(function, at, known);
        }
    }

    /// Which handlers of signals may come inside: the runtime has them wait for a crossing.
    fn handlers(&self) {
        let (module, pointer, word) = (&self.module, self.module.pointer(), self.module.int(64));
        let of_function = |handler: &FunctionId| {
            let mut all = self.reading.functions.iter();
            all.find(|(_, id)| *id == handler).map(|(value, _)| *value)
        };
        let mut all: Vec<Value> = self.how.handlers.iter().filter_map(of_function).collect();
        let count = module.global("__reprise_handler_count", word);
        count.set_initializer(module.constant(word, all.len() as u64));
        all.push(module.zero(pointer));
        let all = module.constant_array(pointer, &all);
        let handlers = module.global("__reprise_handlers", all.kind());
        handlers.set_initializer(all);
    }

    /// The runtime is told when a handler of signals runs: what it calls while it has
    /// interrupted the inside is no part of that.
    fn handler(&self, function: Value) {
        let number = self.module.int(32);
        let (of, handles) = self.runtime("__reprise_handles", self.module.void(), &[number]);
        let all = function.blocks().into_iter().flat_map(Block::instructions);
        let all: Vec<Value> = all.collect();
        let first = all
            .iter()
            .find(|at| at.opcode() != LLVMOpcode::LLVMAlloca)
            .map(|at| (*at, 1));
        let last = all.iter().filter(|at| at.opcode() == LLVMOpcode::LLVMRet);
        for (at, begins) in first.into_iter().chain(last.map(|at| (*at, 0))) {
            self.before(at);
            let begins = self.module.constant(number, begins);
            self.builder.call(of, handles, &[begins]);
        }
    }

    fn load(&mut self, function: Value, at: Value) {
        let pointer = at.operands()[0];
        self.checked.1 += 1;
        if self.points_inside(pointer) {
            return;
        }
        self.checked.0 += 1;
        let site = self.site(function, at, "");
        let bytes = self.as_number(at.kind());
        if let Some(bytes) = bytes.filter(|_| !at.is_atomic()) {
            let again = at.is_volatile_or_atomic();
            let (of, load) = self.loading(bytes, self.may_be_inside(pointer), again);
            self.before(at);
            let number = self.builder.call(of, load, &[pointer, site]);
            let value = self.value_of_number(number, at.kind());
            at.replace_with(value);
            // What it points to is known of the load.
            self.moved.insert(value, at);
            self.gone.push(at);
            return;
        }
        let (pointer_type, number) = (self.module.pointer(), self.module.int(32));
        let parameters = [pointer_type, number, number];
        let (of, read) = self.runtime("__reprise_read", pointer_type, &parameters);
        let size = self.module.constant(number, self.module.size(at.kind()));
        self.before(at);
        at.set_operand(0, self.builder.call(of, read, &[pointer, size, site]));
        // It is loaded from where the next read may put something else.
        at.set_volatile();
    }

    fn store(&mut self, at: Value) {
        let pointer = at.operands()[1];
        self.checked.1 += 1;
        if self.points_inside(pointer) {
            return;
        }
        self.checked.0 += 1;
        let (of, write) = self.storing();
        self.before(at);
        at.set_operand(1, self.builder.call(of, write, &[pointer]));
    }

    /// An atomic operation that may be of outside memory: what it has found there is
    /// written down behind it. In a replay it finds that in the buffer.
    fn atomic(&mut self, function: Value, at: Value) {
        let operands = at.operands();
        let (address, new) = (operands[0], operands[operands.len() - 1]);
        self.checked.1 += 1;
        if self.points_inside(address) {
            return;
        }
        self.checked.0 += 1;
        let site = self.site(function, at, "");
        let (pointer, word) = (self.module.pointer(), self.module.int(64));
        let (number, void) = (self.module.int(32), self.module.void());
        let (of, whereto) = self.runtime("__reprise_atomic", pointer, &[pointer, number]);
        self.before(at);
        at.set_operand(0, self.builder.call(of, whereto, &[address, site]));
        let Some(next) = at.next() else { return };
        self.builder.before(next);
        self.builder.located(at.debug_location());
        let found = match at.opcode() {
            LLVMOpcode::LLVMAtomicCmpXchg => self.builder.part(at, 0),
            _ => at,
        };
        let found = match found.kind().width() {
            0 => self.builder.to_number(found, word),
            _ => self.builder.zero_extend(found, word),
        };
        let parameters = [pointer, word, number, number];
        let (of, done) = self.runtime("__reprise_atomic_done", void, &parameters);
        let size = self.module.constant(number, self.module.size(new.kind()));
        self.builder.call(of, done, &[address, found, size, site]);
    }

    fn before(&self, at: Value) {
        self.builder.before(at);
        self.builder.located(at.debug_location());
    }

    /// The program says what it is, in a section.
    fn describe(&self) {
        let text = serde_json::to_vec(&self.described).unwrap_or_default();
        let bytes = self.module.constant_bytes(&text);
        let global = self.module.global("__reprise_described", bytes.kind());
        global.set_initializer(bytes);
        global.set_unchanging();
        global.set_section(SECTION);
    }
}
