//! The classes of a program: in jars, in jars within jars, in folders.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, Write as _};
use std::path::{Path, PathBuf};

use reprise_jvm_player::jar::{self, Version};
use reprise_jvm_player::java;
use reprise_program::Collector;
use reprise_schedule::{Program, Schedule};
use zip::ZipArchive;

use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::record::observe::command;

/// The largest class file that is read; a JVM's own limits make any smaller.
const CLASS: u64 = 64 << 20;

/// The largest jar within a jar.
const INNER_JAR: u64 = 1 << 30;

/// The release that runs a program: that of the command's `java`, else of the one that is
/// found first, as for a script. A jar may have other classes for another.
pub fn release(command: &[OsString]) -> u32 {
    let launcher = command.first().and_then(|word| command::launcher(word));
    let named = launcher.and_then(|java| java::at(java.parent()?.parent()?));
    let java = named.or_else(|| java::found().into_iter().next());
    java.map_or(u32::MAX, |java| java.release)
}

/// What is known of the program for that schedule, as a release sees it; nothing if no path is
/// given.
pub fn read(
    paths: &[PathBuf],
    schedule: &Schedule,
    release: u32,
) -> Result<Option<Program>, Failure> {
    if paths.is_empty() {
        return Ok(None);
    }
    let mut collector = Collector::new(schedule);
    let mut unreadable = 0;
    let mut first = None;
    for path in paths {
        let mut add = |bytes: &[u8], name: &str| {
            if let Err(error) = collector.add(bytes) {
                unreadable += 1;
                first.get_or_insert_with(|| format!("{name}: {error}"));
            }
        };
        let mut classes = Classes {
            release,
            add: &mut add,
        };
        let read = classes.add(path);
        read.map_err(|error| {
            Failure::new(format!("read the program {}", path.display()), error)
                .next("name a jar, a folder of classes, or a class file")
                .status(Status::BadInput)
        })?;
    }
    if let Some(first) = &first {
        let n = unreadable;
        let text = format!("{n} class files cannot be read and are left out; the first is {first}");
        let _ = writeln!(
            io::stderr(),
            "reprise: {}",
            escape(text.as_bytes(), Lines::One)
        );
    }
    Ok(Some(collector.finish()))
}

/// Hands over each class file of a jar or folder, as a release sees them.
pub fn each_class(path: &Path, release: u32, add: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut add = |bytes: &[u8], _: &str| add(bytes);
    let mut classes = Classes {
        release,
        add: &mut add,
    };
    classes.add(path)
}

/// Hands over the name of each class of a jar or folder, with slashes, without reading it.
pub fn each_name(path: &Path, add: &mut dyn FnMut(&str)) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return names_below(path, path, add);
    }
    names_in(File::open(path)?, true, add)
}

fn names_below(top: &Path, folder: &Path, add: &mut dyn FnMut(&str)) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            names_below(top, &path, add)?;
        } else if let Ok(inner) = path.strip_prefix(top)
            && let Some(name) = inner.to_string_lossy().strip_suffix(".class")
        {
            add(name);
        }
    }
    Ok(())
}

fn names_in(jar: impl Read + Seek, outermost: bool, add: &mut dyn FnMut(&str)) -> io::Result<()> {
    let mut archive = ZipArchive::new(jar)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index)?;
        let inner = entry.name()?.into_owned();
        if let Some(name) = Version::of(&inner).and_then(|of| of.name.strip_suffix(".class")) {
            // Where an application has its classes in a folder of its jar.
            add(name
                .split_once("-INF/classes/")
                .map_or(name, |(_, name)| name));
        } else if inner.ends_with(".jar") && outermost {
            let mut bytes = Vec::new();
            entry.take(INNER_JAR).read_to_end(&mut bytes)?;
            names_in(Cursor::new(bytes), false, add)?;
        }
    }
    Ok(())
}

struct Classes<'a> {
    release: u32,
    /// Takes the bytes of a class, and where it is.
    add: &'a mut dyn FnMut(&[u8], &str),
}

impl Classes<'_> {
    fn add(&mut self, path: &Path) -> io::Result<()> {
        if fs::metadata(path)?.is_dir() {
            return self.folder(path);
        }
        let file = File::open(path)?;
        if is_class(&path.to_string_lossy()) {
            return self.class(file, &path.display().to_string());
        }
        self.jar(file, &path.display().to_string(), true)
    }

    /// All classes below a folder, in the order of their names.
    fn folder(&mut self, path: &Path) -> io::Result<()> {
        let mut left = vec![path.to_owned()];
        while let Some(folder) = left.pop() {
            let mut entries = Vec::new();
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                entries.push((entry.path(), entry.file_type()?));
            }
            entries.sort_by(|(a, _), (b, _)| b.cmp(a));
            for (path, kind) in entries {
                // Links are not followed: they could lead round in circles.
                if kind.is_dir() {
                    left.push(path);
                } else if is_class(&path.to_string_lossy()) {
                    self.class(File::open(&path)?, &path.display().to_string())?;
                }
            }
        }
        Ok(())
    }

    fn jar(&mut self, jar: impl Read + Seek, name: &str, outermost: bool) -> io::Result<()> {
        let mut archive = ZipArchive::new(jar)?;
        let newest = self.newest(&mut archive);
        for index in 0..archive.len() {
            let entry = archive.by_index(index)?;
            let inner = entry.name()?.into_owned();
            let full = format!("{name}!/{inner}");
            if is_class(&inner) {
                let seen = Version::of(&inner);
                if seen.is_some_and(|seen| newest.get(seen.name) == Some(&seen.release)) {
                    self.class(entry, &full)?;
                }
            } else if inner.ends_with(".jar") && outermost {
                let mut bytes = Vec::new();
                entry.take(INNER_JAR).read_to_end(&mut bytes)?;
                self.jar(Cursor::new(bytes), &full, false)?;
            }
        }
        Ok(())
    }

    /// By the name of a class file: the newest version that the release sees.
    fn newest(&self, archive: &mut ZipArchive<impl Read + Seek>) -> HashMap<String, u32> {
        let release = match jar::is_for_releases(archive) {
            true => self.release,
            false => 0,
        };
        let mut newest = HashMap::new();
        for entry in archive.file_names().flatten() {
            if let Some(version) = Version::of(&entry).filter(|of| of.release <= release) {
                let known = newest.entry(version.name.to_owned()).or_insert(0);
                *known = version.release.max(*known);
            }
        }
        newest
    }

    fn class(&mut self, file: impl Read, name: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        file.take(CLASS).read_to_end(&mut bytes)?;
        (self.add)(&bytes, name);
        Ok(())
    }
}

fn is_class(name: &str) -> bool {
    name.ends_with(".class")
}

#[cfg(test)]
mod tests {
    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    fn seen(manifest: &str, release: u32) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jar");
        let mut jar = ZipWriter::new(File::create(&path).unwrap());
        for (name, content) in [
            ("META-INF/MANIFEST.MF", manifest),
            ("A.class", "A "),
            ("META-INF/versions/11/A.class", "A11 "),
            ("META-INF/versions/21/A.class", "A21 "),
            ("META-INF/versions/17/B.class", "B17 "),
            ("META-INF/versions/x/A.class", "x "),
        ] {
            jar.start_file(name, SimpleFileOptions::default()).unwrap();
            jar.write_all(content.as_bytes()).unwrap();
        }
        jar.finish().unwrap();
        let mut seen = String::new();
        let mut add = |bytes: &[u8]| seen += std::str::from_utf8(bytes).unwrap();
        each_class(&path, release, &mut add).unwrap();
        seen
    }

    #[test]
    fn classes_are_those_that_a_release_sees() {
        let several = "Multi-Release: true\r\n";
        assert_eq!(seen(several, 8), "A ");
        assert_eq!(seen(several, 11), "A11 ");
        assert_eq!(seen(several, 17), "A11 B17 ");
        assert_eq!(seen(several, u32::MAX), "A21 B17 ");
        assert_eq!(seen("", 17), "A ");
    }
}
