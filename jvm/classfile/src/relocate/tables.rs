//! The attributes of a body: which offset of which table follows which point.

use std::borrow::Cow;

use super::emit::short;
use super::layout::Layout;
use super::{EditError, Editor};
use crate::read::{Attribute, CodeAnnotations, CodeTarget, LineNumberTable, LocalVariableTable};
use crate::write::{AttributeEditor, PoolEditor};

impl<'c> Editor<'c> {
    pub(super) fn emit_attributes(
        &self,
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Vec<AttributeEditor<'c>>, EditError> {
        let mut attributes = Vec::with_capacity(self.code.attributes.len());
        let mut has_frames = false;
        for attribute in &self.code.attributes {
            let name = self.class.pool.utf8(attribute.name)?;
            let content = match name.as_bytes() {
                b"LineNumberTable" => Cow::Owned(self.line_numbers(attribute, layout)?),
                b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                    Cow::Owned(self.variables(attribute, layout)?)
                }
                b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                    Cow::Owned(self.annotations(attribute, layout)?)
                }
                b"StackMapTable" if self.class.major < 50 => continue,
                b"StackMapTable" => {
                    has_frames = true;
                    Cow::Owned(self.frames(Some(attribute), layout, pool)?)
                }
                // These hold offsets that nobody reads at run time: those of
                // `javac -Xjcov` and of CLDC. Wrong ones are worse than none.
                b"CharacterRangeTable" | b"StackMap" if self.is_changed() => continue,
                _ => Cow::Borrowed(attribute.content),
            };
            attributes.push(AttributeEditor {
                name: attribute.name,
                content,
            });
        }
        // Class files before version 50 are verified without frames.
        if !has_frames && self.class.major >= 50 && self.needs_frames(layout) {
            attributes.push(AttributeEditor {
                content: Cow::Owned(self.frames(None, layout, pool)?),
                name: pool.utf8("StackMapTable")?,
            });
        }
        Ok(attributes)
    }

    fn is_changed(&self) -> bool {
        !(self.insertions.is_empty() && self.replacements.is_empty() && self.handlers.is_empty())
    }

    fn line_numbers(
        &self,
        attribute: &Attribute<'c>,
        layout: &Layout<'_>,
    ) -> Result<Vec<u8>, EditError> {
        let mut table = LineNumberTable::read(attribute)?;
        for row in &mut table.0 {
            row.start = self.moved(row.start.into(), "LineNumberTable", layout)?;
        }
        Ok(table.write()?)
    }

    fn variables(
        &self,
        attribute: &Attribute<'c>,
        layout: &Layout<'_>,
    ) -> Result<Vec<u8>, EditError> {
        let mut table = LocalVariableTable::read(attribute)?;
        for row in &mut table.0 {
            let range = (row.start, row.length);
            (row.start, row.length) = self.moved_range(range, "LocalVariableTable", layout)?;
        }
        Ok(table.write()?)
    }

    fn annotations(
        &self,
        attribute: &Attribute<'c>,
        layout: &Layout<'_>,
    ) -> Result<Vec<u8>, EditError> {
        const TABLE: &str = "a type annotation";
        let mut table = CodeAnnotations::read(attribute)?;
        for annotation in &mut table.0 {
            match &mut annotation.target {
                CodeTarget::Locals(ranges) => {
                    for row in ranges {
                        let range = (row.start, row.length);
                        (row.start, row.length) = self.moved_range(range, TABLE, layout)?;
                    }
                }
                // Rows are only ever appended to the exception table.
                CodeTarget::Catch(_) => {}
                CodeTarget::Instruction(offset) | CodeTarget::Argument(offset, _) => {
                    let at = self
                        .boundary((*offset).into())
                        .ok_or(EditError::BadOffset {
                            table: TABLE,
                            offset: (*offset).into(),
                        })?;
                    *offset = short(layout.point(at).pos);
                }
            }
        }
        Ok(table.write()?)
    }

    /// Where a line or variable that begins at `offset` begins now. An offset
    /// inside an instruction, which some tools write, stays inside it.
    fn moved(
        &self,
        offset: u32,
        table: &'static str,
        layout: &Layout<'_>,
    ) -> Result<u16, EditError> {
        if let Some(at) = self.boundary(offset) {
            return Ok(short(layout.point(at).gap));
        }
        let before = self
            .instructions
            .partition_point(|instruction| instruction.offset <= offset)
            .checked_sub(1);
        let found = before.and_then(|at| self.instructions.get(at).map(|i| (at, i)));
        match found {
            Some((at, instruction)) if offset < instruction.end() => {
                let inside = offset.saturating_sub(instruction.offset);
                let point = layout.point(at);
                Ok(short(point.pos.saturating_add(inside).min(point.end)))
            }
            _ => Err(EditError::BadOffset { table, offset }),
        }
    }

    fn moved_range(
        &self,
        (start, length): (u16, u16),
        table: &'static str,
        layout: &Layout<'_>,
    ) -> Result<(u16, u16), EditError> {
        let end = u32::from(start).saturating_add(length.into());
        let start = self.moved(start.into(), table, layout)?;
        let end = self.moved(end, table, layout)?;
        Ok((start, end.saturating_sub(start)))
    }
}
