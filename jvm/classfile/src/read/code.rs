//! The `Code` attribute and the tables inside it.
//!
//! ```text
//! u2 max_stack   u2 max_locals
//! u4 length      u1[length] code
//! u2 n           { u2 start, u2 end, u2 handler, u2 catch_type }[n]
//! u2 n           attribute[n]
//!
//! LineNumberTable:        u2 n  { u2 start, u2 line }[n]
//! LocalVariableTable:     u2 n  { u2 start, u2 length, u2 name, u2 descriptor, u2 slot }[n]
//! LocalVariableTypeTable: the same with a signature for the descriptor
//! ```

use super::cursor::Cursor;
use super::{Attribute, Instructions, ReadError};

/// A method body.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// The depth of the operand stack, in slots.
    pub max_stack: u16,
    /// The number of local slots.
    pub max_locals: u16,
    /// The instructions.
    pub bytes: &'a [u8],
    /// Where `bytes` begins in the file.
    pub offset: usize,
    /// The exception handlers, in the order they are searched.
    pub exceptions: Vec<ExceptionEntry>,
    /// The attributes of the body.
    pub attributes: Vec<Attribute<'a>>,
}

/// One row of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionEntry {
    /// The first instruction covered.
    pub start: u16,
    /// The first instruction after the range; may be the end of the code.
    pub end: u16,
    /// Where the handler begins.
    pub handler: u16,
    /// The Class constant that is caught; 0 for everything.
    pub catch_type: u16,
}

/// `LineNumberTable`; a body may have several.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LineNumberTable(pub Vec<LineNumber>);

/// One row of a line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineNumber {
    /// The first instruction of the line.
    pub start: u16,
    /// The line in the source file.
    pub line: u16,
}

/// `LocalVariableTable` or `LocalVariableTypeTable`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LocalVariableTable(pub Vec<LocalVariable>);

/// One row of a variable table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// The first instruction at which the variable has a value.
    pub start: u16,
    /// The length of the range in bytes.
    pub length: u16,
    /// The name.
    pub name: u16,
    /// The descriptor, or the signature in a `LocalVariableTypeTable`.
    pub descriptor: u16,
    /// The slot.
    pub slot: u16,
}

impl<'a> Code<'a> {
    /// Reads the content of a `Code` attribute. Instructions and inner
    /// attributes are not decoded yet.
    pub fn read(attribute: &Attribute<'a>) -> Result<Self, ReadError> {
        attribute.all(|cursor| {
            let max_stack = cursor.u2()?;
            let max_locals = cursor.u2()?;
            let length = cursor.u4()?;
            if !(1..=65_535).contains(&length) {
                return Err(ReadError::BadCodeLength { length });
            }
            let offset = cursor.offset();
            Ok(Self {
                max_stack,
                max_locals,
                bytes: cursor.take(usize::try_from(length).unwrap_or(usize::MAX))?,
                offset,
                exceptions: cursor.list(|c| {
                    Ok(ExceptionEntry {
                        start: c.u2()?,
                        end: c.u2()?,
                        handler: c.u2()?,
                        catch_type: c.u2()?,
                    })
                })?,
                attributes: cursor.list(Attribute::read)?,
            })
        })
    }

    /// The instructions in order.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions::new(self.bytes)
    }
}

impl LineNumberTable {
    /// Reads the content of the attribute of this name.
    pub fn read(attribute: &Attribute<'_>) -> Result<Self, ReadError> {
        attribute
            .all(|cursor| {
                cursor.list(|c| {
                    Ok(LineNumber {
                        start: c.u2()?,
                        line: c.u2()?,
                    })
                })
            })
            .map(Self)
    }
}

impl LocalVariableTable {
    /// Reads the content of a `LocalVariableTable` or `LocalVariableTypeTable`.
    pub fn read(attribute: &Attribute<'_>) -> Result<Self, ReadError> {
        attribute
            .all(|cursor| cursor.list(LocalVariable::read))
            .map(Self)
    }
}

impl LocalVariable {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            start: cursor.u2()?,
            length: cursor.u2()?,
            name: cursor.u2()?,
            descriptor: cursor.u2()?,
            slot: cursor.u2()?,
        })
    }
}
