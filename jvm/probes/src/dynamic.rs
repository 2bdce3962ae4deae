//! `invokedynamic`, which calls outside code that no instruction names.
//!
//! | bootstrap | what is done |
//! | --- | --- |
//! | string concatenation | it calls `toString` of its arguments: each that may have an outside one is turned into a string before, by a call that is a site of its own |
//! | lambdas and method references | made for real on both sides; what they capture is numbered; a reference to an outside method is marked, so that calling it from inside is an outcall |
//! | `switch` on types and enums | depends on classes only: runs for real |
//! | methods of records, and all others | an outcall, with its arguments and result |

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{BootstrapMethods, Constant, Instruction, access};
use reprise_classfile::write::{Invoke, Snippet};

use crate::ProbeError;
use crate::calls::{log_result, own_method, to_string};
use crate::method::Body;
use crate::probe::{OBJECT_TYPE, RECORDER, call, push_id};

const STRING: FieldType<'static> = FieldType::Object(Utf8(b"java/lang/String"));

/// What an `invokedynamic` is for.
pub(crate) enum Purpose {
    /// String concatenation, with the number of its bootstrap.
    Concatenation(u16),
    /// A lambda or method reference.
    Function {
        /// On which side its method is.
        refers: Refers,
        /// The constant of its handle.
        target: u16,
    },
    /// `switch` on types and enums.
    Switch,
    /// Anything else, by the class that has the bootstrap method.
    Other(String),
}

/// On which side the method of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refers {
    Inside,
    Outside,
    /// Of an inside class, which may have inherited it from outside, and it may be native:
    /// who declares it is found out when the function is made.
    Perhaps,
    /// The receiver's class decides, each time the function is called. Whether the
    /// receiver is captured; it is the first argument otherwise.
    ByReceiver {
        captured: bool,
    },
}

pub(crate) fn instrument(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    for (instruction, index, purpose) in sites(body)? {
        match purpose {
            Purpose::Concatenation(bootstrap) => {
                concatenation(body, &instruction, index, bootstrap)?;
            }
            Purpose::Function { refers, target } => {
                captured(body, &instruction, index)?;
                refer(body, &instruction, refers, target)?;
            }
            Purpose::Switch => {}
            Purpose::Other(owner) => outcall(body, &instruction, index, &owner)?,
        }
    }
    Ok(())
}

/// Tells of the function that was just made, and where its method is.
fn refer(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    refers: Refers,
    target: u16,
) -> Result<(), ProbeError> {
    let mut after = Snippet::new();
    after.op(opcode::DUP)?;
    let (name, descriptor) = match refers {
        Refers::Inside => ("function", "(Ljava/lang/Object;)V"),
        Refers::Outside => ("refersOutside", "(Ljava/lang/Object;)V"),
        Refers::Perhaps => ("refers", "(Ljava/lang/Object;Ljava/lang/Class;I)V"),
        Refers::ByReceiver { captured: true } => ("refersByCaptured", "(Ljava/lang/Object;I)V"),
        Refers::ByReceiver { captured: false } => ("refersByFirst", "(Ljava/lang/Object;I)V"),
    };
    if refers == Refers::Perhaps {
        let owner = handle_owner(body, target)?.unwrap_or_default();
        after.push_class(&owner, body.pool)?;
    }
    if !matches!(refers, Refers::Inside | Refers::Outside)
        && let Some(site) = referred(body, instruction, target)?
    {
        push_id(&mut after, site, body.pool)?;
    }
    call(&mut after, name, descriptor, body.pool)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// A site for the method of a handle.
pub(crate) fn referred(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    handle: u16,
) -> Result<Option<u32>, ProbeError> {
    let Constant::MethodHandle { reference, .. } = body.class.pool.get(handle)? else {
        return Ok(None);
    };
    let member = body.class.pool.member(reference)?;
    let (owner, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    let text = member.descriptor.to_str_lossy();
    let opcode = opcode::INVOKEDYNAMIC;
    let site = body.site(instruction.offset, opcode, &owner, &name, &text);
    Ok(Some(site))
}

/// Every `invokedynamic` of a body, its constant, and what it is for.
pub(crate) fn sites<'c>(
    body: &Body<'c, '_>,
) -> Result<Vec<(Instruction<'c>, u16, Purpose)>, ProbeError> {
    let class = body.class;
    let mut found = Vec::new();
    let mut bootstraps = None;
    for instruction in body.editor.instructions() {
        if instruction.opcode != opcode::INVOKEDYNAMIC {
            continue;
        }
        let Some(index) = instruction.constant() else {
            continue;
        };
        let Constant::InvokeDynamic { bootstrap, .. } = class.pool.get(index)? else {
            continue;
        };
        let bootstraps = match &bootstraps {
            Some(bootstraps) => bootstraps,
            None => bootstraps.insert(match class.find(&class.attributes, "BootstrapMethods") {
                Some(attribute) => BootstrapMethods::read(&attribute)?.0,
                None => Vec::new(),
            }),
        };
        let Some(method) = bootstraps.get(usize::from(bootstrap)) else {
            continue;
        };
        let owner = handle_owner(body, method.handle)?.unwrap_or_default();
        let purpose = match owner.as_str() {
            "java/lang/invoke/StringConcatFactory" => Purpose::Concatenation(bootstrap),
            "java/lang/invoke/LambdaMetafactory" => {
                let target = method.arguments.get(1).copied().unwrap_or_default();
                let (_, text) = class.pool.dynamic(index)?;
                let captures = !MethodDescriptor::parse(text)?.parameters.is_empty();
                let refers = refers(body, target, captures)?;
                Purpose::Function { refers, target }
            }
            "java/lang/runtime/SwitchBootstraps" => Purpose::Switch,
            _ => Purpose::Other(owner),
        };
        found.push((*instruction, index, purpose));
    }
    Ok(found)
}

/// On which side the method of a handle is.
fn refers(body: &Body<'_, '_>, handle: u16, captures: bool) -> Result<Refers, ProbeError> {
    /// `REF_invokeVirtual`, `REF_invokeInterface` and `REF_newInvokeSpecial`.
    const VIRTUAL: u8 = 5;
    const INTERFACE: u8 = 9;
    const NEW: u8 = 8;
    let pool = &body.class.pool;
    let Constant::MethodHandle { kind, reference } = pool.get(handle)? else {
        return Ok(Refers::Inside);
    };
    let member = pool.member(reference)?;
    if !body.patterns.is_inside(&member.class.to_str_lossy()) {
        return Ok(Refers::Outside);
    }
    let own = match member.class == body.class.name()? {
        true => own_method(body, &member)?,
        false => None,
    };
    let closed = access::PRIVATE | access::FINAL;
    let is_final = body.class.access & access::FINAL != 0;
    Ok(match (kind, own) {
        // A constructor is not inherited.
        (NEW, _) => Refers::Inside,
        (VIRTUAL | INTERFACE, Some(flags)) if is_final || flags & closed != 0 => {
            match flags & access::NATIVE {
                0 => Refers::Inside,
                _ => Refers::Outside,
            }
        }
        (VIRTUAL | INTERFACE, _) => Refers::ByReceiver { captured: captures },
        (_, Some(flags)) if flags & access::NATIVE != 0 => Refers::Outside,
        (_, Some(_)) => Refers::Inside,
        (_, None) => Refers::Perhaps,
    })
}

/// The class whose member a method handle calls.
pub(crate) fn handle_owner(body: &Body<'_, '_>, handle: u16) -> Result<Option<String>, ProbeError> {
    let pool = &body.class.pool;
    match pool.get(handle)? {
        Constant::MethodHandle { reference, .. } => {
            let owner = pool.member(reference)?.class;
            Ok(Some(owner.to_str_lossy().into_owned()))
        }
        _ => Ok(None),
    }
}

/// What a lambda captures comes back as an argument of its body, so it gets its
/// number now, where a replay can see it.
fn captured(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    index: u16,
) -> Result<(), ProbeError> {
    let (_, text) = body.class.pool.dynamic(index)?;
    let descriptor = MethodDescriptor::parse(text)?;
    if !descriptor.parameters.iter().any(|ty| ty.is_reference()) {
        return Ok(());
    }
    let slots = body.spill(&descriptor.parameters)?;
    let arguments: Vec<(FieldType<'_>, u16)> =
        descriptor.parameters.iter().copied().zip(slots).collect();
    let mut before = Snippet::new();
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
        if ty.is_reference() {
            before.op(opcode::DUP)?;
            body.load_recorder(&mut before)?;
            let descriptor = format!("(Ljava/lang/Object;{RECORDER})V");
            call(&mut before, "captured", &descriptor, body.pool)?;
        }
    }
    body.editor.before(instruction.offset, before)?;
    Ok(())
}

/// Strings and boxed scalars have no `toString` that anybody could notice.
pub(crate) fn is_value(ty: FieldType<'_>) -> bool {
    match ty {
        FieldType::Object(name) => {
            let name = name.to_str_lossy();
            matches!(
                name.as_ref(),
                "java/lang/String"
                    | "java/lang/Integer"
                    | "java/lang/Long"
                    | "java/lang/Short"
                    | "java/lang/Byte"
                    | "java/lang/Character"
                    | "java/lang/Boolean"
                    | "java/lang/Float"
                    | "java/lang/Double"
            )
        }
        FieldType::Array(_) => false,
        _ => true,
    }
}

fn concatenation(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    index: u16,
    bootstrap: u16,
) -> Result<(), ProbeError> {
    let (name, text) = body.class.pool.dynamic(index)?;
    let descriptor = MethodDescriptor::parse(text)?;
    if descriptor.parameters.iter().all(|ty| is_value(*ty)) {
        return Ok(());
    }
    let slots = body.spill(&descriptor.parameters)?;
    let arguments: Vec<(FieldType<'_>, u16)> =
        descriptor.parameters.iter().copied().zip(slots).collect();
    let offset = instruction.offset;
    let mut code = Snippet::new();
    for (ty, slot) in arguments.iter().rev() {
        code.store(*ty, *slot)?;
    }
    let mut changed = String::from("(");
    for (ty, slot) in &arguments {
        code.load(*ty, *slot)?;
        if is_value(*ty) {
            changed += &descriptor_of(*ty);
            continue;
        }
        changed += "Ljava/lang/String;";
        to_string(body, &mut code, offset)?;
        let value_of = "(Ljava/lang/Object;)Ljava/lang/String;";
        code.invoke(
            Invoke::Static,
            "java/lang/String",
            "valueOf",
            value_of,
            body.pool,
        )?;
        log_result(body, &mut code, Some(STRING))?;
    }
    changed += ")Ljava/lang/String;";
    code.invoke_dynamic(bootstrap, &name.to_str_lossy(), &changed, body.pool)?;
    body.editor.replace(offset, code)?;
    Ok(())
}

pub(crate) fn descriptor_of(ty: FieldType<'_>) -> String {
    match ty {
        FieldType::Object(name) => format!("L{};", name.to_str_lossy()),
        FieldType::Array(text) => text.to_str_lossy().into_owned(),
        other => crate::probe::parameter(other).to_owned(),
    }
}

fn outcall(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    index: u16,
    owner: &str,
) -> Result<(), ProbeError> {
    let (name, text) = body.class.pool.dynamic(index)?;
    let descriptor = MethodDescriptor::parse(text)?;
    let (name, text) = (name.to_str_lossy(), text.to_str_lossy());
    let offset = instruction.offset;
    let site = body.site(offset, opcode::INVOKEDYNAMIC, owner, &name, &text);
    let slots = body.spill(&descriptor.parameters)?;
    let arguments: Vec<(FieldType<'_>, u16)> =
        descriptor.parameters.iter().copied().zip(slots).collect();
    let mut before = Snippet::new();
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    body.load_recorder(&mut before)?;
    push_id(&mut before, site, body.pool)?;
    let called = if arguments.is_empty() {
        "callOutBare"
    } else {
        "callOut"
    };
    call(&mut before, called, &format!("({RECORDER}I)V"), body.pool)?;
    body.log_arguments(&mut before, &arguments)?;
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    body.editor.before(offset, before)?;
    let mut after = Snippet::new();
    let result = descriptor
        .result
        .map(|ty| if ty.is_reference() { OBJECT_TYPE } else { ty });
    log_result(body, &mut after, result)?;
    body.editor.after(offset, after)?;
    Ok(())
}
