//! Class files of another version, to play instead of the recorded ones: jars and
//! folders, the first that has a class counting, as on a class path.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The longest class file that is taken; a jar may say anything about its own.
const LONGEST: u64 = 64 << 20;
/// Where a jar has its versions for newer releases.
const VERSIONS: &str = "META-INF/versions/";

/// Class files by their names with slashes.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Each in its versions, by the first release that it is for; 0 for all.
    files: HashMap<String, BTreeMap<u32, Vec<u8>>>,
}

impl Classes {
    /// Adds what a jar or folder has that is not here yet.
    pub fn add(&mut self, path: &Path) -> io::Result<()> {
        let mut found = Self::default();
        if path.is_dir() {
            folder(path, "", &mut found)?;
        } else {
            jar(path, &mut found)?;
        }
        for (name, versions) in found.files {
            self.files.entry(name).or_insert(versions);
        }
        Ok(())
    }

    /// How many classes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The class files as this release sees them.
    #[must_use]
    pub fn of_release(&self, release: u32) -> HashMap<String, Vec<u8>> {
        let seen = self.files.iter().filter_map(|(name, versions)| {
            let (_, bytes) = versions.range(..=release).next_back()?;
            Some((name.clone(), bytes.clone()))
        });
        seen.collect()
    }

    fn insert(&mut self, name: &str, release: u32, bytes: Vec<u8>) {
        let versions = self.files.entry(name.to_owned()).or_default();
        versions.insert(release, bytes);
    }
}

fn jar(path: &Path, found: &mut Classes) -> io::Result<()> {
    let mut jar = zip::ZipArchive::new(File::open(path)?).map_err(io::Error::other)?;
    let for_releases = is_for_releases(&mut jar);
    for index in 0..jar.len() {
        let file = jar.by_index(index).map_err(io::Error::other)?;
        let name = file.name().map_err(io::Error::other)?.into_owned();
        let Some(Version { release, name }) = Version::of(&name) else {
            continue;
        };
        let Some(name) = name.strip_suffix(".class") else {
            continue;
        };
        if release > 0 && !for_releases || name.starts_with("META-INF/") || name == "module-info" {
            continue;
        }
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        found.insert(name, release, bytes);
    }
    Ok(())
}

/// A file of a jar that may have it in several versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'n> {
    /// For this release and newer ones; 0 for all.
    pub release: u32,
    /// Its name, without what says for which release it is.
    pub name: &'n str,
}

impl<'n> Version<'n> {
    /// What an entry of a jar is; none if its release is no number.
    #[must_use]
    pub fn of(entry: &'n str) -> Option<Self> {
        match entry
            .strip_prefix(VERSIONS)
            .and_then(|rest| rest.split_once('/'))
        {
            None => Some(Self {
                release: 0,
                name: entry,
            }),
            Some((release, name)) => Some(Self {
                release: release.parse().ok()?,
                name,
            }),
        }
    }
}

/// Whether a jar's manifest says that it has versions for newer releases.
pub fn is_for_releases(jar: &mut zip::ZipArchive<impl Read + io::Seek>) -> bool {
    let mut manifest = String::new();
    if let Ok(file) = jar.by_name("META-INF/MANIFEST.MF") {
        // One that is not UTF-8 names no releases.
        let _ = file.take(LONGEST).read_to_string(&mut manifest);
    }
    manifest.lines().any(|line| {
        line.split_once(':').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
        })
    })
}

fn folder(path: &Path, package: &str, found: &mut Classes) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            folder(&entry.path(), &format!("{package}{name}/"), found)?;
        } else if let Some(class) = name.strip_suffix(".class") {
            found.insert(&format!("{package}{class}"), 0, fs::read(entry.path())?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn write_jar(path: &Path, files: &[(&str, &str)]) {
        let mut jar = zip::ZipWriter::new(File::create(path).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        for (name, content) in files {
            jar.start_file(*name, options).unwrap();
            jar.write_all(content.as_bytes()).unwrap();
        }
        jar.finish().unwrap();
    }

    #[test]
    fn the_first_that_has_a_class_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_jar(&path("a.jar"), &[("p/A.class", "a"), ("p/B.class", "b")]);
        fs::create_dir_all(path("new/p")).unwrap();
        fs::write(path("new/p/A.class"), "new").unwrap();
        let mut classes = Classes::default();
        classes.add(&path("new")).unwrap();
        classes.add(&path("a.jar")).unwrap();
        let seen = classes.of_release(17);
        assert_eq!(seen.get("p/A").unwrap(), b"new");
        assert_eq!(seen.get("p/B").unwrap(), b"b");
        assert!(classes.add(&path("none.jar")).is_err());
    }

    #[test]
    fn a_release_sees_its_own_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jar");
        let manifest = "Manifest-Version: 1.0\r\nmulti-release: TRUE\r\n";
        let files = [
            ("META-INF/MANIFEST.MF", manifest),
            ("A.class", "all"),
            ("META-INF/versions/11/A.class", "11"),
            ("META-INF/versions/21/A.class", "21"),
            ("META-INF/versions/9/module-info.class", ""),
        ];
        write_jar(&path, &files);
        let mut classes = Classes::default();
        classes.add(&path).unwrap();
        assert_eq!(classes.len(), 1);
        let seen = |classes: &Classes, release| classes.of_release(release).remove("A").unwrap();
        let all = [8, 11, 20, 25].map(|release| seen(&classes, release));
        assert_eq!(all, [&b"all"[..], b"11", b"11", b"21"]);
        write_jar(&path, &files[1..]);
        let mut classes = Classes::default();
        classes.add(&path).unwrap();
        assert_eq!(seen(&classes, 25), b"all");
    }
}
