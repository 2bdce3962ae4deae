//! `RuntimeVisibleTypeAnnotations` and `RuntimeInvisibleTypeAnnotations` on
//! code: they point at instructions and variable ranges, so relocation must
//! know them.
//!
//! ```text
//! u2 n, then n of:
//!   u1 target
//!     40, 41   u2 n { u2 start, u2 length, u2 slot }[n]   variable, resource
//!     42       u2 exception-table index                   catch
//!     43..=46  u2 offset                                  instanceof, new, ::new, ::
//!     47..=4B  u2 offset, u1 argument                     casts and type arguments
//!   path:       u1 n { u1 kind, u1 argument }[n]
//!   annotation: u2 type, u2 n { u2 name, value }[n]
//! ```
//!
//! Path and annotation mean nothing to relocation; they are kept as bytes.

use super::cursor::Cursor;
use super::{Attribute, ReadError};

/// The type annotations of a body.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CodeAnnotations<'a>(pub Vec<CodeAnnotation<'a>>);

/// One type annotation on code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAnnotation<'a> {
    /// The first byte.
    pub tag: u8,
    /// What is annotated.
    pub target: CodeTarget,
    /// Path and annotation, not interpreted.
    pub rest: &'a [u8],
}

/// What a type annotation on code annotates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeTarget {
    /// A local variable or resource, wherever it is live.
    Locals(Vec<LocalRange>),
    /// The exception type of a row of the exception table.
    Catch(u16),
    /// The instruction at this offset.
    Instruction(u16),
    /// The instruction at this offset, and which of its type arguments.
    Argument(u16, u8),
}

/// Where a variable is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalRange {
    /// The first instruction.
    pub start: u16,
    /// The length in bytes.
    pub length: u16,
    /// The slot.
    pub slot: u16,
}

/// javac nests annotations as deeply as the source does; the JVM has no limit
/// of its own, but a parser that recurses needs one.
const MAX_DEPTH: u32 = 64;

impl<'a> CodeAnnotations<'a> {
    /// Reads the content of either attribute.
    pub fn read(attribute: &Attribute<'a>) -> Result<Self, ReadError> {
        attribute
            .all(|cursor| cursor.list(CodeAnnotation::read))
            .map(Self)
    }
}

impl<'a> CodeAnnotation<'a> {
    fn read(c: &mut Cursor<'a>) -> Result<Self, ReadError> {
        let offset = c.offset();
        let tag = c.u1()?;
        let target = match tag {
            0x40 | 0x41 => CodeTarget::Locals(c.list(|c| {
                Ok(LocalRange {
                    start: c.u2()?,
                    length: c.u2()?,
                    slot: c.u2()?,
                })
            })?),
            0x42 => CodeTarget::Catch(c.u2()?),
            0x43..=0x46 => CodeTarget::Instruction(c.u2()?),
            0x47..=0x4B => CodeTarget::Argument(c.u2()?, c.u1()?),
            tag => return Err(ReadError::BadAnnotation { offset, tag }),
        };
        let mut start = *c;
        let length = c.u1()?;
        c.take(usize::from(length).saturating_mul(2))?;
        skip_annotation(c, MAX_DEPTH)?;
        let rest = start.take(c.offset().saturating_sub(start.offset()))?;
        Ok(Self { tag, target, rest })
    }
}

fn skip_annotation(c: &mut Cursor<'_>, depth: u32) -> Result<(), ReadError> {
    c.u2()?;
    let count = c.u2()?;
    for _ in 0..count {
        c.u2()?;
        skip_value(c, depth)?;
    }
    Ok(())
}

fn skip_value(c: &mut Cursor<'_>, depth: u32) -> Result<(), ReadError> {
    let offset = c.offset();
    let Some(depth) = depth.checked_sub(1) else {
        return Err(ReadError::NestedTooDeeply { offset });
    };
    match c.u1()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            c.u2()?;
        }
        b'e' => {
            c.u4()?;
        }
        b'@' => skip_annotation(c, depth)?,
        b'[' => {
            let count = c.u2()?;
            for _ in 0..count {
                skip_value(c, depth)?;
            }
        }
        tag => return Err(ReadError::BadAnnotation { offset, tag }),
    }
    Ok(())
}
