//! Larger programs that nobody here wrote, from Maven Central: one that analyses
//! bytecode, libraries for YAML and JSON, one of threads and lambdas.
//!
//! The gate plays a few sets of classes of each. With `REPRISE_STUDY` set, it is
//! the study: 20 sets each, drawn from the classes that the program uses, over
//! more work. What was played as recorded is written down in cargo's folder for
//! the tests' files, and is not done again; what was not is told and counted.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise_jvm_testing::maven;

use crate::{sets, support};

const SEED: u64 = 7;

/// How many classes the sets of a study have that are not packages.
const SIZES: [usize; 15] = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];

struct Program {
    /// The folder of its driver.
    name: &'static str,
    jars: &'static [&'static str],
    /// The package that all its classes are in.
    package: &'static str,
    /// What the driver is told to do, in the gate and in the study.
    work: [&'static [&'static str]; 2],
    /// The sets of the gate, without the package.
    sample: &'static [&'static str],
}

#[test]
fn bcel() {
    check(&Program {
        name: "bcel",
        jars: &[
            "org.apache.bcel:bcel:6.10.0",
            "org.apache.commons:commons-lang3:3.17.0",
        ],
        package: "org.apache.bcel",
        work: [
            &["print,rewrite,search", "bcel-6.10.0.jar", "60", "3"],
            &["print,verify,rewrite,search", "bcel-6.10.0.jar", "60", "6"],
        ],
        sample: &[
            "**",
            "generic.InstructionList",
            "classfile.ConstantPool+generic.MethodGen",
        ],
    });
}

#[test]
fn snakeyaml() {
    check(&Program {
        name: "snakeyaml",
        jars: &["org.yaml:snakeyaml:2.2"],
        package: "org.yaml.snakeyaml",
        work: [&["3"], &["40"]],
        sample: &["**", "scanner.ScannerImpl", "representer.**+nodes.**"],
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
        package: "com.fasterxml.jackson",
        work: [&["2"], &["20"]],
        sample: &[
            "**",
            "core.**",
            "core.json.UTF8StreamJsonParser",
            "databind.ser.**",
        ],
    });
}

#[test]
fn rxjava() {
    check(&Program {
        name: "rxjava",
        jars: &[
            "io.reactivex.rxjava3:rxjava:3.1.9",
            "org.reactivestreams:reactive-streams:1.0.4",
        ],
        package: "io.reactivex.rxjava3",
        // With threads only in the study, until it was played often enough.
        work: [&["1", "0"], &["10", "2"]],
        sample: &[
            "**",
            "internal.operators.observable.ObservableFlatMap",
            "core.**+functions.**",
        ],
    });
}

fn check(program: &Program) {
    let Some(jars) = maven::jars(env!("CARGO_TARGET_TMPDIR"), program.jars) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut class_path = ".".to_owned();
    for jar in &jars {
        let name = jar.file_name().unwrap().to_str().unwrap();
        fs::copy(jar, folder.path().join(name)).unwrap();
        class_path += &format!(":{name}");
    }
    let absolute: Vec<String> = jars.iter().map(|jar| jar.display().to_string()).collect();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e_replay/programs");
    let source = sources.join(program.name).join("Main.java");
    support::compile(&[source], folder.path(), &absolute.join(":"));

    let java = &support::jdks()[0];
    let study = Study::of(program.name);
    let work = program.work[usize::from(study.is_some())];
    let arguments: Vec<&str> = ["-cp", &class_path, "Main"]
        .into_iter()
        .chain(work.iter().copied())
        .collect();
    let plain = run(java, folder.path(), &[], &arguments);
    let sets = match &study {
        Some(_) => {
            let log = run(
                java,
                folder.path(),
                &["-Xlog:class+init=info:file=linked"],
                &arguments,
            );
            assert!(
                log == plain,
                "{} says something else each time",
                program.name
            );
            let linked = fs::read_to_string(folder.path().join("linked")).unwrap();
            let used = sets::used(&linked, |class| class.starts_with(program.package));
            let mut drawn = vec![vec![format!("{}.**", program.package)]];
            sets::draw(&mut drawn, &used, &SIZES, 20, SEED);
            drawn
        }
        None => program
            .sample
            .iter()
            .map(|set| named(program.package, set))
            .collect(),
    };
    let mut jvm = support::jvm(java);
    let (mut good, mut events) = (0, 0);
    for set in &sets {
        let name = set.join(":");
        let outcome = match study.as_ref().and_then(|study| study.known(&name)) {
            Some(events) => Ok(events),
            None => {
                let options = format!("observe={name}");
                let (file, output) = support::record(java, folder.path(), &options, &arguments);
                match support::play(&mut jvm, &file) {
                    _ if output != plain => Err("the program says something else".to_owned()),
                    Ok(played) if played.divergences.is_empty() => Ok(played.events),
                    Ok(played) => Err(played.divergences[0].to_string()),
                    Err(error) => {
                        jvm = support::jvm(java);
                        Err(error.to_string())
                    }
                }
            }
        };
        match outcome {
            Ok(played) => {
                println!("{name}: {played} events");
                good += 1;
                events += played;
                if let Some(study) = &study {
                    study.keep(&name, played);
                }
            }
            Err(why) if study.is_some() => println!("{name}: NOT PLAYED: {why}"),
            Err(why) => panic!("{name}: {why}"),
        }
    }
    println!(
        "{}: {good} of {} sets played as recorded and with the same output, {events} events",
        program.name,
        sets.len()
    );
}

fn run(java: &Path, folder: &Path, options: &[&str], arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(java)
        .args(options)
        .args(arguments)
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// What a study has done before.
struct Study(PathBuf);

impl Study {
    fn of(program: &str) -> Option<Self> {
        std::env::var_os("REPRISE_STUDY")?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("observe-programs");
        fs::create_dir_all(&folder).unwrap();
        Some(Self(folder.join(program)))
    }

    fn known(&self, set: &str) -> Option<u64> {
        let done = fs::read_to_string(&self.0).ok()?;
        let lines = done.lines();
        let mut known = lines.filter_map(|line| line.strip_prefix(set)?.strip_prefix(' '));
        known.next()?.parse().ok()
    }

    fn keep(&self, set: &str, events: u64) {
        if self.known(set).is_none() {
            let mut done = fs::File::options()
                .create(true)
                .append(true)
                .open(&self.0)
                .unwrap();
            writeln!(done, "{set} {events}").unwrap();
        }
    }
}

fn named(package: &str, set: &str) -> Vec<String> {
    set.split('+')
        .map(|class| format!("{package}.{class}"))
        .collect()
}
