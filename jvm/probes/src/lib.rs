//! What to insert where, so that the runtime in the subject's JVM sees every
//! crossing of the boundary.
//!
//! Pure: a class file and a plan in, a class file out. What is inserted is
//! straight-line code: every branch but one (`loaders`) is in the runtime's static
//! methods (`jvm/runtime`, class `Probe`), so no new stack map frames are needed.
//!
//! | subject | file |
//! | --- | --- |
//! | which classes are inside | [`pattern`] |
//! | where a method is entered and left | `method` |
//! | calls that may leave the inside | `calls` |
//! | string builders that a method makes for itself | `builders` |
//! | `invokedynamic`: concatenation, lambdas, records | `dynamic` |
//! | fields and `new` of outside classes | `fields` |
//! | elements of arrays that both sides hold | `holds`, `elements` |
//! | writes to inside fields by outside classes | `inwrite` |
//! | methods with too much code for all this | [`lent`] |
//! | classes that are resolved without a call | `resolution` |
//! | initialisers of outside classes above inside ones | [`initialiser`] |
//! | the order of threads: monitors, volatile fields; `==` of values | `order` |
//! | volatile fields of other inside classes | [`volatile`] |
//! | `VarHandle`s and field updaters | `handles` |
//! | the field that holds an object's number | `identity` |
//! | and copies of the object, which must not have it | `copies` |
//! | that field in listings | [`hide`] |
//! | calls that need no event, with the reasons | [`pure`] |
//! | class loaders of the program | `loaders` |
//! | what the inserted code calls | `probe` |
//! | the counting of a dry run | [`count`] |
//! | the runtime of jars that are instrumented ahead of time | [`ahead`] |
//! | who numbers methods and sites | [`catalog`] |
//! | whether the result would verify | `plausible` |
//! | what an outside class looks like | [`shape`] |
//! | the same classes as a replay runs them | [`replay`] |
//!
//! A method that cannot be edited is left as it was and named in
//! [`Instrumented::skipped`].
#![deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used))]

pub mod ahead;
mod builders;
mod calls;
pub mod catalog;
mod copies;
pub mod count;
mod dynamic;
mod elements;
mod fields;
mod finalizers;
mod handles;
pub mod hide;
mod holds;
mod identity;
pub mod initialiser;
mod inwrite;
pub mod lent;
mod loaders;
mod method;
mod order;
pub mod pattern;
mod plausible;
mod probe;
pub mod pure;
mod reflected;
pub mod replay;
mod resolution;
pub mod shape;
pub mod volatile;

use reprise_classfile::read::{ClassFile, ReadError};
use reprise_classfile::relocate::EditError;
use reprise_classfile::write::{ClassEditor, PoolError, SnippetError, WriteError};

pub use crate::plausible::plausible;

use crate::catalog::Catalog;
use crate::inwrite::Wanted;
use crate::pattern::Patterns;

/// A class with probes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instrumented {
    /// The class file.
    pub bytes: Vec<u8>,
    /// How many methods have probes.
    pub edited: usize,
    /// The methods that were left as they were.
    pub skipped: Vec<Skipped>,
    /// One of them may copy objects, with the number that is in their field.
    pub copies_unseen: bool,
}

/// A method that was left as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name and descriptor.
    pub method: String,
    /// Why.
    pub why: String,
}

/// Why a class cannot be given probes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each says it itself")]
pub enum ProbeError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Snippet(#[from] SnippetError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Descriptor(#[from] reprise_classfile::descriptor::DescriptorError),
    #[error(transparent)]
    Rename(#[from] reprise_classfile::write::RenameError),
    #[error("an interface of a version before Java 8 can be given no methods")]
    OldInterface,
    #[error("a constructor cannot be lent to the outside")]
    Constructor,
    #[error("it was instrumented ahead of time: use the jar as it was, or no agent")]
    Already,
}

/// Where the number of an object of the program is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// In a field that its class gets. An agent can hide that.
    InField,
    /// In a map of the runtime.
    InMap,
}

/// Puts the probes of an inside class into it.
pub fn inside(
    class: &ClassFile<'_>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    numbers: Numbers,
) -> Result<Instrumented, ProbeError> {
    if has_probes(class) {
        return Err(ProbeError::Already);
    }
    let mut edited = ClassEditor::new(class);
    let skipped = method::instrument(class, &mut edited, patterns, catalog)?;
    if numbers == Numbers::InField {
        identity::inject(class, &mut edited, patterns)?;
    }
    let copies_unseen = copies_unseen(class, &skipped)?;
    let probed = edited.replaced();
    let bytes = edited.finish()?;
    let asked = numbers == Numbers::InField && loaders::is_asked(class)?;
    let bytes = match asked {
        true => loaders::answering(&bytes, Some(loaders::site(class, catalog)?))?,
        false => bytes,
    };
    Ok(Instrumented {
        bytes,
        edited: probed + usize::from(asked),
        skipped,
        copies_unseen,
    })
}

/// Whether a method that was not given all of its probes may copy objects.
fn copies_unseen(class: &ClassFile<'_>, skipped: &[Skipped]) -> Result<bool, ProbeError> {
    for method in &class.methods {
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        let named = format!("{name}{descriptor}");
        if skipped.iter().any(|skipped| skipped.method == named) && copies::has(class, method) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a class calls the runtime already.
fn has_probes(class: &ClassFile<'_>) -> bool {
    let mut names = class.pool.indexes();
    names.any(|index| {
        let name = class.pool.class_name(index);
        name.is_ok_and(|name| name == probe::PROBE || name == ahead::PROBE)
    })
}

/// Puts probes into an outside class of the program that may write to inside
/// fields, or whose initialiser may run code elsewhere, and, if asked to, gives its
/// objects a place for their number; none when it stays as it is.
pub fn outside(
    class: &ClassFile<'_>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    numbers: Numbers,
) -> Result<Option<Instrumented>, ProbeError> {
    if has_probes(class) {
        return Err(ProbeError::Already);
    }
    let writes = inwrite::mentions_inside_field(class, patterns, catalog)?;
    let numbered = numbers == Numbers::InField && identity::begins_outside(class)?;
    let copies = numbers == Numbers::InField && copies::mentions(class)?;
    let asked = numbers == Numbers::InField && loaders::is_asked(class)?;
    let wanted = Wanted {
        fields: writes || copies,
        initialiser: initialiser::may_run_code(class)?,
    };
    if !wanted.fields && !wanted.initialiser && !numbered && !asked {
        return Ok(None);
    }
    let mut edited = ClassEditor::new(class);
    let mut skipped = Vec::new();
    if wanted.fields || wanted.initialiser {
        skipped = inwrite::instrument(class, &mut edited, patterns, catalog, wanted)?;
    }
    if numbered {
        identity::add(&mut edited)?;
    }
    let copies_unseen = copies_unseen(class, &skipped)?;
    let probed = edited.replaced();
    let mut bytes = edited.finish()?;
    if asked {
        bytes = loaders::answering(&bytes, None)?;
    }
    Ok(Some(Instrumented {
        bytes,
        edited: probed + usize::from(asked),
        skipped,
        copies_unseen,
    }))
}
