//! What is in jars besides classes, and what a recording needs besides a jar.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;

use reprise_ahead::{AheadError, Kept, Plan, RUNTIME_NAME};
use reprise_jvm_testing as testing;
use reprise_probes::pattern::Patterns;
use reprise_recording::Recording;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::stage::{Stage, events, said};

const PROGRAM: &str = r#"
public class Main {
    public static void main(String[] args) throws Exception {
        System.out.println(new Cart().add(args.length));
        if (args.length > 0) {
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}

class Cart {
    private int total;

    int add(int price) {
        total += price + Price.TAX;
        return total;
    }
}

class Price {
    static int TAX = Integer.parseInt("19");
}
"#;

fn stage() -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Main.java");
    fs::write(&source, PROGRAM).unwrap();
    Stage::compiled(&[source], "Cart")
}

/// Adds files to a jar.
fn with(jar: &Path, files: &[(&str, &[u8])]) {
    let mut archive = ZipArchive::new(File::open(jar).unwrap()).unwrap();
    let to = jar.with_extension("new");
    let mut out = ZipWriter::new(File::create(&to).unwrap());
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).unwrap();
        let name = file.name().unwrap().into_owned();
        if !files.iter().any(|(added, _)| *added == name) {
            out.raw_copy_file(file).unwrap();
        }
    }
    for (name, bytes) in files {
        out.start_file(*name, SimpleFileOptions::default()).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap();
    fs::rename(to, jar).unwrap();
}

fn read(jar: &Path, name: &str) -> Vec<u8> {
    let mut archive = ZipArchive::new(File::open(jar).unwrap()).unwrap();
    let mut bytes = Vec::new();
    let read = archive.by_name(name).unwrap().read_to_end(&mut bytes);
    read.unwrap();
    bytes
}

fn class(stage: &Stage, name: &str) -> Vec<u8> {
    fs::read(stage.file("classes").join(name)).unwrap()
}

#[test]
fn everything_else_is_copied_or_named() {
    let first = stage();
    let newer = class(&first, "Cart.class");
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: Main\r\nMulti-Release: true\r\n\
                    Class-Path: lib/other.jar\r\n\r\nName: Cart.class\r\nSHA-256-Digest: AA==\r\n\r\n";
    let files: [(&str, &[u8]); 7] = [
        ("META-INF/MANIFEST.MF", manifest.as_bytes()),
        ("META-INF/SHOP.SF", b"signature"),
        ("META-INF/SHOP.RSA", b"signature"),
        ("META-INF/versions/11/Cart.class", &newer),
        ("META-INF/versions/9/module-info.class", b"not looked into"),
        ("texts/prices.properties", b"tax=19"),
        ("lib/nested.jar", b"a jar"),
    ];
    with(&first.file("in.jar"), &files);
    fs::remove_file(first.file("out.jar")).unwrap();
    let stage = Stage::of(first.folder, "Cart");
    let (inside, classes) = (stage.copied.inside, stage.copied.classes);
    assert_eq!((inside, classes), (2, 4));
    let named: Vec<&str> = stage.copied.kept.iter().map(|kept| &*kept.what).collect();
    let expected = [
        "META-INF/versions/9/module-info.class",
        "lib/nested.jar",
        "the jar's signatures",
    ];
    assert_eq!(named, expected);
    let out = stage.file("out.jar");
    assert_eq!(read(&out, "texts/prices.properties"), b"tax=19");
    assert_eq!(read(&out, "lib/nested.jar"), b"a jar");
    let text = String::from_utf8(read(&out, "META-INF/MANIFEST.MF")).unwrap();
    assert!(
        text.contains("Class-Path: reprise-runtime.jar lib/other.jar"),
        "{text}"
    );
    assert!(
        text.contains("Main-Class: Main") && !text.contains("Digest"),
        "{text}"
    );
    assert!(
        ZipArchive::new(File::open(&out).unwrap())
            .unwrap()
            .by_name("META-INF/SHOP.SF")
            .is_err()
    );
    // The version for this release is the one that is loaded, and recorded.
    let java = &testing::jdks()[0];
    let output = stage.run(java, &["-Dreprise.out=ahead.reprise", "-jar", "out.jar"]);
    assert_eq!(said(&output), ("19\n".into(), String::new(), Some(0)));
    assert_eq!(stage.play(java).divergences, []);
}

#[test]
fn with_no_file_named_it_only_runs() {
    let stage = stage();
    let java = &testing::jdks()[0];
    let expected = ("19\n".to_owned(), String::new(), Some(0));
    assert_eq!(
        said(&stage.run(java, &["-cp", "out.jar", "Main"])),
        expected
    );
    let left: Vec<_> = fs::read_dir(stage.folder.path()).unwrap().collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn what_cannot_be_recorded_runs() {
    let stage = stage();
    let java = &testing::jdks()[0];
    fs::write(stage.file("there.reprise"), "mine").unwrap();
    for (out, why) in [
        (
            "there.reprise",
            "it exists, and a recording is never written over",
        ),
        ("no/such/folder/x.reprise", "NoSuchFileException"),
    ] {
        let option = format!("-Dreprise.out={out}");
        let (stdout, stderr, status) = said(&stage.run(java, &[&option, "-cp", "out.jar", "Main"]));
        assert_eq!((&*stdout, status), ("19\n", Some(0)));
        assert!(
            stderr.contains(why) && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
    assert_eq!(fs::read(stage.file("there.reprise")).unwrap(), b"mine");
}

/// The agent leaves such a jar alone, and says so; it numbers everything
/// otherwise. Without the agent's runtime in its way, the jar records as always.
#[test]
fn an_agent_on_such_a_jar_refuses_its_classes() {
    let stage = stage();
    let java = &testing::jdks()[0];
    let library = testing::agent_library();
    let agent = format!(
        "-agentpath:{}=observe=Cart,out=agent.reprise",
        library.display()
    );
    let options = [
        &*agent,
        "-Dreprise.out=ahead.reprise",
        "-cp",
        "out.jar",
        "Main",
    ];
    let (stdout, stderr, status) = said(&stage.run(java, &options));
    assert_eq!((&*stdout, status), ("19\n", Some(0)), "{stderr}");
    let expected = "reprise: Cart is not recorded: it was instrumented ahead of time: use the jar \
                    as it was, or no agent\n";
    assert_eq!(stderr, expected);
    let recording = Recording::open(stage.file("agent.reprise")).unwrap();
    let left = &recording.closing().unwrap().not_recorded;
    assert!(left.iter().any(|left| left.what == "Cart"), "{left:?}");
    let calls = recording
        .streams()
        .filter(|(_, info)| info.kind == "jvm.calls");
    assert_eq!(calls.count(), 0);
    assert_eq!(stage.play(java).divergences, []);
}

/// Everything up to the last moments is there, whoever is killed.
#[test]
fn a_program_that_is_killed_leaves_a_recording() {
    let stage = stage();
    let mut child = std::process::Command::new(&testing::jdks()[0])
        .args(["-Dreprise.out=%p.reprise", "-cp", "out.jar", "Main", "wait"])
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(stage.folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let file = stage.file(&format!("{}.reprise", child.id()));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
    let complete = || {
        let threads = Recording::open(&file).is_ok().then(|| events(&file));
        let mut last = threads
            .into_iter()
            .flatten()
            .filter_map(|(_, mut events)| events.pop());
        last.any(|event| event == "INCALLRET 20")
    };
    while !complete() {
        assert!(std::time::Instant::now() < deadline, "nothing was recorded");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(complete());
}

#[test]
fn a_jar_that_makes_no_sense_is_refused() {
    let stage = stage();
    let patterns = Patterns::parse(["Cart"]).unwrap();
    let other = Patterns::parse(["Nothing"]).unwrap();
    let instrument = |input: &str, output: &str, patterns| {
        let plan = Plan {
            patterns,
            oracle: true,
        };
        reprise_ahead::instrument(&stage.file(input), &stage.file(output), &plan)
    };
    let error = instrument("out.jar", "twice.jar", &patterns).unwrap_err();
    assert!(matches!(error, AheadError::Already), "{error}");
    let error = instrument("in.jar", "nothing.jar", &other).unwrap_err();
    assert!(
        matches!(error, AheadError::NothingInside { classes: 3 }),
        "{error}"
    );
    let error = instrument("Main.class", "none.jar", &patterns).unwrap_err();
    assert!(matches!(error, AheadError::Read(_)), "{error}");
    fs::write(stage.file("text.jar"), "no jar").unwrap();
    let error = instrument("text.jar", "none.jar", &patterns).unwrap_err();
    assert!(matches!(error, AheadError::Jar(_)), "{error}");
    let error = instrument("in.jar", RUNTIME_NAME, &patterns).unwrap_err();
    assert!(matches!(error, AheadError::Write(_)), "{error}");
    for name in ["twice.jar", "nothing.jar", "none.jar"] {
        assert!(!stage.file(name).exists(), "{name}");
    }
    // A class that is none stays as it was.
    with(&stage.file("in.jar"), &[("Bad.class", b"\xca\xfe\xba\xbe")]);
    let copied = instrument("in.jar", "bad.jar", &patterns).unwrap();
    assert_eq!((copied.inside, copied.classes), (1, 4));
    assert_eq!(copied.kept, Vec::<Kept>::new());
    assert_eq!(
        read(&stage.file("bad.jar"), "Bad.class"),
        b"\xca\xfe\xba\xbe"
    );
}
