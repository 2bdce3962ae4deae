//! Goes through a method, and joins what its instructions assign.
//!
//! The types of locals and stack say which of them may be arrays; beside each of those stands
//! its class. Where paths meet, the values of each place are joined.

use std::collections::{BTreeSet, HashMap};

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::{self, State, Type};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{
    ClassFile, Code, Instruction, LineNumberTable, Member, ReadError, access,
};

use super::{Arrays, Key, Made, RESULT, Touched, UNKNOWN, key};
use crate::class::{Signature, text};

/// A value that may be an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Value {
    pub(super) class: Option<u32>,
    /// It is being made: where, and nothing but the stack has it.
    pub(super) fresh: Option<u32>,
}

/// Whether a value of a type may be an array.
fn may_be(ty: &Type<'_>) -> bool {
    match ty {
        Type::Object(name) => is_general(name),
        Type::ArrayOf(_) => true,
        _ => false,
    }
}

pub(super) fn is_general(name: &[u8]) -> bool {
    let general: [&[u8]; 3] = [
        b"java/lang/Object",
        b"java/lang/Cloneable",
        b"java/io/Serializable",
    ];
    name.starts_with(b"[") || general.contains(&name)
}

pub(super) fn holds(ty: &FieldType<'_>) -> bool {
    match ty {
        FieldType::Array(_) => true,
        FieldType::Object(name) => is_general(name.0),
        _ => false,
    }
}

/// Goes through a method; which array instruction touches arrays of which class. Where its
/// types are not known, nothing is known of what it touches.
pub(crate) fn walk<'c>(
    arrays: &mut Arrays,
    file: &ClassFile<'c>,
    member: &Member<'c>,
    code: &Code<'c>,
) -> Result<HashMap<u32, Touched>, ReadError> {
    let class = text(file.name()?);
    let signature = (
        text(file.pool.utf8(member.name)?),
        text(file.pool.utf8(member.descriptor)?),
    );
    let mut targets: BTreeSet<u32> = code
        .exceptions
        .iter()
        .map(|row| row.handler.into())
        .collect();
    for instruction in code.instructions() {
        instruction?.each_target(|target| targets.extend(u32::try_from(target)));
    }
    // Which places may be arrays where paths meet.
    let mut shapes: HashMap<u32, [Vec<bool>; 2]> = HashMap::new();
    let walked = flow::walk(file, member, code, |instruction, state| {
        if let (true, Some(state)) = (targets.contains(&instruction.offset), state) {
            let which = |types: &[Type<'_>]| types.iter().map(may_be).collect();
            let shape = [which(&state.locals), which(&state.stack)];
            shapes.insert(instruction.offset, shape);
        }
    });
    let lines = file.find(&code.attributes, "LineNumberTable");
    let lines = lines.map(|found| LineNumberTable::read(&found)).transpose();
    let mut walk = Walk {
        arrays,
        file,
        code,
        class,
        signature,
        is_static: member.access & access::STATIC != 0,
        lines: lines
            .ok()
            .flatten()
            .map(|table| table.0)
            .unwrap_or_default()
            .iter()
            .map(|line| (u32::from(line.start), i32::from(line.line)))
            .collect(),
        shapes,
        meets: HashMap::new(),
        locals: Vec::new(),
        stack: Vec::new(),
        reachable: true,
        changed: true,
        touched: HashMap::new(),
        wrong: None,
    };
    if walked.is_ok() {
        walk.enter();
        let again = flow::walk(file, member, code, |instruction, state| {
            walk.visit(instruction, state);
        });
        if again.is_ok() && walk.wrong.is_none() {
            return Ok(walk.touched);
        }
    }
    walk.opaque()?;
    Ok(HashMap::new())
}

pub(super) struct Walk<'w, 'c> {
    pub(super) arrays: &'w mut Arrays,
    pub(super) file: &'w ClassFile<'c>,
    code: &'w Code<'c>,
    pub(super) class: String,
    pub(super) signature: Signature,
    pub(super) is_static: bool,
    lines: Vec<(u32, i32)>,
    shapes: HashMap<u32, [Vec<bool>; 2]>,
    /// The values where paths meet, as far as any of them was gone.
    meets: HashMap<u32, [Vec<Value>; 2]>,
    pub(super) locals: Vec<Value>,
    pub(super) stack: Vec<Value>,
    reachable: bool,
    /// Locals have changed since handlers were told.
    pub(super) changed: bool,
    touched: HashMap<u32, Touched>,
    wrong: Option<ReadError>,
}

impl<'c> Walk<'_, 'c> {
    /// The parameters are there.
    fn enter(&mut self) {
        let Ok(descriptor) = MethodDescriptor::parse(Utf8(self.signature.1.as_bytes())) else {
            return;
        };
        let holding: Vec<(bool, u16)> = descriptor
            .parameters
            .iter()
            .map(|ty| (holds(ty), ty.slots()))
            .collect();
        if !self.is_static {
            self.locals.push(Value::default());
        }
        for (at, (holds, slots)) in holding.into_iter().enumerate() {
            let class = holds.then(|| self.arrays.value(self.own(), at + 1));
            self.locals.push(Value { class, fresh: None });
            if slots == 2 {
                self.locals.push(Value::default());
            }
        }
    }

    fn visit(&mut self, instruction: &Instruction<'c>, state: Option<&State<'c>>) {
        let Some(state) = state else {
            self.reachable = false;
            return;
        };
        let offset = instruction.offset;
        if self.shapes.contains_key(&offset) {
            if self.reachable {
                let (locals, stack) = (self.locals.clone(), self.stack.clone());
                self.meet(offset, &locals, &stack);
            }
            let [locals, stack] = self.meets.get(&offset).cloned().unwrap_or_default();
            (self.locals, self.stack) = (locals, stack);
            self.changed = true;
        }
        self.reachable = true;
        // What was pushed by instructions that push no array is no array.
        fit(&mut self.stack, &state.stack);
        fit(&mut self.locals, &state.locals);
        self.tell_handlers(offset);
        if let Err(error) = self.step(instruction, state) {
            self.wrong.get_or_insert(error);
        }
        let mut targets = Vec::new();
        instruction.each_target(|target| targets.extend(u32::try_from(target)));
        if !targets.is_empty() {
            let popped = jump_pops(instruction.opcode);
            let left = self.stack.len().saturating_sub(popped);
            let stack: Vec<Value> = self.stack.iter().take(left).copied().collect();
            let locals = self.locals.clone();
            for target in targets {
                self.meet(target, &locals, &stack);
            }
            self.stack = stack;
        }
        if !opcode::falls_through(instruction.opcode) {
            self.reachable = false;
        }
    }

    fn tell_handlers(&mut self, offset: u32) {
        let rows = &self.code.exceptions;
        let begins = rows.iter().any(|row| u32::from(row.start) == offset);
        if !self.changed && !begins {
            return;
        }
        self.changed = false;
        let handlers: Vec<u32> = rows
            .iter()
            .filter(|row| (u32::from(row.start)..u32::from(row.end)).contains(&offset))
            .map(|row| row.handler.into())
            .collect();
        let locals = self.locals.clone();
        for handler in handlers {
            self.meet(handler, &locals, &[Value::default()]);
        }
    }

    /// A path comes to where others do.
    fn meet(&mut self, offset: u32, locals: &[Value], stack: &[Value]) {
        let Some(shape) = self.shapes.get(&offset) else {
            return;
        };
        let [of_locals, of_stack] = self.meets.entry(offset).or_insert_with(|| {
            [0, 1].map(|which: usize| {
                let places = shape.get(which).map_or(0, Vec::len);
                vec![Value::default(); places]
            })
        });
        let [local_shape, stack_shape] = shape;
        let places = of_locals.iter_mut().zip(locals).zip(local_shape);
        for ((known, value), holds) in places.chain(of_stack.iter_mut().zip(stack).zip(stack_shape))
        {
            match (known.class, value.class) {
                _ if !holds => {}
                (None, class) => known.class = class,
                (Some(one), Some(other)) => self.arrays.classes.join(one, other),
                (Some(_), None) => {}
            }
        }
    }

    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_default()
    }

    pub(super) fn push(&mut self, class: Option<u32>) {
        self.stack.push(Value { class, fresh: None });
    }

    /// A value goes where others may see it.
    pub(super) fn used(&mut self, value: Value) {
        if value.fresh.is_some() {
            for other in &mut self.stack {
                if other.fresh == value.fresh {
                    other.fresh = None;
                }
            }
        }
    }

    pub(super) fn joined(&mut self, value: Value, with: u32) {
        self.used(value);
        if let Some(class) = value.class {
            self.arrays.classes.join(class, with);
        }
    }

    pub(super) fn makes(&mut self, offset: u32, of: &'static str) -> u32 {
        let class = self.arrays.classes.add();
        self.made(class, offset, of);
        class
    }

    pub(super) fn made(&mut self, class: u32, offset: u32, of: &'static str) {
        let line = self.lines.iter().filter(|(start, _)| *start <= offset);
        let line = line.max_by_key(|(start, _)| *start).map(|(_, line)| *line);
        let made = Made {
            class: self.class.clone(),
            method: self.signature.0.clone(),
            line: line.unwrap_or_else(|| -1 - i32::try_from(offset).unwrap_or(i32::MAX - 1)),
        };
        self.arrays.made.push((class, of, made));
    }

    pub(super) fn touches(&mut self, offset: u32, array: Value) {
        // An array that nobody knows of is null here, or not an array at all.
        let touched = Touched {
            class: array.class.unwrap_or(UNKNOWN),
            fresh: array.fresh.is_some(),
        };
        self.touched.insert(offset, touched);
    }

    /// The method itself.
    pub(super) fn own(&self) -> Key {
        key(&self.class, &self.signature, self.is_static)
    }

    /// Nothing is known of this method: what it can come to may be anything.
    fn opaque(&mut self) -> Result<(), ReadError> {
        self.arrays.open.push((self.own(), 0));
        for instruction in self.code.instructions() {
            let instruction = instruction?;
            let index = instruction.constant().unwrap_or(0);
            match instruction.opcode {
                opcode::GETSTATIC..=opcode::PUTFIELD => {
                    let member = self.file.pool.member(index)?;
                    let field = Key::Field(text(member.class), text(member.name));
                    let field = self.arrays.value(field, RESULT);
                    self.arrays.classes.join(field, UNKNOWN);
                }
                opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                    let member = self.file.pool.member(index)?;
                    let (class, signature) = (
                        text(member.class),
                        (text(member.name), text(member.descriptor)),
                    );
                    let exact = instruction.opcode == opcode::INVOKESTATIC;
                    self.arrays.open.push((key(&class, &signature, exact), 0));
                    self.arrays.calls.push((class, signature, exact));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// As many values as there are types, and none where there is no array.
fn fit(values: &mut Vec<Value>, types: &[Type<'_>]) {
    values.resize(types.len(), Value::default());
    for (value, ty) in values.iter_mut().zip(types) {
        if !may_be(ty) {
            *value = Value::default();
        }
    }
}

/// How many values a jump takes from the stack.
fn jump_pops(code: u8) -> usize {
    match code {
        opcode::IF_ICMPEQ..=opcode::IF_ACMPNE => 2,
        opcode::GOTO | opcode::GOTO_W => 0,
        _ => 1,
    }
}
