//! Programs of another release of Debian, which this system stays without.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// apt, for a release that is not the one of this system, which stays as it is.
pub(super) struct Apt<'a> {
    folder: &'a Path,
}

impl<'a> Apt<'a> {
    pub(super) fn new(release: &str, folder: &'a Path) -> Option<Self> {
        let archive = archive()?;
        for part in ["state/lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        // Nothing counts as installed.
        fs::write(folder.join("state/status"), "").unwrap();
        // Nothing of it is installed, so it does not matter whose keys are here.
        let source = format!("deb [trusted=yes] {archive} {release} main\n");
        fs::write(folder.join("sources.list"), source).unwrap();
        let apt = Self { folder };
        apt.run("apt-get", &["update"])?;
        Some(apt)
    }

    pub(super) fn run(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let place = |name: &str| self.folder.join(name).display().to_string();
        let options = [
            format!("Dir::Etc::sourcelist={}", place("sources.list")),
            "Dir::Etc::sourceparts=-".to_owned(),
            format!("Dir::State={}", place("state")),
            format!("Dir::State::status={}", place("state/status")),
            format!("Dir::Cache={}", place("cache")),
        ];
        let options = options.iter().flat_map(|option| ["-o", option]);
        let mut command = Command::new(program);
        command
            .args(options)
            .args(arguments)
            .current_dir(self.folder);
        let output = command.stdin(Stdio::null()).output().ok()?;
        if !output.status.success() {
            println!("{}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        String::from_utf8(output.stdout).ok()
    }

    /// A package and all that it needs, unpacked in a folder that is returned.
    pub(super) fn with_all_it_needs(&self, package: &str) -> Option<PathBuf> {
        let install = [
            "install",
            "-y",
            "--download-only",
            "--no-install-recommends",
        ];
        self.run("apt-get", &[&install[..], &[package]].concat())?;
        self.unpack(&self.folder.join("cache/archives"))
    }

    /// Unpacks the packages that are in a folder, and returns where.
    pub(super) fn unpack(&self, packages: &Path) -> Option<PathBuf> {
        let unpacked = self.folder.join("unpacked");
        let files = fs::read_dir(packages).ok()?.flatten();
        let packages = files.map(|file| file.path());
        for package in packages.filter(|file| file.extension().is_some_and(|e| e == "deb")) {
            let mut unpack = Command::new("dpkg-deb");
            let done = unpack.arg("-x").arg(&package).arg(&unpacked).status();
            done.ok().filter(std::process::ExitStatus::success)?;
        }
        unpacked.exists().then_some(unpacked)
    }
}

/// Where this system has its packages from.
fn archive() -> Option<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(parts) = fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(parts.flatten().map(|part| part.path()));
    }
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    let texts: Vec<String> = texts.collect();
    let words = texts.iter().flat_map(|text| text.lines());
    let words = words
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace);
    let mut places = words.filter(|word| word.starts_with("http"));
    let place = places.find(|place| place.trim_end_matches('/').ends_with("/debian"))?;
    Some(place.to_owned())
}
