//! Which inside fields are volatile, for accesses from other classes than their
//! own.

use std::collections::HashMap;

use reprise_classfile::mutf8::Utf8;
use reprise_classfile::read::{ClassFile, ReadError, access};

use crate::order::stripe_of;

/// The fields of inside classes, by the class's name.
#[derive(Debug, Default)]
pub struct Volatiles {
    classes: HashMap<String, Fields>,
}

#[derive(Debug, Default)]
struct Fields {
    above: Option<String>,
    /// By name and descriptor; whether it is volatile.
    declared: HashMap<(String, String), bool>,
}

impl Volatiles {
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
            let is_volatile = field.access & access::VOLATILE != 0;
            fields.declared.insert(key, is_volatile);
        }
        let name = class.name()?.to_str_lossy().into_owned();
        self.classes.insert(name, fields);
        Ok(())
    }

    /// The stripe of a volatile field of an inside class, looked for from this
    /// class on; none for any other.
    #[must_use]
    pub fn stripe(&self, owner: &str, name: &str, descriptor: &str) -> Option<u32> {
        let key = (name.to_owned(), descriptor.to_owned());
        let mut class = owner;
        // Broken classes may stand above one another.
        for _ in 0..=self.classes.len() {
            let fields = self.classes.get(class)?;
            if let Some(is_volatile) = fields.declared.get(&key) {
                return is_volatile.then(|| stripe_of(class.as_bytes(), name.as_bytes()));
            }
            class = fields.above.as_deref()?;
        }
        None
    }
}
