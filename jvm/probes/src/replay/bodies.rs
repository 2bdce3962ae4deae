//! The instructions of a body that go to the player.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction, MemberRef};
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use super::functions;
use super::order;
use super::receivers::Receivers;
use super::replayed_name;
use super::resolution;
use super::stubs::{By, STUB, Shape, Stubs};
use crate::ProbeError;
use crate::calls::{Constructions, Way, is_value_of, way};
use crate::dynamic::descriptor_of;
use crate::elements;
use crate::fields::{initialise, may_be_inherited, may_leave};
use crate::handles;
use crate::method::Body;
use crate::order::is_shared;
use crate::probe::{OBJECT_TYPE, push_id};
use crate::pure::is_pure;
use crate::resolution::names_a_constant;

pub(super) fn rewrite<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
) -> Result<(), ProbeError> {
    let mut constructions = None;
    let receivers = Receivers::of(body);
    let elements_in_order = elements::are_ordered(body)?;
    for instruction in body.editor.instructions().to_vec() {
        match instruction.opcode {
            opcode::MONITORENTER => order::enter(body, &instruction)?,
            opcode::IF_ACMPEQ | opcode::IF_ACMPNE => order::compare(body, &instruction)?,
            opcode::IALOAD..=opcode::SALOAD | opcode::IASTORE..=opcode::SASTORE
                if elements_in_order =>
            {
                order::element(body, &instruction)?;
            }
            _ => {}
        }
        let Some(index) = instruction.constant() else {
            continue;
        };
        if matches!(
            instruction.opcode,
            opcode::GETSTATIC | opcode::PUTSTATIC | opcode::INVOKESTATIC
        ) {
            let member = body.class.pool.member(index)?;
            order::initialises(body, &instruction, &member)?;
        }
        match instruction.opcode {
            opcode::NEW => new(body, &instruction, index)?,
            opcode if names_a_constant(opcode) => {
                resolution::resolve(body, stubs, &instruction, index)?;
            }
            opcode::GETSTATIC..=opcode::PUTFIELD => {
                let member = body.class.pool.member(index)?;
                if may_leave(body, &instruction, &member)? {
                    access(body, stubs, &instruction, &member, &receivers)?;
                } else if is_shared(body, &instruction, &member)? {
                    order::access(body, stubs, &instruction, &member)?;
                }
            }
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                let member = body.class.pool.member(index)?;
                if elements_in_order && elements::moves(&member) {
                    order::moved(body, &instruction, &member)?;
                } else if instruction.opcode == opcode::INVOKESPECIAL && member.name == "<init>" {
                    let known = constructions.get_or_insert_with(|| Constructions::of(body));
                    let of_this = known.of_this.contains(&instruction.offset);
                    construct(body, stubs, &instruction, &member, of_this)?;
                } else if is_value_of(&instruction, &member) {
                    functions::string(body, &instruction)?;
                } else if let Some(way) = way(body, &instruction, &member, &mut constructions)? {
                    call(body, stubs, &instruction, &member, way, &receivers)?;
                } else if name_here(body, &member) != member.name.to_str_lossy() {
                    let mut code = Snippet::new();
                    invoke(
                        body.class,
                        &instruction,
                        &member,
                        &name_here(body, &member),
                        &mut code,
                        body.pool,
                    )?;
                    body.editor.replace(instruction.offset, code)?;
                }
            }
            _ => {}
        }
    }
    functions::rewrite_dynamic(body, stubs)
}

/// Whether a field of another class is a volatile one of the inside.
fn is_volatile(body: &Body<'_, '_>, member: &MemberRef<'_>) -> bool {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    body.catalog.is_volatile(&owner, &name, &text)
}

/// `new`: the object is there at once, and its constructor is a method.
fn new(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    index: u16,
) -> Result<(), ProbeError> {
    let class = body.class.pool.class_name(index)?.to_str_lossy();
    if is_pure(&class, "<init>", "()V") || body.owned.contains(&instruction.offset) {
        return Ok(());
    }
    let mut code = Snippet::new();
    allocate(body, &mut code, instruction.offset, &class)?;
    body.editor.replace(instruction.offset, code)?;
    Ok(())
}

/// An object of that class, on the stack.
pub(super) fn allocate(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    offset: u32,
    class: &str,
) -> Result<(), ProbeError> {
    let site = body.site(offset, opcode::NEW, class, "", "V");
    push_id(code, site, body.pool)?;
    code.invoke(
        Invoke::Static,
        STUB,
        "allocate",
        "(I)Ljava/lang/Object;",
        body.pool,
    )?;
    code.with_class(opcode::CHECKCAST, class, body.pool)?;
    Ok(())
}

fn construct<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    member: &MemberRef<'c>,
    of_this: bool,
) -> Result<(), ProbeError> {
    if body.owned.contains(&instruction.offset) {
        return Ok(());
    }
    let owner = member.class.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    let mut code = Snippet::new();
    if body.patterns.is_inside(&owner) {
        let name = replayed_name(&owner, "<init>", &text);
        code.invoke(Invoke::Virtual, &owner, &name, &text, body.pool)?;
    } else if is_pure(&owner, "<init>", &text) {
        match (of_this, owner.as_ref()) {
            (false, _) => return Ok(()),
            (true, "java/lang/Enum") => {
                let descriptor = "(Ljava/lang/Object;Ljava/lang/String;I)V";
                code.invoke(Invoke::Static, STUB, "enumConstant", descriptor, body.pool)?;
            }
            (true, _) => drop(code.op(opcode::POP)?),
        }
    } else {
        let descriptor = MethodDescriptor::parse(member.descriptor)?;
        let mut parameters = vec![OBJECT_TYPE];
        parameters.extend(descriptor.parameters);
        let result = None;
        let shape = Shape { parameters, result };
        let function = if of_this {
            "constructSuper"
        } else {
            "construct"
        };
        let offset = instruction.offset;
        let site = body.site(offset, instruction.opcode, &owner, "<init>", &text);
        let key = format!("{function} {text}");
        code = stubs.call(key, &shape, site, body.pool, |_, pool| {
            Stubs::always(&shape, function, pool)
        })?;
    }
    body.editor.replace(instruction.offset, code)?;
    Ok(())
}

fn call<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    member: &MemberRef<'c>,
    way: Way,
    receivers: &Receivers<'c>,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    let offset = instruction.offset;
    let site = body.site(offset, instruction.opcode, &owner, &name, &text);
    let descriptor = MethodDescriptor::parse(member.descriptor)?;
    let receiver = match way {
        Way::Dispatch => Some(receivers.at(offset, member.class)),
        // What `super` calls are made on is this class.
        Way::Super => Some(FieldType::Object(body.class.name()?)),
        Way::Out | Way::Inherited | Way::New(_) | Way::SuperConstructor => None,
    };
    let mut parameters: Vec<FieldType<'_>> = receiver.into_iter().collect();
    parameters.extend(descriptor.parameters);
    let result = descriptor.result;
    let shape = Shape { parameters, result };
    let by = match (receiver, shape.parameters.get(1)) {
        (None, _) => By::Owner,
        (Some(_), Some(first))
            if instruction.opcode == opcode::INVOKEINTERFACE && first.is_reference() =>
        {
            By::ReceiverAndFirst
        }
        (Some(_), _) => By::Receiver,
    };
    let on = receiver.map(descriptor_of).unwrap_or_default();
    let key = format!("{} {on} {owner} {name} {text}", instruction.opcode);
    let (class, here) = (body.class, name_here(body, member));
    let code = stubs.call(key, &shape, site, body.pool, |stubs, pool| {
        if receiver.is_none() && way != Way::Inherited {
            return Stubs::always(&shape, "call", pool);
        }
        let mut stay = Snippet::new();
        if handles::uses(member) {
            order::shared(&mut stay, true, pool, |stay, pool| {
                shape.load(stay)?;
                stay.invoke(Invoke::Virtual, &owner, &name, &text, pool)?;
                Ok(())
            })?;
            return stubs.choice(&shape, "call", stay, By::Receiver, pool);
        }
        shape.load(&mut stay)?;
        if owner == "java/lang/Object" && matches!(name.as_ref(), "clone" | "finalize") {
            // They are protected: what they are called on must be known to be
            // of this class. Arrays, which are not, never stay.
            stay.with_class(opcode::CHECKCAST, stubs.this(), pool)?;
        }
        invoke(class, instruction, member, &here, &mut stay, pool)?;
        stubs.choice(&shape, "call", stay, by, pool)
    })?;
    body.editor.replace(offset, code)?;
    Ok(())
}

/// The name in a replay of a method that is called and may be inside.
fn name_here(body: &Body<'_, '_>, member: &MemberRef<'_>) -> String {
    let name = member.name.to_str_lossy();
    let owner = member.class.to_str_lossy();
    if body.patterns.is_inside(&owner) {
        return replayed_name(&owner, &name, &member.descriptor.to_str_lossy());
    }
    name.into_owned()
}

/// The call itself, of that name.
fn invoke(
    class: &ClassFile<'_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
    name: &str,
    code: &mut Snippet,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    let of_interface = instruction
        .constant()
        .and_then(|index| class.pool.get(index).ok())
        .is_some_and(|constant| matches!(constant, Constant::InterfaceMethodRef { .. }));
    let how = match instruction.opcode {
        opcode::INVOKEINTERFACE => Invoke::Interface,
        opcode::INVOKESPECIAL if of_interface => Invoke::InterfaceSpecial,
        opcode::INVOKESPECIAL => Invoke::Special,
        opcode::INVOKESTATIC => Invoke::Static,
        _ => Invoke::Virtual,
    };
    let owner = member.class.to_str_lossy();
    code.invoke(how, &owner, name, &member.descriptor.to_str_lossy(), pool)?;
    Ok(())
}

fn access<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    member: &MemberRef<'c>,
    receivers: &Receivers<'c>,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    let opcode = instruction.opcode;
    let site = body.site(instruction.offset, opcode, &owner, &name, &text);
    let ty = FieldType::parse(member.descriptor)?;
    let is_static = matches!(opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
    let writes = matches!(opcode, opcode::PUTSTATIC | opcode::PUTFIELD);
    let mut parameters = Vec::new();
    if !is_static {
        parameters.push(receivers.at(instruction.offset, member.class));
    }
    if writes {
        parameters.push(ty);
    }
    let on = parameters.first().copied().filter(|_| !is_static);
    let on = on.map(descriptor_of).unwrap_or_default();
    let result = (!writes).then_some(ty);
    let shape = Shape { parameters, result };
    let volatile = is_volatile(body, member);
    let function = if writes { "write" } else { "read" };
    let key = format!("{opcode} {on} {owner} {name} {text}");
    let asked = may_be_inherited(body, instruction, member);
    let code = stubs.call(key, &shape, site, body.pool, |stubs, pool| {
        if is_static && !asked {
            return Stubs::always(&shape, function, pool);
        }
        let mut stay = Snippet::new();
        let field = |stay: &mut Snippet, pool: &mut PoolEditor<'c>| {
            shape.load(stay)?;
            stay.field(opcode, &owner, &name, &text, pool)?;
            Ok(())
        };
        if volatile {
            if is_static {
                initialise(&mut stay, &owner, &name, &text, pool)?;
            }
            order::shared(&mut stay, !is_static, pool, field)?;
        } else {
            field(&mut stay, pool)?;
        }
        let by = if is_static { By::Owner } else { By::Receiver };
        stubs.choice(&shape, function, stay, by, pool)
    })?;
    body.editor.replace(instruction.offset, code)?;
    Ok(())
}
