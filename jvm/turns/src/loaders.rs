//! Class loaders of the program are not asked for the scheduler.
//!
//! The JVM looks for a class through the loader of whoever names it, and code with probes
//! names the scheduler. A loader may have only what is its own, and may write down what it is
//! asked for. So `loadClass` of every class of the program answers that question before its
//! own code begins.

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

fn loads(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool, ReadError> {
    let without = access::STATIC | access::ABSTRACT | access::NATIVE;
    let descriptor = class.pool.utf8(method.descriptor)?;
    Ok(method.access & without == 0
        && class.pool.utf8(method.name)? == "loadClass"
        && DESCRIPTORS.iter().any(|known| descriptor == *known))
}

/// A class, which may have its probes already, as it answers for the scheduler; none if
/// nobody asks it.
pub fn answering(bytes: &[u8]) -> Result<Option<Vec<u8>>, TurnError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        if !loads(&class, method)? {
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
