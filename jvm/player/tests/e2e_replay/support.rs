//! Compiling, recording, playing.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise_jvm_player::{Jvm, Launch, Plan, PlayError, Played};
use reprise_jvm_testing::limited;
pub(crate) use reprise_jvm_testing::{compile, jdks, sources};
use reprise_recording::Recording;

/// Runs a program in a folder and records it into that folder.
pub(crate) fn record(
    java: &Path,
    folder: &Path,
    options: &str,
    arguments: &[&str],
) -> (PathBuf, Vec<u8>) {
    let library = reprise_jvm_testing::agent_library();
    let file = folder.join("x.reprise");
    let _ = fs::remove_file(&file);
    let agent = format!(
        "-agentpath:{}=out={},{options}",
        library.display(),
        file.display()
    );
    let output = limited::output(
        Command::new(java)
            .arg(agent)
            .args(arguments)
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(folder),
    );
    assert!(file.is_file(), "{output:?}");
    (file, output.stdout)
}

/// A JVM to play in.
pub(crate) fn jvm(java: &Path) -> Jvm {
    jvm_for(java, 300)
}

/// The same, with so many seconds for each recording.
pub(crate) fn jvm_for(java: &Path, seconds: u64) -> Jvm {
    let launch = Launch {
        java: java.to_owned(),
        seconds,
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
