//! The constant pool.
//!
//! ```text
//! u2 count                    one more than the last index; index 0 is unused
//! { u1 tag; payload }*        Long and Double take two indexes
//! ```
//!
//! Only the entries' offsets are kept; a constant is decoded when asked for.
//! Indexes inside constants are not checked until they are followed, because
//! the JVM does not look at unused ones either.

use super::ReadError;
use super::cursor::Cursor;
use crate::mutf8::Utf8;

/// The tags of constants.
pub(crate) mod tag {
    pub(crate) const UTF8: u8 = 1;
    pub(crate) const INTEGER: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const LONG: u8 = 5;
    pub(crate) const DOUBLE: u8 = 6;
    pub(crate) const CLASS: u8 = 7;
    pub(crate) const STRING: u8 = 8;
    pub(crate) const FIELD_REF: u8 = 9;
    pub(crate) const METHOD_REF: u8 = 10;
    pub(crate) const INTERFACE_METHOD_REF: u8 = 11;
    pub(crate) const NAME_AND_TYPE: u8 = 12;
    pub(crate) const METHOD_HANDLE: u8 = 15;
    pub(crate) const METHOD_TYPE: u8 = 16;
    pub(crate) const DYNAMIC: u8 = 17;
    pub(crate) const INVOKE_DYNAMIC: u8 = 18;
    pub(crate) const MODULE: u8 = 19;
    pub(crate) const PACKAGE: u8 = 20;
}

/// One constant; indexes point into the same pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the specification's tables.
pub enum Constant<'a> {
    Utf8(Utf8<'a>),
    Integer(i32),
    /// The bits of the float: a NaN keeps its payload.
    Float(u32),
    Long(i64),
    /// The bits of the double.
    Double(u64),
    Class {
        name: u16,
    },
    String {
        text: u16,
    },
    FieldRef {
        class: u16,
        name_and_type: u16,
    },
    MethodRef {
        class: u16,
        name_and_type: u16,
    },
    InterfaceMethodRef {
        class: u16,
        name_and_type: u16,
    },
    NameAndType {
        name: u16,
        descriptor: u16,
    },
    MethodHandle {
        kind: u8,
        reference: u16,
    },
    MethodType {
        descriptor: u16,
    },
    Dynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    InvokeDynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    Module {
        name: u16,
    },
    Package {
        name: u16,
    },
}

/// A field or method reference with its indexes followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// The owner's name, or an array descriptor.
    pub class: Utf8<'a>,
    /// The member's name.
    pub name: Utf8<'a>,
    /// The member's descriptor.
    pub descriptor: Utf8<'a>,
    /// Whether the constant is an `InterfaceMethodref`.
    pub interface: bool,
}

/// The constants of a class file.
#[derive(Clone, Debug)]
pub struct Pool<'a> {
    /// The entries without the count.
    bytes: &'a [u8],
    /// Where `bytes` begins in the file.
    base: usize,
    /// By index: where the entry begins in `bytes`; [`UNUSABLE`] for index 0
    /// and for the second index of a Long or Double.
    starts: Vec<u32>,
}

const UNUSABLE: u32 = u32::MAX;

impl<'a> Pool<'a> {
    /// Reads count and entries.
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self, ReadError> {
        let offset = cursor.offset();
        let count = cursor.u2()?;
        if count == 0 {
            return Err(ReadError::EmptyPool { offset });
        }
        let base = cursor.offset();
        let start = *cursor;
        // The shortest entry has three bytes.
        let likely = usize::from(count).min((cursor.remaining() / 3).saturating_add(1));
        let mut starts = Vec::with_capacity(likely);
        starts.push(UNUSABLE);
        while starts.len() < usize::from(count) {
            let index = u16::try_from(starts.len()).unwrap_or(u16::MAX);
            let offset = cursor.offset();
            starts.push(u32::try_from(offset.saturating_sub(base)).unwrap_or(UNUSABLE));
            let tag = cursor.u1()?;
            let length = match tag {
                tag::UTF8 => usize::from(cursor.u2()?),
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 2,
                tag::METHOD_HANDLE => 3,
                tag::INTEGER | tag::FLOAT => 4,
                tag::FIELD_REF..=tag::NAME_AND_TYPE | tag::DYNAMIC | tag::INVOKE_DYNAMIC => 4,
                tag::LONG | tag::DOUBLE => {
                    if starts.len() >= usize::from(count) {
                        return Err(ReadError::ConstantBeyondPool { index, count });
                    }
                    starts.push(UNUSABLE);
                    8
                }
                tag => return Err(ReadError::BadConstantTag { index, offset, tag }),
            };
            cursor.take(length)?;
        }
        let mut whole = start;
        let bytes = whole.take(cursor.offset().saturating_sub(base))?;
        Ok(Self {
            bytes,
            base,
            starts,
        })
    }

    /// One more than the highest index, as the file has it.
    pub fn count(&self) -> u16 {
        u16::try_from(self.starts.len()).unwrap_or(u16::MAX)
    }

    /// The bytes of all entries, without the count.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Where entry `index` begins in [`Pool::as_bytes`].
    pub(crate) fn start(&self, index: u16) -> Option<usize> {
        let start = *self.starts.get(usize::from(index))?;
        (start != UNUSABLE).then_some(start as usize)
    }

    /// The tag and payload of one entry.
    pub(crate) fn entry_bytes(&self, index: u16) -> Option<&'a [u8]> {
        let start = self.start(index)?;
        let end = (usize::from(index).saturating_add(1)..self.starts.len())
            .find_map(|next| self.start(u16::try_from(next).ok()?))
            .unwrap_or(self.bytes.len());
        self.bytes.get(start..end)
    }

    /// The usable indexes, in order.
    pub fn indexes(&self) -> impl Iterator<Item = u16> + '_ {
        (1..self.count()).filter(|index| self.start(*index).is_some())
    }

    /// The constant at `index`.
    pub fn get(&self, index: u16) -> Result<Constant<'a>, ReadError> {
        let none = ReadError::NoSuchConstant {
            index,
            count: self.count(),
        };
        let start = self.start(index).ok_or(none.clone())?;
        let bytes = self.bytes.get(start..).ok_or(none)?;
        let offset = self.base.saturating_add(start);
        Constant::read(&mut Cursor::new(bytes, offset), index)
    }

    /// The text at `index`.
    pub fn utf8(&self, index: u16) -> Result<Utf8<'a>, ReadError> {
        match self.get(index)? {
            Constant::Utf8(text) => Ok(text),
            other => Err(other.is_not("Utf8", index)),
        }
    }

    /// The name of the class at `index`: `java/lang/String` or `[I`.
    pub fn class_name(&self, index: u16) -> Result<Utf8<'a>, ReadError> {
        match self.get(index)? {
            Constant::Class { name } => self.utf8(name),
            other => Err(other.is_not("Class", index)),
        }
    }

    /// Name and descriptor of the NameAndType at `index`.
    pub fn name_and_type(&self, index: u16) -> Result<(Utf8<'a>, Utf8<'a>), ReadError> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => {
                Ok((self.utf8(name)?, self.utf8(descriptor)?))
            }
            other => Err(other.is_not("NameAndType", index)),
        }
    }

    /// The field, method or interface method at `index`.
    pub fn member(&self, index: u16) -> Result<MemberRef<'a>, ReadError> {
        let (class, name_and_type, interface) = match self.get(index)? {
            Constant::FieldRef {
                class,
                name_and_type,
            }
            | Constant::MethodRef {
                class,
                name_and_type,
            } => (class, name_and_type, false),
            Constant::InterfaceMethodRef {
                class,
                name_and_type,
            } => (class, name_and_type, true),
            other => return Err(other.is_not("Fieldref or Methodref", index)),
        };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        Ok(MemberRef {
            class: self.class_name(class)?,
            name,
            descriptor,
            interface,
        })
    }

    /// Name and descriptor of the Dynamic or InvokeDynamic at `index`.
    pub fn dynamic(&self, index: u16) -> Result<(Utf8<'a>, Utf8<'a>), ReadError> {
        match self.get(index)? {
            Constant::Dynamic { name_and_type, .. }
            | Constant::InvokeDynamic { name_and_type, .. } => self.name_and_type(name_and_type),
            other => Err(other.is_not("Dynamic or InvokeDynamic", index)),
        }
    }
}

impl<'a> Constant<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>, index: u16) -> Result<Self, ReadError> {
        let offset = cursor.offset();
        let tag = cursor.u1()?;
        Ok(match tag {
            tag::UTF8 => {
                let length = cursor.u2()?;
                Self::Utf8(Utf8(cursor.take(usize::from(length))?))
            }
            tag::INTEGER => Self::Integer(cursor.i4()?),
            tag::FLOAT => Self::Float(cursor.u4()?),
            tag::LONG => Self::Long(cursor.u8()?.cast_signed()),
            tag::DOUBLE => Self::Double(cursor.u8()?),
            tag::CLASS => Self::Class { name: cursor.u2()? },
            tag::STRING => Self::String { text: cursor.u2()? },
            tag::FIELD_REF => Self::FieldRef {
                class: cursor.u2()?,
                name_and_type: cursor.u2()?,
            },
            tag::METHOD_REF => Self::MethodRef {
                class: cursor.u2()?,
                name_and_type: cursor.u2()?,
            },
            tag::INTERFACE_METHOD_REF => Self::InterfaceMethodRef {
                class: cursor.u2()?,
                name_and_type: cursor.u2()?,
            },
            tag::NAME_AND_TYPE => Self::NameAndType {
                name: cursor.u2()?,
                descriptor: cursor.u2()?,
            },
            tag::METHOD_HANDLE => Self::MethodHandle {
                kind: cursor.u1()?,
                reference: cursor.u2()?,
            },
            tag::METHOD_TYPE => Self::MethodType {
                descriptor: cursor.u2()?,
            },
            tag::DYNAMIC => Self::Dynamic {
                bootstrap: cursor.u2()?,
                name_and_type: cursor.u2()?,
            },
            tag::INVOKE_DYNAMIC => Self::InvokeDynamic {
                bootstrap: cursor.u2()?,
                name_and_type: cursor.u2()?,
            },
            tag::MODULE => Self::Module { name: cursor.u2()? },
            tag::PACKAGE => Self::Package { name: cursor.u2()? },
            tag => return Err(ReadError::BadConstantTag { index, offset, tag }),
        })
    }

    /// The tag this constant has in a file.
    pub fn tag(&self) -> u8 {
        match self {
            Self::Utf8(_) => tag::UTF8,
            Self::Integer(_) => tag::INTEGER,
            Self::Float(_) => tag::FLOAT,
            Self::Long(_) => tag::LONG,
            Self::Double(_) => tag::DOUBLE,
            Self::Class { .. } => tag::CLASS,
            Self::String { .. } => tag::STRING,
            Self::FieldRef { .. } => tag::FIELD_REF,
            Self::MethodRef { .. } => tag::METHOD_REF,
            Self::InterfaceMethodRef { .. } => tag::INTERFACE_METHOD_REF,
            Self::NameAndType { .. } => tag::NAME_AND_TYPE,
            Self::MethodHandle { .. } => tag::METHOD_HANDLE,
            Self::MethodType { .. } => tag::METHOD_TYPE,
            Self::Dynamic { .. } => tag::DYNAMIC,
            Self::InvokeDynamic { .. } => tag::INVOKE_DYNAMIC,
            Self::Module { .. } => tag::MODULE,
            Self::Package { .. } => tag::PACKAGE,
        }
    }

    fn is_not(&self, expected: &'static str, index: u16) -> ReadError {
        ReadError::WrongConstant {
            index,
            tag: self.tag(),
            expected,
        }
    }
}
