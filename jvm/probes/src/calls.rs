//! Calls that may leave the inside.
//!
//! The arguments are spilled into locals, the receiver is only duplicated: the
//! JVM's text for a NullPointerException names the expression that was null,
//! and it would name a local instead. Whether a call leaves is decided in the
//! runtime by the receiver's class, once per site and class; a call that
//! provably stays gets no probe.
//!
//! ```text
//!   receiver, a, b             store b, store a
//!   receiver                   dup, recorder, site, Probe.call
//!   receiver                   load a, recorder, Probe.argument; load b, recorder, Probe.last
//!   receiver, a, b             load a, load b
//!   invokevirtual m(A,B)R
//!   result                     dup, recorder, Probe.returned
//! ```

use std::collections::{BTreeMap, BTreeSet};

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::{Type, walk};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{Constant, Instruction, MemberRef, access};
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::copies;
use crate::handles::{self, Makes, Memory};
use crate::holds::Holds;
use crate::loaders;
use crate::method::Body;
use crate::order::{is_wait, on_monitor};
use crate::probe::{OBJECT_TYPE, RECORDER, call, duplicate, goes_along, parameter, push_id};
use crate::pure::is_pure;
use crate::reflected::{self, Reach};

/// The first version of class files that can push a class.
pub(crate) const HAS_CLASS_CONSTANTS: u16 = 49;

/// How a call gets to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the receiver's class.
    Dispatch,
    /// `super.m()`.
    Super,
    /// To one target, which is outside.
    Out,
    /// To one target that an inside class declares, or inherits from outside.
    Inherited,
    /// A constructor of an outside class; whether the object is on the stack
    /// afterwards.
    New(bool),
    /// `super(…)` of an outside class.
    SuperConstructor,
}

pub(crate) fn instrument(body: &mut Body<'_, '_>, holds: &Holds) -> Result<(), ProbeError> {
    let sites: Vec<Instruction<'_>> = body
        .editor
        .instructions()
        .iter()
        .filter(|i| (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&i.opcode))
        .copied()
        .collect();
    let mut kept = None;
    for instruction in sites {
        let Some(index) = instruction.constant() else {
            continue;
        };
        let member = body.class.pool.member(index)?;
        loaders::announce(body, instruction.offset, &member)?;
        if is_value_of(&instruction, &member) {
            let mut before = Snippet::new();
            to_string(body, &mut before, instruction.offset)?;
            body.editor.before(instruction.offset, before)?;
            let mut after = Snippet::new();
            log_result(body, &mut after, Some(OBJECT_TYPE))?;
            body.editor.after(instruction.offset, after)?;
        } else if let Some(way) = way(body, &instruction, &member, &mut kept)? {
            probe(body, &instruction, &member, way, holds)?;
        } else if instruction.opcode == opcode::INVOKESPECIAL
            && kept
                .as_ref()
                .is_some_and(|known| known.of_this.contains(&instruction.offset))
            && body.patterns.is_inside(&member.class.to_str_lossy())
        {
            body.chain(instruction.offset)?;
        }
    }
    Ok(())
}

/// `String.valueOf(Object)`, which compilers put before a concatenation, does
/// nothing but to call `toString`.
pub(crate) fn is_value_of(instruction: &Instruction<'_>, member: &MemberRef<'_>) -> bool {
    instruction.opcode == opcode::INVOKESTATIC
        && member.class == "java/lang/String"
        && member.name == "valueOf"
        && member.descriptor == "(Ljava/lang/Object;)Ljava/lang/String;"
}

/// `toString` is about to be called on the object on the stack, unless that is
/// null.
pub(crate) fn to_string(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    offset: u32,
) -> Result<(), ProbeError> {
    let (owner, name, descriptor) = ("java/lang/Object", "toString", "()Ljava/lang/String;");
    let site = body.site(offset, opcode::INVOKEVIRTUAL, owner, name, descriptor);
    code.op(opcode::DUP)?;
    body.load_recorder(code)?;
    push_id(code, site, body.pool)?;
    let called = format!("(Ljava/lang/Object;{RECORDER}I)V");
    call(code, "callBare", &called, body.pool)
}

/// How a call leaves the inside; none when it provably does not, or needs no
/// event.
pub(crate) fn way(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
    kept: &mut Option<Constructions>,
) -> Result<Option<Way>, ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let pure = is_pure(&owner, &name, &member.descriptor.to_str_lossy());
    if pure || body.owned.contains(&instruction.offset) {
        return Ok(None);
    }
    let this = body.class.name()?;
    let own = own_method(body, member)?;
    let inside = body.patterns.is_inside(&owner);
    Ok(match instruction.opcode {
        opcode::INVOKESTATIC => match own {
            Some(flags) if member.class == this => {
                (flags & access::NATIVE != 0).then_some(Way::Out)
            }
            // Inherited: what is not declared here stands above.
            None if member.class == this && !super_is_inside(body)? => Some(Way::Out),
            _ if !inside => Some(Way::Out),
            _ => may_be_inherited(body, instruction, &name)?.then_some(Way::Inherited),
        },
        opcode::INVOKESPECIAL if name == "<init>" => {
            let constructions = kept.get_or_insert_with(|| Constructions::of(body));
            let offset = instruction.offset;
            if constructions.of_this.contains(&offset) {
                (!inside).then_some(Way::SuperConstructor)
            } else {
                let on_stack = constructions.on_stack.contains(&offset);
                (!inside).then_some(Way::New(on_stack))
            }
        }
        opcode::INVOKESPECIAL => match own {
            Some(flags) if member.class == this && flags & access::NATIVE == 0 => None,
            _ => Some(Way::Super),
        },
        _ => {
            let certain = access::PRIVATE | access::FINAL;
            let closed = body.class.access & access::FINAL != 0;
            match own {
                Some(flags)
                    if member.class == this
                        && flags & access::NATIVE == 0
                        && (closed || flags & certain != 0) =>
                {
                    None
                }
                _ => Some(Way::Dispatch),
            }
        }
    })
}

/// The access flags of a method that the class itself declares.
pub(crate) fn own_method(
    body: &Body<'_, '_>,
    member: &MemberRef<'_>,
) -> Result<Option<u16>, ProbeError> {
    let pool = &body.class.pool;
    for method in &body.class.methods {
        if pool.utf8(method.name)? == member.name
            && pool.utf8(method.descriptor)? == member.descriptor
        {
            return Ok(Some(method.access));
        }
    }
    Ok(None)
}

/// Whether a static method of an inside class could stand in an outside one
/// above it: interfaces hand none down, nor does a class what a compiler has made
/// for it alone.
fn may_be_inherited(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    name: &str,
) -> Result<bool, ProbeError> {
    let constant = match instruction.constant() {
        Some(index) => Some(body.class.pool.get(index)?),
        None => None,
    };
    let of_interface = matches!(constant, Some(Constant::InterfaceMethodRef { .. }));
    let own = name.starts_with("access$") || name.starts_with("lambda$");
    Ok(!of_interface && !own && body.class.major >= HAS_CLASS_CONSTANTS)
}

fn super_is_inside(body: &Body<'_, '_>) -> Result<bool, ProbeError> {
    let above = body.class.super_name()?;
    Ok(above.is_some_and(|name| body.patterns.is_inside(&name.to_str_lossy())))
}

fn probe(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
    way: Way,
    holds: &Holds,
) -> Result<(), ProbeError> {
    let owner = member.class.to_str_lossy();
    let name = member.name.to_str_lossy();
    let text = member.descriptor.to_str_lossy();
    let site = body.site(instruction.offset, instruction.opcode, &owner, &name, &text);
    let descriptor = MethodDescriptor::parse(member.descriptor)?;
    let slots = body.spill(&descriptor.parameters)?;
    let arguments: Vec<(FieldType<'_>, u16)> =
        descriptor.parameters.iter().copied().zip(slots).collect();

    let copies = copies::makes(instruction, member);
    let mut before = Snippet::new();
    if copies {
        copies::keep(&mut before)?;
    }
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    let memory = handles::uses_memory(member).filter(|_| way == Way::Dispatch);
    let by_handle = memory.is_some() || way == Way::Dispatch && handles::uses(member);
    let (called, receiver) = match way {
        Way::Dispatch if memory.is_some() => ("memory", true),
        Way::Dispatch if by_handle => ("handle", true),
        Way::Dispatch | Way::Super => ("call", true),
        Way::Out | Way::New(_) => ("callOut", false),
        Way::Inherited => ("callStatic", false),
        Way::SuperConstructor => ("callSuperInit", false),
    };
    // The JDK uses the field for the inside.
    let reach = reflected::reaches(member).filter(|reach| match reach {
        Reach::Reads | Reach::Writes => way == Way::Dispatch,
        Reach::Uses(_) => way == Way::Dispatch && !by_handle,
        _ => false,
    });
    let mut reflected = None;
    if let (Some(reach), Some((_, object))) = (reach, arguments.first()) {
        let field = body.editor.new_local(OBJECT_TYPE)?;
        before.op(opcode::DUP)?;
        before.store(OBJECT_TYPE, field)?;
        reflected = Some((reach, field, *object));
    }
    let waits = way == Way::Dispatch && is_wait(member);
    if waits {
        before.op(opcode::DUP)?;
        on_monitor(body, &mut before, "waits")?;
    }
    if receiver {
        before.op(opcode::DUP)?;
    }
    if way == Way::Inherited {
        before.push_class(&owner, body.pool)?;
    }
    let only = only_argument(way, by_handle || memory.is_some(), &arguments);
    if memory.is_some() {
        for (ty, slot) in arguments.iter().take(2) {
            before.load(*ty, *slot)?;
        }
    }
    // A function may be one that its first argument decides about; a handle may be one for the
    // elements of an array, which it is given.
    let first = match arguments.first() {
        Some((ty, slot))
            if only.is_none()
                && memory.is_none()
                && (by_handle || instruction.opcode == opcode::INVOKEINTERFACE)
                && ty.is_reference() =>
        {
            Some((*ty, *slot))
        }
        _ => None,
    };
    if let Some((ty, slot)) = only.or(first) {
        before.load(ty, slot)?;
    }
    body.load_recorder(&mut before)?;
    push_id(&mut before, site, body.pool)?;
    let kind = match first {
        Some(_) => "On",
        None if arguments.is_empty() => "Bare",
        None => "",
    };
    let object = match way {
        _ if memory.is_some() => "Ljava/lang/Object;Ljava/lang/Object;J",
        _ if receiver => "Ljava/lang/Object;",
        Way::Inherited => "Ljava/lang/Class;",
        _ => "",
    };
    let value = only.or(first).map_or("", |(ty, _)| parameter(ty));
    let mut constructor = "";
    if way == Way::SuperConstructor {
        let name = body.class.name()?.to_str_lossy().replace('/', ".");
        before.push_string(&name, body.pool)?;
        body.load_caller(&mut before)?;
        constructor = "Ljava/lang/String;I";
    }
    call(
        &mut before,
        &format!("{called}{kind}"),
        &format!("({object}{value}{RECORDER}I{constructor})V"),
        body.pool,
    )?;
    if only.is_none() {
        body.log_arguments(&mut before, &arguments)?;
    }
    holds.give(body, &mut before, instruction.offset, &arguments)?;
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    body.editor.before(instruction.offset, before)?;

    let mut after = Snippet::new();
    if copies {
        copies::compare(&mut after, body.pool)?;
    }
    if let Some((reach, field, object)) = reflected {
        reflected::used(&mut after, reach, field, Some(object), site, body.pool)?;
    }
    if waits {
        body.load_recorder(&mut after)?;
        call(&mut after, "waited", &format!("({RECORDER})V"), body.pool)?;
    }
    let result = match (way, descriptor.result) {
        (Way::New(true), _) => Some((OBJECT_TYPE, true)),
        (Way::SuperConstructor, _) if body.keeps_this() => Some((OBJECT_TYPE, false)),
        (_, result) => result.map(|ty| (ty, true)),
    };
    match result {
        Some((ty, true)) => duplicate(&mut after, ty)?,
        Some((ty, false)) => drop(after.load(ty, 0)?),
        None => {}
    }
    body.load_recorder(&mut after)?;
    let value = result.map_or("", |(ty, _)| parameter(ty));
    let returned = match way {
        Way::SuperConstructor => "superReturned",
        _ => "returned",
    };
    call(
        &mut after,
        returned,
        &format!("({value}{RECORDER})V"),
        body.pool,
    )?;
    if by_handle {
        let writes = memory.or_else(|| first.map(|_| handles::access(member)));
        let array = arguments.first().filter(|_| writes == Some(Memory::Writes));
        if let Some((ty, slot)) = array {
            after.load(*ty, *slot)?;
        }
        body.load_recorder(&mut after)?;
        let array = array.map_or("", |_| "Ljava/lang/Object;");
        let descriptor = format!("({array}{RECORDER})V");
        call(&mut after, "settled", &descriptor, body.pool)?;
    }
    if let (true, Some((ty, slot))) = (handles::makes_offset(member), arguments.first()) {
        after.op(opcode::DUP2)?;
        after.load(*ty, *slot)?;
        call(
            &mut after,
            "madeOffset",
            "(JLjava/lang/Object;)V",
            body.pool,
        )?;
    }
    if let Some(makes) = handles::makes(member) {
        made(body, &mut after, makes, &arguments)?;
    }
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// The argument that goes along with the call itself: most have one at the most.
fn only_argument<'t>(
    way: Way,
    by_handle: bool,
    arguments: &[(FieldType<'t>, u16)],
) -> Option<(FieldType<'t>, u16)> {
    let can = matches!(way, Way::Dispatch | Way::Super | Way::Out | Way::New(_));
    match *arguments {
        [(ty, slot)] if can && !by_handle && goes_along(ty) => Some((ty, slot)),
        _ => None,
    }
}

/// Tells of the handle on the stack, whose call had these arguments.
fn made(
    body: &mut Body<'_, '_>,
    after: &mut Snippet,
    makes: Makes,
    arguments: &[(FieldType<'_>, u16)],
) -> Result<(), ProbeError> {
    let mut descriptor = "(Ljava/lang/Object;)V";
    after.op(opcode::DUP)?;
    if let Makes::Field(class, name) = makes {
        for at in [class, name] {
            if let Some((ty, slot)) = arguments.get(at) {
                after.load(*ty, *slot)?;
            }
        }
        descriptor = "(Ljava/lang/Object;Ljava/lang/Class;Ljava/lang/String;)V";
    }
    call(after, "madeHandle", descriptor, body.pool)
}

/// Logs the result of a call that has just returned, which stays on the stack.
pub(crate) fn log_result(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    result: Option<FieldType<'_>>,
) -> Result<(), ProbeError> {
    if let Some(ty) = result {
        duplicate(code, ty)?;
    }
    body.load_recorder(code)?;
    let value = result.map_or("", parameter);
    call(
        code,
        "returned",
        &format!("({value}{RECORDER})V"),
        body.pool,
    )
}

/// What the constructor calls of a method initialise.
#[derive(Default)]
pub(crate) struct Constructions {
    /// Calls of `super()` and `this()`.
    pub(crate) of_this: BTreeSet<u32>,
    /// Calls after which the new object is on top of the stack.
    on_stack: BTreeSet<u32>,
}

impl Constructions {
    pub(crate) fn of(body: &Body<'_, '_>) -> Self {
        let mut found = Self::default();
        let walked = walk(
            body.class,
            body.method,
            body.editor.code(),
            |instruction, state| {
                let Some(state) = state else { return };
                let Some(parameters) = constructor_parameters(body, instruction) else {
                    return;
                };
                let mut stack = state.stack.iter().rev().skip(parameters);
                match stack.next() {
                    Some(Type::UninitializedThis) => drop(found.of_this.insert(instruction.offset)),
                    Some(new @ Type::Uninitialized(_)) if stack.next() == Some(new) => {
                        found.on_stack.insert(instruction.offset);
                    }
                    _ => {}
                }
            },
        );
        match walked {
            Ok(()) => found,
            Err(_) => Self::by_order(body),
        }
    }

    /// Without stack map frames, as in classes older than version 50: compilers
    /// nest `new` and the constructor's call like brackets.
    fn by_order(body: &Body<'_, '_>) -> Self {
        let mut found = Self::default();
        let mut open: Vec<(Utf8<'_>, bool)> = Vec::new();
        let instructions = body.editor.instructions();
        let followers: BTreeMap<u32, u8> = instructions
            .windows(2)
            .filter_map(|pair| match pair {
                [first, second] => Some((first.offset, second.opcode)),
                _ => None,
            })
            .collect();
        for instruction in instructions {
            let class = |index| body.class.pool.class_name(index).ok();
            if instruction.opcode == opcode::NEW {
                let doubled = followers.get(&instruction.offset) == Some(&opcode::DUP);
                open.extend(instruction.constant().and_then(class).map(|c| (c, doubled)));
            } else if constructor_parameters(body, instruction).is_some() {
                let member = instruction
                    .constant()
                    .and_then(|i| body.class.pool.member(i).ok());
                match (open.last(), member) {
                    (Some((class, doubled)), Some(member)) if *class == member.class => {
                        if *doubled {
                            found.on_stack.insert(instruction.offset);
                        }
                        open.pop();
                    }
                    (None, _) => drop(found.of_this.insert(instruction.offset)),
                    _ => {}
                }
            }
        }
        found
    }
}

/// How many parameters the constructor has that the instruction calls, if it
/// calls one.
fn constructor_parameters(body: &Body<'_, '_>, instruction: &Instruction<'_>) -> Option<usize> {
    if instruction.opcode != opcode::INVOKESPECIAL {
        return None;
    }
    let member = body.class.pool.member(instruction.constant()?).ok()?;
    if member.name != "<init>" {
        return None;
    }
    let descriptor = MethodDescriptor::parse(member.descriptor).ok()?;
    Some(descriptor.parameters.len())
}
