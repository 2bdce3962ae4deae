//! What has to be known of a program to say whether a schedule fits it. Plain
//! data: whoever can read class files fills it in.

use std::collections::{BTreeMap, BTreeSet};

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The names of all classes, with dots.
    pub names: BTreeSet<String>,
    /// The names of all source files, with the folders of their packages.
    pub sources: BTreeSet<String>,
    /// What is in the classes that a schedule names, by class or by source file.
    pub classes: BTreeMap<String, ClassFacts>,
    /// Whether anything in it could start a thread.
    pub starts_threads: bool,
    /// How many threads it can create beside the main thread, at most; none if that is not known.
    pub most_threads: Option<u32>,
}

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFacts {
    /// Its source file, with the folders of its package.
    pub source: Option<String>,
    /// Its methods, in the order of the class file.
    pub methods: Vec<MethodFacts>,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodFacts {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its bytecodes in order; none if it is abstract or native.
    pub bytecodes: Vec<Bytecode>,
    /// Where source lines begin: offset and line, by offset.
    pub lines: Vec<(u32, u32)>,
    /// What a person is told of a bytecode, by offset: `Main.java:8, writes Counter.value`.
    pub notes: BTreeMap<u32, String>,
}

/// A bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytecode {
    /// Its offset.
    pub offset: u32,
    /// Whether it is a call that can block and so have an `in` event.
    pub blocks: Blocks,
}

/// Whether a bytecode can block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// It is a call that blocks.
    Yes,
    /// It is none.
    No,
    /// It calls something whose class is not a part of the program.
    Perhaps,
}

impl MethodFacts {
    /// Name and descriptor.
    pub fn signature(&self) -> String {
        format!("{}{}", self.name, self.descriptor)
    }

    /// The line of a bytecode.
    pub fn line(&self, offset: u32) -> Option<u32> {
        let behind = self.lines.partition_point(|(start, _)| *start <= offset);
        let (_, line) = self.lines.get(behind.checked_sub(1)?)?;
        Some(*line)
    }
}

impl Program {
    /// A bytecode as people call it: `Producer.java:13`.
    pub fn source_line(&self, class: &str, method: usize, offset: u32) -> Option<String> {
        let class = self.classes.get(class)?;
        let line = class.methods.get(method)?.line(offset)?;
        let file = class.source.as_deref()?;
        let file = file.rsplit('/').next().unwrap_or(file);
        Some(format!("{file}:{line}"))
    }
}
