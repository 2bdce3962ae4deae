//! Every `subjects/jvm-*`, which has `expected` (what each thread's events say),
//! or `ends` (the last events of the first thread) where the others differ from
//! run to run, and `unrecorded` where something cannot be recorded. Adding a
//! subject is adding a folder; `UPDATE_EXPECT=1` writes what was recorded.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use reprise_jvm_testing::on_all_processors;
use reprise_jvm_testing::subject::Subject;

use crate::support::{self, Recorded};

#[test]
fn every_subject_says_the_same_and_leaves_the_expected_events() {
    let wrong = on_all_processors(Subject::all(), |subject| {
        let checked = catch_unwind(|| check(&subject));
        checked.is_err().then(|| subject.name())
    });
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What comes in is the same without the oracle, down to the numbers of the
/// objects; what goes out is not there.
#[test]
fn without_the_oracle_everything_that_comes_in_is_kept() {
    let java = &support::jdks()[0];
    let some = [
        "jvm-callbacks",
        "jvm-constructors",
        "jvm-dynamic",
        "jvm-arrays",
    ];
    let all = Subject::all().into_iter();
    for subject in all.filter(|subject| some.contains(&&*subject.name())) {
        let classes = tempfile::tempdir().unwrap();
        assert!(subject.compile(classes.path()));
        let options = subject.options();
        let record = |name: &str, option: &str| {
            let agent = support::agent(&format!("{options},out={name}{option}"));
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
            .inspect(|line| assert!(!is_outgoing(line) || ends_constructor(line), "{line}"))
            .filter(|line| !line.starts_with("COUNT") && !ends_constructor(line))
            .map(|line| without_classes(&line))
            .collect();
        assert_eq!(kept, without, "{}", subject.name());
    }
}

fn is_outgoing(line: &str) -> bool {
    ["INCALLRET", "OUTCALL ", "OUTWRITE", "EXCOUT"]
        .iter()
        .any(|outgoing| line.starts_with(outgoing))
}

/// What a constructor has made is kept as a class, and that it has made nothing.
fn ends_constructor(line: &str) -> bool {
    line.starts_with("INCALLRET") && line.ends_with(".class") || line.starts_with("EXCOUT")
}

/// A class is said with the first mention of an object, which may be outgoing.
fn without_classes(line: &str) -> String {
    let mut text = String::new();
    for word in line.split_inclusive([' ', '(', ',']) {
        text += word.split_once('#').map_or(word, |(_, number)| number);
    }
    text
}

fn check(subject: &Subject) {
    let classes = tempfile::tempdir().unwrap();
    if !subject.compile(classes.path()) {
        println!("skipped: no JDK is new enough for {}", subject.name());
        return;
    }
    for java in support::jdks() {
        if subject.runs_on(&java) {
            check_on(subject, classes.path(), &java, &[]);
        }
    }
}

/// Runs a subject that was compiled into this folder on one JVM, which may need
/// options of its own.
pub(crate) fn check_on(subject: &Subject, classes: &Path, java: &Path, own: &[&str]) {
    let options = subject.options();
    let program = subject.arguments();
    let run = |options: &[&str]| {
        let all = own.iter().chain(options).copied();
        let arguments: Vec<&str> = all.chain(program.iter().map(String::as_str)).collect();
        support::said(&support::java(java, classes, &arguments))
    };
    let name = format!("{} on {}", subject.name(), java.display());
    let agent = support::agent(&format!("{options},out=x.reprise"));
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
    let left = closing.not_recorded.iter();
    let left = left.map(|left| format!("{}: {}\n", left.what, left.why));
    expect(subject, "unrecorded", &left.collect::<String>(), &name);
    assert_eq!(closing.cut_short, None, "{name}");
    compare(subject, &recorded, &name);
    has_what_replay_needs(&recorded, &name);
    fs::remove_file(&path).unwrap();
}

fn compare(subject: &Subject, recorded: &Recorded, name: &str) {
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
    if let Ok(ends) = fs::read_to_string(subject.folder.join("ends")) {
        assert!(text.ends_with(&ends), "{name}");
        return;
    }
    expect(subject, "expected", &text, name);
}

/// Holds a text against a file of the subject; nothing is in a file that is not
/// there.
fn expect(subject: &Subject, file: &str, text: &str, name: &str) {
    let path = subject.folder.join(file);
    let is_there = path.is_file();
    if std::env::var_os("UPDATE_EXPECT").is_some() && (is_there || !text.is_empty()) {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    for (at, (found, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{name}, line {} of {file}", at + 1);
    }
    assert_eq!(text, expected, "{name}, {file}");
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
