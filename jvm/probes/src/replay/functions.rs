//! `invokedynamic`, and method handles in the constant pool.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction};
use reprise_classfile::write::{ClassEditor, Invoke, Snippet};

use super::replayed_name;
use super::stubs::{STUB, Shape, Stubs};
use crate::ProbeError;
use crate::catalog::{Catalog, Site};
use crate::dynamic::{Purpose, Refers, descriptor_of, is_value, referred, sites};
use crate::finalizers::once_made;
use crate::method::Body;
use crate::pattern::Patterns;
use crate::probe::{OBJECT_TYPE, push_id};

/// The kinds of method handle that call a constructor and a static method.
const NEW_INVOKE_SPECIAL: u8 = 8;
const INVOKE_STATIC: u8 = 6;

/// `String.valueOf(Object)`: what it calls may leave.
pub(super) fn string(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
) -> Result<(), ProbeError> {
    let mut code = Snippet::new();
    to_string(body, &mut code, instruction.offset)?;
    body.editor.replace(instruction.offset, code)?;
    Ok(())
}

/// The object on the stack as a string.
fn to_string(body: &mut Body<'_, '_>, code: &mut Snippet, offset: u32) -> Result<(), ProbeError> {
    let (owner, name, descriptor) = ("java/lang/Object", "toString", "()Ljava/lang/String;");
    let site = body.site(offset, opcode::INVOKEVIRTUAL, owner, name, descriptor);
    push_id(code, site, body.pool)?;
    let descriptor = "(Ljava/lang/Object;I)Ljava/lang/String;";
    code.invoke(Invoke::Static, STUB, "string", descriptor, body.pool)?;
    Ok(())
}

pub(super) fn rewrite_dynamic<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
) -> Result<(), ProbeError> {
    for (instruction, index, purpose) in sites(body)? {
        match purpose {
            Purpose::Concatenation(bootstrap) => {
                concatenation(body, stubs, &instruction, index, bootstrap)?;
            }
            Purpose::Function { refers, target } => {
                function(body, stubs, &instruction, index, (refers, target))?;
            }
            Purpose::Switch => {}
            Purpose::Other(owner) => other(body, stubs, &instruction, index, &owner)?,
        }
    }
    Ok(())
}

/// The arguments are turned into strings first, one after another, as they are
/// when it is recorded.
fn concatenation<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    index: u16,
    bootstrap: u16,
) -> Result<(), ProbeError> {
    let (name, text) = body.class.pool.dynamic(index)?;
    let descriptor = MethodDescriptor::parse(text)?;
    let parameters = descriptor.parameters;
    if parameters.iter().all(|ty| is_value(*ty)) {
        return Ok(());
    }
    let offset = instruction.offset;
    let result = descriptor.result;
    let shape = Shape { parameters, result };
    // The sites are those of this instruction, so the method is its own.
    let mut code = Snippet::new();
    let mut changed = String::from("(");
    let mut slot = 0;
    for ty in &shape.parameters {
        code.load(*ty, slot)?;
        slot += ty.slots();
        if is_value(*ty) {
            changed += &descriptor_of(*ty);
        } else {
            changed += "Ljava/lang/String;";
            to_string(body, &mut code, offset)?;
        }
    }
    changed += ")Ljava/lang/String;";
    code.invoke_dynamic(bootstrap, &name.to_str_lossy(), &changed, body.pool)?;
    shape.leave(&mut code)?;
    let key = format!("concatenation {} {offset}", body.id);
    let code = stubs.call(key, &shape, 0, body.pool, |_, _| {
        Stubs::straight(&shape, &code)
    })?;
    body.editor.replace(offset, code)?;
    Ok(())
}

/// A lambda is made for real. What it captures gets its number, as it does when
/// it is recorded.
fn function<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    index: u16,
    (refers, target): (Refers, u16),
) -> Result<(), ProbeError> {
    let (_, text) = body.class.pool.dynamic(index)?;
    let descriptor = MethodDescriptor::parse(text)?;
    let (parameters, result) = (descriptor.parameters, descriptor.result);
    let Constant::InvokeDynamic { bootstrap, .. } = body.class.pool.get(index)? else {
        return Ok(());
    };
    let (name, text) = body.class.pool.dynamic(index)?;
    let (name, text) = (name.to_str_lossy(), text.to_str_lossy());
    let shape = Shape { parameters, result };
    let told = match refers {
        Refers::Inside => "function",
        Refers::Outside => "refersOutside",
        Refers::Perhaps => "refers",
        Refers::ByReceiver { captured: true } => "refersByCaptured",
        Refers::ByReceiver { captured: false } => "refersByFirst",
    };
    let site = match refers {
        Refers::Inside | Refers::Outside => None,
        Refers::Perhaps | Refers::ByReceiver { .. } => referred(body, instruction, target)?,
    };
    // Two instructions with the same constant make functions of their own each.
    let key = format!("function {} {}", body.id, instruction.offset);
    let code = stubs.call(key, &shape, 0, body.pool, |_, pool| {
        let mut code = Snippet::new();
        let mut slot = 0;
        for ty in &shape.parameters {
            if ty.is_reference() {
                code.load(*ty, slot)?;
                code.invoke(
                    Invoke::Static,
                    STUB,
                    "captured",
                    "(Ljava/lang/Object;)V",
                    pool,
                )?;
            }
            slot += ty.slots();
        }
        shape.load(&mut code)?;
        code.invoke_dynamic(bootstrap, &name, &text, pool)?;
        code.op(opcode::DUP)?;
        let mut descriptor = "(Ljava/lang/Object;)V";
        if let Some(site) = site {
            push_id(&mut code, site, pool)?;
            descriptor = "(Ljava/lang/Object;I)V";
        }
        code.invoke(Invoke::Static, STUB, told, descriptor, pool)?;
        shape.leave(&mut code)?;
        Stubs::straight(&shape, &code)
    })?;
    body.editor.replace(instruction.offset, code)?;
    Ok(())
}

fn other<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    index: u16,
    owner: &str,
) -> Result<(), ProbeError> {
    let (name, text) = body.class.pool.dynamic(index)?;
    let descriptor = MethodDescriptor::parse(text)?;
    let (name, text) = (name.to_str_lossy(), text.to_str_lossy());
    let offset = instruction.offset;
    let site = body.site(offset, opcode::INVOKEDYNAMIC, owner, &name, &text);
    let (parameters, result) = (descriptor.parameters, descriptor.result);
    let shape = Shape { parameters, result };
    let key = format!("dynamic {owner} {name} {text}");
    let code = stubs.call(key, &shape, site, body.pool, |_, pool| {
        Stubs::always(&shape, "call", pool)
    })?;
    body.editor.replace(offset, code)?;
    Ok(())
}

/// References to constructors of inside classes (`Cart::new`) become
/// references to a static method that does what `new` does.
pub(super) fn rewrite_references<'c>(
    class: &'c ClassFile<'c>,
    edited: &mut ClassEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    stubs: &mut Stubs<'c>,
) -> Result<(), ProbeError> {
    for index in class.pool.indexes() {
        let Constant::MethodHandle { kind, reference } = class.pool.get(index)? else {
            continue;
        };
        if kind != NEW_INVOKE_SPECIAL {
            continue;
        }
        let member = class.pool.member(reference)?;
        let owner = member.class.to_str_lossy();
        if !patterns.is_inside(&owner) {
            continue;
        }
        let pool = &mut edited.pool;
        let text = member.descriptor.to_str_lossy();
        let site = catalog.site(&Site {
            method: 0,
            offset: 0,
            line: 0,
            opcode: opcode::NEW,
            owner: &owner,
            name: "",
            descriptor: "V",
        });
        let descriptor = MethodDescriptor::parse(member.descriptor)?;
        let made = FieldType::Object(Utf8(member.class.0));
        let mut code = Snippet::new();
        push_id(&mut code, site, pool)?;
        code.invoke(
            Invoke::Static,
            STUB,
            "allocate",
            "(I)Ljava/lang/Object;",
            pool,
        )?;
        code.with_class(opcode::CHECKCAST, &owner, pool)?;
        code.op(opcode::DUP)?;
        let mut slot = 0;
        let mut factory = String::from("(");
        for ty in &descriptor.parameters {
            code.load(*ty, slot)?;
            slot += ty.slots();
            factory += &descriptor_of(*ty);
        }
        factory += &format!("){}", descriptor_of(made));
        let name = replayed_name(&owner, "<init>", &text);
        code.invoke(Invoke::Virtual, &owner, &name, &text, pool)?;
        code.op(opcode::ARETURN)?;
        let name = stubs.factory(&factory, slot, &code)?;
        let reference = if stubs.is_interface() {
            pool.interface_method(stubs.this(), &name, &factory)?
        } else {
            pool.method(stubs.this(), &name, &factory)?
        };
        let constant = Constant::MethodHandle {
            kind: INVOKE_STATIC,
            reference,
        };
        pool.replace(index, constant)?;
    }
    Ok(())
}

/// An object that will be finalized gets its number when it is made.
pub(super) fn finalizable(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    let mut code = Snippet::new();
    code.load(OBJECT_TYPE, 0)?;
    let descriptor = "(Ljava/lang/Object;)V";
    code.invoke(Invoke::Static, STUB, "made", descriptor, body.pool)?;
    once_made(body, &code)
}
