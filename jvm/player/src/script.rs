//! What the JVM is told: writer of what `Replay.java` reads.
//!
//! ```text
//! 1, oracle, keep going (u1 each), then parts until END; 0 after the last script
//!
//! 0 END
//! 1 CLASS     id, loader u4, flags u1 (1 inside, 2 bytes follow, 4 guessed, 8
//!             missing), name,
//!             name here (texts), bytes if so (length u4), methods, fields, constants:
//!             a count u4 and so many: kind u1 (1 code, 2 abstract, 3 native) and
//!             name with descriptor; name with descriptor; name
//! 2 METHOD    id, class u4, static u1, name, name here, descriptor
//! 3 SITE      of the classes that are played: id, class u4, where (text), line u4,
//!             opcode u1, runs for real on values u1, owner, name, descriptor
//! 4 RECORDED  the same of the recording; a loader in the place of the class
//! 5 CONSTANT  id u4, kind u1, class u4, length u4, UTF-16
//! 6 THREAD    id u4, name
//! 8 BEGIN     class u4, thread u4: who initialises it
//! 10 EARLY    class u4, thread u4, number u8: a call of it before it was initialised
//! 9 EXPORTED  module, package: of the JDK, which the inside may use
//! 7 EVENT     what u1, thread u4, number u8, depth u4, id u4, class u4, more u4, values, arrays,
//!             silent
//!
//! more             how many events of what came along are still to come, apart
//! values, arrays   a count u4 and so many: values; events. What: 1 to 12 as in a
//!                  recording, 10 TOUCH with how many objects the thread was the first
//!                  to mention by then, as a long; 13 ADOPT: the object, then class (an int), name and
//!                  value of each field; 14 ORDER: the other thread as the id, since
//!                  and count as longs; 15 SAME: 1 as the id if they were
//! silent           a count u4 and so many: number u8, mentions u4: objects that the thread numbers
//!                  later and that no event mentions then, but so many later
//! value            kind u1; a scalar: bits u8; 9 null; 10 outside, 11 inside, 12 array:
//!                  key u8, class u4 (0 unless mentioned first), an array's length u4,
//!                  at a first mention u4: how many are to come;
//!                  13 constant: id u8; 14 box: type u1, bits u8; 15 what an array of
//!                  scalars holds: type u1, a count u4 and so many, as large as their type
//! ```
//! Numbers are big-endian and texts have two bytes of length, as Java reads
//! them.

use std::io::{self, Write};

use reprise_jvm_events::table::{Class, Constant, Exported, Method, Site};
use reprise_jvm_events::value::{ObjectId, Reference, Space, Type, Value};
use reprise_probes::pure::runs_on_values;

use crate::mentions::Mentions;

/// What a step is that says what an array holds.
const ARRAY: u8 = 12;

/// Writes the parts of a script.
pub(crate) struct Script<W> {
    out: W,
}

/// A class as the JVM is told of it.
#[derive(Debug, Default)]
pub(crate) struct Told<'t> {
    pub(crate) id: u32,
    pub(crate) class: Class,
    pub(crate) name_here: String,
    pub(crate) guessed: bool,
    /// Whether it would be inside, and was not loaded.
    pub(crate) missing: bool,
    pub(crate) bytes: Option<&'t [u8]>,
    /// Kind, and name with descriptor.
    pub(crate) methods: Vec<(u8, String)>,
    pub(crate) fields: Vec<String>,
    pub(crate) constants: Vec<String>,
}

/// An event as the JVM is told of it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) what: u8,
    pub(crate) thread: u32,
    pub(crate) number: u64,
    pub(crate) depth: u32,
    pub(crate) id: u32,
    pub(crate) class: u32,
    pub(crate) more: u32,
    pub(crate) values: Vec<Value>,
    pub(crate) arrays: Vec<Step>,
    /// Numbers of objects that are given silently after it, and how often these are mentioned.
    pub(crate) silent: Vec<(u64, u32)>,
}

impl<W: Write> Script<W> {
    pub(crate) fn begin(mut out: W, oracle: bool, keep_going: bool) -> io::Result<Self> {
        out.write_all(&[1, oracle.into(), keep_going.into()])?;
        Ok(Self { out })
    }

    pub(crate) fn class(&mut self, told: &Told<'_>) -> io::Result<()> {
        let inside = u8::from(told.class.inside);
        let bytes = u8::from(told.bytes.is_some()) << 1;
        let guessed = u8::from(told.guessed) << 2;
        let missing = u8::from(told.missing) << 3;
        self.tag(1, &[told.id, told.class.loader])?;
        self.out.write_all(&[inside | bytes | guessed | missing])?;
        self.text(&told.class.name)?;
        self.text(&told.name_here)?;
        if let Some(bytes) = told.bytes {
            self.u4(count(bytes))?;
            self.out.write_all(bytes)?;
        }
        self.u4(count(&told.methods))?;
        for (kind, method) in &told.methods {
            self.out.write_all(&[*kind])?;
            self.text(method)?;
        }
        for texts in [&told.fields, &told.constants] {
            self.u4(count(texts))?;
            for text in texts {
                self.text(text)?;
            }
        }
        Ok(())
    }

    pub(crate) fn exported(&mut self, exported: &Exported) -> io::Result<()> {
        self.out.write_all(&[9])?;
        self.text(&exported.module)?;
        self.text(&exported.package)
    }

    pub(crate) fn method(&mut self, id: u32, method: &Method, here: &str) -> io::Result<()> {
        self.tag(2, &[id, method.class])?;
        self.out.write_all(&[u8::from(method.access & 8 != 0)])?;
        self.text(&method.name)?;
        self.text(here)?;
        self.text(&method.descriptor)
    }

    /// A site; `place` is its class or, for one of the recording, its loader.
    pub(crate) fn site(
        &mut self,
        recorded: bool,
        id: u32,
        place: u32,
        r#where: &str,
        site: &Site,
    ) -> io::Result<()> {
        self.tag(if recorded { 4 } else { 3 }, &[id, place])?;
        self.text(r#where)?;
        self.u4(site.line)?;
        let real = runs_on_values(&site.name, &site.descriptor);
        self.out.write_all(&[site.opcode, real.into()])?;
        self.text(&site.owner)?;
        self.text(&site.name)?;
        self.text(&site.descriptor)
    }

    pub(crate) fn constant(&mut self, id: u32, constant: &Constant) -> io::Result<()> {
        let (kind, class, text): (u8, u32, Vec<u16>) = match constant {
            Constant::String(chars) => (1, 0, chars.clone()),
            Constant::Class(class) => (3, *class, Vec::new()),
            Constant::Enum { class, name } => (4, *class, name.encode_utf16().collect()),
            Constant::Text { class, text } => (5, *class, text.encode_utf16().collect()),
        };
        self.tag(5, &[id])?;
        self.out.write_all(&[kind])?;
        self.u4(class)?;
        self.u4(count(&text))?;
        for char in text {
            self.out.write_all(&char.to_be_bytes())?;
        }
        Ok(())
    }

    pub(crate) fn thread(&mut self, id: u32, name: &str) -> io::Result<()> {
        self.tag(6, &[id])?;
        self.text(name)
    }

    pub(crate) fn initialiser(&mut self, class: u32, thread: u32) -> io::Result<()> {
        self.tag(8, &[class, thread])
    }

    pub(crate) fn early(&mut self, class: u32, thread: u32, number: u64) -> io::Result<()> {
        self.tag(10, &[class, thread])?;
        self.out.write_all(&number.to_be_bytes())
    }

    pub(crate) fn event(&mut self, step: &Step, mentions: &Mentions) -> io::Result<()> {
        self.out.write_all(&[7])?;
        self.step(step, mentions)
    }

    fn step(&mut self, step: &Step, mentions: &Mentions) -> io::Result<()> {
        self.out.write_all(&[step.what])?;
        self.u4(step.thread)?;
        self.out.write_all(&step.number.to_be_bytes())?;
        let (single, packed) = match packed(step) {
            Some((array, ty, content)) => (std::slice::from_ref(array), Some((ty, content))),
            None => (&*step.values, None),
        };
        let values = count(single) + u32::from(packed.is_some());
        for number in [step.depth, step.id, step.class, step.more, values] {
            self.u4(number)?;
        }
        for value in single {
            self.value(value, mentions)?;
        }
        if let Some((ty, content)) = packed {
            self.pack(ty, content)?;
        }
        self.u4(count(&step.arrays))?;
        for array in &step.arrays {
            self.step(array, mentions)?;
        }
        self.u4(count(&step.silent))?;
        for (number, times) in &step.silent {
            self.out.write_all(&number.to_be_bytes())?;
            self.u4(*times)?;
        }
        Ok(())
    }

    /// Scalars of one type, side by side.
    fn pack(&mut self, ty: Type, values: &[Value]) -> io::Result<()> {
        let size = size(ty);
        let mut bytes = Vec::with_capacity(values.len() * size);
        for value in values {
            let bits = value.scalar().map_or(0, |scalar| scalar.bits).to_be_bytes();
            bytes.extend(bits.iter().skip(bits.len() - size));
        }
        self.out.write_all(&[15, ty as u8])?;
        self.u4(count(values))?;
        self.out.write_all(&bytes)
    }

    fn value(&mut self, value: &Value, mentions: &Mentions) -> io::Result<()> {
        if let Some(scalar) = value.scalar() {
            self.out.write_all(&[scalar.ty as u8])?;
            return self.out.write_all(&scalar.bits.to_be_bytes());
        }
        let Value::Reference(reference) = value else {
            return Ok(());
        };
        match reference {
            Reference::Null => self.out.write_all(&[9]),
            Reference::Value(id) => {
                self.out.write_all(&[13])?;
                self.out.write_all(&u64::from(*id).to_be_bytes())
            }
            Reference::Box(scalar) => {
                self.out.write_all(&[14, scalar.ty as u8])?;
                self.out.write_all(&scalar.bits.to_be_bytes())
            }
            Reference::Object(object) => {
                self.out.write_all(&[match object.space {
                    Space::Outside => 10,
                    Space::Inside => 11,
                    Space::Array => 12,
                }])?;
                self.out.write_all(&key(object.id).to_be_bytes())?;
                let class = object.first.map_or(0, |first| first.class);
                self.u4(class)?;
                if object.space == Space::Array {
                    self.u4(object.first.map_or(0, |first| first.length))?;
                }
                match class {
                    0 => Ok(()),
                    _ => self.u4(mentions.more(object.id)),
                }
            }
        }
    }

    pub(crate) fn end(mut self) -> io::Result<()> {
        self.out.write_all(&[0])?;
        self.out.flush()
    }

    fn tag(&mut self, tag: u8, numbers: &[u32]) -> io::Result<()> {
        self.out.write_all(&[tag])?;
        numbers.iter().try_for_each(|number| self.u4(*number))
    }

    fn u4(&mut self, number: u32) -> io::Result<()> {
        self.out.write_all(&number.to_be_bytes())
    }

    /// Java's modified UTF-8. No name or descriptor of a class file is longer
    /// than it allows; what is, is cut.
    fn text(&mut self, text: &str) -> io::Result<()> {
        let mut bytes = reprise_classfile::mutf8::encode(text).into_owned();
        while bytes.len() > usize::from(u16::MAX) {
            let shorter: String = text.chars().take(20_000).collect();
            bytes = reprise_classfile::mutf8::encode(&shorter).into_owned();
        }
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        self.out.write_all(&length.to_be_bytes())?;
        self.out.write_all(&bytes)
    }
}

/// The array of which a step says that it holds scalars, their type, and what they are. In a
/// program that reads files this is most of what there is.
fn packed(step: &Step) -> Option<(&Value, Type, &[Value])> {
    let (array, content) = step.values.split_first().filter(|_| step.what == ARRAY)?;
    let ty = content.first()?.scalar()?.ty;
    let same = |value: &Value| value.scalar().is_some_and(|scalar| scalar.ty == ty);
    (size(ty) > 0 && content.iter().all(same)).then_some((array, ty, content))
}

/// How many bytes a scalar has.
fn size(ty: Type) -> usize {
    match ty {
        Type::Void | Type::Reference => 0,
        Type::Boolean | Type::Byte => 1,
        Type::Char | Type::Short => 2,
        Type::Int | Type::Float => 4,
        Type::Long | Type::Double => 8,
    }
}

/// Thread and number of an object in one number.
fn key(id: ObjectId) -> u64 {
    id.thread << 40 | id.number
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}
