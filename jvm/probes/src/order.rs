//! What a replay has to do in the recorded order, or with the recorded outcome,
//! although nothing crosses the boundary.
//!
//! - A monitor that another thread had before: entering it is an event, and so
//!   is coming back from `Object.wait`.
//! - A volatile field of the class itself that another thread used before, or
//!   any field where races are to be kept: the access is bracketed, so that its
//!   place in the order is the real one. Other threads wait meanwhile; a null
//!   reference is left to throw first. Elements of arrays are in `elements`.
//! - `==` on two values that are equal: values have no identity in a
//!   recording, so the outcome is an event.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef, access};
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::method::Body;
use crate::probe::{OBJECT_TYPE, RECORDER, call, push_id};

pub(crate) fn instrument(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    if body.method.access & access::SYNCHRONIZED != 0 {
        let mut code = Snippet::new();
        if body.method.access & access::STATIC != 0 {
            code.op(opcode::ACONST_NULL)?;
        } else {
            code.load(OBJECT_TYPE, 0)?;
        }
        on_monitor(body, &mut code, "acquired")?;
        body.editor.at_entry(code)?;
    }
    let instructions: Vec<Instruction<'_>> = body.editor.instructions().to_vec();
    for instruction in instructions {
        let offset = instruction.offset;
        match instruction.opcode {
            opcode::MONITORENTER => {
                let mut before = Snippet::new();
                before.op(opcode::DUP)?;
                body.editor.before(offset, before)?;
                let mut after = Snippet::new();
                on_monitor(body, &mut after, "acquired")?;
                body.editor.after(offset, after)?;
            }
            opcode::IF_ACMPEQ | opcode::IF_ACMPNE => {
                let mut before = Snippet::new();
                before.op(opcode::DUP2)?;
                body.load_recorder(&mut before)?;
                let descriptor = format!("(Ljava/lang/Object;Ljava/lang/Object;{RECORDER})V");
                call(&mut before, "compares", &descriptor, body.pool)?;
                body.editor.before(offset, before)?;
            }
            opcode::GETSTATIC..=opcode::PUTFIELD => {
                let Some(index) = instruction.constant() else {
                    continue;
                };
                let member = body.class.pool.member(index)?;
                if is_shared(body, &instruction, &member)? {
                    shared(body, &instruction, &member)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Tells of the monitor on the stack.
pub(crate) fn on_monitor(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    name: &str,
) -> Result<(), ProbeError> {
    body.load_recorder(code)?;
    let descriptor = format!("(Ljava/lang/Object;{RECORDER})V");
    call(code, name, &descriptor, body.pool)
}

/// Whether a call gives up a monitor and enters it again.
pub(crate) fn is_wait(member: &MemberRef<'_>) -> bool {
    member.name == "wait"
        && (member.descriptor == "()V"
            || member.descriptor == "(J)V"
            || member.descriptor == "(JI)V")
}

/// Whether other threads may be using what is read or written here.
pub(crate) fn is_shared(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<bool, ProbeError> {
    // Nobody else has an object that is being constructed, and it may not be
    // passed on yet. Others wait while a class is initialised.
    let begins = match instruction.opcode {
        opcode::PUTFIELD => body.is_constructor()?,
        opcode::GETSTATIC | opcode::PUTSTATIC => body.is_initialiser()?,
        _ => false,
    };
    Ok(!begins && is_ordered(body, member)?)
}

/// Whether the class itself declares that field, and as one whose uses are kept
/// in order.
fn is_ordered(body: &Body<'_, '_>, member: &MemberRef<'_>) -> Result<bool, ProbeError> {
    let pool = &body.class.pool;
    if member.class != body.class.name()? {
        return Ok(false);
    }
    for field in &body.class.fields {
        if pool.utf8(field.name)? == member.name
            && pool.utf8(field.descriptor)? == member.descriptor
        {
            return Ok(body.patterns.sharing.covers(field.access));
        }
    }
    Ok(false)
}

/// The same for every access to a field, and rarely the same for two.
fn stripe(member: &MemberRef<'_>) -> u32 {
    stripe_of(member.class.0, member.name.0)
}

/// The same of the class that declares it, and its name.
pub(crate) fn stripe_of(class: &[u8], name: &[u8]) -> u32 {
    class.iter().chain(name).fold(17, |sum: u32, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
    }) & 63
}

fn shared(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let ty = FieldType::parse(member.descriptor)?;
    let is_static = matches!(instruction.opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
    let writes = matches!(instruction.opcode, opcode::PUTFIELD | opcode::PUTSTATIC);
    let slot = body.spill(&[ty])?.first().copied().unwrap_or_default();
    let mut before = Snippet::new();
    if writes && !is_static {
        before.store(ty, slot)?;
    }
    if !is_static {
        before.op(opcode::DUP)?;
    }
    body.load_recorder(&mut before)?;
    push_id(&mut before, stripe(member), body.pool)?;
    let object = if is_static { "" } else { "Ljava/lang/Object;" };
    let descriptor = format!("({object}{RECORDER}I)V");
    call(&mut before, "shares", &descriptor, body.pool)?;
    if writes && !is_static {
        before.load(ty, slot)?;
    }
    body.editor.before(instruction.offset, before)?;
    ends(body, instruction)
}

/// Behind an instruction that uses something in its turn.
pub(crate) fn ends(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), ProbeError> {
    let mut after = Snippet::new();
    body.load_recorder(&mut after)?;
    call(&mut after, "shared", &format!("({RECORDER})V"), body.pool)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}
