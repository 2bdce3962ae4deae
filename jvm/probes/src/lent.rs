//! Methods that cannot have all their probes: the class would have too many
//! constants, or the method too much code.
//!
//! Such a method is lent to the outside. What it needs for that is little: a
//! call of it by the inside is an outcall, which ends when it returns, and what
//! it does to inside fields meanwhile is what any outside class does. The same
//! for an initialiser, which nobody calls: it counts as one of an outside class.
//! In a replay its body is the player's.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Member, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{PoolEditor, Snippet};

use crate::ProbeError;
use crate::catalog::{Catalog, Site};
use crate::inwrite;
use crate::method::Body;
use crate::pattern::Patterns;
use crate::probe::{OBJECT_TYPE, RECORDER, RECORDER_TYPE, call, duplicate, parameter, push_id};

/// Where the site of such a method is: no call of a method by itself that gets a
/// probe is there.
const OFFSET: u32 = 0;

/// Whether a site stands for its own method, which was lent to the outside.
pub fn is_lent(site: &Site<'_>, class: &str, name: &str, descriptor: &str) -> bool {
    site.offset == OFFSET
        && site.owner == class
        && site.name == name
        && site.descriptor == descriptor
        && (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&site.opcode)
}

/// The opcode of the site of a method.
pub(crate) fn opcode_of(class: &ClassFile<'_>, method: &Member<'_>) -> u8 {
    match (
        method.access & access::STATIC,
        class.access & access::INTERFACE,
    ) {
        (0, 0) => opcode::INVOKEVIRTUAL,
        (0, _) => opcode::INVOKEINTERFACE,
        _ => opcode::INVOKESTATIC,
    }
}

/// The body of a method with what it needs to count as outside, and what it
/// counts as, for people. None when it cannot even have that.
pub(crate) fn instrument<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    id: u32,
) -> (Option<Vec<u8>>, &'static str) {
    for (writes, counts) in [
        (true, "it counts as outside"),
        (
            false,
            "it counts as outside, and what it writes to fields is not recorded",
        ),
    ] {
        let entries = pool.count();
        match lend(class, method, pool, patterns, catalog, id, writes) {
            Ok(code) => return (code, counts),
            Err(_) => pool.roll_back(entries),
        }
    }
    (None, "what it does is not recorded")
}

fn lend<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    id: u32,
    writes: bool,
) -> Result<Option<Vec<u8>>, ProbeError> {
    let Some(mut editor) = Editor::new(class, method)? else {
        return Ok(None);
    };
    if writes {
        let known = &mut Some(id);
        inwrite::probe(class, method, &mut editor, pool, patterns, catalog, known)?;
    }
    let mut body = Body::new(class, method, editor, pool, patterns, catalog, id);
    if body.is_constructor()? {
        // Its object is not there yet when it is called.
        return Err(ProbeError::Constructor);
    }
    let name = class.pool.utf8(method.name)?.to_str_lossy();
    let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
    let owner = class.name()?.to_str_lossy();
    let opcode = opcode_of(class, method);
    let site = body.site(OFFSET, opcode, &owner, &name, &descriptor);
    let mut code = Snippet::new();
    call(&mut code, "recorder", &format!("(){RECORDER}"), body.pool)?;
    body.recorder = body.editor.hold(RECORDER_TYPE, code)?;
    match name.as_ref() {
        "<clinit>" => initialiser(&mut body, site)?,
        _ => outcall(&mut body, site)?,
    }
    Ok(Some(body.editor.finish(body.pool)?))
}

fn initialiser(body: &mut Body<'_, '_>, site: u32) -> Result<(), ProbeError> {
    let mut code = Snippet::new();
    body.load_recorder(&mut code)?;
    push_id(&mut code, site, body.pool)?;
    call(&mut code, "touch", &format!("({RECORDER}I)V"), body.pool)?;
    body.editor.at_entry(code)?;
    let mut code = Snippet::new();
    body.load_recorder(&mut code)?;
    call(&mut code, "touched", &format!("({RECORDER})V"), body.pool)?;
    body.editor.before_returns(&code)?;
    Ok(())
}

/// What it throws is noticed by the inside method that called it.
fn outcall(body: &mut Body<'_, '_>, site: u32) -> Result<(), ProbeError> {
    let descriptor = MethodDescriptor::parse(body.class.pool.utf8(body.method.descriptor)?)?;
    let mut arguments = Vec::new();
    let mut slot = 0;
    if !body.is_static() {
        arguments.push((OBJECT_TYPE, 0));
        slot = 1;
    }
    for ty in descriptor.parameters {
        arguments.push((ty, slot));
        slot += ty.slots();
    }
    let name = if arguments.is_empty() {
        "lendBare"
    } else {
        "lend"
    };
    let mut code = Snippet::new();
    body.load_recorder(&mut code)?;
    push_id(&mut code, site, body.pool)?;
    call(&mut code, name, &format!("({RECORDER}I)Z"), body.pool)?;
    body.token = body.editor.hold(FieldType::Int, code)?;
    let mut code = Snippet::new();
    body.log_arguments(&mut code, &arguments)?;
    body.editor.at_entry(code)?;
    let mut code = Snippet::new();
    let value = match descriptor.result {
        Some(ty) => {
            duplicate(&mut code, ty)?;
            parameter(ty)
        }
        None => "",
    };
    body.load_token(&mut code)?;
    let descriptor = format!("({value}{RECORDER}Z)V");
    call(&mut code, "lent", &descriptor, body.pool)?;
    body.editor.before_returns(&code)?;
    Ok(())
}
