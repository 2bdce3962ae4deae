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
    ] {
        assert_eq!(stderr(options), expected, "{options}");
    }
}
