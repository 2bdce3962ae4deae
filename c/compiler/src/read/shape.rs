//! What can be told of a value, a call or a function by how it looks.

use reprise_c_analysis::annotations::{Annotation, Length};
use reprise_c_analysis::scanned::{self, Scanned};

use super::Moved;
use crate::ir::{LLVMOpcode, LLVMTypeKind, Type, Value};

/// Pointers are in values of their size, and in parts of larger ones.
pub(super) fn may_hold_pointer(of: Type) -> bool {
    match of.kind() {
        LLVMTypeKind::LLVMPointerTypeKind
        | LLVMTypeKind::LLVMStructTypeKind
        | LLVMTypeKind::LLVMArrayTypeKind
        | LLVMTypeKind::LLVMVectorTypeKind => true,
        LLVMTypeKind::LLVMIntegerTypeKind => of.width() >= 64,
        _ => false,
    }
}

/// What a call fills by its format; none if there is a format, but not one that is known.
pub(crate) fn scanned(does: &Annotation, call: Value) -> Option<Vec<(usize, Scanned)>> {
    let Some(at) = does.scans else {
        return Some(Vec::new());
    };
    let arguments = call.arguments();
    let format = arguments.get(at)?;
    let text = format
        .is_unchanging_global()
        .then(|| format.initializer())?;
    let text = text?.text()?;
    let all = scanned::read(text.strip_suffix(&[0]).unwrap_or(&text))?;
    // A program that gives too few arguments does what nobody knows.
    let enough = arguments.len() == at + 1 + all.len();
    enough.then(|| (at + 1..).zip(all).collect())
}

pub(super) fn moved(does: &Annotation) -> Option<Moved> {
    if let Some((_, length)) = does.fills.first() {
        let at = does.fills[0].0;
        return Some(match *length {
            Length::Bytes(bytes) => Moved::Bytes(bytes),
            Length::Result => Moved::Result,
            Length::ResultTimes(factor) => Moved::ResultTimes(factor),
            Length::Argument(at) => Moved::Argument(at),
            Length::ArgumentTimes(at, bytes) => Moved::ArgumentTimes(at, bytes),
            Length::Text => Moved::Text(at),
        });
    }
    let (_, from) = does.copies.filter(|_| does.own)?;
    Some(does.copied.map_or(Moved::Text(from), Moved::Argument))
}

/// Whether a value is a number or a pointer of at most eight bytes.
pub(super) fn is_word(of: Type) -> bool {
    fits(of) && (of.width() > 0 || of.kind() == LLVMTypeKind::LLVMPointerTypeKind)
}

/// Whether a value can be handed on in eight bytes.
fn fits(of: Type) -> bool {
    match of.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => of.width() <= 64,
        LLVMTypeKind::LLVMPointerTypeKind
        | LLVMTypeKind::LLVMFloatTypeKind
        | LLVMTypeKind::LLVMDoubleTypeKind => true,
        _ => false,
    }
}

pub(super) fn no_entry(function: Value) -> Option<String> {
    let of = function.value_type();
    if of.is_variadic() {
        return Some("it takes a variable number of arguments".to_owned());
    }
    let wide = of.parameters().iter().any(|one| !fits(*one));
    wide.then(|| "it takes arguments that are wider than eight bytes".to_owned())
}

pub(super) fn by_value(function: Value) -> Option<String> {
    let mut all = (1..).zip(function.parameters());
    let any = all.any(|(index, _)| function.has_attribute(index, "byval"));
    any.then(|| "it takes a structure by value".to_owned())
}

pub(crate) fn is_address_taken(function: Value) -> bool {
    let is_call = |user: &Value| {
        user.is_instruction()
            && user.opcode() == LLVMOpcode::LLVMCall
            && user.callee() == function
            && !user.arguments().contains(&function)
    };
    !function.users().iter().all(is_call)
}
