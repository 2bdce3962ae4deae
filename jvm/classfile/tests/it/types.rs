//! What the JVM's verifier refuses is refused here, and nothing else is.

use reprise_classfile::flow::{FlowError, verify};
use reprise_classfile::read::ClassFile;

use crate::assemble::assemble;
use crate::support::{each_java_base, jvm_accepts, parse};

/// The first version whose verifier has no other to fall back on.
const STRICT: u16 = 51;

fn checked(class: &ClassFile<'_>) -> Result<(), FlowError> {
    for method in &class.methods {
        if let Some(code) = class.code(method).unwrap() {
            verify(class, method, &code)?;
        }
    }
    Ok(())
}

#[test]
fn all_of_java_base_passes() {
    each_java_base(|jdk, classes| {
        let start = std::time::Instant::now();
        for (name, bytes) in classes {
            let class = parse(bytes);
            if class.major >= STRICT {
                let passed = checked(&class);
                assert_eq!(passed, Ok(()), "{name} of {}", jdk.display());
            }
        }
        eprintln!("{}: {:?}", jdk.display(), start.elapsed());
    });
}

/// Methods that the JVM refuses, each for a reason of its own.
const REFUSED: &[&str] = &[
    // An int is returned as a reference, and the other way round.
    "method static m ()Ljava/lang/Object; stack 1 locals 0\niconst_0\nareturn",
    "method static m ()I stack 1 locals 0\naconst_null\nireturn",
    "method static m ()V stack 1 locals 0\niconst_0\nireturn",
    // A local of another type, or none at all.
    "method static m (J)I stack 1 locals 2\niload_0\nireturn",
    "method static m ()I stack 1 locals 1\niload_0\nireturn",
    "method static m (F)V stack 1 locals 1\niinc 0 1\nreturn",
    // Too deep, too high.
    "method static m ()V stack 1 locals 0\nlconst_0\npop2\nreturn",
    "method static m ()V stack 1 locals 0\niconst_0\nistore_0\nreturn",
    // Over the end.
    "method static m ()V stack 1 locals 0\nnop",
    // Paths that do not fit.
    "method static m (I)V stack 2 locals 1\niload_0\niload_0\nifeq out\npop\nout:\nframe same\nreturn",
    "method static m (I)V stack 1 locals 2\niload_0\nifeq out\nfconst_0\nfstore_1\nout:\nframe append int\nreturn",
    // A handler for which a local is not always there.
    "method static m ()V stack 1 locals 1\nstart:\nnop\niconst_0\nistore_0\nend:\nreturn\nframe full int | java/lang/Throwable\nhandler:\npop\nreturn\ncatch any start end handler",
    // Code that nothing leads to, without a frame.
    "method static m ()V stack 1 locals 0\nreturn\nreturn",
    // An object that is not born.
    "method static m ()Ljava/lang/Object; stack 1 locals 0\nnew java/lang/Object\nareturn",
];

#[test]
fn what_the_jvm_refuses_is_refused() {
    let mut classes = Vec::new();
    for (at, method) in REFUSED.iter().enumerate() {
        let name = format!("A{at}");
        let bytes = assemble(&format!("class {name} 52\n{method}\n"));
        assert!(checked(&parse(&bytes)).is_err(), "{method}");
        classes.push((name, bytes));
    }
    let all = classes.iter().map(|(name, bytes)| (&**name, &**bytes));
    let text = jvm_accepts(&all.collect::<Vec<_>>()).unwrap_err();
    for (at, method) in REFUSED.iter().enumerate() {
        assert!(
            text.contains(&format!("FAILED A{at}: ")),
            "{method}: {text}"
        );
    }
}

#[test]
fn a_method_with_many_handlers_is_over_soon() {
    let mut source = "class A 52\nmethod static m ()V stack 1 locals 1\nstart:\n".to_owned();
    source += "repeat 60000 nop\nend:\nreturn\nhandler:\n";
    source += "frame full | java/lang/Throwable\npop\nreturn\n";
    for _ in 0..20_000 {
        source += "catch any start end handler\n";
    }
    let bytes = assemble(&source);
    assert_eq!(checked(&parse(&bytes)), Err(FlowError::TooComplex));
}
