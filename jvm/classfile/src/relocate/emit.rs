//! The new code and the attribute around it.

use super::layout::Layout;
use super::{EditError, Editor, Place};
use crate::opcode;
use crate::read::{ExceptionEntry, Instruction, Operands, padding};
use crate::write::{CodeParts, PoolEditor, Snippet};

impl<'c> Editor<'c> {
    pub(super) fn emit(
        &self,
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Vec<u8>, EditError> {
        let bytes = self.emit_code(layout)?;
        let exceptions = self.emit_exceptions(layout, pool)?;
        let attributes = self.emit_attributes(layout, pool)?;
        let content = CodeParts {
            max_stack: self.max_stack(layout)?,
            max_locals: self.new_max_locals()?,
            bytes: &bytes,
            exceptions: &exceptions,
            attributes: &attributes,
        }
        .write()?;
        Ok(content)
    }

    fn emit_code(&self, layout: &Layout<'_>) -> Result<Vec<u8>, EditError> {
        let mut out = Vec::with_capacity(layout.length as usize);
        let mut insertions = layout.insertions.iter().peekable();
        for (at, instruction) in self.instructions.iter().enumerate() {
            while let Some(insertion) =
                insertions.next_if(|i| i.at == at && i.place != Place::After)
            {
                out.extend_from_slice(insertion.code.bytes());
            }
            match self.replacements.get(&at) {
                Some(code) => out.extend_from_slice(code.bytes()),
                None => self.emit_instruction(&mut out, at, instruction, layout)?,
            }
            while let Some(insertion) = insertions.next_if(|i| i.at == at) {
                out.extend_from_slice(insertion.code.bytes());
            }
        }
        for handler in &self.handlers {
            out.extend_from_slice(handler.code.bytes());
        }
        Ok(out)
    }

    fn emit_instruction(
        &self,
        out: &mut Vec<u8>,
        at: usize,
        instruction: &Instruction<'c>,
        layout: &Layout<'_>,
    ) -> Result<(), EditError> {
        let pos = layout.point(at).pos;
        let distance = |target: i64, from: u32| -> Result<i32, EditError> {
            let offset = instruction.offset;
            let bad = EditError::BadTarget { offset, target };
            let target = self.target_index(target).ok_or(bad)?;
            // Both are below 65,536.
            let label = layout.point(target).label.cast_signed();
            Ok(label.saturating_sub(from.cast_signed()))
        };
        match instruction.operands {
            Operands::Target(target) => {
                let short = distance(target, pos)?;
                match instruction.opcode {
                    opcode::GOTO_W | opcode::JSR_W => {
                        out.push(instruction.opcode);
                        out.extend_from_slice(&short.to_be_bytes());
                    }
                    opcode::GOTO | opcode::JSR if layout.is_wide(at) => {
                        out.push(match instruction.opcode {
                            opcode::GOTO => opcode::GOTO_W,
                            _ => opcode::JSR_W,
                        });
                        out.extend_from_slice(&short.to_be_bytes());
                    }
                    opcode if layout.is_wide(at) => {
                        out.push(opcode::inverted(opcode).unwrap_or(opcode));
                        out.extend_from_slice(&8_i16.to_be_bytes());
                        out.push(opcode::GOTO_W);
                        let from = pos.saturating_add(3);
                        out.extend_from_slice(&distance(target, from)?.to_be_bytes());
                    }
                    opcode => {
                        out.push(opcode);
                        // The layout has made sure that it fits.
                        let [_, _, high, low] = short.to_be_bytes();
                        out.extend_from_slice(&[high, low]);
                    }
                }
            }
            Operands::TableSwitch(switch) => {
                self.emit_padding(out, instruction, pos);
                out.extend_from_slice(&distance(switch.default, pos)?.to_be_bytes());
                out.extend_from_slice(&switch.low.to_be_bytes());
                out.extend_from_slice(&switch.high.to_be_bytes());
                for target in switch.targets() {
                    out.extend_from_slice(&distance(target, pos)?.to_be_bytes());
                }
            }
            Operands::LookupSwitch(switch) => {
                self.emit_padding(out, instruction, pos);
                out.extend_from_slice(&distance(switch.default, pos)?.to_be_bytes());
                let count = i32::try_from(switch.pairs().count()).unwrap_or(i32::MAX);
                out.extend_from_slice(&count.to_be_bytes());
                for (key, target) in switch.pairs() {
                    out.extend_from_slice(&key.to_be_bytes());
                    out.extend_from_slice(&distance(target, pos)?.to_be_bytes());
                }
            }
            _ => {
                let start = instruction.offset as usize;
                let bytes = self.code.bytes.get(start..instruction.end() as usize);
                out.extend_from_slice(bytes.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// The opcode of a switch and its padding: what was there if it still
    /// fits, else zeros, which newer JVMs insist on.
    fn emit_padding(&self, out: &mut Vec<u8>, instruction: &Instruction<'c>, pos: u32) {
        out.push(instruction.opcode);
        let new = padding(pos);
        if padding(instruction.offset) == new {
            let start = (instruction.offset as usize).saturating_add(1);
            let old = self.code.bytes.get(start..start.saturating_add(new));
            out.extend_from_slice(old.unwrap_or_default());
        } else {
            out.resize(out.len().saturating_add(new), 0);
        }
    }

    fn emit_exceptions(
        &self,
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Vec<ExceptionEntry>, EditError> {
        let boundary = |offset: u16| {
            self.boundary(offset.into()).ok_or(EditError::BadOffset {
                table: "the exception table",
                offset: offset.into(),
            })
        };
        let mut rows = Vec::with_capacity(self.code.exceptions.len());
        for row in &self.code.exceptions {
            let start = layout.point(boundary(row.start)?).label;
            let end = range_end(layout, boundary(row.end)?);
            // Replacements may have left nothing of it, which the JVM rejects.
            if start >= end && row.start < row.end {
                return Err(EditError::EmptyRange { start, end });
            }
            rows.push(ExceptionEntry {
                start: short(start),
                end: short(end),
                handler: short(layout.point(boundary(row.handler)?).label),
                catch_type: row.catch_type,
            });
        }
        for (handler, offset) in self.handlers.iter().zip(&layout.handlers) {
            rows.push(ExceptionEntry {
                start: short(layout.point(handler.start).label),
                end: short(range_end(layout, handler.end)),
                handler: short(*offset),
                catch_type: match &handler.catches {
                    Some(class) => pool.class(class)?,
                    None => 0,
                },
            });
        }
        Ok(rows)
    }

    /// What was needed, and on top of it what the inserted code needs. Code
    /// that is not stack-neutral lifts what follows it at the same instruction.
    fn max_stack(&self, layout: &Layout<'_>) -> Result<u16, EditError> {
        let mut most: i64 = 0;
        let mut insertions = layout.insertions.iter().peekable();
        while let Some(first) = insertions.peek() {
            let at = first.at;
            let mut lifted: i64 = 0;
            let mut add = |code: &Snippet| {
                most = most.max(lifted.saturating_add(code.max_stack().into()));
                lifted = lifted.saturating_add(code.depth()).max(0);
            };
            while let Some(insertion) =
                insertions.next_if(|i| i.at == at && i.place != Place::After)
            {
                add(&insertion.code);
            }
            if let Some(code) = self.replacements.get(&at) {
                add(code);
            }
            while let Some(insertion) = insertions.next_if(|i| i.at == at) {
                add(&insertion.code);
            }
        }
        for code in self.replacements.values() {
            most = most.max(code.max_stack().into());
        }
        let mut needed = u32::from(self.code.max_stack)
            .saturating_add(u32::try_from(most).unwrap_or(u32::MAX))
            .saturating_add(self.reserved_stack.into());
        for handler in &self.handlers {
            needed = needed.max(u32::from(handler.code.max_stack()).saturating_add(1));
        }
        u16::try_from(needed).map_err(|_| EditError::StackTooDeep { needed })
    }

    fn new_max_locals(&self) -> Result<u16, EditError> {
        let snippets = self
            .insertions
            .iter()
            .map(|insertion| &insertion.code)
            .chain(self.replacements.values())
            .chain(self.handlers.iter().map(|handler| &handler.code));
        let needed = snippets
            .map(|code| code.max_locals().into())
            .fold(self.max_locals, u32::max);
        u16::try_from(needed).map_err(|_| EditError::TooManyLocals { needed })
    }
}

/// The end of the instruction before a boundary.
fn range_end(layout: &Layout<'_>, boundary: usize) -> u32 {
    boundary
        .checked_sub(1)
        .map_or(0, |before| layout.point(before).end)
}

/// The layout has made sure that no offset exceeds 65,535.
pub(super) fn short(offset: u32) -> u16 {
    u16::try_from(offset).unwrap_or(u16::MAX)
}
