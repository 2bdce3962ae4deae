//! What tests on JVMs share: which JDKs there are, compiling with them, and jars
//! of programs that nobody here wrote.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod heard;
pub mod jvms;
pub mod limited;
pub mod maven;
pub mod subject;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The `java` of every JDK, by path.
pub fn jdks() -> Vec<PathBuf> {
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
pub fn compile(files: &[PathBuf], classes: &Path, class_path: &str) {
    let output = Command::new(jdks()[0].with_file_name("javac"))
        .args(["-encoding", "UTF-8", "-g", "-cp", class_path, "-d"])
        .arg(classes)
        .args(files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The Java files of a folder.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "java")
        })
        .collect()
}

/// A library that cargo put beside this test's own executable: the agent.
pub fn agent_library() -> PathBuf {
    std::env::current_exe()
        .unwrap()
        .with_file_name("libreprise_jvm.so")
}
