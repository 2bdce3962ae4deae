//! Inserting code into a method body.
//!
//! An [`Editor`] collects what to insert, replace and catch. When it is
//! finished it lays the body out anew and carries every offset along: jumps
//! and switches, exception ranges, line and variable tables, stack map frames,
//! type annotations. Everything it does not have to change keeps its bytes; an
//! editor that was given nothing to do returns the attribute it read.
//!
//! What stands around instruction *i* afterwards, and which offset follows
//! which point:
//!
//! ```text
//!            … instruction i-1
//! end(i-1)   after(i-1)                 only when i-1 falls through
//! gap(i)     before(i), jumps land after
//! label(i)   before(i), jumps land before
//! pos(i)     instruction i
//! end(i)     …
//!
//! label  jump targets, handlers, starts of exception ranges, frames
//! gap    line numbers and variable ranges
//! end    ends of exception ranges
//! pos    Uninitialized(new), type annotations on instructions
//! ```
//!
//! An exception range ends right after its last instruction, because code
//! inserted after that instruction sees locals the handler's frame may not
//! allow.
//!
//! Inserted code is straight-line, so it needs no frames. Three things do:
//!
//! - A handler that is appended gets a frame with no locals (but see
//!   [`Editor::hold`]) and the exception on the stack.
//! - A conditional jump that no longer reaches becomes the inverted jump over
//!   a `goto_w`, and where that lands a frame is needed. Its types follow from
//!   the frames before it ([`crate::flow`]).
//! - Where a method goes on that may have been left at once
//!   ([`Editor::leave_early`]), everything is as it was at the start.

mod emit;
mod error;
mod frames;
mod layout;
mod tables;

use std::collections::BTreeMap;

use crate::descriptor::FieldType;
use crate::flow::{Initialized, Type, initialized_from, walk};
use crate::opcode;
use crate::read::{ClassFile, Code, Instruction, Member};
use crate::write::{PoolEditor, Snippet};

pub use error::EditError;
use layout::Layout;

/// Where jumps to an instruction go when code is inserted before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Landing {
    /// To the inserted code: it runs whenever the instruction does.
    #[default]
    Before,
    /// To the instruction: the inserted code runs only when control falls
    /// into it from above.
    After,
}

/// A method body that is being edited.
#[derive(Clone, Debug)]
pub struct Editor<'c> {
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    code: Code<'c>,
    instructions: Vec<Instruction<'c>>,
    /// By offset, and one for the end: the position in `instructions`, or
    /// [`INSIDE`].
    index: Vec<u32>,
    insertions: Vec<Insertion>,
    replacements: BTreeMap<usize, Snippet>,
    handlers: Vec<Handler>,
    /// Slot and type of each local that every frame is to have.
    held: Vec<(u16, Type<'c>)>,
    max_locals: u32,
    reserved_stack: u16,
    /// Whether frames say the class of objects under construction.
    born: bool,
    /// The offset from which on every frame is to have `this`, in a constructor.
    this_from: Option<u32>,
    /// How long the code is that may leave the method at once; 0 for none.
    leaves: u32,
}

/// No instruction begins here.
const INSIDE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Insertion {
    /// The instruction, and the place in front of it or behind it.
    at: usize,
    place: Place,
    code: Snippet,
}

/// In the order in which they stand in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Before the instruction, skipped by jumps.
    Gap,
    /// Before the instruction.
    Label,
    /// After the instruction.
    After,
}

#[derive(Clone, Debug)]
struct Handler {
    /// The first instruction covered, and the first one not.
    start: usize,
    end: usize,
    /// The class that is caught; none for everything.
    catches: Option<String>,
    code: Snippet,
    /// Whether `this` waits for `super()` in the range.
    unborn: bool,
}

impl<'c> Editor<'c> {
    /// Begins to edit the body of `method`; none if it has no body.
    pub fn new(
        class: &'c ClassFile<'c>,
        method: &'c Member<'c>,
    ) -> Result<Option<Self>, EditError> {
        let Some(code) = class.code(method)? else {
            return Ok(None);
        };
        let mut index = vec![INSIDE; code.bytes.len().saturating_add(1)];
        let mut instructions = Vec::with_capacity(code.bytes.len() / 2);
        let mut number: u32 = 0;
        for instruction in code.instructions() {
            let instruction = instruction?;
            if let Some(entry) = index.get_mut(instruction.offset as usize) {
                *entry = number;
            }
            instructions.push(instruction);
            number = number.saturating_add(1);
        }
        if let Some(end) = index.last_mut() {
            *end = number;
        }
        let editor = Self {
            class,
            method,
            max_locals: code.max_locals.into(),
            code,
            instructions,
            index,
            insertions: Vec::new(),
            replacements: BTreeMap::new(),
            handlers: Vec::new(),
            held: Vec::new(),
            reserved_stack: 0,
            born: false,
            this_from: None,
            leaves: 0,
        };
        for instruction in &editor.instructions {
            let offset = instruction.offset;
            let mut bad = None;
            instruction.each_target(|target| {
                if editor.target_index(target).is_none() {
                    bad = Some(target);
                }
            });
            if let Some(target) = bad {
                return Err(EditError::BadTarget { offset, target });
            }
        }
        Ok(Some(editor))
    }

    /// The body as it was.
    pub fn code(&self) -> &Code<'c> {
        &self.code
    }

    /// The instructions as they were.
    pub fn instructions(&self) -> &[Instruction<'c>] {
        &self.instructions
    }

    /// Inserts `code` before the instruction at `offset`; it runs whenever the
    /// instruction does. Several insertions stand in the order they were made.
    pub fn before(&mut self, offset: u32, code: Snippet) -> Result<(), EditError> {
        self.before_with(offset, code, Landing::Before)
    }

    /// Inserts `code` before the instruction at `offset`.
    pub fn before_with(
        &mut self,
        offset: u32,
        code: Snippet,
        landing: Landing,
    ) -> Result<(), EditError> {
        let at = self.instruction_index(offset)?;
        let place = match landing {
            Landing::Before => Place::Label,
            Landing::After => {
                if let Some(before) = at.checked_sub(1).and_then(|i| self.instructions.get(i)) {
                    must_fall_through(before)?;
                }
                Place::Gap
            }
        };
        self.insert(at, place, code, offset)
    }

    /// Inserts `code` after the instruction at `offset`; it runs when control
    /// falls through to the next one, not when it jumps there.
    pub fn after(&mut self, offset: u32, code: Snippet) -> Result<(), EditError> {
        let at = self.instruction_index(offset)?;
        if let Some(instruction) = self.instructions.get(at) {
            must_fall_through(instruction)?;
        }
        self.insert(at, Place::After, code, offset)
    }

    /// Inserts `code` at the start of the method; it runs once per call, even
    /// if a loop begins at the first instruction.
    pub fn at_entry(&mut self, code: Snippet) -> Result<(), EditError> {
        self.insert(0, Place::Gap, code, 0)
    }

    /// Inserts a choice at the very start of the method: unless `test` leaves a
    /// zero on the stack, `early` is done instead of the method, and ends it.
    pub fn leave_early(&mut self, test: &Snippet, early: &Snippet) -> Result<(), EditError> {
        if !early.ends() {
            return Err(EditError::FallsThrough { offset: 0 });
        }
        let code = Snippet::unless(test, early)?;
        self.leaves = u32::try_from(code.bytes().len()).unwrap_or(u32::MAX);
        let place = Place::Gap;
        self.insertions.insert(0, Insertion { at: 0, place, code });
        Ok(())
    }

    /// Inserts `code` before every return.
    pub fn before_returns(&mut self, code: &Snippet) -> Result<(), EditError> {
        let returns: Vec<u32> = self
            .instructions
            .iter()
            .filter(|instruction| opcode::is_return(instruction.opcode))
            .map(|instruction| instruction.offset)
            .collect();
        for offset in returns {
            self.before(offset, code.clone())?;
        }
        Ok(())
    }

    /// Replaces the instruction at `offset`. What does not go on to the next
    /// instruction must be replaced by code that does not, and vice versa.
    pub fn replace(&mut self, offset: u32, code: Snippet) -> Result<(), EditError> {
        let at = self.instruction_index(offset)?;
        let goes_on = self
            .instructions
            .get(at)
            .is_some_and(|instruction| opcode::falls_through(instruction.opcode));
        match (goes_on, code.ends()) {
            (true, true) => return Err(EditError::Ends { offset }),
            (false, false) => return Err(EditError::FallsThrough { offset }),
            _ => {}
        }
        if self.replacements.contains_key(&at) {
            return Err(EditError::ReplacedTwice { offset });
        }
        self.replacements.insert(at, code);
        Ok(())
    }

    /// Appends a handler for `catches` (a class name; none for everything)
    /// that is thrown by the original instructions from `start` up to, not
    /// including, `end` and that no handler before it catches. `code` begins
    /// with the exception on the stack and must end with a return or `athrow`.
    /// Rows are appended, so type annotations on older rows stay right.
    ///
    /// In a constructor the range has to begin after `super()` or `this()`:
    /// the verifier rejects a range across that call.
    pub fn catch(
        &mut self,
        start: u32,
        end: u32,
        catches: Option<&str>,
        code: Snippet,
    ) -> Result<(), EditError> {
        match initialized_from(self.class, self.method, &self.code) {
            Initialized::Always => {}
            Initialized::From { offset, .. } if offset <= start => {}
            other => return Err(EditError::Constructor(other)),
        }
        self.append_handler(start, end, catches, code, false)
    }

    /// Appends a handler for whatever leaves the method. In a constructor it
    /// covers what comes after `super()` or `this()`.
    pub fn catch_all(&mut self, code: Snippet) -> Result<(), EditError> {
        let start = match initialized_from(self.class, self.method, &self.code) {
            Initialized::Always => 0,
            Initialized::From { offset, .. } => offset,
            other => return Err(EditError::Constructor(other)),
        };
        let end = u32::try_from(self.code.bytes.len()).unwrap_or(u32::MAX);
        self.append_handler(start, end, None, code, false)
    }

    /// Appends a handler for what is thrown in a constructor on the way to
    /// `super()` or `this()`. That call itself cannot be covered: the verifier
    /// would want `this` to be both, complete and not. False where there is no
    /// such range: not a constructor, nothing on the way, several such calls,
    /// or a class file that is verified without frames.
    pub fn catch_unborn(&mut self, code: Snippet) -> Result<bool, EditError> {
        let found = initialized_from(self.class, self.method, &self.code);
        let Initialized::From { calls, .. } = found else {
            return Ok(false);
        };
        let [call] = *calls.as_slice() else {
            return Ok(false);
        };
        let framed = self.class.major >= 51;
        if !framed || self.instruction_index(call)? < 2 {
            return Ok(false);
        }
        // Code that javac did not write may put something else in its place.
        let mut stays = true;
        let walked = walk(self.class, self.method, &self.code, |instruction, state| {
            let first = state.and_then(|state| state.locals.first());
            let there = first == Some(&Type::UninitializedThis);
            stays &= there || instruction.offset > call;
        });
        if walked.is_err() || !stays {
            return Ok(false);
        }
        self.append_handler(0, call, None, code, true)?;
        Ok(true)
    }

    /// A new local slot (two for `long` and `double`). Its value lives until
    /// the next frame, that is the next jump target; see [`Editor::hold`].
    pub fn new_local(&mut self, ty: FieldType<'_>) -> Result<u16, EditError> {
        let needed = self.max_locals.saturating_add(ty.slots().into());
        if needed > 65_535 {
            return Err(EditError::TooManyLocals { needed });
        }
        let slot =
            u16::try_from(self.max_locals).map_err(|_| EditError::TooManyLocals { needed })?;
        self.max_locals = needed;
        Ok(slot)
    }

    /// A new local that keeps its value for the whole call, appended handlers
    /// included. `value` runs at method entry and leaves the first value on
    /// the stack. Every frame of the method is spelled out to say so.
    pub fn hold(&mut self, ty: FieldType<'c>, mut value: Snippet) -> Result<u16, EditError> {
        let slot = self.new_local(ty)?;
        value.store(ty, slot)?;
        self.at_entry(value)?;
        self.held.push((slot, Type::of_field(ty)));
        Ok(slot)
    }

    /// Adds stack slots beyond what the snippets are known to need.
    pub fn reserve_stack(&mut self, slots: u16) {
        self.reserved_stack = self.reserved_stack.max(slots);
    }

    /// Says that objects are complete from the beginning: `this`, because the
    /// constructor becomes an ordinary method, and the result of every `new`
    /// that is replaced. Frames then say their classes.
    pub fn born(&mut self) {
        self.born = true;
    }

    /// Lets inserted code read `this` in a constructor, once `super()` is called, if nothing is
    /// stored in its place: some compilers leave out of frames what nobody reads any more.
    pub fn keep_this(&mut self) {
        let found = initialized_from(self.class, self.method, &self.code);
        let Initialized::From { offset: from, .. } = found else {
            return;
        };
        // Whoever gets there without `super()` has no `this` to keep.
        let mut without = false;
        for instruction in self.instructions.iter().filter(|one| one.offset < from) {
            instruction.each_target(|target| without |= target >= i64::from(from));
        }
        for row in &self.code.exceptions {
            without |= u32::from(row.start) < from && u32::from(row.handler) >= from;
        }
        self.this_from = (!without).then_some(from);
    }

    /// The content of the new `Code` attribute.
    pub fn finish(&self, pool: &mut PoolEditor<'c>) -> Result<Vec<u8>, EditError> {
        let layout = Layout::new(self)?;
        self.emit(&layout, pool)
    }

    fn append_handler(
        &mut self,
        start: u32,
        end: u32,
        catches: Option<&str>,
        code: Snippet,
        unborn: bool,
    ) -> Result<(), EditError> {
        let first = self.instruction_index(start)?;
        let length = u32::try_from(self.code.bytes.len()).unwrap_or(u32::MAX);
        let last = if end == length {
            self.instructions.len()
        } else {
            self.instruction_index(end)?
        };
        if first >= last {
            return Err(EditError::EmptyRange { start, end });
        }
        if !code.ends() {
            return Err(EditError::FallsThrough { offset: length });
        }
        self.handlers.push(Handler {
            start: first,
            end: last,
            catches: catches.map(str::to_owned),
            code,
            unborn,
        });
        Ok(())
    }

    fn insert(
        &mut self,
        at: usize,
        place: Place,
        code: Snippet,
        offset: u32,
    ) -> Result<(), EditError> {
        if code.ends() {
            return Err(EditError::Ends { offset });
        }
        if !code.is_empty() {
            self.insertions.push(Insertion { at, place, code });
        }
        Ok(())
    }

    /// The position of the instruction at `offset`.
    fn instruction_index(&self, offset: u32) -> Result<usize, EditError> {
        self.target_index(offset.into())
            .ok_or(EditError::NoInstruction { offset })
    }

    /// The position of the instruction that begins at `offset`.
    fn target_index(&self, offset: i64) -> Option<usize> {
        self.boundary(u32::try_from(offset).ok()?)
            .filter(|at| *at < self.instructions.len())
    }

    /// The same, or the number of instructions for the end of the code.
    fn boundary(&self, offset: u32) -> Option<usize> {
        let at = *self.index.get(offset as usize)?;
        (at != INSIDE).then_some(at as usize)
    }
}

fn must_fall_through(instruction: &Instruction<'_>) -> Result<(), EditError> {
    match opcode::falls_through(instruction.opcode) {
        true => Ok(()),
        false => Err(EditError::NoFallThrough {
            offset: instruction.offset,
        }),
    }
}
