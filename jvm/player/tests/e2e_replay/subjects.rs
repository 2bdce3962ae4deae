//! Every `subjects/jvm-*`, recorded, then played without its classes: with
//! every event, and none of them different. `REPRISE_SUBJECT=jvm-x` looks at that
//! one alone.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;

#[test]
fn every_subject_is_played_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
    let only = std::env::var("REPRISE_SUBJECT").ok();
    let mut subjects: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("observe").is_file())
        .filter(|path| only.as_ref().is_none_or(|only| path.ends_with(only)))
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
            match support::play(&mut jvm, &kept) {
                Ok(played) if played.divergences.is_empty() && played.events > 0 => {}
                Ok(played) => wrong.push(format!("{name}: {played:?}")),
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
