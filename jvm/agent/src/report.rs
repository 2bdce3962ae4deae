//! What `reprise record` reads when the command has ended.
//!
//! A command may start no JVM, one, or many, and only they know what became of
//! their recordings. Each adds lines to a file of its own, named after its
//! process, in a folder that `reprise` has made (`report=FOLDER`):
//!
//! ```text
//! jvm 17.0.9           the JVM has started, and this is what it is
//! out FILE             it records into this file
//! unmet PATTERN        it has loaded no class that this pattern matches
//! discarded FILE       it has not failed, and its recording was removed
//! useless FILE         no observed class was used, and it was removed, too
//! say TEXT             anything else that a person should know
//! ```

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

static REPORT: OnceLock<File> = OnceLock::new();

/// Opens the report that the options ask for. This comes before they are
/// checked, because a mistake in them is to be reported, too.
pub(crate) fn prepare(options: &str) {
    let folder = options.split(',').find_map(|o| o.strip_prefix("report="));
    let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
        return;
    };
    let path = Path::new(folder).join(std::process::id().to_string());
    // Without it, messages go where they go without `reprise`.
    if let Ok(file) = File::options().create(true).append(true).open(path) {
        let _ = REPORT.set(file);
    }
}

/// Adds a line; false when there is no report.
pub(crate) fn add(what: &str, text: &str) -> bool {
    let Some(mut file) = REPORT.get() else {
        return false;
    };
    let text = text.replace('\n', " ");
    file.write_all(format!("{what} {text}\n").as_bytes())
        .is_ok()
}
