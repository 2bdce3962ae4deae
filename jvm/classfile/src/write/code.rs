//! The `Code` attribute and its tables; the format is drawn in
//! `read/code.rs`.

use super::class::put_attributes;
use super::{AttributeEditor, Snippet, WriteError, put_list, put_u2, put_u4};
use crate::read::{ExceptionEntry, LineNumberTable, LocalVariableTable};

/// The content of a `Code` attribute for a new method whose body is one piece
/// of straight-line code. `locals` counts the parameters, with `this`.
pub fn write_code(locals: u16, body: &Snippet) -> Result<Vec<u8>, WriteError> {
    CodeParts {
        max_stack: body.max_stack(),
        max_locals: locals.max(body.max_locals()),
        bytes: body.bytes(),
        exceptions: &[],
        attributes: &[],
    }
    .write()
}

/// Everything in a `Code` attribute.
pub(crate) struct CodeParts<'p> {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) bytes: &'p [u8],
    pub(crate) exceptions: &'p [ExceptionEntry],
    pub(crate) attributes: &'p [AttributeEditor<'p>],
}

impl CodeParts<'_> {
    pub(crate) fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::with_capacity(self.bytes.len().saturating_mul(2));
        put_u2(&mut out, self.max_stack);
        put_u2(&mut out, self.max_locals);
        put_u4(
            &mut out,
            u32::try_from(self.bytes.len()).map_err(|_| WriteError::TooMany {
                what: "bytes of code",
                count: self.bytes.len(),
            })?,
        );
        out.extend_from_slice(self.bytes);
        put_list(
            &mut out,
            "exception handlers",
            self.exceptions,
            |out, row| {
                for value in [row.start, row.end, row.handler, row.catch_type] {
                    put_u2(out, value);
                }
            },
        )?;
        put_attributes(&mut out, self.attributes)?;
        Ok(out)
    }
}

impl LineNumberTable {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_list(&mut out, "line numbers", &self.0, |out, row| {
            put_u2(out, row.start);
            put_u2(out, row.line);
        })?;
        Ok(out)
    }
}

impl LocalVariableTable {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_list(&mut out, "local variables", &self.0, |out, row| {
            for value in [row.start, row.length, row.name, row.descriptor, row.slot] {
                put_u2(out, value);
            }
        })?;
        Ok(out)
    }
}
