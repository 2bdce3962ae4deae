//! Whether a place is in a program, and which bytecode it is.

use crate::command::{Event, Moment};
use crate::location::{CodeLocation, Descriptor, Location, Method, SourceLine};
use crate::name::Name;
use crate::nearest::nearest;
use crate::program::{Blocks, ClassFacts, MethodFacts, Program};

/// Why a place is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPlace {
    /// There is no such class.
    #[error("there is no class {class} in the program")]
    Class {
        /// The class.
        class: String,
        /// What may be meant.
        near: Option<String>,
    },
    /// There is no such method.
    #[error("there is no method {method} in class {class}")]
    Method {
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// What may be meant.
        near: Vec<String>,
    },
    /// Several methods have this name.
    #[error("class {class} has several methods {name}")]
    Overloaded {
        /// The class.
        class: String,
        /// The name.
        name: String,
        /// With their descriptors.
        candidates: Vec<String>,
    },
    /// A method without code.
    #[error("{class}.{method} has no code: it is abstract or native")]
    NoCode {
        /// The class.
        class: String,
        /// The method.
        method: String,
    },
    /// No bytecode begins there.
    #[error("no bytecode of {class}.{method} begins at offset {offset}")]
    Offset {
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// The offset.
        offset: u32,
        /// The bytecodes before and behind it.
        near: Vec<u32>,
    },
    /// `in` at a bytecode that does not block.
    #[error(
        "the bytecode at {class}.{method} {offset} never blocks, so nothing can happen 'in' it"
    )]
    NotBlocking {
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// The offset.
        offset: u32,
        /// The calls of the method that do block.
        near: Vec<u32>,
    },
    /// There is no such source file.
    #[error("no class of the program says that it was compiled from {file}")]
    Source {
        /// The file.
        file: String,
        /// What may be meant.
        near: Option<String>,
    },
    /// Nothing was compiled from that line.
    #[error("there is no code at line {line} of {file}")]
    Line {
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The lines before and behind it that have code.
        near: Vec<u32>,
    },
    /// No call on the line blocks.
    #[error("nothing at line {line} of {file} blocks, so nothing can happen 'in' it")]
    LineNotBlocking {
        /// The file.
        file: String,
        /// The line.
        line: u32,
    },
    /// The line is more than one place.
    #[error("line {line} of {file} is more than one place")]
    SeveralPlaces {
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The places, as they are written.
        candidates: Vec<String>,
    },
}

impl NoPlace {
    /// What to do about it.
    pub fn hint(&self) -> String {
        fn or(list: &[impl ToString]) -> String {
            let list: Vec<String> = list.iter().take(5).map(ToString::to_string).collect();
            list.join(" or ")
        }
        match self {
            Self::Class {
                near: Some(near), ..
            } => format!("did you mean {near}?"),
            Self::Class { class, .. } if is_jdk(class) => {
                "name the call in the program instead: switches inside the JDK are not possible"
                    .to_owned()
            }
            Self::Class { .. } => "is this the right program, with all of its jars?".to_owned(),
            Self::Method { near, .. } if near.is_empty() => {
                "'javap -c -p' lists the methods of a class".to_owned()
            }
            Self::Method { near, .. } => format!("did you mean {}?", or(near)),
            Self::Overloaded { candidates, .. } => format!("write {}", or(candidates)),
            Self::NoCode { .. } => "name a method that has a body".to_owned(),
            Self::Offset { near, .. } => format!(
                "bytecodes begin at {}; was the schedule made for another version of the program?",
                or(near)
            ),
            Self::NotBlocking { near, .. } if near.is_empty() => "write 'before'".to_owned(),
            Self::NotBlocking { near, .. } => {
                format!("write 'before', or 'in' with offset {}", or(near))
            }
            Self::Source {
                near: Some(near), ..
            } => format!("did you mean {near}?"),
            Self::Source { .. } => "compile with -g, or write class, method and offset".to_owned(),
            Self::Line { near, .. } if near.is_empty() => {
                "compile with -g, or write class, method and offset".to_owned()
            }
            Self::Line { near, .. } => format!("there is code at line {}", or(near)),
            Self::LineNotBlocking { .. } => "write 'before'".to_owned(),
            Self::SeveralPlaces { candidates, .. } => format!("write {}", or(candidates)),
        }
    }
}

fn is_jdk(class: &str) -> bool {
    let packages = ["java.", "javax.", "jdk.", "sun.", "com.sun."];
    packages.iter().any(|package| class.starts_with(package))
}

/// The bytecode at which an event happens, named by class, method with
/// descriptor, and offset.
pub fn resolve_event(event: &Event, program: &Program) -> Result<CodeLocation, NoPlace> {
    match &event.location {
        Location::Code(code) => resolve_code(code, event.moment, program),
        Location::Source(line) => resolve_line(line, event.moment, program),
    }
}

fn resolve_code(
    code: &CodeLocation,
    moment: Moment,
    program: &Program,
) -> Result<CodeLocation, NoPlace> {
    if code.jdk_place().is_some() {
        return Ok(code.clone());
    }
    let Some(class) = program.classes.get(code.class.as_str()) else {
        let names = program.names.iter().map(String::as_str);
        // A name without its package is what people write.
        let last = |name: &&str| name.rsplit('.').next() == Some(code.class.as_str());
        let near = names
            .clone()
            .find(last)
            .or_else(|| nearest(&code.class, names));
        return Err(NoPlace::Class {
            class: code.class.to_string(),
            near: near.map(str::to_owned),
        });
    };
    let method = find_method(code, class)?;
    let class = code.class.to_string();
    if method.bytecodes.is_empty() {
        let method = method.signature();
        return Err(NoPlace::NoCode { class, method });
    }
    let offsets = &method.bytecodes;
    let at = offsets.partition_point(|bytecode| bytecode.offset < code.offset);
    let found = offsets
        .get(at)
        .filter(|bytecode| bytecode.offset == code.offset);
    let Some(found) = found else {
        let around = offsets.iter().skip(at.saturating_sub(1)).take(2);
        return Err(NoPlace::Offset {
            class,
            method: method.signature(),
            offset: code.offset,
            near: around.map(|bytecode| bytecode.offset).collect(),
        });
    };
    if moment == Moment::In && found.blocks == Blocks::No {
        return Err(NoPlace::NotBlocking {
            class,
            method: method.signature(),
            offset: code.offset,
            near: blocking(method).collect(),
        });
    }
    Ok(exact(code.class.clone(), method, code))
}

/// The offsets of the calls that block.
fn blocking(method: &MethodFacts) -> impl Iterator<Item = u32> {
    let calls = method.bytecodes.iter();
    calls
        .filter(|call| call.blocks == Blocks::Yes)
        .map(|call| call.offset)
}

fn exact(class: Name, method: &MethodFacts, code: &CodeLocation) -> CodeLocation {
    CodeLocation {
        class,
        method: Method::new(&method.name, &method.descriptor).unwrap_or(code.method.clone()),
        offset: code.offset,
    }
}

fn find_method<'p>(code: &CodeLocation, class: &'p ClassFacts) -> Result<&'p MethodFacts, NoPlace> {
    let missing = |near| NoPlace::Method {
        class: code.class.to_string(),
        method: code.method.to_string(),
        near,
    };
    let (name, descriptor) = match &code.method {
        Method::Index(index) => {
            let method = class.methods.get(usize::from(*index));
            return method.ok_or_else(|| missing(Vec::new()));
        }
        Method::Named { name, descriptor } => (name, descriptor),
    };
    let named: Vec<&MethodFacts> = class
        .methods
        .iter()
        .filter(|method| method.name == name.as_str())
        .collect();
    let fits = |method: &&&MethodFacts| {
        let descriptor = descriptor.as_ref().map(Descriptor::as_str);
        descriptor.is_none_or(|descriptor| descriptor == method.descriptor)
    };
    let fitting: Vec<&&MethodFacts> = named.iter().filter(fits).collect();
    let signatures = |methods: &[&MethodFacts]| {
        methods
            .iter()
            .map(|method| method.signature())
            .collect::<Vec<_>>()
    };
    match (fitting.as_slice(), named.as_slice()) {
        ([method], _) => Ok(method),
        ([], []) => {
            let names = class.methods.iter().map(|method| method.name.as_str());
            let near = nearest(name, names);
            let near = class
                .methods
                .iter()
                .filter(|method| Some(method.name.as_str()) == near);
            Err(missing(near.map(MethodFacts::signature).collect()))
        }
        ([], others) => Err(missing(signatures(others))),
        (_, several) => Err(NoPlace::Overloaded {
            class: code.class.to_string(),
            name: name.to_string(),
            candidates: signatures(several),
        }),
    }
}

fn resolve_line(
    source: &SourceLine,
    moment: Moment,
    program: &Program,
) -> Result<CodeLocation, NoPlace> {
    let file = source.file.as_str();
    let is_it = |name: &str| name == file || name.rsplit('/').next() == Some(file);
    let classes = program.classes.iter();
    let classes = classes.filter(|(_, class)| class.source.as_deref().is_some_and(is_it));
    let mut methods = Vec::new();
    for (name, class) in classes {
        methods.extend(class.methods.iter().map(|method| (name, method)));
    }
    if methods.is_empty() {
        let sources = program.sources.iter().map(String::as_str);
        let files = sources.map(|source| source.rsplit('/').next().unwrap_or(source));
        let last = file.rsplit('/').next().unwrap_or(file);
        return Err(NoPlace::Source {
            file: file.to_owned(),
            near: nearest(last, files).map(str::to_owned),
        });
    }
    let mut places: Vec<(&String, &MethodFacts, u32)> = Vec::new();
    for (class, method) in &methods {
        let on_line = method
            .bytecodes
            .iter()
            .filter(|bytecode| method.line(bytecode.offset) == Some(source.line));
        match moment {
            // The first bytecode of the line; a debugger stops there as well.
            Moment::Before => {
                places.extend(
                    on_line
                        .take(1)
                        .map(|bytecode| (*class, *method, bytecode.offset)),
                );
            }
            Moment::In => {
                let calls = on_line.filter(|bytecode| bytecode.blocks != Blocks::No);
                let calls = calls.map(|call| (call.blocks, (*class, *method, call.offset)));
                let (certain, likely): (Vec<_>, Vec<_>) =
                    calls.partition(|(blocks, _)| *blocks == Blocks::Yes);
                // What is not known to block counts when nothing else does.
                let calls = if certain.is_empty() { likely } else { certain };
                places.extend(calls.into_iter().map(|(_, place)| place));
            }
        }
    }
    match places.as_slice() {
        [(class, method, offset)] => place(class, method, *offset).ok_or_else(|| NoPlace::Class {
            class: (*class).clone(),
            near: None,
        }),
        [] => Err(no_line(source, moment, &methods)),
        several => {
            let places = several
                .iter()
                .filter_map(|(class, method, offset)| place(class, method, *offset));
            Err(NoPlace::SeveralPlaces {
                file: file.to_owned(),
                line: source.line,
                candidates: places.map(|place| format!("'{place}'")).collect(),
            })
        }
    }
}

fn place(class: &str, method: &MethodFacts, offset: u32) -> Option<CodeLocation> {
    Some(CodeLocation {
        class: Name::new(class).ok()?,
        method: Method::new(&method.name, &method.descriptor)?,
        offset,
    })
}

fn no_line(source: &SourceLine, moment: Moment, methods: &[(&String, &MethodFacts)]) -> NoPlace {
    let file = source.file.to_string();
    let line = source.line;
    let mut lines: Vec<u32> = methods
        .iter()
        .flat_map(|(_, method)| method.lines.iter().map(|(_, line)| *line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    match lines.binary_search(&line) {
        Ok(_) if moment == Moment::In => NoPlace::LineNotBlocking { file, line },
        Ok(at) | Err(at) => NoPlace::Line {
            file,
            line,
            near: lines
                .iter()
                .skip(at.saturating_sub(1))
                .take(2)
                .copied()
                .collect(),
        },
    }
}
