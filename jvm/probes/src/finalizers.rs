//! Objects that the JVM keeps for their finalizer, and hands back one day.
//!
//! It learns of them when they are made, and nothing crosses the boundary then. So
//! each that the inside makes gets its number in the constructor of the class that
//! declares the finalizer, once `super()` is over, whether the rest fails or not: when
//! it comes in, it is known which one it is, and what it holds are the very objects that
//! the inside still uses. One that the outside makes is mentioned when it has been made.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::ClassFile;
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::calls::Constructions;
use crate::method::Body;
use crate::probe::{OBJECT_TYPE, RECORDER, call};

/// Whether a class declares a finalizer; the JVM calls none that is empty.
fn declares(class: &ClassFile<'_>) -> Result<bool, ProbeError> {
    for method in &class.methods {
        let named = class.pool.utf8(method.name)? == "finalize"
            && class.pool.utf8(method.descriptor)? == "()V";
        if named && let Some(code) = class.code(method)? {
            return Ok(code.bytes != [opcode::RETURN]);
        }
    }
    Ok(false)
}

pub(crate) fn instrument(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    let mut code = Snippet::new();
    code.load(OBJECT_TYPE, 0)?;
    body.load_token(&mut code)?;
    let Some(chain) = body.chain else {
        return Ok(());
    };
    code.load(FieldType::Int, chain)?;
    let descriptor = format!("(Ljava/lang/Object;{RECORDER}II)V");
    call(&mut code, "made", &descriptor, body.pool)?;
    once_made(body, &code)
}

/// Puts code behind `super()` in the constructors of objects that their class finalizes.
pub(crate) fn once_made(body: &mut Body<'_, '_>, code: &Snippet) -> Result<(), ProbeError> {
    if !(body.is_constructor()? && body.keeps_this() && declares(body.class)?) {
        return Ok(());
    }
    for call in Constructions::of(body).of_this {
        body.editor.after(call, code.clone())?;
    }
    Ok(())
}
