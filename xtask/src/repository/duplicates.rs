//! One version of each direct dependency. What dependencies bring along is
//! theirs to choose; what two of our own crates name must be the same.

use std::collections::{BTreeMap, BTreeSet};

/// A package as `Cargo.lock` lists it.
#[derive(Default)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    /// Packages from this repository have no source.
    external: bool,
    /// `name`, or `name version` where there is more than one version.
    dependencies: Vec<&'a str>,
}

pub(super) fn check(lock: &str) -> Vec<String> {
    let packages = parse(lock);
    let mut direct: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages.iter().filter(|package| !package.external) {
        for dependency in &package.dependencies {
            let mut words = dependency.split(' ');
            let name = words.next().unwrap_or_default();
            let version = words
                .next()
                .or_else(|| packages.iter().find(|p| p.name == name).map(|p| p.version));
            direct.entry(name).or_default().extend(version);
        }
    }
    direct.retain(|_, versions| versions.len() > 1);
    direct
        .iter()
        .map(|(name, versions)| {
            let versions: Vec<&str> = versions.iter().copied().collect();
            format!(
                "Cargo.lock: our crates use {name} in the versions {}: name one in [workspace.dependencies] and inherit it.",
                versions.join(" and ")
            )
        })
        .collect()
}

/// Reads the form in which cargo writes the file: one key or list item a line.
fn parse(lock: &str) -> Vec<Package<'_>> {
    let mut packages: Vec<Package<'_>> = Vec::new();
    for line in lock.lines() {
        if line == "[[package]]" {
            packages.push(Package::default());
            continue;
        }
        let Some(package) = packages.last_mut() else {
            continue;
        };
        let value = line.split('"').nth(1).unwrap_or_default();
        if line.starts_with("name = ") {
            package.name = value;
        } else if line.starts_with("version = ") {
            package.version = value;
        } else if line.starts_with("source = ") {
            package.external = true;
        } else if line.starts_with(" \"") {
            package.dependencies.push(value);
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::check;

    const EXTERNAL: &str = "
[[package]]
name = \"nix\"
version = \"0.30.1\"
source = \"registry\"

[[package]]
name = \"nix\"
version = \"0.31.0\"
source = \"registry\"

[[package]]
name = \"userfaultfd\"
version = \"0.9.0\"
source = \"registry\"
dependencies = [
 \"nix 0.30.1\",
]
";

    fn member(name: &str, dependency: &str) -> String {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"0.1.0\"\ndependencies = [\n \"{dependency}\",\n]\n"
        )
    }

    #[test]
    fn two_of_our_crates_must_agree() {
        let lock = member("a", "nix 0.30.1") + &member("b", "nix 0.31.0") + EXTERNAL;
        let problems = check(&lock);
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].contains("nix in the versions 0.30.1 and 0.31.0"),
            "{}",
            problems[0]
        );
    }

    #[test]
    fn what_a_dependency_brings_along_does_not_count() {
        let lock = member("a", "nix 0.31.0") + &member("b", "userfaultfd") + EXTERNAL;
        assert!(check(&lock).is_empty());
    }
}
