//! The study of JVMs: every subject is recorded as expected on every JVM that
//! there is to study. In the gate there is none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use reprise_jvm_testing::jvms;
use reprise_jvm_testing::subject::{Subject, release};

use crate::{subjects, support};

#[test]
fn every_subject_is_recorded_on_every_jvm() {
    // The oldest has written what is expected: others name lambdas otherwise.
    let compilers = support::jdks();
    for java in jvms::studied(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        let mut passed = 0;
        let mut notes = Vec::new();
        for subject in Subject::all() {
            let classes = tempfile::tempdir().unwrap();
            let compiles = |javac: &PathBuf| {
                let target = release(&java).min(release(javac));
                subject.compile_with(javac, Some(target), classes.path())
            };
            if !compilers.iter().any(compiles) {
                notes.push(format!("{}: needs a later release", subject.name()));
                continue;
            }
            let check = || subjects::check_on(&subject, classes.path(), &java, &[]);
            match catch_unwind(AssertUnwindSafe(check)) {
                Ok(()) => passed += 1,
                Err(_) => notes.push(format!("{}: FAILED", subject.name())),
            }
        }
        println!(
            "{}: {passed} subjects recorded as expected",
            jvms::title(&java)
        );
        for note in notes {
            println!("    {note}");
        }
    }
}
