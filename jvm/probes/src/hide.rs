//! The injected field in listings of fields.
//!
//! The JDK keeps a few of its own fields from reflection: whatever lists the
//! fields of a class goes through one method that filters them. Its result is
//! filtered once more.

use std::ffi::CStr;

use reprise_classfile::read::ClassFile;
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, Snippet};

use crate::ProbeError;

/// The class that has the method.
pub const CLASS_NAME: &CStr = c"jdk/internal/reflect/Reflection";
const METHOD: &str = "filterFields";
const DESCRIPTOR: &str = "(Ljava/lang/Class;[Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";

/// The class with its result filtered; none when it has no such method.
pub fn hide(bytes: &[u8]) -> Result<Option<Vec<u8>>, ProbeError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    for (index, method) in class.methods.iter().enumerate() {
        let named = class.pool.utf8(method.name)? == METHOD
            && class.pool.utf8(method.descriptor)? == DESCRIPTOR;
        if let (true, Some(mut editor)) = (named, Editor::new(&class, method)?) {
            let mut code = Snippet::new();
            let filter = "([Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
            let owner = "java/reprise/Hidden";
            code.invoke(Invoke::Static, owner, "fields", filter, &mut edited.pool)?;
            editor.before_returns(&code)?;
            let code = editor.finish(&mut edited.pool)?;
            edited.set_code(index, code)?;
            return Ok(Some(edited.finish()?));
        }
    }
    Ok(None)
}
