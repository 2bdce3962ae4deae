//! Inserted code passes the JVM's own verifier, and programs still work.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use reprise_classfile::flow::Initialized;
use reprise_classfile::opcode as op;
use reprise_classfile::read::{Attribute, ClassFile, Code, Instruction, StackMapTable};
use reprise_classfile::relocate::{EditError, Editor, Landing};
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet, empty_class, write_code};

use crate::relocate::nops;
use crate::support::{
    classes_of, each_java_base, java, jdks, kept, link_class, parse, run, skipped, source, thorough,
};

/// Which instructions get a probe.
type Choice = fn(&Instruction<'_>) -> bool;

fn every(_: &Instruction<'_>) -> bool {
    true
}

/// Field and array accesses and calls.
fn accesses(instruction: &Instruction<'_>) -> bool {
    matches!(
        instruction.opcode,
        op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE | op::GETSTATIC..=op::INVOKEDYNAMIC
    )
}

/// What was done to a set of classes.
#[derive(Default, Debug)]
struct Figures {
    classes: usize,
    methods: usize,
    probes: usize,
    /// Methods left as they were because they would exceed 64 KB.
    too_long: usize,
    /// Constructors in which nothing comes after `super()`.
    never: usize,
}

/// Puts a probe at each chosen instruction of each method, at each entry
/// and before each return, keeps a local for the whole call, and catches what
/// leaves the method.
struct Instrument {
    probe: &'static str,
    choice: Choice,
    figures: Figures,
}

impl Instrument {
    fn new(probe: &'static str, choice: Choice) -> Self {
        Self {
            probe,
            choice,
            figures: Figures::default(),
        }
    }

    fn class(&mut self, bytes: &[u8]) -> Vec<u8> {
        let class = parse(bytes);
        let mut edited = ClassEditor::new(&class);
        self.figures.classes += 1;
        for index in 0..class.methods.len() {
            match self.method(&class, index, &mut edited) {
                Ok(()) => {}
                Err(EditError::TooLong { .. }) => self.figures.too_long += 1,
                Err(error) => panic!("{}: {error}", class.name().unwrap()),
            }
        }
        edited.finish().unwrap()
    }

    fn snippet(&self, pool: &mut PoolEditor<'_>) -> Result<Snippet, EditError> {
        let mut code = Snippet::new();
        code.push_int(40_000, pool)?
            .invoke(Invoke::Static, self.probe, "hit", "(I)V", pool)?;
        Ok(code)
    }

    fn method<'c>(
        &mut self,
        class: &'c ClassFile<'c>,
        index: usize,
        edited: &mut ClassEditor<'c>,
    ) -> Result<(), EditError> {
        let method = &class.methods[index];
        let Some(mut editor) = Editor::new(class, method)? else {
            return Ok(());
        };
        // An empty finalizer must stay one, and Object is every class's super.
        let name = class.pool.utf8(method.name)?;
        if name == "finalize" || class.name()? == "java/lang/Object" {
            return Ok(());
        }
        let probe = self.snippet(&mut edited.pool)?;
        let chosen: Vec<u32> = editor
            .instructions()
            .iter()
            .filter(|instruction| (self.choice)(instruction))
            .map(|instruction| instruction.offset)
            .collect();
        for offset in &chosen {
            insert(&mut editor, *offset, index, &probe)?;
        }
        editor.before_returns(&probe)?;
        editor.at_entry(probe.clone())?;
        let mut rethrow = probe;
        if index.is_multiple_of(2) {
            let mut value = Snippet::new();
            value.push_long(9, &mut edited.pool)?;
            let long = reprise_classfile::descriptor::FieldType::Long;
            let slot = editor.hold(long, value)?;
            rethrow.load(long, slot)?.op(op::POP2)?;
        }
        rethrow.op(op::ATHROW)?;
        match editor.catch_all(rethrow) {
            Ok(()) => {}
            Err(EditError::Constructor(Initialized::Never)) => self.figures.never += 1,
            Err(error) => return Err(error),
        }
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
        self.figures.methods += 1;
        self.figures.probes += chosen.len();
        Ok(())
    }
}

/// Inserts before or after, by turns; where control does not fall through
/// only "before" is possible.
fn insert(editor: &mut Editor<'_>, at: u32, turn: usize, probe: &Snippet) -> Result<(), EditError> {
    let tried = match turn % 3 {
        0 => return editor.before(at, probe.clone()),
        1 => editor.after(at, probe.clone()),
        _ => editor.before_with(at, probe.clone(), Landing::After),
    };
    match tried {
        Err(EditError::NoFallThrough { .. }) => editor.before(at, probe.clone()),
        other => other,
    }
}

/// The class that probes call.
fn probe_class(name: &str) -> Vec<u8> {
    let bytes = empty_class(52, 0x0021, name, "java/lang/Object").unwrap();
    let class = parse(&bytes);
    let mut edited = ClassEditor::new(&class);
    let mut body = Snippet::new();
    body.op(op::RETURN).unwrap();
    let code = write_code(1, &body).unwrap();
    edited
        .add_method(0x0009, "hit", "(I)V", Some(code))
        .unwrap();
    edited.finish().unwrap()
}

fn write_class(folder: &Path, name: &str, bytes: &[u8]) {
    let file = folder.join(format!("{name}.class"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

/// Writes instrumented copies and the probe's class into a folder, with a file
/// `names` that lists them.
fn write_instrumented(classes: &[(String, Vec<u8>)], instrument: &mut Instrument, folder: &Path) {
    let mut names = String::new();
    for (file, bytes) in classes {
        let name = file.trim_start_matches('/').trim_end_matches(".class");
        if name.ends_with("module-info") || name.starts_with("META-INF") {
            continue;
        }
        write_class(folder, name, &instrument.class(bytes));
        names += &name.replace('/', ".");
        names.push('\n');
    }
    fs::write(folder.join("names"), names).unwrap();
}

const IN_JAVA_LANG: &str = "java/lang/RepriseProbe";

/// Runs `Link` on the classes in a folder that replace those of java.base.
fn link_java_base(jdk: &Path, folder: &Path) -> String {
    write_class(folder, IN_JAVA_LANG, &probe_class(IN_JAVA_LANG));
    run(java(jdk)
        .arg("-Xverify:all")
        .arg(format!("--patch-module=java.base={}", folder.display()))
        .arg("-cp")
        .arg(link_class())
        .arg("Link")
        .arg(folder.join("names")))
}

/// A third of the classes, or all of them when the test is to be thorough;
/// the others are the JDK's own.
#[test]
fn java_base_with_a_probe_at_every_instruction_passes_the_verifier() {
    each_java_base(|jdk, classes| {
        let folder = tempfile::tempdir().unwrap();
        let mut instrument = Instrument::new(IN_JAVA_LANG, every);
        let step = if thorough() { 1 } else { 3 };
        let chosen: Vec<_> = classes.iter().step_by(step).cloned().collect();
        let start = Instant::now();
        write_instrumented(&chosen, &mut instrument, folder.path());
        let taken = start.elapsed();
        let text = link_java_base(jdk, folder.path());
        let last = text.lines().last().unwrap_or_default();
        let figures = instrument.figures;
        eprintln!("{}: {figures:?} in {taken:?}: {last}", jdk.display());
        assert!(text.contains(" skipped 0 failed 0"), "{text}");
    });
}

#[test]
fn the_verifier_does_see_the_classes_of_java_base() {
    each_java_base(|jdk, classes| {
        // The frames of this method stay where they were while its code moves.
        let broken: Vec<_> = classes
            .iter()
            .filter(|(name, _)| name == "java/util/jar/JarVerifier.class")
            .cloned()
            .map(|(name, bytes)| (name, with_stale_frames(&bytes)))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &broken {
            write_class(folder.path(), name.trim_end_matches(".class"), bytes);
        }
        fs::write(folder.path().join("names"), "java.util.jar.JarVerifier\n").unwrap();
        let text = link_java_base(jdk, folder.path());
        assert!(text.contains("VerifyError"), "{text}");
    });
}

/// Inserts a `nop` into each method but keeps its old stack map.
fn with_stale_frames(bytes: &[u8]) -> Vec<u8> {
    let class = parse(bytes);
    let mut edited = ClassEditor::new(&class);
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method).unwrap() else {
            continue;
        };
        let old = class.find(&editor.code().attributes, "StackMapTable");
        editor.at_entry(nops(1)).unwrap();
        let mut code = editor.finish(&mut edited.pool).unwrap();
        if let Some(old) = old {
            let new = Attribute {
                name: 0,
                offset: 0,
                content: &code,
            };
            let new = Code::read(&new).unwrap();
            let new = class.find(&new.attributes, "StackMapTable").unwrap();
            if new.content.len() == old.content.len() {
                code.splice(
                    new.offset..new.offset + new.content.len(),
                    old.content.to_vec(),
                );
            }
        }
        edited.set_code(index, code).unwrap();
    }
    edited.finish().unwrap()
}

/// Puts 33 KB of code into every method, here or there, so that many jumps get
/// too long and the frames behind them have to be worked out.
pub(crate) fn blown_up(bytes: &[u8]) -> (Vec<u8>, usize) {
    let class = parse(bytes);
    let mut edited = ClassEditor::new(&class);
    let mut split = 0;
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method).unwrap() else {
            continue;
        };
        let all: Vec<_> = editor.instructions().iter().map(|i| i.offset).collect();
        let place = all[all.len() * (index % 5 + 1) / 7];
        editor.before(place, nops(33_000)).unwrap();
        let code = match editor.finish(&mut edited.pool) {
            Ok(code) => code,
            Err(EditError::TooLong { .. }) => continue,
            Err(error) => panic!("{}: {error}", class.name().unwrap()),
        };
        split += inserted_frames(&class, editor.code(), &code);
        edited.set_code(index, code).unwrap();
    }
    (edited.finish().unwrap(), split)
}

/// How many more stack map frames a body has than it had.
fn inserted_frames(class: &ClassFile<'_>, old: &Code<'_>, new: &[u8]) -> usize {
    let new = Code::read(&Attribute {
        name: 0,
        offset: 0,
        content: new,
    });
    let count = |code: &Code<'_>| {
        let table = class.find(&code.attributes, "StackMapTable");
        table.map_or(0, |table| StackMapTable::read(&table).unwrap().0.len())
    };
    count(&new.unwrap()) - count(old)
}

#[test]
fn methods_with_long_jumps_pass_the_verifier() {
    each_java_base(|jdk, classes| {
        let step = if thorough() { 2 } else { 41 };
        let folder = tempfile::tempdir().unwrap();
        let mut names = String::new();
        let mut frames = 0;
        // Classes the JVM itself needs would make its start very slow.
        let outer = |name: &str| !name.starts_with("java/lang") && !name.contains("module-info");
        for (file, bytes) in classes.iter().skip(3).step_by(step) {
            let name = file.trim_end_matches(".class");
            if outer(name) {
                let (bytes, split) = blown_up(bytes);
                frames += split;
                write_class(folder.path(), name, &bytes);
                names += &name.replace('/', ".");
                names.push('\n');
            }
        }
        fs::write(folder.path().join("names"), names).unwrap();
        let text = link_java_base(jdk, folder.path());
        let last = text.lines().last().unwrap_or_default();
        eprintln!("{}: {frames} frames worked out: {last}", jdk.display());
        assert!(
            frames > 100 && text.contains(" skipped 0 failed 0"),
            "{text}"
        );
    });
}

/// javac is a large program that comes with every JDK: an instrumented one
/// must compile to the same bytes.
#[test]
fn javac_with_probes_still_compiles() {
    let Some(jdk) = jdks().pop() else {
        return skipped("no JDK");
    };
    let folder = tempfile::tempdir().unwrap();
    let mut instrument = Instrument::new(IN_JAVA_LANG, accesses);
    let classes = classes_of(&jdk, "jdk.compiler");
    let patch = folder.path().join("patch");
    fs::create_dir(&patch).unwrap();
    write_instrumented(&classes, &mut instrument, &patch);
    eprintln!("{}: {:?}", jdk.display(), instrument.figures);
    let base = folder.path().join("base");
    write_class(&base, IN_JAVA_LANG, &probe_class(IN_JAVA_LANG));
    let compile = |out: &str, options: &[String]| {
        let out = folder.path().join(out);
        run(java(&jdk)
            .args(options)
            .args(["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d"])
            .arg(&out)
            .args([
                source("Dump.java"),
                source("Link.java"),
                source("Annotated.java"),
            ]));
        let mut files: Vec<_> = fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    };
    let plain = compile("plain", &[]);
    let probed = compile(
        "probed",
        &[
            "-Xverify:all".into(),
            format!("--patch-module=java.base={}", base.display()),
            format!("--patch-module=jdk.compiler={}", patch.display()),
        ],
    );
    // It is the instrumented javac that runs: without the probe it cannot.
    let output = java(&jdk)
        .arg(format!("--patch-module=jdk.compiler={}", patch.display()))
        .args(["-m", "jdk.compiler/com.sun.tools.javac.Main", "-version"])
        .output();
    let text = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(
        text.contains("NoClassDefFoundError: java/lang/RepriseProbe"),
        "{text}"
    );
    assert!(plain.len() >= 3);
    assert!(
        plain == probed,
        "the instrumented javac compiles differently"
    );
}

/// Jars whose classes older javacs and other compilers wrote.
const JARS: [&str; 10] = [
    "antlr:antlr:2.7.7",
    "junit:junit:3.8.1",
    "commons-collections:commons-collections:3.2.2",
    "xerces:xercesImpl:2.12.2",
    "org.apache.commons:commons-lang3:3.14.0",
    "org.ow2.asm:asm-util:9.7",
    "org.clojure:clojure:1.11.1",
    "org.codehaus.groovy:groovy:3.0.21",
    "org.jetbrains.kotlin:kotlin-stdlib:2.0.0",
    "org.scala-lang:scala-library:2.13.14",
];

#[test]
fn jars_with_a_probe_at_every_instruction_pass_the_verifier() {
    let Some(jdk) = jdks().pop() else {
        return skipped("no JDK");
    };
    let count = if thorough() { JARS.len() } else { 1 };
    for coordinates in JARS.iter().take(count) {
        let Some(jar) = fetched(coordinates) else {
            skipped(&format!("{coordinates} could not be fetched with mvn"));
            continue;
        };
        let classes = classes_of(&jdk, jar.to_str().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let mut instrument = Instrument::new("RepriseProbe", every);
        write_instrumented(&classes, &mut instrument, folder.path());
        write_class(folder.path(), "RepriseProbe", &probe_class("RepriseProbe"));
        let path = std::env::join_paths([folder.path(), link_class()]).unwrap();
        let text = run(java(&jdk)
            .arg("-cp")
            .arg(path)
            .arg("Link")
            .arg(folder.path().join("names")));
        let last = text.lines().last().unwrap_or_default();
        eprintln!("{coordinates}: {:?}: {last}", instrument.figures);
        assert!(text.contains(" failed 0"), "{text}");
    }
}

/// The jar with these coordinates, from Maven Central; kept between runs.
fn fetched(coordinates: &str) -> Option<std::path::PathBuf> {
    let mut parts = coordinates.split(':').skip(1);
    let name = format!("{}-{}.jar", parts.next()?, parts.next()?);
    let folder = kept("jars");
    let jar = folder.join(name);
    if !jar.exists() {
        let status = Command::new("mvn")
            .args(["-q", "-B", "dependency:copy"])
            .arg(format!("-Dartifact={coordinates}"))
            .arg(format!("-DoutputDirectory={}", folder.display()))
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .output()
            .ok()?;
        if !status.status.success() {
            return None;
        }
    }
    jar.exists().then_some(jar)
}
