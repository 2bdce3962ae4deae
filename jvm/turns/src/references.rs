//! What the garbage collector takes away, and when, is chance: the scheduler is told which
//! references a program makes and asks, and what it gets out of their queues.
//!
//! | in the program | the scheduler's `References` |
//! | --- | --- |
//! | `new WeakReference(…)`, also by `super(…)` | `makes`, and `made` from the JDK's `Reference` |
//! | `get()` | `referent` with what it returned; of a class that may be below `Reference`, `asks` and `told` |
//! | `ReferenceQueue.poll()` | `polled` with what it returned |
//! | `ReferenceQueue.remove(…)` | goes there instead: the collector is outside of the program |
//!
//! What `WeakHashMap` refers to is only kept: it asks for itself, and so does the JDK.

use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use crate::TurnError;
use crate::values::words;

const REFERENCES: &str = "java/reprise/scheduler/References";
const QUEUE: &str = "java/lang/ref/ReferenceQueue";
const REFERENCE: &str = "java/lang/ref/Reference";
const ENTRY: &str = "java/util/WeakHashMap$Entry";

/// Whether a class of the JDK makes references for the program.
pub(crate) fn concerns(name: &str) -> bool {
    name == REFERENCE || name == ENTRY
}

/// A call in a method of the program; whether it has to do with references.
pub(crate) fn watch(
    instruction: &Instruction<'_>,
    member: &MemberRef<'_>,
    editor: &mut Editor<'_>,
    pool: &mut PoolEditor<'_>,
) -> Result<bool, TurnError> {
    let (owner, name, descriptor) = words(member);
    let at = instruction.offset;
    let calls = instruction.opcode == opcode::INVOKEVIRTUAL;
    let mut code = Snippet::new();
    match (&*owner, &*name, &*descriptor) {
        (
            "java/lang/ref/WeakReference"
            | "java/lang/ref/SoftReference"
            | "java/lang/ref/PhantomReference",
            "<init>",
            _,
        ) => {
            code.invoke(Invoke::Static, REFERENCES, "makes", "()V", pool)?;
            editor.before(at, code)?;
        }
        (
            REFERENCE | "java/lang/ref/SoftReference" | "java/lang/ref/WeakReference",
            "get",
            "()Ljava/lang/Object;",
        ) => {
            let descriptor = "(Ljava/lang/Object;)Ljava/lang/Object;";
            code.invoke(Invoke::Static, REFERENCES, "referent", descriptor, pool)?;
            editor.after(at, code)?;
        }
        (QUEUE, "poll", _) => {
            let descriptor = "(Ljava/lang/ref/Reference;)Ljava/lang/ref/Reference;";
            code.invoke(Invoke::Static, REFERENCES, "polled", descriptor, pool)?;
            editor.after(at, code)?;
        }
        (QUEUE, "remove", "()Ljava/lang/ref/Reference;") if calls => {
            let descriptor = "(Ljava/lang/ref/ReferenceQueue;)Ljava/lang/ref/Reference;";
            code.invoke(Invoke::Static, REFERENCES, "remove", descriptor, pool)?;
            editor.replace(at, code)?;
        }
        (QUEUE, "remove", "(J)Ljava/lang/ref/Reference;") if calls => {
            let descriptor = "(Ljava/lang/ref/ReferenceQueue;J)Ljava/lang/ref/Reference;";
            code.invoke(Invoke::Static, REFERENCES, "remove", descriptor, pool)?;
            editor.replace(at, code)?;
        }
        (owner, "get", "()Ljava/lang/Object;") if calls && !owner.starts_with("java/") => {
            code.op(opcode::DUP)?;
            code.invoke(
                Invoke::Static,
                REFERENCES,
                "asks",
                "(Ljava/lang/Object;)V",
                pool,
            )?;
            editor.before(at, code)?;
            let mut code = Snippet::new();
            let descriptor = "(Ljava/lang/Object;)Ljava/lang/Object;";
            code.invoke(Invoke::Static, REFERENCES, "told", descriptor, pool)?;
            editor.after(at, code)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A method of a class of the JDK; whether it was changed.
pub(crate) fn watch_platform(
    class: &str,
    method: (&str, &str),
    editor: &mut Editor<'_>,
    pool: &mut PoolEditor<'_>,
) -> Result<bool, TurnError> {
    let mut code = Snippet::new();
    match (class, method) {
        (REFERENCE, ("<init>", "(Ljava/lang/Object;Ljava/lang/ref/ReferenceQueue;)V")) => {
            code.op(opcode::ALOAD_0)?;
            code.op(opcode::ALOAD_1)?;
            code.op(opcode::ALOAD_2)?;
            let descriptor = "(Ljava/lang/ref/Reference;Ljava/lang/Object;Ljava/lang/Object;)V";
            code.invoke(Invoke::Static, REFERENCES, "made", descriptor, pool)?;
            editor.before_returns(&code)?;
        }
        (ENTRY, ("<init>", _)) => {
            code.op(opcode::ALOAD_1)?;
            code.invoke(
                Invoke::Static,
                REFERENCES,
                "keeps",
                "(Ljava/lang/Object;)V",
                pool,
            )?;
            editor.at_entry(code)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
