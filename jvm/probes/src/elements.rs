//! Elements of arrays that the inside reads and writes.
//!
//! An array that both sides hold may have been written by the outside, which
//! nothing says. So the runtime is told of every element before the inside reads
//! it, and after the inside has written it; what it makes of that is in
//! `Watched.java`. Methods of the JDK that work on arrays and run for real read
//! and write for the inside.
//!
//! ```text
//!   array, index               dup2, Probe.element
//!   iaload
//!
//!   array, index, value        store value, dup2, load value
//!   iastore
//!   array, index               Probe.wrote
//! ```
//! A static initialiser fills arrays that are its own, and many of them: what it
//! writes is not told, unless it gives one out that it holds.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::holds::Holds;
use crate::method::Body;
use crate::probe::{OBJECT_TYPE, call};
use crate::pure::{self, is_pure, runs_on_values};

pub(crate) fn instrument(body: &mut Body<'_, '_>, holds: &Holds) -> Result<(), ProbeError> {
    let initialises = body.is_initialiser()? && !holds.are_any_given();
    let instructions: Vec<Instruction<'_>> = body.editor.instructions().to_vec();
    for instruction in instructions {
        match instruction.opcode {
            opcode::IALOAD..=opcode::SALOAD => read(body, &instruction)?,
            opcode::IASTORE..=opcode::SASTORE if !initialises => write(body, &instruction)?,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                let Some(index) = instruction.constant() else {
                    continue;
                };
                let member = body.class.pool.member(index)?;
                used(body, &instruction, &member)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn read(body: &mut Body<'_, '_>, instruction: &Instruction<'_>) -> Result<(), ProbeError> {
    let array = match instruction.opcode {
        opcode::IALOAD => "[I",
        opcode::LALOAD => "[J",
        opcode::FALOAD => "[F",
        opcode::DALOAD => "[D",
        opcode::AALOAD => "[Ljava/lang/Object;",
        opcode::CALOAD => "[C",
        opcode::SALOAD => "[S",
        // Bytes, or booleans.
        _ => "Ljava/lang/Object;",
    };
    let mut before = Snippet::new();
    before.op(opcode::DUP2)?;
    call(&mut before, "element", &format!("({array}I)V"), body.pool)?;
    body.editor.before(instruction.offset, before)?;
    Ok(())
}

fn write(body: &mut Body<'_, '_>, instruction: &Instruction<'_>) -> Result<(), ProbeError> {
    let ty = match instruction.opcode {
        opcode::LASTORE => FieldType::Long,
        opcode::FASTORE => FieldType::Float,
        opcode::DASTORE => FieldType::Double,
        opcode::AASTORE => OBJECT_TYPE,
        _ => FieldType::Int,
    };
    let slot = body.spill(&[ty])?.first().copied().unwrap_or_default();
    let mut before = Snippet::new();
    before.store(ty, slot)?;
    before.op(opcode::DUP2)?;
    before.load(ty, slot)?;
    body.editor.before(instruction.offset, before)?;
    let mut after = Snippet::new();
    call(&mut after, "wrote", "(Ljava/lang/Object;I)V", body.pool)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// A call that runs for real, and whose arguments may be arrays.
fn used(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    // On a value whose class only the runtime knows, it may run for real, too. If it
    // does not, what it writes is the outside's.
    let is_real = is_pure(&owner, &name, &text);
    let may_be = pure::may_be_value(&owner) && runs_on_values(&name, &text);
    if !is_real && !may_be {
        return Ok(());
    }
    if owner.starts_with('[') {
        // `clone`.
        let mut before = Snippet::new();
        before.op(opcode::DUP)?;
        call(&mut before, "elements", "(Ljava/lang/Object;)V", body.pool)?;
        body.editor.before(instruction.offset, before)?;
        return Ok(());
    }
    let descriptor = MethodDescriptor::parse(member.descriptor)?;
    let moves = pure::moves(&owner, &name);
    let is_array = |ty: &FieldType<'_>| {
        matches!(ty, FieldType::Array(_)) || moves && matches!(ty, FieldType::Object(_))
    };
    if !descriptor.parameters.iter().any(is_array) {
        return Ok(());
    }
    let slots = body.spill(&descriptor.parameters)?;
    let arguments: Vec<_> = descriptor.parameters.iter().copied().zip(slots).collect();
    let mut before = Snippet::new();
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    let mut after = Snippet::new();
    for (ty, slot) in arguments.iter().filter(|(ty, _)| is_array(ty)) {
        before.load(*ty, *slot)?;
        call(&mut before, "elements", "(Ljava/lang/Object;)V", body.pool)?;
        if is_real {
            after.load(*ty, *slot)?;
            call(&mut after, "wrote", "(Ljava/lang/Object;)V", body.pool)?;
        }
    }
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    body.editor.before(instruction.offset, before)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}
