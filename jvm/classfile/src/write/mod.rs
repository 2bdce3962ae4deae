//! Writing: a class file with some of its parts replaced.
//!
//! A [`ClassEditor`] starts as a copy of a [`ClassFile`](crate::read::ClassFile)
//! and borrows everything that is not replaced. Its constant pool only grows,
//! so that no index in the copied parts has to change.
//!
//! Each file here has a counterpart with the same name in [`crate::read`],
//! except [`rename_classes`], which has nothing to read.

mod annotations;
mod attribute;
mod class;
mod code;
mod frames;
mod instruction;
mod pool;
mod rename;

pub use class::{AttributeEditor, ClassEditor, MemberEditor, WriteError, empty_class};
pub(crate) use code::CodeParts;
pub use code::{write_choice, write_code};
pub use instruction::{Invoke, Snippet, SnippetError};
pub use pool::{PoolEditor, PoolError};
pub use rename::{RenameError, rename_classes};

/// Appends a `u2` count and the items. A count that does not fit is the
/// error, so that no table is cut short in silence.
pub(crate) fn put_list<T>(
    out: &mut Vec<u8>,
    what: &'static str,
    items: &[T],
    mut put: impl FnMut(&mut Vec<u8>, &T),
) -> Result<(), WriteError> {
    put_u2(out, fit_u2(what, items.len())?);
    for item in items {
        put(out, item);
    }
    Ok(())
}

pub(crate) fn put_u2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn put_u4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn fit_u2(what: &'static str, count: usize) -> Result<u16, WriteError> {
    u16::try_from(count).map_err(|_| WriteError::TooMany { what, count })
}
