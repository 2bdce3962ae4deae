//! Table entries: what the numbers in events stand for.
//!
//! ```text
//! 1 loader    id, name (text)
//! 2 class     id, loader, inside (0 or 1), name (text: java/lang/String, [I)
//! 3 method    id, class, access flags, name, descriptor
//! 4 site      id, method, offset, line (0 unknown), opcode,
//!             owner, name, descriptor (texts)
//! 5 bytes     class, original class file (blob)
//! 6 value     id, then one of
//!             1 string, one byte per char (blob)
//!             2 string, two bytes per char, little-endian (blob)
//!             3 class object: class
//!             4 enum constant: class, name (text)
//!             5 what a JDK class prints and parses: class, text
//! 7 skipped   class name, method name and descriptor or nothing, reason
//! 8 shape     of an outside class that is not of the JDK: class, access flags,
//!             superclass (text, empty for none), number of interfaces, their
//!             names, number of fields, access flags, name and descriptor of
//!             each, number of methods, the same
//! 9 exported  since version 2: a package of the JDK that is exported to the program,
//!             and not to everybody: module, package (texts, java.base, sun.nio.ch)
//! ```
//! Numbers are varints and begin at 1; loader 0 is the bootstrap loader. A site
//! is an instruction that crosses the boundary: a call, a field access, a
//! `new`. Fields need no table of their own, since a site names its field.

use crate::bytes::{FormatError, Input, put_blob, put_varint};
use crate::value::Type;
use std::collections::HashMap;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the module's drawing says what they are")]
pub enum Entry {
    Loader { id: u32, name: String },
    Class { id: u32, class: Class },
    Method { id: u32, method: Method },
    Site { id: u32, site: Site },
    Bytes { class: u32, bytes: Vec<u8> },
    Value { id: u32, constant: Constant },
    Skipped(Skipped),
    Shape { class: u32, shape: Shape },
    Exported(Exported),
}

/// A package of the JDK that the program may use because it was started so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// The module it is in.
    pub module: String,
    /// Its name, with dots.
    pub package: String,
}

/// What an outside class looks like from inside: enough to make a stand-in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Its access flags.
    pub access: u16,
    /// Its superclass; empty for none.
    pub superclass: String,
    /// Its interfaces.
    pub interfaces: Vec<String>,
    /// The fields it declares.
    pub fields: Vec<Declared>,
    /// The methods it declares.
    pub methods: Vec<Declared>,
}

/// A field or method of a [`Shape`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Declared {
    /// Its access flags.
    pub access: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A class that was met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Class {
    /// Its defining loader.
    pub loader: u32,
    /// Whether it is inside.
    pub inside: bool,
    /// Its name, with slashes; a descriptor for an array.
    pub name: String,
}

/// A method that can be called from the other side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Method {
    /// Its class.
    pub class: u32,
    /// Its access flags.
    pub access: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// An instruction that crosses the boundary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Site {
    /// The method it is in.
    pub method: u32,
    /// Where in the original code.
    pub offset: u32,
    /// The source line; 0 when unknown.
    pub line: u32,
    /// The opcode.
    pub opcode: u8,
    /// The class it names.
    pub owner: String,
    /// The member it names.
    pub name: String,
    /// The member's descriptor.
    pub descriptor: String,
}

/// A value that is recorded once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// A string, by its chars.
    String(Vec<u16>),
    /// A class object.
    Class(u32),
    /// An enum constant of an outside enum.
    Enum {
        /// The enum.
        class: u32,
        /// The constant.
        name: String,
    },
    /// A value of an immutable JDK class that its text determines.
    Text {
        /// The class.
        class: u32,
        /// What `toString` says.
        text: String,
    },
}

/// A class or method that was left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skipped {
    /// The class.
    pub class: String,
    /// Name and descriptor of the method; empty for the class as a whole.
    pub method: String,
    /// Why.
    pub why: String,
}

/// The types an event with a method or site has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Whether there is a receiver; constructors have none yet.
    pub receiver: bool,
    /// The types of the parameters; none for a field.
    pub parameters: Vec<Type>,
    /// The type of the result or field.
    pub result: Type,
}

/// All tables of a recording.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "by number, as the entries")]
pub struct Tables {
    pub loaders: HashMap<u32, String>,
    pub classes: HashMap<u32, Class>,
    pub methods: HashMap<u32, (Method, Signature)>,
    pub sites: HashMap<u32, (Site, Signature)>,
    pub bytes: HashMap<u32, Vec<u8>>,
    pub values: HashMap<u32, Constant>,
    pub skipped: Vec<Skipped>,
    pub shapes: HashMap<u32, Shape>,
    pub exported: Vec<Exported>,
}

impl Entry {
    /// Reads an entry.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut input = Input::new(bytes);
        let entry = match input.u8()? {
            1 => Self::Loader {
                id: input.u32("a loader")?,
                name: input.text()?,
            },
            2 => Self::Class {
                id: input.u32("a class")?,
                class: Class {
                    loader: input.u32("a loader")?,
                    inside: input.u8()? != 0,
                    name: input.text()?,
                },
            },
            3 => Self::Method {
                id: input.u32("a method")?,
                method: Method {
                    class: input.u32("a class")?,
                    access: flags(&mut input)?,
                    name: input.text()?,
                    descriptor: input.text()?,
                },
            },
            4 => Self::Site {
                id: input.u32("a site")?,
                site: Site {
                    method: input.u32("a method")?,
                    offset: input.u32("an offset")?,
                    line: input.u32("a line")?,
                    opcode: input.u8()?,
                    owner: input.text()?,
                    name: input.text()?,
                    descriptor: input.text()?,
                },
            },
            5 => Self::Bytes {
                class: input.u32("a class")?,
                bytes: input.blob()?.to_vec(),
            },
            6 => Self::Value {
                id: input.u32("a value")?,
                constant: Constant::read(&mut input)?,
            },
            7 => Self::Skipped(Skipped {
                class: input.text()?,
                method: input.text()?,
                why: input.text()?,
            }),
            8 => Self::Shape {
                class: input.u32("a class")?,
                shape: Shape {
                    access: flags(&mut input)?,
                    superclass: input.text()?,
                    interfaces: list(&mut input, Input::text)?,
                    fields: list(&mut input, Declared::read)?,
                    methods: list(&mut input, Declared::read)?,
                },
            },
            9 => Self::Exported(Exported {
                module: input.text()?,
                package: input.text()?,
            }),
            code => {
                let (what, code) = ("a table entry", code.into());
                return Err(FormatError::Unknown { what, code });
            }
        };
        input.finish()?;
        Ok(entry)
    }

    /// Its bytes.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let head = |out: &mut Vec<u8>, tag: u8, numbers: &[u32]| {
            out.push(tag);
            for number in numbers {
                put_varint(out, (*number).into());
            }
        };
        let texts = |out: &mut Vec<u8>, texts: &[&str]| {
            for text in texts {
                put_blob(out, text.as_bytes());
            }
        };
        match self {
            Self::Loader { id, name } => {
                head(&mut out, 1, &[*id]);
                texts(&mut out, &[name]);
            }
            Self::Class { id, class } => {
                head(&mut out, 2, &[*id, class.loader]);
                out.push(class.inside.into());
                texts(&mut out, &[&class.name]);
            }
            Self::Method { id, method } => {
                head(&mut out, 3, &[*id, method.class, method.access.into()]);
                texts(&mut out, &[&method.name, &method.descriptor]);
            }
            Self::Site { id, site } => {
                head(&mut out, 4, &[*id, site.method, site.offset, site.line]);
                out.push(site.opcode);
                texts(&mut out, &[&site.owner, &site.name, &site.descriptor]);
            }
            Self::Bytes { class, bytes } => {
                head(&mut out, 5, &[*class]);
                put_blob(&mut out, bytes);
            }
            Self::Value { id, constant } => {
                head(&mut out, 6, &[*id]);
                constant.write(&mut out);
            }
            Self::Skipped(skipped) => {
                head(&mut out, 7, &[]);
                texts(&mut out, &[&skipped.class, &skipped.method, &skipped.why]);
            }
            Self::Exported(exported) => {
                head(&mut out, 9, &[]);
                texts(&mut out, &[&exported.module, &exported.package]);
            }
            Self::Shape { class, shape } => {
                head(&mut out, 8, &[*class, shape.access.into()]);
                texts(&mut out, &[&shape.superclass]);
                put_varint(&mut out, shape.interfaces.len() as u64);
                for interface in &shape.interfaces {
                    texts(&mut out, &[interface]);
                }
                for members in [&shape.fields, &shape.methods] {
                    put_varint(&mut out, members.len() as u64);
                    for member in members {
                        put_varint(&mut out, member.access.into());
                        texts(&mut out, &[&member.name, &member.descriptor]);
                    }
                }
            }
        }
        out
    }
}

impl Declared {
    fn read(input: &mut Input<'_>) -> Result<Self, FormatError> {
        Ok(Self {
            access: flags(input)?,
            name: input.text()?,
            descriptor: input.text()?,
        })
    }
}

fn flags(input: &mut Input<'_>) -> Result<u16, FormatError> {
    let number = input.varint()?;
    let what = "access flags";
    u16::try_from(number).map_err(|_| FormatError::TooLarge { number, what })
}

/// A number, and so many of something. Each takes a byte at least, so a number
/// that is too large ends with the input.
fn list<'b, T>(
    input: &mut Input<'b>,
    read: impl Fn(&mut Input<'b>) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    let count = input.varint()?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(read(input)?);
    }
    Ok(items)
}

impl Constant {
    fn read(input: &mut Input<'_>) -> Result<Self, FormatError> {
        Ok(match input.u8()? {
            1 => Self::String(input.blob()?.iter().copied().map(u16::from).collect()),
            2 => {
                let bytes = input.blob()?;
                let (chars, odd) = bytes.as_chunks::<2>();
                if !odd.is_empty() {
                    let length = bytes.len();
                    return Err(FormatError::Truncated { length });
                }
                Self::String(chars.iter().map(|char| u16::from_le_bytes(*char)).collect())
            }
            3 => Self::Class(input.u32("a class")?),
            4 => Self::Enum {
                class: input.u32("a class")?,
                name: input.text()?,
            },
            5 => Self::Text {
                class: input.u32("a class")?,
                text: input.text()?,
            },
            code => {
                let (what, code) = ("the kind of a value", code.into());
                return Err(FormatError::Unknown { what, code });
            }
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::String(chars) => {
                let narrow: Result<Vec<u8>, _> =
                    chars.iter().map(|char| u8::try_from(*char)).collect();
                match narrow {
                    Ok(bytes) => {
                        out.push(1);
                        put_blob(out, &bytes);
                    }
                    Err(_) => {
                        out.push(2);
                        let bytes: Vec<u8> =
                            chars.iter().flat_map(|char| char.to_le_bytes()).collect();
                        put_blob(out, &bytes);
                    }
                }
            }
            Self::Class(class) => {
                out.push(3);
                put_varint(out, (*class).into());
            }
            Self::Enum { class, name: text } => {
                out.push(4);
                put_varint(out, (*class).into());
                put_blob(out, text.as_bytes());
            }
            Self::Text { class, text } => {
                out.push(5);
                put_varint(out, (*class).into());
                put_blob(out, text.as_bytes());
            }
        }
    }
}

impl Signature {
    /// Of a method or field; `receiver` says whether it is an instance one.
    pub fn parse(descriptor: &str, receiver: bool) -> Result<Self, FormatError> {
        let bad = || FormatError::Descriptor {
            text: descriptor.to_owned(),
        };
        let mut left = descriptor.as_bytes();
        let mut parameters = Vec::new();
        if let Some(rest) = left.strip_prefix(b"(") {
            left = rest;
            while left.first() != Some(&b')') {
                let (ty, rest) = one_type(left).ok_or_else(bad)?;
                parameters.push(ty);
                left = rest;
            }
            left = left.get(1..).ok_or_else(bad)?;
        }
        match one_type(left) {
            Some((result, [])) => Ok(Self {
                receiver,
                parameters,
                result,
            }),
            _ => Err(bad()),
        }
    }
}

/// The type at the front of a descriptor, and the rest.
fn one_type(descriptor: &[u8]) -> Option<(Type, &[u8])> {
    let ty = Type::of_descriptor(*descriptor.first()?)?;
    let dimensions = descriptor.iter().take_while(|byte| **byte == b'[').count();
    let element = descriptor.get(dimensions..)?;
    let length = match element.first()? {
        b'L' => element.iter().position(|byte| *byte == b';')? + 1,
        _ => 1,
    };
    Some((ty, element.get(length..)?))
}

const INVOKESTATIC: u8 = 184;
const INVOKEDYNAMIC: u8 = 186;
const GETSTATIC: u8 = 178;
const PUTSTATIC: u8 = 179;
const NEW: u8 = 187;
/// `ldc`, `ldc_w`, `ldc2_w`, `anewarray`, `checkcast`, `instanceof`,
/// `multianewarray`: what they name is a class or a computed constant.
const CLASSES: [u8; 7] = [18, 19, 20, 189, 192, 193, 197];
const STATIC: u16 = 8;

impl Tables {
    /// Adds an entry.
    pub fn add(&mut self, entry: Entry) -> Result<(), FormatError> {
        match entry {
            Entry::Loader { id, name } => drop(self.loaders.insert(id, name)),
            Entry::Class { id, class } => drop(self.classes.insert(id, class)),
            Entry::Method { id, method } => {
                let receiver = method.access & STATIC == 0 && method.name != "<init>";
                let signature = Signature::parse(&method.descriptor, receiver)?;
                self.methods.insert(id, (method, signature));
            }
            Entry::Site { id, site } => {
                let none = [INVOKESTATIC, INVOKEDYNAMIC, GETSTATIC, PUTSTATIC, NEW];
                let of_class = CLASSES.contains(&site.opcode);
                let receiver = !none.contains(&site.opcode) && !of_class && site.name != "<init>";
                let signature = Signature::parse(&site.descriptor, receiver)?;
                self.sites.insert(id, (site, signature));
            }
            Entry::Bytes { class, bytes } => drop(self.bytes.insert(class, bytes)),
            Entry::Value { id, constant } => drop(self.values.insert(id, constant)),
            Entry::Skipped(skipped) => self.skipped.push(skipped),
            Entry::Shape { class, shape } => drop(self.shapes.insert(class, shape)),
            Entry::Exported(exported) => self.exported.push(exported),
        }
        Ok(())
    }

    /// What a method has to do with.
    pub fn method(&self, id: u32) -> Result<&(Method, Signature), FormatError> {
        let what = "method";
        self.methods
            .get(&id)
            .ok_or(FormatError::NoEntry { what, id })
    }

    /// What a site has to do with.
    pub fn site(&self, id: u32) -> Result<&(Site, Signature), FormatError> {
        let what = "site";
        self.sites.get(&id).ok_or(FormatError::NoEntry { what, id })
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
