//! Classes of which only the name is known: class files name them, and nothing was loaded for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reprise_classfile::read::{ClassFile, Constant, ReadError};
use reprise_jvm_events::table::{Class, Shape, Tables};
use reprise_probes::pattern::Patterns;

use crate::prepare::Ready;
use crate::standin;

/// The classes that others name, each with a loader and whether it is an
/// interface for sure.
pub(crate) type Mentioned = BTreeMap<String, (u32, bool)>;

/// The classes that a class file names, each with the loader and whether it is
/// an interface for sure.
pub(crate) fn mentions(
    class: &ClassFile<'_>,
    loader: u32,
    mentioned: &mut Mentioned,
) -> Result<(), ReadError> {
    let mut add = |name: &str, interface: bool| {
        let entry = mentioned.entry(name.to_owned()).or_insert((loader, false));
        entry.1 |= interface;
    };
    for index in class.pool.indexes() {
        match class.pool.get(index)? {
            Constant::Class { .. } => {
                let name = class.pool.class_name(index)?.to_str_lossy();
                match name.starts_with('[') {
                    true => named_in(&name).for_each(|name| add(name, false)),
                    false => add(&name, false),
                }
            }
            Constant::InterfaceMethodRef { .. } => {
                add(&class.pool.member(index)?.class.to_str_lossy(), true);
            }
            Constant::NameAndType { .. } => {
                let (_, descriptor) = class.pool.name_and_type(index)?;
                named_in(&descriptor.to_str_lossy()).for_each(|name| add(name, false));
            }
            Constant::MethodType { descriptor } => {
                let descriptor = class.pool.utf8(descriptor)?.to_str_lossy();
                named_in(&descriptor).for_each(|name| add(name, false));
            }
            _ => {}
        }
    }
    for member in class.fields.iter().chain(&class.methods) {
        let descriptor = class.pool.utf8(member.descriptor)?.to_str_lossy();
        named_in(&descriptor).for_each(|name| add(name, false));
    }
    for interface in &class.interfaces {
        add(&class.pool.class_name(*interface)?.to_str_lossy(), true);
    }
    Ok(())
}

/// The classes in a descriptor.
pub(crate) fn named_in(descriptor: &str) -> impl Iterator<Item = &str> {
    let pieces = descriptor.split(';').filter_map(|piece| {
        let start = piece.find('L')?;
        piece.get(start + 1..)
    });
    pieces.filter(|name| !name.is_empty())
}

/// Stand-ins for classes of which only the name is known: they were never
/// loaded while it was recorded, or they are the JDK's, which the JVM will see.
/// An inside one that was not loaded was not there.
pub(crate) fn guess(
    tables: &Tables,
    patterns: &Patterns,
    mentioned: Mentioned,
    classes: &mut BTreeMap<u32, Ready>,
) {
    let known: BTreeSet<String> = classes
        .values()
        .filter(|ready| ready.bytes.is_some())
        .map(|ready| ready.class.name.clone())
        .collect();
    let mut next = classes.keys().max().copied().unwrap_or(0);
    let loaders: HashMap<&str, u32> = tables
        .classes
        .values()
        .map(|class| (class.name.as_str(), class.loader))
        .collect();
    for (name, (loader, is_interface)) in mentioned {
        let of_jdk = name.starts_with("java/") || loaders.get(name.as_str()) == Some(&0);
        if of_jdk || known.contains(&name) || name.is_empty() {
            continue;
        }
        let shape = Shape {
            access: if is_interface { 0x0601 } else { 0x0021 },
            ..Shape::default()
        };
        let Ok(bytes) = standin::make(&name, &shape, None, |_| true) else {
            continue;
        };
        next = next.saturating_add(1);
        let ready = Ready {
            class: Class {
                loader,
                inside: false,
                name: name.clone(),
            },
            name_here: name.clone(),
            guessed: true,
            missing: patterns.is_inside(&name),
            bytes: Some(bytes),
            ..Ready::default()
        };
        classes.insert(next, ready);
    }
}
