//! A program in a named module, which sees nothing that it does not require.

use std::fs;
use std::process::Command;

use crate::support;

const SOURCES: &[(&str, &str)] = &[
    ("module-info.java", "module app { }"),
    (
        "app/Main.java",
        "package app;
         public class Main {
             public static void main(String[] args) {
                 System.out.println(new Inside().twice(21));
             }
         }",
    ),
    (
        "app/Inside.java",
        "package app;
         class Inside {
             int twice(int i) { return Math.multiplyExact(2, i); }
         }",
    ),
];

#[test]
fn a_named_module_is_recorded() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("app")).unwrap();
    for (name, text) in SOURCES {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let compiled = Command::new(support::jdks()[0].with_file_name("javac"))
        .args(["-encoding", "UTF-8"])
        .args(["-d", "mods/app"])
        .args(SOURCES.iter().map(|(name, _)| name))
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    for java in support::jdks() {
        let agent = support::agent("observe=app.Inside,out=x.reprise");
        // Without jdk.unsupported and all the rest.
        let arguments = ["--limit-modules", "app", "-p", "mods", "-m", "app/app.Main"];
        let arguments: Vec<&str> = [agent.as_str()].into_iter().chain(arguments).collect();
        let output = support::java(&java, dir.path(), &arguments);
        let expected = ("42\n".to_owned(), String::new(), Some(0));
        assert_eq!(support::said(&output), expected, "{}", java.display());
        let path = dir.path().join("x.reprise");
        let recorded = support::read(&path);
        let (_, lines) = &recorded.threads[0];
        assert_eq!(
            lines[2..],
            [
                "INCALL app.Inside.twice(inside app.Inside#1, 21)",
                "INCALLRET 42"
            ]
        );
        fs::remove_file(path).unwrap();
    }
}
