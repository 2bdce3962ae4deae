//! Counting who calls whom, for a dry run.
//!
//! Every class of the program says when its methods are entered and left, and
//! when it calls the JDK. So the calls between any two classes are known, and
//! with them what any set of classes would cost: the calls of which one end is
//! in the set. Nested classes count as their outermost class, as in a recording.
//!
//! ```text
//! entry    int enter(class)       counts, and returns who was here before
//! exit     leave(before)          also when it throws
//! call     out(class)  back(own)  around calls to the JDK; back at handlers, too
//! ```

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, Member};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};

use crate::pattern::{is_platform, outermost};
use crate::probe::push_id;
use crate::pure::is_pure;
use crate::{Instrumented, ProbeError, Skipped};

const COUNT: &str = "java/reprise/Count";

/// Puts the counting into a class; `number` numbers classes by their names.
pub fn count(
    class: &ClassFile<'_>,
    number: &mut dyn FnMut(&str) -> u32,
) -> Result<Instrumented, ProbeError> {
    let mut edited = ClassEditor::new(class);
    let own = number(outermost(&class.name()?.to_str_lossy()));
    let mut skipped = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        match count_one(class, method, &mut edited.pool, own, number) {
            Ok(None) => {}
            Ok(Some(code)) => edited.set_code(index, code)?,
            Err(error) => skipped.push(Skipped {
                method: class.pool.utf8(method.name)?.to_str_lossy().into_owned(),
                why: error.to_string(),
            }),
        }
    }
    let probed = edited.replaced();
    let bytes = edited.finish()?;
    Ok(Instrumented {
        bytes,
        edited: probed,
        skipped,
        copies_unseen: false,
    })
}

fn count_one<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    own: u32,
    number: &mut dyn FnMut(&str) -> u32,
) -> Result<Option<Vec<u8>>, ProbeError> {
    let Some(mut editor) = Editor::new(class, method)? else {
        return Ok(None);
    };
    if class.pool.utf8(method.name)? == "finalize" {
        return Ok(None);
    }
    let mut code = Snippet::new();
    push_id(&mut code, own, pool)?;
    code.invoke(Invoke::Static, COUNT, "enter", "(I)I", pool)?;
    let before = editor.hold(FieldType::Int, code)?;
    let handlers: std::collections::BTreeSet<u32> = editor
        .code()
        .exceptions
        .iter()
        .map(|row| row.handler.into())
        .collect();
    for handler in handlers {
        let back = back(own, pool)?;
        editor.before(handler, back)?;
    }
    let calls: Vec<Instruction<'_>> = editor
        .instructions()
        .iter()
        .filter(|i| (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&i.opcode))
        .copied()
        .collect();
    for instruction in calls {
        let Some(index) = instruction.constant() else {
            continue;
        };
        let member = class.pool.member(index)?;
        let owner = member.class.to_str_lossy();
        let (name, text) = (member.name.to_str_lossy(), member.descriptor.to_str_lossy());
        if !is_platform(&owner) || is_pure(&owner, &name, &text) {
            continue;
        }
        let mut out = Snippet::new();
        push_id(&mut out, number(&owner), pool)?;
        out.invoke(Invoke::Static, COUNT, "out", "(I)V", pool)?;
        editor.before(instruction.offset, out)?;
        let back = back(own, pool)?;
        editor.after(instruction.offset, back)?;
    }
    let mut code = Snippet::new();
    code.load(FieldType::Int, before)?;
    code.invoke(Invoke::Static, COUNT, "leave", "(I)V", pool)?;
    editor.before_returns(&code)?;
    code.op(opcode::ATHROW)?;
    editor.catch_all(code)?;
    Ok(Some(editor.finish(pool)?))
}

fn back(own: u32, pool: &mut PoolEditor<'_>) -> Result<Snippet, ProbeError> {
    let mut code = Snippet::new();
    push_id(&mut code, own, pool)?;
    code.invoke(Invoke::Static, COUNT, "back", "(I)V", pool)?;
    Ok(code)
}
