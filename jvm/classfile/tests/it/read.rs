//! What is wrong with a class file is said with its place and value.

use expect_test::{Expect, expect};
use reprise_classfile::read::{ClassFile, Code, ReadError, StackMapTable};

use crate::assemble::assemble;

fn error(bytes: &[u8]) -> Result<(), ReadError> {
    let class = ClassFile::parse(bytes)?;
    for method in &class.methods {
        class.pool.utf8(method.name)?;
        let code = class.code(method)?.unwrap();
        code.instructions().try_for_each(|i| i.map(drop))?;
        if let Some(table) = class.find(&code.attributes, "StackMapTable") {
            StackMapTable::read(&table)?;
        }
    }
    Ok(())
}

/// Changes a class and checks the message.
fn check(change: impl FnOnce(&mut Vec<u8>), expected: &Expect) {
    let mut bytes = assemble(
        "class A 52
         method static m ()V stack 1 locals 0
         start:
             frame same
             goto start",
    );
    assert_eq!(error(&bytes), Ok(()));
    change(&mut bytes);
    expected.assert_eq(&error(&bytes).unwrap_err().to_string());
}

/// The bytes of the method's code, in the class above.
fn code(bytes: &mut [u8]) -> &mut [u8] {
    let class = ClassFile::parse(bytes).unwrap();
    let Code {
        offset,
        bytes: code,
        ..
    } = class.code(&class.methods[0]).unwrap().unwrap();
    let end = offset + code.len();
    &mut bytes[offset..end]
}

#[test]
fn errors_name_place_and_value() {
    check(
        |b| b[3] = 0xBF,
        &expect!["not a class file: it begins with CAFEBABF"],
    );
    check(
        |b| b[7] = 70,
        &expect!["class file version 70.0 is not between 45.3 and 69"],
    );
    check(
        |b| b[7] = 45,
        &expect!["class file version 45.0 is not between 45.3 and 69"],
    );
    check(
        |b| b[10] = 2,
        &expect!["constant 1 at offset 10 has unknown tag 2"],
    );
    check(
        |b| b.truncate(30),
        &expect!["16 bytes needed at offset 20, 10 left"],
    );
    check(|b| b.push(0), &expect!["unexpected bytes at offset 124: 1"]);
    check(
        |b| code(b)[0] = 0xCB,
        &expect!["no instruction has opcode 0xcb (at 0)"],
    );
    check(
        |b| code(b)[0] = 0xC4,
        &expect!["opcode 0x00 at 0 has no wide form"],
    );
    check(
        |b| code(b)[0] = 0xAA,
        &expect!["3 bytes needed at offset 1, 2 left"],
    );
    // The kind of the only frame; the class has no attributes after it.
    check(
        |b| {
            let at = b.len() - 3;
            b[at] = 200;
        },
        &expect!["stack map frame at offset 121 has reserved kind 200"],
    );
}

#[test]
fn constants_of_the_wrong_kind_are_named() {
    let bytes = assemble("class A 52");
    let class = ClassFile::parse(&bytes).unwrap();
    let messages = [
        class.pool.utf8(0).unwrap_err(),
        class.pool.utf8(99).unwrap_err(),
        class.pool.utf8(class.this_class).unwrap_err(),
        class.pool.class_name(1).unwrap_err(),
        class.pool.member(1).unwrap_err(),
    ];
    let text: Vec<_> = messages.iter().map(ToString::to_string).collect();
    expect![[r#"
        there is no constant 0: the pool has 5
        there is no constant 99: the pool has 5
        constant 2 has tag 7 where a Utf8 is needed
        constant 1 has tag 1 where a Class is needed
        constant 1 has tag 1 where a Fieldref or Methodref is needed"#]]
    .assert_eq(&text.join("\n"));
}

/// Found by the fuzzer: it was read, and written back with a count of 1.
#[test]
fn a_pool_with_a_count_of_0_is_refused() {
    let mut bytes = reprise_classfile::write::empty_class(52, 0x21, "A", "B").unwrap();
    bytes[8..10].fill(0);
    let refused = ClassFile::parse(&bytes);
    let expected = ReadError::EmptyPool { offset: 8 };
    assert_eq!(refused.err(), Some(expected));
}
