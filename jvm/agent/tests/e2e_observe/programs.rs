//! Programs that nobody here wrote, from Maven Central, with all their classes
//! observed: the same output, every event decodes, every call returns.

use std::fs;
use std::path::Path;

use reprise_jvm_testing::maven;

use crate::support;

struct Program {
    name: &'static str,
    jars: &'static [&'static str],
    observe: &'static str,
    arguments: &'static [&'static str],
    /// What its recording says that it lacks.
    lacks: &'static [&'static str],
    read: fn(&Path) -> support::Recorded,
}

#[test]
fn nanoxml() {
    check(&Program {
        name: "nanoxml",
        jars: &["be.cyberelf.nanoxml:nanoxml:2.2.3"],
        observe: "net.n3.nanoxml.**",
        arguments: &["60"],
        lacks: &[],
        read: support::read,
    });
}

#[test]
fn bcel() {
    check(&Program {
        name: "bcel",
        jars: &[
            "org.apache.bcel:bcel:6.10.0",
            "org.apache.commons:commons-lang3:3.17.0",
        ],
        observe: "org.apache.bcel.**",
        arguments: &["bcel-6.10.0.jar", "25"],
        lacks: &[],
        read: support::read,
    });
}

#[test]
fn jackson() {
    check(&Program {
        name: "jackson",
        jars: &[
            "com.fasterxml.jackson.core:jackson-core:2.17.2",
            "com.fasterxml.jackson.core:jackson-databind:2.17.2",
            "com.fasterxml.jackson.core:jackson-annotations:2.17.2",
        ],
        observe: "com.fasterxml.jackson.**",
        arguments: &["3"],
        lacks: &[],
        read: support::read,
    });
}

#[test]
fn snakeyaml() {
    check(&Program {
        name: "snakeyaml",
        jars: &["org.yaml:snakeyaml:2.2"],
        observe: "org.yaml.snakeyaml.**",
        arguments: &["3"],
        lacks: &[],
        read: support::read,
    });
}

#[test]
fn caffeine() {
    check(&Program {
        name: "caffeine",
        jars: &["com.github.ben-manes.caffeine:caffeine:3.1.8"],
        observe: "com.github.benmanes.caffeine.**",
        arguments: &["300"],
        lacks: &[],
        read: support::read,
    });
}

fn check(program: &Program) {
    let dir = tempfile::tempdir().unwrap();
    let mut class_path = ".".to_owned();
    let Some(jars) = maven::jars(env!("CARGO_TARGET_TMPDIR"), program.jars) else {
        return;
    };
    for file in jars {
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
        let lacks = recorded.closing.unwrap().not_recorded;
        let lacks: Vec<&str> = lacks.iter().map(|not| not.what.as_str()).collect();
        assert_eq!(lacks, program.lacks);
        fs::remove_file(&path).unwrap();
    }
}
