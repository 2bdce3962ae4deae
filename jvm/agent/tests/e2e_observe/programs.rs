//! Programs that nobody here wrote, from Maven Central, with all their classes
//! observed: the same output, every event decodes, every call returns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;

const CENTRAL: &str = "https://repo1.maven.org/maven2";

struct Program {
    name: &'static str,
    jars: &'static [&'static str],
    observe: &'static str,
    arguments: &'static [&'static str],
    read: fn(&Path) -> support::Recorded,
}

#[test]
fn nanoxml() {
    check(&Program {
        name: "nanoxml",
        jars: &["be/cyberelf/nanoxml/nanoxml/2.2.3/nanoxml-2.2.3.jar"],
        observe: "net.n3.nanoxml.**",
        arguments: &["60"],
        read: support::read,
    });
}

#[test]
fn bcel() {
    check(&Program {
        name: "bcel",
        jars: &[
            "org/apache/bcel/bcel/6.10.0/bcel-6.10.0.jar",
            "org/apache/commons/commons-lang3/3.17.0/commons-lang3-3.17.0.jar",
        ],
        observe: "org.apache.bcel.**",
        arguments: &["bcel-6.10.0.jar", "25"],
        read: support::read,
    });
}

#[test]
fn jackson() {
    check(&Program {
        name: "jackson",
        jars: &[
            "com/fasterxml/jackson/core/jackson-core/2.17.2/jackson-core-2.17.2.jar",
            "com/fasterxml/jackson/core/jackson-databind/2.17.2/jackson-databind-2.17.2.jar",
            "com/fasterxml/jackson/core/jackson-annotations/2.17.2/jackson-annotations-2.17.2.jar",
        ],
        observe: "com.fasterxml.jackson.**",
        arguments: &["3"],
        read: support::read,
    });
}

#[test]
fn snakeyaml() {
    check(&Program {
        name: "snakeyaml",
        jars: &["org/yaml/snakeyaml/2.2/snakeyaml-2.2.jar"],
        observe: "org.yaml.snakeyaml.**",
        arguments: &["3"],
        read: support::read,
    });
}

#[test]
fn caffeine() {
    check(&Program {
        name: "caffeine",
        jars: &["com/github/ben-manes/caffeine/caffeine/3.1.8/caffeine-3.1.8.jar"],
        observe: "com.github.benmanes.caffeine.**",
        arguments: &["300"],
        // Its threads share inside objects through `VarHandle`s, which leave no
        // event yet.
        read: support::read_in_any_order,
    });
}

fn check(program: &Program) {
    let dir = tempfile::tempdir().unwrap();
    let mut class_path = ".".to_owned();
    for jar in program.jars {
        let Some(file) = fetch(jar) else {
            println!("skipped: {jar} cannot be fetched from Maven Central");
            return;
        };
        let name = file.file_name().unwrap().to_str().unwrap();
        fs::copy(&file, dir.path().join(name)).unwrap();
        class_path += &format!(":{}", dir.path().join(name).display());
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/e2e_observe/programs")
        .join(program.name);
    support::compile(&sources, dir.path(), Path::new(&class_path));
    for java in support::jdks() {
        let run = |options: &[&str]| {
            let main = ["-cp", &class_path, "Main"];
            let all = options.iter().chain(&main).chain(program.arguments);
            let arguments: Vec<&str> = all.copied().collect();
            support::said(&support::java(&java, dir.path(), &arguments))
        };
        let agent = support::agent(&format!("observe={},out=x.reprise", program.observe));
        let plain = run(&[]);
        assert_eq!(plain.2, Some(0), "{plain:?}");
        assert_eq!(run(&[&agent]), plain, "{}", java.display());
        let path = dir.path().join("x.reprise");
        let recorded = (program.read)(&path);
        let events: usize = recorded.threads.iter().map(|(_, lines)| lines.len()).sum();
        let size = fs::metadata(&path).unwrap().len();
        println!(
            "{}: {events} events in {size} bytes on {}",
            program.name,
            java.display()
        );
        assert!(events > 1000, "{events} events");
        assert_eq!(recorded.closing.unwrap().not_recorded, []);
        fs::remove_file(&path).unwrap();
    }
}

/// The jar, from an earlier run or from Maven Central.
fn fetch(jar: &str) -> Option<PathBuf> {
    let name = jar.rsplit('/').next().unwrap();
    let cached = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !cached.is_file() {
        let part = cached.with_extension("part");
        let fetched = Command::new("curl")
            .args(["-sSf", "--max-time", "60", "-o"])
            .arg(&part)
            .arg(format!("{CENTRAL}/{jar}"))
            .status();
        if !fetched.is_ok_and(|status| status.success()) {
            return None;
        }
        fs::rename(part, &cached).unwrap();
    }
    Some(cached)
}
