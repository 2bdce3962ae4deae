//! The `Code` attribute and its tables; the format is drawn in
//! `read/code.rs`.

use super::class::put_attributes;
use super::{AttributeEditor, PoolEditor, Snippet, WriteError, put_list, put_u2, put_u4};
use crate::opcode;
use crate::read::{
    ClassFile, ExceptionEntry, Frame, FrameKind, LineNumberTable, LocalVariableTable, StackMapTable,
};

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

/// The content of a `Code` attribute for a new method that makes a choice:
/// `test` leaves an int on the stack, `yes` is for any but zero, `no` for zero,
/// and both leave the method. The locals are the parameters.
pub fn write_choice(
    class: &ClassFile<'_>,
    locals: u16,
    [test, yes, no]: [&Snippet; 3],
    pool: &mut PoolEditor<'_>,
) -> Result<Vec<u8>, WriteError> {
    let too_long = |count| WriteError::TooMany {
        what: "bytes of code",
        count,
    };
    let mut bytes = test.bytes().to_vec();
    let distance = yes.bytes().len().saturating_add(3);
    let distance = i16::try_from(distance).map_err(|_| too_long(distance))?;
    bytes.push(opcode::IFEQ);
    bytes.extend_from_slice(&distance.to_be_bytes());
    bytes.extend_from_slice(yes.bytes());
    let landing = u32::try_from(bytes.len()).map_err(|_| too_long(bytes.len()))?;
    bytes.extend_from_slice(no.bytes());
    let mut attributes = Vec::new();
    if class.major >= 50 {
        let frame = Frame {
            offset: landing,
            kind: FrameKind::Same { extended: false },
        };
        attributes.push(AttributeEditor {
            name: pool.utf8("StackMapTable")?,
            content: StackMapTable(vec![frame]).write()?.into(),
        });
    }
    let parts = [test, yes, no];
    CodeParts {
        max_stack: parts.iter().map(|part| part.max_stack()).fold(0, u16::max),
        max_locals: parts
            .iter()
            .map(|part| part.max_locals())
            .fold(locals, u16::max),
        bytes: &bytes,
        exceptions: &[],
        attributes: &attributes,
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
