//! The study of JVMs: every subject is recorded and played, with the oracle and
//! without, on every JVM that there is to study. In the gate there is none.

use std::path::Path;

use reprise_jvm_testing::jvms;
use reprise_jvm_testing::subject::{Subject, release};

use crate::{subjects, support};

#[test]
fn every_subject_is_played_on_every_jvm() {
    let javac = support::jdks().pop().unwrap();
    for java in jvms::studied(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        let mut jvm = support::jvm(&java);
        let mut passed = 0;
        let mut notes = Vec::new();
        for subject in Subject::all() {
            let target = Some(release(&java).min(release(&javac)));
            let compile = |classes: &Path| subject.compile_with(&javac, target, classes);
            match subjects::played(&subject, &mut [(&java, &mut jvm)], compile) {
                None => notes.push(format!("{}: needs a later release", subject.name())),
                Some(wrong) if wrong.is_empty() => passed += 1,
                Some(wrong) => notes.extend(wrong),
            }
        }
        println!(
            "{}: {passed} subjects played as recorded",
            jvms::title(&java)
        );
        for note in notes {
            println!("    {note}");
        }
    }
}
