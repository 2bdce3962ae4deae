//! Copies that `Object.clone` makes.
//!
//! It copies the field with the object's number, too, and two objects would have
//! the same. Only the object's own class and the classes above it can call
//! `Object.clone`, unless the JDK has a `clone` of its own in between; so every
//! call of that name is looked at, and a copy that has the number of what it was
//! copied from loses it.
//!
//! ```text
//! origin              dup
//! origin, origin
//! invokevirtual clone
//! origin, copy        dup2, Probe.copied
//! origin, copy        swap, pop
//! ```

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction, Member, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{PoolEditor, Snippet};

use crate::ProbeError;
use crate::probe::call;

/// Whether an instruction may call `Object.clone`.
pub(crate) fn makes(instruction: &Instruction<'_>, member: &MemberRef<'_>) -> bool {
    let calls = matches!(
        instruction.opcode,
        opcode::INVOKEVIRTUAL | opcode::INVOKESPECIAL
    );
    calls && is_clone(member)
}

/// Arrays have their numbers elsewhere.
fn is_clone(member: &MemberRef<'_>) -> bool {
    member.name == "clone"
        && member.descriptor == "()Ljava/lang/Object;"
        && !member.class.0.starts_with(b"[")
}

/// Whether a class may have such an instruction.
pub(crate) fn mentions(class: &ClassFile<'_>) -> Result<bool, ProbeError> {
    for index in class.pool.indexes() {
        if let Constant::MethodRef { .. } = class.pool.get(index)?
            && is_clone(&class.pool.member(index)?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where a body has them.
fn calls(class: &ClassFile<'_>, editor: &Editor<'_>) -> Vec<u32> {
    let is_one = |instruction: &&Instruction<'_>| {
        let member = instruction.constant().map(|at| class.pool.member(at));
        matches!(member, Some(Ok(member)) if makes(instruction, &member))
    };
    let found = editor.instructions().iter().filter(is_one);
    found.map(|instruction| instruction.offset).collect()
}

/// Whether a method has one; also when nobody can tell.
pub(crate) fn has(class: &ClassFile<'_>, method: &Member<'_>) -> bool {
    match Editor::new(class, method) {
        Ok(editor) => editor.is_some_and(|editor| !calls(class, &editor).is_empty()),
        Err(_) => true,
    }
}

/// Looks at what all of them return; whether there are any.
pub(crate) fn instrument<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, ProbeError> {
    let calls = calls(class, editor);
    for offset in &calls {
        let mut before = Snippet::new();
        keep(&mut before)?;
        editor.before(*offset, before)?;
        let mut after = Snippet::new();
        compare(&mut after, pool)?;
        editor.after(*offset, after)?;
    }
    Ok(!calls.is_empty())
}

/// Before the call: what is copied stays on the stack.
pub(crate) fn keep(before: &mut Snippet) -> Result<(), ProbeError> {
    before.op(opcode::DUP)?;
    Ok(())
}

/// After it: the copy is left.
pub(crate) fn compare(after: &mut Snippet, pool: &mut PoolEditor<'_>) -> Result<(), ProbeError> {
    after.op(opcode::DUP2)?;
    let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    call(after, "copied", descriptor, pool)?;
    after.op(opcode::SWAP)?;
    after.op(opcode::POP)?;
    Ok(())
}
