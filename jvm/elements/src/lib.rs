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
//! | arrays | all arrays with elements of a type | reading and writing elements |
//! | monitor | the monitors of a class's objects with those of its subclasses, of all classes, or of all objects of types that say nothing | entering, a synchronized method, going on after `wait` |
//! | calls | the objects of a class of `java.util.concurrent`, or of another that synchronises | calls of it |
//!
//! # What is spared
//!
//! Elements that no two threads can meet at, as far as that is sure ([`Spared`]): what never
//! changes once its object or class is made, and what only code uses that no thread but the
//! main one can be in ([`reach`]). Everything else counts as shared.
//!
//! Pure: bytes in, values out.
#![deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod class;
mod jdk;
mod list;
pub mod reach;
mod sites;

use std::fmt;

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
    /// All arrays with elements of this type; references are one type.
    Arrays(String),
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
            Self::Arrays(of) => write!(out, "{of}[]"),
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
}

impl Spared {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> usize {
        self.constant + self.main_only
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
