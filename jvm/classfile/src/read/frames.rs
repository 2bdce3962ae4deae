//! The `StackMapTable`: the types of locals and stack at jump targets.
//!
//! ```text
//! u2 n, then n frames, each beginning with a kind:
//!   0..=63    same                      delta = kind
//!   64..=127  same locals, one on stack delta = kind - 64   type
//!   247       the same, extended        u2 delta            type
//!   248..=250 chop 251 - kind locals    u2 delta
//!   251       same, extended            u2 delta
//!   252..=254 append kind - 251 locals  u2 delta            type[kind - 251]
//!   255       full                      u2 delta  u2 n type[n]  u2 n type[n]
//! ```
//!
//! The first frame is at `delta`, each later one at `previous + delta + 1`.
//! *Same*, *chop* and *append* are relative to the frame before, or to the
//! method's parameters.

use super::cursor::Cursor;
use super::{Attribute, ReadError};

/// The frames of a body, in order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StackMapTable(pub Vec<Frame>);

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The instruction it describes. Wider than the file's deltas, so that
    /// their sum cannot overflow.
    pub offset: u32,
    /// How it is written.
    pub kind: FrameKind,
}

/// How a frame is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The locals of the frame before and an empty stack.
    Same {
        /// Whether it has the long form, needed or not.
        extended: bool,
    },
    /// The locals of the frame before and one value.
    SameLocals {
        /// The value.
        stack: VerificationType,
        /// Whether it has the long form, needed or not.
        extended: bool,
    },
    /// The last one to three locals are gone; the stack is empty.
    Chop(u8),
    /// One to three more locals; the stack is empty.
    Append(Vec<VerificationType>),
    /// Everything spelled out.
    Full {
        /// The locals; Long and Double stand for two slots.
        locals: Vec<VerificationType>,
        /// The stack.
        stack: Vec<VerificationType>,
    },
}

/// A type as the verifier sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationType {
    /// Unusable.
    Top,
    /// `int` and everything smaller.
    Integer,
    /// `float`.
    Float,
    /// `double`, two slots.
    Double,
    /// `long`, two slots.
    Long,
    /// The type of `null`.
    Null,
    /// `this` before `super()`.
    UninitializedThis,
    /// A reference; the Class constant.
    Object(u16),
    /// What the `new` at this offset made, before its constructor.
    Uninitialized(u16),
}

impl StackMapTable {
    /// Reads the content of the attribute of this name.
    pub fn read(attribute: &Attribute<'_>) -> Result<Self, ReadError> {
        let mut before: Option<u32> = None;
        attribute
            .all(|cursor| {
                cursor.list(|c| {
                    let (delta, kind) = FrameKind::read(c)?;
                    // At most 65,535 frames of at most 65,536 bytes each: the
                    // sum stays below 2^32.
                    let offset = match before {
                        None => u32::from(delta),
                        Some(before) => before.saturating_add(u32::from(delta)).saturating_add(1),
                    };
                    before = Some(offset);
                    Ok(Frame { offset, kind })
                })
            })
            .map(Self)
    }
}

impl FrameKind {
    fn read(c: &mut Cursor<'_>) -> Result<(u16, Self), ReadError> {
        let offset = c.offset();
        let tag = c.u1()?;
        Ok(match tag {
            0..=63 => (u16::from(tag), Self::Same { extended: false }),
            64..=127 => (
                u16::from(tag & 0x3F),
                Self::SameLocals {
                    stack: VerificationType::read(c)?,
                    extended: false,
                },
            ),
            247 => (
                c.u2()?,
                Self::SameLocals {
                    stack: VerificationType::read(c)?,
                    extended: true,
                },
            ),
            248..=250 => (c.u2()?, Self::Chop(251_u8.saturating_sub(tag))),
            251 => (c.u2()?, Self::Same { extended: true }),
            252..=254 => {
                let delta = c.u2()?;
                let count = usize::from(tag.saturating_sub(251));
                (delta, Self::Append(c.items(count, VerificationType::read)?))
            }
            255 => (
                c.u2()?,
                Self::Full {
                    locals: c.list(VerificationType::read)?,
                    stack: c.list(VerificationType::read)?,
                },
            ),
            128..=246 => return Err(ReadError::BadFrame { offset, tag }),
        })
    }
}

impl VerificationType {
    fn read(c: &mut Cursor<'_>) -> Result<Self, ReadError> {
        let offset = c.offset();
        Ok(match c.u1()? {
            0 => Self::Top,
            1 => Self::Integer,
            2 => Self::Float,
            3 => Self::Double,
            4 => Self::Long,
            5 => Self::Null,
            6 => Self::UninitializedThis,
            7 => Self::Object(c.u2()?),
            8 => Self::Uninitialized(c.u2()?),
            tag => return Err(ReadError::BadVerificationType { offset, tag }),
        })
    }
}
