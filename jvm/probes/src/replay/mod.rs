//! Inside classes as a replay runs them: what leaves goes to the player.
//!
//! The same instructions that get probes when a run is recorded are replaced
//! here, and the same code decides which. Each becomes a call of a static
//! method that is added to the class (`stubs`); that method asks the player
//! whether the call leaves, and either hands it over or makes it. So the body
//! keeps its lines, its locals and, but for the replaced instructions, its
//! bytes, and a debugger shows what it always did.
//!
//! ```text
//! before                        in a replay
//! invokevirtual List.add        sipush SITE, invokestatic this.reprise$3(List, Object, int)
//! getstatic Main.shared         sipush SITE, invokestatic this.reprise$4(int)
//! monitorenter                  dup, invokestatic Stub.enters, monitorenter, Stub.shared
//! new X                         sipush SITE, invokestatic Stub.allocate(int), checkcast X
//! invokespecial X.<init>        X outside: as a call; X inside: invokevirtual X.reprise$init$X
//! X(…) { super(…); … }          void reprise$init$X(…) { …; … }
//! ```
//! Constructors become ordinary methods, because a constructor must call one of
//! its superclass and an outside one must not run. Their names say their class,
//! so that none overrides another. A finalizer loses its name: the player calls
//! it when the recording says so, and the collector must not.

mod bodies;
mod functions;
mod lent;
mod order;
mod receivers;
mod resolution;
mod stubs;

use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::read::{ClassFile, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::ClassEditor;

use crate::ProbeError;
use crate::catalog::Catalog;
use crate::method::Body;
use crate::pattern::Patterns;
pub use stubs::STUB;
use stubs::Stubs;

/// The name that a method has in a replay.
#[must_use]
pub fn replayed_name(class: &str, name: &str, descriptor: &str) -> String {
    match (name, descriptor) {
        ("<init>", _) => format!("reprise$init${}", class.replace('/', "$")),
        ("finalize", "()V") => "reprise$finalize".to_owned(),
        _ => name.to_owned(),
    }
}

/// The class as a replay runs it. Some of its methods, by name and descriptor,
/// were lent to the outside (see [`crate::lent`]): the player plays these.
pub fn inside(
    bytes: &[u8],
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    is_lent: impl Fn(&str, &str) -> bool,
) -> Result<Vec<u8>, ProbeError> {
    let raised = raised(bytes)?;
    let class = parse_for_edit(raised.as_deref().unwrap_or(bytes))?;
    let mut edited = ClassEditor::new(&class);
    let mut stubs = Stubs::new(&class)?;
    let this = class.name()?.to_str_lossy();
    let mut lends_initialiser = false;
    for (index, method) in class.methods.iter().enumerate() {
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        let id = catalog.method(method.access, &name, &descriptor);
        if let Some(editor) = Editor::new(&class, method)? {
            let (entries, made) = (edited.pool.count(), stubs.count());
            let pool = &mut edited.pool;
            let lends = is_lent(&name, &descriptor);
            let rewritten = if lends {
                lends_initialiser |= name == "<clinit>";
                lent::body(&class, method, pool, catalog, id).map(|code| (code, true))
            } else {
                let body = Body::new(&class, method, editor, pool, patterns, catalog, id);
                rewrite(body, &mut stubs)
            };
            let (code, enters) = match rewritten {
                Ok(rewritten) => rewritten,
                Err(_) => {
                    stubs.roll_back(made);
                    edited.pool.roll_back(entries);
                    let pool = &mut edited.pool;
                    (lent::lost(&class, method, pool, catalog, id)?, true)
                }
            };
            edited.set_code(index, code)?;
            if let Some(method) = edited.methods.get_mut(index).filter(|_| enters) {
                method.access &= !access::SYNCHRONIZED;
            }
        }
        let replayed = replayed_name(&this, &name, &descriptor);
        if replayed != name {
            let renamed = edited.pool.utf8(&replayed)?;
            if let Some(method) = edited.methods.get_mut(index) {
                method.name = renamed;
                method.access &= !(access::PRIVATE | access::PROTECTED);
                method.access |= access::PUBLIC;
            }
        }
    }
    functions::rewrite_references(&class, &mut edited, patterns, catalog, &mut stubs)?;
    // Only constructors may store into final fields, and there are none left; nor
    // is there an initialiser where it was lent.
    for field in &mut edited.fields {
        if field.access & access::STATIC == 0 || lends_initialiser {
            field.access &= !access::FINAL;
        }
    }
    edited.remove_attribute("PermittedSubclasses");
    // What the player returns is cast to the type that a method is declared to
    // return, which its caller may not be allowed to name.
    edited.access |= access::PUBLIC;
    stubs.add_to(&mut edited)?;
    Ok(edited.finish()?)
}

/// The first version of class files whose interfaces may have methods with code.
const METHODS_IN_INTERFACES: u16 = 52;

/// An older interface, as one that may have methods with code; none for all others.
/// Without frames its initialiser is verified as long as nothing in it jumps.
fn raised(bytes: &[u8]) -> Result<Option<Vec<u8>>, ProbeError> {
    let class = ClassFile::parse(bytes)?;
    if class.access & access::INTERFACE == 0 || class.major >= METHODS_IN_INTERFACES {
        return Ok(None);
    }
    for method in &class.methods {
        let Some(code) = class.code(method)?.filter(|_| class.major < 50) else {
            continue;
        };
        let mut jumps = !code.exceptions.is_empty();
        for instruction in code.instructions() {
            instruction?.each_target(|_| jumps = true);
        }
        if jumps {
            return Ok(None);
        }
    }
    let mut bytes = bytes.to_vec();
    let version = METHODS_IN_INTERFACES.to_be_bytes();
    if let Some(place) = bytes.get_mut(4..8) {
        place.copy_from_slice(&[0, 0, version[0], version[1]]);
    }
    Ok(Some(bytes))
}

/// The code of a method in which what leaves goes to the player, and whether it
/// enters a monitor itself that the JVM would have.
fn rewrite<'c>(
    mut body: Body<'c, '_>,
    stubs: &mut Stubs<'c>,
) -> Result<(Vec<u8>, bool), ProbeError> {
    body.editor.born();
    bodies::rewrite(&mut body, stubs)?;
    order::initialised(&mut body)?;
    functions::finalizable(&mut body)?;
    let enters = order::synchronized(&mut body)?;
    let code = body.editor.finish(body.pool)?;
    Ok((code, enters))
}
