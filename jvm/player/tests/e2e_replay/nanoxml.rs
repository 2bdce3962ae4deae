//! A program that nobody here wrote: NanoXML, each of its classes alone, and
//! sets of them.
//!
//! The gate plays a sample. With `REPRISE_STUDY` set, it is the study: each class
//! alone, and 25 random sets each of 2, 3, 4 and 5 classes, over 216 inputs. One
//! JVM makes all runs of a set, each with classes of its own, so that nothing of
//! one run reaches the next, and keeps them in one file. What is done is written
//! down in cargo's folder for the tests' files, and is not done again.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use reprise_jvm_player::Jvm;
use reprise_jvm_testing::maven;

use crate::support;

const JAR: &str = "be.cyberelf.nanoxml:nanoxml:2.2.3";
const CLASSES: &[&str] = &[
    "CDATAReader",
    "ContentReader",
    "IXMLBuilder",
    "IXMLElement",
    "IXMLEntityResolver",
    "IXMLParser",
    "IXMLReader",
    "IXMLValidator",
    "NonValidator",
    "PIReader",
    "StdXMLBuilder",
    "StdXMLParser",
    "StdXMLReader",
    "ValidatorPlugin",
    "XMLAttribute",
    "XMLElement",
    "XMLEntityResolver",
    "XMLException",
    "XMLParseException",
    "XMLParserFactory",
    "XMLUtil",
    "XMLValidationException",
    "XMLWriter",
];
/// What the gate has the time for.
const SAMPLE: &[&str] = &[
    "CDATAReader",
    "NonValidator",
    "StdXMLParser",
    "StdXMLReader",
    "ValidatorPlugin",
    "XMLElement",
    "XMLException",
    "XMLUtil",
    "XMLWriter",
    "XMLException+XMLUtil",
    "**",
];

#[test]
fn each_class_alone_is_played_as_recorded() {
    let Some(jar) = maven::jar(env!("CARGO_TARGET_TMPDIR"), JAR) else {
        return;
    };
    let study = std::env::var_os("REPRISE_STUDY");
    let study = study.map(|_| Path::new(env!("CARGO_TARGET_TMPDIR")).join("observe-nanoxml"));
    if let Some(folder) = &study {
        fs::create_dir_all(folder).unwrap();
    }
    let (sets, inputs) = match &study {
        Some(_) => (study_sets(), "216"),
        None => (
            SAMPLE.iter().map(|set| set.split('+').collect()).collect(),
            "36",
        ),
    };
    let folder = tempfile::tempdir().unwrap();
    fs::copy(jar, folder.path().join("nanoxml.jar")).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e_replay/nanoxml");
    let class_path = folder.path().join("nanoxml.jar").display().to_string();
    support::compile(&[sources.join("Main.java")], folder.path(), &class_path);
    support::compile(
        &[sources.join("Work.java")],
        &folder.path().join("work"),
        &class_path,
    );
    let java = &support::jdks()[0];
    let program = ["-cp", ".", "Main", inputs];
    let plain = Command::new(java)
        .args(program)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(plain.status.success(), "{plain:?}");
    let done = study.as_ref().map(|folder| folder.join("done"));
    let before = done.as_ref().and_then(|done| fs::read_to_string(done).ok());
    let before = before.unwrap_or_default();
    let mut jvm = support::jvm(java);
    let (mut events, mut recordings) = (0, 0);
    for set in sets {
        let name = set.join("+");
        let known = before
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        let played = match known.and_then(|events| events.parse().ok()) {
            Some(events) => events,
            None => {
                let played = check(java, &mut jvm, folder.path(), &set, &program, &plain.stdout);
                if let Some(done) = &done {
                    let mut done = fs::File::options()
                        .create(true)
                        .append(true)
                        .open(done)
                        .unwrap();
                    writeln!(done, "{name} {played}").unwrap();
                }
                played
            }
        };
        println!("{name}: {played} events");
        recordings += 1;
        events += played;
    }
    println!(
        "{recordings} recordings of {inputs} runs each, {events} events: all played as recorded, \
         and the program's output is the same"
    );
}

/// Records a set, plays it, and returns how many events it had.
fn check(
    java: &Path,
    jvm: &mut Jvm,
    folder: &Path,
    set: &[&str],
    program: &[&str],
    plain: &[u8],
) -> u64 {
    let observe: Vec<String> = set
        .iter()
        .map(|class| format!("net.n3.nanoxml.{class}"))
        .collect();
    let observe = format!("observe={}", observe.join(":"));
    let (file, output) = support::record(java, folder, &observe, program);
    assert!(output == plain, "{set:?} changes what the program says");
    let played = support::play(jvm, &file).unwrap_or_else(|e| panic!("{set:?}: {e}"));
    assert_eq!(played.divergences, [], "{set:?}");
    played.events
}

/// Each class alone, and random sets, the same ones every time.
fn study_sets() -> Vec<Vec<&'static str>> {
    let mut sets: Vec<Vec<&str>> = CLASSES.iter().map(|class| vec![*class]).collect();
    let mut state: u64 = 42;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    for size in 2..=5 {
        let wanted = sets.len() + 25;
        while sets.len() < wanted {
            let mut set: Vec<&str> = Vec::new();
            while set.len() < size {
                let class = CLASSES[random(CLASSES.len())];
                if !set.contains(&class) {
                    set.push(class);
                }
            }
            set.sort_unstable();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    sets
}
