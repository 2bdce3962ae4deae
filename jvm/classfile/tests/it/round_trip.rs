//! Editing nothing gives back the same bytes.

use reprise_classfile::read::{
    Attribute, BootstrapMethods, CodeAnnotations, ConstantValue, EnclosingMethod, Exceptions,
    InnerClasses, LineNumberTable, LocalVariableTable, Module, NestHost, NestMembers,
    PermittedSubclasses, Record, Signature, SourceFile, StackMapTable,
};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::ClassEditor;

use crate::support::{each_java_base, parse};

/// Takes a class apart down to the instructions and puts it together again.
pub(crate) fn relocate_nothing(bytes: &[u8]) -> Vec<u8> {
    let class = parse(bytes);
    let mut edited = ClassEditor::new(&class);
    for (index, method) in class.methods.iter().enumerate() {
        if let Some(editor) = Editor::new(&class, method).unwrap() {
            let code = editor.finish(&mut edited.pool).unwrap();
            edited.set_code(index, code).unwrap();
        }
    }
    edited.finish().unwrap()
}

#[test]
fn all_of_java_base_is_byte_identical() {
    each_java_base(|jdk, classes| {
        let start = std::time::Instant::now();
        for (name, bytes) in classes {
            assert!(relocate_nothing(bytes) == *bytes, "{name} differs");
        }
        eprintln!(
            "{}: {} classes in {:?}",
            jdk.display(),
            classes.len(),
            start.elapsed()
        );
    });
}

/// Reads and writes an attribute in its typed form, if it has one.
fn rewritten(name: &str, attribute: &Attribute<'_>) -> Option<Vec<u8>> {
    Some(match name {
        "BootstrapMethods" => BootstrapMethods::read(attribute).unwrap().write().unwrap(),
        "InnerClasses" => InnerClasses::read(attribute).unwrap().write().unwrap(),
        "NestHost" => NestHost::read(attribute).unwrap().write(),
        "NestMembers" => NestMembers::read(attribute).unwrap().write().unwrap(),
        "PermittedSubclasses" => PermittedSubclasses::read(attribute)
            .unwrap()
            .write()
            .unwrap(),
        "Record" => Record::read(attribute).unwrap().write().unwrap(),
        "EnclosingMethod" => EnclosingMethod::read(attribute).unwrap().write(),
        "SourceFile" => SourceFile::read(attribute).unwrap().write(),
        "Signature" => Signature::read(attribute).unwrap().write(),
        "Exceptions" => Exceptions::read(attribute).unwrap().write().unwrap(),
        "ConstantValue" => ConstantValue::read(attribute).unwrap().write(),
        "Module" => Module::read(attribute).unwrap().write().unwrap(),
        "LineNumberTable" => LineNumberTable::read(attribute).unwrap().write().unwrap(),
        "LocalVariableTable" | "LocalVariableTypeTable" => LocalVariableTable::read(attribute)
            .unwrap()
            .write()
            .unwrap(),
        "StackMapTable" => StackMapTable::read(attribute).unwrap().write().unwrap(),
        "CodeTypeAnnotations" => CodeAnnotations::read(attribute).unwrap().write().unwrap(),
        _ => return None,
    })
}

#[test]
fn typed_attributes_are_byte_identical() {
    each_java_base(|_, classes| {
        let mut seen = std::collections::BTreeMap::new();
        for (file, bytes) in classes {
            let class = parse(bytes);
            let mut attributes = class.attributes.clone();
            for member in class.fields.iter().chain(&class.methods) {
                attributes.extend(&member.attributes);
                if let Some(code) = class.code(member).unwrap() {
                    attributes.extend(&code.attributes);
                }
            }
            for attribute in attributes {
                let name = class.pool.utf8(attribute.name).unwrap().to_string();
                if let Some(content) = rewritten(&name, &attribute) {
                    assert!(content == attribute.content, "{name} of {file} differs");
                    *seen.entry(name).or_insert(0) += 1;
                }
            }
        }
        for name in [
            "Module",
            "Record",
            "NestHost",
            "PermittedSubclasses",
            "StackMapTable",
        ] {
            assert!(seen.contains_key(name), "no {name} in {seen:?}");
        }
    });
}
