//! Text for every form of operand, constant and frame.

use expect_test::{Expect, expect};
use reprise_classfile::dump::dump;
use reprise_classfile::read::Constant;
use reprise_classfile::write::{ClassEditor, Snippet, write_code};

use crate::assemble::assemble;
use crate::support::parse;

fn check(bytes: &[u8], expected: &Expect) {
    expected.assert_eq(&dump(&parse(bytes)));
}

#[test]
fn every_form_of_operand() {
    let source = "class A 52
        super B
        method m (IJ)V stack 9 locals 400
            nop
            bipush -7
            sipush 300
            ldc 70000
            iload 9
            wide iload 300
            wide iinc 300 -2
            getstatic A.f I
            invokevirtual A.m ()V
            new A
            newarray 10
        a:
            frame same
            goto a
        b:
            frame full A int long | int uninitialized@b null
            tableswitch -1 a b else c
        c:
            frame append top float double
            lookupswitch -5:a 900:b else c
        d:
            frame chop 2
            jsr_w d
        e:
            frame same | A
            athrow
            catch any a b c
            catch java/lang/Error a b c
            line 3 a
            variable x I 1 a END";
    check(
        &assemble(source),
        &expect![[r#"
        class A version 52.0 flags 0x0021
          extends B
        method m (IJ)V flags 0x0001
          code stack 9 locals 400
                0 nop
                1 bipush -7
                3 sipush 300
                6 ldc 70000
                8 iload 9
               10 wide iload 300
               14 wide iinc 300 -2
               20 getstatic A.f I
               23 invokevirtual A.m ()V
               26 new A
               29 newarray 10
               31 frame same
               31 goto 31
               34 frame full A int long | int uninitialized@34 null
               34 tableswitch -1..=0: 31 34 else 56
               56 frame append top float double
               56 lookupswitch -5:31 900:34 else 56
               84 frame chop 2
               84 jsr_w 84
               89 frame same | A
               89 athrow
            catch anything in 31..34 at 56
            catch java/lang/Error in 31..34 at 56
            line 3 at 31
            variable x I in 1 at 31+59
    "#]],
    );
}

#[test]
fn every_kind_of_constant() {
    let bytes = assemble("class A 55");
    let class = parse(&bytes);
    let mut editor = ClassEditor::new(&class);
    let pool = &mut editor.pool;
    let name_and_type = pool.name_and_type("n", "()I").unwrap();
    let descriptor = pool.utf8("()I").unwrap();
    let reference = pool.interface_method("I", "n", "()I").unwrap();
    let constants = [
        Constant::Float(1.5_f32.to_bits()),
        Constant::MethodType { descriptor },
        Constant::MethodHandle { kind: 9, reference },
        Constant::Dynamic {
            bootstrap: 0,
            name_and_type,
        },
        // A name may hold anything; a reference may lead nowhere.
        Constant::String { text: 999 },
    ];
    let mut body = Snippet::new();
    body.push_string("a\u{1b}[31m\n", pool).unwrap();
    body.push_long(-9, pool).unwrap();
    let double = pool
        .add(Constant::Double(f64::MIN_POSITIVE.to_bits()))
        .unwrap();
    body.push_constant(double, true).unwrap();
    for constant in constants {
        let index = pool.add(constant).unwrap();
        body.push_constant(index, false).unwrap();
    }
    body.invoke_dynamic(0, "call", "(I)J", pool).unwrap();
    let code = write_code(0, &body).unwrap();
    editor.add_method(0x0008, "m", "()V", Some(code)).unwrap();
    check(
        &editor.finish().unwrap(),
        &expect![[r#"
        class A version 55.0 flags 0x0021
          extends java/lang/Object
        method m ()V flags 0x0008
          code stack 11 locals 0
                0 ldc "a\u{1b}[31m\n"
                2 ldc2_w -9L
                5 ldc2_w 2.2250738585072014e-308d
                8 ldc 1.5f
               10 ldc type[()I]
               12 ldc handle[9 I::n ()I]
               14 ldc dynamic[0 n ()I]
               16 ldc "<there is no constant 999: the pool has 29>"
               18 invokedynamic dynamic[0 call (I)J]
    "#]],
    );
}
