//! What tests on JVMs share: which JDKs there are, compiling with them, and jars
//! of programs that nobody here wrote.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod heard;
pub mod javac;
pub mod jvms;
pub mod limited;
pub mod maven;
pub mod subject;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

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
    let options = ["-encoding", "UTF-8", "-g", "-cp", class_path, "-d"].map(OsStr::new);
    let files = files.iter().map(|file| file.as_os_str());
    let arguments = options.into_iter().chain([classes.as_os_str()]);
    javac::javac(&jdks()[0], arguments.chain(files)).unwrap();
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

/// Looks at each of many things, on as many threads as there are processors, and returns what
/// was found, in no order.
pub fn on_all_processors<T: Send, R: Send>(
    things: Vec<T>,
    look: impl Fn(T) -> Option<R> + Sync,
) -> Vec<R> {
    let things = Mutex::new(things.into_iter());
    let found = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let Some(thing) = things.lock().unwrap().next() else {
                return;
            };
            let result = look(thing);
            found.lock().unwrap().extend(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    found.into_inner().unwrap()
}

/// A library that cargo put beside this test's own executable: the agent.
pub fn agent_library() -> PathBuf {
    std::env::current_exe()
        .unwrap()
        .with_file_name("libreprise_jvm.so")
}
