//! Where everything stands after the edit.
//!
//! Sizes depend on positions in two ways: a switch is padded, and a jump that
//! has to go further than 32 KB takes more bytes. Positions are computed with
//! all jumps short, those that do not reach are widened, and so on until all
//! reach. Widening never brings anything closer, so this ends.

use super::{EditError, Editor, Insertion, Place};
use crate::opcode;
use crate::read::{Operands, padding};

pub(super) struct Layout<'e> {
    /// Sorted by instruction and place.
    pub(super) insertions: Vec<&'e Insertion>,
    /// One per instruction and one for the end of the body.
    pub(super) points: Vec<Point>,
    /// Per instruction: whether its jump needs the long form.
    pub(super) wide: Vec<bool>,
    /// Where each appended handler begins.
    pub(super) handlers: Vec<u32>,
    /// The length of the code.
    pub(super) length: u32,
}

/// The new offsets around one instruction; drawn in the module above.
#[derive(Clone, Copy, Default)]
pub(super) struct Point {
    pub(super) gap: u32,
    pub(super) label: u32,
    pub(super) pos: u32,
    pub(super) end: u32,
}

impl<'e> Layout<'e> {
    pub(super) fn new(editor: &'e Editor<'_>) -> Result<Self, EditError> {
        let mut insertions: Vec<_> = editor.insertions.iter().collect();
        // Stable: insertions at one place keep their order.
        insertions.sort_by_key(|insertion| (insertion.at, insertion.place));
        let mut layout = Self {
            insertions,
            points: vec![Point::default(); editor.instructions.len().saturating_add(1)],
            wide: vec![false; editor.instructions.len()],
            handlers: Vec::with_capacity(editor.handlers.len()),
            length: 0,
        };
        // The targets of plain jumps; switches always reach.
        let mut jumps = Vec::new();
        for (at, instruction) in editor.instructions.iter().enumerate() {
            if let Operands::Target(target) = instruction.operands
                && !editor.replacements.contains_key(&at)
                && !matches!(instruction.opcode, opcode::GOTO_W | opcode::JSR_W)
            {
                let target = editor.target_index(target).ok_or(EditError::BadTarget {
                    offset: instruction.offset,
                    target,
                })?;
                jumps.push((at, target));
            }
        }
        // What compilers write settles in two or three rounds. A chain of jumps
        // that break each other one by one is cut short with room to spare.
        for round in 0_u32.. {
            layout.place(editor)?;
            let reach = if round < 10 { 32_767 } else { 16_000 };
            if !layout.widen(&jumps, reach) {
                break;
            }
        }
        Ok(layout)
    }

    pub(super) fn point(&self, at: usize) -> Point {
        self.points.get(at).copied().unwrap_or_default()
    }

    pub(super) fn is_wide(&self, at: usize) -> bool {
        self.wide.get(at).copied().unwrap_or(false)
    }

    /// Computes all points with the current forms of the jumps, and whether the
    /// code still fits.
    fn place(&mut self, editor: &Editor<'_>) -> Result<(), EditError> {
        let mut at: u64 = 0;
        let mut insertions = self.insertions.iter().peekable();
        // Whether it all fits is checked at the end, when the length is known.
        let short = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
        for (number, point) in self.points.iter_mut().enumerate() {
            let mut put = |at: &mut u64, place| {
                while let Some(insertion) =
                    insertions.next_if(|i| i.at == number && i.place == place)
                {
                    *at = at.saturating_add(insertion.code.bytes().len() as u64);
                }
            };
            point.gap = short(at);
            put(&mut at, Place::Gap);
            point.label = short(at);
            put(&mut at, Place::Label);
            point.pos = short(at);
            let Some(instruction) = editor.instructions.get(number) else {
                point.end = point.pos;
                break;
            };
            let wide = self.wide.get(number).copied().unwrap_or(false);
            let size = match editor.replacements.get(&number) {
                Some(code) => code.bytes().len(),
                None => match instruction.opcode {
                    opcode::GOTO | opcode::JSR if wide => 5,
                    // The inverted jump and a `goto_w`.
                    _ if wide => 8,
                    opcode::TABLESWITCH | opcode::LOOKUPSWITCH => (instruction.length as usize)
                        .saturating_sub(padding(instruction.offset))
                        .saturating_add(padding(point.pos)),
                    _ => instruction.length as usize,
                },
            };
            at = at.saturating_add(size as u64);
            point.end = short(at);
            put(&mut at, Place::After);
        }
        self.handlers.clear();
        for handler in &editor.handlers {
            self.handlers.push(short(at));
            at = at.saturating_add(handler.code.bytes().len() as u64);
        }
        self.length = short(at);
        if at > 65_535 {
            return Err(EditError::TooLong {
                before: u32::try_from(editor.code.bytes.len()).unwrap_or(u32::MAX),
                after: at,
            });
        }
        Ok(())
    }

    /// Widens the jumps that go further than `reach`; tells whether there were
    /// any.
    fn widen(&mut self, jumps: &[(usize, usize)], reach: i64) -> bool {
        let mut changed = false;
        for (at, target) in jumps {
            let distance =
                i64::from(self.point(*target).label).saturating_sub(self.point(*at).pos.into());
            let near = reach.saturating_neg().saturating_sub(1)..=reach;
            if let Some(wide) = self.wide.get_mut(*at)
                && !*wide
                && !near.contains(&distance)
            {
                *wide = true;
                changed = true;
            }
        }
        changed
    }
}
