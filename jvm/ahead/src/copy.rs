//! From jar to jar: classes with their probes, everything else as it was.

use std::io::{Read, Seek, Write};

use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::read::{ClassFile, access};
use reprise_jvm_events::table::Entry;
use reprise_probes::{Instrumented, Numbers, shape};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::tables::{self, FileTables, Tables};
use crate::{AheadError, Plan, RUNTIME_NAME, manifest};

const MANIFEST: &str = "META-INF/MANIFEST.MF";
/// Where a jar has its versions for newer releases.
const VERSIONS: &str = "META-INF/versions/";
/// The longest file of a jar that is looked into; a jar may say anything about
/// its own.
const LONGEST: u64 = 256 << 20;

/// What became of a jar.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Copied {
    /// How many classes are inside and have their probes.
    pub inside: usize,
    /// How many others have probes, because they may write to what is inside.
    pub outside: usize,
    /// How many classes there are.
    pub classes: usize,
    /// What was left as it was, or left out, and why.
    pub kept: Vec<Kept>,
}

/// Something that was left as it was, or left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// A class, a method or a file.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Copied {
    fn keep(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.kept.push(Kept {
            what: what.into(),
            why: why.into(),
        });
    }
}

pub(crate) fn copy(
    from: impl Read + Seek,
    to: impl Write + Seek,
    plan: &Plan<'_>,
) -> Result<Copied, AheadError> {
    let mut jar = ZipArchive::new(from)?;
    if jar.by_name(tables::NAME).is_ok() {
        return Err(AheadError::Already);
    }
    let mut out = ZipWriter::new(to);
    let mut copied = Copied::default();
    let mut tables = Tables::default();
    let old_manifest = text(&mut jar, MANIFEST)?;
    let for_releases = manifest::is_for_releases(&old_manifest);
    // Java looks for the manifest in the first two places only.
    put(
        &mut out,
        MANIFEST,
        manifest::rewrite(&old_manifest, RUNTIME_NAME).as_bytes(),
    )?;
    let mut signed = false;
    for index in 0..jar.len() {
        let file = jar.by_index(index)?;
        let name = file.name()?.into_owned();
        if name == MANIFEST {
            continue;
        }
        if is_signature(&name) {
            signed = true;
            continue;
        }
        let is_class = name.ends_with(".class") && !file.is_dir();
        if !is_class || name.ends_with("module-info.class") {
            remark(&name, &mut copied);
            drop(file);
            out.raw_copy_file(jar.by_index_raw(index)?)?;
            continue;
        }
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        let release = release(&name, for_releases);
        match class(release, &bytes, plan, &mut tables, &mut copied) {
            Some(edited) => put(&mut out, &name, &edited)?,
            None => out.raw_copy_file(jar.by_index_raw(index)?)?,
        }
    }
    if copied.inside == 0 {
        return Err(AheadError::NothingInside {
            classes: copied.classes,
        });
    }
    if signed {
        copied.keep(
            "the jar's signatures",
            "left out, because its classes are others now",
        );
    }
    put(&mut out, tables::NAME, &tables.write(plan))?;
    out.finish()?.flush().map_err(AheadError::Write)?;
    Ok(copied)
}

/// Says what of a jar cannot work as it did.
fn remark(name: &str, copied: &mut Copied) {
    if name.ends_with("module-info.class") {
        let why = "on the module path its classes do not see the runtime: use the class path";
        copied.keep(name, why);
    } else if name.ends_with(".jar") {
        copied.keep(name, "a jar in the jar is copied as it is");
    }
}

fn text<R: Read + Seek>(jar: &mut ZipArchive<R>, name: &str) -> Result<String, AheadError> {
    let mut bytes = Vec::new();
    if let Ok(file) = jar.by_name(name) {
        file.take(LONGEST).read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn put<W: Write + Seek>(
    out: &mut ZipWriter<W>,
    name: &str,
    bytes: &[u8],
) -> Result<(), AheadError> {
    out.start_file(name, SimpleFileOptions::default())?;
    out.write_all(bytes).map_err(AheadError::Write)
}

/// Signatures, and the digests that they sign.
fn is_signature(name: &str) -> bool {
    let Some(file) = name.strip_prefix("META-INF/") else {
        return false;
    };
    let end = file.rsplit_once('.').map_or("", |(_, end)| end);
    let ends = ["SF", "RSA", "DSA", "EC"];
    !file.contains('/') && ends.iter().any(|known| end.eq_ignore_ascii_case(known))
}

/// The first release that a class file is for.
fn release(name: &str, for_releases: bool) -> u32 {
    let version = name
        .strip_prefix(VERSIONS)
        .and_then(|rest| rest.split_once('/'));
    match version.and_then(|(version, _)| version.parse().ok()) {
        Some(release) if for_releases => release,
        // Nobody ever loads these.
        Some(_) => u32::MAX,
        None => 0,
    }
}

/// The class with its probes; none when it stays as it was.
fn class(
    release: u32,
    bytes: &[u8],
    plan: &Plan<'_>,
    tables: &mut Tables,
    copied: &mut Copied,
) -> Option<Vec<u8>> {
    copied.classes += 1;
    let class = parse_for_edit(bytes).ok()?;
    let name = class.name().ok()?.to_str_lossy().into_owned();
    let declared = tables::declared(&class, plan.patterns.sharing).ok()?;
    let inside = plan.patterns.is_inside(&name);
    let mut file = tables.file(&name, inside);
    let id = file.class();
    let result = if inside {
        let bytes_entry = Entry::Bytes {
            class: id,
            bytes: bytes.to_vec(),
        };
        file.entry(bytes_entry);
        reprise_probes::inside(&class, plan.patterns, &mut file, Numbers::InMap).map(Some)
    } else {
        if let Ok(shape) = shape::of_class(&class) {
            file.entry(Entry::Shape { class: id, shape });
        }
        reprise_probes::outside(&class, plan.patterns, &mut file, Numbers::InMap)
    };
    if class
        .methods
        .iter()
        .any(|one| one.access & access::NATIVE != 0)
    {
        // Only the agent sees that.
        let why = "what its native methods write to inside fields is not seen";
        file.skipped("", why.to_owned());
    }
    let checked = match result {
        Err(error) => Err(error.to_string()),
        Ok(None) => Ok(None),
        Ok(Some(edited)) => carried(&class, edited).map(Some),
    };
    let edited = match checked {
        Ok(edited) => edited,
        Err(why) => {
            copied.keep(name.replace('/', "."), &why);
            file.skipped("", why);
            None
        }
    };
    let edited = edited.map(|edited| finish(edited, &name, inside, &mut file, copied));
    tables.add(release, &file, &declared);
    let told = reprise_probes::ahead::telling_exit(edited.as_deref().unwrap_or(bytes));
    // What cannot say how the program ends is as good without.
    let told = told.ok().flatten();
    told.filter(|told| reprise_probes::plausible(&class, told).is_ok())
        .or(edited)
}

/// The class as it is put into the jar, if it would verify.
fn carried(class: &ClassFile<'_>, mut edited: Instrumented) -> Result<Instrumented, String> {
    let bytes = reprise_probes::ahead::carried(&edited.bytes);
    edited.bytes = bytes.map_err(|error| error.to_string())?;
    reprise_probes::plausible(class, &edited.bytes)?;
    Ok(edited)
}

/// Notes what is left as it was in a class that has its probes.
fn finish(
    edited: Instrumented,
    name: &str,
    inside: bool,
    file: &mut FileTables,
    copied: &mut Copied,
) -> Vec<u8> {
    match inside {
        true => copied.inside += 1,
        false => copied.outside += 1,
    }
    for skipped in edited.skipped {
        copied.keep(
            format!("{}.{}", name.replace('/', "."), skipped.method),
            &skipped.why,
        );
        file.skipped(&skipped.method, skipped.why);
    }
    edited.bytes
}
