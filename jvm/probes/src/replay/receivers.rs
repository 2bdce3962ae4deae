//! The type that the receiver of a call or field access has on the stack.
//!
//! A static method in the place of an instruction needs a type for its first
//! parameter. The class that the instruction names will not do for a protected
//! member of a superclass: the verifier wants the receiver to be of the class
//! that uses it, which is what it was on the stack.

use std::collections::HashMap;

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::{Type, walk};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::Instruction;

use super::stubs::named;
use crate::method::Body;

/// By the offset of the instruction, where the stack says more than it does.
#[derive(Default)]
pub(super) struct Receivers<'c>(HashMap<u32, FieldType<'c>>);

impl<'c> Receivers<'c> {
    /// Of those instructions of a body that name another class than its own.
    pub(super) fn of(body: &Body<'c, '_>) -> Self {
        let mut found = HashMap::new();
        // Without frames, as in classes older than version 50, what was found
        // before the first jump is kept.
        let _ = walk(
            body.class,
            body.method,
            body.editor.code(),
            |instruction, state| {
                let Some(depth) = depth(body, instruction) else {
                    return;
                };
                let receiver = state.and_then(|state| state.stack.iter().rev().nth(depth));
                if let Some(Type::Object(name)) = receiver {
                    found.insert(instruction.offset, named(Utf8(name)));
                }
            },
        );
        Self(found)
    }

    /// That of an instruction that names the class `owner`.
    pub(super) fn at(&self, offset: u32, owner: Utf8<'c>) -> FieldType<'c> {
        self.0.get(&offset).copied().unwrap_or_else(|| named(owner))
    }
}

/// How many values lie above the receiver; none for other instructions.
fn depth(body: &Body<'_, '_>, instruction: &Instruction<'_>) -> Option<usize> {
    let above = match instruction.opcode {
        opcode::GETFIELD => Some(0),
        opcode::PUTFIELD => Some(1),
        opcode::INVOKEVIRTUAL => None,
        _ => return None,
    };
    let member = body.class.pool.member(instruction.constant()?).ok()?;
    if member.class == body.class.name().ok()? {
        return None;
    }
    let parameters = || Some(MethodDescriptor::parse(member.descriptor).ok()?.parameters);
    above.or_else(|| parameters().map(|all| all.len()))
}
