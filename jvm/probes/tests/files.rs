//! `files/NAME.java` is compiled, given its probes, and must look like
//! `files/NAME.expected`: the class `Inside` as inside, and the class `Outside`
//! where it gets probes. `UPDATE_EXPECT=1` writes what was made.

#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use reprise_classfile::dump::dump_method;
use reprise_classfile::read::ClassFile;
use reprise_probes::Numbers::{InField, InMap};
use reprise_probes::catalog::{Catalog, Site};
use reprise_probes::pattern::Patterns;

/// Numbers methods from 1 and sites from 101.
#[derive(Default)]
struct Numbers {
    methods: u32,
    sites: u32,
    text: String,
}

impl Catalog for Numbers {
    fn method(&mut self, _: u16, name: &str, descriptor: &str) -> u32 {
        self.methods += 1;
        self.text += &format!("method {}: {name}{descriptor}\n", self.methods);
        self.methods
    }

    fn site(&mut self, site: &Site<'_>) -> u32 {
        self.sites += 1;
        self.text += &format!(
            "site {}: line {}, {}.{}{}\n",
            self.sites + 100,
            site.line,
            site.owner,
            site.name,
            site.descriptor
        );
        self.sites + 100
    }
}

#[test]
fn probes_stand_where_they_should() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut sources: Vec<_> = fs::read_dir(&files)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty());
    for source in sources {
        let classes = tempfile::tempdir().unwrap();
        let compiled = Command::new("javac")
            .args(["-encoding", "UTF-8"])
            .args([
                "--release",
                "11",
                "-Xlint:-options",
                "-Xlint:-removal",
                "-d",
            ])
            .arg(classes.path())
            .arg(&source)
            .output();
        let Ok(compiled) = compiled else {
            println!("skipped: there is no javac");
            return;
        };
        assert!(compiled.status.success(), "{compiled:?}");
        let text = instrumented(classes.path());
        let expected = source.with_extension("expected");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&expected, &text).unwrap();
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(text, expected, "{}", source.display());
    }
}

fn instrumented(classes: &Path) -> String {
    let patterns = Patterns::parse(["Inside"]).unwrap();
    let mut numbers = Numbers::default();
    let inside = fs::read(classes.join("Inside.class")).unwrap();
    let inside = ClassFile::parse(&inside).unwrap();
    let inside = reprise_probes::inside(&inside, &patterns, &mut numbers, InField).unwrap();
    assert_eq!(inside.skipped, []);
    let mut text = methods(&inside.bytes);
    if let Ok(outside) = fs::read(classes.join("Outside.class")) {
        let outside = ClassFile::parse(&outside).unwrap();
        let outside = reprise_probes::outside(&outside, &patterns, &mut numbers, InMap).unwrap();
        text += &outside.map_or(String::new(), |outside| methods(&outside.bytes));
    }
    numbers.text + "\n" + &text
}

/// Every method but the constructor that javac adds.
fn methods(bytes: &[u8]) -> String {
    let class = ClassFile::parse(bytes).unwrap();
    let named = |method: &&reprise_classfile::read::Member<'_>| {
        let name = class.pool.utf8(method.name).unwrap();
        let descriptor = class.pool.utf8(method.descriptor).unwrap();
        !(name == "<init>" && descriptor == "()V")
    };
    let fields: Vec<String> = class
        .fields
        .iter()
        .map(|field| {
            let name = class.pool.utf8(field.name).unwrap().to_str_lossy();
            format!("field {name} {:#06x}\n", field.access)
        })
        .collect();
    let dumps = class.methods.iter().filter(named);
    let dumps: Vec<String> = dumps.map(|method| dump_method(&class, method)).collect();
    fields.concat() + &dumps.join("\n")
}
