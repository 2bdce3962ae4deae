//! Which methods threads other than the main one may be in.
//!
//! Threads begin in what the JDK calls: methods of classes that extend or implement
//! something of the JDK, methods that are handed out (as lambdas are), those that every
//! object has, and class initialisers. From there they go wherever a method of the called
//! name is. That is more than they really reach, and never less; where a program uses
//! reflection, it is everything.

use std::collections::{HashMap, HashSet};

use crate::class::{Class, Program, Signature, Use};

/// A method, by class and place in it.
type Place<'p> = (&'p str, usize);

/// Methods of `Object`, and those that collections call.
pub(crate) const OF_OBJECTS: &[&str] = &[
    "equals",
    "hashCode",
    "toString",
    "finalize",
    "compareTo",
    "clone",
];

/// Whether other threads than main may be in a method.
#[derive(Debug)]
pub struct Reach<'p> {
    reached: HashSet<Place<'p>>,
    all: bool,
}

impl<'p> Reach<'p> {
    /// Goes through the program.
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        let all = program.classes.values().any(|class| class.reflects);
        let mut named: HashMap<&Signature, Vec<Place<'p>>> = HashMap::new();
        let mut found = Vec::new();
        for (name, class) in &program.classes {
            let meets_jdk = meets_jdk(program, class);
            for (at, method) in class.methods.iter().enumerate() {
                let place = (name.as_str(), at);
                named.entry(&method.signature).or_default().push(place);
                let name = method.signature.0.as_str();
                let called = meets_jdk && name != "<init>" && name != "main";
                if called || name == "<clinit>" || OF_OBJECTS.contains(&name) {
                    found.push(place);
                }
            }
        }
        for class in program.classes.values() {
            for (_, signature) in &class.handed_out {
                found.extend(named.get(signature).into_iter().flatten());
            }
        }
        let mut reached: HashSet<Place<'p>> = found.iter().copied().collect();
        while let Some((class, at)) = found.pop() {
            let class = program.classes.get(class);
            let Some(method) = class.and_then(|class| class.methods.get(at)) else {
                continue;
            };
            for (_, used) in &method.uses {
                let Use::Call { signature, .. } = used else {
                    continue;
                };
                // Once is enough: all methods of that name are reached then.
                for place in named.remove(signature).into_iter().flatten() {
                    if reached.insert(place) {
                        found.push(place);
                    }
                }
            }
        }
        Self { reached, all }
    }

    /// Whether another thread than main may be in a method of a class.
    #[must_use]
    pub fn contains(&self, class: &'p str, method: usize) -> bool {
        self.all || self.reached.contains(&(class, method))
    }
}

/// Whether a class is one of the JDK's kinds, which may call its methods.
pub(crate) fn meets_jdk(program: &Program, class: &Class) -> bool {
    let mut left: Vec<&Class> = vec![class];
    let mut seen = HashSet::new();
    while let Some(class) = left.pop() {
        let above = class
            .above
            .iter()
            .filter(|name| *name != "java/lang/Object");
        for name in above.chain(&class.interfaces) {
            match program.classes.get(name) {
                None => return true,
                Some(known) if seen.insert(name) => left.push(known),
                Some(_) => {}
            }
        }
    }
    false
}
