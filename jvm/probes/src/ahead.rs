//! The runtime of classes that are instrumented ahead of time is in a package of
//! its own. The agent's is loaded by the JVM itself and would be found first, and
//! the two number everything differently.

use reprise_classfile::read::ClassFile;
use reprise_classfile::write::{ClassEditor, rename_classes};

use crate::ProbeError;

const PACKAGE: &[u8] = b"reprise/runtime/";
const OWN: &[u8] = b"reprise/ahead/";
/// What probes call there.
pub(crate) const PROBE: &str = "reprise/ahead/Probe";

/// A class with probes, as it is put into a jar.
pub fn carried(bytes: &[u8]) -> Result<Vec<u8>, ProbeError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    rename_classes(&mut edited, &|name| {
        let rest = name.strip_prefix(PACKAGE)?;
        Some([OWN, rest].concat())
    })?;
    Ok(edited.finish()?)
}
