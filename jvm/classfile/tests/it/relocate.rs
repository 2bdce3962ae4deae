//! Insertions, replacements and handlers on the smallest bodies.

use expect_test::{Expect, expect};
use reprise_classfile::descriptor::FieldType;
use reprise_classfile::dump::dump_method;
use reprise_classfile::opcode as op;
use reprise_classfile::relocate::{EditError, Editor, Landing};
use reprise_classfile::write::{ClassEditor, PoolEditor, Snippet};

use crate::assemble::assemble;
use crate::support::{jvm_accepts, parse, thorough};

/// `nop`, some number of times.
pub(crate) fn nops(count: usize) -> Snippet {
    Snippet::from_bytes(&vec![op::NOP; count], 0, 0).unwrap()
}

/// Edits the last method of a class and returns the class.
pub(crate) fn edited(
    class: &[u8],
    edit: impl FnOnce(&mut Editor<'_>, &mut PoolEditor<'_>) -> Result<(), EditError>,
) -> Result<Vec<u8>, EditError> {
    let class = parse(class);
    let mut out = ClassEditor::new(&class);
    let last = class.methods.len() - 1;
    let mut editor = Editor::new(&class, &class.methods[last])?.unwrap();
    edit(&mut editor, &mut out.pool)?;
    let code = editor.finish(&mut out.pool)?;
    out.set_code(last, code)?;
    Ok(out.finish()?)
}

/// Edits the last method of `source`; the result must look as expected and
/// pass the verifier.
pub(crate) fn check(
    source: &str,
    edit: impl FnOnce(&mut Editor<'_>, &mut PoolEditor<'_>) -> Result<(), EditError>,
    expected: &Expect,
) {
    let before = assemble(source);
    let after = edited(&before, edit).unwrap();
    let class = parse(&after);
    expected.assert_eq(&dump_method(&class, class.methods.last().unwrap()));
    let name = class.name().unwrap().to_string();
    if thorough() {
        jvm_accepts(&[(&name, &before)]).expect("the class was not right to begin with");
    }
    jvm_accepts(&[(&name, &after)]).unwrap();
}

/// Edits the last method of `source`, which must fail as expected.
fn check_error(
    source: &str,
    edit: impl FnOnce(&mut Editor<'_>, &mut PoolEditor<'_>) -> Result<(), EditError>,
    expected: &Expect,
) {
    let error = edited(&assemble(source), edit).unwrap_err();
    expected.assert_eq(&error.to_string());
}

const LOOP: &str = "
    class A 52
    method static m (I)I stack 2 locals 1
    start:
        frame same
        iinc 0 -1
        iload_0
        ifne start
        iload_0
    end:
        ireturn
        line 1 start
        line 2 end
        variable i I 0 start END
";

#[test]
fn insertion_where_jumps_land() {
    check(
        LOOP,
        |editor, _| editor.before(0, nops(1)),
        &expect![[r#"
        method m (I)I flags 0x0009
          code stack 2 locals 1
                0 frame same
                0 nop
                1 iinc 0 -1
                4 iload_0
                5 ifne 0
                8 iload_0
                9 ireturn
            line 1 at 0
            line 2 at 9
            variable i I in 0 at 0+10
    "#]],
    );
}

#[test]
fn insertion_that_jumps_skip() {
    check(
        LOOP,
        |editor, _| editor.before_with(0, nops(1), Landing::After),
        &expect![[r#"
            method m (I)I flags 0x0009
              code stack 2 locals 1
                    0 nop
                    1 frame same
                    1 iinc 0 -1
                    4 iload_0
                    5 ifne 1
                    8 iload_0
                    9 ireturn
                line 1 at 0
                line 2 at 9
                variable i I in 0 at 0+10
        "#]],
    );
}

#[test]
fn all_kinds_at_one_instruction_stand_in_order() {
    check(
        LOOP,
        |editor, pool| {
            let push = |value, pool: &mut PoolEditor<'_>| {
                let mut code = Snippet::new();
                code.push_int(value, pool)?.op(op::POP)?;
                Ok::<_, EditError>(code)
            };
            editor.before(7, push(4, pool)?)?;
            editor.before_with(7, push(3, pool)?, Landing::After)?;
            editor.after(4, push(1, pool)?)?;
            editor.after(4, push(2, pool)?)?;
            editor.before(7, push(5, pool)?)?;
            editor.at_entry(push(-1, pool)?)
        },
        &expect![[r#"
            method m (I)I flags 0x0009
              code stack 3 locals 1
                    0 iconst_m1
                    1 pop
                    2 frame same
                    2 iinc 0 -1
                    5 iload_0
                    6 ifne 2
                    9 iconst_1
                   10 pop
                   11 iconst_2
                   12 pop
                   13 iconst_3
                   14 pop
                   15 iconst_4
                   16 pop
                   17 iconst_5
                   18 pop
                   19 iload_0
                   20 ireturn
                line 1 at 0
                line 2 at 20
                variable i I in 0 at 0+21
        "#]],
    );
}

#[test]
fn handler_around_a_method() {
    check(
        LOOP,
        |editor, _| {
            let mut handler = nops(1);
            handler.op(op::ATHROW)?;
            editor.catch_all(handler)
        },
        &expect![[r#"
            method m (I)I flags 0x0009
              code stack 2 locals 1
                    0 frame same
                    0 iinc 0 -1
                    3 iload_0
                    4 ifne 0
                    7 iload_0
                    8 ireturn
                    9 frame full | java/lang/Throwable
                    9 nop
                   10 athrow
                catch anything in 0..9 at 9
                line 1 at 0
                line 2 at 8
                variable i I in 0 at 0+9
        "#]],
    );
}

#[test]
fn left_at_once_or_not() {
    let edit = |editor: &mut Editor<'_>, with_entry: bool| {
        let mut test = Snippet::new();
        test.load(FieldType::Int, 0)?;
        let mut early = Snippet::new();
        early.load(FieldType::Int, 0)?.op(op::IRETURN)?;
        if with_entry {
            editor.at_entry(nops(1))?;
        }
        editor.leave_early(&test, &early)
    };
    // The loop begins where the method goes on, and has a frame there.
    check(
        LOOP,
        |editor, _| edit(editor, false),
        &expect![[r#"
        method m (I)I flags 0x0009
          code stack 3 locals 1
                0 iload_0
                1 ifeq 6
                4 iload_0
                5 ireturn
                6 frame same
                6 iinc 0 -1
                9 iload_0
               10 ifne 6
               13 iload_0
               14 ireturn
            line 1 at 0
            line 2 at 14
            variable i I in 0 at 0+15
    "#]],
    );
    check(
        LOOP,
        |editor, _| edit(editor, true),
        &expect![[r#"
        method m (I)I flags 0x0009
          code stack 3 locals 1
                0 iload_0
                1 ifeq 6
                4 iload_0
                5 ireturn
                6 frame same
                6 nop
                7 frame same
                7 iinc 0 -1
               10 iload_0
               11 ifne 7
               14 iload_0
               15 ireturn
            line 1 at 0
            line 2 at 15
            variable i I in 0 at 0+16
    "#]],
    );
}

#[test]
fn handler_for_one_class_behind_those_that_are_there() {
    check(
        "class A 52
         method static m ()I stack 1 locals 0
         start:
             iconst_1
             ireturn
         handler:
             frame full | java/lang/Error
             pop
             iconst_2
             ireturn
             catch java/lang/Error start handler handler",
        |editor, _| {
            let mut handler = Snippet::new();
            handler.op(op::POP)?.op(op::ICONST_3)?.op(op::IRETURN)?;
            editor.before(0, nops(2))?;
            editor.catch(0, 2, Some("java/lang/RuntimeException"), handler)
        },
        &expect![[r#"
            method m ()I flags 0x0009
              code stack 1 locals 0
                    0 nop
                    1 nop
                    2 iconst_1
                    3 ireturn
                    4 frame full | java/lang/Error
                    4 pop
                    5 iconst_2
                    6 ireturn
                    7 frame full | java/lang/RuntimeException
                    7 pop
                    8 iconst_3
                    9 ireturn
                catch java/lang/Error in 0..4 at 4
                catch java/lang/RuntimeException in 0..4 at 7
        "#]],
    );
}

#[test]
fn a_held_local_is_in_every_frame() {
    check(
        "class A 52
         method static m (IJ)V stack 1 locals 3
             iload_0
             ifeq end
             iload_0
             ifeq end
         end:
             frame same
             return",
        |editor, pool| {
            let mut value = Snippet::new();
            value.push_string("held", pool)?;
            let text = FieldType::Object(reprise_classfile::mutf8::Utf8(b"java/lang/String"));
            let slot = editor.hold(text, value)?;
            let mut one = Snippet::new();
            one.push_long(1, pool)?;
            let count = editor.hold(FieldType::Long, one)?;
            let mut use_it = Snippet::new();
            use_it.load(text, slot)?.op(op::POP)?;
            use_it.load(FieldType::Long, count)?.op(op::POP2)?;
            editor.before_returns(&use_it)?;
            let mut handler = Snippet::new();
            handler.load(text, slot)?.op(op::POP)?.op(op::ATHROW)?;
            editor.catch_all(handler)
        },
        &expect![[r#"
            method m (IJ)V flags 0x0009
              code stack 3 locals 6
                    0 ldc "held"
                    2 astore_3
                    3 lconst_1
                    4 lstore 4
                    6 iload_0
                    7 ifeq 14
                   10 iload_0
                   11 ifeq 14
                   14 frame full int long java/lang/String long |
                   14 aload_3
                   15 pop
                   16 lload 4
                   18 pop2
                   19 return
                   20 frame full top top top java/lang/String long | java/lang/Throwable
                   20 aload_3
                   21 pop
                   22 athrow
                catch anything in 6..20 at 20
        "#]],
    );
}

#[test]
fn replacement() {
    check(
        LOOP,
        |editor, pool| {
            let mut code = Snippet::new();
            code.push_int(100_000, pool)?.op(op::IADD)?;
            let mut push = Snippet::new();
            push.load(FieldType::Int, 0)?;
            editor.replace(3, push)?;
            editor.after(7, code)
        },
        &expect![[r#"
            method m (I)I flags 0x0009
              code stack 3 locals 1
                    0 frame same
                    0 iinc 0 -1
                    3 iload_0
                    4 ifne 0
                    7 iload_0
                    8 ldc 100000
                   10 iadd
                   11 ireturn
                line 1 at 0
                line 2 at 11
                variable i I in 0 at 0+12
        "#]],
    );
}

#[test]
fn a_range_ends_before_what_is_inserted_after_its_last_instruction() {
    // The store makes slot 0 a float; the handler's frame says it is an int.
    check(
        "class A 52
         method static m (I)V stack 1 locals 1
             fconst_0
         start:
             fstore_0
         end:
             return
         handler:
             frame same | java/lang/Throwable
             pop
             return
             catch any start end handler",
        |editor, _| editor.after(1, nops(3)),
        &expect![[r#"
            method m (I)V flags 0x0009
              code stack 1 locals 1
                    0 fconst_0
                    1 fstore_0
                    2 nop
                    3 nop
                    4 nop
                    5 return
                    6 frame same | java/lang/Throwable
                    6 pop
                    7 return
                catch anything in 1..2 at 6
        "#]],
    );
}

#[test]
fn a_range_of_which_nothing_is_left_is_an_error() {
    check_error(
        "class A 52
         method static m ()V stack 1 locals 0
             nop
         start:
             nop
         end:
             return
         handler:
             frame same | java/lang/Throwable
             athrow
             catch any start end handler",
        |editor, _| editor.replace(1, Snippet::new()),
        &expect!["the exception range from 1 to 1 is empty"],
    );
}

#[test]
fn what_cannot_be_edited_says_why() {
    let ending = || {
        let mut code = Snippet::new();
        code.op(op::ACONST_NULL).unwrap().op(op::ATHROW).unwrap();
        code
    };
    check_error(
        LOOP,
        |e, _| e.before(1, nops(1)),
        &expect!["no instruction begins at 1"],
    );
    check_error(
        LOOP,
        |e, _| e.after(8, nops(1)),
        &expect!["control does not go on after the instruction at 8"],
    );
    check_error(
        LOOP,
        |e, _| e.before(0, ending()),
        &expect!["the code inserted at 0 does not go on to what follows"],
    );
    check_error(
        LOOP,
        |e, _| e.replace(8, nops(1)),
        &expect!["the code inserted at 8 has to end with a return or athrow"],
    );
    check_error(
        LOOP,
        |e, _| e.replace(0, ending()),
        &expect!["the code inserted at 0 does not go on to what follows"],
    );
    check_error(
        LOOP,
        |e, _| e.catch_all(nops(1)),
        &expect!["the code inserted at 9 has to end with a return or athrow"],
    );
    check_error(
        LOOP,
        |e, _| {
            e.replace(3, nops(1))?;
            e.replace(3, nops(2))
        },
        &expect!["the instruction at 3 is replaced twice"],
    );
    check_error(
        LOOP,
        |e, _| e.catch(3, 3, None, ending()),
        &expect!["the exception range from 3 to 3 is empty"],
    );
    check_error(
        LOOP,
        |e, _| (0..65_535).try_for_each(|_| e.new_local(FieldType::Int).map(drop)),
        &expect!["the method needs 65536 local slots; 65535 are allowed"],
    );
}
