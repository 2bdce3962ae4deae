//! The root of another system: `LAST_ROOT` names one, or debootstrap makes one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::is_there;

/// Another release than the one that runs here.
fn release() -> &'static str {
    let here = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    match here.contains("VERSION_CODENAME=trixie") {
        true => "bookworm",
        false => "trixie",
    }
}

/// From where packages come here.
fn packages() -> Option<String> {
    let output = Command::new("apt-get")
        .args(["indextargets", "--format", "$(REPO_URI)"])
        .output();
    let output = String::from_utf8(output.ok()?.stdout).ok()?;
    let mut all = output
        .lines()
        .filter(|line| line.trim_end_matches('/').ends_with("/debian"));
    all.next().map(str::to_owned)
}

/// `None`, and a word about it, where there is none.
pub(super) fn root() -> Option<PathBuf> {
    if let Ok(named) = std::env::var("LAST_ROOT") {
        return Some(named.into());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("root-{}", release()));
    if folder.join("etc/os-release").exists() && folder.join("made").exists() {
        return Some(folder);
    }
    if !is_there("debootstrap") {
        return None;
    }
    let Some(packages) = packages() else {
        println!("another system: no packages of Debian can be had here");
        return None;
    };
    let _ = std::fs::remove_dir_all(&folder);
    let made = Command::new("debootstrap")
        .args(["--variant=minbase", release()])
        .arg(&folder)
        .arg(packages)
        .output()
        .unwrap();
    if !made.status.success() {
        let said = String::from_utf8_lossy(&made.stdout);
        println!("another system: {}", said.lines().last().unwrap_or("?"));
        return None;
    }
    std::fs::write(folder.join("made"), "whole\n").unwrap();
    Some(folder)
}
