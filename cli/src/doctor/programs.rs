//! Finding programs on the `PATH`.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::child;

/// A JVM or a debugger on a busy machine may take a while to start.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// The first program of this name on the `PATH`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    folders().find_map(|folder| {
        let path = folder.join(name);
        is_program(&path).then_some(path)
    })
}

/// Every program on the `PATH` whose name is `stem`, or `stem-` and a number.
pub(super) fn versions_of(stem: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = folders()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let rest = name.strip_prefix(stem).unwrap_or("?");
            let number = rest.strip_prefix('-').unwrap_or(rest);
            number.bytes().all(|byte| byte.is_ascii_digit()) && is_program(path)
        })
        .collect();
    found.sort();
    found.dedup_by_key(|path| fs::canonicalize(path).ok());
    found
}

/// The first line of what `PROGRAM --version` prints.
pub(super) fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env("LC_ALL", "C");
    let ended = child::run(&mut command, LIMIT).ok()?;
    let line = ended.stdout.lines().next()?.trim().to_string();
    (ended.status.success() && !line.is_empty()).then_some(line)
}

pub(super) fn is_program(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn folders() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    // A relative entry would make the answer depend on where one stands.
    folders.into_iter().filter(|folder| folder.is_absolute())
}
