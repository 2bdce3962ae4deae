//! What the workspace holds, as cargo sees it: tasks ask here instead of
//! keeping lists of packages that would have to be kept up to date.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Failure, command};

/// The workspace this task runs in.
pub(crate) struct Workspace {
    /// The folder of the root `Cargo.toml`.
    pub root: PathBuf,
    /// Where cargo puts what it builds.
    pub target: PathBuf,
    pub packages: Vec<Package>,
}

/// A member of the workspace.
pub(crate) struct Package {
    pub name: String,
    /// Its folder, relative to the root, with `/` between the parts.
    pub folder: String,
    targets: Vec<(String, String)>,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    pub(crate) fn load() -> Result<Self, Failure> {
        let mut metadata = command::cargo(&["metadata", "--no-deps", "--format-version=1"]);
        let text = command::stdout(&mut metadata)?;
        Self::parse(&text).ok_or_else(|| "cannot understand what `cargo metadata` says".to_owned())
    }

    fn parse(metadata: &str) -> Option<Self> {
        let metadata: Value = serde_json::from_str(metadata).ok()?;
        let root = PathBuf::from(metadata["workspace_root"].as_str()?);
        let packages = metadata["packages"].as_array()?;
        Some(Workspace {
            target: PathBuf::from(metadata["target_directory"].as_str()?),
            packages: packages
                .iter()
                .map(|package| Package::parse(package, &root))
                .collect::<Option<_>>()?,
            root,
        })
    }

    /// The member called `name`, if there is one yet.
    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

impl Package {
    fn parse(package: &Value, root: &Path) -> Option<Self> {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let mut targets = Vec::new();
        for target in package["targets"].as_array()? {
            // What a feature has to be asked for is built by a study, not by the gate.
            let asked = target["required-features"].as_array();
            if asked.is_some_and(|features| !features.is_empty()) {
                continue;
            }
            for kind in target["kind"].as_array()? {
                targets.push((
                    kind.as_str()?.to_owned(),
                    target["name"].as_str()?.to_owned(),
                ));
            }
        }
        Some(Package {
            name: package["name"].as_str()?.to_owned(),
            folder: manifest
                .parent()?
                .strip_prefix(root)
                .ok()?
                .to_str()?
                .to_owned(),
            targets,
        })
    }

    /// The names of its targets of one kind: `bin`, `test`, `bench`, …
    pub(crate) fn targets<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        self.targets
            .iter()
            .filter(move |(of, _)| of == kind)
            .map(|(_, name)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Workspace;

    #[test]
    fn metadata_is_understood() {
        let workspace = Workspace::parse(
            r#"{"workspace_root": "/w", "target_directory": "/t", "packages": [
                {"name": "reprise-recording", "manifest_path": "/w/core/recording/Cargo.toml",
                 "targets": [{"kind": ["lib"], "name": "reprise_recording"},
                             {"kind": ["bench"], "name": "budgets"},
                             {"kind": ["bench"], "name": "asked", "required-features": ["more"]}]}]}"#,
        )
        .unwrap();
        let package = workspace.package("reprise-recording").unwrap();
        assert_eq!(package.folder, "core/recording");
        assert_eq!(package.targets("bench").collect::<Vec<_>>(), ["budgets"]);
        assert!(workspace.package("reprise").is_none());
    }

    #[test]
    fn metadata_of_another_shape_is_refused() {
        assert!(Workspace::parse("{}").is_none());
        assert!(Workspace::parse("").is_none());
    }
}
