//! The constant pool, append-only.
//!
//! An equal constant that is already there is reused: the pool has at most
//! 65,534 entries, and large classes come close. The lookup table is built at
//! the first addition, because most classes of a run are never edited.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{put_u2, put_u4};
use crate::mutf8::{self, Utf8};
use crate::read::cursor::Cursor;
use crate::read::{Constant, Pool, ReadError};

/// The pool of a class that is being edited.
#[derive(Clone, Debug)]
pub struct PoolEditor<'c> {
    original: &'c Pool<'c>,
    /// Entries that are written instead of the original ones; same length.
    replaced: BTreeMap<u16, Vec<u8>>,
    /// The entries after the original ones.
    added: Vec<u8>,
    /// Index and position in `added` of each of them.
    added_starts: BTreeMap<u16, usize>,
    /// One more than the highest index.
    count: u32,
    /// Bytes of an entry to its index.
    known: Option<HashMap<Cow<'c, [u8]>, u16>>,
}

/// Why a constant could not be added or replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// The pool has no room left.
    #[error("the constant pool is full: {entries} entries, {needed} more needed, 65534 allowed")]
    Full {
        /// How many it has.
        entries: u32,
        /// How many more were needed.
        needed: u32,
    },
    /// Text that does not fit into a constant.
    #[error("text of {length} bytes; a constant holds 65535")]
    TextTooLong {
        /// Its length in modified UTF-8.
        length: usize,
    },
    /// A replacement of another kind, or of something that is not there.
    #[error("constant {index} cannot be replaced by one with tag {tag}")]
    CannotReplace {
        /// The constant.
        index: u16,
        /// The tag of the replacement.
        tag: u8,
    },
}

impl<'c> PoolEditor<'c> {
    /// A pool that begins as a copy of `original`.
    pub fn new(original: &'c Pool<'c>) -> Self {
        Self {
            original,
            replaced: BTreeMap::new(),
            added: Vec::new(),
            added_starts: BTreeMap::new(),
            count: u32::from(original.count()),
            known: None,
        }
    }

    /// The pool as it was.
    pub fn original(&self) -> &'c Pool<'c> {
        self.original
    }

    /// One more than the highest index.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The constant at `index`, old or new.
    pub fn get(&self, index: u16) -> Result<Constant<'_>, ReadError> {
        if let Some(bytes) = self.replaced.get(&index) {
            return Constant::read(&mut Cursor::new(bytes, 0), index);
        }
        match self.added_starts.get(&index) {
            Some(start) => {
                let bytes = self.added.get(*start..).unwrap_or_default();
                Constant::read(&mut Cursor::new(bytes, 0), index)
            }
            None => self.original.get(index),
        }
    }

    /// The text at `index`, old or new.
    pub fn utf8_at(&self, index: u16) -> Result<Utf8<'_>, ReadError> {
        match self.get(index)? {
            Constant::Utf8(text) => Ok(text),
            other => Err(ReadError::WrongConstant {
                index,
                tag: other.tag(),
                expected: "Utf8",
            }),
        }
    }

    /// The index of `constant`, which is added unless it is there.
    pub fn add(&mut self, constant: Constant<'_>) -> Result<u16, PoolError> {
        let bytes = encode(constant)?;
        let original = self.original;
        let known = self.known.get_or_insert_with(|| index_of(original));
        if let Some(index) = known.get(bytes.as_slice()) {
            return Ok(*index);
        }
        let needed = match constant {
            Constant::Long(_) | Constant::Double(_) => 2,
            _ => 1,
        };
        let full = PoolError::Full {
            entries: self.count.saturating_sub(1),
            needed,
        };
        let after = self.count.saturating_add(needed);
        // The count itself is a u2, so the highest index is 65,534.
        if after > 65_535 {
            return Err(full);
        }
        let index = u16::try_from(self.count).map_err(|_| full)?;
        self.count = after;
        self.added_starts.insert(index, self.added.len());
        self.added.extend_from_slice(&bytes);
        known.insert(Cow::Owned(bytes), index);
        Ok(index)
    }

    /// Takes away what was added since there were `count` entries, as
    /// [`Self::count`] told: what was written with it was given up.
    pub fn roll_back(&mut self, count: u32) {
        let Ok(first) = u16::try_from(count) else {
            return;
        };
        let gone = self.added_starts.split_off(&first);
        if let Some(start) = gone.values().next() {
            self.added.truncate(*start);
            self.count = count;
            if let Some(known) = &mut self.known {
                known.retain(|_, index| *index < first);
            }
        }
    }

    /// Puts `constant` where an original one of the same kind stands: every
    /// reference to `index` then means the new one.
    pub fn replace(&mut self, index: u16, constant: Constant<'_>) -> Result<(), PoolError> {
        let cannot = PoolError::CannotReplace {
            index,
            tag: constant.tag(),
        };
        let new = encode(constant)?;
        let old = self.original.entry_bytes(index).ok_or(cannot.clone())?;
        if old.first() != new.first() || old.len() != new.len() {
            return Err(cannot);
        }
        let original = self.original;
        let known = self.known.get_or_insert_with(|| index_of(original));
        let before = self.replaced.get(&index).map_or(old, Vec::as_slice);
        if known.get(before) == Some(&index) {
            known.remove(before);
        }
        known.entry(Cow::Owned(new.clone())).or_insert(index);
        self.replaced.insert(index, new);
        Ok(())
    }

    /// Text.
    pub fn utf8(&mut self, text: &str) -> Result<u16, PoolError> {
        self.add(Constant::Utf8(Utf8(&mutf8::encode(text))))
    }

    /// A class by name: `java/lang/String` or `[I`.
    pub fn class(&mut self, name: &str) -> Result<u16, PoolError> {
        self.class_bytes(Utf8(&mutf8::encode(name)))
    }

    /// A class by its name in the file's encoding.
    pub fn class_bytes(&mut self, name: Utf8<'_>) -> Result<u16, PoolError> {
        let name = self.add(Constant::Utf8(name))?;
        self.add(Constant::Class { name })
    }

    /// A string.
    pub fn string(&mut self, text: &str) -> Result<u16, PoolError> {
        let text = self.utf8(text)?;
        self.add(Constant::String { text })
    }

    /// A name and descriptor.
    pub fn name_and_type(&mut self, name: &str, descriptor: &str) -> Result<u16, PoolError> {
        let name = self.utf8(name)?;
        let descriptor = self.utf8(descriptor)?;
        self.add(Constant::NameAndType { name, descriptor })
    }

    /// A field.
    pub fn field(&mut self, class: &str, name: &str, ty: &str) -> Result<u16, PoolError> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, ty)?;
        self.add(Constant::FieldRef {
            class,
            name_and_type,
        })
    }

    /// A method of a class.
    pub fn method(&mut self, class: &str, name: &str, ty: &str) -> Result<u16, PoolError> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, ty)?;
        self.add(Constant::MethodRef {
            class,
            name_and_type,
        })
    }

    /// A method of an interface.
    pub fn interface_method(
        &mut self,
        class: &str,
        name: &str,
        ty: &str,
    ) -> Result<u16, PoolError> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, ty)?;
        self.add(Constant::InterfaceMethodRef {
            class,
            name_and_type,
        })
    }

    /// Count and entries.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_u2(out, u16::try_from(self.count).unwrap_or(u16::MAX));
        let bytes = self.original.as_bytes();
        let mut copied = 0;
        for (index, entry) in &self.replaced {
            let start = self.original.start(*index).unwrap_or(copied);
            out.extend_from_slice(bytes.get(copied..start).unwrap_or_default());
            out.extend_from_slice(entry);
            copied = start.saturating_add(entry.len());
        }
        out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
        out.extend_from_slice(&self.added);
    }
}

/// The first index of each distinct entry.
fn index_of<'c>(pool: &Pool<'c>) -> HashMap<Cow<'c, [u8]>, u16> {
    let mut known = HashMap::with_capacity(usize::from(pool.count()));
    for index in pool.indexes() {
        if let Some(bytes) = pool.entry_bytes(index) {
            known.entry(Cow::Borrowed(bytes)).or_insert(index);
        }
    }
    known
}

fn encode(constant: Constant<'_>) -> Result<Vec<u8>, PoolError> {
    let mut out = vec![constant.tag()];
    match constant {
        Constant::Utf8(text) => {
            let length = text.0.len();
            put_u2(
                &mut out,
                u16::try_from(length).map_err(|_| PoolError::TextTooLong { length })?,
            );
            out.extend_from_slice(text.0);
        }
        Constant::Integer(value) => put_u4(&mut out, value.cast_unsigned()),
        Constant::Float(bits) => put_u4(&mut out, bits),
        Constant::Long(value) => out.extend_from_slice(&value.to_be_bytes()),
        Constant::Double(bits) => out.extend_from_slice(&bits.to_be_bytes()),
        Constant::Class { name: a }
        | Constant::String { text: a }
        | Constant::MethodType { descriptor: a }
        | Constant::Module { name: a }
        | Constant::Package { name: a } => put_u2(&mut out, a),
        Constant::FieldRef {
            class: a,
            name_and_type: b,
        }
        | Constant::MethodRef {
            class: a,
            name_and_type: b,
        }
        | Constant::InterfaceMethodRef {
            class: a,
            name_and_type: b,
        }
        | Constant::NameAndType {
            name: a,
            descriptor: b,
        }
        | Constant::Dynamic {
            bootstrap: a,
            name_and_type: b,
        }
        | Constant::InvokeDynamic {
            bootstrap: a,
            name_and_type: b,
        } => {
            put_u2(&mut out, a);
            put_u2(&mut out, b);
        }
        Constant::MethodHandle { kind, reference } => {
            out.push(kind);
            put_u2(&mut out, reference);
        }
    }
    Ok(out)
}
