//! Every `subjects/jvm-*`: a folder with `Main.java`, `observe` (the patterns,
//! one a line) and `expected` (what each thread's events say), or `ends` (the
//! last events of the first thread) where the others differ from run to run.
//! Adding a subject is adding a folder; `UPDATE_EXPECT=1` writes what was
//! recorded.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{self, Recorded};

#[test]
fn every_subject_says_the_same_and_leaves_the_expected_events() {
    for subject in all() {
        check(&subject);
    }
}

/// Their folders.
pub(crate) fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
    let mut subjects: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("observe").is_file())
        .collect();
    subjects.sort();
    assert!(!subjects.is_empty());
    subjects
}

/// What comes in is the same without the oracle, down to the numbers of the
/// objects; what goes out is not there.
#[test]
fn without_the_oracle_everything_that_comes_in_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
    let java = &support::jdks()[0];
    for subject in [
        "jvm-callbacks",
        "jvm-constructors",
        "jvm-dynamic",
        "jvm-arrays",
    ] {
        let subject = root.join(subject);
        let classes = tempfile::tempdir().unwrap();
        support::compile(&subject, classes.path(), Path::new("."));
        let patterns = fs::read_to_string(subject.join("observe")).unwrap();
        let patterns = patterns.split_whitespace().collect::<Vec<_>>().join(":");
        let record = |name: &str, option: &str| {
            let agent = support::agent(&format!("observe={patterns},out={name}{option}"));
            support::java(java, classes.path(), &[&agent, "-cp", ".", "Main"]);
            support::read_unchecked(&classes.path().join(name))
        };
        let kept: Vec<String> = record("with.reprise", "")
            .threads
            .remove(0)
            .1
            .into_iter()
            .filter(|line| !is_outgoing(line) && !line.starts_with("COUNT"))
            .map(|line| without_classes(&line))
            .collect();
        let without: Vec<String> = record("without.reprise", ",no-oracle")
            .threads
            .remove(0)
            .1
            .into_iter()
            .inspect(|line| assert!(!is_outgoing(line), "{line}"))
            .filter(|line| !line.starts_with("COUNT"))
            .map(|line| without_classes(&line))
            .collect();
        assert_eq!(kept, without, "{}", subject.display());
    }
}

fn is_outgoing(line: &str) -> bool {
    ["INCALLRET", "OUTCALL ", "OUTWRITE", "EXCOUT"]
        .iter()
        .any(|outgoing| line.starts_with(outgoing))
}

/// A class is said with the first mention of an object, which may be outgoing.
fn without_classes(line: &str) -> String {
    let mut text = String::new();
    for word in line.split_inclusive([' ', '(', ',']) {
        text += word.split_once('#').map_or(word, |(_, number)| number);
    }
    text
}

fn check(subject: &Path) {
    let classes = tempfile::tempdir().unwrap();
    support::compile(subject, classes.path(), Path::new("."));
    for java in support::jdks() {
        check_on(subject, classes.path(), &java, &[]);
    }
}

/// Runs a subject that was compiled into this folder on one JVM, which may need
/// options of its own.
pub(crate) fn check_on(subject: &Path, classes: &Path, java: &Path, own: &[&str]) {
    let patterns = fs::read_to_string(subject.join("observe")).unwrap();
    let patterns = patterns.split_whitespace().collect::<Vec<_>>().join(":");
    let run = |options: &[&str]| {
        let all = own.iter().chain(options);
        let arguments: Vec<&str> = all.copied().chain(["-cp", ".", "Main"]).collect();
        support::said(&support::java(java, classes, &arguments))
    };
    let name = format!("{} on {}", subject.display(), java.display());
    let agent = support::agent(&format!("observe={patterns},out=x.reprise"));
    let plain = run(&[]);
    assert_eq!(run(&["-Xverify:all", &agent]).0, plain.0, "{name}");
    let path = classes.join("x.reprise");
    fs::remove_file(&path).unwrap();
    assert_eq!(run(&[&agent]), plain, "{name}");
    let recorded = support::read(&path);
    let status = plain.2.unwrap();
    let closing = recorded.closing.as_ref().unwrap();
    let ending = reprise_recording::Ending::Exited { status };
    assert_eq!(closing.ending, ending, "{name}");
    assert_eq!(closing.not_recorded, [], "{name}");
    assert_eq!(closing.cut_short, None, "{name}");
    compare(subject, &recorded, &name);
    has_what_replay_needs(&recorded, &name);
    fs::remove_file(&path).unwrap();
}

fn compare(subject: &Path, recorded: &Recorded, name: &str) {
    let mut text = String::new();
    let mut threads = recorded.threads.clone();
    // Which thread is the first differs from run to run.
    threads.sort();
    for (thread, lines) in threads {
        text += &format!("[{thread}]\n");
        let mut depth = 0_usize;
        for line in lines {
            let what = line.split(' ').next().unwrap_or_default();
            let closes = matches!(what, "INCALLRET" | "OUTCALLRET" | "EXCIN" | "EXCOUT");
            depth = depth.saturating_sub(usize::from(closes));
            text += &format!("{}{line}\n", "  ".repeat(depth));
            depth += usize::from(matches!(what, "INCALL" | "OUTCALL"));
        }
    }
    if let Ok(ends) = fs::read_to_string(subject.join("ends")) {
        assert!(text.ends_with(&ends), "{name}");
        return;
    }
    let path = subject.join("expected");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    for (at, (found, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{name}, line {}", at + 1);
    }
    assert_eq!(text, expected, "{name}");
}

/// The original bytes of every class whose method was called are there.
fn has_what_replay_needs(recorded: &Recorded, name: &str) {
    let tables = recorded.reader.tables();
    let inside = tables.classes.iter().filter(|(_, class)| class.inside);
    let mut count = 0;
    for (id, class) in inside {
        // Hidden classes are made by the class that has their lambda.
        if !class.name.contains("$$Lambda") && !class.name.starts_with('[') {
            let bytes = &tables.bytes[id];
            assert_eq!(bytes[..4], [0xca, 0xfe, 0xba, 0xbe], "{name}: {class:?}");
            count += 1;
        }
    }
    assert!(count > 0, "{name}");
}
