//! Which files belong to the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command;

/// The files that git tracks and that are there, relative to `root`. In a copy
/// without git: all files but what was built and what is hidden.
pub(crate) fn tracked(root: &Path) -> Vec<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["ls-files", "-z"]);
    let mut files = match command::stdout(&mut git) {
        Ok(names) => names.split_terminator('\0').map(str::to_owned).collect(),
        Err(_) => {
            let mut files = Vec::new();
            walk(root, "", &mut files);
            files
        }
    };
    files.retain(|file| root.join(file).is_file());
    files.sort();
    files
}

fn walk(root: &Path, folder: &str, files: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                if !name.starts_with('.') && name != "target" {
                    walk(root, &path, files);
                }
            }
            _ => files.push(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::tracked;

    #[test]
    fn a_copy_without_git_has_the_same_files_but_for_what_was_built() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["a/b", "target/debug", ".hidden"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("file"), "").unwrap();
        }
        fs::write(root.path().join("top"), "").unwrap();
        assert_eq!(tracked(root.path()), ["a/b/file", "top"]);
    }
}
