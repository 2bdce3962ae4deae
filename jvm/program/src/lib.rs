//! What the class files of a program say about the places that a schedule names:
//! which methods and bytecodes there are, which source lines they come from, and
//! which calls can block.
//!
//! Pure: somebody else opens jars and folders. All classes of the program are
//! handed over one by one; only those that the schedule names are kept in detail,
//! of the others their names.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used))]

mod blocking;
mod creates;
mod hierarchy;
mod note;

pub use note::Notes;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use reprise_classfile::opcode;
use reprise_classfile::read::{
    ClassFile, Code, Constant, Instruction, LineNumberTable, Member, ReadError, SourceFile,
};
use reprise_schedule::{
    Blocks, Bytecode, ClassFacts, Command, Location, MethodFacts, Program, Schedule,
};

use creates::Creates;
use hierarchy::Hierarchy;

/// Collects what has to be known to check a schedule.
pub struct Collector {
    wanted: Wanted,
    program: Program,
    hierarchy: Hierarchy,
    creates: Creates,
    /// Classes that are mentioned and need not be a part of the program.
    mentioned: HashSet<String>,
    /// Calls of which it depends on the hierarchy whether they block.
    undecided: Vec<Undecided>,
}

/// What a schedule names.
#[derive(Default)]
struct Wanted {
    /// Classes, with dots.
    classes: BTreeSet<String>,
    /// Source files, without folders.
    files: BTreeSet<String>,
}

/// A call of a method that blocks in some classes.
struct Undecided {
    class: String,
    method: usize,
    bytecode: usize,
    owner: String,
    name: String,
}

impl Collector {
    /// For the places of that schedule.
    pub fn new(schedule: &Schedule) -> Self {
        let mut wanted = Wanted::default();
        match schedule {
            Schedule::Switches(switches) => wanted.add(&switches.commands),
            Schedule::Messages(messages) => {
                messages
                    .threads()
                    .for_each(|(_, commands)| wanted.add(commands));
            }
        }
        Self {
            wanted,
            program: Program::default(),
            hierarchy: Hierarchy::default(),
            creates: Creates::default(),
            mentioned: HashSet::new(),
            undecided: Vec::new(),
        }
    }

    /// Adds a class file. Of two classes with one name the first counts, as it
    /// does for a JVM that finds them on its class path in this order.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let added = self.add_class(bytes);
        if added.is_err() {
            self.creates.give_up();
        }
        added
    }

    fn add_class(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let class = ClassFile::parse(bytes)?;
        let internal = class.name()?.to_string();
        let name = internal.replace('/', ".");
        if self.program.names.contains(&name) {
            return Ok(());
        }
        let source = source(&class, &internal)?;
        let file = source
            .as_deref()
            .and_then(|source| source.rsplit('/').next());
        let is_wanted = self.wanted.classes.contains(&name)
            || file.is_some_and(|file| self.wanted.files.contains(file));
        if is_wanted {
            let (facts, undecided) = self.facts(&class, &name, source.clone())?;
            self.undecided.extend(undecided);
            self.program.classes.insert(name.clone(), facts);
        }
        self.hierarchy.add(&class, internal)?;
        self.creates.add(&class)?;
        self.program.names.insert(name);
        self.program.sources.extend(source);
        self.mention(&class);
        Ok(())
    }

    /// What is known when all classes have been added.
    pub fn finish(mut self) -> Program {
        for call in &self.undecided {
            let blocks = self.hierarchy.blocks(&call.owner, &call.name);
            let class = self.program.classes.get_mut(&call.class);
            let method = class.and_then(|class| class.methods.get_mut(call.method));
            let bytecode = method.and_then(|method| method.bytecodes.get_mut(call.bytecode));
            if let Some(bytecode) = bytecode {
                bytecode.blocks = blocks;
            }
        }
        let names = &self.program.names;
        // A library that is not here could start threads as well.
        self.program.starts_threads = self.mentioned.iter().any(|class| {
            blocking::may_start_threads(class)
                || !(class.starts_with("java/") || names.contains(&class.replace('/', ".")))
        });
        let mentioned = self.mentioned.iter();
        self.program.most_threads = self.creates.most(&self.hierarchy, mentioned);
        self.program
    }

    fn facts(
        &self,
        class: &ClassFile<'_>,
        name: &str,
        source: Option<String>,
    ) -> Result<(ClassFacts, Vec<Undecided>), ReadError> {
        let mut methods = Vec::new();
        let mut undecided = Vec::new();
        for (index, member) in class.methods.iter().enumerate() {
            let mut method = method(class, member)?;
            if let Some(code) = class.code(member)? {
                for instruction in code.instructions() {
                    let instruction = instruction?;
                    let call = call(class, &instruction)?;
                    let call = call.filter(|(_, called)| blocking::is_name(called));
                    undecided.extend(call.map(|(owner, called)| Undecided {
                        class: name.to_owned(),
                        method: index,
                        bytecode: method.bytecodes.len(),
                        owner,
                        name: called,
                    }));
                    method.bytecodes.push(Bytecode {
                        offset: instruction.offset,
                        blocks: Blocks::No,
                    });
                }
                method.lines = lines(class, &code)?;
                method.notes = notes(class, member, &method.bytecodes)?;
            }
            methods.push(method);
        }
        Ok((ClassFacts { source, methods }, undecided))
    }

    fn mention(&mut self, class: &ClassFile<'_>) {
        for index in class.pool.indexes() {
            if let Ok(Constant::Class { name }) = class.pool.get(index)
                && let Ok(name) = class.pool.utf8(name)
            {
                let name = name.to_str_lossy();
                let element = name.trim_start_matches('[');
                let element = match element.strip_prefix('L') {
                    Some(object) if name.starts_with('[') => object.trim_end_matches(';'),
                    // An array of numbers.
                    None if name.starts_with('[') => continue,
                    _ => element,
                };
                if !self.mentioned.contains(element) {
                    self.mentioned.insert(element.to_owned());
                }
            }
        }
    }
}

impl Wanted {
    fn add<A>(&mut self, commands: &[Command<A>]) {
        for command in commands {
            match command {
                Command::Action(_) => {}
                Command::Loop(repeated) => self.add(&repeated.body),
                Command::Event(event) => match &event.location {
                    Location::Code(code) => {
                        self.classes.insert(code.class.to_string());
                    }
                    Location::Source(line) => {
                        let file = line.file.rsplit('/').next().unwrap_or_default();
                        self.files.insert(file.to_owned());
                    }
                },
            }
        }
    }
}

/// The source file with the folders of the package.
fn source(class: &ClassFile<'_>, internal: &str) -> Result<Option<String>, ReadError> {
    let Some(attribute) = class.find(&class.attributes, "SourceFile") else {
        return Ok(None);
    };
    let SourceFile(index) = SourceFile::read(&attribute)?;
    let file = class.pool.utf8(index)?;
    Ok(Some(match internal.rsplit_once('/') {
        Some((package, _)) => format!("{package}/{file}"),
        None => file.to_string(),
    }))
}

fn method(class: &ClassFile<'_>, member: &Member<'_>) -> Result<MethodFacts, ReadError> {
    Ok(MethodFacts {
        name: class.pool.utf8(member.name)?.to_string(),
        descriptor: class.pool.utf8(member.descriptor)?.to_string(),
        ..MethodFacts::default()
    })
}

fn notes(
    class: &ClassFile<'_>,
    member: &Member<'_>,
    bytecodes: &[Bytecode],
) -> Result<BTreeMap<u32, String>, ReadError> {
    let notes = Notes::of(class, member)?;
    let noted = bytecodes.iter().filter_map(|bytecode| {
        let note = notes.at(bytecode.offset)?;
        Some((bytecode.offset, note))
    });
    Ok(noted.collect())
}

/// The class and the method that an instruction calls.
fn call(
    class: &ClassFile<'_>,
    instruction: &Instruction<'_>,
) -> Result<Option<(String, String)>, ReadError> {
    let calls = matches!(
        instruction.opcode,
        opcode::INVOKEVIRTUAL
            | opcode::INVOKESPECIAL
            | opcode::INVOKESTATIC
            | opcode::INVOKEINTERFACE
    );
    let Some(constant) = instruction.constant().filter(|_| calls) else {
        return Ok(None);
    };
    let member = class.pool.member(constant)?;
    Ok(Some((member.class.to_string(), member.name.to_string())))
}

fn lines(class: &ClassFile<'_>, code: &Code<'_>) -> Result<Vec<(u32, u32)>, ReadError> {
    let mut lines = Vec::new();
    // A body may have several tables.
    for attribute in &code.attributes {
        if attribute.is(&class.pool, "LineNumberTable") {
            let table = LineNumberTable::read(attribute)?;
            lines.extend(
                table
                    .0
                    .iter()
                    .map(|row| (u32::from(row.start), u32::from(row.line))),
            );
        }
    }
    lines.sort_unstable();
    Ok(lines)
}
