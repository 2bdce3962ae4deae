//! Instructions, decoded one after the other.
//!
//! ```text
//! opcode operands
//! wide opcode operands                      slots and amounts of two bytes
//! tableswitch  pad  i4 default  i4 low  i4 high  i4[high - low + 1]
//! lookupswitch pad  i4 default  i4 n    { i4 key, i4 distance }[n]
//! ```
//!
//! `pad` is the zero to three bytes that bring the next one to a multiple of
//! four from the start of the code: switches change size when they move.

use super::ReadError;
use super::cursor::Cursor;
use crate::opcode::{self, Format};

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Where it is in the code.
    pub offset: u32,
    /// Its length in bytes, with `wide` and padding.
    pub length: u32,
    /// The opcode; for a `wide` instruction the one that follows `wide`.
    pub opcode: u8,
    /// Whether `wide` precedes the opcode.
    pub wide: bool,
    /// The operands.
    pub operands: Operands<'a>,
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands<'a> {
    /// None.
    None,
    /// The value of `bipush` or `sipush`.
    Value(i16),
    /// The slot of a load, a store or `ret`. The short forms (`aload_0`) have
    /// theirs in the opcode; see [`Instruction::local`].
    Local(u16),
    /// Slot and amount of `iinc`.
    Increment(u16, i16),
    /// A constant.
    Constant(u16),
    /// The method of `invokeinterface` and the redundant count of its slots.
    InvokeInterface(u16, u8),
    /// The element type of `newarray`.
    ArrayType(u8),
    /// The class of `multianewarray` and how many dimensions it fills.
    Dimensions(u16, u8),
    /// The offset that is jumped to. It need not be in the code.
    Target(i64),
    /// A `tableswitch`.
    TableSwitch(TableSwitch<'a>),
    /// A `lookupswitch`.
    LookupSwitch(LookupSwitch<'a>),
}

/// The operands of `tableswitch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSwitch<'a> {
    /// Where the switch itself is.
    pub offset: u32,
    /// The target for all other keys.
    pub default: i64,
    /// The key of the first target.
    pub low: i32,
    /// The key of the last target.
    pub high: i32,
    /// The distances as they stand in the file.
    pub(crate) distances: &'a [u8],
}

/// The operands of `lookupswitch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookupSwitch<'a> {
    /// Where the switch itself is.
    pub offset: u32,
    /// The target for all other keys.
    pub default: i64,
    /// Keys and distances as they stand in the file.
    pub(crate) pairs: &'a [u8],
}

impl<'a> TableSwitch<'a> {
    /// The targets of `low..=high`.
    pub fn targets(self) -> impl Iterator<Item = i64> + 'a {
        let (words, _) = self.distances.as_chunks::<4>();
        let origin = i64::from(self.offset);
        words
            .iter()
            .map(move |word| origin.saturating_add(i64::from(i32::from_be_bytes(*word))))
    }
}

impl<'a> LookupSwitch<'a> {
    /// Keys and targets.
    pub fn pairs(self) -> impl Iterator<Item = (i32, i64)> + 'a {
        let (words, _) = self.pairs.as_chunks::<8>();
        let origin = i64::from(self.offset);
        words.iter().map(move |[a, b, c, d, e, f, g, h]| {
            let key = i32::from_be_bytes([*a, *b, *c, *d]);
            let distance = i32::from_be_bytes([*e, *f, *g, *h]);
            (key, origin.saturating_add(i64::from(distance)))
        })
    }
}

impl Instruction<'_> {
    /// The offset of the next instruction.
    pub fn end(&self) -> u32 {
        self.offset.saturating_add(self.length)
    }

    /// The slot that a load, a store, `iinc` or `ret` names, in whatever form.
    pub fn local(&self) -> Option<u16> {
        match self.operands {
            Operands::Local(slot) | Operands::Increment(slot, _) => Some(slot),
            Operands::None => match self.opcode {
                opcode::ILOAD_0..=opcode::ALOAD_3 => {
                    Some(u16::from(self.opcode.wrapping_sub(opcode::ILOAD_0) & 3))
                }
                opcode::ISTORE_0..=opcode::ASTORE_3 => {
                    Some(u16::from(self.opcode.wrapping_sub(opcode::ISTORE_0) & 3))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The constant it refers to.
    pub fn constant(&self) -> Option<u16> {
        match self.operands {
            Operands::Constant(index)
            | Operands::InvokeInterface(index, _)
            | Operands::Dimensions(index, _) => Some(index),
            _ => None,
        }
    }

    /// Calls `visit` with every offset it may jump to.
    pub fn each_target(&self, mut visit: impl FnMut(i64)) {
        match self.operands {
            Operands::Target(target) => visit(target),
            Operands::TableSwitch(switch) => {
                visit(switch.default);
                switch.targets().for_each(visit);
            }
            Operands::LookupSwitch(switch) => {
                visit(switch.default);
                switch.pairs().for_each(|(_, target)| visit(target));
            }
            _ => {}
        }
    }
}

/// Iterates over code; ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    cursor: Cursor<'a>,
    failed: bool,
}

impl<'a> Instructions<'a> {
    /// Iterates over `code`, the bytes of a whole method body.
    pub fn new(code: &'a [u8]) -> Self {
        Self {
            code,
            cursor: Cursor::new(code, 0),
            failed: false,
        }
    }

    fn decode(&mut self) -> Result<Instruction<'a>, ReadError> {
        let c = &mut self.cursor;
        let offset = u32::try_from(c.offset()).unwrap_or(u32::MAX);
        let mut opcode = c.u1()?;
        let format = opcode::format(opcode).ok_or(ReadError::BadOpcode { offset, opcode })?;
        let target =
            |distance: i32| Operands::Target(i64::from(offset).saturating_add(i64::from(distance)));
        let mut wide = false;
        let operands = match format {
            Format::Plain => Operands::None,
            Format::Byte => Operands::Value(c.i1()?.into()),
            Format::Short => Operands::Value(c.i2()?),
            Format::Local => Operands::Local(c.u1()?.into()),
            Format::Increment => Operands::Increment(c.u1()?.into(), c.i1()?.into()),
            Format::Ldc => Operands::Constant(c.u1()?.into()),
            Format::Pool => Operands::Constant(c.u2()?),
            Format::Jump => target(c.i2()?.into()),
            Format::JumpWide => target(c.i4()?),
            Format::InvokeInterface => {
                let operands = Operands::InvokeInterface(c.u2()?, c.u1()?);
                c.u1()?;
                operands
            }
            Format::InvokeDynamic => {
                let constant = c.u2()?;
                c.u2()?;
                Operands::Constant(constant)
            }
            Format::NewArray => Operands::ArrayType(c.u1()?),
            Format::MultiNewArray => Operands::Dimensions(c.u2()?, c.u1()?),
            Format::Wide => {
                wide = true;
                opcode = c.u1()?;
                match opcode::format(opcode) {
                    Some(Format::Local) => Operands::Local(c.u2()?),
                    Some(Format::Increment) => Operands::Increment(c.u2()?, c.i2()?),
                    _ => return Err(ReadError::BadWide { offset, opcode }),
                }
            }
            Format::TableSwitch => {
                c.take(padding(offset))?;
                let default = i64::from(offset).saturating_add(c.i4()?.into());
                let (low, high) = (c.i4()?, c.i4()?);
                let count = i64::from(high).saturating_sub(low.into()).saturating_add(1);
                let count = usize::try_from(count).map_err(|_| ReadError::BadSwitch {
                    offset,
                    low,
                    high,
                })?;
                Operands::TableSwitch(TableSwitch {
                    offset,
                    default,
                    low,
                    high,
                    distances: c.take(count.saturating_mul(4))?,
                })
            }
            Format::LookupSwitch => {
                c.take(padding(offset))?;
                let default = i64::from(offset).saturating_add(c.i4()?.into());
                let count = c.i4()?;
                let bytes = usize::try_from(count)
                    .map_err(|_| ReadError::BadSwitch {
                        offset,
                        low: 0,
                        high: count,
                    })?
                    .saturating_mul(8);
                Operands::LookupSwitch(LookupSwitch {
                    offset,
                    default,
                    pairs: c.take(bytes)?,
                })
            }
        };
        let end = u32::try_from(c.offset()).unwrap_or(u32::MAX);
        Ok(Instruction {
            offset,
            length: end.saturating_sub(offset),
            opcode,
            wide,
            operands,
        })
    }
}

/// The bytes between the opcode of a switch at `offset` and its operands.
pub(crate) fn padding(offset: u32) -> usize {
    (!offset & 3) as usize
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.cursor.offset() >= self.code.len() {
            return None;
        }
        let result = self.decode();
        self.failed = result.is_err();
        Some(result)
    }
}
