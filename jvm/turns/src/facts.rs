//! What has to be known of all classes of a program before the first of them is changed: a
//! call says nothing of whether the method is synchronized, and a field access nothing of
//! whether the field is volatile.
//!
//! By name and descriptor alone: a subclass may be named where a member is inherited, and one
//! place too many is no harm. As a text, words separated by tabs:
//!
//! ```text
//! synchronized  NAME DESCRIPTOR
//! volatile      NAME DESCRIPTOR
//! collections                          the program has some that synchronise
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;

use reprise_classfile::mutf8::Utf8;
use reprise_classfile::read::{BootstrapMethods, ClassFile, Constant, ReadError, access};

/// Which members of a program synchronise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    synchronized: BTreeSet<(String, String)>,
    volatile: BTreeSet<(String, String)>,
    /// Whether there may be collections that synchronise.
    collections: bool,
    /// Methods that are handed out, and what is called then.
    handed_out: Vec<[(String, String); 2]>,
}

impl Facts {
    /// Adds a class.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        self.add_class(&ClassFile::parse(bytes)?)
    }

    pub(crate) fn add_class(&mut self, class: &ClassFile<'_>) -> Result<(), ReadError> {
        let text = |index| class.pool.utf8(index).map(Utf8::to_str_lossy);
        for method in &class.methods {
            if method.access & access::SYNCHRONIZED != 0 {
                let name = text(method.name)?.into_owned();
                let descriptor = text(method.descriptor)?.into_owned();
                self.synchronized.insert((name, descriptor));
            }
        }
        for field in &class.fields {
            if field.access & access::VOLATILE != 0 {
                let name = text(field.name)?.into_owned();
                let descriptor = text(field.descriptor)?.into_owned();
                self.volatile.insert((name, descriptor));
            }
        }
        self.add_mentioned(class)?;
        self.add_handed_out(class)
    }

    /// Looks for collections that synchronise.
    fn add_mentioned(&mut self, class: &ClassFile<'_>) -> Result<(), ReadError> {
        for index in class.pool.indexes() {
            let name = match class.pool.get(index)? {
                Constant::Class { name } => class.pool.utf8(name)?,
                Constant::NameAndType { name, .. } => class.pool.utf8(name)?,
                _ => continue,
            };
            let name = name.to_str_lossy();
            self.collections |= name.starts_with("synchronized")
                || matches!(
                    &*name,
                    "java/util/Vector" | "java/util/Stack" | "java/util/Hashtable"
                )
                || name
                    .strip_prefix("java/util/concurrent/")
                    .is_some_and(|name| {
                        let kinds = ["Concurrent", "CopyOnWrite", "Queue", "Deque"];
                        kinds.iter().any(|kind| name.contains(kind))
                    });
        }
        Ok(())
    }

    /// Whether a collection may synchronise.
    pub fn has_collections(&self) -> bool {
        self.collections
    }

    /// Adds what a class hands out as `queue::put`: the call names an interface then.
    fn add_handed_out(&mut self, class: &ClassFile<'_>) -> Result<(), ReadError> {
        let Some(attribute) = class.find(&class.attributes, "BootstrapMethods") else {
            return Ok(());
        };
        let bootstraps = BootstrapMethods::read(&attribute)?.0;
        let pool = &class.pool;
        for index in pool.indexes() {
            let Ok(Constant::InvokeDynamic {
                bootstrap,
                name_and_type,
            }) = pool.get(index)
            else {
                continue;
            };
            let arguments = bootstraps.get(usize::from(bootstrap));
            let Some([called, handle, ..]) = arguments.map(|found| found.arguments.as_slice())
            else {
                continue;
            };
            if let (Constant::MethodType { descriptor }, Constant::MethodHandle { reference, .. }) =
                (pool.get(*called)?, pool.get(*handle)?)
            {
                let member = pool.member(reference)?;
                let (name, _) = pool.name_and_type(name_and_type)?;
                let text = |text: Utf8<'_>| text.to_str_lossy().into_owned();
                self.handed_out.push([
                    (text(member.name), text(member.descriptor)),
                    (text(name), text(pool.utf8(descriptor)?)),
                ]);
            }
        }
        Ok(())
    }

    /// Whether a method of that name may be synchronized.
    pub fn is_synchronized(&self, name: &str, descriptor: &str) -> bool {
        let key = (name.to_owned(), descriptor.to_owned());
        self.synchronized.contains(&key)
    }

    /// Whether a field of that name may be volatile.
    pub fn is_volatile(&self, name: &str, descriptor: &str) -> bool {
        let key = (name.to_owned(), descriptor.to_owned());
        self.volatile.contains(&key)
    }

    /// The text.
    pub fn write(&self) -> String {
        let mut text = String::new();
        if self.collections {
            text += "collections\n";
        }
        for [method, called] in &self.handed_out {
            if self.synchronized.contains(method) {
                let _ = writeln!(text, "synchronized\t{}\t{}", called.0, called.1);
            }
        }
        for (word, members) in [
            ("synchronized", &self.synchronized),
            ("volatile", &self.volatile),
        ] {
            for (name, descriptor) in members {
                let _ = writeln!(text, "{word}\t{name}\t{descriptor}");
            }
        }
        text
    }

    /// From the text; lines that say nothing are left out.
    pub fn read(text: &str) -> Self {
        let mut facts = Self::default();
        for line in text.lines() {
            facts.collections |= line == "collections";
            let mut words = line.split('\t');
            let (Some(word), Some(name), Some(descriptor)) =
                (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let member = (name.to_owned(), descriptor.to_owned());
            match word {
                "synchronized" => facts.synchronized.insert(member),
                "volatile" => facts.volatile.insert(member),
                _ => false,
            };
        }
        facts
    }
}
