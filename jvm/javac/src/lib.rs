//! For build scripts: compiles a folder of Java files and packs them into a jar
//! that the crate carries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The whole of a build script: compiles the Java files in `sources`, a folder
/// beside the crate's manifest, into `jar` in cargo's `OUT_DIR`. What goes wrong
/// is said to cargo, with `part`: what it is that cannot be built.
pub fn build_script(part: &str, sources: &str, jar: &str) {
    report(part, &[sources], |folders, out| {
        let files: Vec<PathBuf> = folders
            .iter()
            .map(|f| java_files(f))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        build(&files, out, jar)
    });
}

/// The same for several folders, a later one's file standing in the place of an
/// earlier one's of the same name, without the lines that begin with `without`
/// (if any), and in another package, whose name stands behind that of the first.
pub fn build_script_of(
    part: &str,
    sources: &[&str],
    without: Option<&str>,
    [package, renamed]: [&str; 2],
    jar: &str,
) {
    report(part, sources, |folders, out| {
        let merged = out.join("sources");
        let _ = fs::remove_dir_all(&merged);
        let copy = |file: &Path| -> std::io::Result<()> {
            let text = fs::read_to_string(file)?;
            let is_left_out = |line: &str| without.is_some_and(|start| line.starts_with(start));
            let lines = text.lines().map(|line| match is_left_out(line) {
                // An empty line in its place keeps the numbers of the others.
                true => "",
                false => line,
            });
            let text = lines.collect::<Vec<_>>().join("\n");
            let text = text.replace(package, renamed);
            fs::write(merged.join(file.file_name().unwrap_or_default()), text)
        };
        fs::create_dir_all(&merged).map_err(|error| error.to_string())?;
        for folder in folders {
            for file in java_files(folder)? {
                copy(&file).map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
            }
        }
        build(&java_files(&merged)?, out, jar)
    });
}

/// Builds in cargo's folder, and says to cargo what it depends on and what goes
/// wrong.
fn report(
    part: &str,
    sources: &[&str],
    build: impl FnOnce(&[PathBuf], &Path) -> Result<(), String>,
) {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let folders: Vec<PathBuf> = sources.iter().map(|folder| manifest.join(folder)).collect();
    for folder in &folders {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    if let Err(message) = build(&folders, &out) {
        println!("cargo::error={part} is written in Java: {message}");
    }
}

fn build(files: &[PathBuf], out: &Path, jar: &str) -> Result<(), String> {
    let classes = out.join("classes");
    // What an older build left there must not get into the jar.
    let _ = fs::remove_dir_all(&classes);
    // `--release 11` would be shorter, but hides the JDK's own Unsafe, which
    // alone writes to memory with no warning on every release.
    run(Command::new(tool("javac"))
        .args(["-encoding", "UTF-8"])
        .args(["-source", "11", "-target", "11", "-Xlint:-options", "-g"])
        // Concatenation by `invokedynamic` would run the JDK's locks where the
        // runtime must not.
        .arg("-XDstringConcat=inline")
        .args(["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"])
        .args(["--add-exports", "java.base/jdk.internal.module=ALL-UNNAMED"])
        // The JVM heeds these annotations of classes that it loads as its own.
        .args([
            "--add-exports",
            "java.base/jdk.internal.vm.annotation=ALL-UNNAMED",
        ])
        .arg("-d")
        .arg(&classes)
        .args(files))?;
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
