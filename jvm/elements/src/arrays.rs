//! Which arrays an access may be of: by where they are made, as far as that is known.
//!
//! Every reference that may be one of an array has a *class*: values that may be the same
//! array are in one. Assignments join classes, in whatever order they happen, and a class
//! has another one for what its arrays have as elements. So one pass over the program is
//! enough, and what is never joined is never the same array. In one class with each other are
//!
//! - what is in a field, of all objects;
//! - the parameters and results of methods that a call may mean: those of one name and
//!   descriptor, or the very method where it is static or a constructor;
//! - everything that the JDK may hand out or was given ([`UNKNOWN`]), but for a few calls of
//!   which it is known what they do.
//!
//! A class that is in no field, was not handed to the JDK and is captured by no lambda is of
//! arrays that never leave their thread: all that has them are locals and such arrays.

mod calls;
mod classes;
mod jdk;
mod step;
mod values;

use std::collections::{HashMap, HashSet};

use reprise_classfile::read::access;

use crate::class::{Class, Program, Signature};
use crate::reach;
use classes::Classes;
pub(crate) use values::walk;

/// The class of what nobody knows anything of.
pub(crate) const UNKNOWN: u32 = 0;

/// Where an array is made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Made {
    /// The class, with slashes.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// The source line; without any, the offset of the bytecode, below zero.
    pub line: i32,
}

/// Something whose values have classes: a field, or parameters and result of methods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A field, by class and name.
    Field(String, String),
    /// All methods of that name.
    Named(Signature),
    /// One method.
    Exact(String, Signature),
}

/// The place of a field's value or a method's result among the values of a [`Key`]. A
/// parameter comes one behind its number.
const RESULT: usize = 0;

/// An access to elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    /// The class of the array.
    pub(crate) class: u32,
    /// The array is just being made: nothing but the stack has it.
    pub(crate) fresh: bool,
}

/// What a class of arrays is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nobody knows where they are made.
    Unknown,
    /// They never leave their thread.
    Local(Made),
    /// Threads may share them.
    Shared(Made),
}

/// The arrays of a program.
#[derive(Clone, Debug)]
pub(crate) struct Arrays {
    classes: Classes,
    values: HashMap<Key, Vec<Option<u32>>>,
    made: Vec<(u32, &'static str, Made)>,
    /// Arrays of these may come to another thread.
    leave: Vec<u32>,
    /// Arrays of these are written to by the JDK.
    written: Vec<u32>,
    /// Calls of methods that a class names, which may be inherited; whether they are static.
    calls: Vec<(String, Signature, bool)>,
    /// Methods of which the result and all parameters from this one on may be anything.
    open: Vec<(Key, usize)>,
    /// Fields are used by other means than their names.
    by_handle: bool,
}

impl Default for Arrays {
    fn default() -> Self {
        Self {
            classes: Classes::new(),
            values: HashMap::new(),
            made: Vec::new(),
            leave: Vec::new(),
            written: Vec::new(),
            calls: Vec::new(),
            open: Vec::new(),
            by_handle: false,
        }
    }
}

impl Arrays {
    /// The class of a value.
    fn value(&mut self, key: Key, place: usize) -> u32 {
        let values = self.values.entry(key).or_default();
        if values.len() <= place {
            values.resize(place + 1, None);
        }
        match values.get_mut(place) {
            Some(Some(class)) => *class,
            Some(value) => *value.insert(self.classes.add()),
            None => UNKNOWN,
        }
    }

    /// What is known once all classes are there.
    pub(crate) fn finish(mut self, program: &Program) -> Found {
        if program.classes.values().any(|class| class.reflects) {
            // Any field may be set, and any method called that has a name of its own.
            self.by_handle = true;
            self.open_all(program);
        }
        self.meet_jdk(program);
        self.inherit(program);
        for (key, from) in std::mem::take(&mut self.open) {
            self.unknown(&key, from);
        }
        let mut shared: Vec<u32> = std::mem::take(&mut self.leave);
        for (key, values) in &self.values {
            let Key::Field(owner, name) = key else {
                continue;
            };
            let mut chain = above(program, owner);
            let declared = chain.any(|(_, class)| class.fields.contains_key(name));
            for class in values.iter().flatten() {
                shared.push(*class);
                if self.by_handle || !declared {
                    self.classes.join(*class, UNKNOWN);
                }
            }
        }
        self.join_fields(program);
        self.classes.spread(&shared);
        let mut found = Found {
            kinds: HashMap::new(),
            classes: self.classes,
            written: HashSet::new(),
        };
        for class in self.written {
            let class = found.classes.find(class);
            found.written.insert(class);
        }
        for (class, of, made) in self.made {
            let class = found.classes.find(class);
            let places = found.kinds.entry((class, of)).or_insert_with(|| Places {
                first: made.clone(),
                one_class: true,
            });
            places.one_class &= [&made, &places.first]
                .iter()
                .all(|at| at.method == "<clinit>")
                && made.class == places.first.class;
            if made < places.first {
                places.first = made;
            }
        }
        found
    }

    /// What the JDK may call is given anything, and what it gets may go anywhere.
    fn meet_jdk(&mut self, program: &Program) {
        for (name, class) in &program.classes {
            let meets = reach::meets_jdk(program, class);
            for method in &class.methods {
                let (of, descriptor) = (&method.signature.0, &method.signature.1);
                let is_static = method.access & access::STATIC != 0;
                let main = is_static && of == "main" && descriptor == "([Ljava/lang/String;)V";
                let called = meets && !is_static && of != "<init>";
                let native = method.access & access::NATIVE != 0;
                if main || called || native || reach::OF_OBJECTS.contains(&of.as_str()) {
                    self.unknown(&key(name, &method.signature, is_static), 0);
                }
            }
        }
    }

    /// Whoever calls methods by reflection may call all but those that a compiler made.
    fn open_all(&mut self, program: &Program) {
        for (name, class) in &program.classes {
            for method in &class.methods {
                if method.access & access::SYNTHETIC == 0 {
                    let is_static = method.access & access::STATIC != 0;
                    self.open.push((key(name, &method.signature, is_static), 0));
                }
            }
        }
    }

    /// The result of a method and its parameters from one on are whatever they may be.
    fn unknown(&mut self, of: &Key, from: usize) {
        let values = self.values.get(of).map(Vec::as_slice).unwrap_or_default();
        for (place, class) in values.iter().enumerate() {
            if let (Some(class), true) = (class, place == RESULT || place > from) {
                self.classes.join(*class, UNKNOWN);
            }
        }
    }

    /// What one stands for, the other does as well.
    fn same(&mut self, one: &Key, other: &Key) {
        let places = [one, other].map(|key| self.values.get(key).map_or(0, Vec::len));
        for place in 0..places.into_iter().max().unwrap_or(0) {
            let one = self.value(one.clone(), place);
            let other = self.value(other.clone(), place);
            self.classes.join(one, other);
        }
    }

    /// What a call names is the method of the class, of one above it, or the JDK's.
    fn inherit(&mut self, program: &Program) {
        let mut calls = std::mem::take(&mut self.calls);
        calls.sort();
        calls.dedup();
        for (owner, signature, is_static) in calls {
            let declares = |class: &Class| class.methods.iter().any(|m| m.signature == signature);
            let mut chain = above(program, &owner);
            let declaring = match signature.0.as_str() {
                "<init>" => chain.next().filter(|(_, class)| declares(class)),
                _ => chain.find(|(_, class)| declares(class)),
            };
            let named = key(&owner, &signature, is_static);
            match declaring {
                None => self.unknown(&named, 0),
                Some((class, _)) => {
                    let declared = key(class, &signature, is_static);
                    if named != declared {
                        self.same(&named, &declared);
                    }
                }
            }
        }
    }

    /// A field may be named by a class below the one that declares it.
    fn join_fields(&mut self, program: &Program) {
        let fields = self
            .values
            .keys()
            .filter(|key| matches!(key, Key::Field(..)));
        let fields: Vec<Key> = fields.cloned().collect();
        for field in fields {
            let Key::Field(owner, name) = &field else {
                continue;
            };
            let mut chain = above(program, owner);
            let declaring = chain.find(|(_, class)| class.fields.contains_key(name));
            if let Some((class, _)) = declaring
                && class != owner
            {
                self.same(&field, &Key::Field(class.to_owned(), name.clone()));
            }
        }
    }
}

/// The values of a method that a class declares, or that a call names.
fn key(class: &str, signature: &Signature, is_static: bool) -> Key {
    match is_static || signature.0 == "<init>" {
        true => Key::Exact(class.to_owned(), signature.clone()),
        false => Key::Named(signature.clone()),
    }
}

/// A class and those above it, as far as they are the program's.
fn above<'p>(
    program: &'p Program,
    class: &str,
) -> impl Iterator<Item = (&'p str, &'p Class)> + use<'p> {
    let mut next = program.classes.get_key_value(class);
    // A class above itself is no class; no chain is that long.
    std::iter::from_fn(move || {
        let (name, class) = next?;
        let above = class.above.as_deref();
        next = above.and_then(|above| program.classes.get_key_value(above));
        Some((name.as_str(), class))
    })
    .take(256)
}

/// Where the arrays of a class are made.
#[derive(Debug)]
struct Places {
    /// The first place.
    first: Made,
    /// They are all in the initialiser of one class.
    one_class: bool,
}

/// What was found of a program's arrays.
#[derive(Debug)]
pub(crate) struct Found {
    classes: Classes,
    /// By class and type of the elements: where such arrays are made.
    kinds: HashMap<(u32, &'static str), Places>,
    written: HashSet<u32>,
}

impl Found {
    /// What arrays a class has.
    pub(crate) fn kind(&self, class: u32, of: &'static str) -> Kind {
        let class = self.classes.find_only(class);
        if class == self.classes.find_only(UNKNOWN) {
            return Kind::Unknown;
        }
        match self.kinds.get(&(class, of)) {
            // What nobody makes is not there; or it is, and nobody knows why.
            None => Kind::Unknown,
            Some(places) if self.classes.is_marked(class) => Kind::Shared(places.first.clone()),
            Some(places) => Kind::Local(places.first.clone()),
        }
    }

    /// Whether the JDK writes to arrays of a class.
    pub(crate) fn is_written(&self, class: u32) -> bool {
        self.written.contains(&self.classes.find_only(class))
    }

    /// Whether arrays of a class are made by an initialiser, and nowhere else: what that
    /// writes to them is how they are made.
    pub(crate) fn initialised_by(&self, class: u32, of: &'static str, by: &str) -> bool {
        let places = self.kinds.get(&(self.classes.find_only(class), of));
        places.is_some_and(|places| places.one_class && places.first.class == by)
    }
}
