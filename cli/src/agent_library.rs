//! Where the JVM agent's library is.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Its file.
const NAME: &str = "libreprise_jvm.so";

/// It is not where it should be.
#[derive(Clone, Debug)]
pub struct Missing {
    /// What is wrong.
    pub why: String,
    /// What to do.
    pub fix: String,
}

/// The library: what `REPRISE_AGENT` names, beside this program, or in the
/// `lib` folder beside the program's. Cargo's own tests run in a folder below
/// the program's.
pub fn find() -> Result<PathBuf, Missing> {
    if let Some(path) = env::var_os("REPRISE_AGENT").filter(|path| !path.is_empty()) {
        return fs::canonicalize(&path).map_err(|error| Missing {
            why: format!("REPRISE_AGENT is {}: {error}", Path::new(&path).display()),
            fix: format!("set REPRISE_AGENT to {NAME}, or unset it"),
        });
    }
    let program = env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("/"));
    let candidates = [folder.join(NAME), folder.join("../lib").join(NAME)];
    let found = candidates
        .iter()
        .find_map(|path| fs::canonicalize(path).ok());
    found.ok_or_else(|| {
        let folder = folder.display();
        Missing {
            why: format!("the agent {NAME} is neither in {folder} nor in {folder}/../lib"),
            fix: format!("put {NAME} beside the reprise program, or set REPRISE_AGENT to its path"),
        }
    })
}
