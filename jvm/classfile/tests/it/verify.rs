//! Inserted code passes the JVM's own verifier, and programs still work.

use std::fs;
use std::path::Path;
use std::process::Command;

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction};
use reprise_classfile::relocate::{EditError, Editor};
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet, empty_class, write_code};

use crate::support::{each_java_base, parse, run, source};

/// Which instructions get a probe.
type Choice = fn(&Instruction<'_>) -> bool;

fn every(_: &Instruction<'_>) -> bool {
    true
}

fn probe(pool: &mut PoolEditor<'_>) -> Snippet {
    let mut code = Snippet::new();
    code.push_int(40_000, pool).unwrap();
    code.invoke(
        Invoke::Static,
        "java/lang/RepriseProbe",
        "hit",
        "(I)V",
        pool,
    )
    .unwrap();
    code
}

#[derive(Default, Debug)]
struct Figures {
    methods: usize,
    probes: usize,
    too_long: usize,
}

/// Puts a probe before each chosen instruction of each method, at each entry
/// and before each return, and catches what leaves the method.
fn instrument(bytes: &[u8], choice: Choice, figures: &mut Figures) -> Vec<u8> {
    let class = parse(bytes);
    let mut edited = ClassEditor::new(&class);
    for index in 0..class.methods.len() {
        match instrument_method(&class, index, &mut edited, choice, figures) {
            Ok(()) => figures.methods += 1,
            Err(EditError::TooLong { .. }) => figures.too_long += 1,
            Err(error) => panic!("{}: {error}", class.name().unwrap()),
        }
    }
    edited.finish().unwrap()
}

fn instrument_method<'c>(
    class: &'c ClassFile<'c>,
    index: usize,
    edited: &mut ClassEditor<'c>,
    choice: Choice,
    figures: &mut Figures,
) -> Result<(), EditError> {
    let method = &class.methods[index];
    let Some(mut editor) = Editor::new(class, method)? else {
        return Ok(());
    };
    let name = class.pool.utf8(method.name)?;
    // An empty finalizer must stay one, and Object is every class's super.
    if name == "finalize" || class.name()? == "java/lang/Object" {
        return Ok(());
    }
    let probe = probe(&mut edited.pool);
    let chosen: Vec<u32> = editor
        .instructions()
        .iter()
        .filter(|i| choice(i))
        .map(|i| i.offset)
        .collect();
    figures.probes += chosen.len();
    for offset in chosen {
        editor.before(offset, probe.clone())?;
    }
    let mut rethrow = probe.clone();
    rethrow.op(opcode::ATHROW)?;
    match editor.catch_all(rethrow) {
        // A constructor that always throws has nothing after super().
        Ok(()) | Err(EditError::Constructor(_)) => {}
        Err(error) => return Err(error),
    }
    editor.before_returns(&probe)?;
    editor.at_entry(probe)?;
    let code = editor.finish(&mut edited.pool)?;
    edited.set_code(index, code)?;
    Ok(())
}

/// The class that probes call.
fn probe_class() -> Vec<u8> {
    let bytes = empty_class(52, 0x0021, "java/lang/RepriseProbe", "java/lang/Object").unwrap();
    let class = parse(&bytes);
    let mut edited = ClassEditor::new(&class);
    let mut body = Snippet::new();
    body.op(opcode::RETURN).unwrap();
    let code = write_code(1, &body).unwrap();
    edited
        .add_method(0x0009, "hit", "(I)V", Some(code))
        .unwrap();
    edited.finish().unwrap()
}

fn write_class(folder: &Path, name: &str, bytes: &[u8]) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

/// Instruments java.base, starts the JVM on it with all verification on, and
/// links every class.
fn verify_java_base(choice: Choice) {
    each_java_base(|jdk, classes| {
        let folder = tempfile::tempdir().unwrap();
        let mut figures = Figures::default();
        let mut names = String::new();
        let start = std::time::Instant::now();
        for (name, bytes) in classes {
            if name.ends_with("module-info.class") {
                continue;
            }
            let edited = instrument(bytes, choice, &mut figures);
            write_class(folder.path(), name, &edited);
            names += &name.trim_end_matches(".class").replace('/', ".");
            names.push('\n');
        }
        write_class(
            folder.path(),
            "java/lang/RepriseProbe.class",
            &probe_class(),
        );
        let list = folder.path().join("names");
        fs::write(&list, names).unwrap();
        let rewritten = start.elapsed();
        run(Command::new(jdk.join("bin/javac"))
            .arg("-d")
            .arg(folder.path().join("link"))
            .arg(source("Link.java")));
        let text = run(Command::new(jdk.join("bin/java"))
            .arg("-Xverify:all")
            .arg(format!(
                "--patch-module=java.base={}",
                folder.path().display()
            ))
            .arg("-cp")
            .arg(folder.path().join("link"))
            .arg("Link")
            .arg(&list));
        eprintln!(
            "{}: {figures:?}, rewritten in {rewritten:?}, with the JVM {:?}\n{}",
            jdk.display(),
            start.elapsed(),
            text.lines().last().unwrap_or_default()
        );
        assert!(text.contains(" failed 0"), "{text}");
    });
}

#[test]
fn java_base_with_a_probe_before_every_instruction() {
    verify_java_base(every);
}
