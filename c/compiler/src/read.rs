//! Bitcode, read into what the analysis knows of a program.

mod calls;
mod declare;
mod layout;
mod shape;

use std::collections::HashMap;
use std::fmt::Write as _;

use reprise_c_analysis::annotations::Annotations;
use reprise_c_analysis::model::{
    Access, Fact, FunctionId, NOTHING, ObjectId, Place, Program, Storage, Var,
};

use self::layout::{span, words_of};
pub(crate) use self::shape::{is_address_taken, scanned};
use self::shape::{is_word, may_hold_pointer};
use crate::ir::{LLVMOpcode, Module, Value};
use crate::weights::Weights;

/// A program, and which of its parts is which in the bitcode.
pub(crate) struct Reading {
    pub(crate) program: Program,
    pub(crate) functions: HashMap<Value, FunctionId>,
    vars: HashMap<Value, Var>,
    /// The objects of globals, local variables and calls that allocate.
    pub(crate) objects: HashMap<Value, ObjectId>,
    /// Functions that are defined, in order.
    pub(crate) defined: Vec<Value>,
    /// What calls move is counted, in this order, behind the blocks.
    pub(crate) moving: Vec<(Value, Moved)>,
    /// Loads, in the order in which it is counted how often they find something new, behind
    /// what calls move.
    pub(crate) loads: Vec<Value>,
    /// Stores, in the order in which it is counted whose memory they mean, behind loads.
    pub(crate) stores: Vec<Value>,
    /// Calls through pointers, in the order in which it is counted whom they call.
    pub(crate) indirect: Vec<Value>,
    /// Functions that they can mean, by the number that they have there.
    pub(crate) pointed: Vec<Value>,
    pub(crate) blocks: usize,
}

/// How many bytes a call moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moved {
    Argument(usize),
    ArgumentTimes(usize, u64),
    Result,
    ResultTimes(usize),
    Text(usize),
    Bytes(u64),
}

impl Reading {
    /// A number that another program, or the same read otherwise, does not have.
    pub(crate) fn signature(&self) -> u64 {
        let (moving, indirect) = (self.moving.len(), self.indirect.len());
        let (loads, stores) = (self.loads.len(), self.stores.len());
        let objects = self.program.objects.len();
        let mut text = format!("4 {} {moving} {loads} {stores} {objects} ", self.blocks);
        let _ = write!(text, "{indirect} ");
        for function in &self.pointed {
            let _ = write!(text, "{} ", function.name());
        }
        for function in &self.defined {
            let _ = write!(text, "{} {} ", function.name(), function.blocks().len());
        }
        let mut sum = 0xcbf2_9ce4_8422_2325_u64;
        for byte in text.bytes() {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        sum
    }

    /// How many counters there are.
    pub(crate) fn counters(&self) -> usize {
        self.blocks + self.moving.len() + self.loads.len()
    }

    /// The value's number, if it has one.
    pub(crate) fn var(&self, value: Value) -> Var {
        self.vars.get(&value).copied().unwrap_or(NOTHING)
    }
}

/// The name under which annotations know what is called: a compiler has names of
/// its own for some functions.
pub(crate) fn known_name(name: &str) -> Option<&str> {
    let Some(own) = name.strip_prefix("llvm.") else {
        return Some(name.strip_prefix("__isoc99_").unwrap_or(name));
    };
    ["memcpy", "memmove", "memset"].into_iter().find(|one| {
        let rest = own.strip_prefix(one);
        rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

pub(crate) fn place(value: Value) -> Place {
    let (file, line) = value.file_and_line().unwrap_or_default();
    Place { file, line }
}

/// Reads a module. `weights` are what earlier runs have counted, or none.
pub(crate) fn read(
    module: &Module,
    annotations: &Annotations,
    weights: Option<&Weights>,
) -> Reading {
    let mut reader = Reader {
        module: *module,
        annotations,
        weights,
        functions: Vec::new(),
        variable: HashMap::new(),
        loads: Vec::new(),
        stores: Vec::new(),
        reading: Reading {
            program: Program::default(),
            functions: HashMap::new(),
            vars: HashMap::new(),
            objects: HashMap::new(),
            defined: Vec::new(),
            moving: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            indirect: Vec::new(),
            pointed: Vec::new(),
            blocks: 0,
        },
    };
    reader.declare();
    let defined = reader.reading.defined.clone();
    reader.reading.blocks = defined.iter().map(|one| one.blocks().len()).sum();
    let mut block_number = 0;
    for function in defined {
        reader.function(function, &mut block_number);
    }
    reader.found();
    reader.reading
}

struct Reader<'a> {
    module: Module,
    annotations: &'a Annotations,
    weights: Option<&'a Weights>,
    /// The objects that stand for functions.
    functions: Vec<ObjectId>,
    /// Pointers to what functions take beyond their parameters.
    variable: HashMap<FunctionId, Var>,
    /// What loads are among the accesses, and how many bytes they have.
    loads: Vec<(usize, u64)>,
    /// What stores are among them.
    stores: Vec<usize>,
    reading: Reading,
}

impl Reader<'_> {
    fn fact(&mut self, fact: Fact) {
        self.reading.program.facts.push(fact);
    }

    /// The number of a value, which it may get here.
    fn value(&mut self, value: Value) -> Var {
        if let Some(var) = self.reading.vars.get(&value) {
            return *var;
        }
        if value.is_alias() {
            return self.value(value.aliasee());
        }
        if value.is_instruction() {
            let var = self.reading.program.var();
            self.reading.vars.insert(value, var);
            return var;
        }
        if value.is_constant_expression() {
            let var = self.reading.program.var();
            self.reading.vars.insert(value, var);
            self.made_of(var, value, value.constant_opcode());
            return var;
        }
        NOTHING
    }

    fn weight(&self, at: usize) -> u64 {
        match self.weights {
            Some(weights) => weights.counter(at),
            None => 1,
        }
    }

    fn refuse(&mut self, function: FunctionId, why: &str, at: Value) {
        let known = &mut self.reading.program.functions[function as usize];
        known
            .refused
            .get_or_insert_with(|| (why.to_owned(), place(at)));
    }

    fn function(&mut self, function: Value, block_number: &mut usize) {
        let id = self.reading.functions[&function];
        self.reading.program.functions[id as usize].entered = self.weight(*block_number);
        for block in function.blocks() {
            let times = self.weight(*block_number);
            *block_number += 1;
            for instruction in block.instructions() {
                self.instruction(id, instruction, times);
            }
        }
    }

    fn access(&mut self, function: FunctionId, at: Value, bytes: u64, times: u64, write: bool) {
        let pointer = self.value(at);
        self.reading.program.accesses.push(Access {
            function,
            pointer,
            bytes: bytes * times,
            times,
            executed: times,
            write,
            met: None,
        });
    }

    /// How often loads have found something new is counted behind what calls move, of which
    /// nobody knows how many there are before all of it is read.
    fn found(&mut self) {
        let before = self.reading.blocks + self.reading.moving.len();
        for index in 0..self.loads.len() {
            let (access, bytes) = self.loads[index];
            let times = self.weight(before + index);
            let access = &mut self.reading.program.accesses[access];
            access.times = times.min(access.executed);
            access.bytes = access.times * bytes;
            access.met = self.weights.and_then(|weights| weights.met(index as u32));
        }
        let behind = self.loads.len();
        for (index, store) in (behind..).zip(&self.stores) {
            let met = self.weights.and_then(|weights| weights.met(index as u32));
            self.reading.program.accesses[*store].met = met;
        }
    }

    fn instruction(&mut self, function: FunctionId, at: Value, times: u64) {
        use LLVMOpcode::*;
        let operands = at.operands();
        match at.opcode() {
            LLVMAlloca => {
                let owner = self.reading.program.functions[function as usize]
                    .name
                    .clone();
                let name = match at.name() {
                    name if name.is_empty() => format!("a variable of {owner}"),
                    name => format!("{name} of {owner}"),
                };
                let words = words_of(&self.module, at.allocated_type(), at.alignment());
                let program = &mut self.reading.program;
                let object = program.object_of(name, Storage::Stack(function), words);
                self.reading.objects.insert(at, object);
                let to = self.value(at);
                self.fact(Fact::Address { to, object });
                // If it is outside, where it is has to be told.
                self.access(function, at, 8, times, false);
                if let Some(told) = self.reading.program.accesses.last_mut() {
                    told.executed = 0;
                }
            }
            LLVMLoad => {
                let bytes = self.module.size(at.kind());
                self.access(function, operands[0], bytes, times, false);
                let access = self.reading.program.accesses.len() - 1;
                self.loads.push((access, bytes));
                self.reading.loads.push(at);
                if may_hold_pointer(at.kind()) {
                    let (to, pointer) = (self.value(at), self.value(operands[0]));
                    let words = span(&self.module, at.kind(), at.alignment());
                    self.fact(Fact::Load { to, pointer, words });
                }
            }
            LLVMStore => {
                let bytes = self.module.size(operands[0].kind());
                self.access(function, operands[1], bytes, times, true);
                self.stores.push(self.reading.program.accesses.len() - 1);
                self.reading.stores.push(at);
                if may_hold_pointer(operands[0].kind()) {
                    let (value, pointer) = (self.value(operands[0]), self.value(operands[1]));
                    let words = span(&self.module, operands[0].kind(), at.alignment());
                    self.fact(Fact::Store {
                        pointer,
                        value,
                        words,
                    });
                }
            }
            LLVMRet => {
                if let Some(from) = operands.first() {
                    let from = self.value(*from);
                    let to = self.reading.program.functions[function as usize].result;
                    self.fact(Fact::Copy { to, from });
                }
            }
            LLVMCall => self.call(function, at, times),
            LLVMAtomicRMW | LLVMAtomicCmpXchg => {
                let (pointer, new) = (operands[0], operands[operands.len() - 1]);
                if !is_word(new.kind()) {
                    let why = "it has an atomic operation on something else than a number";
                    self.refuse(function, why, at);
                }
                let bytes = self.module.size(new.kind());
                self.access(function, pointer, bytes, times, false);
                self.access(function, pointer, bytes, times, true);
                let (to, pointer) = (self.value(at), self.value(pointer));
                let value = self.value(new);
                let words = span(&self.module, new.kind(), at.alignment());
                self.fact(Fact::Load { to, pointer, words });
                self.fact(Fact::Store {
                    pointer,
                    value,
                    words,
                });
            }
            LLVMVAArg => self.refuse(function, "it has an instruction for variable arguments", at),
            LLVMInvoke | LLVMCallBr | LLVMIndirectBr => {
                self.refuse(function, "it jumps to computed places", at);
            }
            LLVMBr | LLVMSwitch | LLVMUnreachable | LLVMICmp | LLVMFCmp => {}
            opcode if may_hold_pointer(at.kind()) => {
                let to = self.value(at);
                self.made_of(to, at, opcode);
            }
            _ => {}
        }
    }
}
