//! The list of a program's shared elements.

use std::collections::{BTreeMap, HashMap, HashSet};

use reprise_classfile::read::access;

use crate::arrays::{Found, Kind};
use crate::class::{Class, Method, Program, Signature, Use};
use crate::reach::{self, Reach};
use crate::sites::{Deed, Site, Sites};
use crate::{Element, Elements, Monitor, Spared, jdk};

/// Methods that the JDK calls: who is about to be in them has passed no call of the program,
/// and nothing could stop it before it has their monitor. So are those of every object, and
/// what is handed out as a function.
const CALLED_BACK: &[&str] = &["run", "call", "compute", "exec", "accept", "apply", "get"];

/// What is known of an element.
#[derive(Default)]
struct Known<'p> {
    /// It changes, other than while it is made.
    changes: bool,
    /// Another thread than main may come to one of its sites.
    reached: bool,
    /// It may leave its thread.
    shared: bool,
    sites: Vec<Place<'p>>,
}

/// A class, a method of it, an offset, and what is done there.
type Place<'p> = (&'p str, &'p Method, u32, Deed);

impl<'p> Known<'p> {
    fn add(&mut self, changes: bool, reached: bool, shared: bool, site: Option<Place<'p>>) {
        self.changes |= changes;
        self.reached |= reached;
        self.shared |= shared;
        self.sites.extend(site);
    }
}

impl Elements {
    /// Goes through the program.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let mut listing = Listing {
            program,
            reach: Reach::new(program),
            arrays: program.arrays.clone().finish(program),
            synchronized: synchronized(program),
            handed_out: program
                .classes
                .values()
                .flat_map(|class| &class.handed_out)
                .map(|(_, signature)| signature)
                .collect(),
            known: BTreeMap::new(),
            calls: HashMap::new(),
        };
        for (name, class) in &program.classes {
            for (at, method) in class.methods.iter().enumerate() {
                listing.add(name, at, method);
            }
        }
        listing.finish()
    }
}

/// Where synchronized methods are declared, and the others of that name.
fn synchronized(program: &Program) -> HashMap<&Signature, Vec<(&str, bool)>> {
    let mut all: HashMap<&Signature, Vec<(&str, bool)>> = HashMap::new();
    for (name, class) in &program.classes {
        for method in &class.methods {
            if method.access & access::ABSTRACT == 0 {
                let synchronized = method.access & access::SYNCHRONIZED != 0;
                let methods = all.entry(&method.signature).or_default();
                methods.push((name, synchronized));
            }
        }
    }
    all.retain(|_, methods| methods.iter().any(|(_, synchronized)| *synchronized));
    all
}

struct Listing<'p> {
    program: &'p Program,
    reach: Reach<'p>,
    arrays: Found,
    synchronized: HashMap<&'p Signature, Vec<(&'p str, bool)>>,
    handed_out: HashSet<&'p Signature>,
    known: BTreeMap<Element, Known<'p>>,
    /// What calls were found to enter.
    calls: HashMap<(&'p str, &'p Signature), Option<Monitor>>,
}

impl<'p> Listing<'p> {
    fn add(&mut self, class: &'p str, at: usize, method: &'p Method) {
        let reached = self.reach.contains(class, at);
        let initialises = method.signature.0 == "<clinit>";
        if method.access & access::SYNCHRONIZED != 0 && !self.is_called_back(method) {
            let element = Element::Monitor(match method.access & access::STATIC {
                0 => Monitor::Objects(self.topmost(class).to_owned()),
                _ => Monitor::Classes,
            });
            self.note(
                element,
                true,
                reached,
                Some((class, method, 0, Deed::Method)),
            );
        }
        for (offset, used) in &method.uses {
            let site = |deed| (!initialises).then_some((class, method, *offset, deed));
            match used {
                Use::Field {
                    class: owner,
                    name,
                    makes,
                    writes,
                } => {
                    let Some(element) = self.field(owner, name) else {
                        continue;
                    };
                    let changes = *writes && !makes;
                    let site = site(Deed::Access).filter(|_| !makes);
                    self.note(element, changes, reached, site);
                }
                Use::Array {
                    of,
                    class: arrays,
                    makes,
                    writes,
                } => {
                    let (made, local) = match self.arrays.kind(*arrays, of) {
                        Kind::Unknown => (None, false),
                        Kind::Shared(made) => (Some(made), false),
                        Kind::Local(made) => (Some(made), true),
                    };
                    let making =
                        *makes || initialises && self.arrays.initialised_by(*arrays, of, class);
                    let changes =
                        *writes && !making || made.is_none() || self.arrays.is_written(*arrays);
                    let of = (*of).to_owned();
                    let element = Element::Arrays { of, made };
                    let site = site(Deed::Access).filter(|_| !makes);
                    let known = self.known.entry(element).or_default();
                    known.add(changes, reached, !local, site);
                }
                Use::Enter(ty) => {
                    let element = Element::Monitor(self.monitor(ty.as_deref()));
                    self.note(element, true, reached, site(Deed::Enter));
                }
                Use::Call {
                    class: owner,
                    signature,
                    receiver,
                } => {
                    if signature.0 == "wait" && signature.1.ends_with(")V") {
                        let element = Element::Monitor(self.monitor(receiver.as_deref()));
                        self.note(element, true, reached, site(Deed::Wait));
                    } else if let Some((of, deed)) = jdk::call(owner, &signature.0) {
                        self.note(Element::Calls(of), true, reached, site(deed));
                    } else if let Some(monitor) = self.called_once(owner, signature) {
                        self.note(Element::Monitor(monitor), true, reached, site(Deed::Call));
                    }
                }
            }
        }
    }

    fn is_called_back(&self, method: &Method) -> bool {
        let name = method.signature.0.as_str();
        // These are nobody's but the program's, whatever their name is.
        let own = method.access & (access::STATIC | access::PRIVATE) != 0;
        !own && (CALLED_BACK.contains(&name) || reach::OF_OBJECTS.contains(&name))
            || self.handed_out.contains(&method.signature)
    }

    fn note(&mut self, element: Element, changes: bool, reached: bool, site: Option<Place<'p>>) {
        let known = self.known.entry(element).or_default();
        known.add(changes, reached, true, site);
    }

    /// The field that a name means, by who declares it; none if the program does not.
    fn field(&self, class: &str, name: &str) -> Option<Element> {
        for (above, known) in self.above(class) {
            if known.fields.contains_key(name) {
                let (class, name) = (above.to_owned(), name.to_owned());
                return Some(Element::Field { class, name });
            }
            // Constants of interfaces never change.
        }
        None
    }

    /// A class and those above it, as far as they are the program's.
    fn above(&self, class: &str) -> impl Iterator<Item = (&'p str, &'p Class)> + use<'_, 'p> {
        let mut next = self.program.classes.get_key_value(class);
        // A class above itself is no class; no chain is that long.
        std::iter::from_fn(move || {
            let (name, class) = next?;
            let above = class.above.as_deref();
            next = above.and_then(|above| self.program.classes.get_key_value(above));
            Some((name.as_str(), class))
        })
        .take(256)
    }

    fn topmost(&self, class: &'p str) -> &'p str {
        let last = self.above(class).last();
        last.map_or(class, |(name, _)| name)
    }

    /// The element of the monitors of objects of a type.
    fn monitor(&self, ty: Option<&str>) -> Monitor {
        match ty {
            Some("java/lang/Class") => Monitor::Classes,
            Some(ty) => match self.above(ty).last() {
                // An interface says nothing of the class.
                Some((top, class)) if class.above.is_some() && !self.is_interface(ty) => {
                    Monitor::Objects(top.to_owned())
                }
                _ => Monitor::Any,
            },
            None => Monitor::Any,
        }
    }

    /// Interfaces have no constructor.
    fn is_interface(&self, class: &str) -> bool {
        let class = self.program.classes.get(class);
        class.is_some_and(|class| !class.methods.iter().any(|m| m.signature.0 == "<init>"))
    }

    /// The same as [`Self::called`], which takes its time.
    fn called_once(&mut self, owner: &'p str, signature: &'p Signature) -> Option<Monitor> {
        if let Some(known) = self.calls.get(&(owner, signature)) {
            return known.clone();
        }
        let found = self.called(owner, signature);
        self.calls.insert((owner, signature), found.clone());
        found
    }

    /// The monitor that a call enters, if all methods that it may mean are synchronized.
    fn called(&self, owner: &str, signature: &Signature) -> Option<Monitor> {
        let methods = self.synchronized.get(signature)?;
        let owner = self.program.classes.get_key_value(owner)?.0.as_str();
        let kin = methods
            .iter()
            .filter(|(class, _)| self.is_above(class, owner) || self.is_above(owner, class));
        let mut found = None;
        for (class, synchronized) in kin {
            let known = self.program.classes.get(*class)?;
            let method = known.methods.iter().find(|m| m.signature == *signature)?;
            let monitor = match method.access & access::STATIC {
                0 => Monitor::Objects(self.topmost(class).to_owned()),
                _ => Monitor::Classes,
            };
            let other = found.as_ref().is_some_and(|found| *found != monitor);
            if !synchronized || other || self.is_called_back(method) {
                return None;
            }
            found = Some(monitor);
        }
        found
    }

    /// Whether a class or interface is above another, or the same.
    fn is_above(&self, upper: &str, lower: &str) -> bool {
        let mut left = vec![lower];
        let mut seen = 0;
        while let Some(name) = left.pop() {
            seen += 1;
            if name == upper {
                return true;
            }
            if seen > 4096 {
                return true;
            }
            if let Some(class) = self.program.classes.get(name) {
                left.extend(
                    class
                        .above
                        .iter()
                        .chain(&class.interfaces)
                        .map(String::as_str),
                );
            }
        }
        false
    }

    fn finish(self) -> Elements {
        let mut elements = Elements {
            version: self.program.version(),
            ..Elements::default()
        };
        let mut spared = Spared::default();
        let mut sites: BTreeMap<String, Vec<Site>> = BTreeMap::new();
        for (element, known) in self.known {
            if !known.changes || known.sites.is_empty() {
                spared.constant += 1;
                continue;
            }
            if !known.reached {
                spared.main_only += 1;
                continue;
            }
            if !known.shared {
                spared.local += 1;
                continue;
            }
            let number = u32::try_from(elements.list.len()).unwrap_or(u32::MAX);
            elements.list.push(element);
            for (class, method, offset, deed) in known.sites {
                sites.entry(class.to_owned()).or_default().push(Site {
                    element: number,
                    deed,
                    method: method.signature.0.clone(),
                    descriptor: method.signature.1.clone(),
                    offset,
                });
            }
        }
        elements.sites = Sites(sites);
        elements.spared = spared;
        elements
    }
}
