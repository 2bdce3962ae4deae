//! What can be told of a value, a call or a function by how it looks.

use reprise_c_analysis::annotations::{Annotation, Length};

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

pub(super) fn moved(does: &Annotation, arguments: usize) -> Option<Moved> {
    if let Some((_, length)) = does.fills.first() {
        let at = does.fills[0].0;
        return Some(match *length {
            Length::Bytes(bytes) => Moved::Bytes(bytes),
            Length::Result => Moved::Result,
            Length::ResultTimes(factor) => Moved::ResultTimes(factor),
            Length::Argument(at) => Moved::Argument(at),
            Length::Text => Moved::Text(at),
        });
    }
    let (_, from) = does.copies.filter(|_| does.own)?;
    Some(if arguments > 2 {
        Moved::Argument(2)
    } else {
        Moved::Text(from)
    })
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

pub(super) fn is_address_taken(function: Value) -> bool {
    let is_call = |user: &Value| {
        user.is_instruction()
            && user.opcode() == LLVMOpcode::LLVMCall
            && user.callee() == function
            && !user.arguments().contains(&function)
    };
    !function.users().iter().all(is_call)
}
