//! What the threads of a program share, from the class path of its command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use reprise_coop::log::{self, limits};
use reprise_elements::{Elements, Program};

use crate::record::observe::{class_path, command};
use crate::schedule::program::{each_class, release};

/// A program and what its threads share.
pub struct Shared {
    /// Its identity.
    pub program: log::Program,
    /// What is shared.
    pub elements: Elements,
}

impl Shared {
    /// Of a command that starts a JVM.
    pub fn of_command(words: &[OsString]) -> Result<Self, String> {
        let name = words.first().cloned().unwrap_or_default();
        if command::launcher(&name).is_none() {
            return Err(
                "what its threads share is read from the class path, and the command is not a \
                 JDK's own java"
                    .to_owned(),
            );
        }
        let arguments = words.get(1..).unwrap_or_default();
        let places = class_path::places(arguments).unwrap_or_default();
        Self::seen_by(release(words), &places, &main(arguments))
    }

    /// Of jars and folders, as the usual JVM sees them.
    pub fn of_places(places: &[PathBuf], name: &str) -> Result<Self, String> {
        Self::seen_by(release(&[]), places, name)
    }

    fn seen_by(release: u32, places: &[PathBuf], name: &str) -> Result<Self, String> {
        let mut program = Program::default();
        for place in places {
            // What is not there, the JVM passes over as well; and what is no class.
            let _ = each_class(place, release, &mut |bytes| {
                let _ = program.add(bytes);
            });
        }
        if program.is_empty() {
            return Err("there is no class on its class path".to_owned());
        }
        let elements = Elements::of(&program);
        let spes = u32::try_from(elements.list.len()).unwrap_or(u32::MAX);
        if spes > limits::SPES {
            return Err(format!(
                "its threads share {spes} elements, more than {}",
                limits::SPES
            ));
        }
        Ok(Self {
            program: log::Program {
                name: name.to_owned(),
                version: elements.version,
                spes,
            },
            elements,
        })
    }

    /// What a person calls an element.
    pub fn name(&self, spe: log::Spe) -> String {
        let element = self.elements.list.get(spe.0 as usize);
        element.map(ToString::to_string).unwrap_or_default()
    }
}

/// What a program is called: its main class, or its jar.
fn main(arguments: &[OsString]) -> String {
    let mut words = arguments.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        match &*word {
            "-jar" => {
                let jar = words.next().unwrap_or_default().into_owned();
                let name = Path::new(&jar).file_name();
                return name.map_or(jar.clone(), |name| name.to_string_lossy().into_owned());
            }
            "-cp" | "-classpath" | "--class-path" | "-p" | "--module-path" | "--add-modules"
            | "--add-opens" | "--add-exports" | "--add-reads" => {
                words.next();
            }
            option if option.starts_with('-') || option.starts_with('@') => {}
            main => return main.to_owned(),
        }
    }
    String::new()
}
