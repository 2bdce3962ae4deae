//! The classes that the JVM gets.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Write};

use reprise_classfile::read::{ClassFile, ReadError};
use reprise_jvm_events::TABLES;
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::table::{Class, Shape, Site};
use reprise_probes::ProbeError;
use reprise_probes::catalog::{self, Catalog};
use reprise_probes::initialiser;
use reprise_probes::pattern::{Builders, Patterns, is_platform};
use reprise_probes::replay::{self, replayed_name};
use reprise_probes::volatile::{Sharing, Volatiles};
use reprise_recording::{Recording, Source};

use crate::named::{Mentioned, guess, mentions};
use crate::rules::Rules;
use crate::script::{Script, Told};
use crate::{KIND, Plan, PlayError, standin};

const NATIVE: u16 = 0x0100;
const ABSTRACT: u16 = 0x0400;
/// The flag of an enum's constants.
const ENUM: u16 = 0x4000;

/// What a recording gives to play.
pub(crate) struct Prepared {
    /// Its tables.
    pub(crate) tables: Reader,
    /// Inside classes and stand-ins, by number.
    classes: BTreeMap<u32, Ready>,
    /// The sites of the inside classes, the number being the position plus one.
    sites: Vec<(u32, String, Site)>,
    /// How many classes were replaced.
    pub(crate) replaced: usize,
}

/// A class that is ready.
#[derive(Default)]
pub(crate) struct Ready {
    pub(crate) class: Class,
    pub(crate) name_here: String,
    pub(crate) guessed: bool,
    pub(crate) missing: bool,
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) methods: Vec<(u8, String)>,
    pub(crate) fields: Vec<String>,
    pub(crate) constants: Vec<String>,
}

/// Reads the tables and makes the classes.
pub(crate) fn prepare<S: Source>(
    recording: &Recording<S>,
    plan: &Plan,
) -> Result<Prepared, PlayError> {
    let kind = &recording.manifest().kind;
    if kind != KIND {
        return Err(PlayError::Kind(kind.clone()));
    }
    // What the objects of a long run were is not remembered.
    let mut tables = Reader::bounded(0);
    for (stream, _) in recording.streams().filter(|(_, info)| info.kind == TABLES) {
        let mut entries = recording.events(stream, 0)?;
        while let Some(entry) = entries.next()? {
            let number = entry.number;
            let added = tables.table(entry.payload);
            added.map_err(|error| PlayError::Format {
                stream,
                number,
                error,
            })?;
        }
    }
    let observed = recording.manifest().details.get("observe");
    let observed = observed.and_then(|list| list.as_array());
    let texts = observed
        .into_iter()
        .flatten()
        .filter_map(|text| text.as_str());
    let mut patterns = Patterns::parse(texts)?;
    let is_set =
        |name| recording.manifest().details.get(name) == Some(&serde_json::Value::Bool(true));
    if is_set("races") {
        patterns.sharing = Sharing::Every;
    }
    patterns.builders = match recording.manifest().details.get("builders") {
        Some(serde_json::Value::Number(number)) => {
            Builders::of(number.as_u64().unwrap_or(u64::MAX))
        }
        _ if is_set("builders") => Builders::Straight,
        _ => Builders::None,
    };
    let mut prepared = Prepared {
        tables,
        classes: BTreeMap::new(),
        sites: Vec::new(),
        replaced: 0,
    };
    prepared.make(&patterns, plan)?;
    Ok(prepared)
}

impl Prepared {
    fn make(&mut self, patterns: &Patterns, plan: &Plan) -> Result<(), PlayError> {
        let tables = self.tables.tables();
        let mut mentioned = Mentioned::new();
        let mut classes = BTreeMap::new();
        let mut sites = Vec::new();
        let rules = Rules::of(tables, patterns, plan);
        let loaded: HashSet<&str> = tables
            .classes
            .values()
            .map(|class| class.name.as_str())
            .collect();
        let is_there = |name: &str| loaded.contains(name) || is_platform(name);
        for (id, class) in &tables.classes {
            let broken = |error: ProbeError| PlayError::Class {
                name: class.name.replace('/', "."),
                error,
            };
            let mut ready = Ready {
                class: class.clone(),
                name_here: class.name.clone(),
                ..Ready::default()
            };
            if let Some(recorded) = tables.bytes.get(id).filter(|_| class.inside) {
                let new = plan.classes.get(&class.name);
                self.replaced += usize::from(new.is_some());
                let bytes = new.unwrap_or(recorded);
                let inside = inside(*id, class, bytes, &rules, &mut sites, &mut mentioned);
                ready = inside.map_err(broken)?;
            } else if let Some(shape) = tables.shapes.get(id).filter(|_| !class.inside) {
                ready.name_here = name_here(class);
                let site = initialiser_site(*id, class, shape, &mut sites);
                ready.bytes =
                    Some(standin::make(&ready.name_here, shape, site, is_there).map_err(broken)?);
                outline(shape, &mut ready);
                for name in shape.interfaces.iter().chain([&shape.superclass]) {
                    mentioned
                        .entry(name.clone())
                        .or_insert((class.loader, false));
                }
            }
            classes.insert(*id, ready);
        }
        add_new(&rules, plan, &mut mentioned, &mut classes, &mut sites)?;
        guess(tables, patterns, mentioned, &mut classes);
        self.classes = classes;
        self.sites = sites;
        Ok(())
    }

    /// Writes everything that comes before the events.
    pub(crate) fn write<W: Write>(&self, script: &mut Script<W>) -> io::Result<()> {
        let tables = self.tables.tables();
        for exported in &tables.exported {
            script.exported(exported)?;
        }
        for (id, ready) in &self.classes {
            script.class(&Told {
                id: *id,
                class: ready.class.clone(),
                name_here: ready.name_here.clone(),
                guessed: ready.guessed,
                missing: ready.missing,
                bytes: ready.bytes.as_deref(),
                methods: ready.methods.clone(),
                fields: ready.fields.clone(),
                constants: ready.constants.clone(),
            })?;
        }
        for (id, (method, _)) in &tables.methods {
            let class = tables.classes.get(&method.class);
            let class = class.map_or("", |class| class.name.as_str());
            let here = replayed_name(class, &method.name, &method.descriptor);
            script.method(*id, method, &here)?;
        }
        for (id, (site, _)) in &tables.sites {
            let class = tables
                .methods
                .get(&site.method)
                .map(|(method, _)| method.class);
            let class = class.and_then(|class| tables.classes.get(&class));
            let loader = class.map_or(0, |class| class.loader);
            script.site(true, *id, loader, "", site)?;
        }
        for (id, (class, r#where, site)) in (1..).zip(&self.sites) {
            script.site(false, id, *class, r#where, site)?;
        }
        for (id, constant) in &tables.values {
            script.constant(*id, constant)?;
        }
        Ok(())
    }
}

/// An inside class, of these bytes.
fn inside(
    id: u32,
    class: &Class,
    bytes: &[u8],
    rules: &Rules<'_>,
    sites: &mut Vec<(u32, String, Site)>,
    mentioned: &mut Mentioned,
) -> Result<Ready, ProbeError> {
    let mut numbers = Numbers {
        class: id,
        name: class.name.replace('/', "."),
        methods: Vec::new(),
        sites,
        volatiles: &rules.volatiles,
    };
    let is_lent = |name: &str, descriptor: &str| rules.is_lent(id, name, descriptor);
    let played = replay::inside(bytes, rules.patterns, &mut numbers, is_lent)?;
    let file = ClassFile::parse(bytes)?;
    let mut ready = Ready {
        class: class.clone(),
        name_here: class.name.clone(),
        bytes: Some(played),
        ..Ready::default()
    };
    describe(&file, &mut ready)?;
    mentions(&file, class.loader, mentioned)?;
    Ok(ready)
}

/// The site that stands for the initialiser of an outside class, if it has one.
fn initialiser_site(
    id: u32,
    class: &Class,
    shape: &Shape,
    sites: &mut Vec<(u32, String, Site)>,
) -> Option<u32> {
    let mut methods = shape.methods.iter();
    methods.find(|method| method.name == initialiser::NAME)?;
    let site = Site {
        opcode: initialiser::OPCODE,
        owner: class.name.clone(),
        name: initialiser::NAME.to_owned(),
        descriptor: initialiser::DESCRIPTOR.to_owned(),
        ..Site::default()
    };
    let r#where = format!("{}.{}", class.name.replace('/', "."), initialiser::NAME);
    sites.push((id, r#where, site));
    u32::try_from(sites.len()).ok()
}

/// Inside classes that only the other version has, or that were not loaded when
/// it was recorded: those that the classes which are played name, and so on.
fn add_new(
    rules: &Rules<'_>,
    plan: &Plan,
    mentioned: &mut Mentioned,
    classes: &mut BTreeMap<u32, Ready>,
    sites: &mut Vec<(u32, String, Site)>,
) -> Result<(), PlayError> {
    let known = classes.values().filter(|ready| ready.bytes.is_some());
    let mut known: BTreeSet<String> = known.map(|ready| ready.class.name.clone()).collect();
    loop {
        let new = mentioned.iter().find(|(name, _)| {
            !known.contains(*name)
                && plan.classes.contains_key(*name)
                && rules.patterns.is_inside(name)
        });
        let Some((name, (loader, _))) = new else {
            return Ok(());
        };
        let class = Class {
            loader: *loader,
            inside: true,
            name: name.clone(),
        };
        let id = match classes.iter().find(|(_, ready)| ready.class == class) {
            Some((id, _)) => *id,
            None => classes.keys().max().copied().unwrap_or(0).saturating_add(1),
        };
        known.insert(class.name.clone());
        let bytes = plan.classes.get(&class.name).map_or(&[][..], Vec::as_slice);
        let ready = inside(id, &class, bytes, rules, sites, mentioned);
        let ready = ready.map_err(|error| PlayError::Class {
            name: class.name.replace('/', "."),
            error,
        })?;
        classes.insert(id, ready);
    }
}

/// Numbers the sites of the classes that are played.
struct Numbers<'s> {
    class: u32,
    name: String,
    methods: Vec<String>,
    sites: &'s mut Vec<(u32, String, Site)>,
    volatiles: &'s Volatiles,
}

impl Catalog for Numbers<'_> {
    fn is_volatile(&self, owner: &str, name: &str, descriptor: &str) -> bool {
        self.volatiles.stripe(owner, name, descriptor).is_some()
    }

    fn method(&mut self, _: u16, name: &str, _: &str) -> u32 {
        self.methods.push(format!("{}.{name}", self.name));
        u32::try_from(self.methods.len()).unwrap_or(u32::MAX)
    }

    fn site(&mut self, site: &catalog::Site<'_>) -> u32 {
        let method = usize::try_from(site.method).unwrap_or(0).checked_sub(1);
        let method = method.and_then(|at| self.methods.get(at));
        let r#where = method.unwrap_or(&self.name).clone();
        let kept = Site {
            method: 0,
            offset: site.offset,
            line: site.line,
            opcode: site.opcode,
            owner: site.owner.to_owned(),
            name: site.name.to_owned(),
            descriptor: site.descriptor.to_owned(),
        };
        self.sites.push((self.class, r#where, kept));
        u32::try_from(self.sites.len()).unwrap_or(u32::MAX)
    }
}

fn kind(access: u16) -> u8 {
    match access {
        flags if flags & ABSTRACT != 0 => 2,
        flags if flags & NATIVE != 0 => 3,
        _ => 1,
    }
}

/// The members of an inside class.
fn describe(class: &ClassFile<'_>, ready: &mut Ready) -> Result<(), ReadError> {
    let text = |name, descriptor| -> Result<String, ReadError> {
        let name = class.pool.utf8(name)?.to_str_lossy();
        Ok(format!(
            "{name}{}",
            class.pool.utf8(descriptor)?.to_str_lossy()
        ))
    };
    for method in &class.methods {
        let named = text(method.name, method.descriptor)?;
        ready.methods.push((kind(method.access), named));
    }
    for field in &class.fields {
        ready.fields.push(text(field.name, field.descriptor)?);
    }
    Ok(())
}

/// The members of a stand-in.
fn outline(shape: &Shape, ready: &mut Ready) {
    for method in &shape.methods {
        let named = format!("{}{}", method.name, method.descriptor);
        ready.methods.push((kind(method.access), named));
    }
    for field in &shape.fields {
        ready
            .fields
            .push(format!("{}{}", field.name, field.descriptor));
        if field.access & ENUM != 0 {
            ready.constants.push(field.name.clone());
        }
    }
}

/// A name that a class file may have, outside the JDK's packages.
fn name_here(class: &Class) -> String {
    if !class.name.contains('.') && !is_platform(&class.name) {
        return class.name.clone();
    }
    let name = class.name.replace('.', "_");
    if class.loader == 0 || is_platform(&class.name) {
        format!("reprise/standin/{}", name.replace('/', "_"))
    } else {
        name
    }
}
