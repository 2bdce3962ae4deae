//! Class loaders of the program are not asked for the runtime.
//!
//! The JVM looks for a class through the loader of whoever names it, and code with
//! probes names the runtime. A loader may have only what is its own, may write down
//! what it is asked for, and may itself be inside, where nobody would ask in a
//! replay. So `loadClass` of every class of the program answers that question
//! before its own code begins.
//!
//! The JVM also asks for what the program needs, at any moment. While inside code
//! runs, an inside loader would seem to be called by that, which in a replay it is
//! not: there, nobody asks. So what is not a call of the inside is told apart, as a
//! call from outside (`Loading` in the runtime), and a replay makes it as such.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Member, MemberRef, ReadError, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Snippet};

use crate::ProbeError;
use crate::catalog::{Catalog, Site};
use crate::method::Body;
use crate::probe::{RECORDER, call, push_id};

const NAME: &str = "loadClass";
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
        && class.pool.utf8(method.name)? == NAME
        && DESCRIPTORS.iter().any(|known| descriptor == *known))
}

/// Inside code says when it asks a loader itself.
pub(crate) fn announce(
    body: &mut Body<'_, '_>,
    offset: u32,
    member: &MemberRef<'_>,
) -> Result<(), ProbeError> {
    let asks = member.name == NAME && DESCRIPTORS.iter().any(|known| member.descriptor == *known);
    if !asks {
        return Ok(());
    }
    let (mut before, mut after) = (Snippet::new(), Snippet::new());
    for (code, name) in [(&mut before, "asks"), (&mut after, "hasAsked")] {
        body.load_recorder(code)?;
        call(code, name, &format!("({RECORDER})V"), body.pool)?;
    }
    body.editor.before(offset, before)?;
    body.editor.after(offset, after)?;
    Ok(())
}

/// The site that stands for the JVM, at an inside loader: no instruction does.
pub(crate) fn site(class: &ClassFile<'_>, catalog: &mut dyn Catalog) -> Result<u32, ReadError> {
    Ok(catalog.site(&Site {
        method: 0,
        offset: 0,
        line: 0,
        opcode: opcode::NOP,
        owner: &class.name()?.to_str_lossy(),
        name: NAME,
        descriptor: DESCRIPTORS[0],
    }))
}

/// The class, which may have its probes already, as it answers for the runtime; an
/// inside one has a site.
pub(crate) fn answering(bytes: &[u8], site: Option<u32>) -> Result<Vec<u8>, ProbeError> {
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
        if let Some(site) = site {
            push_id(&mut test, site, pool)?;
            call(&mut test, "asked", "(Ljava/lang/String;I)Z", pool)?;
            let mut answered = Snippet::new();
            call(&mut answered, "answered", "()V", pool)?;
            editor.before_returns(&answered)?;
            answered.op(opcode::ATHROW)?;
            editor.catch_all(answered)?;
        } else {
            call(&mut test, "isOwn", "(Ljava/lang/String;)Z", pool)?;
        }
        call(&mut early, "own", DESCRIPTORS[0], pool)?;
        early.op(opcode::ARETURN)?;
        editor.leave_early(&test, &early)?;
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
    }
    Ok(edited.finish()?)
}
