//! Which inside fields threads use in an order that has to be kept, also for
//! accesses from other classes than their own.

use std::collections::HashMap;

use reprise_classfile::mutf8::Utf8;
use reprise_classfile::read::{ClassFile, ReadError, access};

use crate::order::stripe_of;

/// The fields whose uses by several threads are kept in order.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Those that say so: whoever hands something over otherwise has a race.
    #[default]
    Volatile,
    /// Every one that can change, and elements of arrays, for programs that do have races.
    Every,
}

impl Sharing {
    /// Whether it is about a field with these flags.
    #[must_use]
    pub fn covers(self, flags: u16) -> bool {
        match self {
            Self::Volatile => flags & access::VOLATILE != 0,
            Self::Every => flags & access::FINAL == 0,
        }
    }
}

/// The fields of inside classes, by the class's name.
#[derive(Debug, Default)]
pub struct Volatiles {
    sharing: Sharing,
    classes: HashMap<String, Fields>,
}

#[derive(Debug, Default)]
struct Fields {
    above: Option<String>,
    /// By name and descriptor; whether its uses are kept in order.
    declared: HashMap<(String, String), bool>,
}

impl Volatiles {
    /// None yet.
    #[must_use]
    pub fn new(sharing: Sharing) -> Self {
        Self {
            sharing,
            ..Self::default()
        }
    }

    /// Takes in an inside class.
    pub fn add(&mut self, class: &ClassFile<'_>) -> Result<(), ReadError> {
        let text = |index| Ok::<_, ReadError>(class.pool.utf8(index)?.to_str_lossy().into_owned());
        let mut fields = Fields {
            above: class
                .super_name()?
                .map(|name| Utf8::to_str_lossy(name).into_owned()),
            ..Fields::default()
        };
        for field in &class.fields {
            let key = (text(field.name)?, text(field.descriptor)?);
            let is_shared = self.sharing.covers(field.access);
            fields.declared.insert(key, is_shared);
        }
        let name = class.name()?.to_str_lossy().into_owned();
        self.classes.insert(name, fields);
        Ok(())
    }

    /// The stripe of such a field of an inside class, looked for from this class
    /// on; none for any other.
    #[must_use]
    pub fn stripe(&self, owner: &str, name: &str, descriptor: &str) -> Option<u32> {
        let key = (name.to_owned(), descriptor.to_owned());
        let mut class = owner;
        // Broken classes may stand above one another.
        for _ in 0..=self.classes.len() {
            let fields = self.classes.get(class)?;
            if let Some(is_shared) = fields.declared.get(&key) {
                return is_shared.then(|| stripe_of(class.as_bytes(), name.as_bytes()));
            }
            class = fields.above.as_deref()?;
        }
        None
    }
}
