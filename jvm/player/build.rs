//! Compiles the Java part of the player and packs it into the jar that the
//! player carries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let sources = manifest.join("java/reprise/player");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    if let Err(message) = build(&sources, &out) {
        println!("cargo::error={message}");
    }
}

fn build(sources: &Path, out: &Path) -> Result<(), String> {
    let classes = out.join("classes");
    // What an older build left there must not get into the jar.
    let _ = fs::remove_dir_all(&classes);
    let mut files: Vec<PathBuf> = fs::read_dir(sources)
        .map_err(|error| format!("cannot read {}: {error}", sources.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "java")
        })
        .collect();
    files.sort();
    // As the runtime of the recorder: `--release` hides the JDK's own Unsafe.
    run(Command::new(tool("javac"))
        .args(["-encoding", "UTF-8"])
        .args(["-source", "11", "-target", "11", "-Xlint:-options", "-g"])
        .args(["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"])
        .arg("-d")
        .arg(&classes)
        .args(files))?;
    run(Command::new(tool("jar"))
        .arg("cf")
        .arg(out.join("player.jar"))
        .arg("-C")
        .arg(&classes)
        .arg("reprise"))
}

/// A program of the JDK: that of `JAVA_HOME`, else the one on the path.
fn tool(name: &str) -> PathBuf {
    match env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Path::new(&home).join("bin").join(name),
        None => PathBuf::from(name),
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        format!(
            "a part of the player is written in Java, and {program}, which builds it, cannot be \
             run ({error}): install a JDK 11 or later (Debian: openjdk-17-jdk-headless) or set \
             JAVA_HOME"
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "{program} failed: {}",
        said.trim().replace('\n', " | ")
    ))
}
