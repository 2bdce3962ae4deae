//! Any bytes give a result or an error, and random edits keep the program.

use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use reprise_classfile::dump::dump;
use reprise_classfile::flow::{initialized_from, walk};
use reprise_classfile::opcode as op;
use reprise_classfile::read::{
    BootstrapMethods, ClassFile, Code, ExceptionEntry, Instruction, LineNumberTable,
    LocalVariableTable, Module, Record, StackMapTable,
};
use reprise_classfile::relocate::{Editor, Landing};
use reprise_classfile::write::{ClassEditor, Snippet, rename_classes};

use crate::relocate::nops;
use crate::support::{classes_of, jdks, parse, skipped, thorough};

/// Does everything the crate can do with a class, and ignores the errors.
fn exercise(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let _ = dump(&class).len();
    for attribute in &class.attributes {
        let _ = Module::read(attribute);
        let _ = Record::read(attribute);
        let _ = BootstrapMethods::read(attribute);
    }
    let mut edited = ClassEditor::new(&class);
    for (index, method) in class.methods.iter().enumerate() {
        let Ok(Some(mut editor)) = Editor::new(&class, method) else {
            continue;
        };
        let _ = initialized_from(&class, method, editor.code());
        let _ = walk(&class, method, editor.code(), |_, _| {});
        let all: Vec<_> = editor.instructions().iter().map(|i| i.offset).collect();
        for offset in all {
            let _ = editor.before(offset, nops(30));
        }
        let mut handler = Snippet::new();
        let _ = handler.op(op::ATHROW);
        let _ = editor.catch_all(handler);
        if let Ok(code) = editor.finish(&mut edited.pool) {
            let _ = edited.set_code(index, code);
        }
    }
    let _ = rename_classes(&mut edited, &|name| {
        (name.len() > 9).then(|| name.repeat(2))
    });
    if let Ok(bytes) = edited.finish() {
        assert!(ClassFile::parse(&bytes).is_ok());
    }
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases: if thorough() { cases * 50 } else { cases },
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn random_bytes_never_panic() {
    let any = prop::collection::vec(any::<u8>(), 0..600);
    let head = [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52];
    runner(2_000)
        .run(&any, |bytes| {
            exercise(&bytes);
            exercise(&[&head, bytes.as_slice()].concat());
            Ok(())
        })
        .unwrap();
}

/// Real classes of moderate size, from all over java.base.
fn samples() -> Vec<Vec<u8>> {
    let Some(jdk) = jdks().pop() else {
        skipped("no JDK to take classes from");
        return Vec::new();
    };
    classes_of(&jdk, "java.base")
        .into_iter()
        .step_by(31)
        .map(|(_, bytes)| bytes)
        .filter(|bytes| bytes.len() < 12_000)
        .collect()
}

#[test]
fn damaged_classes_never_panic() {
    let samples = samples();
    if samples.is_empty() {
        return;
    }
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6);
    let strategy = (
        any::<prop::sample::Index>(),
        damage,
        any::<bool>(),
        any::<bool>(),
    );
    runner(1_500)
        .run(&strategy, |(which, damage, bits, in_code)| {
            let mut bytes = which.get(&samples).clone();
            let places = match in_code {
                true => code_bytes(&bytes),
                false => (0..bytes.len()).collect(),
            };
            for (at, value) in damage {
                let at = *at.get(&places);
                match bits {
                    true => bytes[at] ^= 1 << (value & 7),
                    false => bytes[at] = value,
                }
            }
            exercise(&bytes);
            Ok(())
        })
        .unwrap();
}

/// Where the method bodies of a class are, or the whole class if it has none.
fn code_bytes(bytes: &[u8]) -> Vec<usize> {
    let class = parse(bytes);
    let bodies = class
        .methods
        .iter()
        .filter_map(|method| class.find(&method.attributes, "Code"));
    let places: Vec<_> = bodies
        .flat_map(|body| body.offset..body.offset + body.content.len())
        .collect();
    match places.is_empty() {
        true => (0..bytes.len()).collect(),
        false => places,
    }
}

#[test]
fn truncated_classes_never_panic() {
    for bytes in samples().iter().filter(|bytes| bytes.len() < 1_500) {
        for length in 0..bytes.len() {
            assert!(ClassFile::parse(&bytes[..length]).is_err());
        }
    }
}

/// Runs the tests above again with little memory: what is allocated must
/// follow the size of the input and not what the input claims.
#[test]
fn hostile_classes_take_little_memory() {
    // The child is to find the classes ready: a JVM does not fit.
    if samples().is_empty() {
        return;
    }
    // 200 MB of address space: about what the classes of a JDK and the test
    // harness itself take.
    let status = Command::new("sh")
        .arg("-c")
        .arg("ulimit -v 200000; exec \"$0\" property::random_bytes property::damaged")
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&status.stdout);
    assert!(status.status.success(), "{text}");
    assert!(text.contains("2 passed"), "{text}");
}

/// How many `nop`s go where: gap, label, after.
type Plan = Vec<[usize; 3]>;

/// Where the parts of an edited body are, found by counting and not by asking
/// the editor.
struct Found {
    gap: Vec<u32>,
    label: Vec<u32>,
    pos: Vec<u32>,
    end: Vec<u32>,
}

/// Walks old and new code side by side; `None` at the first difference.
fn compare(old: &Code<'_>, new: &Code<'_>, plan: &Plan) -> Option<Found> {
    let before: Vec<Instruction<'_>> = old.instructions().map(Result::unwrap).collect();
    let mut after = new.instructions().map(Result::unwrap).peekable();
    let mut found = Found {
        gap: Vec::new(),
        label: Vec::new(),
        pos: Vec::new(),
        end: Vec::new(),
    };
    let mut jumps = Vec::new();
    for (instruction, [gap, label, behind]) in before.iter().zip(plan) {
        let skip = |after: &mut std::iter::Peekable<_>, count: usize| {
            (0..count).all(|_| {
                after
                    .next()
                    .is_some_and(|i: Instruction<'_>| i.opcode == op::NOP)
            })
        };
        found.gap.push(after.peek()?.offset);
        skip(&mut after, *gap).then_some(())?;
        found.label.push(after.peek()?.offset);
        skip(&mut after, *label).then_some(())?;
        let copy = after.next()?;
        found.pos.push(copy.offset);
        let mut targets = Vec::new();
        let mut end = copy.end();
        let is_if = matches!(
            instruction.opcode,
            op::IFEQ..=op::IF_ACMPNE | op::IFNULL | op::IFNONNULL
        );
        if is_if && copy.opcode != instruction.opcode {
            let far = after.next_if(|i| i.opcode == op::GOTO_W)?;
            end = far.end();
            far.each_target(|target| targets.push(target));
        } else {
            let same = copy.opcode == instruction.opcode
                || (instruction.opcode, copy.opcode) == (op::GOTO, op::GOTO_W);
            same.then_some(())?;
            copy.each_target(|target| targets.push(target));
            if targets.is_empty() {
                (copy.operands == instruction.operands).then_some(())?;
            }
        }
        let mut old_targets = Vec::new();
        instruction.each_target(|target| old_targets.push(target));
        jumps.push((old_targets, targets));
        found.end.push(end);
        skip(&mut after, *behind).then_some(())?;
    }
    after.next().is_none().then_some(())?;
    let end = u32::try_from(new.bytes.len()).unwrap();
    found.gap.push(end);
    let index = |offset: i64| before.iter().position(|i| i64::from(i.offset) == offset);
    for (old, new) in jumps {
        for (old, new) in old.iter().zip(&new) {
            (i64::from(found.label[index(*old)?]) == *new).then_some(())?;
        }
        (old.len() == new.len()).then_some(())?;
    }
    Some(found)
}

#[test]
fn random_insertions_keep_the_instructions_and_all_tables() {
    let samples = samples();
    if samples.is_empty() {
        return;
    }
    let counts = prop::collection::vec([0..4_usize, 0..4_usize, 0..4_usize], 1..200);
    let strategy = (any::<prop::sample::Index>(), counts, any::<bool>());
    runner(250)
        .run(&strategy, |(which, counts, sparse)| {
            let bytes = which.get(&samples);
            let class = parse(bytes);
            for method in &class.methods {
                insert_and_compare(&class, method, &counts, sparse);
            }
            Ok(())
        })
        .unwrap();
}

fn insert_and_compare(
    class: &ClassFile<'_>,
    method: &reprise_classfile::read::Member<'_>,
    counts: &[[usize; 3]],
    sparse: bool,
) {
    let mut edited = ClassEditor::new(class);
    let Some(mut editor) = Editor::new(class, method).unwrap() else {
        return;
    };
    let old: Vec<_> = editor.instructions().to_vec();
    let mut plan = Plan::new();
    let mut falls_in = true;
    for (instruction, count) in old.iter().zip(counts.iter().cycle()) {
        let [mut gap, label, mut behind] = *count;
        if sparse && instruction.offset % 5 != 0 {
            plan.push([0; 3]);
            falls_in = op::falls_through(instruction.opcode);
            continue;
        }
        gap = if falls_in { gap } else { 0 };
        falls_in = op::falls_through(instruction.opcode);
        behind = if falls_in { behind } else { 0 };
        let at = instruction.offset;
        editor
            .after(at, nops(behind))
            .map_or_else(|_| assert_eq!(behind, 0), drop);
        editor.before(at, nops(label)).unwrap();
        if gap > 0 {
            editor.before_with(at, nops(gap), Landing::After).unwrap();
        }
        plan.push([gap, label, behind]);
    }
    let content = editor.finish(&mut edited.pool).unwrap();
    let new = Code::read(&reprise_classfile::read::Attribute {
        name: 0,
        offset: 0,
        content: &content,
    })
    .unwrap();
    let code = editor.code();
    let found = compare(code, &new, &plan).expect("the instructions differ");
    let index = |offset: u32| {
        old.iter()
            .position(|i| i.offset == offset)
            .unwrap_or(old.len())
    };
    for (old, new) in code.exceptions.iter().zip(&new.exceptions) {
        let expected = ExceptionEntry {
            start: u16::try_from(found.label[index(old.start.into())]).unwrap(),
            end: u16::try_from(found.end[index(old.end.into()) - 1]).unwrap(),
            handler: u16::try_from(found.label[index(old.handler.into())]).unwrap(),
            catch_type: old.catch_type,
        };
        assert_eq!(*new, expected);
    }
    let both = |name| {
        class
            .find(&code.attributes, name)
            .zip(class.find(&new.attributes, name))
    };
    if let Some((old, new)) = both("LineNumberTable") {
        let old = LineNumberTable::read(&old).unwrap().0;
        let new = LineNumberTable::read(&new).unwrap().0;
        for (old, new) in old.iter().zip(&new) {
            assert_eq!(u32::from(new.start), found.gap[index(old.start.into())]);
        }
    }
    if let Some((old, new)) = both("LocalVariableTable") {
        let old = LocalVariableTable::read(&old).unwrap().0;
        let new = LocalVariableTable::read(&new).unwrap().0;
        for (old, new) in old.iter().zip(&new) {
            let end = u32::from(old.start) + u32::from(old.length);
            assert_eq!(u32::from(new.start), found.gap[index(old.start.into())]);
            let new_end = u32::from(new.start) + u32::from(new.length);
            assert_eq!(new_end, found.gap[index(end)]);
        }
    }
    if let Some((old, new)) = both("StackMapTable") {
        let old = StackMapTable::read(&old).unwrap().0;
        let new = StackMapTable::read(&new).unwrap().0;
        assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(&new) {
            assert_eq!(new.offset, found.label[index(old.offset)]);
        }
    }
}
