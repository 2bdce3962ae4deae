//! Class loaders of the program are not asked for the runtime.
//!
//! The JVM looks for a class through the loader of whoever names it, and code with
//! probes names the runtime. A loader may have only what is its own, may write down
//! what it is asked for, and may itself be inside, where nobody would ask in a
//! replay. So `loadClass` of every class of the program answers that question
//! before its own code begins.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Member, ReadError, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, Snippet};

use crate::ProbeError;
use crate::probe::PROBE;

const DESCRIPTORS: [&str; 2] = [
    "(Ljava/lang/String;)Ljava/lang/Class;",
    "(Ljava/lang/String;Z)Ljava/lang/Class;",
];

/// Whether the class can be asked for classes.
pub(crate) fn is_asked(class: &ClassFile<'_>) -> Result<bool, ReadError> {
    for method in &class.methods {
        if loads(class, method)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn loads(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool, ReadError> {
    let without = access::STATIC | access::ABSTRACT | access::NATIVE;
    let descriptor = class.pool.utf8(method.descriptor)?;
    Ok(method.access & without == 0
        && class.pool.utf8(method.name)? == "loadClass"
        && DESCRIPTORS.iter().any(|known| descriptor == *known))
}

/// The class, which may have its probes already, as it answers for the runtime.
pub(crate) fn answering(bytes: &[u8]) -> Result<Vec<u8>, ProbeError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
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
            PROBE,
            "isOwn",
            "(Ljava/lang/String;)Z",
            pool,
        )?;
        early.invoke(Invoke::Static, PROBE, "own", DESCRIPTORS[0], pool)?;
        early.op(opcode::ARETURN)?;
        editor.leave_early(&test, &early)?;
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
    }
    Ok(edited.finish()?)
}
