//! Every `subjects/jvm-*`, recorded, then played without its classes: with
//! every event, and none of them different.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;

/// What is recorded already and cannot be played yet: it diverges, and says so.
/// Who makes one of them play takes it off this list.
const NOT_YET: [(&str, &str); 3] = [
    ("jvm-computed", "computed constants are not asked for"),
    ("jvm-identity", "== on values is left to the JVM"),
    (
        "jvm-resolution",
        "classes that were missing are not missing",
    ),
];

#[test]
fn every_subject_is_played_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
    let mut subjects: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("observe").is_file())
        .collect();
    subjects.sort();
    assert!(!subjects.is_empty());
    let mut wrong = Vec::new();
    for java in support::jdks() {
        let mut jvm = support::jvm(&java);
        for subject in &subjects {
            let name = format!("{} on {}", subject.display(), java.display());
            let folder = tempfile::tempdir().unwrap();
            let classes = folder.path().join("classes");
            fs::create_dir(&classes).unwrap();
            support::compile(&support::sources(subject), &classes, ".");
            let patterns = fs::read_to_string(subject.join("observe")).unwrap();
            let patterns = patterns.split_whitespace().collect::<Vec<_>>().join(":");
            let program = ["-cp", ".", "Main"];
            let observe = format!("observe={patterns}");
            let (file, _) = support::record(&java, &classes, &observe, &program);
            let kept = folder.path().join("x.reprise");
            fs::rename(file, &kept).unwrap();
            fs::remove_dir_all(classes).unwrap();
            let not_yet = NOT_YET.iter().find(|(name, _)| subject.ends_with(name));
            match support::play(&mut jvm, &kept) {
                Ok(played) if not_yet.is_some() && !played.divergences.is_empty() => {}
                Ok(_) if not_yet.is_some() => wrong.push(format!("{name} plays now")),
                Ok(played) if played.divergences.is_empty() && played.events > 0 => {}
                Ok(played) => wrong.push(format!("{name}: {played:?}")),
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
