//! What happens in the recorded order, or with the recorded outcome, although
//! nothing crosses the boundary.
//!
//! Before a monitor is entered or a volatile field is used, the player is asked,
//! and it waits for whoever was there before; afterwards it counts, as the
//! recorder did. A synchronized method becomes one that enters its monitor
//! itself: the JVM would enter it before the player could wait.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef, access};
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use super::stubs::{STUB, Shape, Stubs, named};
use crate::ProbeError;
use crate::calls::HAS_CLASS_CONSTANTS;
use crate::elements;
use crate::fields::initialise;
use crate::method::Body;
use crate::probe::{OBJECT_TYPE, push_id};

/// Makes a synchronized method enter its monitor itself; whether it does.
pub(super) fn synchronized(body: &mut Body<'_, '_>) -> Result<bool, ProbeError> {
    let flags = body.method.access;
    let of_class = flags & access::STATIC != 0;
    if flags & access::SYNCHRONIZED == 0 {
        return Ok(false);
    }
    let mut monitor = Snippet::new();
    if !of_class {
        monitor.load(OBJECT_TYPE, 0)?;
    } else if body.class.major >= HAS_CLASS_CONSTANTS {
        let this = body.class.name()?.to_str_lossy().into_owned();
        monitor.push_class(&this, body.pool)?;
    } else {
        // It is entered already: the order is as good as that allows.
        let mut code = Snippet::new();
        tell(body, &mut code, "shares", "()V")?;
        tell(body, &mut code, "shared", "()V")?;
        body.editor.at_entry(code)?;
        return Ok(false);
    }
    let held = body.editor.hold(OBJECT_TYPE, monitor)?;
    let mut code = Snippet::new();
    code.load(OBJECT_TYPE, held)?;
    code.op(opcode::DUP)?;
    tell(body, &mut code, "enters", "(Ljava/lang/Object;)V")?;
    code.op(opcode::MONITORENTER)?;
    tell(body, &mut code, "shared", "()V")?;
    body.editor.at_entry(code)?;
    let mut code = Snippet::new();
    code.load(OBJECT_TYPE, held)?;
    code.op(opcode::MONITOREXIT)?;
    body.editor.before_returns(&code)?;
    code.op(opcode::ATHROW)?;
    body.editor.catch_all(code)?;
    Ok(true)
}

fn tell(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    name: &str,
    descriptor: &str,
) -> Result<(), ProbeError> {
    code.invoke(Invoke::Static, STUB, name, descriptor, body.pool)?;
    Ok(())
}

/// `monitorenter`.
pub(super) fn enter(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), ProbeError> {
    let mut before = Snippet::new();
    before.op(opcode::DUP)?;
    tell(body, &mut before, "enters", "(Ljava/lang/Object;)V")?;
    body.editor.before(instruction.offset, before)?;
    let mut after = Snippet::new();
    tell(body, &mut after, "shared", "()V")?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// Code above this length gets nothing that is only needed where threads race.
const LARGE: usize = 20_000;

/// The use of a static member of another inside class: who initialises it is as recorded.
pub(super) fn initialises(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let own = member.class == body.class.name()?;
    if own || !body.patterns.is_inside(&owner) || body.editor.code().bytes.len() > LARGE {
        return Ok(());
    }
    let offset = instruction.offset;
    let site = body.site(offset, instruction.opcode, &owner, "", "V");
    let mut before = Snippet::new();
    push_id(&mut before, site, body.pool)?;
    tell(body, &mut before, "uses", "(I)V")?;
    body.editor.before(offset, before)?;
    Ok(())
}

/// The initialiser of a class says when it ends.
pub(super) fn initialised(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    if body.is_initialiser()? {
        let site = body.site(0, 0, "", "", "V");
        let mut code = Snippet::new();
        push_id(&mut code, site, body.pool)?;
        tell(body, &mut code, "initialised", "(I)V")?;
        body.editor.before_returns(&code)?;
        code.op(opcode::ATHROW)?;
        body.editor.catch_all(code)?;
    }
    Ok(())
}

/// `==`: what is compared is such that the recorded outcome comes out.
pub(super) fn compare(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), ProbeError> {
    let site = body.site(instruction.offset, instruction.opcode, "", "", "V");
    let mut before = Snippet::new();
    before.op(opcode::DUP2)?;
    push_id(&mut before, site, body.pool)?;
    let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;I)Ljava/lang/Object;";
    tell(body, &mut before, "compared", descriptor)?;
    before.op(opcode::SWAP)?;
    before.op(opcode::POP)?;
    body.editor.before(instruction.offset, before)?;
    Ok(())
}

/// An element of an array is read or written.
pub(super) fn element(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), ProbeError> {
    let mut before = Snippet::new();
    let told = "(Ljava/lang/Object;I)V";
    if matches!(instruction.opcode, opcode::IASTORE..=opcode::SASTORE) {
        let ty = elements::stored(instruction);
        let slot = body.spill(&[ty])?.first().copied().unwrap_or_default();
        before.store(ty, slot)?;
        before.op(opcode::DUP2)?;
        tell(body, &mut before, "sharesElement", told)?;
        before.load(ty, slot)?;
    } else {
        before.op(opcode::DUP2)?;
        tell(body, &mut before, "sharesElement", told)?;
    }
    body.editor.before(instruction.offset, before)?;
    let mut after = Snippet::new();
    tell(body, &mut after, "shared", "()V")?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// Elements of arrays are moved.
pub(super) fn moved(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let told = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    let mut before = Snippet::new();
    let arguments = elements::keep(body, &mut before, member)?;
    elements::load_arrays(&mut before, &arguments)?;
    tell(body, &mut before, "sharesArrays", told)?;
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    body.editor.before(instruction.offset, before)?;
    let mut after = Snippet::new();
    elements::load_arrays(&mut after, &arguments)?;
    tell(body, &mut after, "sharedArrays", told)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// Code that uses something in its turn; whether the first parameter is an object
/// that has to be there.
pub(super) fn shared<'c>(
    code: &mut Snippet,
    receiver: bool,
    pool: &mut PoolEditor<'c>,
    uses: impl FnOnce(&mut Snippet, &mut PoolEditor<'c>) -> Result<(), ProbeError>,
) -> Result<(), ProbeError> {
    if receiver {
        code.load(OBJECT_TYPE, 0)?;
        let descriptor = "(Ljava/lang/Object;)V";
        code.invoke(Invoke::Static, STUB, "shares", descriptor, pool)?;
    } else {
        code.invoke(Invoke::Static, STUB, "shares", "()V", pool)?;
    }
    uses(code, pool)?;
    code.invoke(Invoke::Static, STUB, "shared", "()V", pool)?;
    Ok(())
}

/// A volatile field of the class itself, or a static one of another.
pub(super) fn access<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    member: &MemberRef<'c>,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    let opcode = instruction.opcode;
    let ty = FieldType::parse(member.descriptor)?;
    let is_static = matches!(opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
    let writes = matches!(opcode, opcode::PUTSTATIC | opcode::PUTFIELD);
    let receiver = (!is_static).then(|| named(member.class));
    let mut parameters: Vec<FieldType<'_>> = receiver.into_iter().collect();
    parameters.extend(writes.then_some(ty));
    let result = (!writes).then_some(ty);
    let shape = Shape { parameters, result };
    let key = format!("shared {opcode} {owner} {name} {text}");
    let site = body.site(instruction.offset, opcode, &owner, &name, &text);
    let code = stubs.call(key, &shape, site, body.pool, |_, pool| {
        let mut code = Snippet::new();
        let receiver = !is_static;
        if is_static {
            initialise(&mut code, &owner, &name, &text, pool)?;
        }
        shared(&mut code, receiver, pool, |code, pool| {
            shape.load(code)?;
            code.field(opcode, &owner, &name, &text, pool)?;
            Ok(())
        })?;
        shape.leave(&mut code)?;
        Stubs::straight(&shape, &code)
    })?;
    body.editor.replace(instruction.offset, code)?;
    Ok(())
}
