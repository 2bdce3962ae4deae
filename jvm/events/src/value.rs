//! Values that cross the boundary.
//!
//! Scalars are written by their static type, which an event knows from its
//! method, its site, or its own first byte. Objects have an identity and a
//! class, never a state; immutable JDK values travel by value.
//!
//! ```text
//! boolean, byte   1 byte
//! short, char     2 bytes, little-endian
//! int, long       zigzag
//! float, double   their bits, little-endian
//! reference       varint: 0 null, otherwise 1 + (id << 2 | space)
//!
//! space 0  an outside object     id = number << 1 | foreign
//! space 1  an inside object      the same
//! space 3  an array              the same
//!          number 0, not foreign: mentioned for the first time; follows a
//!          varint, its class, and for an array a varint, its length. It gets
//!          the next number of this thread, counted from 1.
//!          foreign: follows a varint, the thread that mentioned it first
//! space 2  a value               id = its number in the tables, from 1
//!          id 0: a box; follow its type (a byte) and the scalar
//! ```
//! Numbers are given where an object is first mentioned, in the order of the
//! thread's events, so a replay that mentions the same objects in the same
//! order gives the same numbers, with nothing logged. That the class stands at
//! the first mention spares a table entry, and a lock, for each object.

use crate::bytes::{FormatError, Input, put_varint, put_zigzag};

/// The static type of a value. The numbers stand in the low half of an
/// event's first byte, and before a boxed scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the types of Java")]
pub enum Type {
    Void = 0,
    Boolean = 1,
    Byte = 2,
    Char = 3,
    Short = 4,
    Int = 5,
    Long = 6,
    Float = 7,
    Double = 8,
    Reference = 9,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the types of Java")]
pub enum Value {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    /// The bits of the float.
    Float(u32),
    /// The bits of the double.
    Double(u64),
    Reference(Reference),
}

/// A reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// `null`.
    Null,
    /// An object or array.
    Object(Object),
    /// A value, by its number in the tables.
    Value(u32),
    /// A boxed scalar; never of type reference.
    Box(Scalar),
}

/// A scalar: the bits of a [`Value`] that is no reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// Its type, neither void nor reference.
    pub ty: Type,
    /// Sign-extended for signed types.
    pub bits: u64,
}

/// An object that has an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// Which kind of object.
    pub space: Space,
    /// Which one.
    pub id: ObjectId,
    /// What it is, when it is mentioned for the first time.
    pub first: Option<First>,
}

/// Where an object belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the words of the whole project")]
pub enum Space {
    Outside,
    Inside,
    Array,
}

/// The identity of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The thread that mentioned it first.
    pub thread: u64,
    /// Its number there, from 1.
    pub number: u64,
}

/// What is said with the first mention of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct First {
    /// Its class, by number in the tables.
    pub class: u32,
    /// How many elements an array has; 0 for other objects.
    pub length: u32,
}

/// How far a thread has counted its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The thread.
    pub thread: u64,
    /// The last number given.
    pub last: u64,
}

impl Type {
    /// The type that the first character of a descriptor says.
    #[must_use]
    pub fn of_descriptor(first: u8) -> Option<Self> {
        Some(match first {
            b'V' => Self::Void,
            b'Z' => Self::Boolean,
            b'B' => Self::Byte,
            b'C' => Self::Char,
            b'S' => Self::Short,
            b'I' => Self::Int,
            b'J' => Self::Long,
            b'F' => Self::Float,
            b'D' => Self::Double,
            b'L' | b'[' => Self::Reference,
            _ => return None,
        })
    }

    /// The type of this number.
    pub fn of_code(code: u8) -> Result<Self, FormatError> {
        Ok(match code {
            0 => Self::Void,
            1 => Self::Boolean,
            2 => Self::Byte,
            3 => Self::Char,
            4 => Self::Short,
            5 => Self::Int,
            6 => Self::Long,
            7 => Self::Float,
            8 => Self::Double,
            9 => Self::Reference,
            _ => {
                let (what, code) = ("a type", code.into());
                return Err(FormatError::Unknown { what, code });
            }
        })
    }
}

impl Value {
    /// Reads a value of that type; none for void.
    pub fn read(
        ty: Type,
        input: &mut Input<'_>,
        count: &mut Count,
    ) -> Result<Option<Self>, FormatError> {
        Ok(Some(match ty {
            Type::Void => return Ok(None),
            Type::Boolean => match input.u8()? {
                code @ (0 | 1) => Self::Boolean(code == 1),
                code => {
                    let (what, code) = ("a boolean", code.into());
                    return Err(FormatError::Unknown { what, code });
                }
            },
            Type::Byte => Self::Byte(input.u8()?.cast_signed()),
            Type::Char => Self::Char(u16::from_le_bytes(input.array()?)),
            Type::Short => Self::Short(i16::from_le_bytes(input.array()?)),
            Type::Int => {
                let number = input.zigzag()?;
                Self::Int(i32::try_from(number).map_err(|_| FormatError::TooLarge {
                    number: number.unsigned_abs(),
                    what: "an int",
                })?)
            }
            Type::Long => Self::Long(input.zigzag()?),
            Type::Float => Self::Float(u32::from_le_bytes(input.array()?)),
            Type::Double => Self::Double(u64::from_le_bytes(input.array()?)),
            Type::Reference => Self::Reference(Reference::read(input, count)?),
        }))
    }

    /// Writes it.
    pub fn write(&self, out: &mut Vec<u8>, count: &mut Count) {
        match *self {
            Self::Boolean(value) => out.push(value.into()),
            Self::Byte(value) => out.push(value.cast_unsigned()),
            Self::Char(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Short(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Int(value) => put_zigzag(out, value.into()),
            Self::Long(value) => put_zigzag(out, value),
            Self::Float(bits) => out.extend_from_slice(&bits.to_le_bytes()),
            Self::Double(bits) => out.extend_from_slice(&bits.to_le_bytes()),
            Self::Reference(reference) => reference.write(out, count),
        }
    }

    /// Its type.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self {
            Self::Boolean(_) => Type::Boolean,
            Self::Byte(_) => Type::Byte,
            Self::Char(_) => Type::Char,
            Self::Short(_) => Type::Short,
            Self::Int(_) => Type::Int,
            Self::Long(_) => Type::Long,
            Self::Float(_) => Type::Float,
            Self::Double(_) => Type::Double,
            Self::Reference(_) => Type::Reference,
        }
    }

    /// The bits, unless it is a reference.
    #[must_use]
    pub fn scalar(&self) -> Option<Scalar> {
        let bits = match *self {
            Self::Boolean(value) => value.into(),
            Self::Byte(value) => i64::from(value).cast_unsigned(),
            Self::Char(value) => value.into(),
            Self::Short(value) => i64::from(value).cast_unsigned(),
            Self::Int(value) => i64::from(value).cast_unsigned(),
            Self::Long(value) => value.cast_unsigned(),
            Self::Float(bits) => bits.into(),
            Self::Double(bits) => bits,
            Self::Reference(_) => return None,
        };
        let ty = self.ty();
        Some(Scalar { ty, bits })
    }
}

impl Scalar {
    /// The value again. Bits beyond the type's are ignored.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the type says how many")]
    pub fn value(self) -> Value {
        match self.ty {
            Type::Boolean => Value::Boolean(self.bits & 1 == 1),
            Type::Byte => Value::Byte(self.bits as i8),
            Type::Char => Value::Char(self.bits as u16),
            Type::Short => Value::Short(self.bits as i16),
            Type::Int => Value::Int(self.bits as i32),
            Type::Float => Value::Float(self.bits as u32),
            Type::Double => Value::Double(self.bits),
            _ => Value::Long(self.bits.cast_signed()),
        }
    }
}

impl Reference {
    /// Reads a reference.
    pub fn read(input: &mut Input<'_>, count: &mut Count) -> Result<Self, FormatError> {
        let Some(code) = input.varint()?.checked_sub(1) else {
            return Ok(Self::Null);
        };
        let id = code >> 2;
        let space = match code & 3 {
            0 => Space::Outside,
            1 => Space::Inside,
            2 if id == 0 => return read_box(input, count),
            2 => {
                let what = "a value's number";
                let number = u32::try_from(id);
                let number = number.map_err(|_| FormatError::TooLarge { number: id, what })?;
                return Ok(Self::Value(number));
            }
            _ => Space::Array,
        };
        let mut first = None;
        let id = match (id >> 1, id & 1) {
            (0, 0) => {
                let class = input.u32("a class")?;
                let length = match space {
                    Space::Array => input.u32("a length")?,
                    _ => 0,
                };
                first = Some(First { class, length });
                count.last = count.last.saturating_add(1);
                ObjectId {
                    thread: count.thread,
                    number: count.last,
                }
            }
            (number, 0) => ObjectId {
                thread: count.thread,
                number,
            },
            // Another thread's objects are counted from 1, too.
            (0, _) => {
                let (what, code) = ("an object's number", 0);
                return Err(FormatError::Unknown { what, code });
            }
            (number, _) => ObjectId {
                thread: input.varint()?,
                number,
            },
        };
        Ok(Self::Object(Object { space, id, first }))
    }

    /// Writes it. An object with a [`First`] must have the next number.
    pub fn write(&self, out: &mut Vec<u8>, count: &mut Count) {
        match *self {
            Self::Null => out.push(0),
            Self::Value(number) => put_varint(out, 1 + (u64::from(number) << 2 | 2)),
            Self::Box(scalar) => {
                put_varint(out, 1 + 2);
                out.push(scalar.ty as u8);
                scalar.value().write(out, count);
            }
            Self::Object(Object { space, id, first }) => {
                let space_code = match space {
                    Space::Outside => 0,
                    Space::Inside => 1,
                    Space::Array => 3,
                };
                if let Some(first) = first {
                    put_varint(out, 1 + space_code);
                    put_varint(out, first.class.into());
                    if space == Space::Array {
                        put_varint(out, first.length.into());
                    }
                    count.last = count.last.saturating_add(1);
                } else if id.thread == count.thread {
                    put_varint(out, 1 + (id.number << 3 | space_code));
                } else {
                    put_varint(out, 1 + (id.number << 3 | 4 | space_code));
                    put_varint(out, id.thread);
                }
            }
        }
    }
}

fn read_box(input: &mut Input<'_>, count: &mut Count) -> Result<Reference, FormatError> {
    let code = input.u8()?;
    let unknown = FormatError::Unknown {
        what: "the type of a box",
        code: code.into(),
    };
    let ty = Type::of_code(code)?;
    if ty == Type::Reference {
        return Err(unknown);
    }
    let value = Value::read(ty, input, count)?;
    let scalar = value.and_then(|value| value.scalar()).ok_or(unknown)?;
    Ok(Reference::Box(scalar))
}
