//! Stand-ins for outside classes: the same name, supertypes and members, and no
//! code that does anything.
//!
//! The player makes their objects without constructors and hands every call on
//! them to the recording, so no method of a stand-in ever runs. The members are
//! there because inside code refers to them, and because the boundary is the
//! class that declares one. Only the initialiser runs, when and because the JVM
//! initialises an inside class below: it asks the player.

use reprise_classfile::opcode;
use reprise_classfile::read::ClassFile;
use reprise_classfile::write::{ClassEditor, Invoke, Snippet, empty_class, write_code};
use reprise_jvm_events::table::Shape;
use reprise_probes::ProbeError;
use reprise_probes::initialiser;
use reprise_probes::replay::STUB;

use crate::named::named_in;

const PUBLIC: u16 = 0x0001;
const INTERFACE: u16 = 0x0200;
const ABSTRACT: u16 = 0x0400;
const ENUM: u16 = 0x4000;
const STATIC: u16 = 0x0008;
const NATIVE: u16 = 0x0100;
const SYNCHRONIZED: u16 = 0x0020;
const STRICT: u16 = 0x0800;
/// `public final super interface abstract synthetic annotation enum`.
const OF_CLASSES: u16 = PUBLIC | 0x0010 | 0x0020 | INTERFACE | ABSTRACT | 0x1000 | 0x2000 | ENUM;
/// The class files of Java 8: the first to have methods in interfaces.
const VERSION: u16 = 52;

/// The class file of a stand-in. If its class has an initialiser, there is a site for that:
/// the player knows what it did.
///
/// Fields of classes that were never loaded, of which `is_there` knows, are left out: they
/// were null all the time, and who lists the fields would look for their classes.
pub(crate) fn make(
    name: &str,
    shape: &Shape,
    initialiser: Option<u32>,
    is_there: impl Fn(&str) -> bool,
) -> Result<Vec<u8>, ProbeError> {
    let is_interface = shape.access & INTERFACE != 0;
    let above = match shape.superclass.as_str() {
        _ if is_interface => "java/lang/Object",
        "" => "java/lang/Object",
        above => above,
    };
    // Public, as inside classes are in a replay: see `reprise_probes::replay`.
    let mut access = shape.access & OF_CLASSES | PUBLIC;
    if access & ENUM != 0 && !is_interface {
        // Constants with bodies are objects of the enum itself here.
        access &= !ABSTRACT;
    }
    let empty = empty_class(VERSION, access, name, above)?;
    let class = ClassFile::parse(&empty)?;
    let mut edited = ClassEditor::new(&class);
    for interface in &shape.interfaces {
        edited.add_interface(interface)?;
    }
    for field in &shape.fields {
        if !named_in(&field.descriptor).all(&is_there) {
            continue;
        }
        edited.add_field(field.access, &field.name, &field.descriptor)?;
    }
    for method in &shape.methods {
        if method.name == initialiser::NAME {
            continue;
        }
        let access = method.access & !(NATIVE | SYNCHRONIZED | STRICT);
        let code = match access & ABSTRACT != 0 {
            true => None,
            false => Some(body(access, &method.descriptor)?),
        };
        edited.add_method(access, &method.name, &method.descriptor, code)?;
    }
    if let Some(site) = initialiser {
        let mut code = Snippet::new();
        code.push_int(site.cast_signed(), &mut edited.pool)?;
        code.invoke(
            Invoke::Static,
            STUB,
            "initialises",
            "(I)V",
            &mut edited.pool,
        )?;
        code.op(opcode::RETURN)?;
        let code = write_code(0, &code)?;
        let (name, descriptor) = (initialiser::NAME, initialiser::DESCRIPTOR);
        edited.add_method(STATIC, name, descriptor, Some(code))?;
    }
    Ok(edited.finish()?)
}

/// `throw null`, which is allowed everywhere.
fn body(access: u16, descriptor: &str) -> Result<Vec<u8>, ProbeError> {
    use reprise_classfile::descriptor::MethodDescriptor;
    use reprise_classfile::mutf8::{Utf8, encode};

    let text = encode(descriptor);
    let parameters = MethodDescriptor::parse(Utf8(&text))?.parameter_slots();
    let this = u16::from(access & STATIC == 0);
    let mut code = Snippet::new();
    code.op(opcode::ACONST_NULL)?;
    code.op(opcode::ATHROW)?;
    Ok(write_code(parameters.saturating_add(this), &code)?)
}
