//! The operands of an instruction that is not executed.

use iced_x86::{OpKind, Register};

use super::{Thought, bits};
use crate::idle::{ORDER, value};

impl Thought {
    /// How many bytes an operand has.
    pub(super) fn size(&self, index: u32) -> Option<usize> {
        let size = match self.instruction.op_kind(index) {
            OpKind::Register => self.instruction.op_register(index).size(),
            OpKind::Memory => self.instruction.memory_size().size(),
            _ => return self.size(index.checked_sub(1)?),
        };
        [1, 2, 4, 8].contains(&size).then_some(size)
    }

    pub(super) fn operand(&self, index: u32) -> Option<u64> {
        match self.instruction.op_kind(index) {
            OpKind::Register => self.register(self.instruction.op_register(index)),
            OpKind::Memory => self.memory(self.address(index)?, self.size(index)?),
            _ => {
                let value = self.instruction.try_immediate(index).ok()?;
                Some(value & bits(self.size(index)?))
            }
        }
    }

    /// Gives an operand a value. Memory must have it already.
    pub(super) fn set(&mut self, index: u32, value: u64) -> Option<()> {
        match self.instruction.op_kind(index) {
            OpKind::Register => self.set_register(self.instruction.op_register(index), value),
            OpKind::Memory => {
                let value = value & bits(self.size(index)?);
                (self.operand(index)? == value).then_some(())
            }
            _ => None,
        }
    }

    pub(super) fn address(&self, index: u32) -> Option<u64> {
        let known = |register, _, _| value(&self.registers, register);
        self.instruction.virtual_address(index, 0, known)
    }

    pub(super) fn memory(&self, address: u64, size: usize) -> Option<u64> {
        let mut word = [0; 8];
        let read = self.process.read(address, &mut word[..size]);
        (read == size).then(|| u64::from_le_bytes(word))
    }

    pub(super) fn register(&self, register: Register) -> Option<u64> {
        let whole = self.whole(register)?;
        let value = self.registers.0[whole] >> shift(register);
        Some(value & bits(register.size()))
    }

    pub(super) fn set_register(&mut self, register: Register, value: u64) -> Option<()> {
        let whole = self.whole(register)?;
        let (size, shift) = (register.size(), shift(register));
        let before = self.registers.0[whole];
        let value = value & bits(size);
        self.registers.0[whole] = match size {
            // The other half becomes zero.
            4 | 8 => value,
            _ => before & !(bits(size) << shift) | value << shift,
        };
        Some(())
    }

    /// The place of a general register.
    fn whole(&self, register: Register) -> Option<usize> {
        let whole = register.full_register();
        let place = ORDER.get(whole.number()).copied();
        place.filter(|_| register.is_gpr() && whole.is_gpr64())
    }
}

/// Where a register begins in the whole of it.
fn shift(register: Register) -> u32 {
    let high = [Register::AH, Register::BH, Register::CH, Register::DH];
    if high.contains(&register) { 8 } else { 0 }
}
