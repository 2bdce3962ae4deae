//! The classes of a program: in jars, in jars within jars, in folders.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, Write as _};
use std::path::{Path, PathBuf};

use reprise_program::Collector;
use reprise_schedule::{Program, Schedule};
use zip::ZipArchive;

use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};

/// The largest class file that is read; a JVM's own limits make any smaller.
const CLASS: u64 = 64 << 20;

/// The largest jar within a jar.
const INNER_JAR: u64 = 1 << 30;

/// What is known of the program for that schedule; nothing if no path is given.
pub fn read(paths: &[PathBuf], schedule: &Schedule) -> Result<Option<Program>, Failure> {
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
        let read = Classes { add: &mut add }.add(path);
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

/// Hands over each class file of a jar or folder.
pub fn each_class(path: &Path, add: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut add = |bytes: &[u8], _: &str| add(bytes);
    Classes { add: &mut add }.add(path)
}

struct Classes<'a> {
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
        for index in 0..archive.len() {
            let entry = archive.by_index(index)?;
            let inner = entry.name()?.into_owned();
            let full = format!("{name}!/{inner}");
            // Which release runs the program is not known here.
            if is_class(&inner) && !inner.starts_with("META-INF/versions/") {
                self.class(entry, &full)?;
            } else if inner.ends_with(".jar") && outermost {
                let mut bytes = Vec::new();
                entry.take(INNER_JAR).read_to_end(&mut bytes)?;
                self.jar(Cursor::new(bytes), &full, false)?;
            }
        }
        Ok(())
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
