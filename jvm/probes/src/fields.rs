//! Fields of outside classes, read and written by the inside, and `new`.
//!
//! A field that the class itself declares needs no probe. For any other the
//! constant pool's owner says little (javac writes `this.modCount` with the
//! inside class as owner), so the runtime finds out at the first execution who
//! declares it. A static field of an outside class, and `new` of one, may
//! initialise the class: the thread counts as outside in between. Classes of
//! the JDK are taken to be initialised without calling back.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::write::{PoolEditor, Snippet};

use crate::ProbeError;
use crate::calls::HAS_CLASS_CONSTANTS;
use crate::method::Body;
use crate::pattern::is_platform;
use crate::probe::{RECORDER, call, duplicate, parameter, push_id};

pub(crate) fn instrument(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    let instructions: Vec<Instruction<'_>> = body
        .editor
        .instructions()
        .iter()
        .filter(|i| {
            (opcode::GETSTATIC..=opcode::PUTFIELD).contains(&i.opcode) || i.opcode == opcode::NEW
        })
        .copied()
        .collect();
    for instruction in instructions {
        let Some(index) = instruction.constant() else {
            continue;
        };
        if instruction.opcode == opcode::NEW {
            let class = body.class.pool.class_name(index)?.to_str_lossy();
            if may_run_code(body, &class) && !body.owned.contains(&instruction.offset) {
                let site = body.site(instruction.offset, opcode::NEW, &class, "", "V");
                touch(body, instruction.offset, site)?;
                let mut after = Snippet::new();
                body.load_recorder(&mut after)?;
                call(&mut after, "touched", &format!("({RECORDER})V"), body.pool)?;
                body.editor.after(instruction.offset, after)?;
            }
            continue;
        }
        let member = body.class.pool.member(index)?;
        if may_leave(body, &instruction, &member)? {
            access(body, &instruction, &member)?;
        }
    }
    Ok(())
}

/// Whether a field access could be one of an outside field.
pub(crate) fn may_leave(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<bool, ProbeError> {
    let is_static = matches!(instruction.opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
    if member.class == body.class.name()? && declares(body, member)? {
        return Ok(false);
    }
    let inside = body.patterns.is_inside(&member.class.to_str_lossy());
    Ok(!is_static || !inside || may_be_inherited(body, instruction, member))
}

/// Whether the owner that the constant pool has for a static field does not say
/// on which side it is: an inside class may inherit an outside field. The other
/// way round only writing matters: what was read is in the recording.
pub(crate) fn may_be_inherited(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> bool {
    let owner = member.class.to_str_lossy();
    body.class.major >= HAS_CLASS_CONSTANTS
        && match instruction.opcode {
            opcode::GETSTATIC => body.patterns.is_inside(&owner),
            opcode::PUTSTATIC => !is_platform(&owner),
            _ => false,
        }
}

/// Whether the class declares that field itself.
pub(crate) fn declares(body: &Body<'_, '_>, member: &MemberRef<'_>) -> Result<bool, ProbeError> {
    let pool = &body.class.pool;
    for field in &body.class.fields {
        if pool.utf8(field.name)? == member.name
            && pool.utf8(field.descriptor)? == member.descriptor
        {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn may_run_code(body: &Body<'_, '_>, class: &str) -> bool {
    !is_platform(class) && !body.patterns.is_inside(class)
}

pub(crate) fn touch(body: &mut Body<'_, '_>, offset: u32, site: u32) -> Result<(), ProbeError> {
    let mut before = Snippet::new();
    body.load_recorder(&mut before)?;
    push_id(&mut before, site, body.pool)?;
    call(&mut before, "touch", &format!("({RECORDER}I)V"), body.pool)?;
    body.editor.before(offset, before)?;
    Ok(())
}

fn access(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    let ty = FieldType::parse(member.descriptor)?;
    let value = parameter(ty);
    let offset = instruction.offset;
    let site = body.site(offset, instruction.opcode, &owner, &name, &text);
    let mut before = Snippet::new();
    let mut after = Snippet::new();
    if may_be_inherited(body, instruction, member) {
        before.push_class(&owner, body.pool)?;
        push_id(&mut before, site, body.pool)?;
        call(&mut before, "resolves", "(Ljava/lang/Class;I)V", body.pool)?;
        if body.patterns.is_inside(&owner) {
            initialise(&mut before, &owner, &name, &text, body.pool)?;
        }
        begin_static(body, &mut before, site)?;
    }
    match instruction.opcode {
        opcode::GETFIELD => {
            before.op(opcode::DUP)?;
            begin(body, &mut before, "reads", site)?;
            duplicate(&mut after, ty)?;
            body.load_recorder(&mut after)?;
            call(
                &mut after,
                "last",
                &format!("({value}{RECORDER})V"),
                body.pool,
            )?;
        }
        opcode::GETSTATIC => {
            if may_run_code(body, &owner) {
                touch(body, offset, site)?;
            }
            duplicate(&mut after, ty)?;
            body.load_recorder(&mut after)?;
            push_id(&mut after, site, body.pool)?;
            let descriptor = format!("({value}{RECORDER}I)V");
            call(&mut after, "readStatic", &descriptor, body.pool)?;
        }
        opcode::PUTFIELD => {
            let slot = body.spill(&[ty])?.first().copied().unwrap_or_default();
            before.store(ty, slot)?;
            before.op(opcode::DUP)?;
            begin(body, &mut before, "writes", site)?;
            body.log_arguments(&mut before, &[(ty, slot)])?;
            before.load(ty, slot)?;
        }
        _ => {
            duplicate(&mut before, ty)?;
            body.load_recorder(&mut before)?;
            push_id(&mut before, site, body.pool)?;
            let descriptor = format!("({value}{RECORDER}I)V");
            call(&mut before, "writeStatic", &descriptor, body.pool)?;
            if may_run_code(body, &owner) {
                body.load_recorder(&mut before)?;
                push_id(&mut before, site, body.pool)?;
                let descriptor = format!("({RECORDER}I)V");
                call(&mut before, "touchStatic", &descriptor, body.pool)?;
                body.load_recorder(&mut after)?;
                call(&mut after, "touched", &format!("({RECORDER})V"), body.pool)?;
            }
        }
    }
    let is_static = matches!(instruction.opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
    if !is_static || may_be_inherited(body, instruction, member) {
        // It may be a volatile field of another inside class.
        body.load_recorder(&mut after)?;
        call(&mut after, "settled", &format!("({RECORDER})V"), body.pool)?;
    }
    body.editor.before(offset, before)?;
    body.editor.after(offset, after)?;
    Ok(())
}

/// Reads a static field for nothing: its class is initialised by that, if need be,
/// before the use that is told of begins. The initialiser may have uses of its own.
pub(crate) fn initialise<'c>(
    code: &mut Snippet,
    owner: &str,
    name: &str,
    descriptor: &str,
    pool: &mut PoolEditor<'c>,
) -> Result<(), ProbeError> {
    code.field(opcode::GETSTATIC, owner, name, descriptor, pool)?;
    let is_wide = matches!(descriptor, "J" | "D");
    code.op(if is_wide { opcode::POP2 } else { opcode::POP })?;
    Ok(())
}

/// A static field may be a volatile one of another inside class. Its class is
/// loaded by now, so that the agent knows its fields.
fn begin_static(body: &mut Body<'_, '_>, code: &mut Snippet, site: u32) -> Result<(), ProbeError> {
    body.load_recorder(code)?;
    push_id(code, site, body.pool)?;
    call(code, "sharesStatic", &format!("({RECORDER}I)V"), body.pool)
}

/// Begins an event about the receiver on the stack.
fn begin(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    name: &str,
    site: u32,
) -> Result<(), ProbeError> {
    body.load_recorder(code)?;
    push_id(code, site, body.pool)?;
    let descriptor = format!("(Ljava/lang/Object;{RECORDER}I)V");
    call(code, name, &descriptor, body.pool)
}
