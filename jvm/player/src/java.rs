//! Which JVM plays: one of the release that the recording was made on.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// A `java` program and the release of its JDK: 17, 25.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Java {
    /// The program.
    pub program: PathBuf,
    /// The release.
    pub release: u32,
}

/// The release in a version: 17 of `17.0.15`, 8 of `1.8.0_402`.
#[must_use]
pub fn release(version: &str) -> Option<u32> {
    let mut numbers = version.split(['.', '_', '-', '+']);
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        release => Some(release),
    }
}

/// The variable that names folders of JDKs, with colons between them, to look
/// into instead of the usual ones.
pub const FOLDERS: &str = "REPRISE_JDKS";

/// The JVMs of this machine: that of `JAVA_HOME`, that on the path, those in
/// [`folders`].
#[must_use]
pub fn found() -> Vec<Java> {
    let home = env::var_os("JAVA_HOME").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path)
        .map(|folder| folder.join("java"))
        .find_map(|java| fs::canonicalize(java).ok());
    let on_path = on_path.and_then(|java| Some(java.parent()?.parent()?.to_owned()));
    let homes = home.into_iter().chain(on_path).chain(installed());
    homes.filter_map(|home| at(&home)).collect()
}

/// The folders in which JDKs are usually installed, each in a folder of its own:
/// by packages, by hand, by SDKMAN and by development environments.
#[must_use]
pub fn folders() -> Vec<PathBuf> {
    if let Some(folders) = env::var_os(FOLDERS) {
        return env::split_paths(&folders).collect();
    }
    let mut folders: Vec<PathBuf> = ["/usr/lib/jvm", "/usr/java", "/opt/java"]
        .map(PathBuf::from)
        .into();
    if let Some(home) = env::var_os("HOME").map(PathBuf::from) {
        folders.push(home.join(".sdkman/candidates/java"));
        folders.push(home.join(".jdks"));
    }
    folders
}

/// What is in these folders and may be a JDK.
#[must_use]
pub fn installed() -> Vec<PathBuf> {
    let mut installed = Vec::new();
    for folder in folders() {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut homes: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        homes.sort();
        installed.append(&mut homes);
    }
    installed
}

/// The JVM of a JDK's folder.
#[must_use]
pub fn at(home: &Path) -> Option<Java> {
    let program = fs::canonicalize(home.join("bin/java")).ok()?;
    let text = fs::read_to_string(home.join("release")).ok()?;
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(Java {
        release: release(version.trim_matches('"'))?,
        program,
    })
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn releases_of_versions() {
        assert_eq!(release("17.0.15"), Some(17));
        assert_eq!(release("25"), Some(25));
        assert_eq!(release("25.0.3+9-LTS"), Some(25));
        assert_eq!(release("1.8.0_402"), Some(8));
        assert_eq!(release("none"), None);
    }
}
