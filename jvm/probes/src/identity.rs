//! The field that holds an inside object's number.
//!
//! A `private transient synthetic` field: it is neither serialised nor does it
//! change the default `serialVersionUID`, and the class gets no interface and
//! no method that a listing would show. The runtime reads it by its offset,
//! which it looks up once per class. Only the topmost inside class of a
//! hierarchy gets it.

use reprise_classfile::mutf8::Utf8;
use reprise_classfile::read::{ClassFile, access};
use reprise_classfile::write::ClassEditor;

use crate::ProbeError;
use crate::pattern::Patterns;

/// The name of the field; the runtime knows it, too.
pub(crate) const FIELD: &str = "reprise$number";

pub(crate) fn inject<'c>(
    class: &'c ClassFile<'c>,
    edited: &mut ClassEditor<'c>,
    patterns: &Patterns,
) -> Result<(), ProbeError> {
    let has_objects = class.access & (access::INTERFACE | access::MODULE) == 0;
    let above = class.super_name()?.map(Utf8::to_str_lossy);
    let inherited = above.is_some_and(|name| patterns.is_inside(&name));
    if has_objects && !inherited {
        let flags = access::PRIVATE | access::TRANSIENT | access::SYNTHETIC;
        edited.add_field(flags, FIELD, "J")?;
    }
    Ok(())
}
