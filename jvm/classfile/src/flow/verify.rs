//! Whether a method would pass the JVM's verifier, as far as its own class file
//! tells.
//!
//! What the verifier looks up in other classes is taken to be right: whether one
//! class is a subclass of another, and who may use what. Everything else is
//! checked as the JVM specification's type checker has it: what instructions
//! find on the stack and in locals, that paths fit the frames they come to, that
//! handlers fit everything they cover, and how deep the stack gets.

use super::{Context, FRAME_WORK, FlowError, FrameLocals, State, Type, entry_locals};
use crate::descriptor::{FieldType, MethodDescriptor};
use crate::opcode;
use crate::read::{ClassFile, Code, Instruction, Member, StackMapTable};

/// How often handlers and locals may be looked at in one method, far above what
/// any compiler's takes.
const WORK: usize = 50_000_000;

/// Follows every path of a method that has frames (class files from version 50
/// on) and says what is wrong with the first that is.
pub fn verify<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    code: &Code<'a>,
) -> Result<(), FlowError> {
    let frames = Frames::of(class, method, code)?;
    let context = Context {
        pool: &class.pool,
        this: class.name()?.0,
        code: code.bytes,
        merged: false,
    };
    let result = MethodDescriptor::parse(class.pool.utf8(method.descriptor)?)?.result;
    let mut state = Some(State::of_lists(&entry_locals(class, method)?, Vec::new()));
    let mut end = 0;
    let mut work: usize = 0;
    // Whether locals may be others than when handlers were last looked at.
    let mut stored = true;
    for instruction in code.instructions() {
        let instruction = instruction?;
        let offset = instruction.offset;
        if let Some(framed) = frames.at(offset.into()) {
            if let Some(state) = &state {
                fits(state, framed, offset)?;
            }
            state = Some(framed.clone());
            stored = true;
        }
        let no_frame = FlowError::NoFrame {
            offset: offset.into(),
        };
        let before = state.as_mut().ok_or(no_frame)?;
        for row in &code.exceptions {
            let covered = (u32::from(row.start)..u32::from(row.end)).contains(&offset);
            if covered && (stored || offset == row.start.into()) {
                let handler = frames.target(row.handler.into())?;
                work = work.saturating_add(handler.locals.len());
                catches(before, handler, offset)?;
            }
        }
        work = work.saturating_add(code.exceptions.len());
        if work > WORK {
            return Err(FlowError::TooComplex);
        }
        stored = instruction.local().is_some() || instruction.opcode == opcode::INVOKESPECIAL;
        Operands {
            state: before,
            left: before.stack.len(),
            instruction: &instruction,
        }
        .check(class, result)?;
        before.step(&instruction, context)?;
        let depth: usize = before.stack.iter().map(|ty| ty.slots()).sum();
        if depth > code.max_stack.into() || before.locals.len() > code.max_locals.into() {
            return Err(FlowError::TooDeep { offset });
        }
        let mut targets = Ok(());
        instruction.each_target(|target| {
            if targets.is_ok() {
                targets = frames
                    .target(target)
                    .and_then(|framed| fits(before, framed, offset));
            }
        });
        targets?;
        end = offset;
        match instruction.opcode {
            opcode::JSR | opcode::JSR_W | opcode::RET => {
                return Err(FlowError::Subroutine { offset });
            }
            opcode if !opcode::falls_through(opcode) => state = None,
            _ => {}
        }
    }
    // Control must not leave at the end of the code.
    match state {
        Some(_) => Err(FlowError::Mismatch { offset: end.into() }),
        None => Ok(()),
    }
}

/// What the frames of a method say, by offset.
struct Frames<'a>(Vec<(i64, State<'a>)>);

impl<'a> Frames<'a> {
    fn of(class: &ClassFile<'a>, method: &Member<'a>, code: &Code<'a>) -> Result<Self, FlowError> {
        let frames = match class.find(&code.attributes, "StackMapTable") {
            Some(attribute) => StackMapTable::read(&attribute)?.0,
            None => Vec::new(),
        };
        let mut locals = FrameLocals(entry_locals(class, method)?);
        let mut all = Vec::with_capacity(frames.len());
        let mut work: usize = 0;
        for frame in &frames {
            let stack = locals.apply(frame, &class.pool)?;
            work = work.saturating_add(locals.0.len());
            if work > FRAME_WORK {
                return Err(FlowError::TooComplex);
            }
            all.push((frame.offset.into(), State::of_lists(&locals.0, stack)));
        }
        Ok(Self(all))
    }

    fn at(&self, offset: i64) -> Option<&State<'a>> {
        let found = self.0.binary_search_by_key(&offset, |(at, _)| *at).ok()?;
        self.0.get(found).map(|(_, state)| state)
    }

    fn target(&self, offset: i64) -> Result<&State<'a>, FlowError> {
        self.at(offset).ok_or(FlowError::NoFrame { offset })
    }
}

/// Whether a value may be where a frame says there is one of another type.
fn assignable(from: Type<'_>, to: Type<'_>) -> bool {
    match to {
        Type::Top => true,
        Type::Object(_) | Type::ArrayOf(_) => from.is_reference(),
        _ => from == to,
    }
}

/// Control goes from the instruction at `offset` to where a frame is.
fn fits(state: &State<'_>, frame: &State<'_>, offset: u32) -> Result<(), FlowError> {
    let mismatch = FlowError::Mismatch {
        offset: offset.into(),
    };
    let mut stacks = state.stack.iter().zip(&frame.stack);
    if state.stack.len() != frame.stack.len() || !stacks.all(|(from, to)| assignable(*from, *to)) {
        return Err(mismatch);
    }
    local_fit(state, frame).then_some(()).ok_or(mismatch)
}

fn local_fit(state: &State<'_>, frame: &State<'_>) -> bool {
    let mut slots = (0..).zip(&frame.locals);
    slots.all(|(slot, to)| assignable(state.local(slot), *to))
}

/// The instruction at `offset` may throw to where this frame is.
fn catches(state: &State<'_>, frame: &State<'_>, offset: u32) -> Result<(), FlowError> {
    let caught = matches!(frame.stack.as_slice(), [Type::Object(_)]);
    match caught && local_fit(state, frame) {
        true => Ok(()),
        false => Err(FlowError::Mismatch {
            offset: offset.into(),
        }),
    }
}

/// What an instruction takes, from the top of the stack down.
struct Operands<'s, 'a> {
    state: &'s State<'a>,
    /// How many values of the stack it has not taken.
    left: usize,
    instruction: &'s Instruction<'a>,
}

impl<'a> Operands<'_, 'a> {
    fn wrong(&self) -> FlowError {
        FlowError::WrongType {
            offset: self.instruction.offset,
        }
    }

    fn take(&mut self) -> Result<Type<'a>, FlowError> {
        let offset = self.instruction.offset;
        let underflow = FlowError::StackUnderflow { offset };
        self.left = self.left.checked_sub(1).ok_or(underflow.clone())?;
        self.state.stack.get(self.left).copied().ok_or(underflow)
    }

    fn expect(&mut self, fits: impl FnOnce(Type<'a>) -> bool) -> Result<(), FlowError> {
        match fits(self.take()?) {
            true => Ok(()),
            false => Err(self.wrong()),
        }
    }

    fn field(&mut self, ty: FieldType<'_>) -> Result<(), FlowError> {
        let to = Type::of_field(ty);
        self.expect(|from| assignable(from, to))
    }

    fn check(
        &mut self,
        class: &ClassFile<'a>,
        result: Option<FieldType<'a>>,
    ) -> Result<(), FlowError> {
        let opcode = self.instruction.opcode;
        self.local(opcode)?;
        self.result(opcode, result)?;
        let index = self.instruction.constant().unwrap_or(0);
        match opcode {
            opcode::PUTSTATIC | opcode::PUTFIELD | opcode::GETFIELD => {
                let member = class.pool.member(index)?;
                if opcode != opcode::GETFIELD {
                    self.field(FieldType::parse(member.descriptor)?)?;
                }
                if opcode != opcode::PUTSTATIC {
                    // A constructor may write to fields before super().
                    let early = opcode == opcode::PUTFIELD;
                    self.expect(|ty| ty.is_reference() || early && ty == Type::UninitializedThis)?;
                }
            }
            opcode::INVOKEDYNAMIC => self.arguments(class.pool.dynamic(index)?.1)?,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                let member = class.pool.member(index)?;
                self.arguments(member.descriptor)?;
                let constructs = member.name == "<init>";
                if opcode != opcode::INVOKESTATIC {
                    self.expect(|ty| match ty {
                        Type::UninitializedThis | Type::Uninitialized(_) => constructs,
                        other => other.is_reference() && !constructs,
                    })?;
                }
            }
            opcode::NEWARRAY | opcode::ANEWARRAY => self.expect(|ty| ty == Type::Integer)?,
            opcode::CHECKCAST => self.expect(Type::is_reference)?,
            opcode::AALOAD => self.plain("AI")?,
            _ => {
                let effect = opcode::effect(opcode);
                self.plain(effect.split_once('>').map_or("", |(pops, _)| pops))?;
            }
        }
        Ok(())
    }

    fn arguments(&mut self, descriptor: crate::mutf8::Utf8<'_>) -> Result<(), FlowError> {
        let descriptor = MethodDescriptor::parse(descriptor)?;
        for parameter in descriptor.parameters.iter().rev() {
            self.field(*parameter)?;
        }
        Ok(())
    }

    /// What the table of instructions says.
    fn plain(&mut self, pops: &str) -> Result<(), FlowError> {
        let lenient = matches!(
            self.instruction.opcode,
            opcode::ASTORE | opcode::ASTORE_0
                ..=opcode::ASTORE_3
                    | opcode::IF_ACMPEQ
                    | opcode::IF_ACMPNE
                    | opcode::IFNULL
                    | opcode::IFNONNULL
                    | opcode::MONITORENTER
                    | opcode::MONITOREXIT
        );
        for kind in pops.bytes().rev() {
            self.expect(|ty| match kind {
                b'I' => ty == Type::Integer,
                b'J' => ty == Type::Long,
                b'F' => ty == Type::Float,
                b'D' => ty == Type::Double,
                _ => {
                    let unborn = matches!(ty, Type::UninitializedThis | Type::Uninitialized(_));
                    ty.is_reference() || lenient && unborn
                }
            })?;
        }
        Ok(())
    }

    /// The local that is loaded.
    fn local(&self, opcode: u8) -> Result<(), FlowError> {
        let Some(slot) = self.instruction.local() else {
            return Ok(());
        };
        let ty = self.state.local(slot);
        let right = match opcode {
            opcode::ILOAD | opcode::ILOAD_0..=opcode::ILOAD_3 | opcode::IINC => ty == Type::Integer,
            opcode::LLOAD | opcode::LLOAD_0..=opcode::LLOAD_3 => ty == Type::Long,
            opcode::FLOAD | opcode::FLOAD_0..=opcode::FLOAD_3 => ty == Type::Float,
            opcode::DLOAD | opcode::DLOAD_0..=opcode::DLOAD_3 => ty == Type::Double,
            opcode::ALOAD | opcode::ALOAD_0..=opcode::ALOAD_3 => {
                ty.is_reference() || matches!(ty, Type::UninitializedThis | Type::Uninitialized(_))
            }
            _ => true,
        };
        right.then_some(()).ok_or_else(|| self.wrong())
    }

    /// What is returned is what the descriptor has, and `this` is complete.
    fn result(&self, opcode: u8, result: Option<FieldType<'_>>) -> Result<(), FlowError> {
        let right = match opcode {
            opcode::RETURN => result.is_none() && !self.state.holds_uninitialized_this(),
            opcode::IRETURN => result.map(Type::of_field) == Some(Type::Integer),
            opcode::LRETURN => result.map(Type::of_field) == Some(Type::Long),
            opcode::FRETURN => result.map(Type::of_field) == Some(Type::Float),
            opcode::DRETURN => result.map(Type::of_field) == Some(Type::Double),
            opcode::ARETURN => {
                matches!(result.map(Type::of_field), Some(Type::Object(_)))
            }
            _ => true,
        };
        right.then_some(()).ok_or_else(|| self.wrong())
    }
}
