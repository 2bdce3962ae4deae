//! What is asked for wrongly is said, and the program runs.

use std::path::Path;

use crate::support;

const PROGRAM: &str = r#"
public class Main {
    public static void main(String[] args) {
        System.out.println("hello");
    }
}
"#;

fn stderr(options: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("Main.java"), PROGRAM).unwrap();
    std::fs::write(dir.path().join("there.reprise"), "mine").unwrap();
    support::compile(dir.path(), dir.path(), Path::new("."));
    let java = &support::jdks()[0];
    let output = support::java(java, dir.path(), &[&support::agent(options), "Main"]);
    let (stdout, stderr, status) = support::said(&output);
    assert_eq!((stdout.as_str(), status), ("hello\n", Some(0)), "{options}");
    let there = std::fs::read(dir.path().join("there.reprise")).unwrap();
    assert_eq!(there, b"mine", "{options}");
    stderr
}

#[test]
fn every_mistake_has_its_line() {
    for (options, expected) in [
        (
            "observe=Main,out=there.reprise",
            "reprise: cannot make the file for there.reprise: File exists (os error 17); \
             this JVM runs unrecorded\n",
        ),
        (
            "observe=a.*.b,out=x.reprise",
            "reprise: 'a.*.b': a '*' or '**' can only stand alone at the end, as in \
             'com.acme.**'; this JVM runs unrecorded\n",
        ),
        (
            "observe=Main:Mian,out=x.reprise",
            "reprise: no class that was loaded matched 'Mian'\n",
        ),
        ("observe=Main,out=x.reprise", ""),
        // A pattern that takes a class out has met it, and no other has.
        (
            "observe=**:!Main,out=x.reprise",
            "reprise: no class that was loaded matched '**'\n",
        ),
    ] {
        assert_eq!(stderr(options), expected, "{options}");
    }
}

/// A recording says which release can play it. That a release is too old is told
/// by the same JVM; no such one is at hand.
#[test]
fn the_release_is_known() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("Main.java"), PROGRAM).unwrap();
    support::compile(dir.path(), dir.path(), Path::new("."));
    for java in support::jdks() {
        let agent = support::agent("observe=Main,out=x.reprise");
        support::java(&java, dir.path(), &[&agent, "Main"]);
        let file = dir.path().join("x.reprise");
        let recording = reprise_recording::Recording::open(&file).unwrap();
        let version = &recording.manifest().versions["java"];
        let home = java.parent().unwrap().parent().unwrap();
        let release = std::fs::read_to_string(home.join("release")).unwrap();
        let major = version.split(['.', '+']).next().unwrap();
        assert!(
            release.contains(&format!("JAVA_VERSION=\"{major}")),
            "{version}"
        );
        std::fs::remove_file(file).unwrap();
    }
}
