//! The classes of the JDK in which threads begin, block and are interrupted.
//!
//! Only bodies change, so classes that are loaded already can be given the new
//! ones.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};

use crate::calls::{THREAD, calls, redirect, tell};
use crate::values::{self, watch_platform};
use crate::{TurnError, outside};

/// Classes of the JDK that are changed, or packages where a slash ends the name.
/// The locks of other classes are never held while the program's code runs.
const CHANGED: &[&str] = &[
    "java/lang/Thread",
    "java/lang/VirtualThread",
    "java/io/PipedInputStream",
    "java/io/PipedOutputStream",
    "java/io/PipedReader",
    "java/io/PipedWriter",
    "java/util/Timer",
    "java/util/TimerThread",
    "java/util/concurrent/",
];

/// Classes of the JDK whose objects all threads share behind calls that say nothing of that:
/// which connections can be used again, and where logs go. They synchronise by methods; where
/// they have a lock instead, in later releases, that is seen by itself.
const SHARED: &[&str] = &[
    "java/util/logging/StreamHandler",
    "sun/net/www/http/KeepAliveCache",
];

/// Where the JDK looks for a connection that can be used again, and keeps one: a thread can be
/// made to stop before that, so that a schedule can say who comes first.
const POOLED: &[&str] = &[
    "sun/net/www/http/HttpClient",
    "sun/net/www/protocol/https/HttpsClient",
];
const POOL: &str = "sun/net/www/http/KeepAliveCache";

const VIRTUAL: &str = "java/lang/VirtualThread";
/// What pools compute, and where each part of that begins.
const TASK: (&str, &str) = ("java/util/concurrent/ForkJoinTask", "doExec");
/// Where locks have their owner.
const SYNCHRONIZER: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
const LOCKS: &str = "java/reprise/scheduler/Locks";

/// Whether a class of the JDK is one that is changed; with `values`, also those that read for
/// the program what is another value in every run.
pub fn concerns(name: &str, values: bool) -> bool {
    blocks(name)
        || SHARED.contains(&name)
        || POOLED.contains(&name)
        || outside::concerns(name)
        || values && values::concerns(name)
}

/// Whether threads block in a class, or begin and end there.
fn blocks(name: &str) -> bool {
    CHANGED.iter().any(|changed| match changed.ends_with('/') {
        true => name.starts_with(changed),
        false => name == *changed,
    })
}

/// The class as it is under a schedule; none where nothing changes.
pub fn change(bytes: &[u8], values: bool) -> Result<Option<Vec<u8>>, TurnError> {
    let class = ClassFile::parse(bytes)?;
    let name_of_class = class.name()?.to_str_lossy();
    let is_thread = name_of_class == THREAD;
    if outside::concerns(&name_of_class) {
        return outside::change(&class);
    }
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let pool = &mut edited.pool;
        // How a virtual thread parks its carrier is its own business.
        let blocks = blocks(&name_of_class) && name_of_class != VIRTUAL;
        let mut changed = blocks && redirect(&class, &mut editor, pool, &|_| false)?;
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        if is_thread {
            changed |= thread(&class, &name, &mut editor, pool)?;
        }
        if name_of_class == VIRTUAL {
            changed |= virtual_thread(&name, &descriptor, &mut editor, pool)?;
        }
        if name_of_class == SYNCHRONIZER && name == "setExclusiveOwnerThread" {
            let mut code = Snippet::new();
            code.op(opcode::ALOAD_0)?;
            code.op(opcode::ALOAD_1)?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Thread;)V";
            code.invoke(Invoke::Static, LOCKS, "owns", descriptor, pool)?;
            editor.at_entry(code)?;
            changed = true;
        }
        if (&*name_of_class, &*name) == TASK {
            let mut code = Snippet::new();
            tell("begins", "()V", &mut code, pool)?;
            editor.at_entry(code)?;
            changed = true;
        }
        let synchronised = access::SYNCHRONIZED | access::STATIC;
        if SHARED.contains(&&*name_of_class) && method.access & synchronised == access::SYNCHRONIZED
        {
            for (told, ends) in [("entered", false), ("leaves", true)] {
                let mut code = Snippet::new();
                code.op(opcode::ALOAD_0)?;
                code.invoke(Invoke::Static, LOCKS, told, "(Ljava/lang/Object;)V", pool)?;
                match ends {
                    true => editor.before_returns(&code)?,
                    false => editor.at_entry(code)?,
                }
            }
            changed = true;
        }
        if POOLED.contains(&&*name_of_class) {
            changed |= pooled(&class, &mut editor, pool)?;
        }
        if values {
            changed |= watch_platform(&class, (&name, &descriptor), &mut editor, pool)?;
        }
        if changed {
            let code = editor.finish(&mut edited.pool)?;
            edited.set_code(index, code)?;
            any = true;
        }
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}

/// Where a method looks for a connection or keeps one; whether it does.
fn pooled<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        if member.class == POOL && (member.name == "get" || member.name == "put") {
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, outside::OUTSIDE, "shares", "()V", pool)?;
            editor.before(instruction.offset, code)?;
            any = true;
        }
    }
    Ok(any)
}

/// A method of `VirtualThread`; whether it was changed. What it does when it is over is done
/// by the thread that has carried it.
fn virtual_thread(
    name: &str,
    descriptor: &str,
    editor: &mut Editor<'_>,
    pool: &mut PoolEditor<'_>,
) -> Result<bool, TurnError> {
    let told = match (name, descriptor) {
        ("start", "(Ljdk/internal/vm/ThreadContainer;)V") => "starting",
        ("interrupt", "()V") => "interrupting",
        ("run", "(Ljava/lang/Runnable;)V") => {
            let mut code = Snippet::new();
            tell("begun", "()V", &mut code, pool)?;
            editor.at_entry(code)?;
            return Ok(true);
        }
        ("afterTerminate" | "afterDone", descriptor) if descriptor.starts_with("(Z") => {
            let mut code = Snippet::new();
            code.op(opcode::ALOAD_0)?;
            tell("terminated", "(Ljava/lang/Thread;)V", &mut code, pool)?;
            editor.before_returns(&code)?;
            "terminates"
        }
        _ => return Ok(false),
    };
    let mut code = Snippet::new();
    code.op(opcode::ALOAD_0)?;
    tell(told, "(Ljava/lang/Thread;)V", &mut code, pool)?;
    editor.at_entry(code)?;
    Ok(true)
}

/// A method of `Thread` itself; whether it was changed.
fn thread<'c>(
    class: &'c ClassFile<'c>,
    name: &str,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    match name {
        "<init>" => {
            let mut code = Snippet::new();
            code.op(opcode::ALOAD_0)?;
            tell("created", "(Ljava/lang/Thread;)V", &mut code, pool)?;
            editor.before_returns(&code)?;
            return Ok(true);
        }
        "exit" => {
            let mut code = Snippet::new();
            code.op(opcode::ALOAD_0)?;
            tell("exiting", "(Ljava/lang/Thread;)V", &mut code, pool)?;
            editor.at_entry(code)?;
            return Ok(true);
        }
        "dispatchUncaughtException" => {
            let mut code = Snippet::new();
            code.op(opcode::ALOAD_0)?;
            code.op(opcode::ALOAD_1)?;
            let descriptor = "(Ljava/lang/Thread;Ljava/lang/Throwable;)V";
            tell("uncaught", descriptor, &mut code, pool)?;
            editor.at_entry(code)?;
            return Ok(true);
        }
        _ => {}
    }
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        if instruction.opcode == opcode::INVOKESTATIC {
            continue;
        }
        let told = match &*member.name.to_str_lossy() {
            "start0" => "starting",
            "interrupt0" => "interrupting",
            _ => continue,
        };
        let mut code = Snippet::new();
        code.op(opcode::DUP)?;
        tell(told, "(Ljava/lang/Thread;)V", &mut code, pool)?;
        editor.before(instruction.offset, code)?;
        any = true;
    }
    Ok(any)
}
