//! The study of JVMs: every subject on every `java` that `REPRISE_JVMS` names,
//! separated by `:`; behind a `java` may stand options, as in `/jdk/bin/java -zero`.
//! Without the variable there is nothing to do.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;

use crate::{subjects, support};

#[test]
fn every_subject_on_every_jvm_that_is_named() {
    let Ok(jvms) = std::env::var("REPRISE_JVMS") else {
        println!("skipped: REPRISE_JVMS names no java");
        return;
    };
    for jvm in jvms.split(':') {
        let mut words = jvm.split_whitespace();
        let java = Path::new(words.next().unwrap());
        let own: Vec<&str> = words.collect();
        let (name, release) = describe(java, &own);
        let mut passed = 0;
        let mut notes = Vec::new();
        for subject in subjects::all() {
            let short = subject.file_name().unwrap().to_string_lossy().into_owned();
            let classes = tempfile::tempdir().unwrap();
            if !compile(&subject, classes.path(), release) {
                notes.push(format!("{short}: needs a later release"));
                continue;
            }
            let check =
                AssertUnwindSafe(|| subjects::check_on(&subject, classes.path(), java, &own));
            match catch_unwind(check) {
                Ok(()) => passed += 1,
                Err(_) => notes.push(format!("{short}: FAILED")),
            }
        }
        println!("{name}: {passed} subjects recorded as expected");
        for note in notes {
            println!("    {note}");
        }
    }
}

/// What a JVM calls itself, and its release.
fn describe(java: &Path, own: &[&str]) -> (String, u32) {
    let output = Command::new(java)
        .args(own)
        .arg("-XshowSettings:properties")
        .arg("-version")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let property = |name: &str| {
        let line = text.lines().find(|line| line.trim().starts_with(name));
        let value = line.and_then(|line| line.split_once(" = "));
        value.map_or(String::new(), |(_, value)| value.trim().to_owned())
    };
    let name = format!(
        "{} {}",
        property("java.vm.name"),
        property("java.version =")
    );
    let release = property("java.specification.version").parse();
    (name, release.unwrap_or(11))
}

/// Compiles a subject for a release; false when that has not all it needs.
fn compile(subject: &Path, classes: &Path, release: u32) -> bool {
    let files = fs::read_dir(subject)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "java"));
    let newest = 17;
    let output = Command::new(support::jdks()[0].with_file_name("javac"))
        .args(["-encoding", "UTF-8", "-Xlint:-options", "--release"])
        .arg(release.min(newest).to_string())
        .arg("-d")
        .arg(classes)
        .args(files)
        .output()
        .unwrap();
    output.status.success()
}
