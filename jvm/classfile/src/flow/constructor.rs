//! From where on a constructor's `this` is an ordinary object.
//!
//! javac puts the call of `super()` or `this()` first, but the JVM allows any
//! code before it, copies of `this` on the stack and in locals, several calls
//! on several paths, and other constructors' calls in between. So the question
//! is asked of the types: after which offset does no reachable instruction
//! find an uninitialised `this`?

use std::collections::BTreeMap;
use std::fmt;

use super::{Context, FlowError, State, Type, entry_locals, walk};
use crate::opcode;
use crate::read::{ClassFile, Code, Instruction, Member, access};

/// Where `this` becomes usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initialized {
    /// From the start: not a constructor, or that of `java.lang.Object`.
    Always,
    /// From this offset to the end of the code.
    From {
        /// The first instruction from which on `this` is initialised.
        offset: u32,
        /// The calls of `super()` and `this()`.
        calls: Vec<u32>,
    },
    /// The code has no such tail: it ends in code that waits for `super()`.
    Never,
    /// It cannot be told without more analysis than is done here.
    Undecidable(FlowError),
}

impl fmt::Display for Initialized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("`this` is always initialised"),
            Self::From { offset, .. } => write!(f, "`this` is initialised from {offset} on"),
            Self::Never => f.write_str("`this` is not initialised before the end of the code"),
            Self::Undecidable(reason) => {
                write!(f, "cannot tell where `this` is initialised: {reason}")
            }
        }
    }
}

/// Finds where `this` becomes usable in a method.
pub fn initialized_from<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    code: &Code<'a>,
) -> Initialized {
    match search(class, method, code) {
        Ok(found) => found,
        Err(error) => Initialized::Undecidable(error),
    }
}

fn search<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    code: &Code<'a>,
) -> Result<Initialized, FlowError> {
    let is_static = method.access & access::STATIC != 0;
    if is_static || class.pool.utf8(method.name)? != "<init>" || class.name()? == "java/lang/Object"
    {
        return Ok(Initialized::Always);
    }
    let mut tail = Tail::default();
    let has_frames = class.find(&code.attributes, "StackMapTable").is_some();
    if has_frames {
        walk(class, method, code, |instruction, state| {
            tail.see(class, instruction, state);
        })?;
    } else {
        merge(class, method, code, &mut tail)?;
    }
    let length = u32::try_from(code.bytes.len()).unwrap_or(u32::MAX);
    Ok(if tail.offset >= length {
        Initialized::Never
    } else {
        Initialized::From {
            offset: tail.offset,
            calls: tail.calls,
        }
    })
}

/// What is known so far while the instructions go by in order.
#[derive(Default)]
struct Tail {
    offset: u32,
    calls: Vec<u32>,
}

impl Tail {
    fn see(
        &mut self,
        class: &ClassFile<'_>,
        instruction: &Instruction<'_>,
        state: Option<&State<'_>>,
    ) {
        let Some(state) = state.filter(|state| state.holds_uninitialized_this()) else {
            return;
        };
        self.offset = instruction.end();
        if instruction.opcode == opcode::INVOKESPECIAL
            && calls_own_constructor(class, instruction, state) == Some(true)
        {
            self.calls.push(instruction.offset);
        }
    }
}

/// Whether the receiver of this constructor call is `this`.
fn calls_own_constructor(
    class: &ClassFile<'_>,
    instruction: &Instruction<'_>,
    state: &State<'_>,
) -> Option<bool> {
    use crate::descriptor::MethodDescriptor;
    let member = class.pool.member(instruction.constant()?).ok()?;
    let arguments = MethodDescriptor::parse(member.descriptor).ok()?;
    let below = state.stack.len().checked_sub(arguments.parameters.len())?;
    let receiver = state.stack.get(below.checked_sub(1)?)?;
    Some(member.name == "<init>" && *receiver == Type::UninitializedThis)
}

/// Follows all paths of a body that has no frames, merging where they meet.
/// A path ends where `this` is initialised: nothing can undo that, so what
/// comes after, subroutines for instance, need not be understood.
fn merge<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    code: &Code<'a>,
    tail: &mut Tail,
) -> Result<(), FlowError> {
    let context = Context {
        pool: &class.pool,
        this: class.name()?.0,
        code: code.bytes,
        merged: true,
    };
    let mut instructions = BTreeMap::new();
    let mut leaders = vec![0];
    for instruction in code.instructions() {
        let instruction = instruction?;
        instruction.each_target(|target| leaders.push(target));
        instructions.insert(i64::from(instruction.offset), instruction);
    }
    for entry in &code.exceptions {
        leaders.push(i64::from(entry.handler));
    }
    leaders.sort_unstable();
    leaders.dedup();
    // States are kept at leaders only; between them they follow.
    let mut states: BTreeMap<i64, State<'a>> = BTreeMap::new();
    let entry = State::of_lists(&entry_locals(class, method)?, Vec::new());
    states.insert(0, entry);
    let mut pending = vec![0];
    // Each leader can lose each of its types once: far more rounds than any
    // compiler's output takes, and a bound for hostile input.
    let mut work = 1_000_000_usize;
    while let Some(leader) = pending.pop() {
        let Some(mut state) = states.get(&leader).cloned() else {
            continue;
        };
        let mut at = leader;
        loop {
            let instruction = instructions
                .get(&at)
                .ok_or(FlowError::Mismatch { offset: at })?;
            let cost = state.locals.len().saturating_add(4);
            let rows = code.exceptions.len();
            work = work
                .checked_sub(cost.saturating_add(rows))
                .ok_or(FlowError::TooComplex)?;
            for entry in &code.exceptions {
                if (i64::from(entry.start)..i64::from(entry.end)).contains(&at) {
                    let thrown = State {
                        locals: state.locals.clone(),
                        stack: vec![Type::Object(b"java/lang/Throwable")],
                    };
                    work = work.checked_sub(cost).ok_or(FlowError::TooComplex)?;
                    join(&mut states, &mut pending, entry.handler.into(), thrown)?;
                }
            }
            if matches!(
                instruction.opcode,
                opcode::JSR | opcode::JSR_W | opcode::RET
            ) {
                let offset = instruction.offset;
                return Err(FlowError::Subroutine { offset });
            }
            state.step(instruction, context)?;
            if !state.holds_uninitialized_this() {
                break;
            }
            let mut targets = Vec::new();
            instruction.each_target(|target| targets.push(target));
            for target in targets {
                work = work.checked_sub(cost).ok_or(FlowError::TooComplex)?;
                join(&mut states, &mut pending, target, state.clone())?;
            }
            if !opcode::falls_through(instruction.opcode) {
                break;
            }
            at = i64::from(instruction.end());
            if leaders.binary_search(&at).is_ok() {
                join(&mut states, &mut pending, at, state)?;
                break;
            }
        }
    }
    // All states are final: one more pass in order lets `tail` see them.
    let mut state = None;
    for (offset, instruction) in &instructions {
        state = states.get(offset).cloned().or(state);
        tail.see(class, instruction, state.as_ref());
        if let Some(known) = &mut state {
            known.step(instruction, context)?;
        }
        state = state.filter(|known| {
            known.holds_uninitialized_this() && opcode::falls_through(instruction.opcode)
        });
    }
    Ok(())
}

/// Merges `new` into the state at `target`; a change makes it pending.
fn join<'a>(
    states: &mut BTreeMap<i64, State<'a>>,
    pending: &mut Vec<i64>,
    target: i64,
    mut new: State<'a>,
) -> Result<(), FlowError> {
    let Some(old) = states.get_mut(&target) else {
        states.insert(target, new);
        pending.push(target);
        return Ok(());
    };
    if old.stack.len() != new.stack.len() {
        return Err(FlowError::Mismatch { offset: target });
    }
    let slots = old.locals.len().min(new.locals.len());
    new.locals.truncate(slots);
    let before = old.clone();
    old.locals.truncate(slots);
    let new = new.locals.iter().chain(&new.stack);
    for (old, new) in old.locals.iter_mut().chain(&mut old.stack).zip(new) {
        if old != new {
            *old = if old.is_reference() && new.is_reference() {
                Type::Object(b"java/lang/Object")
            } else {
                Type::Top
            };
        }
    }
    if *old != before {
        pending.push(target);
    }
    Ok(())
}
