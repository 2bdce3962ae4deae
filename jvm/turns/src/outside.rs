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
//! | room to write | the same streams and channels, 4,096 bytes at a time; not the standard output |
//! | what a selector waits for | `Selector.select`, where it calls `epoll` |
//! | the end of a process | `Process.waitFor` |
//! | a file lock | `FileChannel.lock` |
//!
//! The keys that a selector has selected come in the order in which they were. What is closed while a thread waits for it says so. Pipes between threads
//! (`PipedInputStream`) are monitors and nothing else; [`crate::platform`] has them.

use reprise_classfile::opcode;
use reprise_classfile::read::ClassFile;
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};

use crate::TurnError;
use crate::calls::calls;

const OUTSIDE: &str = "java/reprise/scheduler/Outside";

/// What a method is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// Reads or accepts.
    Reads,
    /// The same, for the time that a field says.
    ReadsFor(&'static str),
    /// Writes as much as there is room for, or more.
    Writes,
    /// Writes bytes: an array, from where, how many.
    WritesBytes,
    /// Writes a buffer.
    WritesBuffer,
    /// Waits for a process.
    Exits,
    /// The same, for some time.
    ExitsFor,
    /// Locks a part of a file.
    Locks,
    /// Calls `epoll`.
    Selects,
    /// Closes something.
    Closes,
    /// Makes a set whose order programs see.
    Orders,
}

/// Class, method, descriptor (empty for any) and what it is about to do. A method that a
/// release does not have is no harm.
const METHODS: &[(&str, &str, &str, Deed)] = &[
    ("java/io/FileInputStream", "read", "", Deed::Reads),
    ("java/io/FileInputStream", "close", "", Deed::Closes),
    ("java/io/FileOutputStream", "write", "(I)V", Deed::Writes),
    ("java/io/FileOutputStream", "write", "([B)V", Deed::Writes),
    (
        "java/io/FileOutputStream",
        "write",
        "([BII)V",
        Deed::WritesBytes,
    ),
    ("java/io/FileOutputStream", "close", "", Deed::Closes),
    ("java/lang/ProcessImpl", "waitFor", "()I", Deed::Exits),
    (
        "java/lang/ProcessImpl",
        "waitFor",
        "(JLjava/util/concurrent/TimeUnit;)Z",
        Deed::ExitsFor,
    ),
    (
        "java/net/AbstractPlainDatagramSocketImpl",
        "receive",
        "",
        Deed::ReadsFor("timeout"),
    ),
    (
        "java/net/AbstractPlainDatagramSocketImpl",
        "close",
        "",
        Deed::Closes,
    ),
    (
        "java/net/AbstractPlainSocketImpl",
        "accept",
        "",
        Deed::ReadsFor("timeout"),
    ),
    (
        "java/net/AbstractPlainSocketImpl",
        "close",
        "",
        Deed::Closes,
    ),
    (
        "java/net/Socket$SocketOutputStream",
        "write",
        "([BII)V",
        Deed::WritesBytes,
    ),
    (
        "java/net/SocketInputStream",
        "read",
        "([BIII)I",
        Deed::Reads,
    ),
    (
        "java/net/SocketOutputStream",
        "write",
        "([BII)V",
        Deed::WritesBytes,
    ),
    (
        "java/nio/channels/spi/AbstractInterruptibleChannel",
        "close",
        "",
        Deed::Closes,
    ),
    (
        "sun/nio/ch/DatagramChannelImpl",
        "receive",
        "(Ljava/nio/ByteBuffer;)Ljava/net/SocketAddress;",
        Deed::Reads,
    ),
    (
        "sun/nio/ch/DatagramChannelImpl",
        "blockingReceive",
        "",
        Deed::Reads,
    ),
    ("sun/nio/ch/DatagramChannelImpl", "read", "", Deed::Reads),
    (
        "sun/nio/ch/EPollSelectorImpl",
        "doSelect",
        "",
        Deed::Selects,
    ),
    (
        "sun/nio/ch/FileChannelImpl",
        "lock",
        "(JJZ)Ljava/nio/channels/FileLock;",
        Deed::Locks,
    ),
    (
        "sun/nio/ch/NioSocketImpl",
        "accept",
        "",
        Deed::ReadsFor("timeout"),
    ),
    (
        "sun/nio/ch/NioSocketImpl",
        "read",
        "([BII)I",
        Deed::ReadsFor("timeout"),
    ),
    ("sun/nio/ch/NioSocketImpl", "close", "", Deed::Closes),
    (
        "sun/nio/ch/ServerSocketChannelImpl",
        "accept",
        "()Ljava/nio/channels/SocketChannel;",
        Deed::Reads,
    ),
    (
        "sun/nio/ch/SinkChannelImpl",
        "write",
        "(Ljava/nio/ByteBuffer;)I",
        Deed::WritesBuffer,
    ),
    ("sun/nio/ch/SinkChannelImpl", "write", "", Deed::Writes),
    (
        "sun/nio/ch/SocketChannelImpl",
        "blockingRead",
        "",
        Deed::Reads,
    ),
    ("sun/nio/ch/SocketChannelImpl", "read", "", Deed::Reads),
    (
        "sun/nio/ch/SocketChannelImpl",
        "write",
        "(Ljava/nio/ByteBuffer;)I",
        Deed::WritesBuffer,
    ),
    ("sun/nio/ch/SocketChannelImpl", "write", "", Deed::Writes),
    ("sun/nio/ch/SelectorImpl", "<init>", "", Deed::Orders),
    ("sun/nio/ch/SourceChannelImpl", "read", "", Deed::Reads),
];

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
        Deed::ReadsFor(field) => {
            if !has_field(class, field, "I")? {
                return tell(Deed::Reads, class, own, editor, pool);
            }
            code.op(opcode::ALOAD_0)?;
            code.field(opcode::GETFIELD, own, field, "I", pool)?;
            ("reads", "(Ljava/lang/Object;I)V")
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
        Deed::Exits => ("exits", "(Ljava/lang/Object;)V"),
        Deed::ExitsFor => {
            code.op(opcode::LLOAD_1)?;
            code.op(opcode::ALOAD_3)?;
            ("exits", "(Ljava/lang/Object;JLjava/lang/Object;)V")
        }
        Deed::Locks => {
            code.op(opcode::LLOAD_1)?;
            code.op(opcode::LLOAD_3)?;
            code.load(reprise_classfile::descriptor::FieldType::Int, 5)?;
            ("locks", "(Ljava/lang/Object;JJZ)V")
        }
        Deed::Selects => return selects(class, own, editor, pool),
        Deed::Orders => return orders(class, editor, pool),
        Deed::Closes => ("closes", "(Ljava/lang/Object;)V"),
    };
    code.invoke(Invoke::Static, OUTSIDE, name, descriptor, pool)?;
    editor.at_entry(code)?;
    Ok(true)
}

/// Where `epoll` is called, with how long it is to wait as the last argument.
fn selects<'c>(
    class: &'c ClassFile<'c>,
    own: &str,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    if !has_field(class, "epfd", "I")? {
        return Ok(false);
    }
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        if member.class != "sun/nio/ch/EPoll" || member.name != "wait" {
            continue;
        }
        let mut code = Snippet::new();
        code.op(opcode::ALOAD_0)?;
        code.field(opcode::GETFIELD, own, "epfd", "I", pool)?;
        code.op(opcode::SWAP)?;
        code.invoke(Invoke::Static, OUTSIDE, "selects", "(II)I", pool)?;
        editor.before(instruction.offset, code)?;
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
