//! The types of locals and stack at each instruction.
//!
//! A class file from version 50 on has a stack map frame wherever paths meet,
//! so one pass in the order of the code knows every type exactly, without any
//! merging and without loading other classes: [`walk`]. Relocation needs that
//! for the one frame it may have to invent (see [`crate::relocate`]), and
//! [`initialized_from`] to find where a constructor's `this` is usable.
//! Older class files have no frames; for them [`initialized_from`] merges.
//! [`verify`] holds a whole method against its frames.

mod constructor;
mod frameless;
mod step;
mod types;
mod verify;

pub use constructor::{Initialized, initialized_from};
pub use frameless::parse_for_edit;
pub(crate) use step::Context;
pub use types::{State, Type};
pub use verify::verify;

use crate::descriptor::{DescriptorError, MethodDescriptor};
use crate::opcode;
use crate::read::{
    ClassFile, Code, Frame, FrameKind, Instruction, Member, Pool, ReadError, StackMapTable,
    VerificationType, access,
};

/// Why the types could not be worked out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// Something in the class could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A descriptor that is none.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// An instruction pops from an empty stack.
    #[error("the instruction at {offset} pops from an empty stack")]
    StackUnderflow {
        /// The instruction.
        offset: u32,
    },
    /// An instruction pops half of a `long` or `double`.
    #[error("the instruction at {offset} splits a value of two slots")]
    SplitValue {
        /// The instruction.
        offset: u32,
    },
    /// An array instruction without an array.
    #[error("the instruction at {offset} needs an array")]
    NotAnArray {
        /// The instruction.
        offset: u32,
    },
    /// A constructor call on something that needs none.
    #[error("the call at {offset} initialises nothing")]
    NotInitializable {
        /// The instruction.
        offset: u32,
    },
    /// `ldc` of a constant that cannot be loaded.
    #[error("constant {index} cannot be loaded (at {offset})")]
    NotLoadable {
        /// The instruction.
        offset: u32,
        /// The constant.
        index: u16,
    },
    /// A frame that removes more locals than there are.
    #[error("the stack map frame at {offset} removes locals that are not there")]
    BadChop {
        /// The frame.
        offset: u32,
    },
    /// A subroutine, whose effect on types depends on the caller.
    #[error("there is a subroutine at {offset}")]
    Subroutine {
        /// The `jsr` or `ret`.
        offset: u32,
    },
    /// A jump to where no instruction begins, or stacks of different depth at
    /// one instruction.
    #[error("paths do not fit together at {offset}")]
    Mismatch {
        /// Where.
        offset: i64,
    },
    /// An instruction finds something else on the stack or in a local than it
    /// needs.
    #[error("the instruction at {offset} finds a value of another type than it needs")]
    WrongType {
        /// The instruction.
        offset: u32,
    },
    /// More on the stack or in locals than the method has room for.
    #[error("there is no room for what the instruction at {offset} makes")]
    TooDeep {
        /// The instruction.
        offset: u32,
    },
    /// A jump target or handler without a frame, as in class files older than
    /// version 50.
    #[error("there is no stack map frame at {offset}")]
    NoFrame {
        /// The target.
        offset: i64,
    },
    /// Too much work for a method of this size: not the output of a compiler.
    #[error("the method is too complex to follow")]
    TooComplex,
}

/// The locals at the start of a method, as a frame lists them.
pub(crate) fn entry_locals<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
) -> Result<Vec<Type<'a>>, FlowError> {
    let mut locals = Vec::new();
    let this = class.name()?;
    if method.access & access::STATIC == 0 {
        // The constructor of Object has nothing to wait for.
        let constructor = class.pool.utf8(method.name)? == "<init>" && this != "java/lang/Object";
        locals.push(if constructor {
            Type::UninitializedThis
        } else {
            Type::Object(this.0)
        });
    }
    let descriptor = MethodDescriptor::parse(class.pool.utf8(method.descriptor)?)?;
    locals.extend(descriptor.parameters.into_iter().map(Type::of_field));
    Ok(locals)
}

/// The locals that the next relative frame builds on.
pub(crate) struct FrameLocals<'a>(pub(crate) Vec<Type<'a>>);

impl<'a> FrameLocals<'a> {
    /// Goes on to `frame` and returns its stack.
    pub(crate) fn apply(
        &mut self,
        frame: &Frame,
        pool: &Pool<'a>,
    ) -> Result<Vec<Type<'a>>, FlowError> {
        let named = |types: &[VerificationType]| -> Result<Vec<Type<'a>>, ReadError> {
            types
                .iter()
                .map(|ty| Type::of_verification(*ty, pool))
                .collect()
        };
        match &frame.kind {
            FrameKind::Same { .. } => Ok(Vec::new()),
            FrameKind::SameLocals { stack, .. } => Ok(named(&[*stack])?),
            FrameKind::Chop(count) => {
                let left = self.0.len().checked_sub(usize::from(*count));
                let offset = frame.offset;
                self.0.truncate(left.ok_or(FlowError::BadChop { offset })?);
                Ok(Vec::new())
            }
            FrameKind::Append(locals) => {
                self.0.extend(named(locals)?);
                Ok(Vec::new())
            }
            FrameKind::Full { locals, stack } => {
                self.0 = named(locals)?;
                Ok(named(stack)?)
            }
        }
    }
}

/// How many list elements of frames may be looked at in one method, far above
/// what any compiler makes and far below what takes noticeable time.
pub(crate) const FRAME_WORK: usize = 8_000_000;

/// Calls `visit` with each instruction and the state before it, in order. The
/// state is `None` where control cannot come and no frame says what would
/// hold. Every jump target must have a frame; see [`FlowError::NoFrame`].
pub fn walk<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    code: &Code<'a>,
    mut visit: impl FnMut(&Instruction<'a>, Option<&State<'a>>),
) -> Result<(), FlowError> {
    let context = Context {
        pool: &class.pool,
        this: class.name()?.0,
        code: code.bytes,
        merged: false,
    };
    let frames = match class.find(&code.attributes, "StackMapTable") {
        Some(attribute) => StackMapTable::read(&attribute)?.0,
        None => Vec::new(),
    };
    let framed = |target: i64| {
        frames
            .binary_search_by_key(&target, |frame| frame.offset.into())
            .map_err(|_| FlowError::NoFrame { offset: target })
    };
    for row in &code.exceptions {
        framed(row.handler.into())?;
    }
    let mut next_frame = frames.iter().peekable();
    let mut locals = FrameLocals(entry_locals(class, method)?);
    let mut state = Some(State::of_lists(&locals.0, Vec::new()));
    let mut work: usize = 0;
    for instruction in code.instructions() {
        let instruction = instruction?;
        let mut targets = Ok(0);
        instruction.each_target(|target| targets = targets.clone().and(framed(target)));
        targets?;
        while let Some(frame) = next_frame.next_if(|frame| frame.offset <= instruction.offset) {
            let stack = locals.apply(frame, &class.pool)?;
            work = work.saturating_add(locals.0.len());
            if work > FRAME_WORK {
                return Err(FlowError::TooComplex);
            }
            if frame.offset == instruction.offset {
                state = Some(State::of_lists(&locals.0, stack));
            }
        }
        visit(&instruction, state.as_ref());
        if let Some(state) = &mut state {
            state.step(&instruction, context)?;
        }
        match instruction.opcode {
            opcode::JSR | opcode::JSR_W | opcode::RET => {
                return Err(FlowError::Subroutine {
                    offset: instruction.offset,
                });
            }
            opcode if !opcode::falls_through(opcode) => state = None,
            _ => {}
        }
    }
    Ok(())
}
