//! The initialiser of an outside class that runs because of the inside.
//!
//! Whoever uses an inside class for the first time initialises what is above it as well, and first:
//! `new Sub` runs the initialiser of the outside class that `Sub` extends, and that of an outside
//! interface with default methods. Nothing in the code says so, and what such an initialiser calls
//! would be taken for calls among the inside. So the initialiser says itself that it begins and
//! ends: if the thread is inside just then, it is outside meanwhile. The code of the inside needs
//! nothing for that, however often it uses the class later.
//!
//! In a replay the stand-in of the class has an initialiser that asks the player.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, Member, ReadError};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{PoolEditor, Snippet};

use crate::ProbeError;
use crate::catalog::{Catalog, Site};
use crate::pattern::is_platform;
use crate::probe::{call, push_id};

/// The name of initialisers, which the site that stands for one has as well.
pub const NAME: &str = "<clinit>";
/// Its descriptor, in both.
pub const DESCRIPTOR: &str = "()V";
/// The opcode of such a site.
pub const OPCODE: u8 = opcode::INVOKESTATIC;

/// Whether a method is the initialiser of its class.
pub(crate) fn is_one(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool, ReadError> {
    Ok(class.pool.utf8(method.name)? == NAME)
}

/// Whether the initialiser of a class, if it has one, may run code elsewhere.
pub(crate) fn may_run_code(class: &ClassFile<'_>) -> Result<bool, ReadError> {
    for method in &class.methods {
        if !is_one(class, method)? {
            continue;
        }
        let Some(code) = class.code(method)? else {
            continue;
        };
        for instruction in code.instructions() {
            if runs_code(class, &instruction?)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether an instruction calls something other than what compilers write for `assert`, or may
/// initialise another class.
fn runs_code(class: &ClassFile<'_>, instruction: &Instruction<'_>) -> Result<bool, ReadError> {
    let Some(index) = instruction.constant() else {
        return Ok(false);
    };
    let is_other = |name: Utf8<'_>| {
        let own = class.name()?;
        Ok(name != own && !is_platform(&name.to_str_lossy()))
    };
    match instruction.opcode {
        opcode::INVOKEDYNAMIC => Ok(true),
        opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
            Ok(class.pool.member(index)?.name != "desiredAssertionStatus")
        }
        opcode::GETSTATIC | opcode::PUTSTATIC => is_other(class.pool.member(index)?.class),
        opcode::NEW => is_other(class.pool.class_name(index)?),
        _ => Ok(false),
    }
}

/// Puts the probes into an initialiser, whose method has this number.
pub(crate) fn instrument(
    class: &ClassFile<'_>,
    editor: &mut Editor<'_>,
    pool: &mut PoolEditor<'_>,
    catalog: &mut dyn Catalog,
    method: u32,
    line: u32,
) -> Result<(), ProbeError> {
    let site = catalog.site(&Site {
        method,
        offset: 0,
        line,
        opcode: OPCODE,
        owner: &class.name()?.to_str_lossy(),
        name: NAME,
        descriptor: DESCRIPTOR,
    });
    let mut code = Snippet::new();
    push_id(&mut code, site, pool)?;
    call(&mut code, "begins", "(I)I", pool)?;
    let level = editor.hold(FieldType::Int, code)?;
    let mut code = Snippet::new();
    code.load(FieldType::Int, level)?;
    call(&mut code, "ends", "(I)V", pool)?;
    // What it throws, the inside catches or hands on, and tells.
    editor.before_returns(&code)?;
    Ok(())
}
