//! A program that nobody here wrote: NanoXML, each of its classes alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;

const JAR: &str =
    "https://repo1.maven.org/maven2/be/cyberelf/nanoxml/nanoxml/2.2.3/nanoxml-2.2.3.jar";
const CLASSES: &[&str] = &[
    "CDATAReader",
    "ContentReader",
    "IXMLReader",
    "NonValidator",
    "PIReader",
    "StdXMLBuilder",
    "StdXMLParser",
    "StdXMLReader",
    "XMLAttribute",
    "XMLElement",
    "XMLEntityResolver",
    "XMLException",
    "XMLParseException",
    "XMLParserFactory",
    "XMLUtil",
    "XMLWriter",
    "**",
];

#[test]
fn each_class_alone_is_played_as_recorded() {
    let Some(jar) = fetch() else {
        println!("skipped: NanoXML cannot be fetched from Maven Central");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::copy(jar, folder.path().join("nanoxml.jar")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../agent/tests/e2e_observe/programs/nanoxml/Main.java");
    let class_path = folder.path().join("nanoxml.jar").display().to_string();
    support::compile(&[source], folder.path(), &class_path);
    let java = &support::jdks()[0];
    let mut jvm = support::jvm(java);
    for class in CLASSES {
        let observe = format!("observe=net.n3.nanoxml.{class}");
        let program = ["-cp", ".:nanoxml.jar", "Main", "60"];
        let (file, _) = support::record(java, folder.path(), &observe, &program);
        let played = support::play(&mut jvm, &file).unwrap_or_else(|e| panic!("{class}: {e}"));
        assert_eq!(played.divergences, [], "{class}");
        println!("{class}: {} events", played.events);
    }
}

/// The jar, from an earlier run or from Maven Central.
fn fetch() -> Option<PathBuf> {
    let cached = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nanoxml-2.2.3.jar");
    if !cached.is_file() {
        let part = cached.with_extension(format!("{}", std::process::id()));
        let fetched = Command::new("curl")
            .args(["-sSf", "--max-time", "60", "-o"])
            .arg(&part)
            .arg(JAR)
            .status();
        if !fetched.is_ok_and(|status| status.success()) {
            return None;
        }
        fs::rename(part, &cached).unwrap();
    }
    Some(cached)
}
