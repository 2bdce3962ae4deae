//! What the garbage collector takes away, and when, is chance: the scheduler is told which
//! references a program makes and asks, and what it gets out of their queues.
//!
//! | in the program | the scheduler's `References` |
//! | --- | --- |
//! | `new WeakReference(…)`, also by `super(…)` | `makes`, and `made` from the JDK's `Reference` |
//! | `get()` | `referent` with what it returned; of a class that may be below `Reference`, `asks` and `told` |
//! | `ReferenceQueue.poll()` | `polled` with what it returned |
//! | `ReferenceQueue.remove(…)` | goes there instead: the collector is outside of the program |
//! | `new WeakHashMap(…)` | `makesTable`; the table then gets its queue from `table`, and `key` has what its entries found |
//! | `Cleaner.create()`, `register(…)` | `makes`; the cleaner's thread is one of the program's |
//!
//! What a `WeakHashMap` of the JDK refers to is only kept.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use crate::TurnError;
use crate::calls::calls;
use crate::values::words;

const REFERENCES: &str = "java/reprise/scheduler/References";
const QUEUE: &str = "java/lang/ref/ReferenceQueue";
const REFERENCE: &str = "java/lang/ref/Reference";
const TABLE: &str = "java/util/WeakHashMap";
const ENTRY: &str = "java/util/WeakHashMap$Entry";
/// What the thread of a cleaner does.
const CLEANER: &str = "jdk/internal/ref/CleanerImpl";

/// Whether a class of the JDK makes references for the program, or asks them.
pub(crate) fn concerns(name: &str) -> bool {
    name == REFERENCE || name == CLEANER || is_table(name)
}

/// Whether it is that of a table with weak keys, or one inside of it.
fn is_table(name: &str) -> bool {
    let inner = name.strip_prefix(TABLE);
    inner.is_some_and(|inner| inner.is_empty() || inner.starts_with('$'))
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
        )
        | ("java/lang/ref/Cleaner", "create" | "register", _) => {
            code.invoke(Invoke::Static, REFERENCES, "makes", "()V", pool)?;
            editor.before(at, code)?;
        }
        (TABLE, "<init>", _) => {
            code.invoke(Invoke::Static, REFERENCES, "makesTable", "()V", pool)?;
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
        (QUEUE, "remove", _) if calls => return removes(instruction, &descriptor, editor, pool),
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

/// A call of a method that waits for what comes out of a queue.
fn removes(
    instruction: &Instruction<'_>,
    descriptor: &str,
    editor: &mut Editor<'_>,
    pool: &mut PoolEditor<'_>,
) -> Result<bool, TurnError> {
    let instead = match descriptor {
        "()Ljava/lang/ref/Reference;" => {
            "(Ljava/lang/ref/ReferenceQueue;)Ljava/lang/ref/Reference;"
        }
        "(J)Ljava/lang/ref/Reference;" => {
            "(Ljava/lang/ref/ReferenceQueue;J)Ljava/lang/ref/Reference;"
        }
        _ => return Ok(false),
    };
    let mut code = Snippet::new();
    code.invoke(Invoke::Static, REFERENCES, "remove", instead, pool)?;
    editor.replace(instruction.offset, code)?;
    Ok(true)
}

/// A method of a class of the JDK; whether it was changed.
pub(crate) fn watch_platform<'c>(
    class: &'c ClassFile<'c>,
    method: (&str, &str),
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let own = class.name()?.to_str_lossy();
    let mut code = Snippet::new();
    let mut any = true;
    match (&*own, method) {
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
            let descriptor = "(Ljava/lang/Object;)V";
            code.invoke(Invoke::Static, REFERENCES, "keeps", descriptor, pool)?;
            editor.at_entry(code)?;
        }
        _ => any = false,
    }
    if own != CLEANER && !is_table(&own) {
        return Ok(any);
    }
    for (instruction, member) in calls(class, editor)? {
        let (owner, name, descriptor) = words(&member);
        let at = instruction.offset;
        let mut code = Snippet::new();
        match (&*owner, &*name) {
            (QUEUE, "remove") if own == CLEANER => {
                any |= removes(&instruction, &descriptor, editor, pool)?;
            }
            (QUEUE, "<init>") if own == TABLE => {
                let descriptor = "(Ljava/lang/ref/ReferenceQueue;)Ljava/lang/ref/ReferenceQueue;";
                code.invoke(Invoke::Static, REFERENCES, "table", descriptor, pool)?;
                editor.after(at, code)?;
                any = true;
            }
            (ENTRY, "refersTo") => {
                let descriptor = "(Ljava/lang/ref/Reference;Ljava/lang/Object;)Z";
                code.invoke(Invoke::Static, REFERENCES, "refersTo", descriptor, pool)?;
                editor.replace(at, code)?;
                any = true;
            }
            (ENTRY, "get") if descriptor == "()Ljava/lang/Object;" => {
                code.op(opcode::DUP)?;
                editor.before(at, code)?;
                let mut code = Snippet::new();
                let descriptor = "(Ljava/lang/ref/Reference;Ljava/lang/Object;)Ljava/lang/Object;";
                code.invoke(Invoke::Static, REFERENCES, "key", descriptor, pool)?;
                editor.after(at, code)?;
                any = true;
            }
            _ => {}
        }
    }
    Ok(any)
}
