//! Numbers for classes, methods, sites and values, and the table stream.
//!
//! Everything here is rare: it happens once per class, site or value, under
//! one lock.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reprise_classfile::read::ClassFile;
use reprise_jvm_events::table::{Class, Entry, Exported, Method, Shape, Site, Skipped};
use reprise_probes::catalog::{self, Catalog};
use reprise_probes::volatile::{Sharing, Volatiles};
use reprise_recording::spool::StdEnvironment;
use reprise_recording::spool::ring::RingWriter;

use super::heritage::{Heritage, Origin};

/// The tables of a recording that is being made.
pub(super) struct Tables(Mutex<Inner>);

struct Inner {
    stream: RingWriter<StdEnvironment>,
    /// By loader and name.
    classes: HashMap<(u32, String), u32>,
    loaders: u32,
    methods: u32,
    /// The first method of each class that has one.
    firsts: HashMap<u32, u32>,
    values: u32,
    /// What resolution needs to know of each site; the number is the position
    /// plus one.
    sites: Vec<Named>,
    heritage: Heritage,
    skipped: Vec<Skipped>,
    /// Classes that may copy objects with the number that is in their field.
    copies_unseen: HashSet<u32>,
    /// Which fields of inside classes are volatile.
    volatiles: Volatiles,
}

/// A method, and the line there; 0 where it is not known.
#[derive(Clone, Copy)]
pub(super) struct Place {
    method: u32,
    line: u32,
}

/// The member that a site names.
#[derive(Clone)]
pub(super) struct Named {
    place: Place,
    pub(super) opcode: u8,
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) descriptor: String,
}

impl Tables {
    pub(super) fn new(stream: RingWriter<StdEnvironment>, sharing: Sharing) -> Self {
        Self(Mutex::new(Inner {
            stream,
            classes: HashMap::new(),
            loaders: 0,
            methods: 0,
            firsts: HashMap::new(),
            values: 0,
            sites: Vec::new(),
            heritage: Heritage::default(),
            skipped: Vec::new(),
            copies_unseen: HashSet::new(),
            volatiles: Volatiles::new(sharing),
        }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic in here leaves nothing half done that matters.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A loader that was not met before.
    pub(super) fn loader(&self, name: String) -> u32 {
        let mut inner = self.inner();
        inner.loaders += 1;
        let id = inner.loaders;
        inner.add(&Entry::Loader { id, name });
        id
    }

    /// The number of a class.
    pub(super) fn class(&self, loader: u32, inside: bool, name: &str) -> u32 {
        self.inner().class(loader, inside, name)
    }

    /// The class file of an inside class as it was.
    pub(super) fn bytes(&self, class: u32, bytes: Vec<u8>) {
        let mut inner = self.inner();
        if let Ok(file) = ClassFile::parse(&bytes) {
            // What cannot be read is not given probes either.
            let _ = inner.volatiles.add(&file);
        }
        inner.add(&Entry::Bytes { class, bytes });
    }

    /// The stripe of the volatile inside field that a site names.
    pub(super) fn stripe(&self, site: u32) -> Option<u32> {
        let named = self.site(site)?;
        let inner = self.inner();
        inner
            .volatiles
            .stripe(&named.owner, &named.name, &named.descriptor)
    }

    /// What an outside class looks like.
    pub(super) fn shape(&self, class: u32, shape: Shape) {
        self.inner().add(&Entry::Shape { class, shape });
    }

    /// What a class of the program hands down.
    pub(super) fn inherits(&self, loader: u32, name: &str, shape: &Shape) {
        self.inner().heritage.add(loader, name, shape);
    }

    /// The class that declares a static member; none when no known one does.
    pub(super) fn declares(
        &self,
        loader: u32,
        owner: &str,
        is_field: bool,
        member: &str,
    ) -> Option<Origin> {
        let inner = self.inner();
        inner.heritage.declares(loader, owner, is_field, member)
    }

    /// A value; its constant is encoded already.
    pub(super) fn value(&self, constant: &[u8]) -> u32 {
        let mut inner = self.inner();
        inner.values += 1;
        let id = inner.values;
        let mut entry = vec![6];
        reprise_jvm_events::bytes::put_varint(&mut entry, id.into());
        entry.extend_from_slice(constant);
        inner.stream.append(&entry);
        id
    }

    /// Something that was left as it was.
    pub(super) fn skipped(&self, skipped: Skipped) {
        let mut inner = self.inner();
        inner.add(&Entry::Skipped(skipped.clone()));
        inner.skipped.push(skipped);
    }

    /// An inside class is not what it was when it was loaded.
    pub(super) fn changed(&self, class: &str) {
        let changed = Skipped {
            class: class.to_owned(),
            method: String::new(),
            why: "it was changed while the program ran, by an agent or a debugger; a replay \
                  has it as it was loaded"
                .to_owned(),
        };
        if !self.inner().skipped.contains(&changed) {
            self.skipped(changed);
        }
    }

    /// A package of the JDK that the program may use.
    pub(super) fn exported(&self, exported: Exported) {
        self.inner().add(&Entry::Exported(exported));
    }

    /// A class may copy objects, and nobody sees it.
    pub(super) fn leaves_copies_unseen(&self, class: u32) {
        self.inner().copies_unseen.insert(class);
    }

    /// Whether it may.
    pub(super) fn copies_unseen(&self, class: u32) -> bool {
        self.inner().copies_unseen.contains(&class)
    }

    /// Everything that was left as it was.
    pub(super) fn all_skipped(&self) -> Vec<Skipped> {
        self.inner().skipped.clone()
    }

    /// The member that a site names.
    pub(super) fn site(&self, id: u32) -> Option<Named> {
        let at = usize::try_from(id).ok()?.checked_sub(1)?;
        self.inner().sites.get(at).cloned()
    }

    /// A place in a class that is not known any closer.
    pub(super) fn somewhere(&self, class: u32) -> Place {
        let method = self.inner().firsts.get(&class).copied().unwrap_or(0);
        Place { method, line: 0 }
    }

    /// Where a site is.
    pub(super) fn place(&self, site: u32) -> Option<Place> {
        self.site(site).map(|site| site.place)
    }

    /// A site at a place that names a member.
    pub(super) fn site_at(
        &self,
        place: Place,
        opcode: u8,
        owner: String,
        name: String,
        descriptor: String,
    ) -> u32 {
        let mut inner = self.inner();
        let named = Named {
            place,
            opcode,
            owner,
            name,
            descriptor,
        };
        inner.sites.push(named.clone());
        let id = u32::try_from(inner.sites.len()).unwrap_or(u32::MAX);
        let site = Site {
            method: place.method,
            offset: 0,
            line: place.line,
            opcode,
            owner: named.owner,
            name: named.name,
            descriptor: named.descriptor,
        };
        inner.add(&Entry::Site { id, site });
        id
    }

    /// Who numbers the methods and sites of a class.
    pub(super) fn catalog(&self, loader: u32, class: u32) -> impl Catalog {
        Numbers {
            tables: self,
            loader,
            class,
        }
    }
}

impl Inner {
    fn add(&mut self, entry: &Entry) {
        // An entry that comes after the end of the recording is not needed.
        self.stream.append(&entry.write());
    }

    fn class(&mut self, loader: u32, inside: bool, name: &str) -> u32 {
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX - 1) + 1;
        let key = (loader, name.to_owned());
        if let Some(id) = self.classes.get(&key) {
            return *id;
        }
        self.classes.insert(key, next);
        let name = name.to_owned();
        let class = Class {
            loader,
            inside,
            name,
        };
        self.add(&Entry::Class { id: next, class });
        next
    }
}

struct Numbers<'t> {
    tables: &'t Tables,
    loader: u32,
    class: u32,
}

impl Catalog for Numbers<'_> {
    fn above(&self, class: &str) -> Option<Vec<String>> {
        self.tables.inner().heritage.above(self.loader, class)
    }

    fn method(&mut self, access: u16, name: &str, descriptor: &str) -> u32 {
        let mut inner = self.tables.inner();
        inner.methods += 1;
        let id = inner.methods;
        inner.firsts.entry(self.class).or_insert(id);
        let method = Method {
            class: self.class,
            access,
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        };
        inner.add(&Entry::Method { id, method });
        id
    }

    fn site(&mut self, site: &catalog::Site<'_>) -> u32 {
        let mut inner = self.tables.inner();
        let named = Named {
            place: Place {
                method: site.method,
                line: site.line,
            },
            opcode: site.opcode,
            owner: site.owner.to_owned(),
            name: site.name.to_owned(),
            descriptor: site.descriptor.to_owned(),
        };
        inner.sites.push(named.clone());
        let id = u32::try_from(inner.sites.len()).unwrap_or(u32::MAX);
        let site = Site {
            method: site.method,
            offset: site.offset,
            line: site.line,
            opcode: site.opcode,
            owner: named.owner,
            name: named.name,
            descriptor: named.descriptor,
        };
        inner.add(&Entry::Site { id, site });
        id
    }
}
