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
//! inherits      CLASS OF_THE_JDK       the class has methods of that one
//! declares      CLASS NAME+DESCRIPTOR  and this one is its own
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use reprise_classfile::mutf8::Utf8;
use reprise_classfile::read::{
    BootstrapMethods, ClassFile, Constant, MemberRef, ReadError, access,
};

/// Which members of a program synchronise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    synchronized: BTreeSet<(String, String)>,
    volatile: BTreeSet<(String, String)>,
    /// Whether there may be collections that synchronise.
    collections: bool,
    /// Methods that are handed out, and what is called then.
    handed_out: Vec<[(String, String); 2]>,
    /// By class: the one above it.
    above: BTreeMap<String, String>,
    /// Methods of each class, as name and descriptor.
    declared: BTreeSet<(String, String)>,
}

/// Whether it matters that a class of the program inherits from that one of the JDK: who calls
/// its methods may be loaded, and changed, before it.
pub(crate) fn matters(above: &str) -> bool {
    above.starts_with("java/util/") || above == "java/lang/Thread"
}

impl Facts {
    /// Adds a class.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        self.add_class(&ClassFile::parse(bytes)?)
    }

    pub(crate) fn add_class(&mut self, class: &ClassFile<'_>) -> Result<(), ReadError> {
        let text = |index| class.pool.utf8(index).map(Utf8::to_str_lossy);
        let own = class.name()?.to_str_lossy().into_owned();
        if let Some(above) = class.super_name()?
            && above != "java/lang/Object"
        {
            let above = above.to_str_lossy().into_owned();
            self.above.insert(own.clone(), above);
            for method in &class.methods {
                let name = text(method.name)?.into_owned();
                let member = name + &text(method.descriptor)?;
                self.declared.insert((own.clone(), member));
            }
        }
        for method in &class.methods {
            if method.access & access::SYNCHRONIZED != 0 {
                let name = text(method.name)?.into_owned();
                let descriptor = text(method.descriptor)?.into_owned();
                self.synchronized.insert((name, descriptor));
            }
        }
        let handled = handled_fields(class)?;
        for field in &class.fields {
            if field.access & access::VOLATILE != 0 || handled.contains(&field.name) {
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
            let found = match class.pool.get(index)? {
                Constant::Class { name } => {
                    let name = class.pool.utf8(name)?.to_str_lossy();
                    let kinds = ["Concurrent", "CopyOnWrite", "Queue", "Deque"];
                    let old = ["java/util/Vector", "java/util/Stack", "java/util/Hashtable"];
                    let concurrent = name.strip_prefix("java/util/concurrent/");
                    old.contains(&&*name)
                        || concurrent.is_some_and(|name| kinds.iter().any(|k| name.contains(k)))
                }
                Constant::MethodRef { .. } => {
                    let member = class.pool.member(index)?;
                    member.class.0 == b"java/util/Collections"
                        && member.name.0.starts_with(b"synchronized")
                }
                _ => false,
            };
            self.collections |= found;
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

    /// The class of the JDK whose method a call means that names a class of the program.
    pub fn inherited(&self, class: &str, name: &str, descriptor: &str) -> Option<&str> {
        let member = format!("{name}{descriptor}");
        let mut at = class;
        // As many as a class may have above it, and no more if they go round.
        for _ in 0..64 {
            if self.declared.contains(&(at.to_owned(), member.clone())) {
                return None;
            }
            let above = self.above.get(at)?;
            if above.starts_with("java/") {
                return Some(above);
            }
            at = above;
        }
        None
    }

    /// The class of the JDK that a class of the program is below.
    pub fn above(&self, class: &str) -> Option<&str> {
        // No method has such a name, so none of the program's hides it.
        self.inherited(class, "", "")
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
        // Of the classes below those that synchronise only: other programs have many.
        for class in self.above.keys() {
            let top = self.above(class);
            if top.is_some_and(matters) {
                let mut at = class.as_str();
                while let Some(above) = self.above.get(at) {
                    let _ = writeln!(text, "inherits\t{at}\t{above}");
                    let of = |(class, _): &&(String, String)| class == at;
                    for (_, member) in self.declared.iter().filter(of) {
                        let _ = writeln!(text, "declares\t{at}\t{member}");
                    }
                    at = above;
                }
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
                "inherits" => facts.above.insert(member.0, member.1).is_none(),
                "declares" => facts.declared.insert(member),
                _ => false,
            };
        }
        facts
    }
}

/// Methods that give a handle of a field that is named by a text.
const HANDLES: &[&[u8]] = &[
    b"findVarHandle",
    b"findStaticVarHandle",
    b"newUpdater",
    b"objectFieldOffset",
];

/// The fields of a class that it also uses through handles, and so shares on purpose: their
/// names, as constants.
pub(crate) fn handled_fields(class: &ClassFile<'_>) -> Result<BTreeSet<u16>, ReadError> {
    let mut handles = false;
    let mut named = BTreeSet::new();
    for index in class.pool.indexes() {
        match class.pool.get(index)? {
            Constant::MethodRef { .. } => {
                let name = class.pool.member(index)?.name.0;
                handles |= HANDLES.contains(&name);
            }
            Constant::String { text } => {
                named.insert(class.pool.utf8(text)?);
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for field in class.fields.iter().filter(|_| handles) {
        if named.contains(&class.pool.utf8(field.name)?) {
            found.insert(field.name);
        }
    }
    Ok(found)
}

/// Whether a class has arrays whose elements threads share on purpose: in volatile fields, or
/// used through handles. Who has no handles goes by `Unsafe`, where a class that has arrays
/// says no more than that it synchronises.
pub(crate) fn shares_elements(class: &ClassFile<'_>) -> Result<bool, ReadError> {
    let mut has_arrays = false;
    for field in &class.fields {
        let is_array = class.pool.utf8(field.descriptor)?.0.starts_with(b"[");
        has_arrays |= is_array;
        if is_array && field.access & access::VOLATILE != 0 {
            return Ok(true);
        }
    }
    for index in class.pool.indexes() {
        if let Constant::MethodRef { .. } = class.pool.get(index)? {
            let member = class.pool.member(index)?;
            if member.name == "arrayElementVarHandle" || has_arrays && is_unsafe(&member) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What is in the names of methods of `Unsafe` that synchronise.
const UNSAFELY: &[&str] = &[
    "AndS", "AndA", "Volatile", "Ordered", "Acquire", "Release", "Opaque",
];

/// Whether it is such a method.
pub(crate) fn is_unsafe(member: &MemberRef<'_>) -> bool {
    let name = member.name.to_str_lossy();
    (member.class == "sun/misc/Unsafe" || member.class == "jdk/internal/misc/Unsafe")
        && UNSAFELY.iter().any(|part| name.contains(part))
}
