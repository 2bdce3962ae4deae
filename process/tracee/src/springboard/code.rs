//! The bytes of the code that brings a process back, with the values that it gives back.

use reprise_process_events::Registers;

/// The room for one piece of code, and where in it the values are.
pub(super) const LEN: usize = 256;
const VALUES: usize = 128;

/// What the process does behind the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It goes back.
    Return,
    /// It goes back, and its copy ends.
    ReturnUnlessCopy,
}

/// The call, and what is different where a copy is made: `xchg %rax,%rcx` and
/// `jrcxz` to the end of the copy, or two long `nop`. Neither changes a flag.
const CALL: [u8; 2] = [0x0f, 0x05];
const UNLESS_COPY: [u8; 4] = [0x48, 0x91, 0xe3, 99];
const ALWAYS: [u8; 4] = [0x66, 0x90, 0x66, 0x90];

/// Whether there is such code.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(&CALL);
    rest.is_some_and(|rest| rest.starts_with(&UNLESS_COPY) || rest.starts_with(&ALWAYS))
}

/// The code, with what it gives back.
pub(super) fn code(landing: &Registers, blocked: u64, then: Then) -> Vec<u8> {
    let mut values = vec![blocked];
    values.extend(landing.arguments());
    values.extend([landing.rax(), landing.rcx(), landing.r11(), landing.rip()]);
    let mut code = CALL.to_vec();
    code.extend(match then {
        Then::Return => ALWAYS,
        Then::ReturnUnlessCopy => UNLESS_COPY,
    });
    // How far it is from the end of an instruction, of which this many bytes are
    // there, to a value.
    let to = |code: &Vec<u8>, value: usize| {
        let distance = VALUES + value * 8 - (code.len() + 4);
        u32::try_from(distance).unwrap_or(0).to_le_bytes()
    };
    // rt_sigprocmask(SIG_SETMASK, values, NULL, 8)
    code.extend([0xb8, 14, 0, 0, 0]);
    code.extend([0xbf, 2, 0, 0, 0]);
    code.extend([0x48, 0x8d, 0x35]);
    code.extend(to(&code, 0));
    code.extend([0xba, 0, 0, 0, 0]);
    code.extend([0x41, 0xba, 8, 0, 0, 0]);
    code.extend(CALL);
    // mov value(%rip), to rdi, rsi, rdx, r10, r8, r9, rax, rcx, r11
    const LOADS: [[u8; 3]; 9] = [
        [0x48, 0x8b, 0x3d],
        [0x48, 0x8b, 0x35],
        [0x48, 0x8b, 0x15],
        [0x4c, 0x8b, 0x15],
        [0x4c, 0x8b, 0x05],
        [0x4c, 0x8b, 0x0d],
        [0x48, 0x8b, 0x05],
        [0x48, 0x8b, 0x0d],
        [0x4c, 0x8b, 0x1d],
    ];
    for (index, load) in LOADS.into_iter().enumerate() {
        code.extend(load);
        code.extend(to(&code, index + 1));
    }
    // jmp *value(%rip)
    code.extend([0xff, 0x25]);
    code.extend(to(&code, LOADS.len() + 1));
    // exit_group(0); ud2
    code.extend([0xbf, 0, 0, 0, 0, 0xb8, 231, 0, 0, 0]);
    code.extend(CALL);
    code.extend([0x0f, 0x0b]);
    code.resize(VALUES, 0);
    code.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    code.resize(LEN, 0);
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, Mnemonic};

    #[test]
    fn the_code_loads_its_values_and_jumps_to_where_it_should() {
        const AT: u64 = 0x1000;
        let mut registers = Registers::default();
        registers.set_arguments([1, 2, 3, 4, 5, 6]);
        registers.set_rax(7);
        registers.set_rcx(8);
        registers.set_r11(9);
        registers.set_rip(10);
        let code = code(&registers, 11, Then::ReturnUnlessCopy);
        assert_eq!(code.len(), LEN);
        assert!(is_ours(&code));
        let decoder = Decoder::with_ip(64, &code[..VALUES], AT, DecoderOptions::NONE);
        let mut loaded = Vec::new();
        let mut copy_ends = None;
        for instruction in decoder {
            if instruction.is_ip_rel_memory_operand() {
                let at = (instruction.ip_rel_memory_address() - AT) as usize;
                let value = <[u8; 8]>::try_from(&code[at..at + 8]).unwrap();
                loaded.push(u64::from_le_bytes(value));
            }
            match instruction.mnemonic() {
                Mnemonic::Jrcxz => copy_ends = Some(instruction.near_branch_target()),
                Mnemonic::Jmp => {
                    assert_eq!(copy_ends, Some(instruction.next_ip()));
                    break;
                }
                _ => {}
            }
        }
        assert_eq!(loaded, [11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
}
