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
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::calls::{of_static, push_aim};
use crate::method::Body;
use crate::origin::Origin;
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
            if may_run_code(body, &class) {
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
        match side(body, &instruction, &member)? {
            Origin::Inside => {}
            side => access(body, &instruction, &member, side)?,
        }
    }
    Ok(())
}

/// Which side a field is on; where that depends on the receiver, it counts as
/// outside.
pub(crate) fn side(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<Origin, ProbeError> {
    if member.class == body.class.name()? && declares(body, member)? {
        return Ok(Origin::Inside);
    }
    let is_static = matches!(instruction.opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
    if is_static && body.patterns.is_inside(&member.class.to_str_lossy()) {
        return of_static(body, instruction, member);
    }
    Ok(Origin::Outside)
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
    side: Origin,
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
            if side == Origin::Unknown {
                let mut before = Snippet::new();
                body.load_recorder(&mut before)?;
                push_aim(body, &mut before, &owner, site)?;
                call(&mut before, "touch", &format!("({RECORDER}I)V"), body.pool)?;
                body.editor.before(offset, before)?;
            } else if !is_platform(&owner) {
                touch(body, offset, site)?;
            }
            duplicate(&mut after, ty)?;
            body.load_recorder(&mut after)?;
            push_static(body, &mut after, &owner, site, side)?;
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
            push_static(body, &mut before, &owner, site, side)?;
            let descriptor = format!("({value}{RECORDER}I)V");
            call(&mut before, "writeStatic", &descriptor, body.pool)?;
        }
    }
    body.editor.before(offset, before)?;
    body.editor.after(offset, after)?;
    Ok(())
}

/// Pushes the number of a site, or what stands for it while its side is not
/// known.
fn push_static(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    owner: &str,
    site: u32,
    side: Origin,
) -> Result<(), ProbeError> {
    match side {
        Origin::Unknown => push_aim(body, code, owner, site),
        _ => push_id(code, site, body.pool),
    }
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
