//! Accesses to fields and to elements of arrays, where they are recorded.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, Member, MemberRef, access};
use reprise_classfile::relocate::Editor;

use super::{Body, Scope};
use crate::TurnError;
use crate::around::above_array;

impl<'c> Body<'c, '_> {
    /// The field of an instruction, if its accesses are recorded.
    pub(super) fn shared(
        &self,
        instruction: &Instruction<'_>,
    ) -> Result<Option<MemberRef<'c>>, TurnError> {
        let Some(index) = instruction.constant() else {
            return Ok(None);
        };
        let member = self.class.pool.member(index)?;
        let begins = self.name == "<init>" && instruction.opcode == opcode::PUTFIELD;
        if begins || self.name == "<clinit>" || member.class.0.starts_with(b"java/") {
            return Ok(None);
        }
        let pool = &self.class.pool;
        let own = member.class == self.class.name()?;
        for field in &self.class.fields {
            if own && pool.utf8(field.name)? == member.name {
                let volatile = self.is_handled(field);
                let plain = self.scope == Scope::All && field.access & access::FINAL == 0;
                return Ok((volatile || plain).then_some(member));
            }
        }
        let (name, descriptor) = (member.name.to_str_lossy(), member.descriptor.to_str_lossy());
        let recorded = self.scope == Scope::All || self.facts.is_volatile(&name, &descriptor);
        Ok(recorded.then_some(member))
    }

    pub(super) fn field(
        &mut self,
        editor: &mut Editor<'c>,
        instruction: &Instruction<'_>,
        member: &MemberRef<'_>,
        site: u32,
    ) -> Result<(), TurnError> {
        let ty = FieldType::parse(member.descriptor)?;
        let is_static = matches!(instruction.opcode, opcode::GETSTATIC | opcode::PUTSTATIC);
        let writes = instruction.opcode == opcode::PUTFIELD;
        let key = member.name.0.iter().fold(17_i32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(i32::from(*byte))
        });
        let name = match instruction.opcode {
            opcode::PUTFIELD | opcode::PUTSTATIC => "writes",
            _ => "reads",
        };
        let above = [ty];
        let above = if writes { &above[..] } else { &[] };
        // What is volatile may also be used through a handle that says the object alone.
        let key = match !is_static && self.is_volatile(member)? {
            true => 0,
            false => key & 0xffff,
        };
        let code = self.told(editor, above, !is_static, name, Some(key), site)?;
        editor.before(instruction.offset, code)?;
        self.after(editor, instruction.offset, "accessed")
    }

    fn is_volatile(&self, member: &MemberRef<'_>) -> Result<bool, TurnError> {
        let pool = &self.class.pool;
        if member.class == self.class.name()? {
            for field in &self.class.fields {
                if pool.utf8(field.name)? == member.name {
                    return Ok(self.is_handled(field));
                }
            }
        }
        let (name, descriptor) = (member.name.to_str_lossy(), member.descriptor.to_str_lossy());
        Ok(self.facts.is_volatile(&name, &descriptor))
    }

    /// Whether threads share a field of the class on purpose: it is volatile, or is used through
    /// a handle, as volatile or not, and plainly beside that.
    fn is_handled(&self, field: &Member<'_>) -> bool {
        field.access & access::VOLATILE != 0
            || field.access & access::FINAL == 0 && self.handled_fields.contains(&field.name)
    }

    pub(super) fn element(
        &mut self,
        editor: &mut Editor<'c>,
        instruction: &Instruction<'_>,
        site: u32,
    ) -> Result<(), TurnError> {
        let (above, writes) = above_array(instruction);
        let name = if writes { "writes" } else { "reads" };
        let code = self.told(editor, &above, true, name, Some(0), site)?;
        editor.before(instruction.offset, code)?;
        self.after(editor, instruction.offset, "accessed")
    }
}
