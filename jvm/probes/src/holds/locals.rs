//! Arrays that wait in locals while the program is called.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::Instruction;

use super::member;
use crate::method::Body;
use crate::pattern::is_platform;

/// Whether an instruction calls the program, inside or outside.
fn calls_program(body: &Body<'_, '_>, instruction: &Instruction<'_>) -> bool {
    let calls = (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&instruction.opcode);
    let member = member(body, instruction).filter(|_| calls);
    member.is_some_and(|member| !is_platform(&member.class.to_str_lossy()))
}

/// What the instruction before has brought from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brought {
    Nothing,
    Array,
    /// An array, if that is what it is taken for.
    Object,
}

/// What an instruction brings that the outside may write to while it waits in a local.
pub(super) fn brings(body: &Body<'_, '_>, instruction: &Instruction<'_>, calls: usize) -> Brought {
    let Some(member) = member(body, instruction) else {
        return Brought::Nothing;
    };
    let owner = member.class.to_str_lossy();
    let descriptor = member.descriptor.to_str_lossy();
    if body.patterns.is_inside(&owner) {
        return Brought::Nothing;
    }
    let (ty, others) = match instruction.opcode {
        opcode::GETFIELD | opcode::GETSTATIC => (descriptor.as_ref(), calls),
        opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
            let ty = descriptor.rsplit(')').next().unwrap_or_default();
            // Arrays that the JDK makes are the caller's; of what it keeps, it knows no type.
            match (is_platform(&owner), ty.starts_with('[')) {
                (true, true) => return Brought::Nothing,
                (true, false) => (ty, calls),
                (false, _) => (ty, calls.saturating_sub(1)),
            }
        }
        _ => return Brought::Nothing,
    };
    match ty {
        _ if others == 0 => Brought::Nothing,
        "Ljava/lang/Object;" => Brought::Object,
        _ if ty.starts_with('[') => Brought::Array,
        _ => Brought::Nothing,
    }
}

pub(super) fn casts_to_array(body: &Body<'_, '_>, instruction: &Instruction<'_>) -> bool {
    let class = instruction.constant();
    let name = class.and_then(|class| body.class.pool.class_name(class).ok());
    name.is_some_and(|name| name.to_str_lossy().starts_with('['))
}

/// The slots of arguments that are arrays.
pub(super) fn array_parameters(body: &Body<'_, '_>) -> Vec<u16> {
    let descriptor = body.class.pool.utf8(body.method.descriptor);
    let Some(descriptor) = descriptor
        .ok()
        .and_then(|d| MethodDescriptor::parse(d).ok())
    else {
        return Vec::new();
    };
    let mut slot = u16::from(!body.is_static());
    let mut arrays = Vec::new();
    for ty in &descriptor.parameters {
        if matches!(ty, FieldType::Array(_)) {
            arrays.push(slot);
        }
        slot += ty.slots();
    }
    arrays
}

/// How often a body calls the program, if it reads elements of arrays: it may read what the
/// outside has written since.
pub(super) fn calls_with_reads(body: &Body<'_, '_>) -> usize {
    let instructions = body.editor.instructions();
    let reads = |i: &Instruction<'_>| (opcode::IALOAD..=opcode::SALOAD).contains(&i.opcode);
    match instructions.iter().any(reads) {
        true => instructions
            .iter()
            .filter(|i| calls_program(body, i))
            .count(),
        false => 0,
    }
}
