//! Classes that the program makes while it runs: they are in no jar, and whoever reads the
//! schedule needs their places. They go into a folder that `reprise` has made, one file each, if
//! their names are not in its file `known`, which has those of all classes in jars.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder.
pub(super) struct Made {
    folder: PathBuf,
    known: HashSet<String>,
    count: AtomicU32,
}

impl Made {
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let known = folder.join("known");
        let names = fs::read_to_string(&known);
        let names = names.map_err(|error| format!("cannot read {}: {error}", known.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
            known: names.lines().map(str::to_owned).collect(),
            count: AtomicU32::new(0),
        })
    }

    /// A class of the program that has places of a schedule, as it was.
    pub(super) fn note(&self, name: &str, bytes: &[u8]) {
        if !self.known.contains(name) {
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            let file = format!("{}-{number:06}.class", std::process::id());
            // Without it a replay finds no such place, and says so.
            let _ = fs::write(self.folder.join(file), bytes);
        }
    }
}
