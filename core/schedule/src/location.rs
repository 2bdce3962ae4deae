//! Where in a program.
//!
//! ```text
//! com.acme.Producer run()V 13       class, method with its descriptor, offset
//! com.acme.Producer run 13          the only method of that name
//! com.acme.Producer 2 13            the third method of the class file
//! Producer.java:13                  the first bytecode of a line
//! com/acme/Producer.java:13         the same, where two packages have such a file
//! ```
//!
//! The paper counts methods; names survive a compiler that orders them
//! differently. A source line is for people and says less: [`crate::resolve`]
//! turns it into the other form.

use std::fmt;

use crate::name::{Name, write_word};

/// A bytecode of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A bytecode, exactly.
    Code(CodeLocation),
    /// A line of a source file.
    Source(SourceLine),
}

/// A bytecode: class, method, offset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeLocation {
    /// The class, with dots between packages.
    pub class: Name,
    /// The method.
    pub method: Method,
    /// The offset of the bytecode in the method.
    pub offset: u32,
}

/// A method of a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Its place in the class file, from 0.
    Index(u16),
    /// Its name.
    Named {
        /// The name.
        name: Name,
        /// Its descriptor; not needed where the name says enough.
        descriptor: Option<Descriptor>,
    },
}

/// A method's descriptor, `(I)V`. Only its first character is known to be right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Descriptor(Name);

/// A place in the JDK that is the same in every release of it. Threads that run no
/// code of the program, such as those of a pool, are only ever at these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JdkPlace {
    /// `java.util.concurrent.locks.LockSupport park 0`: parked, whoever called it.
    Park,
    /// `java.lang.Object wait 0`: waiting, whoever called it.
    Wait,
    /// `java.lang.Thread exit 0`: at its end.
    Exit,
    /// `java.io.InputStream read 0`: waiting for something outside of the program, a
    /// connection, bytes, a process, whoever called it and whatever method that is.
    Outside,
    /// `java.lang.Thread holdsLock 0`: code of the JDK needs a monitor that another thread has,
    /// whatever method that is.
    Monitor,
    /// `java.util.concurrent.ForkJoinTask exec 0`: a task of a pool, or a part of one as a
    /// parallel stream makes them, is about to be computed, whoever has it and of whatever class.
    Task,
}

/// The places of the JDK: class, method, descriptor.
const JDK: [(JdkPlace, &str, &str, &str); 6] = [
    (
        JdkPlace::Park,
        "java.util.concurrent.locks.LockSupport",
        "park",
        "()V",
    ),
    (JdkPlace::Wait, "java.lang.Object", "wait", "()V"),
    (JdkPlace::Exit, "java.lang.Thread", "exit", "()V"),
    (JdkPlace::Outside, "java.io.InputStream", "read", "()I"),
    (
        JdkPlace::Monitor,
        "java.lang.Thread",
        "holdsLock",
        "(Ljava/lang/Object;)Z",
    ),
    (
        JdkPlace::Task,
        "java.util.concurrent.ForkJoinTask",
        "exec",
        "()Z",
    ),
];

/// A line of a source file, as in `Producer.java:13`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// The file, with its package's folders or without.
    pub file: Name,
    /// The line, from 1.
    pub line: u32,
}

impl Descriptor {
    /// A text that begins with `(`.
    pub fn new(text: &str) -> Option<Self> {
        let name = Name::new(text).ok()?;
        text.starts_with('(').then_some(Self(name))
    }

    /// A name that is known to begin with `(`.
    pub(crate) fn from(name: Name) -> Self {
        Self(name)
    }

    /// The text of the descriptor.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl CodeLocation {
    /// Which place of the JDK this is, if it is one that can be named.
    pub fn jdk_place(&self) -> Option<JdkPlace> {
        let Method::Named { name, descriptor } = &self.method else {
            return None;
        };
        let is_it = |(_, class, method, text): &&(JdkPlace, &str, &str, &str)| {
            let fits = descriptor.as_ref().is_none_or(|own| own.as_str() == *text);
            *class == self.class.as_str() && *method == name.as_str() && fits
        };
        let found = JDK.iter().find(is_it).filter(|_| self.offset == 0);
        found.map(|(place, ..)| *place)
    }
}

impl JdkPlace {
    /// The place as it is written in a schedule.
    pub fn location(self) -> Option<CodeLocation> {
        let (_, class, method, _) = JDK.iter().find(|(place, ..)| *place == self)?;
        Some(CodeLocation {
            class: Name::new(class).ok()?,
            method: Method::Named {
                name: Name::new(method).ok()?,
                descriptor: None,
            },
            offset: 0,
        })
    }
}

impl Method {
    /// A method by its name and descriptor, as in class files. None when one of
    /// them could stand in no class file.
    pub fn new(name: &str, descriptor: &str) -> Option<Self> {
        Some(Self::Named {
            name: Name::new(name).ok()?,
            descriptor: Some(Descriptor::new(descriptor)?),
        })
    }
}

/// As it is written in a schedule.
impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => code.fmt(out),
            Self::Source(line) => line.fmt(out),
        }
    }
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A colon would make it a source line, a slash would become a dot.
        write_word(out, &self.class, &[':', '/'])?;
        write!(out, " {} {}", self.method, self.offset)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(out, "{index}"),
            Self::Named { name, descriptor } => match descriptor {
                Some(descriptor) => {
                    write_word(out, name, &[])?;
                    // The last parenthesis begins the descriptor.
                    let behind = descriptor.as_str().get(1..).unwrap_or_default();
                    out.write_str("(")?;
                    write_word(out, behind, &['('])
                }
                // It must not look like an index, nor like a descriptor.
                None if name.bytes().all(|byte| byte.is_ascii_digit()) => write_word(
                    out,
                    name,
                    &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
                ),
                None => write_word(out, name, &['(']),
            },
        }
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_word(out, &self.file, &[])?;
        write!(out, ":{}", self.line)
    }
}
