//! Classes that a program makes while it runs, as Clojure does: they are in no jar, so they are
//! kept beside the schedule of that run, as one, for whoever looks up its places.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::program;
use crate::record::observe::{class_path, command, text};

/// The file beside a schedule.
pub fn beside(schedule: &Path) -> PathBuf {
    let mut name = schedule.as_os_str().to_owned();
    name.push(".classes");
    name.into()
}

/// Where the classes of a program are: in `paths`, and those that it made beside the schedule.
/// Where nothing is known of the program, a few classes alone would say nothing.
pub fn with(schedule: &Path, paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = paths.to_vec();
    let made = beside(schedule);
    if !all.is_empty() && made.is_file() {
        all.push(made);
    }
    all
}

/// The folder into which the agent puts the classes that are not in the jars of the command.
#[derive(Debug)]
pub struct Made(Option<TempDir>);

impl Made {
    /// Looks which classes the command has. Where that is not known, as behind a script, no
    /// place is looked up in a replay, and no class is needed for it.
    pub fn prepare(command: &[OsString]) -> io::Result<Self> {
        let launcher = command.first().and_then(|word| command::launcher(word));
        let arguments = command.get(1..).unwrap_or_default();
        let Some(places) = launcher.and_then(|_| class_path::places(arguments)) else {
            return Ok(Self(None));
        };
        let mut known = BTreeSet::new();
        for place in places {
            // What is not there, the JVM passes over as well.
            let _ = program::each_name(&place, &mut |name| {
                known.insert(name.to_owned());
            });
        }
        let folder = tempfile::Builder::new().prefix("reprise-made-").tempdir()?;
        let names = known.into_iter().map(|name| name + "\n");
        fs::write(folder.path().join("known"), names.collect::<String>())?;
        Ok(Self(Some(folder)))
    }

    /// What the agent is told of it.
    pub fn option(&self) -> Result<String, String> {
        Ok(match &self.0 {
            Some(folder) => format!(",made={}", text(folder.path())?),
            None => String::new(),
        })
    }

    /// The run is not kept.
    pub fn clear(&self) {
        for class in self.classes().unwrap_or_default() {
            let _ = fs::remove_file(class);
        }
    }

    /// Keeps what the program made beside its schedule; nothing if it made nothing.
    pub fn keep(&self, schedule: &Path) -> io::Result<()> {
        let classes = self.classes()?;
        if classes.is_empty() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        write(options.open(beside(schedule))?, &classes)
    }

    /// The files with the classes, in the order in which they were made.
    fn classes(&self) -> io::Result<Vec<PathBuf>> {
        let mut classes = Vec::new();
        if let Some(folder) = &self.0 {
            for entry in fs::read_dir(folder.path())? {
                let path = entry?.path();
                if path.extension().is_some_and(|is| is == "class") {
                    classes.push(path);
                }
            }
        }
        classes.sort();
        Ok(classes)
    }
}

fn write(file: File, classes: &[PathBuf]) -> io::Result<()> {
    let mut jar = ZipWriter::new(file);
    for path in classes {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        jar.start_file(name, SimpleFileOptions::default())?;
        jar.write_all(&fs::read(path)?)?;
    }
    jar.finish()?.flush()
}
