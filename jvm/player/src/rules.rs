//! What every inside class is played by.

use std::collections::BTreeSet;

use reprise_classfile::read::ClassFile;
use reprise_jvm_events::table::Tables;
use reprise_probes::catalog;
use reprise_probes::lent::is_lent;
use reprise_probes::pattern::Patterns;
use reprise_probes::volatile::Volatiles;

use crate::Plan;

/// What every inside class is played by.
pub(crate) struct Rules<'p> {
    pub(crate) patterns: &'p Patterns,
    pub(crate) volatiles: Volatiles,
    /// Class, name and descriptor of the methods that were lent to the outside.
    lent: BTreeSet<(u32, String, String)>,
}

impl<'p> Rules<'p> {
    pub(crate) fn of(tables: &Tables, patterns: &'p Patterns, plan: &Plan) -> Self {
        Self {
            patterns,
            volatiles: volatiles(tables, patterns, plan),
            lent: lent(tables),
        }
    }

    /// Whether a method was lent to the outside.
    pub(crate) fn is_lent(&self, class: u32, name: &str, descriptor: &str) -> bool {
        let method = (class, name.to_owned(), descriptor.to_owned());
        self.lent.contains(&method)
    }
}

/// The methods that were lent to the outside: each has a site for itself.
fn lent(tables: &Tables) -> BTreeSet<(u32, String, String)> {
    let mut found = BTreeSet::new();
    for (site, _) in tables.sites.values() {
        let Some((method, _)) = tables.methods.get(&site.method) else {
            continue;
        };
        let class = tables.classes.get(&method.class);
        let class = class.map_or("", |class| class.name.as_str());
        let told = catalog::Site {
            method: site.method,
            offset: site.offset,
            line: site.line,
            opcode: site.opcode,
            owner: &site.owner,
            name: &site.name,
            descriptor: &site.descriptor,
        };
        if is_lent(&told, class, &method.name, &method.descriptor) {
            found.insert((method.class, method.name.clone(), method.descriptor.clone()));
        }
    }
    found
}

/// The volatile fields of all inside classes; what cannot be read will be
/// complained of later.
fn volatiles(tables: &Tables, patterns: &Patterns, plan: &Plan) -> Volatiles {
    let inside = tables.classes.iter().filter(|(_, class)| class.inside);
    let recorded = inside
        .filter(|(_, class)| !plan.classes.contains_key(&class.name))
        .filter_map(|(id, _)| tables.bytes.get(id));
    let mut new = plan.classes.iter().collect::<Vec<_>>();
    new.retain(|(name, _)| patterns.is_inside(name));
    let mut volatiles = Volatiles::new(patterns.sharing);
    for bytes in recorded.chain(new.into_iter().map(|(_, bytes)| bytes)) {
        if let Ok(file) = ClassFile::parse(bytes) {
            let _ = volatiles.add(&file);
        }
    }
    volatiles
}
