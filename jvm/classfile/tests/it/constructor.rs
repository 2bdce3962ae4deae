//! Where `this` becomes usable, in code that javac does and does not write.

use reprise_classfile::flow::{FlowError, Initialized, initialized_from};
use reprise_classfile::opcode as op;
use reprise_classfile::read::ClassFile;
use reprise_classfile::relocate::EditError;
use reprise_classfile::write::Snippet;

use crate::assemble::assemble;
use crate::relocate::edited;
use crate::support::{jdks, jvm_accepts};

fn initialized(source: &str) -> Initialized {
    let bytes = assemble(source);
    let class = ClassFile::parse(&bytes).unwrap();
    let method = class.methods.last().unwrap();
    let code = class.code(method).unwrap().unwrap();
    initialized_from(&class, method, &code)
}

#[test]
fn super_is_found_in_code_javac_does_not_write() {
    for version in ["class A 49", "class A 52"] {
        // Copies of `this` on the stack and in another local; another
        // constructor's call first, on an object of the superclass's type.
        let source = "
            method <init> ()V stack 4 locals 3
                new java/lang/Object
                dup
                invokespecial java/lang/Object.<init> ()V
                astore_1
                aload_0
                dup
                astore_2
                aload_1
                swap
                astore_0
                pop
                aload_2
                invokespecial java/lang/Object.<init> ()V
                nop
                return";
        let source = format!("{version}{source}");
        let found = initialized(&source);
        let expected = Initialized::From {
            offset: 19,
            calls: vec![16],
        };
        assert_eq!(found, expected, "{version}");
        let mut handler = Snippet::new();
        handler.op(op::ATHROW).unwrap();
        let after = edited(&assemble(&source), |editor, _| {
            // There are no frames to say so in the older one.
            assert_eq!(
                editor.catch_unborn(handler.clone())?,
                version.ends_with("52")
            );
            editor.catch_all(handler)
        });
        jvm_accepts(&[("A", &after.unwrap())]).unwrap();
    }
}

#[test]
fn what_is_thrown_on_the_way_to_super_can_be_caught() {
    let source = "class A 52
        method <init> ()V stack 4 locals 1
            iconst_0
            newarray 10
            arraylength
            pop
            aload_0
            invokespecial java/lang/Object.<init> ()V
            return";
    let mut handler = Snippet::new();
    handler.op(op::ATHROW).unwrap();
    let after = edited(&assemble(source), |editor, _| {
        assert!(editor.catch_unborn(handler.clone())?);
        editor.catch_all(handler)
    });
    jvm_accepts(&[("A", &after.unwrap())]).unwrap();
}

#[test]
fn super_on_two_paths_is_initialised_behind_both() {
    let body = "
        method <init> (I)V stack 2 locals 2
            iload_1
            ifeq other
            aload_0
            invokespecial java/lang/Object.<init> ()V
            goto join
        other:
            FRAME1
            aload_0
            invokespecial java/lang/Object.<init> ()V
        join:
            FRAME2
            return";
    let new = body
        .replace("FRAME1", "frame same")
        .replace("FRAME2", "frame full A int |");
    let old = body.replace("FRAME1", "").replace("FRAME2", "");
    for source in [format!("class A 52{new}"), format!("class A 48{old}")] {
        jvm_accepts(&[("A", &assemble(&source))]).unwrap();
        assert_eq!(
            initialized(&source),
            Initialized::From {
                offset: 15,
                calls: vec![5, 12]
            }
        );
    }
}

#[test]
fn subroutines_behind_super_do_not_matter() {
    // What old javacs made of try-finally in a constructor.
    let source = "class A 48
        method <init> ()V stack 2 locals 3
            aload_0
            invokespecial java/lang/Object.<init> ()V
        start:
            jsr sub
            return
        handler:
            astore_1
            jsr sub
            aload_1
            athrow
        sub:
            astore_2
            ret 2
            catch any start handler handler";
    let expected = Initialized::From {
        offset: 4,
        calls: vec![1],
    };
    assert_eq!(initialized(source), expected);
    let mut handler = Snippet::new();
    handler.op(op::ATHROW).unwrap();
    let after = edited(&assemble(source), |editor, _| editor.catch_all(handler));
    jvm_accepts(&[("A", &after.unwrap())]).unwrap();
}

#[test]
fn where_super_cannot_be_found_the_answer_says_so() {
    let subroutine = "class A 48
        method <init> ()V stack 2 locals 2
            jsr sub
            return
        sub:
            astore_1
            aload_0
            invokespecial java/lang/Object.<init> ()V
            ret 1";
    assert_eq!(
        initialized(subroutine),
        Initialized::Undecidable(FlowError::Subroutine { offset: 0 })
    );
    let endless = "class A 52
        method <init> ()V stack 2 locals 2
        start:
            frame same
            goto start";
    assert_eq!(initialized(endless), Initialized::Never);
    let error = edited(&assemble(endless), |editor, _| {
        let mut handler = Snippet::new();
        handler.op(op::ATHROW)?;
        editor.catch_all(handler)
    });
    assert_eq!(
        error.unwrap_err(),
        EditError::Constructor(Initialized::Never)
    );
}

#[test]
fn a_handler_across_super_does_not_verify_and_is_refused() {
    let plain = "class A 52
         method <init> ()V stack 1 locals 1
         start:
             aload_0
             invokespecial java/lang/Object.<init> ()V
         end:
             return";
    let wrapped = format!(
        "{plain}
         handler:
             frame full | java/lang/Throwable
             athrow
             catch any start end handler"
    );
    if !jdks().is_empty() {
        assert!(jvm_accepts(&[("A", &assemble(&wrapped))]).is_err());
    }
    let caught = |start| {
        edited(&assemble(plain), |editor, _| {
            let mut handler = Snippet::new();
            handler.op(op::ATHROW)?;
            editor.catch(start, 5, None, handler)
        })
    };
    let expected = Initialized::From {
        offset: 4,
        calls: vec![1],
    };
    assert_eq!(caught(0).unwrap_err(), EditError::Constructor(expected));
    jvm_accepts(&[("A", &caught(4).unwrap())]).unwrap();
}

/// Some compilers leave out of frames what nobody reads any more, `this` as well.
#[test]
fn inserted_code_can_read_a_this_that_frames_leave_out() {
    let source = |before: &str, frames: [&str; 2]| {
        let [at_end, behind] = frames;
        format!(
            "class A 52
            method <init> (I)V stack 2 locals 2
                iload_1
                {before}
                aload_0
                invokespecial java/lang/Object.<init> ()V
                iload_1
                ifeq end
                nop
            end:
                frame {at_end}
                iconst_0
                ifne behind
                nop
            behind:
                frame {behind}
                return"
        )
    };
    let read = |editor: &mut reprise_classfile::relocate::Editor<'_>| {
        let mut code = Snippet::new();
        code.op(op::ALOAD_0)?.op(op::POP)?;
        editor.before_returns(&code)
    };
    for frames in [
        ["full |", "same"],
        ["full A int |", "full |"],
        ["full top int |", "chop 1"],
    ] {
        let class = assemble(&source("pop", frames));
        let without = edited(&class, |editor, _| read(editor)).unwrap();
        jvm_accepts(&[("A", &without)]).unwrap_err();
        let with = edited(&class, |editor, _| {
            editor.keep_this();
            read(editor)
        });
        jvm_accepts(&[("A", &with.unwrap())]).unwrap();
    }
    // Who comes there without super() has none.
    let class = assemble(&source("ifeq behind", ["full |", "full |"]).replace(
        "                return",
        "                aconst_null\n                athrow",
    ));
    let with = edited(&class, |editor, _| {
        editor.keep_this();
        Ok(())
    });
    assert_eq!(with.unwrap(), class);
}
