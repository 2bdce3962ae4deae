//! One test for each trap that relocation has to avoid. Those of constructors
//! have a file of their own.

use expect_test::expect;
use reprise_classfile::flow::FlowError;
use reprise_classfile::opcode as op;
use reprise_classfile::relocate::{EditError, Landing};
use reprise_classfile::write::{ClassEditor, PoolError, Snippet, SnippetError, WriteError};

use crate::assemble::assemble;
use crate::relocate::{check, edited, nops};
use crate::support::{jvm_accepts, parse};

#[test]
fn uninitialized_names_the_new_and_not_the_probe_before_it() {
    check(
        "class A 52
         method static m (I)V stack 4 locals 1
         new:
             new java/lang/Integer
             dup
             iload_0
             ifeq zero
             iconst_1
             goto join
         zero:
             frame full int | uninitialized@new uninitialized@new
             iconst_0
         join:
             frame full int | uninitialized@new uninitialized@new int
             invokespecial java/lang/Integer.<init> (I)V
             pop
             return",
        |editor, _| {
            let all: Vec<u32> = editor.instructions().iter().map(|i| i.offset).collect();
            all.iter()
                .try_for_each(|offset| editor.before(*offset, nops(1)))
        },
        &expect![[r#"
            method m (I)V flags 0x0009
              code stack 4 locals 1
                    0 nop
                    1 new java/lang/Integer
                    4 nop
                    5 dup
                    6 nop
                    7 iload_0
                    8 nop
                    9 ifeq 18
                   12 nop
                   13 iconst_1
                   14 nop
                   15 goto 20
                   18 frame full int | uninitialized@1 uninitialized@1
                   18 nop
                   19 iconst_0
                   20 frame full int | uninitialized@1 uninitialized@1 int
                   20 nop
                   21 invokespecial java/lang/Integer.<init> (I)V
                   24 nop
                   25 pop
                   26 nop
                   27 return
        "#]],
    );
}

#[test]
fn short_frames_are_widened() {
    // 63 is the last distance that fits, for the first frame and later ones.
    for count in [63, 64, 65] {
        let class = assemble(
            "class A 52
             method static m (I)V stack 1 locals 1
                 iload_0
                 ifeq a
             a:
                 frame same
                 aconst_null
                 goto b
             b:
                 frame same | java/lang/Object
                 pop
                 return",
        );
        let after = edited(&class, |editor, _| {
            editor.before(0, nops(count - 4))?;
            editor.before(5, nops(count - 4))
        })
        .unwrap();
        jvm_accepts(&[("A", &after)]).unwrap();
    }
}

#[test]
fn a_frame_at_offset_zero_moves_with_its_instruction() {
    check(
        "class A 52
         method static m ()V stack 1 locals 0
         start:
             frame same
             iconst_0
             ifeq start
         next:
             frame same
             goto next",
        |editor, _| {
            editor.at_entry(nops(2))?;
            editor.before(4, nops(1))
        },
        &expect![[r#"
            method m ()V flags 0x0009
              code stack 1 locals 0
                    0 nop
                    1 nop
                    2 frame same
                    2 iconst_0
                    3 ifeq 2
                    6 frame same
                    6 nop
                    7 goto 6
        "#]],
    );
}

#[test]
fn switch_padding_follows_the_position() {
    let source = "class A 52
         method static m (I)I stack 1 locals 1
             iload_0
             tableswitch 0 a b else b
         a:
             frame same
             iload_0
             lookupswitch 7:b else a
         b:
             frame same
             iconst_1
             ireturn";
    for count in 0..5 {
        let after = edited(&assemble(source), |editor, _| {
            editor.before(0, nops(count))?;
            editor.before(25, nops(1))
        })
        .unwrap();
        jvm_accepts(&[("A", &after)]).unwrap();
    }
    check(
        source,
        |editor, _| editor.before(0, nops(1)),
        &expect![[r#"
            method m (I)I flags 0x0009
              code stack 1 locals 1
                    0 nop
                    1 iload_0
                    2 tableswitch 0..=1: 24 44 else 44
                   24 frame same
                   24 iload_0
                   25 lookupswitch 7:44 else 24
                   44 frame same
                   44 iconst_1
                   45 ireturn
        "#]],
    );
}

#[test]
fn a_goto_beyond_32_kb_becomes_goto_w() {
    let class = assemble(
        "class A 52
         method static m ()V stack 1 locals 0
             goto end
         start:
             frame same
             repeat 32000 nop
             goto start
         end:
             frame same
             return",
    );
    let after = edited(&class, |editor, _| editor.before(10, nops(1000))).unwrap();
    jvm_accepts(&[("A", &after)]).unwrap();
    let class = parse(&after);
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let jumps: Vec<u8> = code
        .instructions()
        .map(|i| i.unwrap().opcode)
        .filter(|opcode| *opcode != op::NOP)
        .collect();
    assert_eq!(jumps, [op::GOTO_W, op::GOTO_W, op::RETURN]);
}

/// A body with a value of each kind on the stack and in locals when a
/// conditional jump that gets too long is reached.
const FAR_IF: &str = "class A VERSION
     method static m (IJ)Ljava/lang/Object; stack 12 locals 9
         iconst_3
         anewarray java/lang/String
         astore 3
         aload 3
         iconst_0
         aaload
         astore 4
         iconst_1
         newarray 10
         astore 5
         fconst_1
         fstore 6
         dconst_1
         dstore 7
         lload_1
         aload 5
         aconst_null
     new:
         new java/lang/Integer
         dup
         iload_0
         ifeq far
         iconst_1
         invokespecial java/lang/Integer.<init> (I)V
         astore_0
         pop
         pop
         pop2
         aload 4
         repeat 32600 nop
         areturn
     far:
         FRAME
         iconst_2
         invokespecial java/lang/Integer.<init> (I)V
         astore_0
         pop
         pop
         pop2
         aload_0
         areturn";

#[test]
fn an_if_beyond_32_kb_gets_a_goto_w_and_a_frame() {
    let frame = "frame full int long [Ljava/lang/String; java/lang/String [I float double | \
                 long [I null uninitialized@new uninitialized@new";
    let source = FAR_IF.replace("VERSION", "52").replace("FRAME", frame);
    let class = assemble(&source);
    jvm_accepts(&[("A", &class)]).unwrap();
    let after = edited(&class, |editor, _| {
        let near_new = editor.instructions()[20].offset;
        editor.before(near_new, nops(3))?;
        editor.at_entry(nops(1))?;
        editor.before(1000, nops(500))
    })
    .unwrap();
    jvm_accepts(&[("A", &after)]).unwrap();
    let class = parse(&after);
    let text = reprise_classfile::dump::dump_method(&class, &class.methods[0]);
    let text: String = text
        .lines()
        .filter(|line| !line.ends_with(" nop"))
        .map(|line| format!("{line}\n"))
        .collect();
    expect![[r#"
        method m (IJ)Ljava/lang/Object; flags 0x0009
          code stack 12 locals 9
                1 iconst_3
                2 anewarray java/lang/String
                5 astore 3
                7 aload 3
                9 iconst_0
               10 aaload
               11 astore 4
               13 iconst_1
               14 newarray 10
               16 astore 5
               18 fconst_1
               19 fstore 6
               21 dconst_1
               22 dstore 7
               24 lload_1
               25 aload 5
               27 aconst_null
               28 new java/lang/Integer
               31 dup
               32 iload_0
               36 ifne 44
               39 goto_w 33155
               44 frame full int long [Ljava/lang/String; java/lang/String [I float double | long [I null uninitialized@28 uninitialized@28
               44 iconst_1
               45 invokespecial java/lang/Integer.<init> (I)V
               48 astore_0
               49 pop
               50 pop
               51 pop2
               52 aload 4
            33154 areturn
            33155 frame full int long [Ljava/lang/String; java/lang/String [I float double | long [I null uninitialized@28 uninitialized@28
            33155 iconst_2
            33156 invokespecial java/lang/Integer.<init> (I)V
            33159 astore_0
            33160 pop
            33161 pop
            33162 pop2
            33163 aload_0
            33164 areturn
    "#]].assert_eq(&text);
}

#[test]
fn an_if_beyond_32_kb_followed_by_a_frame_reuses_or_precedes_it() {
    for inserted in [0, 2] {
        let class = assemble(
            "class A 52
             method static m (I)V stack 1 locals 2
                 iload_0
                 ifeq end
             next:
                 frame same
                 iload_0
                 istore_1
                 iload_0
                 ifeq more
             more:
                 frame append int
                 iload_0
                 ifeq next
                 repeat 32700 nop
                 goto end
             end:
                 frame chop 1
                 return",
        );
        let after = edited(&class, |editor, _| {
            editor.after(1, nops(inserted))?;
            editor.before(1000, nops(200))
        });
        jvm_accepts(&[("A", &after.unwrap())]).unwrap();
    }
}

#[test]
fn an_if_beyond_32_kb_in_an_old_class_needs_no_frame() {
    let source = FAR_IF.replace("VERSION", "49").replace("FRAME", "nop");
    let after = edited(&assemble(&source), |editor, _| {
        editor.before(1000, nops(500))
    })
    .unwrap();
    jvm_accepts(&[("A", &after)]).unwrap();
}

#[test]
fn a_method_beyond_64_kb_is_an_error_with_its_sizes() {
    let class = assemble(
        "class A 52
         method static m ()V stack 1 locals 0
             repeat 60000 nop
             return",
    );
    let grown = |count| {
        edited(&class, move |editor, _| editor.before(0, nops(count))).map(|bytes| bytes.len())
    };
    assert!(grown(65_535 - 60_001).is_ok());
    assert!(matches!(
        grown(100_000),
        Err(EditError::TooLong { after: 160_001, .. })
    ));
    assert_eq!(
        grown(65_536 - 60_001),
        Err(EditError::TooLong {
            before: 60_001,
            after: 65_536
        })
    );
}

#[test]
fn subroutines_of_old_classes_are_relocated() {
    check(
        "class A 48
         method static m (I)V stack 1 locals 3
             jsr sub
             jsr_w sub
             return
         sub:
             astore_1
             iinc 0 1
             wide iinc 0 300
             ret 1",
        |editor, _| {
            let all: Vec<u32> = editor.instructions().iter().map(|i| i.offset).collect();
            for offset in all {
                editor.before(offset, nops(1))?;
            }
            editor.after(0, nops(2))?;
            let mut handler = Snippet::new();
            handler.op(op::ATHROW)?;
            editor.catch_all(handler)
        },
        &expect![[r#"
            method m (I)V flags 0x0009
              code stack 1 locals 3
                    0 nop
                    1 jsr 14
                    4 nop
                    5 nop
                    6 nop
                    7 jsr_w 14
                   12 nop
                   13 return
                   14 nop
                   15 astore_1
                   16 nop
                   17 iinc 0 1
                   20 nop
                   21 wide iinc 0 300
                   27 nop
                   28 ret 1
                   30 athrow
                catch anything in 0..30 at 30
        "#]],
    );
}

#[test]
fn a_full_constant_pool_is_an_error_with_its_size() {
    let bytes = assemble("class A 52");
    let class = parse(&bytes);
    let mut editor = ClassEditor::new(&class);
    let mut added = 0;
    let error = loop {
        match editor
            .pool
            .add(reprise_classfile::read::Constant::Integer(added))
        {
            Ok(_) => added += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(
        error,
        PoolError::Full {
            entries: 65_534,
            needed: 1
        }
    );
    // What is there can still be used, and the class can still be written.
    assert!(editor.pool.class("A").is_ok());
    let mut snippet = Snippet::new();
    assert_eq!(
        snippet.push_long(7, &mut editor.pool).unwrap_err(),
        SnippetError::Pool(PoolError::Full {
            entries: 65_534,
            needed: 2
        })
    );
    let full = editor.finish().unwrap();
    jvm_accepts(&[("A", &full)]).unwrap();
}

#[test]
fn a_version_50_class_without_frames_falls_back_to_the_old_verifier() {
    // Version 50 may have frames or not; later ones must.
    let class = assemble(
        "class A 50
         method static m (I)V stack 1 locals 1
             iload_0
             ifeq end
             iload_0
             istore_0
         end:
             return",
    );
    let mut handler = Snippet::new();
    handler.op(op::ATHROW).unwrap();
    let after = edited(&class, |editor, _| {
        editor.before(0, nops(1))?;
        editor.catch_all(handler)
    });
    jvm_accepts(&[("A", &class)]).unwrap();
    jvm_accepts(&[("A", &after.unwrap())]).unwrap();
    // The frame behind a jump that is too long cannot be known.
    let error = edited(&class, |editor, _| editor.before(4, nops(33_000)));
    let expected = EditError::NoFrame {
        offset: 1,
        reason: FlowError::NoFrame { offset: 6 },
    };
    assert_eq!(error.unwrap_err(), expected);
}

#[test]
fn a_new_that_a_frame_needs_cannot_be_replaced() {
    let class = assemble(
        "class A 52
         method static m (I)V stack 3 locals 1
         new:
             new java/lang/Object
             iload_0
             ifeq join
         join:
             frame full int | uninitialized@new
             invokespecial java/lang/Object.<init> ()V
             return",
    );
    let replaced = |opcode| {
        edited(&class, move |editor, pool| {
            let mut code = Snippet::new();
            if opcode == op::NEW {
                code.with_class(op::NEW, "java/lang/Object", pool)?;
                code.op(op::NOP)?;
            } else {
                code.op(op::ACONST_NULL)?;
            }
            editor.before(0, nops(1))?;
            editor.replace(0, code)
        })
    };
    assert_eq!(
        replaced(op::ACONST_NULL).unwrap_err(),
        EditError::NewReplaced { offset: 0 }
    );
    jvm_accepts(&[("A", &replaced(op::NEW).unwrap())]).unwrap();
}

#[test]
fn counts_that_do_not_fit_are_errors() {
    let bytes = assemble("class A 52");
    let class = parse(&bytes);
    let mut editor = ClassEditor::new(&class);
    editor.interfaces = vec![1; 65_536];
    assert_eq!(
        editor.finish().unwrap_err(),
        WriteError::TooMany {
            what: "interfaces",
            count: 65_536
        }
    );
}

#[test]
fn code_for_falling_in_cannot_stand_where_nothing_falls_in() {
    let class = assemble(
        "class A 52
         method static m ()V stack 1 locals 0
         start:
             frame same
             goto start
         dead:
             frame same
             return",
    );
    let error = edited(&class, |editor, _| {
        editor.before_with(3, nops(1), Landing::After)
    });
    assert_eq!(error.unwrap_err(), EditError::NoFallThrough { offset: 0 });
}
