//! What one instruction does with arrays.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::flow::{State, Type};
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, Operands, ReadError};

use super::values::{Value, Walk, holds, is_general};
use super::{Key, RESULT};
use crate::class::{elements, text};

impl<'c> Walk<'_, 'c> {
    pub(super) fn step(
        &mut self,
        instruction: &Instruction<'c>,
        state: &State<'c>,
    ) -> Result<(), ReadError> {
        let offset = instruction.offset;
        let slot = usize::from(instruction.local().unwrap_or_default());
        match instruction.opcode {
            opcode::ALOAD | opcode::ALOAD_0..=opcode::ALOAD_3 => {
                let value = self.locals.get(slot).copied().unwrap_or_default();
                self.push(value.class);
            }
            opcode::ASTORE | opcode::ASTORE_0..=opcode::ASTORE_3 => {
                let value = self.pop();
                self.used(value);
                if self.locals.len() <= slot {
                    self.locals.resize(slot + 1, Value::default());
                }
                if let Some(local) = self.locals.get_mut(slot) {
                    local.class = value.class;
                }
                self.changed = true;
            }
            opcode::AALOAD => {
                self.pop();
                let array = self.pop();
                self.touches(offset, array);
                let class = array.class.map(|class| self.arrays.classes.elements(class));
                self.push(class);
            }
            opcode::IALOAD..=opcode::SALOAD => {
                self.pop();
                let array = self.pop();
                self.touches(offset, array);
                self.push(None);
            }
            opcode::IASTORE..=opcode::SASTORE => {
                let value = self.pop();
                self.pop();
                let array = self.pop();
                self.touches(offset, array);
                if instruction.opcode == opcode::AASTORE {
                    self.used(value);
                    if let (Some(array), Some(_)) = (array.class, value.class) {
                        let elements = self.arrays.classes.elements(array);
                        self.joined(value, elements);
                    }
                }
            }
            opcode::NEWARRAY | opcode::ANEWARRAY => {
                self.pop();
                let of = match instruction.operands {
                    Operands::ArrayType(ty) => of_values(ty),
                    _ => "Object",
                };
                let class = self.makes(offset, of);
                self.stack.push(Value {
                    class: Some(class),
                    fresh: Some(offset),
                });
            }
            opcode::MULTIANEWARRAY => self.many(instruction)?,
            opcode::CHECKCAST => {
                let value = self.pop();
                let name = self
                    .file
                    .pool
                    .class_name(instruction.constant().unwrap_or(0))?;
                match is_general(name.0) {
                    true => self.stack.push(value),
                    false => self.push(None),
                }
            }
            opcode::DUP..=opcode::SWAP => self.shuffle(instruction.opcode, state),
            opcode::GETSTATIC..=opcode::PUTFIELD => self.field(instruction)?,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => self.call(instruction)?,
            opcode::INVOKEDYNAMIC => self.hand_out(instruction)?,
            opcode::ARETURN => {
                let value = self.pop();
                if value.class.is_some() {
                    let result = self.arrays.value(self.own(), RESULT);
                    self.joined(value, result);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn many(&mut self, instruction: &Instruction<'c>) -> Result<(), ReadError> {
        let Operands::Dimensions(class, dimensions) = instruction.operands else {
            return Ok(());
        };
        let name = self.file.pool.class_name(class)?.0.to_vec();
        let left = self.stack.len().saturating_sub(dimensions.into());
        self.stack.truncate(left);
        let mut first = None;
        let mut last: Option<u32> = None;
        for depth in 1..=usize::from(dimensions) {
            let of = match name.get(depth..) {
                Some([b'[' | b'L', ..]) | None => "Object",
                Some(rest) => of_descriptor(rest),
            };
            let made = match last {
                None => self.makes(instruction.offset, of),
                Some(outer) => {
                    let inner = self.arrays.classes.elements(outer);
                    self.made(inner, instruction.offset, of);
                    inner
                }
            };
            first = first.or(Some(made));
            last = Some(made);
        }
        self.push(first);
        Ok(())
    }

    /// Repeats and exchanges what is on the stack.
    fn shuffle(&mut self, code: u8, state: &State<'c>) {
        let wide = |at: usize| {
            let ty = state.stack.iter().rev().nth(at);
            matches!(ty, Some(Type::Long | Type::Double))
        };
        let (top, below) = match code {
            opcode::DUP => (1, 0),
            opcode::DUP_X1 => (1, 1),
            opcode::DUP_X2 => (1, if wide(1) { 1 } else { 2 }),
            opcode::SWAP => {
                let (one, other) = (self.pop(), self.pop());
                self.stack.extend([one, other]);
                return;
            }
            // One value of two slots, or two.
            _ => {
                let top = if wide(0) { 1 } else { 2 };
                let below = match code {
                    opcode::DUP2 => 0,
                    opcode::DUP2_X1 => 1,
                    _ if wide(top) => 1,
                    _ => 2,
                };
                (top, below)
            }
        };
        let split = self.stack.len().saturating_sub(top);
        let tops = self.stack.split_off(split);
        let split = self.stack.len().saturating_sub(below);
        let belows = self.stack.split_off(split);
        self.stack.extend_from_slice(&tops);
        self.stack.extend(belows);
        self.stack.extend(tops);
    }

    fn field(&mut self, instruction: &Instruction<'c>) -> Result<(), ReadError> {
        let member = self.file.pool.member(instruction.constant().unwrap_or(0))?;
        let holds = FieldType::parse(member.descriptor).is_ok_and(|ty| holds(&ty));
        let name = || Key::Field(text(member.class), text(member.name));
        let writes = matches!(instruction.opcode, opcode::PUTSTATIC | opcode::PUTFIELD);
        let value = if writes { self.pop() } else { Value::default() };
        if matches!(instruction.opcode, opcode::GETFIELD | opcode::PUTFIELD) {
            self.pop();
        }
        let class = holds.then(|| self.arrays.value(name(), RESULT));
        match (writes, class) {
            (true, Some(class)) => self.joined(value, class),
            (true, None) => self.used(value),
            (false, class) => self.push(class),
        }
        Ok(())
    }
}

/// The type of elements that the operand of `newarray` stands for, as array instructions
/// tell them apart.
fn of_values(ty: u8) -> &'static str {
    elements(match ty {
        10 => 0,
        11 => 1,
        6 => 2,
        7 => 3,
        // One instruction has both.
        4 | 8 => 5,
        5 => 6,
        _ => 7,
    })
}

pub(super) fn of_descriptor(descriptor: &[u8]) -> &'static str {
    elements(match descriptor.first() {
        Some(b'I') => 0,
        Some(b'J') => 1,
        Some(b'F') => 2,
        Some(b'D') => 3,
        Some(b'Z' | b'B') => 5,
        Some(b'C') => 6,
        Some(b'S') => 7,
        _ => 4,
    })
}
