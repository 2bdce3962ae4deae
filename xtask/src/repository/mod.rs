//! Checks of the repository itself: invariants of the design that no compiler
//! looks at. Each is one file here and works on text, so that it can be tested
//! on a few lines; a problem is a sentence that says what to do.

mod architecture;
mod duplicates;
pub(crate) mod files;
mod purity;
mod size;
mod unsafety;

use std::fs;
use std::path::Path;

use crate::steps::Outcome;
use crate::workspace::Workspace;

/// Runs every check over the workspace.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let root = &workspace.root;
    let files = files::tracked(root);
    if files.is_empty() {
        return Outcome::Skipped("there are no files to check".to_owned());
    }
    let mut problems = Vec::new();
    for file in &files {
        let size = fs::metadata(root.join(file)).map_or(0, |metadata| metadata.len());
        problems.extend(size::check(file, size));
        if Path::new(file)
            .extension()
            .is_some_and(|extension| extension == "rs")
        {
            let source = read(root, file, &mut problems);
            problems.extend(unsafety::check(file, &source));
            problems.extend(purity::check(file, &source));
        }
    }
    let members: Vec<&str> = workspace
        .packages
        .iter()
        .map(|p| p.folder.as_str())
        .collect();
    let manifest = read(root, "Cargo.toml", &mut problems);
    let lock = read(root, "Cargo.lock", &mut problems);
    problems.extend(duplicates::check(&lock));
    match fs::read_to_string(root.join(architecture::FILE)) {
        Ok(text) => problems.extend(architecture::check(&text, &manifest, &members)),
        Err(error) => problems.push(architecture::missing(&error)),
    }
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Outcome::Passed(format!("{} files", files.len())),
        1 => Outcome::Failed("1 problem, named above".to_owned()),
        n => Outcome::Failed(format!("{n} problems, named above")),
    }
}

fn read(root: &Path, file: &str, problems: &mut Vec<String>) -> String {
    fs::read_to_string(root.join(file)).unwrap_or_else(|error| {
        problems.push(format!("{file}: cannot be read: {error}."));
        String::new()
    })
}
