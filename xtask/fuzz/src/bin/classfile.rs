//! Any bytes as a class file: dumped, and written again with a probe before
//! every instruction. What parses is copied byte for byte when nothing is
//! edited.
#![cfg_attr(fuzzing, no_main)]

use reprise_classfile::{
    dump::dump,
    opcode,
    read::ClassFile,
    relocate::Editor,
    write::{ClassEditor, Snippet},
};

reprise_fuzz::target!(|data| {
    let Ok(class) = ClassFile::parse(data) else {
        return;
    };
    let _ = dump(&class);
    if let Ok(copy) = ClassEditor::new(&class).finish() {
        assert_eq!(copy, data, "nothing was edited");
    }
    let _ = probed(&class);
});

fn probed(class: &ClassFile<'_>) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut edited = ClassEditor::new(class);
    let mut probe = Snippet::new();
    probe.push_int(70_000, &mut edited.pool)?;
    probe.op(opcode::POP)?;
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(class, method)? else {
            continue;
        };
        let offsets: Vec<u32> = editor.instructions().iter().map(|i| i.offset).collect();
        for offset in offsets {
            editor.before(offset, probe.clone())?;
        }
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
    }
    Ok(edited.finish()?)
}
