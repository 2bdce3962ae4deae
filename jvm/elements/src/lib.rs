//! What the threads of a JVM program may share, from its class files: its *shared program
//! elements*, and where they are accessed.
//!
//! ```text
//!  class files ──▶ Program ──▶ Elements
//!                  (class)     what is shared, in an order that depends on nothing but the
//!                              program; and each bytecode that has to do with it
//! ```
//!
//! | element | is | accessed by |
//! | --- | --- | --- |
//! | field | a field by declaring class and name, of all objects together | reading and writing |
//! | arrays | those with elements of a type that are made at the same places, as far as that is known; or all others of the type | reading and writing elements |
//! | monitor | the monitors of a class's objects with those of its subclasses, of all classes, or of all objects of types that say nothing | entering, a synchronized method, going on after `wait` |
//! | calls | the objects of a class of `java.util.concurrent`, or of another that synchronises | calls of it |
//!
//! # What is spared
//!
//! Elements that no two threads can meet at, as far as that is sure ([`Spared`]): what never
//! changes once its object, class or array is made, what only code uses that no thread but the
//! main one can be in ([`reach`]), and arrays that never leave the thread that makes them.
//! Everything else counts as shared.
//!
//! Pure: bytes in, values out.
#![deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod arrays;
mod class;
mod jdk;
mod list;
pub mod reach;
mod sites;

use std::fmt;

pub use arrays::Made;
pub use class::Program;
pub use sites::{Deed, Site, Sites};

/// Something that threads may share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// A field of all objects of a class, or of the class.
    Field {
        /// Who declares it, with slashes.
        class: String,
        /// Its name.
        name: String,
    },
    /// Arrays with elements of a type; references are one type.
    Arrays {
        /// The type.
        of: String,
        /// Where they are made: the first place, where one access may be of arrays of
        /// several. None for all arrays of the type of which that is not known.
        made: Option<Made>,
    },
    /// Monitors.
    Monitor(Monitor),
    /// The objects of a class of the JDK that synchronise by themselves.
    Calls(String),
}

/// Whose monitors are one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Monitor {
    /// Those of the objects of a class and its subclasses.
    Objects(String),
    /// Those of classes.
    Classes,
    /// Those of objects whose type says nothing, as `Object` does.
    Any,
}

impl fmt::Display for Element {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |name: &str| name.replace('/', ".").replace(char::is_control, "?");
        match self {
            Self::Field { class, name } => write!(out, "{}.{}", plain(class), plain(name)),
            Self::Arrays { of, made: None } => write!(out, "{of}[]"),
            Self::Arrays {
                of,
                made: Some(made),
            } => {
                let (class, method) = (plain(&made.class), plain(&made.method));
                write!(out, "{of}[] of {class}.{method}")?;
                match made.line {
                    line @ 0.. => write!(out, ":{line}"),
                    offset => write!(out, "@{}", -1 - offset),
                }
            }
            Self::Monitor(Monitor::Objects(class)) => write!(out, "monitor {}", plain(class)),
            Self::Monitor(Monitor::Classes) => out.write_str("monitor Class"),
            Self::Monitor(Monitor::Any) => out.write_str("monitor Object"),
            Self::Calls(class) => write!(out, "calls {}", plain(class)),
        }
    }
}

/// How many elements are not shared, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spared {
    /// They never change once they are made.
    pub constant: usize,
    /// Only the main thread uses them.
    pub main_only: usize,
    /// They are arrays that never leave the thread that makes them.
    pub local: usize,
}

impl Spared {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> usize {
        self.constant + self.main_only + self.local
    }
}

/// The shared program elements of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// What is shared; the place in the list is its number.
    pub list: Vec<Element>,
    /// Where it is accessed.
    pub sites: Sites,
    /// What is not shared.
    pub spared: Spared,
    /// A hash of the program's code.
    pub version: [u8; 16],
}
