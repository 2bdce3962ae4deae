//! Classes made to take long or to nest deeply. Each must be over soon.

use std::fmt::Write;
use std::time::{Duration, Instant};

use reprise_classfile::dump::dump;
use reprise_classfile::flow::{FlowError, Initialized, initialized_from, walk};
use reprise_classfile::read::{Attribute, CodeAnnotations, Constant, ReadError};
use reprise_classfile::write::{ClassEditor, rename_classes};

use crate::assemble::assemble;
use crate::relocate::{edited, nops};
use crate::support::{jvm_accepts, parse};

/// Runs `work`, which must not take noticeable time.
fn soon<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(30), "took {taken:?}");
    result
}

fn initialized(bytes: &[u8]) -> Initialized {
    let class = parse(bytes);
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    initialized_from(&class, &class.methods[0], &code)
}

#[test]
fn a_constructor_with_many_handlers_and_paths() {
    let mut source = "class A 49\nmethod <init> (I)V stack 4 locals 60000\nstart:\n".to_owned();
    for i in 0..3_000 {
        // Each jump brings one more local to the merge.
        let _ = writeln!(
            source,
            "l{i}:\niload_1\nwide istore {}\niload_1\nifeq l{}",
            i + 5,
            i / 2
        );
    }
    source += "end:\ngoto start\nhandler:\npop\ngoto start\n";
    for _ in 0..20_000 {
        source += "catch any start end handler\n";
    }
    let bytes = assemble(&source);
    let found = soon(|| initialized(&bytes));
    assert_eq!(found, Initialized::Undecidable(FlowError::TooComplex));
}

#[test]
fn a_method_whose_frames_only_grow() {
    let mut source = "class A 52\nmethod <init> (I)V stack 4 locals 65535\n".to_owned();
    for _ in 0..20_000 {
        source += "nop\nframe append int int int\n";
    }
    source += "nop\n";
    let bytes = assemble(&source);
    let class = parse(&bytes);
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let result = soon(|| walk(&class, &class.methods[0], &code, |_, _| {}));
    assert_eq!(result, Err(FlowError::TooComplex));
}

#[test]
fn jumps_that_widen_one_after_the_other() {
    // The last goto only just reaches its target; each one before it has two
    // bytes more to spare, which the widening of the next one takes away.
    let count = 6_000;
    let mut source = "class A 48\nmethod static m ()V stack 1 locals 0\n".to_owned();
    for i in 0..count {
        let _ = writeln!(source, "goto t{}", count - 1 - i);
    }
    for at in 3..32_768 {
        if (32_767 - at) % 5 == 0 && (32_767 - at) / 5 < count {
            let _ = writeln!(source, "t{}:", (32_767 - at) / 5);
        }
        source += "nop\n";
    }
    source += "return\n";
    let bytes = assemble(&source);
    let after = soon(|| edited(&bytes, |editor, _| editor.before(3 * 6_000, nops(1))));
    jvm_accepts(&[("A", &after.unwrap())]).unwrap();
}

#[test]
fn long_names_at_every_instruction() {
    let name = "n".repeat(60_000);
    let source =
        format!("class A 52\nmethod static m ()V stack 1 locals 0\nrepeat 5000 new {name}\nreturn");
    let bytes = assemble(&source);
    let text = soon(|| dump(&parse(&bytes)));
    assert!(text.len() < 5_000_000, "{} bytes", text.len());
}

#[test]
fn many_classes_to_rename() {
    let bytes = assemble("class A 52");
    let class = parse(&bytes);
    let mut editor = ClassEditor::new(&class);
    for i in 0..10_000 {
        editor.pool.class(&format!("C{i}")).unwrap();
    }
    let bytes = editor.finish().unwrap();
    let class = parse(&bytes);
    let mut editor = ClassEditor::new(&class);
    soon(|| rename_classes(&mut editor, &|name| Some([name, b"x"].concat()))).unwrap();
    assert!(matches!(
        editor.pool.get(editor.this_class),
        Ok(Constant::Class { .. })
    ));
}

#[test]
fn annotations_that_nest_without_end() {
    // One annotation at a `new` whose value is an array of arrays of arrays.
    let mut content = vec![0, 1, 0x44, 0, 0, 0, 0, 1, 0, 1, 0, 1];
    for _ in 0..100_000 {
        content.extend([b'[', 0, 1]);
    }
    let attribute = Attribute {
        name: 1,
        offset: 0,
        content: &content,
    };
    let error = soon(|| CodeAnnotations::read(&attribute)).unwrap_err();
    assert!(
        matches!(error, ReadError::NestedTooDeeply { .. }),
        "{error}"
    );
}
