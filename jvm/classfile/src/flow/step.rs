//! What one instruction does to the types of locals and stack.

use super::{FlowError, State, Type};
use crate::descriptor::{FieldType, MethodDescriptor};
use crate::opcode;
use crate::read::{Constant, Instruction, Operands, Pool};

/// What an instruction is executed in.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a, 'p> {
    pub(crate) pool: &'p Pool<'a>,
    pub(crate) this: &'a [u8],
    pub(crate) code: &'a [u8],
    /// Whether types of merged references are unknown, so that an array type
    /// may have been lost.
    pub(crate) merged: bool,
}

const OBJECT: Type<'static> = Type::Object(b"java/lang/Object");

impl<'a> State<'a> {
    /// Executes one instruction. Jumps pop their operands; where control goes
    /// is up to the caller.
    pub(crate) fn step(
        &mut self,
        instruction: &Instruction<'a>,
        context: Context<'a, '_>,
    ) -> Result<(), FlowError> {
        let offset = instruction.offset;
        let effect = opcode::effect(instruction.opcode);
        let Some((pops, pushes)) = effect.split_once('>') else {
            return self.special(instruction, context);
        };
        for _ in pops.bytes() {
            let ty = self.pop(offset)?;
            if let (Some(slot), opcode::ISTORE..=opcode::ASTORE_3) =
                (instruction.local(), instruction.opcode)
            {
                self.set_local(slot, ty);
            }
        }
        for ty in pushes.bytes() {
            self.stack.push(match ty {
                b'I' => Type::Integer,
                b'J' => Type::Long,
                b'F' => Type::Float,
                b'D' => Type::Double,
                _ => Type::Null,
            });
        }
        Ok(())
    }

    /// Instructions whose effect depends on operands or on the stack.
    fn special(
        &mut self,
        instruction: &Instruction<'a>,
        context: Context<'a, '_>,
    ) -> Result<(), FlowError> {
        let offset = instruction.offset;
        let pool = context.pool;
        match instruction.opcode {
            opcode::LDC | opcode::LDC_W | opcode::LDC2_W => {
                self.stack.push(constant_type(instruction, pool)?);
            }
            opcode::ALOAD | opcode::ALOAD_0..=opcode::ALOAD_3 => {
                self.stack
                    .push(self.local(instruction.local().unwrap_or(0)));
            }
            opcode::AALOAD => {
                self.pop(offset)?;
                let element = self.pop(offset)?.element();
                let element = element.or(context.merged.then_some(OBJECT));
                self.stack
                    .push(element.ok_or(FlowError::NotAnArray { offset })?);
            }
            opcode::POP => drop(self.pop_slots(1, offset)?),
            opcode::POP2 => drop(self.pop_slots(2, offset)?),
            opcode::DUP => self.duplicate(1, 0, offset)?,
            opcode::DUP_X1 => self.duplicate(1, 1, offset)?,
            opcode::DUP_X2 => self.duplicate(1, 2, offset)?,
            opcode::DUP2 => self.duplicate(2, 0, offset)?,
            opcode::DUP2_X1 => self.duplicate(2, 1, offset)?,
            opcode::DUP2_X2 => self.duplicate(2, 2, offset)?,
            opcode::SWAP => {
                let top = self.pop_slots(1, offset)?;
                let below = self.pop_slots(1, offset)?;
                self.stack.extend(top);
                self.stack.extend(below);
            }
            opcode::JSR | opcode::JSR_W => self.stack.push(Type::Address),
            opcode::GETSTATIC | opcode::PUTSTATIC | opcode::GETFIELD | opcode::PUTFIELD => {
                self.field(instruction, pool)?;
            }
            opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => self.invoke(instruction, context)?,
            opcode::NEW => self.stack.push(Type::Uninitialized(offset)),
            opcode::NEWARRAY => {
                self.pop(offset)?;
                let Operands::ArrayType(code) = instruction.operands else {
                    return Err(FlowError::NotAnArray { offset });
                };
                let name: &[u8] = match code {
                    4 => b"[Z",
                    5 => b"[C",
                    6 => b"[F",
                    7 => b"[D",
                    8 => b"[B",
                    9 => b"[S",
                    10 => b"[I",
                    11 => b"[J",
                    _ => return Err(FlowError::NotAnArray { offset }),
                };
                self.stack.push(Type::Object(name));
            }
            opcode::ANEWARRAY => {
                self.pop(offset)?;
                let name = pool.class_name(instruction.constant().unwrap_or(0))?;
                self.stack.push(Type::ArrayOf(name.0));
            }
            opcode::CHECKCAST => {
                self.pop(offset)?;
                let name = pool.class_name(instruction.constant().unwrap_or(0))?;
                self.stack.push(Type::Object(name.0));
            }
            opcode::MULTIANEWARRAY => {
                let Operands::Dimensions(class, dimensions) = instruction.operands else {
                    return Err(FlowError::NotAnArray { offset });
                };
                self.pop_slots(usize::from(dimensions), offset)?;
                self.stack.push(Type::Object(pool.class_name(class)?.0));
            }
            _ => {}
        }
        Ok(())
    }

    fn duplicate(&mut self, top: usize, below: usize, offset: u32) -> Result<(), FlowError> {
        let top = self.pop_slots(top, offset)?;
        let below = self.pop_slots(below, offset)?;
        self.stack.extend_from_slice(&top);
        self.stack.extend(below);
        self.stack.extend(top);
        Ok(())
    }

    fn field(&mut self, instruction: &Instruction<'a>, pool: &Pool<'a>) -> Result<(), FlowError> {
        let offset = instruction.offset;
        let member = pool.member(instruction.constant().unwrap_or(0))?;
        let ty = Type::of_field(FieldType::parse(member.descriptor)?);
        let opcode = instruction.opcode;
        if matches!(opcode, opcode::PUTSTATIC | opcode::PUTFIELD) {
            self.pop_slots(ty.slots(), offset)?;
        }
        if matches!(opcode, opcode::GETFIELD | opcode::PUTFIELD) {
            self.pop(offset)?;
        }
        if matches!(opcode, opcode::GETSTATIC | opcode::GETFIELD) {
            self.stack.push(ty);
        }
        Ok(())
    }

    fn invoke(
        &mut self,
        instruction: &Instruction<'a>,
        context: Context<'a, '_>,
    ) -> Result<(), FlowError> {
        let offset = instruction.offset;
        let pool = context.pool;
        let index = instruction.constant().unwrap_or(0);
        let (name, descriptor) = match instruction.opcode {
            opcode::INVOKEDYNAMIC => pool.dynamic(index)?,
            _ => {
                let member = pool.member(index)?;
                (member.name, member.descriptor)
            }
        };
        let method = MethodDescriptor::parse(descriptor)?;
        for parameter in method.parameters.iter().rev() {
            self.pop_slots(usize::from(parameter.slots()), offset)?;
        }
        if !matches!(
            instruction.opcode,
            opcode::INVOKESTATIC | opcode::INVOKEDYNAMIC
        ) {
            let receiver = self.pop(offset)?;
            if name == "<init>" {
                self.construct(receiver, offset, context)?;
            }
        }
        if let Some(result) = method.result {
            self.stack.push(Type::of_field(result));
        }
        Ok(())
    }

    fn construct(
        &mut self,
        receiver: Type<'a>,
        offset: u32,
        context: Context<'a, '_>,
    ) -> Result<(), FlowError> {
        let class = match receiver {
            Type::UninitializedThis => context.this,
            Type::Uninitialized(new) => {
                let not_new = FlowError::NotInitializable { offset };
                let at = usize::try_from(new).map_err(|_| not_new.clone())?;
                match context.code.get(at..) {
                    Some([opcode::NEW, high, low, ..]) => {
                        let class = u16::from_be_bytes([*high, *low]);
                        context.pool.class_name(class)?.0
                    }
                    _ => return Err(not_new),
                }
            }
            _ => return Err(FlowError::NotInitializable { offset }),
        };
        self.initialize(receiver, Type::Object(class));
        Ok(())
    }
}

fn constant_type<'a>(
    instruction: &Instruction<'a>,
    pool: &Pool<'a>,
) -> Result<Type<'a>, FlowError> {
    let index = instruction.constant().unwrap_or(0);
    Ok(match pool.get(index)? {
        Constant::Integer(_) => Type::Integer,
        Constant::Float(_) => Type::Float,
        Constant::Long(_) => Type::Long,
        Constant::Double(_) => Type::Double,
        Constant::String { .. } => Type::Object(b"java/lang/String"),
        Constant::Class { .. } => Type::Object(b"java/lang/Class"),
        Constant::MethodHandle { .. } => Type::Object(b"java/lang/invoke/MethodHandle"),
        Constant::MethodType { .. } => Type::Object(b"java/lang/invoke/MethodType"),
        Constant::Dynamic { .. } => {
            let (_, descriptor) = pool.dynamic(index)?;
            Type::of_field(FieldType::parse(descriptor)?)
        }
        _ => {
            return Err(FlowError::NotLoadable {
                offset: instruction.offset,
                index,
            });
        }
    })
}
