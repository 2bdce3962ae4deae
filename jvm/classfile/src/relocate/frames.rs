//! The stack map frames of the edited body.
//!
//! A frame that only moves keeps its form. When a frame is put in between, the
//! next one can no longer lean on the frame before and is spelled out; so are
//! all of them when there is a local that every frame must have.

use super::emit::short;
use super::layout::Layout;
use super::{EditError, Editor};
use crate::flow::{Context, FRAME_WORK, FlowError, FrameLocals, State, Type, entry_locals, walk};
use crate::opcode;
use crate::read::{Attribute, Frame, FrameKind, Instruction, StackMapTable, VerificationType};
use crate::write::PoolEditor;

/// A frame that was not there.
struct NewFrame<'c> {
    offset: u32,
    locals: Vec<Type<'c>>,
    stack: Vec<Type<'c>>,
}

impl<'c> Editor<'c> {
    /// Whether the edit adds frames to a body that has none.
    pub(super) fn needs_frames(&self, layout: &Layout<'_>) -> bool {
        !self.handlers.is_empty()
            || self.leaves != 0
            || (0..self.instructions.len()).any(|at| self.is_split(at, layout))
    }

    /// Whether the instruction became a jump over a `goto_w`.
    fn is_split(&self, at: usize, layout: &Layout<'_>) -> bool {
        layout.is_wide(at)
            && self
                .instructions
                .get(at)
                .is_some_and(|i| opcode::inverted(i.opcode).is_some())
    }

    pub(super) fn frames(
        &self,
        attribute: Option<&Attribute<'c>>,
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Vec<u8>, EditError> {
        let mut table = match attribute {
            Some(attribute) => StackMapTable::read(attribute)?,
            None => StackMapTable::default(),
        };
        let mut at = Vec::with_capacity(table.0.len());
        for frame in &table.0 {
            at.push(self.target_index(frame.offset.into()).ok_or({
                EditError::BadOffset {
                    table: "StackMapTable",
                    offset: frame.offset,
                }
            })?);
        }
        let mut new = self.frames_after_split_jumps(layout)?;
        // A frame that is already there does for a split jump as well.
        new.retain(|frame| {
            let taken = |at: &usize| layout.point(*at).label;
            at.binary_search_by_key(&frame.offset, taken).is_err()
        });
        if !new.is_empty() || self.spells_all() {
            self.spell_out(&mut table, &at, &new, layout, pool)?;
        }
        for (frame, at) in table.0.iter_mut().zip(&at) {
            frame.offset = layout.point(*at).label;
            self.move_new(&mut frame.kind, layout, pool)?;
        }
        for frame in &new {
            table.0.push(self.full(frame, layout, pool)?);
        }
        for (handler, offset) in self.handlers.iter().zip(&layout.handlers) {
            let class = handler.catches.as_deref().unwrap_or("java/lang/Throwable");
            let mut frame = self.full(
                &NewFrame {
                    offset: *offset,
                    locals: handler
                        .unborn
                        .then_some(Type::UninitializedThis)
                        .into_iter()
                        .collect(),
                    stack: Vec::new(),
                },
                layout,
                pool,
            )?;
            if let FrameKind::Full { stack, .. } = &mut frame.kind {
                stack.push(VerificationType::Object(pool.class(class)?));
            }
            table.0.push(frame);
        }
        if self.leaves != 0 && table.0.iter().all(|frame| frame.offset != self.leaves) {
            table.0.push(Frame {
                offset: self.leaves,
                kind: FrameKind::Same { extended: false },
            });
        }
        table.0.sort_by_key(|frame| frame.offset);
        Ok(table.write()?)
    }

    /// The frames where the inverted jumps land, in order.
    fn frames_after_split_jumps(
        &self,
        layout: &Layout<'_>,
    ) -> Result<Vec<NewFrame<'c>>, EditError> {
        let split: Vec<_> = (0..self.instructions.len())
            .filter(|at| self.is_split(*at, layout))
            .collect();
        let Some(first) = split.first().and_then(|at| self.instructions.get(*at)) else {
            return Ok(Vec::new());
        };
        let no_frame = |offset| move |reason| EditError::NoFrame { offset, reason };
        let context = Context {
            pool: &self.class.pool,
            this: self.class.name()?.0,
            code: self.code.bytes,
            merged: false,
        };
        let mut frames = Vec::with_capacity(split.len());
        let mut failed = None;
        let mut work: usize = 0;
        walk(self.class, self.method, &self.code, |instruction, state| {
            let Some(at) = self.target_index(instruction.offset.into()) else {
                return;
            };
            if split.binary_search(&at).is_err() || failed.is_some() {
                return;
            }
            let offset = instruction.offset;
            // Control never comes here, so that no verifier would have let
            // the method pass.
            let unreachable = FlowError::Mismatch {
                offset: offset.into(),
            };
            let after = state.cloned().ok_or(unreachable).and_then(|mut state| {
                work = work.saturating_add(state.locals.len());
                if work > FRAME_WORK {
                    return Err(FlowError::TooComplex);
                }
                state.step(instruction, context)?;
                Ok(state)
            });
            match after {
                Ok(after) => frames.push(NewFrame {
                    offset: layout.point(at).end,
                    locals: after.local_list(),
                    stack: after.stack,
                }),
                Err(reason) => failed = Some((offset, reason)),
            }
        })
        .map_err(no_frame(first.offset))?;
        match failed {
            Some((offset, reason)) => Err(no_frame(offset)(reason)),
            None => Ok(frames),
        }
    }

    /// Whether every frame is changed.
    fn spells_all(&self) -> bool {
        !self.held.is_empty() || self.this_from.is_some()
    }

    /// Turns frames that lean on the one before into full ones: all of them if
    /// they get locals that they did not have, else those right after a new frame.
    fn spell_out(
        &self,
        table: &mut StackMapTable,
        at: &[usize],
        new: &[NewFrame<'c>],
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<(), EditError> {
        let unknown = |offset| move |reason| EditError::NoFrame { offset, reason };
        let mut locals = FrameLocals(entry_locals(self.class, self.method).map_err(unknown(0))?);
        let mut new = new.iter().peekable();
        let mut work: usize = 0;
        for (frame, at) in table.0.iter_mut().zip(at) {
            let stack = locals
                .apply(frame, &self.class.pool)
                .map_err(unknown(frame.offset))?;
            let label = layout.point(*at).label;
            let mut follows_new = false;
            while new.next_if(|new| new.offset < label).is_some() {
                follows_new = true;
            }
            let lacks_this = self.this_from.is_some_and(|from| frame.offset >= from)
                && matches!(locals.0.first(), None | Some(Type::Top));
            if !follows_new && !self.spells_all() {
                continue;
            }
            work = work.saturating_add(locals.0.len());
            if work > FRAME_WORK {
                return Err(unknown(frame.offset)(FlowError::TooComplex));
            }
            let with_this: Vec<Type<'c>>;
            let mut all = &locals.0;
            if lacks_this {
                let this = Type::Object(self.class.name()?.0);
                let others = locals.0.iter().skip(1).copied();
                with_this = std::iter::once(this).chain(others).collect();
                all = &with_this;
            }
            frame.kind = self.full_kind(all, &stack, pool)?;
        }
        Ok(())
    }

    fn full(
        &self,
        frame: &NewFrame<'c>,
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<Frame, EditError> {
        let mut kind = self.full_kind(&frame.locals, &frame.stack, pool)?;
        self.move_new(&mut kind, layout, pool)?;
        Ok(Frame {
            offset: frame.offset,
            kind,
        })
    }

    /// A full frame with the held locals in it; offsets are not moved yet.
    fn full_kind(
        &self,
        locals: &[Type<'c>],
        stack: &[Type<'c>],
        pool: &mut PoolEditor<'c>,
    ) -> Result<FrameKind, EditError> {
        let mut state = State::of_lists(locals, Vec::new());
        for (slot, ty) in &self.held {
            state.set_local(*slot, *ty);
        }
        let mut write = |types: &[Type<'c>]| -> Result<Vec<_>, EditError> {
            let mut list = Vec::with_capacity(types.len());
            for ty in types {
                list.push(ty.to_verification(pool)?);
            }
            Ok(list)
        };
        Ok(FrameKind::Full {
            locals: write(&state.local_list())?,
            stack: write(stack)?,
        })
    }

    /// Moves the offsets of `new` instructions: they follow the instruction
    /// itself, not the code in front of it. Objects that are complete from the
    /// beginning have a class instead.
    fn move_new(
        &self,
        kind: &mut FrameKind,
        layout: &Layout<'_>,
        pool: &mut PoolEditor<'c>,
    ) -> Result<(), EditError> {
        let (first, second): (&mut [_], &mut [_]) = match kind {
            FrameKind::Same { .. } | FrameKind::Chop(_) => return Ok(()),
            FrameKind::SameLocals { stack, .. } => (std::slice::from_mut(stack), &mut []),
            FrameKind::Append(locals) => (locals, &mut []),
            FrameKind::Full { locals, stack } => (locals, stack),
        };
        for ty in first.iter_mut().chain(second) {
            if *ty == VerificationType::UninitializedThis && self.born {
                *ty = VerificationType::Object(pool.class_bytes(self.class.name()?)?);
            }
            if let VerificationType::Uninitialized(offset) = ty {
                let old = u32::from(*offset);
                let at = self.target_index(old.into()).ok_or(EditError::BadOffset {
                    table: "StackMapTable",
                    offset: old,
                })?;
                let replaced = self.replacements.get(&at);
                if replaced.is_some_and(|code| code.bytes().first() != Some(&opcode::NEW)) {
                    let new = self.instructions.get(at).filter(|_| self.born);
                    let class = new.and_then(Instruction::constant);
                    let class = class.ok_or(EditError::NewReplaced { offset: old })?;
                    *ty = VerificationType::Object(class);
                } else {
                    *offset = short(layout.point(at).pos);
                }
            }
        }
        Ok(())
    }
}
