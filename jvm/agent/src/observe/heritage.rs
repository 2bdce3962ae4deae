//! Which class declares a static member that a class file names through another.
//!
//! The JVM answers such questions only about classes that are linked, and linking
//! one early could be noticed. So what class files say is kept as they come by:
//! what is above a class was loaded before the class can be used.

use std::collections::{HashMap, HashSet};

use reprise_jvm_events::table::{Declared, Shape};

const STATIC: u16 = 0x0008;
const NATIVE: u16 = 0x0100;

/// What is known of the classes of the program.
#[derive(Default)]
pub(super) struct Heritage {
    /// By loader and name.
    classes: HashMap<(u32, String), Family>,
    /// A loader that has a class of that name, for those who delegate to it.
    owners: HashMap<String, u32>,
}

/// What a class hands down.
struct Family {
    superclass: String,
    interfaces: Vec<String>,
    fields: HashSet<String>,
    methods: HashSet<String>,
    /// Those of the methods that are native.
    natives: HashSet<String>,
}

/// Where a static member is declared.
pub(super) struct Origin {
    pub(super) class: String,
    /// It is a native method: what it does is outside, whoever declares it.
    pub(super) native: bool,
}

impl Heritage {
    pub(super) fn add(&mut self, loader: u32, name: &str, shape: &Shape) {
        let statics = |all: &[Declared], also: u16| {
            let wanted = STATIC | also;
            all.iter()
                .filter(|member| member.access & wanted == wanted)
                .map(|member| format!("{}{}", member.name, member.descriptor))
                .collect()
        };
        let family = Family {
            superclass: shape.superclass.clone(),
            interfaces: shape.interfaces.clone(),
            fields: statics(&shape.fields, 0),
            methods: statics(&shape.methods, 0),
            natives: statics(&shape.methods, NATIVE),
        };
        self.classes.insert((loader, name.to_owned()), family);
        self.owners.entry(name.to_owned()).or_insert(loader);
    }

    /// What is directly above a class that this very loader has defined.
    pub(super) fn above(&self, loader: u32, name: &str) -> Option<Vec<String>> {
        let family = self.classes.get(&(loader, name.to_owned()))?;
        let interfaces = family.interfaces.iter();
        Some(interfaces.chain([&family.superclass]).cloned().collect())
    }

    /// The class that declares a member, looked up as the JVM does; none when no known
    /// class does.
    pub(super) fn declares(
        &self,
        loader: u32,
        name: &str,
        is_field: bool,
        member: &str,
    ) -> Option<Origin> {
        // A hierarchy that goes round in a circle is loaded by no JVM, but this
        // must not depend on that.
        let mut met = HashSet::new();
        let mut open = vec![(loader, name)];
        while let Some((loader, name)) = open.pop() {
            if !met.insert(name) {
                continue;
            }
            let own = (loader, name.to_owned());
            let found = self.classes.get(&own).map(|family| (loader, family));
            let delegated = || {
                let loader = *self.owners.get(name)?;
                Some((loader, self.classes.get(&(loader, name.to_owned()))?))
            };
            let Some((loader, family)) = found.or_else(delegated) else {
                continue;
            };
            let members = if is_field {
                &family.fields
            } else {
                &family.methods
            };
            if members.contains(member) {
                return Some(Origin {
                    class: name.to_owned(),
                    native: !is_field && family.natives.contains(member),
                });
            }
            open.push((loader, &family.superclass));
            if is_field {
                let interfaces = family.interfaces.iter().rev();
                open.extend(interfaces.map(|interface| (loader, interface.as_str())));
            }
        }
        None
    }
}
