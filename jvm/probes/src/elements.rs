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
//!
//! Where threads race, each use is bracketed as that of a field is (`order.rs`):
//!
//! ```text
//!   array, index               dup2, Probe.readsElement
//!   iaload
//!   value                      Probe.shared
//!
//!   array, index, value        store value, dup2, dup2, Probe.writesElement, load value
//!   iastore
//!   array, index               Probe.wroteElement
//! ```

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::holds::Holds;
use crate::method::Body;
use crate::order;
use crate::probe::{OBJECT_TYPE, RECORDER, call};
use crate::pure::{self, is_pure, runs_on_values};
use crate::volatile::Sharing;

/// Code above this length has no room for all brackets, in a recording and in a replay.
const LARGE: usize = 6000;

/// Whether the uses of elements are kept in order in a method.
pub(crate) fn are_ordered(body: &Body<'_, '_>) -> Result<bool, ProbeError> {
    // While a class is initialised, other threads wait for it.
    Ok(body.patterns.sharing == Sharing::Every
        && body.editor.code().bytes.len() <= LARGE
        && !body.is_initialiser()?)
}

/// Whether they are not, although there are some, and they are in other methods.
pub(crate) fn is_too_large(editor: &Editor<'_>, sharing: Sharing) -> bool {
    sharing == Sharing::Every
        && editor.code().bytes.len() > LARGE
        && editor.instructions().iter().any(|instruction| {
            matches!(
                instruction.opcode,
                opcode::IALOAD..=opcode::SALOAD | opcode::IASTORE..=opcode::SASTORE
            )
        })
}

/// Whether a call moves elements of arrays.
pub(crate) fn moves(member: &MemberRef<'_>) -> bool {
    let (owner, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    pure::moves(&owner, &name) || owner.starts_with('[') && name == "clone"
}

/// The type in which an element waits while its array is told.
pub(crate) fn stored(instruction: &Instruction<'_>) -> FieldType<'static> {
    match instruction.opcode {
        opcode::LASTORE => FieldType::Long,
        opcode::FASTORE => FieldType::Float,
        opcode::DASTORE => FieldType::Double,
        opcode::AASTORE => OBJECT_TYPE,
        _ => FieldType::Int,
    }
}

/// Tells of elements: of those that the outside may have written, if it is `watched`, and in any
/// case where threads race for them.
pub(crate) fn instrument(
    body: &mut Body<'_, '_>,
    holds: &Holds,
    watched: bool,
) -> Result<(), ProbeError> {
    let initialises = body.is_initialiser()? && !holds.are_any_given();
    let ordered = are_ordered(body)?;
    if !watched && !ordered {
        return Ok(());
    }
    let instructions: Vec<Instruction<'_>> = body.editor.instructions().to_vec();
    for instruction in instructions {
        match instruction.opcode {
            opcode::IALOAD..=opcode::SALOAD if ordered => read_in_order(body, &instruction)?,
            opcode::IASTORE..=opcode::SASTORE if ordered => write_in_order(body, &instruction)?,
            opcode::IALOAD..=opcode::SALOAD => read(body, &instruction)?,
            opcode::IASTORE..=opcode::SASTORE if !initialises => write(body, &instruction)?,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                let Some(index) = instruction.constant() else {
                    continue;
                };
                let member = body.class.pool.member(index)?;
                if ordered && moves(&member) {
                    moved(body, &instruction, &member)?;
                } else if watched {
                    used(body, &instruction, &member)?;
                }
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
    let ty = stored(instruction);
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

fn read_in_order(body: &mut Body<'_, '_>, instruction: &Instruction<'_>) -> Result<(), ProbeError> {
    let mut before = Snippet::new();
    before.op(opcode::DUP2)?;
    body.load_recorder(&mut before)?;
    let descriptor = format!("(Ljava/lang/Object;I{RECORDER})V");
    call(&mut before, "readsElement", &descriptor, body.pool)?;
    body.editor.before(instruction.offset, before)?;
    order::ends(body, instruction)
}

fn write_in_order(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), ProbeError> {
    let ty = stored(instruction);
    let slot = body.spill(&[ty])?.first().copied().unwrap_or_default();
    let descriptor = format!("(Ljava/lang/Object;I{RECORDER})V");
    let mut before = Snippet::new();
    before.store(ty, slot)?;
    before.op(opcode::DUP2)?;
    before.op(opcode::DUP2)?;
    body.load_recorder(&mut before)?;
    call(&mut before, "writesElement", &descriptor, body.pool)?;
    before.load(ty, slot)?;
    body.editor.before(instruction.offset, before)?;
    let mut after = Snippet::new();
    body.load_recorder(&mut after)?;
    call(&mut after, "wroteElement", &descriptor, body.pool)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// A call that moves elements, in its turn.
fn moved(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let told = format!("(Ljava/lang/Object;Ljava/lang/Object;{RECORDER})V");
    let mut before = Snippet::new();
    let mut after = Snippet::new();
    let arguments = keep(body, &mut before, member)?;
    let tell = |body: &mut Body<'_, '_>, code: &mut Snippet, name| {
        load_arrays(code, &arguments)?;
        body.load_recorder(code)?;
        call(code, name, &told, body.pool)
    };
    tell(body, &mut before, "sharesArrays")?;
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    tell(body, &mut after, "sharedArrays")?;
    body.editor.before(instruction.offset, before)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// The arguments of a call that moves elements, in locals; an array whose `clone` is called, too.
pub(crate) fn keep<'t>(
    body: &mut Body<'_, '_>,
    before: &mut Snippet,
    member: &MemberRef<'t>,
) -> Result<Vec<(FieldType<'t>, u16)>, ProbeError> {
    let mut types = MethodDescriptor::parse(member.descriptor)?.parameters;
    if member.class.0.starts_with(b"[") {
        types.insert(0, FieldType::parse(member.class)?);
    }
    let slots = body.spill(&types)?;
    let arguments: Vec<_> = types.into_iter().zip(slots).collect();
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    Ok(arguments)
}

/// Two references of a call's arguments, which are its arrays; null for those that are not there.
pub(crate) fn load_arrays(
    code: &mut Snippet,
    arguments: &[(FieldType<'_>, u16)],
) -> Result<(), ProbeError> {
    let mut references = arguments.iter().filter(|(ty, _)| ty.is_reference());
    for _ in 0..2 {
        match references.next() {
            Some((ty, slot)) => code.load(*ty, *slot)?,
            None => code.op(opcode::ACONST_NULL)?,
        };
    }
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
