//! Class loaders of the program are not asked for the scheduler, and say when they load something else.
//!
//! The JVM looks for a class through the loader of whoever names it, and code with probes
//! names the scheduler. A loader may have only what is its own, and may write down what it is
//! asked for. So `loadClass` of every class of the program answers that question before its
//! own code begins.
//!
//! Which thread the JVM lets load a class is by chance. So the scheduler is told where that begins and
//! ends, and what is done in between does not count.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Member, ReadError, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, Snippet};

use crate::TurnError;

const LOADING: &str = "java/reprise/scheduler/Loading";
const DESCRIPTORS: [&str; 2] = [
    "(Ljava/lang/String;)Ljava/lang/Class;",
    "(Ljava/lang/String;Z)Ljava/lang/Class;",
];

/// The method that the JVM calls, and those that the JDK calls then.
const LOADS: [&str; 2] = ["loadClass", "findClass"];

/// Whether a method is one of these.
fn is(class: &ClassFile<'_>, method: &Member<'_>, names: &[&str]) -> Result<bool, ReadError> {
    let without = access::STATIC | access::ABSTRACT | access::NATIVE;
    let descriptor = class.pool.utf8(method.descriptor)?;
    let name = class.pool.utf8(method.name)?;
    Ok(method.access & without == 0
        && names.iter().any(|known| name == *known)
        && DESCRIPTORS.iter().any(|known| descriptor == *known))
}

/// A class, which may have its probes already, as it answers for the scheduler and says when it loads
/// another class; none if it does neither.
pub fn instrument(bytes: &[u8]) -> Result<Option<Vec<u8>>, TurnError> {
    let telling = telling(bytes)?;
    let answering = answering(telling.as_deref().unwrap_or(bytes))?;
    Ok(answering.or(telling))
}

/// The class as it says when it loads.
fn telling(bytes: &[u8]) -> Result<Option<Vec<u8>>, TurnError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        if !is(&class, method, &LOADS)? {
            continue;
        }
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let pool = &mut edited.pool;
        let (mut begins, mut ends) = (Snippet::new(), Snippet::new());
        begins.invoke(Invoke::Static, LOADING, "loads", "()V", pool)?;
        ends.invoke(Invoke::Static, LOADING, "loaded", "()V", pool)?;
        editor.at_entry(begins)?;
        editor.before_returns(&ends)?;
        ends.op(opcode::ATHROW)?;
        editor.catch_all(ends)?;
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
        any = true;
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}

/// The class as it answers for the scheduler; none if nobody asks it.
fn answering(bytes: &[u8]) -> Result<Option<Vec<u8>>, TurnError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        if !is(&class, method, &LOADS[..1])? {
            continue;
        }
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let pool = &mut edited.pool;
        let (mut test, mut early) = (Snippet::new(), Snippet::new());
        for code in [&mut test, &mut early] {
            code.op(opcode::ALOAD_1)?;
        }
        test.invoke(
            Invoke::Static,
            LOADING,
            "isOwn",
            "(Ljava/lang/String;)Z",
            pool,
        )?;
        early.invoke(Invoke::Static, LOADING, "own", DESCRIPTORS[0], pool)?;
        early.op(opcode::ARETURN)?;
        editor.leave_early(&test, &early)?;
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
        any = true;
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}
