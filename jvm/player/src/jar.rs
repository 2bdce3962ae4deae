//! Class files of another version, to play instead of the recorded ones: a jar
//! or a folder.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The longest class file that is taken; a jar may say anything about its own.
const LONGEST: u64 = 64 << 20;

/// The class files, by name with slashes.
pub fn classes(path: &Path) -> io::Result<HashMap<String, Vec<u8>>> {
    let mut found = HashMap::new();
    if path.is_dir() {
        folder(path, "", &mut found)?;
        return Ok(found);
    }
    let mut jar = zip::ZipArchive::new(File::open(path)?).map_err(io::Error::other)?;
    for index in 0..jar.len() {
        let file = jar.by_index(index).map_err(io::Error::other)?;
        let name = file.name().map_err(io::Error::other)?.into_owned();
        let Some(name) = name.strip_suffix(".class") else {
            continue;
        };
        // Versions for newer releases stand beside the others; not here.
        if name.starts_with("META-INF/") {
            continue;
        }
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        found.insert(name.to_owned(), bytes);
    }
    Ok(found)
}

fn folder(path: &Path, package: &str, found: &mut HashMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            folder(&entry.path(), &format!("{package}{name}/"), found)?;
        } else if let Some(class) = name.strip_suffix(".class") {
            found.insert(format!("{package}{class}"), fs::read(entry.path())?);
        }
    }
    Ok(())
}
