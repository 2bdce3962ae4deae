//! Functions and globals, before any function is read.

use reprise_c_analysis::model::{
    Fact, Function, NOTHING, ObjectId, Program, Storage, Var, WORD, Words,
};

use super::layout::words_of;
use super::shape::{by_value, is_address_taken, may_hold_pointer, no_entry};
use super::{Reader, known_name, place};
use crate::ir::{LLVMOpcode, LLVMTypeKind, Value};

/// A pointer to memory that is elsewhere in each run, and holds `content`.
fn varying(program: &mut Program, name: String, content: Var) -> Var {
    let object = program.object(name, Storage::Variable);
    let pointer = program.var();
    program.facts.extend([
        Fact::Address {
            to: pointer,
            object,
        },
        Fact::Store {
            pointer,
            value: content,
            words: Words::All,
        },
    ]);
    pointer
}

/// Whether there is the address of a library's variable in it, which is elsewhere in each run.
fn holds_far_address(initial: Value) -> bool {
    if initial.is_global() {
        return !initial.is_function() && initial.is_declaration();
    }
    initial.is_constant() && initial.operands().into_iter().any(holds_far_address)
}

/// Whether the program stores something in a variable: then that may be its own memory.
fn is_assigned(global: Value) -> bool {
    let users = global.users().into_iter();
    let mut users = users.filter(|user| user.is_instruction());
    users.any(|user| match user.opcode() {
        LLVMOpcode::LLVMStore => user.operands().get(1) == Some(&global),
        // Whoever is told where it is may do so.
        LLVMOpcode::LLVMCall => true,
        _ => false,
    })
}

impl Reader<'_> {
    pub(super) fn declare(&mut self) {
        for function in self.module.functions() {
            let name = function.name();
            let is_defined = !function.is_declaration();
            let program = &mut self.reading.program;
            let id = program.functions.len() as u32;
            let of = function.value_type();
            let parameters: Vec<Var> = function
                .parameters()
                .iter()
                .map(|one| match may_hold_pointer(one.kind()) {
                    true => program.var(),
                    false => NOTHING,
                })
                .collect();
            let result = program.var();
            let variadic = of.is_variadic().then(|| program.var());
            if is_defined && let Some(given) = variadic {
                // They are read through pointers that differ from run to run.
                let what = format!("variable arguments of {name}");
                let pointer = varying(program, what, given);
                self.variable.insert(id, pointer);
            }
            if is_defined && name == "main" {
                for parameter in parameters.iter().filter(|one| **one != NOTHING) {
                    let pointer = varying(program, "arguments of the program".into(), *parameter);
                    program.facts.push(Fact::Copy {
                        to: *parameter,
                        from: pointer,
                    });
                }
            }
            for (parameter, var) in function.parameters().into_iter().zip(&parameters) {
                self.reading.vars.insert(parameter, *var);
            }
            let no_entry = no_entry(function);
            let address_taken = is_address_taken(function);
            let refused = by_value(function)
                .or_else(|| {
                    let wrong = no_entry.as_ref().filter(|_| address_taken)?;
                    Some(format!("{wrong}, and its address is taken"))
                })
                .map(|why| (why, place(function)));
            let annotation = known_name(&name).and_then(|name| self.annotations.find(name));
            program.functions.push(Function {
                place: place(function),
                defined: is_defined,
                parameters,
                variadic,
                result,
                refused,
                jumps: Vec::new(),
                no_entry,
                entered: 0,
                annotation: annotation.cloned().filter(|_| !is_defined),
                name: name.clone(),
            });
            self.reading.functions.insert(function, id);
            let object = program.object(name, Storage::Function(id));
            self.functions.push(object);
            if address_taken {
                self.reading.pointed.push(function);
            }
            let var = program.var();
            program.facts.push(Fact::Address { to: var, object });
            self.reading.vars.insert(function, var);
            if is_defined {
                self.reading.defined.push(function);
            }
        }
        for global in self.module.globals() {
            let known = self.annotations.find(&global.name());
            let is_handle = known.is_some_and(|known| known.handle) && !is_assigned(global);
            let storage = if global.is_declaration() && is_handle {
                Storage::Handle
            } else if global.is_declaration() || global.is_thread_local() {
                Storage::External
            } else if global.initializer().is_some_and(holds_far_address) {
                Storage::Variable
            } else if global.is_unchanging() {
                Storage::Constant
            } else {
                Storage::Global
            };
            let words = match storage {
                Storage::Global | Storage::Constant => {
                    words_of(&self.module, global.value_type(), global.alignment())
                }
                _ => 1,
            };
            let program = &mut self.reading.program;
            let object = program.object_of(global.name(), storage, words);
            let var = program.var();
            program.facts.push(Fact::Address { to: var, object });
            self.reading.vars.insert(global, var);
            self.reading.objects.insert(global, object);
        }
        for global in self.module.globals() {
            if let Some(initial) = global.initializer() {
                let object = self.reading.objects[&global];
                self.initial(object, 0, initial);
            }
        }
    }

    /// What is in a global at the beginning, from a byte on.
    fn initial(&mut self, object: ObjectId, at: u64, initial: Value) {
        let of = initial.kind();
        if of.kind() == LLVMTypeKind::LLVMPointerTypeKind || initial.is_constant_expression() {
            let value = self.value(initial);
            if value != NOTHING {
                // In a packed structure a pointer may be in two words.
                for word in at / WORD..(at + WORD).div_ceil(WORD) {
                    self.fact(Fact::Begins {
                        object,
                        word,
                        value,
                    });
                }
            }
            return;
        }
        for (index, part) in (0..).zip(initial.operands()) {
            let at = at
                + match of.kind() {
                    LLVMTypeKind::LLVMStructTypeKind => self.module.offset(of, index),
                    _ => u64::from(index) * self.module.padded_size(part.kind()),
                };
            if part.is_constant() {
                self.initial(object, at, part);
            }
        }
    }
}
