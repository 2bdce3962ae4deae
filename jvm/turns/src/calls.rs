//! Calls that go to the scheduler instead.
//!
//! `wait` and its like are final in `Object`, so whatever class a call names, it
//! is that method. Static methods of `Thread` may be named through a subclass.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use crate::TurnError;

const MONITORS: &str = "java/reprise/scheduler/Monitors";
const THREADS: &str = "java/reprise/scheduler/Threads";
const PARKING: &str = "java/reprise/scheduler/Parking";
pub(crate) const THREAD: &str = "java/lang/Thread";

/// A static method of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Instead {
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
}

/// The calls of a method that name what they call, each with that.
pub(crate) fn calls<'c>(
    class: &'c ClassFile<'c>,
    editor: &Editor<'c>,
) -> Result<Vec<(Instruction<'c>, MemberRef<'c>)>, TurnError> {
    let mut found = Vec::new();
    for instruction in editor.instructions() {
        let calls = (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&instruction.opcode);
        if let Some(index) = instruction.constant().filter(|_| calls) {
            found.push((*instruction, class.pool.member(index)?));
        }
    }
    Ok(found)
}

/// Sends the calls of a method to the scheduler; whether there were any.
/// `is_thread` knows whether a class extends `Thread`.
pub(crate) fn redirect<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
    is_thread: &dyn Fn(&str) -> bool,
) -> Result<bool, TurnError> {
    redirect_calls(class, editor, pool, is_thread, false)
}

/// The same, with calls that end the JVM, which is to live longer than the program.
pub(crate) fn redirect_all<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
    is_thread: &dyn Fn(&str) -> bool,
) -> Result<bool, TurnError> {
    redirect_calls(class, editor, pool, is_thread, true)
}

fn redirect_calls<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
    is_thread: &dyn Fn(&str) -> bool,
    ends: bool,
) -> Result<bool, TurnError> {
    let own = class.name()?.to_str_lossy().into_owned();
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        let owner = member.class.to_str_lossy();
        let is_static = instruction.opcode == opcode::INVOKESTATIC;
        let name = member.name.to_str_lossy();
        let descriptor = member.descriptor.to_str_lossy();
        let end = || instead_of_end(&owner, &name, &descriptor).filter(|_| ends);
        let found = match is_static {
            // The JDK's own Thread calls its native methods itself.
            true if own == THREAD => None,
            true if owner == THREAD || is_thread(&owner) => instead_of_static(&name, &descriptor),
            true => virtual_park(&owner, &name, &descriptor),
            false => virtual_park(&owner, &name, &descriptor)
                .or_else(|| instead_of(&own, &owner, &name, &descriptor)),
        };
        if let Some(Instead {
            class: to,
            name,
            descriptor,
        }) = found.or_else(end)
        {
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, to, name, descriptor, pool)?;
            editor.replace(instruction.offset, code)?;
            any = true;
        }
    }
    Ok(any)
}

fn instead_of_static(name: &str, descriptor: &str) -> Option<Instead> {
    let (name, descriptor) = match (name, descriptor) {
        ("sleep", "(J)V") => ("sleep", "(J)V"),
        ("sleep", "(JI)V") => ("sleep", "(JI)V"),
        ("sleep", "(Ljava/time/Duration;)V") => ("sleep", "(Ljava/time/Duration;)V"),
        ("yield" | "onSpinWait", "()V") => ("yield", "()V"),
        _ => return None,
    };
    Some(Instead {
        class: THREADS,
        name,
        descriptor,
    })
}

/// How the JDK parks virtual threads; releases do it in two ways.
fn virtual_park(owner: &str, name: &str, descriptor: &str) -> Option<Instead> {
    let (name, descriptor) = match (owner, name, descriptor) {
        ("jdk/internal/misc/VirtualThreads", "park", "()V") => ("parkVirtual", "()V"),
        ("jdk/internal/misc/VirtualThreads", "park", "(J)V") => ("parkVirtual", "(J)V"),
        ("jdk/internal/misc/VirtualThreads", "parkUntil", "(J)V") => ("parkVirtualUntil", "(J)V"),
        ("jdk/internal/misc/VirtualThreads", "unpark", "(Ljava/lang/Thread;)V") => {
            ("unparkVirtual", "(Ljava/lang/Thread;)V")
        }
        ("jdk/internal/access/JavaLangAccess", "parkVirtualThread", "()V") => {
            ("parkVirtual", "(Ljava/lang/Object;)V")
        }
        ("jdk/internal/access/JavaLangAccess", "parkVirtualThread", "(J)V") => {
            ("parkVirtual", "(Ljava/lang/Object;J)V")
        }
        ("jdk/internal/access/JavaLangAccess", "unparkVirtualThread", "(Ljava/lang/Thread;)V") => {
            ("unpark", "(Ljava/lang/Object;Ljava/lang/Object;)V")
        }
        _ => return None,
    };
    Some(Instead {
        class: PARKING,
        name,
        descriptor,
    })
}

/// What ends the JVM, or waits for its end.
fn instead_of_end(owner: &str, name: &str, descriptor: &str) -> Option<Instead> {
    let (name, descriptor) = match (owner, name, descriptor) {
        ("java/lang/System", "exit", "(I)V") => ("exit", "(I)V"),
        ("java/lang/Runtime", "exit", "(I)V") => ("exit", "(Ljava/lang/Runtime;I)V"),
        ("java/lang/Runtime", "halt", "(I)V") => ("halt", "(Ljava/lang/Runtime;I)V"),
        ("java/lang/Runtime", "addShutdownHook", "(Ljava/lang/Thread;)V") => (
            "addShutdownHook",
            "(Ljava/lang/Runtime;Ljava/lang/Thread;)V",
        ),
        _ => return None,
    };
    Some(Instead {
        class: THREADS,
        name,
        descriptor,
    })
}

fn instead_of(own: &str, owner: &str, name: &str, descriptor: &str) -> Option<Instead> {
    let (class, name, descriptor) = match (name, descriptor) {
        ("wait", "()V") => (MONITORS, "wait", "(Ljava/lang/Object;)V"),
        ("wait", "(J)V") => (MONITORS, "wait", "(Ljava/lang/Object;J)V"),
        ("wait", "(JI)V") => (MONITORS, "wait", "(Ljava/lang/Object;JI)V"),
        ("notify", "()V") => (MONITORS, "notify", "(Ljava/lang/Object;)V"),
        ("notifyAll", "()V") => (MONITORS, "notifyAll", "(Ljava/lang/Object;)V"),
        ("isInterrupted", "()Z") if owner == THREAD && own != THREAD => {
            (THREADS, "isInterrupted", "(Ljava/lang/Thread;)Z")
        }
        ("park", "(ZJ)V") if owner == "jdk/internal/misc/Unsafe" => {
            (PARKING, "park", "(Ljava/lang/Object;ZJ)V")
        }
        ("unpark", "(Ljava/lang/Object;)V") if owner == "jdk/internal/misc/Unsafe" => {
            (PARKING, "unpark", "(Ljava/lang/Object;Ljava/lang/Object;)V")
        }
        _ => return None,
    };
    Some(Instead {
        class,
        name,
        descriptor,
    })
}

/// A call of the scheduler's class for threads, with what is on the stack.
pub(crate) fn tell(
    name: &str,
    descriptor: &str,
    code: &mut Snippet,
    pool: &mut PoolEditor<'_>,
) -> Result<(), TurnError> {
    code.invoke(Invoke::Static, THREADS, name, descriptor, pool)?;
    Ok(())
}
