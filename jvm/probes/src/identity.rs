//! The field that holds an object's number.
//!
//! A `private transient synthetic` field: it is neither serialised nor does it
//! change the default `serialVersionUID`, and the class gets no interface and
//! no method that a listing would show. The runtime reads it by its offset,
//! which it looks up once per class. Only the topmost inside class of a
//! hierarchy gets it, and the topmost outside class of the program: a map would
//! have the numbers of its objects otherwise, which costs ten times as much. The
//! JDK's own classes stay as they are.

use reprise_classfile::mutf8::Utf8;
use reprise_classfile::read::{ClassFile, access};
use reprise_classfile::write::ClassEditor;

use crate::ProbeError;
use crate::pattern::{Patterns, is_platform};

/// The name of the field; the runtime knows it, too.
pub(crate) const FIELD: &str = "reprise$number";

pub(crate) fn inject<'c>(
    class: &'c ClassFile<'c>,
    edited: &mut ClassEditor<'c>,
    patterns: &Patterns,
) -> Result<(), ProbeError> {
    let above = class.super_name()?.map(Utf8::to_str_lossy);
    let inherited = above.is_some_and(|name| patterns.is_inside(&name));
    if has_objects(class) && !inherited {
        add(edited)?;
    }
    Ok(())
}

/// Whether an outside class of the program is the topmost one of its hierarchy.
pub(crate) fn begins_outside(class: &ClassFile<'_>) -> Result<bool, ProbeError> {
    let above = class.super_name()?.map(Utf8::to_str_lossy);
    Ok(has_objects(class) && above.is_some_and(|name| is_platform(&name)))
}

fn has_objects(class: &ClassFile<'_>) -> bool {
    class.access & (access::INTERFACE | access::MODULE) == 0
}

pub(crate) fn add(edited: &mut ClassEditor<'_>) -> Result<(), ProbeError> {
    let flags = access::PRIVATE | access::TRANSIENT | access::SYNTHETIC;
    edited.add_field(flags, FIELD, "J")?;
    Ok(())
}
