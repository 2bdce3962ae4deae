//! Which class declares a member, as far as the classes that were seen tell.
//!
//! The boundary is the declaring class, and the constant pool only names where
//! to begin looking: `Child.count` may be a field of an outside superclass. For
//! what has a receiver the runtime finds out when it meets one; for static
//! members, and for writes by outside classes, the classes above are gone
//! through here.

use std::collections::HashMap;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use reprise_classfile::read::{ClassFile, ReadError};

use crate::pattern::is_platform;

/// Which side a member is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An inside class declares it.
    Inside,
    /// An outside class does.
    Outside,
    /// A class on the way was not seen yet.
    Unknown,
}

/// The classes that were seen.
#[derive(Debug, Default)]
pub struct Origins(HashMap<String, Vec<Seen>>);

#[derive(Debug)]
struct Seen {
    loader: u32,
    inside: bool,
    /// Interfaces, then the superclass: the order in which fields are looked up.
    above: Vec<String>,
    members: HashSet<u64>,
}

impl Origins {
    /// A class, as a loader has it.
    pub fn add(
        &mut self,
        loader: u32,
        inside: bool,
        class: &ClassFile<'_>,
    ) -> Result<(), ReadError> {
        let text = |index| -> Result<String, ReadError> {
            Ok(class.pool.utf8(index)?.to_str_lossy().into_owned())
        };
        let mut above = Vec::new();
        for interface in &class.interfaces {
            above.push(class.pool.class_name(*interface)?.to_string());
        }
        above.extend(class.super_name()?.map(|name| name.to_string()));
        let mut members = Vec::new();
        for member in class.fields.iter().chain(&class.methods) {
            members.push((text(member.name)?, text(member.descriptor)?));
        }
        let members = members.iter().map(|(name, text)| (&**name, &**text));
        self.insert(class.name()?.to_string(), loader, inside, above, members);
        Ok(())
    }

    /// The same for a class of which no file is there.
    pub fn insert<'m>(
        &mut self,
        name: String,
        loader: u32,
        inside: bool,
        above: Vec<String>,
        members: impl Iterator<Item = (&'m str, &'m str)>,
    ) {
        self.0.entry(name).or_default().push(Seen {
            loader,
            inside,
            above,
            members: members.map(|(name, text)| key(name, text)).collect(),
        });
    }

    /// Who declares a member that is looked up in `owner` by a class of that
    /// loader.
    #[must_use]
    pub fn find(&self, loader: u32, owner: &str, name: &str, descriptor: &str) -> Origin {
        let key = key(name, descriptor);
        let mut met = HashSet::new();
        let mut open = vec![owner];
        let mut unknown = false;
        while let Some(class) = open.pop() {
            if !met.insert(class) || is_platform(class) {
                continue;
            }
            let all = self.0.get(class).map(Vec::as_slice).unwrap_or_default();
            let own = all.iter().find(|seen| seen.loader == loader);
            match own.or(all.last()) {
                None => unknown = true,
                Some(seen) if !seen.members.contains(&key) => {
                    open.extend(seen.above.iter().rev().map(String::as_str));
                }
                Some(seen) if seen.inside => return Origin::Inside,
                Some(_) => return Origin::Outside,
            }
        }
        if unknown {
            Origin::Unknown
        } else {
            Origin::Outside
        }
    }
}

fn key(name: &str, descriptor: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, descriptor).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins() -> Origins {
        let mut origins = Origins::default();
        let mut add = |name: &str, loader, inside, above: &[&str], members: &[&'static str]| {
            let above = above.iter().map(ToString::to_string).collect();
            let members = members.iter().map(|name| (*name, "I"));
            origins.insert(name.to_owned(), loader, inside, above, members);
        };
        add("Parent", 1, false, &["java/lang/Object"], &["count"]);
        add("Constants", 1, false, &["java/lang/Object"], &["LATE"]);
        add("Child", 1, true, &["Constants", "Parent"], &["own"]);
        add("Offspring", 1, false, &["Child"], &[]);
        add("Lost", 1, true, &["NotYet"], &["here"]);
        add("Loop", 1, true, &["Loop"], &[]);
        add("Child", 2, true, &["java/lang/Object"], &["count"]);
        origins
    }

    #[test]
    fn the_class_that_declares_a_member_decides() {
        let origins = origins();
        let find = |owner, name| origins.find(1, owner, name, "I");
        assert_eq!(find("Child", "own"), Origin::Inside);
        assert_eq!(find("Offspring", "own"), Origin::Inside);
        assert_eq!(find("Child", "count"), Origin::Outside);
        assert_eq!(find("Offspring", "LATE"), Origin::Outside);
        assert_eq!(find("Lost", "here"), Origin::Inside);
        assert_eq!(find("Lost", "there"), Origin::Unknown);
        assert_eq!(find("NotYet", "there"), Origin::Unknown);
        assert_eq!(find("Loop", "there"), Origin::Outside);
        assert_eq!(find("java/lang/System", "out"), Origin::Outside);
        assert_eq!(origins.find(2, "Child", "count", "I"), Origin::Inside);
        assert_eq!(origins.find(1, "Child", "own", "J"), Origin::Outside);
    }
}
