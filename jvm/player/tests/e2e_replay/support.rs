//! Compiling, recording, playing.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise_jvm_player::{Jvm, Launch, Plan, PlayError, Played};
use reprise_recording::Recording;

/// The `java` of every JDK.
pub(crate) fn jdks() -> Vec<PathBuf> {
    let mut jdks: Vec<PathBuf> = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .filter_map(|entry| fs::canonicalize(entry.ok()?.path().join("bin/java")).ok())
        .collect();
    jdks.sort();
    jdks.dedup();
    assert!(!jdks.is_empty(), "these tests need a JDK in /usr/lib/jvm");
    jdks
}

/// Compiles Java files with the oldest JDK, so that every one can run them.
pub(crate) fn compile(files: &[PathBuf], classes: &Path, class_path: &str) {
    let output = Command::new(jdks()[0].with_file_name("javac"))
        .args(["-encoding", "UTF-8", "-g", "-cp", class_path, "-d"])
        .arg(classes)
        .args(files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The Java files of a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "java")
        })
        .collect()
}

/// Runs a program in a folder and records it into that folder.
pub(crate) fn record(
    java: &Path,
    folder: &Path,
    options: &str,
    arguments: &[&str],
) -> (PathBuf, Vec<u8>) {
    // Cargo puts the library beside this test's own executable.
    let library = std::env::current_exe()
        .unwrap()
        .with_file_name("libreprise_jvm.so");
    let file = folder.join("x.reprise");
    let _ = fs::remove_file(&file);
    let output = Command::new(java)
        .arg(format!(
            "-agentpath:{}=out={},{options}",
            library.display(),
            file.display()
        ))
        .args(arguments)
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(file.is_file(), "{output:?}");
    (file, output.stdout)
}

/// A JVM to play in.
pub(crate) fn jvm(java: &Path) -> Jvm {
    let launch = Launch {
        java: java.to_owned(),
        seconds: 300,
        ..Launch::default()
    };
    Jvm::start(&launch).unwrap()
}

/// Plays a recording as it is.
pub(crate) fn play(jvm: &mut Jvm, file: &Path) -> Result<Played, PlayError> {
    jvm.play(&Recording::open(file).unwrap(), &Plan::default())
}

/// A program of one file, recorded; its classes are gone.
pub(crate) fn recorded(java: &Path, program: &str, observe: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Main.java");
    fs::write(&source, program).unwrap();
    let classes = folder.path().join("classes");
    compile(&[source], &classes, ".");
    let options = format!("observe={observe}");
    let (file, _) = record(java, folder.path(), &options, &["-cp", "classes", "Main"]);
    fs::remove_dir_all(classes).unwrap();
    (folder, file)
}

/// The class files that a program compiles to, by name with slashes.
pub(crate) fn classes(program: &str) -> HashMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Main.java");
    fs::write(&source, program).unwrap();
    compile(&[source], folder.path(), ".");
    fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "class")
        })
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}
