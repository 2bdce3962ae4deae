//! Methods of the JDK in which a thread may wait for something outside of the program: a
//! connection, bytes, a process, a file that another process has locked.
//!
//! Each asks the scheduler first (`Outside` in `jvm/scheduler`), which lets others go on until
//! what the thread waits for is there; then the method does what it always did, and has no
//! need to wait. So nothing but waiting happens while another thread runs, and who reads what
//! follows from the order of turns.
//!
//! | what | class and method |
//! | --- | --- |
//! | a connection | `ServerSocket.accept`, by `NioSocketImpl` (13 and later) or `AbstractPlainSocketImpl`; `ServerSocketChannel.accept` |
//! | bytes of a socket | `Socket`'s streams, by the same and `SocketInputStream`; `SocketChannel.read` |
//! | a packet | `DatagramSocket.receive`, `DatagramChannel.receive` and `read` |
//! | bytes of a pipe, a device, the standard input | `FileInputStream.read`, `Pipe.SourceChannel.read` |
//! | nothing, and can be made to | `connect` of sockets and their channels |
//! | room to write | the same streams and channels, 4,096 bytes at a time; not the standard output |
//! | what a selector waits for | `Selector.select`, where it calls `epoll` |
//! | the end of a process | `Process.waitFor`, `Process.onExit` |
//! | a file lock | `FileChannel.lock` |
//!
//! The keys that a selector has selected come in the order in which they were. What is closed while a thread waits for it says so. Pipes between threads
//! (`PipedInputStream`) are monitors and nothing else; [`crate::platform`] has them.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::ClassFile;
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};

mod methods;

use crate::TurnError;
use crate::calls::calls;
use methods::{Deed, METHODS};

pub(crate) const OUTSIDE: &str = "java/reprise/scheduler/Outside";
const EXITS: &str = "java/reprise/scheduler/Exits";
const PIECES: &str = "java/reprise/scheduler/Pieces";
const SELECTING: &str = "java/reprise/scheduler/Selecting";

/// Whether a class of the JDK has such methods.
pub fn concerns(name: &str) -> bool {
    METHODS.iter().any(|(class, ..)| *class == name)
}

/// The class with calls of the scheduler in these methods; none where nothing changes.
pub fn change(class: &ClassFile<'_>) -> Result<Option<Vec<u8>>, TurnError> {
    let own = class.name()?.to_str_lossy();
    let mut edited = ClassEditor::new(class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        let is_it = |(class, known, wanted, _): &&(&str, &str, &str, Deed)| {
            *class == own && *known == name && (wanted.is_empty() || *wanted == descriptor)
        };
        let Some((.., deed)) = METHODS.iter().find(is_it) else {
            continue;
        };
        let Some(mut editor) = Editor::new(class, method)? else {
            continue;
        };
        if tell(*deed, class, &own, &mut editor, &mut edited.pool)? {
            let code = editor.finish(&mut edited.pool)?;
            edited.set_code(index, code)?;
            any = true;
        }
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}

/// Puts the call into a method; whether there was a place for it.
fn tell<'c>(
    deed: Deed,
    class: &'c ClassFile<'c>,
    own: &str,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let mut code = Snippet::new();
    code.op(opcode::ALOAD_0)?;
    let (name, descriptor) = match deed {
        Deed::Reads => ("reads", "(Ljava/lang/Object;)V"),
        Deed::For(name) => {
            if !has_field(class, "timeout", "I")? {
                return tell(Deed::Reads, class, own, editor, pool);
            }
            code.op(opcode::ALOAD_0)?;
            code.field(opcode::GETFIELD, own, "timeout", "I", pool)?;
            (name, "(Ljava/lang/Object;I)V")
        }
        Deed::Accepts => {
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, OUTSIDE, "gets", "()V", pool)?;
            editor.before_returns(&code)?;
            return tell(Deed::For("accepts"), class, own, editor, pool);
        }
        Deed::Connects => {
            let mut code = Snippet::new();
            code.op(opcode::ALOAD_1)?;
            code.invoke(
                Invoke::Static,
                OUTSIDE,
                "connects",
                "(Ljava/lang/Object;)V",
                pool,
            )?;
            editor.at_entry(code)?;
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, OUTSIDE, "connected", "()V", pool)?;
            editor.before_returns(&code)?;
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, OUTSIDE, "connected", "()V", pool)?;
            code.op(opcode::ATHROW)?;
            editor.catch_all(code)?;
            return Ok(true);
        }
        Deed::Puts => {
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, OUTSIDE, "puts", "()V", pool)?;
            editor.at_entry(code)?;
            return Ok(true);
        }
        Deed::ReadsWithin(slot) => {
            code.load(FieldType::Int, slot)?;
            ("reads", "(Ljava/lang/Object;I)V")
        }
        Deed::ReadsArray => {
            code.op(opcode::ALOAD_1)?;
            return counted(editor, code, "(Ljava/lang/Object;[B)Z", pool);
        }
        Deed::ReadsBytes => {
            code.op(opcode::ALOAD_1)?;
            code.op(opcode::ILOAD_2)?;
            code.op(opcode::ILOAD_3)?;
            return counted(editor, code, "(Ljava/lang/Object;[BII)Z", pool);
        }
        Deed::ReadsBuffer => {
            code.op(opcode::ALOAD_1)?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
            return counted(editor, code, descriptor, pool);
        }
        Deed::Writes => ("writes", "(Ljava/lang/Object;)V"),
        Deed::WritesBytes => {
            code.op(opcode::ALOAD_1)?;
            code.op(opcode::ILOAD_2)?;
            code.op(opcode::ILOAD_3)?;
            let descriptor = "(Ljava/lang/Object;[BII)Z";
            code.invoke(Invoke::Static, OUTSIDE, "wrote", descriptor, pool)?;
            let mut early = Snippet::new();
            early.op(opcode::RETURN)?;
            editor.leave_early(&code, &early)?;
            return Ok(true);
        }
        Deed::WritesBuffer => {
            code.op(opcode::ALOAD_1)?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
            code.invoke(Invoke::Static, OUTSIDE, "wrote", descriptor, pool)?;
            let mut early = Snippet::new();
            early.invoke(Invoke::Static, OUTSIDE, "written", "()I", pool)?;
            early.op(opcode::IRETURN)?;
            editor.leave_early(&code, &early)?;
            return Ok(true);
        }
        Deed::WritesBuffers => {
            code.op(opcode::ALOAD_1)?;
            code.op(opcode::ILOAD_2)?;
            code.op(opcode::ILOAD_3)?;
            let descriptor = "(Ljava/lang/Object;[Ljava/lang/Object;II)Z";
            code.invoke(Invoke::Static, OUTSIDE, "wrote", descriptor, pool)?;
            let mut early = Snippet::new();
            early.invoke(Invoke::Static, OUTSIDE, "written", "()I", pool)?;
            early.op(opcode::I2L)?;
            early.op(opcode::LRETURN)?;
            editor.leave_early(&code, &early)?;
            return Ok(true);
        }
        Deed::Watches => {
            let descriptor = "(Ljava/lang/Object;)V";
            code.invoke(Invoke::Static, EXITS, "watches", descriptor, pool)?;
            editor.at_entry(code)?;
            return Ok(true);
        }
        Deed::Exits => ("exits", "(Ljava/lang/Object;)V"),
        Deed::ExitsFor => {
            code.op(opcode::LLOAD_1)?;
            code.op(opcode::ALOAD_3)?;
            ("exits", "(Ljava/lang/Object;JLjava/lang/Object;)V")
        }
        Deed::Locks => {
            code.op(opcode::LLOAD_1)?;
            code.op(opcode::LLOAD_3)?;
            code.load(FieldType::Int, 5)?;
            ("locks", "(Ljava/lang/Object;JJZ)V")
        }
        Deed::Selects => return selects(class, own, editor, pool),
        Deed::Registers => {
            code.op(opcode::ALOAD_1)?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)V";
            code.invoke(Invoke::Static, SELECTING, "registers", descriptor, pool)?;
            editor.at_entry(code)?;
            return Ok(true);
        }
        Deed::Orders => return orders(class, editor, pool),
        Deed::Closes => ("closes", "(Ljava/lang/Object;)V"),
    };
    code.invoke(Invoke::Static, OUTSIDE, name, descriptor, pool)?;
    editor.at_entry(code)?;
    Ok(true)
}

/// Where bytes are read: in a replay as many at once as there were, and otherwise that is noted.
fn counted(
    editor: &mut Editor<'_>,
    mut code: Snippet,
    descriptor: &str,
    pool: &mut PoolEditor<'_>,
) -> Result<bool, TurnError> {
    code.invoke(Invoke::Static, PIECES, "hasRead", descriptor, pool)?;
    let mut early = Snippet::new();
    early.invoke(Invoke::Static, PIECES, "count", "()I", pool)?;
    early.op(opcode::IRETURN)?;
    editor.leave_early(&code, &early)?;
    let mut got = Snippet::new();
    got.op(opcode::DUP)?;
    got.invoke(Invoke::Static, PIECES, "got", "(I)V", pool)?;
    editor.before_returns(&got)?;
    let mut threw = Snippet::new();
    threw.invoke(Invoke::Static, PIECES, "threw", "()V", pool)?;
    threw.op(opcode::ATHROW)?;
    editor.catch_all(threw)?;
    Ok(true)
}

/// Where `epoll` is called, with how long it is to wait as the last argument.
fn selects<'c>(
    class: &'c ClassFile<'c>,
    own: &str,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    if !has_field(class, "epfd", "I")? || !has_field(class, "pollArrayAddress", "J")? {
        return Ok(false);
    }
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        if member.class != "sun/nio/ch/EPoll" || member.name != "wait" {
            continue;
        }
        let mut code = Snippet::new();
        code.op(opcode::ALOAD_0)?;
        code.op(opcode::ALOAD_0)?;
        code.field(opcode::GETFIELD, own, "epfd", "I", pool)?;
        let descriptor = "(ILjava/lang/Object;I)I";
        code.invoke(Invoke::Static, SELECTING, "selects", descriptor, pool)?;
        editor.before(instruction.offset, code)?;
        let mut code = Snippet::new();
        code.op(opcode::ALOAD_0)?;
        code.op(opcode::ALOAD_0)?;
        code.field(opcode::GETFIELD, own, "pollArrayAddress", "J", pool)?;
        let descriptor = "(ILjava/lang/Object;J)I";
        code.invoke(Invoke::Static, SELECTING, "selected", descriptor, pool)?;
        editor.after(instruction.offset, code)?;
        any = true;
    }
    Ok(any)
}

/// Where a `HashSet` is made: keys of a selector hash by identity, so in each run they would
/// come in another order.
fn orders<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        if member.class == "java/util/HashSet" && member.name == "<init>" {
            let mut code = Snippet::new();
            let descriptor = "(Ljava/util/HashSet;)Ljava/util/HashSet;";
            code.invoke(Invoke::Static, OUTSIDE, "ordered", descriptor, pool)?;
            editor.after(instruction.offset, code)?;
            any = true;
        }
    }
    Ok(any)
}

fn has_field(class: &ClassFile<'_>, name: &str, descriptor: &str) -> Result<bool, TurnError> {
    for field in &class.fields {
        let pool = &class.pool;
        if pool.utf8(field.name)? == name && pool.utf8(field.descriptor)? == descriptor {
            return Ok(true);
        }
    }
    Ok(false)
}
