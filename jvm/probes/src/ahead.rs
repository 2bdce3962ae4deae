//! The runtime of classes that are instrumented ahead of time is in a package of
//! its own. The agent's is loaded by the JVM itself and would be found first, and
//! the two number everything differently.

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction, MemberRef, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, Snippet, rename_classes};

use crate::ProbeError;

const PACKAGE: &[u8] = b"java/reprise/";
const OWN: &[u8] = b"reprise/ahead/";
/// What probes call there.
pub(crate) const PROBE: &str = "reprise/ahead/Probe";

/// A class with probes, as it is put into a jar.
pub fn carried(bytes: &[u8]) -> Result<Vec<u8>, ProbeError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    rename_classes(&mut edited, &|name| {
        let rest = name.strip_prefix(PACKAGE)?;
        Some([OWN, rest].concat())
    })?;
    Ok(edited.finish()?)
}

/// What is told how the program ends.
const EXIT: &str = "reprise/ahead/Exit";

/// Without an agent, nobody is told the exit status: the class as it says with
/// what it asks for the end, and that a main method has thrown. None when it
/// does neither.
pub fn telling_exit(bytes: &[u8]) -> Result<Option<Vec<u8>>, ProbeError> {
    let class = ClassFile::parse(bytes)?;
    let mut edited = ClassEditor::new(&class);
    let mut tells = false;
    let asks = asks_anywhere(&class)?;
    for (index, method) in class.methods.iter().enumerate() {
        let is_main = method.access & access::STATIC != 0
            && class.pool.utf8(method.name)? == "main"
            && class.pool.utf8(method.descriptor)? == "([Ljava/lang/String;)V";
        if !asks && !is_main {
            continue;
        }
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let mut changed = is_main;
        for instruction in editor.instructions().to_vec() {
            let Some(at) = instruction.constant().filter(|_| may_ask(&instruction)) else {
                continue;
            };
            if is_end(&class.pool.member(at)?) {
                let mut code = Snippet::new();
                code.op(opcode::DUP)?;
                code.invoke(Invoke::Static, EXIT, "asks", "(I)V", &mut edited.pool)?;
                editor.before(instruction.offset, code)?;
                changed = true;
            }
        }
        if is_main {
            // Behind the rest: nothing that is there moves.
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, EXIT, "fails", "()V", &mut edited.pool)?;
            code.op(opcode::ATHROW)?;
            editor.catch_all(code)?;
        }
        if changed {
            let code = editor.finish(&mut edited.pool)?;
            edited.set_code(index, code)?;
            tells = true;
        }
    }
    Ok(match tells {
        true => Some(edited.finish()?),
        false => None,
    })
}

fn may_ask(instruction: &Instruction<'_>) -> bool {
    matches!(
        instruction.opcode,
        opcode::INVOKESTATIC | opcode::INVOKEVIRTUAL
    )
}

fn asks_anywhere(class: &ClassFile<'_>) -> Result<bool, ProbeError> {
    for index in class.pool.indexes() {
        if matches!(class.pool.get(index)?, Constant::MethodRef { .. })
            && is_end(&class.pool.member(index)?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a call of this ends the JVM.
fn is_end(member: &MemberRef<'_>) -> bool {
    let of_system = member.class == "java/lang/System" || member.class == "java/lang/Runtime";
    of_system && member.name == "exit" && member.descriptor == "(I)V"
}
