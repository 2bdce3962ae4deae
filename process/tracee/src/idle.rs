//! Loops that change nothing: a thread that waits in one for others to change
//! memory comes back to the same state, each time around, and so is at the same
//! place however often it has.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    Register,
};
use reprise_process_events::{Registers, State};

use crate::{TraceError, Tracee};

/// The most instructions that such a loop has.
pub(crate) const LONGEST: usize = 32;

/// The flags for single steps and for going on behind a breakpoint.
const TRACERS_FLAGS: u64 = 0x1_0100;

/// Where the XSAVE layout says which parts are in their initial state.
const IN_USE: std::ops::Range<usize> = 512..520;

/// Where the processor's general registers are in the kernel's order.
pub(crate) const ORDER: [usize; 16] = [10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0];

/// Memory that an instruction may write, as it is before.
type Places = Vec<(u64, Vec<u8>)>;

impl Tracee {
    /// Whether a thread that stands in its program is in a loop that changes
    /// nothing. `step` lets it run one instruction, and says whether it did. Whoever
    /// must not be stepped is asked by [`will_idle`](Self::will_idle).
    pub fn is_idle<E: From<TraceError>>(
        self,
        mut step: impl FnMut() -> Result<bool, E>,
    ) -> Result<bool, E> {
        let first = self.state()?;
        for _ in 0..LONGEST {
            let Some(places) = self.about_to_write()? else {
                return Ok(false);
            };
            if !step()? {
                return Ok(false);
            }
            let is_other = |(address, before): &(u64, Vec<u8>)| {
                self.read_some(*address, before.len()) != *before
            };
            let here = self.state()?;
            if places.iter().any(is_other) {
                return Ok(false);
            }
            if is_same(&first, &here) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the instruction at which it stands may write; `None` for one that does
    /// more than to compute.
    fn about_to_write(self) -> Result<Option<Places>, TraceError> {
        let registers = self.registers()?;
        let code = self.read_some(registers.rip(), 15);
        let options = DecoderOptions::NONE;
        let instruction = Decoder::with_ip(64, &code, registers.rip(), options).decode();
        if !computes(&instruction) {
            return Ok(None);
        }
        let mut factory = InstructionInfoFactory::new();
        let mut places = Vec::new();
        for used in factory.info(&instruction).used_memory() {
            if matches!(
                used.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
            ) {
                continue;
            }
            let value = |register: Register, _, _| value(&registers, register);
            let (address, len) = (used.virtual_address(0, value), used.memory_size().size());
            let Some(address) = address.filter(|_| len > 0) else {
                return Ok(None);
            };
            places.push((address, self.read_some(address, len)));
        }
        Ok(Some(places))
    }
}

/// Whether what an instruction does follows from registers and memory, and it does
/// that once.
fn computes(instruction: &Instruction) -> bool {
    let flow = matches!(
        instruction.flow_control(),
        FlowControl::Next
            | FlowControl::ConditionalBranch
            | FlowControl::UnconditionalBranch
            | FlowControl::IndirectBranch
            | FlowControl::Call
            | FlowControl::IndirectCall
            | FlowControl::Return
    );
    let other = matches!(
        instruction.mnemonic(),
        Mnemonic::Pushf
            | Mnemonic::Pushfd
            | Mnemonic::Pushfq
            | Mnemonic::Popf
            | Mnemonic::Popfd
            | Mnemonic::Popfq
            | Mnemonic::Rdtsc
            | Mnemonic::Rdtscp
            | Mnemonic::Rdrand
            | Mnemonic::Rdseed
            | Mnemonic::Rdpid
            | Mnemonic::Rdpmc
            | Mnemonic::Cpuid
            | Mnemonic::Xgetbv
            // To the decoder, ways into the kernel are calls.
            | Mnemonic::Syscall
            | Mnemonic::Sysenter
    );
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    let repeats = repeats && instruction.is_string_instruction();
    flow && !other && !repeats && !instruction.is_invalid()
}

pub(crate) fn value(registers: &Registers, register: Register) -> Option<u64> {
    match register {
        Register::FS => Some(registers.fs_base()),
        Register::GS => Some(registers.gs_base()),
        Register::CS | Register::DS | Register::ES | Register::SS => Some(0),
        _ if register.is_gpr() => {
            let value = registers.0[*ORDER.get(register.number())?];
            Some(if register.is_gpr64() {
                value
            } else {
                value & 0xffff_ffff
            })
        }
        _ => None,
    }
}

/// Whether two states are the same to a program.
fn is_same(one: &State, other: &State) -> bool {
    let plain = |registers: &Registers| {
        let mut plain = *registers;
        plain.set_orig_rax(0);
        plain.set_eflags(plain.eflags() & !TRACERS_FLAGS);
        plain
    };
    let mut pairs = one.extended.iter().zip(&other.extended).enumerate();
    plain(&one.registers) == plain(&other.registers)
        && pairs.all(|(at, (one, other))| one == other || IN_USE.contains(&at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    #[test]
    fn whoever_goes_into_the_kernel_does_not_compute() {
        let check = |code: &[u8], expected| {
            let mut decoder = Decoder::with_ip(64, code, 0x1000, DecoderOptions::NONE);
            assert_eq!(computes(&decoder.decode()), expected, "{code:x?}");
        };
        // syscall, sysenter, int 0x80, ud2
        check(&[0x0f, 0x05], false);
        check(&[0x0f, 0x34], false);
        check(&[0xcd, 0x80], false);
        check(&[0x0f, 0x0b], false);
        // pause, a call, a comparison with memory, a jump back
        check(&[0xf3, 0x90], true);
        check(&[0xe8, 0, 0, 0, 0], true);
        check(&[0x83, 0x3f, 0x00], true);
        check(&[0xeb, 0xfe], true);
    }
}
