//! The jars that the agent carries: a JVM reads them from files.

use std::path::PathBuf;

/// Writes a jar to a temporary file, which the caller removes.
pub(crate) fn write(prefix: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let written = || -> std::io::Result<PathBuf> {
        let file = tempfile::Builder::new()
            .prefix(prefix)
            .suffix(".jar")
            .tempfile()?;
        std::fs::write(file.path(), bytes)?;
        Ok(file.into_temp_path().keep()?)
    };
    written().map_err(|error| format!("cannot write the runtime's jar: {error}"))
}
