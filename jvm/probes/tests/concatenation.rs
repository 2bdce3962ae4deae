//! Concatenation as compilers wrote it before they converted each argument
//! themselves: no javac of today makes such a class, but jars are full of them.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::dump::dump_method;
use reprise_classfile::flow::walk;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant};
use reprise_classfile::write::{ClassEditor, Snippet, empty_class, write_code};
use reprise_probes::Numbers::InField;
use reprise_probes::catalog::{Catalog, Site};
use reprise_probes::pattern::Patterns;

struct Numbers;

impl Catalog for Numbers {
    fn method(&mut self, _: u16, _: &str, _: &str) -> u32 {
        1
    }

    fn site(&mut self, site: &Site<'_>) -> u32 {
        assert_eq!((site.owner, site.name), ("java/lang/Object", "toString"));
        101
    }
}

/// `static String join(Object o, int i, String s) { return o + i + s; }`
fn class() -> Vec<u8> {
    let empty = empty_class(55, 0x21, "Inside", "java/lang/Object").unwrap();
    let class = ClassFile::parse(&empty).unwrap();
    let mut edited = ClassEditor::new(&class);
    let pool = &mut edited.pool;
    let reference = pool
        .method(
            "java/lang/invoke/StringConcatFactory",
            "makeConcatWithConstants",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;\
             Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/invoke/CallSite;",
        )
        .unwrap();
    let handle = pool
        .add(Constant::MethodHandle { kind: 6, reference })
        .unwrap();
    let recipe = pool.string("\u{1}\u{1}\u{1}").unwrap();
    let object = FieldType::Object(Utf8(b"java/lang/Object"));
    let descriptor = "(Ljava/lang/Object;ILjava/lang/String;)Ljava/lang/String;";
    let mut code = Snippet::new();
    code.load(object, 0).unwrap();
    code.load(FieldType::Int, 1).unwrap();
    code.load(object, 2).unwrap();
    code.invoke_dynamic(0, "makeConcatWithConstants", descriptor, pool)
        .unwrap();
    code.op(opcode::ARETURN).unwrap();
    let code = write_code(3, &code).unwrap();
    edited
        .add_method(0x09, "join", descriptor, Some(code))
        .unwrap();
    let bootstraps: Vec<u8> = [1, handle, 1, recipe]
        .iter()
        .flat_map(|number: &u16| number.to_be_bytes())
        .collect();
    edited
        .set_attribute("BootstrapMethods", bootstraps)
        .unwrap();
    edited.finish().unwrap()
}

#[test]
fn arguments_of_unknown_class_become_strings_first() {
    let patterns = Patterns::parse(["Inside"]).unwrap();
    let bytes = class();
    let class = ClassFile::parse(&bytes).unwrap();
    let probed = reprise_probes::inside(&class, &patterns, &mut Numbers, InField).unwrap();
    assert_eq!(probed.skipped, []);
    let class = ClassFile::parse(&probed.bytes).unwrap();
    let method = &class.methods[0];
    let code = class.code(method).unwrap().unwrap();
    walk(&class, method, &code, |_, _| {}).unwrap();
    let dump = dump_method(&class, method);
    let calls: Vec<&str> = dump
        .lines()
        .filter_map(|line| line.split_once("invoke").map(|(_, call)| call))
        .filter(|call| !call.contains("Probe.argument") && !call.contains("Probe.last"))
        .map(|call| call.split_once(" (").map_or(call, |(call, _)| call))
        .collect();
    assert_eq!(
        calls,
        [
            "static java/reprise/Probe.recorder",
            "static java/reprise/Probe.enter",
            "static java/reprise/Probe.callBare",
            "static java/lang/String.valueOf",
            "static java/reprise/Probe.returned",
            "dynamic dynamic[0 makeConcatWithConstants",
            "static java/reprise/Probe.returns",
            "static java/reprise/Probe.thrown",
        ]
    );
    let strings = "(Ljava/lang/String;ILjava/lang/String;)Ljava/lang/String;";
    assert!(dump.contains(strings), "{dump}");
}
