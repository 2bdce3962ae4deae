//! Code around a bytecode that uses an object: a call that is told the object before it.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::Instruction;
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::Snippet;

use crate::TurnError;

/// Any object.
pub(crate) const OBJECT: FieldType<'static> = FieldType::Object(Utf8(b"java/lang/Object"));

/// The locals of a method in which values wait that lie above the object.
#[derive(Default)]
pub(crate) struct Around {
    locals: Vec<u16>,
}

impl Around {
    /// Code that takes these values from the stack, repeats the object below them (or null,
    /// if there is none), does what `tell` says with that, and puts the values back.
    pub(crate) fn before(
        &mut self,
        editor: &mut Editor<'_>,
        above: &[FieldType<'_>],
        has_object: bool,
        tell: impl FnOnce(&mut Snippet) -> Result<(), TurnError>,
    ) -> Result<Snippet, TurnError> {
        let slots = self.slots(editor, above)?;
        let mut code = Snippet::new();
        for (ty, slot) in above.iter().zip(&slots).rev() {
            code.store(*ty, *slot)?;
        }
        code.op(match has_object {
            true => opcode::DUP,
            false => opcode::ACONST_NULL,
        })?;
        tell(&mut code)?;
        for (ty, slot) in above.iter().zip(&slots) {
            code.load(*ty, *slot)?;
        }
        Ok(code)
    }

    fn slots(
        &mut self,
        editor: &mut Editor<'_>,
        types: &[FieldType<'_>],
    ) -> Result<Vec<u16>, TurnError> {
        let mut slots = Vec::with_capacity(types.len());
        let mut used = 0;
        for ty in types {
            let needed = usize::from(ty.slots());
            while self.locals.len() < used + needed {
                // One after another, so two neighbours hold a long.
                self.locals.push(editor.new_local(FieldType::Int)?);
            }
            slots.extend(self.locals.get(used));
            used += needed;
        }
        Ok(slots)
    }
}

/// What lies above the array where its elements are read or written, and whether they are
/// written.
pub(crate) fn above_array(instruction: &Instruction<'_>) -> (Vec<FieldType<'static>>, bool) {
    let writes = instruction.opcode >= opcode::IASTORE;
    let base = match writes {
        true => opcode::IASTORE,
        false => opcode::IALOAD,
    };
    let ty = match instruction.opcode - base {
        1 => FieldType::Long,
        2 => FieldType::Float,
        3 => FieldType::Double,
        4 => OBJECT,
        _ => FieldType::Int,
    };
    match writes {
        true => (vec![FieldType::Int, ty], true),
        false => (vec![FieldType::Int], false),
    }
}
