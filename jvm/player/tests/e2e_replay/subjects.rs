//! Every `subjects/jvm-*`, recorded, then played without its classes: with
//! every event, and none of them different. `REPRISE_SUBJECT=jvm-x` looks at that
//! one alone.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use reprise_jvm_player::Jvm;
use reprise_jvm_testing::on_all_processors;
use reprise_jvm_testing::subject::{Subject, release};

use crate::support;

#[test]
fn every_subject_is_played_as_recorded() {
    let javas = support::jdks();
    // The JVMs that play go from hand to hand, so that each plays many, as a user's does.
    let sets = Mutex::new(Vec::new());
    let wrong = on_all_processors(Subject::all(), |subject| {
        let idle = sets.lock().unwrap().pop();
        let mut set: Vec<Jvm> =
            idle.unwrap_or_else(|| javas.iter().map(|java| support::jvm(java)).collect());
        let mut jvms: Vec<_> = javas
            .iter()
            .zip(&mut set)
            .filter(|(java, _)| subject.runs_on(java))
            .map(|(java, jvm)| (java.as_path(), jvm))
            .collect();
        let found = played(&subject, &mut jvms, |classes| subject.compile(classes));
        if found.is_none() {
            println!("skipped: no JDK is new enough for {}", subject.name());
        }
        sets.lock().unwrap().push(set);
        found
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Those whose class files for Java 8 differ most: no nestmates, `StringBuilder`
/// for concatenation, accessors for private members.
const FOR_8: &[&str] = &[
    "jvm-callbacks",
    "jvm-constructors",
    "jvm-initialisers",
    "jvm-lambdas",
    "jvm-references",
    "jvm-subclasses",
];

/// Class files of older releases are what most programs consist of.
#[test]
fn class_files_of_older_releases_are_played() {
    let javas = support::jdks();
    let oldest = javas.first().unwrap();
    let mut jvm = support::jvm(oldest);
    let mut wrong = Vec::new();
    for subject in Subject::all() {
        let name = subject.name();
        let releases: &[u32] = match name.as_str() {
            "jvm-defaults" => &[11],
            // The last whose interfaces have no code but their initialisers.
            "jvm-constants" if release(oldest) < 20 => &[7],
            _ if FOR_8.contains(&name.as_str()) => &[8],
            _ => &[],
        };
        for release in releases {
            let compile = |classes: &Path| subject.compile_with(oldest, Some(*release), classes);
            let found = played(&subject, &mut [(oldest, &mut jvm)], compile);
            let found = found.unwrap_or_else(|| panic!("{name} is no Java {release}"));
            wrong.extend(found);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Records a subject on each JVM, with what the inside did and without, takes
/// its classes away, and plays it: nothing that a replay needs is dropped with
/// the oracle. What was wrong; none when it could not be compiled.
pub(crate) fn played(
    subject: &Subject,
    jvms: &mut [(&Path, &mut Jvm)],
    compile: impl FnOnce(&Path) -> bool,
) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let classes = folder.path().join("classes");
    fs::create_dir(&classes).unwrap();
    if !compile(&classes) {
        return None;
    }
    let program = subject.arguments();
    let program: Vec<&str> = program.iter().map(String::as_str).collect();
    let mut recordings = Vec::new();
    for (at, (java, _)) in jvms.iter().enumerate() {
        for option in ["", ",no-oracle"] {
            let options = format!("{}{option}", subject.options());
            let (file, _) = support::record(java, &classes, &options, &program);
            let kept = folder.path().join(format!("{at}{option}.reprise"));
            fs::rename(file, &kept).unwrap();
            recordings.push((at, option, kept));
        }
    }
    fs::remove_dir_all(classes).unwrap();
    let mut wrong = Vec::new();
    for (at, option, file) in recordings {
        let (java, jvm) = &mut jvms[at];
        let name = format!("{} on {}{option}", subject.name(), java.display());
        match support::play(jvm, &file) {
            Ok(played) if played.divergences.is_empty() && played.events > 0 => {}
            Ok(played) => wrong.push(format!("{name}: {played:?}")),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    Some(wrong)
}
