//! For build scripts: compiles a folder of Java files and packs them into a jar
//! that the crate carries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The whole of a build script: compiles the Java files in `sources`, a folder
/// beside the crate's manifest, into `jar` in cargo's `OUT_DIR`. What goes wrong
/// is said to cargo, with `part`: what it is that cannot be built.
pub fn build_script(part: &str, sources: &str, jar: &str) {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let sources = manifest.join(sources);
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    if let Err(message) = build(&sources, &out, jar) {
        println!("cargo::error={part} is written in Java: {message}");
    }
}

fn build(sources: &Path, out: &Path, jar: &str) -> Result<(), String> {
    let classes = out.join("classes");
    // What an older build left there must not get into the jar.
    let _ = fs::remove_dir_all(&classes);
    // `--release 11` would be shorter, but hides the JDK's own Unsafe, which
    // alone writes to memory with no warning on every release.
    run(Command::new(tool("javac"))
        .args(["-encoding", "UTF-8"])
        .args(["-source", "11", "-target", "11", "-Xlint:-options", "-g"])
        .args(["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"])
        .arg("-d")
        .arg(&classes)
        .args(java_files(sources)?))?;
    run(Command::new(tool("jar"))
        .arg("cf")
        .arg(out.join(jar))
        .arg("-C")
        .arg(&classes)
        .arg("."))
}

/// The Java files of a folder, in the order of their names.
fn java_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "java")
        })
        .collect();
    files.sort();
    Ok(files)
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
            "{program}, which builds it, cannot be run ({error}): install a JDK 11 or later \
             (Debian: openjdk-17-jdk-headless) or set JAVA_HOME"
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
