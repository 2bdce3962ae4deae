//! What README and the guide tell people to type is accepted, and the guide's
//! pages are all there.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn guide() -> Vec<PathBuf> {
    let pages = fs::read_dir(root().join("docs/src")).unwrap();
    let mut pages: Vec<PathBuf> = pages.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

#[test]
fn every_command_in_the_documentation_is_accepted() {
    let mut pages = guide();
    pages.push(root().join("README.md"));
    let mut wrong = Vec::new();
    let mut commands = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let Some(words) = words(line) else {
                continue;
            };
            commands += 1;
            if let Err(error) = reprise::commands::parse(words.into_iter().map(Into::into)) {
                wrong.push(format!("{}: {line}: {error}", page.display()));
            }
        }
    }
    assert!(commands > 20, "only {commands} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words of the call of `reprise` in a line for a shell, if there is one.
fn words(line: &str) -> Option<Vec<String>> {
    let last = line.rsplit(" | ").next()?;
    let last = last.split(" > ").next()?;
    if !last.starts_with("reprise ") {
        return None;
    }
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in last.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut()?.push(c),
        }
    }
    assert!(!quoted, "an open quote: {line}");
    Some(words)
}

#[test]
fn the_pages_of_the_guide_are_listed_and_their_links_lead_somewhere() {
    let folder = root().join("docs/src");
    let mut linked = BTreeSet::new();
    for page in guide() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let (target, _) = link.split_once(')').unwrap();
            if target.contains("://") {
                continue;
            }
            let file = target.split('#').next().unwrap();
            let path = folder.join(file);
            assert!(path.is_file(), "{}: no {target}", page.display());
            if page.ends_with("SUMMARY.md") {
                linked.insert(path);
            }
        }
    }
    for page in guide() {
        let listed = linked.contains(&page) || page.ends_with("SUMMARY.md");
        assert!(listed, "{} is not in SUMMARY.md", page.display());
    }
}
