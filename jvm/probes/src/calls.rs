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
use crate::holds::Holds;
use crate::method::Body;
use crate::order::{is_wait, on_monitor};
use crate::origin::Origin;
use crate::probe::{OBJECT_TYPE, RECORDER, call, duplicate, parameter, push_id};
use crate::pure::is_pure;

/// How a call gets to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the receiver's class.
    Dispatch,
    /// `super.m()`.
    Super,
    /// To one target, which is outside.
    Out,
    /// To one target that an inside class names; an outside one above it may
    /// declare it.
    Perhaps,
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
    if is_pure(&owner, &name, &member.descriptor.to_str_lossy()) {
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
            _ if !inside => Some(Way::Out),
            _ => match of_static(body, instruction, member)? {
                Origin::Inside => None,
                Origin::Outside => Some(Way::Out),
                Origin::Unknown => Some(Way::Perhaps),
            },
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

/// Who declares a static member that an inside class names.
pub(crate) fn of_static(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
) -> Result<Origin, ProbeError> {
    // Static methods of interfaces are not inherited.
    let constant = instruction.constant().map(|at| body.class.pool.get(at));
    if let Some(Constant::InterfaceMethodRef { .. }) = constant.transpose()? {
        return Ok(Origin::Inside);
    }
    Ok(body.catalog.origin(
        &member.class.to_str_lossy(),
        &member.name.to_str_lossy(),
        &member.descriptor.to_str_lossy(),
    ))
}

/// Pushes the number of a site that names a static member, or 0 if it turns out
/// when the site is reached that the member is inside.
pub(crate) fn push_aim(
    body: &mut Body<'_, '_>,
    code: &mut Snippet,
    owner: &str,
    site: u32,
) -> Result<(), ProbeError> {
    // The classes above are known once the class is loaded, and it is about to
    // be. Class files before Java 5 cannot say so.
    if body.class.major >= 49 {
        code.push_class(owner, body.pool)?;
    } else {
        code.op(opcode::ACONST_NULL)?;
    }
    push_id(code, site, body.pool)?;
    call(code, "aims", "(Ljava/lang/Class;I)I", body.pool)
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

    let mut before = Snippet::new();
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    let (called, receiver) = match way {
        Way::Dispatch => ("call", true),
        Way::Super => ("callSuper", true),
        Way::Out | Way::Perhaps | Way::New(_) => ("callOut", false),
        Way::SuperConstructor => ("callSuperInit", false),
    };
    let waits = way == Way::Dispatch && is_wait(member);
    if waits {
        before.op(opcode::DUP)?;
        on_monitor(body, &mut before, "waits")?;
    }
    if receiver {
        before.op(opcode::DUP)?;
    }
    body.load_recorder(&mut before)?;
    if way == Way::Perhaps {
        push_aim(body, &mut before, &owner, site)?;
    } else {
        push_id(&mut before, site, body.pool)?;
    }
    let bare = if arguments.is_empty() { "Bare" } else { "" };
    let object = if receiver { "Ljava/lang/Object;" } else { "" };
    let mut class = "";
    if way == Way::SuperConstructor {
        let name = body.class.name()?.to_str_lossy().replace('/', ".");
        before.push_string(&name, body.pool)?;
        class = "Ljava/lang/String;";
    }
    call(
        &mut before,
        &format!("{called}{bare}"),
        &format!("({object}{RECORDER}I{class})V"),
        body.pool,
    )?;
    body.log_arguments(&mut before, &arguments)?;
    holds.give(body, &mut before, instruction.offset, &arguments)?;
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    body.editor.before(instruction.offset, before)?;

    let mut after = Snippet::new();
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
    body.editor.after(instruction.offset, after)?;
    Ok(())
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
