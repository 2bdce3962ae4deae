//! What javac writes, after an edit.

use std::fs;
use std::path::Path;

use expect_test::expect;
use reprise_classfile::dump::dump;
use reprise_classfile::opcode as op;
use reprise_classfile::read::{ClassFile, CodeAnnotations, CodeTarget, Instruction, Member};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, rename_classes};

use crate::relocate::nops;
use crate::support::{compile, java, jdks, jvm_accepts, parse, skipped, source};
use crate::verify::blown_up;

/// `Annotated` with debug information, or nothing without a JDK.
fn annotated() -> Option<Vec<(String, Vec<u8>)>> {
    let java = fs::read_to_string(source("Annotated.java")).unwrap();
    let classes = compile("Annotated", &java, &["-g", "--release", "11"]);
    if classes.is_none() {
        skipped("no JDK to compile the test class");
    }
    classes
}

fn with_nops(bytes: &[u8]) -> Vec<u8> {
    let class = parse(bytes);
    let mut edited = ClassEditor::new(&class);
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method).unwrap() else {
            continue;
        };
        let all: Vec<_> = editor.instructions().iter().map(|i| i.offset).collect();
        for offset in all {
            editor.before(offset, nops(1)).unwrap();
        }
        let code = editor.finish(&mut edited.pool).unwrap();
        edited.set_code(index, code).unwrap();
    }
    edited.finish().unwrap()
}

/// What each type annotation of a method points at.
fn annotated_things(class: &ClassFile<'_>, method: &Member<'_>) -> Vec<String> {
    let code = class.code(method).unwrap().unwrap();
    let attribute = class.find(&code.attributes, "RuntimeVisibleTypeAnnotations");
    let table = CodeAnnotations::read(&attribute.unwrap()).unwrap();
    let instructions: Vec<Instruction<'_>> = code.instructions().map(Result::unwrap).collect();
    let at = |offset: u16| {
        let found = instructions.iter().find(|i| i.offset == u32::from(offset));
        op::name(found.expect("an instruction").opcode).unwrap()
    };
    let rows = table.0.iter().map(|row| match &row.target {
        CodeTarget::Locals(ranges) => {
            // How many instructions, other than inserted ones, are in range.
            let counts = ranges.iter().map(|range| {
                let end = u32::from(range.start) + u32::from(range.length);
                let inside = |i: &&Instruction<'_>| {
                    (u32::from(range.start)..end).contains(&i.offset) && i.opcode != op::NOP
                };
                format!(
                    "{}x{}",
                    range.slot,
                    instructions.iter().filter(inside).count()
                )
            });
            format!("{:#x} {}", row.tag, counts.collect::<Vec<_>>().join(" "))
        }
        CodeTarget::Catch(index) => format!("{:#x} catch {index}", row.tag),
        CodeTarget::Instruction(offset) => format!("{:#x} {}", row.tag, at(*offset)),
        CodeTarget::Argument(offset, n) => format!("{:#x} {} {n}", row.tag, at(*offset)),
    });
    rows.collect()
}

#[test]
fn type_annotations_on_code_follow_what_they_annotate() {
    let Some(classes) = annotated() else { return };
    let (_, bytes) = classes
        .iter()
        .find(|(n, _)| n == "Annotated.class")
        .unwrap();
    let class = parse(bytes);
    let after = with_nops(bytes);
    let after = parse(&after);
    let code = class.method("code", "(Ljava/lang/Object;I)I").unwrap();
    let before = annotated_things(&class, &class.methods[code]);
    expect![[r#"
        0x44 new
        0x44 new
        0x43 instanceof
        0x47 checkcast 0
        0x45 invokedynamic
        0x46 invokedynamic
        0x49 invokestatic 0
        0x40 2x103
        0x41 3x84
        0x42 catch 6"#]]
    .assert_eq(&before.join("\n"));
    assert_eq!(before, annotated_things(&after, &after.methods[code]));
}

/// What a program prints before and after, with each JDK. It may fail.
fn outputs(
    classes: &[(String, Vec<u8>)],
    main: &str,
    edit: fn(&[u8]) -> Vec<u8>,
) -> Vec<[String; 2]> {
    let plain = tempfile::tempdir().unwrap();
    let edited = tempfile::tempdir().unwrap();
    for (name, bytes) in classes {
        fs::write(plain.path().join(name), bytes).unwrap();
        fs::write(edited.path().join(name), edit(bytes)).unwrap();
    }
    let output = |jdk: &Path, folder: &Path| {
        let output = java(jdk).arg("-cp").arg(folder).arg(main).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    jdks()
        .iter()
        .map(|jdk| [output(jdk, plain.path()), output(jdk, edited.path())])
        .collect()
}

#[test]
fn an_edited_program_prints_the_same() {
    let Some(classes) = annotated() else { return };
    for edit in [with_nops, |bytes: &[u8]| blown_up(bytes).0] {
        for [plain, edited] in outputs(&classes, "Annotated", edit) {
            assert!(plain.ends_with(" 5\n"), "{plain}");
            assert_eq!(plain, edited);
        }
    }
}

#[test]
fn line_numbers_of_a_stack_trace_stay() {
    let java = "class Thrower {
        static int divide(int a) {
            int b = 7;
            return b
                / a;
        }
        public static void main(String[] args) {
            System.out.println(divide(1));
            divide(0);
        }
    }";
    let Some(classes) = compile("Thrower", java, &["-g"]) else {
        return skipped("no JDK to compile the test class");
    };
    for [plain, edited] in outputs(&classes, "Thrower", with_nops) {
        assert!(plain.contains("at Thrower.main(Thrower.java:9)"), "{plain}");
        assert_eq!(plain, edited);
    }
}

#[test]
fn classes_can_be_renamed() {
    let java = "class Old<L extends Old> {
        Old other; Old[][] many;
        <T extends Old> Old make(Old a, java.util.List<Old> b) {
            Object o = new Old[3][4];
            java.util.function.Supplier<Old> s = Old::new;
            return o instanceof Old ? (Old) o : s.get().make(a, b);
        }
    }";
    let Some(classes) = compile("Old", java, &["--release", "11"]) else {
        return skipped("no JDK to compile the test class");
    };
    let class = parse(&classes[0].1);
    let mut edited = ClassEditor::new(&class);
    rename_classes(&mut edited, &|name| {
        (name == b"Old").then(|| b"much/Newer".to_vec())
    })
    .unwrap();
    let renamed = edited.finish().unwrap();
    let text = dump(&parse(&renamed));
    // Only the name of the source file is left.
    let left: Vec<_> = text.lines().filter(|line| line.contains("Old")).collect();
    assert_eq!(left, ["  SourceFile Old.java"], "{text}");
    assert!(text.contains("class much/Newer version 55.0"), "{text}");
}

#[test]
fn members_attributes_and_interfaces_can_be_changed() {
    let java = "class Plain { int a; void m() {} static void gone() {} }";
    let Some(classes) = compile("Plain", java, &["--release", "11"]) else {
        return skipped("no JDK to compile the test class");
    };
    let class = parse(&classes[0].1);
    let mut edited = ClassEditor::new(&class);
    edited.access |= 0x0001;
    edited.add_interface("java/io/Serializable").unwrap();
    edited.add_interface("java/io/Serializable").unwrap();
    let id = edited.add_field(0x0082, "id", "J").unwrap();
    let pool = &mut edited.pool;
    edited.fields[id]
        .set_attribute(pool, "Synthetic", Vec::new())
        .unwrap();
    let gone = class.method("gone", "()V").unwrap();
    edited.methods.remove(gone);
    edited.remove_attribute("SourceFile");
    let bytes = edited.finish().unwrap();
    expect![[r#"
        class Plain version 55.0 flags 0x0021
          extends java/lang/Object
          implements java/io/Serializable
        field a I flags 0x0000
        field id J flags 0x0082
          Synthetic (0 bytes)
        method <init> ()V flags 0x0000
          code stack 1 locals 1
                0 aload_0
                1 invokespecial java/lang/Object.<init> ()V
                4 return
            line 1 at 0
        method m ()V flags 0x0000
          code stack 0 locals 1
                0 return
            line 1 at 0
    "#]]
    .assert_eq(&dump(&parse(&bytes)));
    jvm_accepts(&[("Plain", &bytes)]).unwrap();
}
