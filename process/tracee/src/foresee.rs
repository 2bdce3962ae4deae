//! Whether a thread is in a loop that changes nothing, found out without letting it
//! run: what its next instructions do is worked out from its registers and memory.
//!
//! Letting it make single steps would tell, too. But a step outlives the tracer that
//! asked for it: whoever is killed meanwhile leaves a thread behind that dies of a
//! SIGTRAP. Only instructions that loops of that kind are made of are known here; any
//! other means that it computes.

mod operands;

use iced_x86::{
    Code, ConditionCode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind,
    Register,
};
use reprise_process_events::Registers;

use crate::idle::LONGEST;
use crate::{Tracee, Tracing};

const CARRY: u64 = 1;
const PARITY: u64 = 1 << 2;
/// Nothing that is known here depends on it, and processors differ in it.
const ADJUST: u64 = 1 << 4;
const ZERO: u64 = 1 << 6;
const SIGN: u64 = 1 << 7;
const OVERFLOW: u64 = 1 << 11;
const ARITHMETIC: u64 = CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW;

/// The flags for single steps and for going on behind a breakpoint.
const TRACERS: u64 = 0x1_0100;

impl Tracee {
    /// Whether a thread that stands in its program is in a loop that changes
    /// nothing.
    pub fn will_idle(self) -> Tracing<bool> {
        Ok(idles(self, self.registers()?))
    }
}

fn idles(process: Tracee, first: Registers) -> bool {
    let mut registers = first;
    for _ in 0..LONGEST {
        let code = process.read_some(registers.rip(), 15);
        let at = registers.rip();
        let instruction = Decoder::with_ip(64, &code, at, DecoderOptions::NONE).decode();
        let mut thought = Thought {
            process,
            registers,
            instruction,
        };
        if thought.follow().is_none() {
            return false;
        }
        registers = thought.registers;
        if plain(&registers) == plain(&first) {
            return true;
        }
    }
    false
}

/// What of the registers has to be the same.
fn plain(registers: &Registers) -> Registers {
    let mut plain = *registers;
    plain.set_orig_rax(0);
    plain.set_eflags(plain.eflags() & !(TRACERS | ADJUST));
    plain
}

/// An instruction that is not executed.
struct Thought {
    process: Tracee,
    registers: Registers,
    instruction: Instruction,
}

/// All bits of a number of so many bytes.
fn bits(size: usize) -> u64 {
    match size {
        8 => u64::MAX,
        _ => (1 << (size * 8)) - 1,
    }
}

/// A number of so many bytes, with its sign.
fn extended(value: u64, size: usize) -> u64 {
    let unused = 64 - size as u32 * 8;
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

impl Thought {
    /// Changes the registers as the instruction does; `None` if it changes anything
    /// else, or is not known.
    fn follow(&mut self) -> Option<()> {
        let instruction = self.instruction;
        self.registers.set_rip(instruction.next_ip());
        match instruction.mnemonic() {
            Mnemonic::Nop | Mnemonic::Pause | Mnemonic::Endbr64 => {}
            Mnemonic::Mov => {
                let value = self.operand(1)?;
                self.set(0, value)?;
            }
            Mnemonic::Movzx => {
                let value = self.operand(1)?;
                self.set(0, value)?;
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let value = extended(self.operand(1)?, self.size(1)?);
                self.set(0, value)?;
            }
            Mnemonic::Lea => {
                let value = self.address(1)?;
                self.set(0, value)?;
            }
            Mnemonic::Cmp => {
                self.difference(self.operand(0)?, self.operand(1)?)?;
            }
            Mnemonic::Test => {
                self.judge(self.operand(0)? & self.operand(1)?, 0)?;
            }
            Mnemonic::And => self.combine(|one, other| one & other)?,
            Mnemonic::Or => self.combine(|one, other| one | other)?,
            Mnemonic::Xor => self.combine(|one, other| one ^ other)?,
            Mnemonic::Sub => {
                let value = self.difference(self.operand(0)?, self.operand(1)?)?;
                self.set(0, value)?;
            }
            Mnemonic::Add => {
                let value = self.sum(self.operand(0)?, self.operand(1)?)?;
                self.set(0, value)?;
            }
            Mnemonic::Inc | Mnemonic::Dec => {
                let carry = self.registers.eflags() & CARRY;
                let before = self.operand(0)?;
                let value = match instruction.mnemonic() {
                    Mnemonic::Inc => self.sum(before, 1)?,
                    _ => self.difference(before, 1)?,
                };
                let flags = self.registers.eflags();
                self.registers.set_eflags(flags & !CARRY | carry);
                self.set(0, value)?;
            }
            Mnemonic::Xchg => {
                let (one, other) = (self.operand(0)?, self.operand(1)?);
                self.set(0, other)?;
                self.set(1, one)?;
            }
            Mnemonic::Cmpxchg => self.compare_and_exchange()?,
            Mnemonic::Push if self.size(0)? == 8 => {
                let value = self.operand(0)?;
                self.push(value)?;
            }
            Mnemonic::Pop if self.size(0)? == 8 => {
                let value = self.pop()?;
                self.set(0, value)?;
            }
            Mnemonic::Ret if instruction.code() == Code::Retnq => {
                let target = self.pop()?;
                self.registers.set_rip(target);
            }
            _ if is_setting(&instruction) => {
                let value = u64::from(self.holds()?);
                self.set(0, value)?;
            }
            _ => self.go_elsewhere()?,
        }
        Some(())
    }

    fn go_elsewhere(&mut self) -> Option<()> {
        let instruction = self.instruction;
        let is_near = matches!(instruction.op0_kind(), OpKind::NearBranch64);
        let target = match instruction.flow_control() {
            FlowControl::ConditionalBranch if instruction.is_jcc_short_or_near() => {
                if !self.holds()? {
                    return Some(());
                }
                instruction.near_branch_target()
            }
            FlowControl::UnconditionalBranch | FlowControl::Call if is_near => {
                instruction.near_branch_target()
            }
            FlowControl::IndirectBranch | FlowControl::IndirectCall if self.size(0)? == 8 => {
                self.operand(0)?
            }
            _ => return None,
        };
        match instruction.mnemonic() {
            Mnemonic::Call => self.push(instruction.next_ip())?,
            Mnemonic::Jmp => {}
            _ if instruction.is_jcc_short_or_near() => {}
            _ => return None,
        }
        self.registers.set_rip(target);
        Some(())
    }

    fn compare_and_exchange(&mut self) -> Option<()> {
        let size = self.size(0)?;
        let accumulator = match size {
            1 => Register::AL,
            2 => Register::AX,
            4 => Register::EAX,
            _ => Register::RAX,
        };
        let (expected, there) = (self.register(accumulator)?, self.operand(0)?);
        self.difference(expected, there)?;
        if expected == there {
            let value = self.operand(1)?;
            self.set(0, value)
        } else {
            // The memory is written even so, with what is there.
            self.set_register(accumulator, there)
        }
    }

    fn combine(&mut self, how: impl Fn(u64, u64) -> u64) -> Option<()> {
        let value = how(self.operand(0)?, self.operand(1)?) & bits(self.size(0)?);
        self.judge(value, 0)?;
        self.set(0, value)
    }

    /// Sets the flags for a result, with these beside it.
    fn judge(&mut self, result: u64, more: u64) -> Option<()> {
        let size = self.size(0)?;
        let result = result & bits(size);
        let mut flags = self.registers.eflags() & !ARITHMETIC | more;
        flags |= if result == 0 { ZERO } else { 0 };
        flags |= if result >> (size * 8 - 1) == 1 {
            SIGN
        } else {
            0
        };
        let even = (result as u8).count_ones().is_multiple_of(2);
        flags |= if even { PARITY } else { 0 };
        self.registers.set_eflags(flags);
        Some(())
    }

    fn difference(&mut self, one: u64, other: u64) -> Option<u64> {
        let all = bits(self.size(0)?);
        let (one, other) = (one & all, other & all);
        let result = one.wrapping_sub(other) & all;
        let top = (all >> 1) + 1;
        let mut more = if one < other { CARRY } else { 0 };
        more |= if (one ^ other) & (one ^ result) & top != 0 {
            OVERFLOW
        } else {
            0
        };
        self.judge(result, more)?;
        Some(result)
    }

    fn sum(&mut self, one: u64, other: u64) -> Option<u64> {
        let all = bits(self.size(0)?);
        let (one, other) = (one & all, other & all);
        let result = one.wrapping_add(other) & all;
        let top = (all >> 1) + 1;
        let mut more = if result < one { CARRY } else { 0 };
        more |= if !(one ^ other) & (one ^ result) & top != 0 {
            OVERFLOW
        } else {
            0
        };
        self.judge(result, more)?;
        Some(result)
    }

    /// Whether the condition of the instruction holds.
    fn holds(&self) -> Option<bool> {
        let flags = self.registers.eflags();
        let is_set = |flag: u64| flags & flag != 0;
        let less = is_set(SIGN) != is_set(OVERFLOW);
        Some(match self.instruction.condition_code() {
            ConditionCode::o => is_set(OVERFLOW),
            ConditionCode::no => !is_set(OVERFLOW),
            ConditionCode::b => is_set(CARRY),
            ConditionCode::ae => !is_set(CARRY),
            ConditionCode::e => is_set(ZERO),
            ConditionCode::ne => !is_set(ZERO),
            ConditionCode::be => is_set(CARRY) || is_set(ZERO),
            ConditionCode::a => !is_set(CARRY) && !is_set(ZERO),
            ConditionCode::s => is_set(SIGN),
            ConditionCode::ns => !is_set(SIGN),
            ConditionCode::p => is_set(PARITY),
            ConditionCode::np => !is_set(PARITY),
            ConditionCode::l => less,
            ConditionCode::ge => !less,
            ConditionCode::le => less || is_set(ZERO),
            ConditionCode::g => !less && !is_set(ZERO),
            ConditionCode::None => return None,
        })
    }

    fn push(&mut self, value: u64) -> Option<()> {
        let to = self.registers.rsp().wrapping_sub(8);
        self.registers.set_rsp(to);
        (self.memory(to, 8)? == value).then_some(())
    }

    fn pop(&mut self) -> Option<u64> {
        let from = self.registers.rsp();
        self.registers.set_rsp(from.wrapping_add(8));
        self.memory(from, 8)
    }
}

/// Whether an instruction stores a condition.
fn is_setting(instruction: &Instruction) -> bool {
    let conditional = instruction.condition_code() != ConditionCode::None;
    let stays = instruction.flow_control() == FlowControl::Next;
    conditional && stays && instruction.op_count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows code with `rdi` at a word that is 0, and the stack below others.
    fn check(code: &[u8], flags: u64, expected: bool) {
        let own = Tracee::already(nix::unistd::getpid());
        let words = [0u64; 8];
        let mut registers = Registers::default();
        registers.set_rip(code.as_ptr().addr() as u64);
        registers.set_rsp(words[4..].as_ptr().addr() as u64);
        let word = words.as_ptr().addr() as u64;
        registers.set_arguments([word, 0, 0, 0, 0, 0]);
        registers.set_eflags(flags | 0x202);
        assert_eq!(idles(own, registers), expected, "{code:x?}");
    }

    #[test]
    fn loops_that_wait_are_known() {
        const EQUAL: u64 = ZERO | PARITY;
        // jmp to itself
        check(&[0xeb, 0xfe], 0, true);
        // mov (%rdi),%eax; test %eax,%eax; je back
        check(&[0x8b, 0x07, 0x85, 0xc0, 0x74, 0xfa], EQUAL, true);
        // pause; cmpq $0,(%rdi); je back
        check(&[0xf3, 0x90, 0x48, 0x83, 0x3f, 0, 0x74, 0xf8], EQUAL, true);
        // the same, while it is not 0: it gets out, to no instruction that is known
        check(
            &[0xf3, 0x90, 0x48, 0x83, 0x3f, 0, 0x75, 0xf8, 0xf4],
            EQUAL,
            false,
        );
        // cmpb $1,(%rdi); jb back
        check(&[0x80, 0x3f, 1, 0x72, 0xfb], CARRY | SIGN | PARITY, true);
        // push %rsi; pop %rdx; jmp back: what is written is there already
        check(&[0x56, 0x5a, 0xeb, 0xfc], 0, true);
        // push %rdi; pop %rdx; jmp back: it is not
        check(&[0x57, 0x5a, 0xeb, 0xfc], 0, false);
        // lock cmpxchg %esi,(%rdi); jmp back
        check(&[0xf0, 0x0f, 0xb1, 0x37, 0xeb, 0xfa], EQUAL, true);
    }

    #[test]
    fn loops_that_count_compute() {
        // inc %rax; jmp back
        check(&[0x48, 0xff, 0xc0, 0xeb, 0xfb], 0, false);
        // incq (%rdi); jmp back
        check(&[0x48, 0xff, 0x07, 0xeb, 0xfb], 0, false);
        // movb $1,(%rdi); jmp back
        check(&[0xc6, 0x07, 1, 0xeb, 0xfb], 0, false);
        // rdtsc; jmp back
        check(&[0x0f, 0x31, 0xeb, 0xfc], 0, false);
        // syscall; jmp back
        check(&[0x0f, 0x05, 0xeb, 0xfc], 0, false);
        // nothing
        check(&[], 0, false);
    }
}
