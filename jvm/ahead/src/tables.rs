//! The resource in which an instrumented jar says what its probes number.
//!
//! ```text
//! magic          "RPRAHEAD"
//! version        u4, 1
//! reprise        text, its version
//! calls, tables  u4 each, the versions of the events
//! patterns       texts
//! oracle         u1
//! races          u1
//! builders       u1, which of a method's own run for real
//! limits         texts: what is not recorded, a tab, and why
//! classes        u4, the highest number of a class
//! sites          u4, the highest number of a site
//! files          u4 of them:
//!   release        u4, the first that it is for; 0 for all
//!   class          u4, its number; the versions of a class have the same
//!   name           text, with slashes
//!   inside         u1
//!   entries        u4 of them: u4 length, the entry of the recording's tables
//!   sites          u4 of them: u4 number, u1 opcode, owner, name, descriptor
//!                  (texts), u1 whether it leaves when the receiver is a value
//!   members        texts: name and descriptor of each method and field that it
//!                  declares, with a `!` in front of native methods
//!   superclass     text, with slashes
//!   volatiles      texts: name and descriptor of each volatile field, or with
//!                  races of each that can change
//!
//! text  u4 length, UTF-8        texts  u4 of them, each a text
//! ```
//! Numbers are big-endian, as Java reads them (`Tables.java`).

use std::collections::HashMap;

use reprise_classfile::read::{ClassFile, ReadError};
use reprise_jvm_events::table::{Entry, Method, Site, Skipped};
use reprise_jvm_events::{CALLS_VERSION, TABLES_VERSION};
use reprise_probes::catalog::{self, Catalog};
use reprise_probes::pattern::Pattern;
use reprise_probes::pure::runs_on_values;
use reprise_probes::volatile::Sharing;

use crate::{LIMITS, Plan};

/// Where it is in the jar.
pub const NAME: &str = "META-INF/reprise/tables";

const MAGIC: &[u8; 8] = b"RPRAHEAD";
const VERSION: u32 = 1;
const NATIVE: u16 = 0x0100;

/// Collects what the probes number.
#[derive(Default)]
pub(crate) struct Tables {
    classes: HashMap<String, u32>,
    methods: u32,
    sites: u32,
    files: Vec<u8>,
    file_count: u32,
}

/// What is known of one class file.
pub(crate) struct FileTables {
    class: u32,
    name: String,
    inside: bool,
    methods: u32,
    sites: u32,
    entries: Vec<Entry>,
    named: Vec<(u32, Site)>,
}

impl Tables {
    /// Begins a class file.
    pub(crate) fn file(&mut self, name: &str, inside: bool) -> FileTables {
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX - 1) + 1;
        let class = *self.classes.entry(name.to_owned()).or_insert(next);
        FileTables {
            class,
            name: name.to_owned(),
            inside,
            methods: self.methods,
            sites: self.sites,
            entries: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Adds a class file that is done.
    pub(crate) fn add(&mut self, release: u32, file: &FileTables, declared: &Declared) {
        self.methods = file.methods;
        self.sites = file.sites;
        self.file_count += 1;
        let out = &mut self.files;
        put_u32(out, release);
        put_u32(out, file.class);
        put_text(out, &file.name);
        out.push(file.inside.into());
        put_len(out, file.entries.len());
        for entry in &file.entries {
            put_bytes(out, &entry.write());
        }
        put_len(out, file.named.len());
        for (id, site) in &file.named {
            put_u32(out, *id);
            out.push(site.opcode);
            for text in [&site.owner, &site.name, &site.descriptor] {
                put_text(out, text);
            }
            out.push((!runs_on_values(&site.name, &site.descriptor)).into());
        }
        put_texts(out, &declared.members);
        put_text(out, &declared.superclass);
        put_texts(out, &declared.volatiles);
    }

    /// All of it.
    pub(crate) fn write(&self, plan: &Plan<'_>) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_u32(&mut out, VERSION);
        put_text(&mut out, env!("CARGO_PKG_VERSION"));
        put_u32(&mut out, CALLS_VERSION);
        put_u32(&mut out, TABLES_VERSION);
        let patterns: Vec<&str> = plan.patterns.iter().map(Pattern::text).collect();
        put_texts(&mut out, &patterns);
        out.push(plan.oracle.into());
        out.push((plan.patterns.sharing == Sharing::Every).into());
        out.push(plan.patterns.builders as u8);
        let limits: Vec<String> = LIMITS
            .iter()
            .map(|(what, why)| format!("{what}\t{why}"))
            .collect();
        put_texts(&mut out, &limits);
        put_len(&mut out, self.classes.len());
        put_u32(&mut out, self.sites);
        put_u32(&mut out, self.file_count);
        out.extend_from_slice(&self.files);
        out
    }
}

impl FileTables {
    /// Something about the class, for the recording.
    pub(crate) fn entry(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// The number of the class.
    pub(crate) fn class(&self) -> u32 {
        self.class
    }

    /// Something that was left as it was; nothing for the whole class.
    pub(crate) fn skipped(&mut self, method: &str, why: String) {
        self.entries.push(Entry::Skipped(Skipped {
            class: self.name.clone(),
            method: method.to_owned(),
            why,
        }));
    }
}

impl Catalog for FileTables {
    fn method(&mut self, access: u16, name: &str, descriptor: &str) -> u32 {
        self.methods += 1;
        let method = Method {
            class: self.class,
            access,
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        };
        self.entries.push(Entry::Method {
            id: self.methods,
            method,
        });
        self.methods
    }

    fn site(&mut self, site: &catalog::Site<'_>) -> u32 {
        self.sites += 1;
        let site = Site {
            method: site.method,
            offset: site.offset,
            line: site.line,
            opcode: site.opcode,
            owner: site.owner.to_owned(),
            name: site.name.to_owned(),
            descriptor: site.descriptor.to_owned(),
        };
        self.named.push((self.sites, site.clone()));
        self.entries.push(Entry::Site {
            id: self.sites,
            site,
        });
        self.sites
    }
}

/// What a class declares, as the resource says it.
#[derive(Default)]
pub(crate) struct Declared {
    members: Vec<String>,
    superclass: String,
    volatiles: Vec<String>,
}

pub(crate) fn declared(class: &ClassFile<'_>, sharing: Sharing) -> Result<Declared, ReadError> {
    let mut declared = Declared::default();
    if let Some(name) = class.super_name()? {
        declared.superclass = name.to_str_lossy().into_owned();
    }
    let text = |index| Ok::<_, ReadError>(class.pool.utf8(index)?.to_str_lossy());
    for method in &class.methods {
        let native = if method.access & NATIVE == 0 { "" } else { "!" };
        let (name, descriptor) = (text(method.name)?, text(method.descriptor)?);
        declared.members.push(format!("{native}{name}{descriptor}"));
    }
    for field in &class.fields {
        let member = format!("{}{}", text(field.name)?, text(field.descriptor)?);
        if sharing.covers(field.access) {
            declared.volatiles.push(member.clone());
        }
        declared.members.push(member);
    }
    Ok(declared)
}

fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_len(out: &mut Vec<u8>, length: usize) {
    put_u32(out, u32::try_from(length).unwrap_or(u32::MAX));
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

fn put_texts<T: AsRef<str>>(out: &mut Vec<u8>, texts: &[T]) {
    put_len(out, texts.len());
    for text in texts {
        put_text(out, text.as_ref());
    }
}
