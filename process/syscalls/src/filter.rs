//! What a filter that a program has for its own system calls (seccomp) says about a call.
//!
//! Such a filter is a program for a small machine: two registers, sixteen words of memory,
//! jumps that only go forwards, and the call as 64 bytes to look at.
//!
//! | offset | length | what |
//! | --- | --- | --- |
//! | 0 | 4 | the call's number |
//! | 4 | 4 | the architecture |
//! | 8 | 8 | the address behind the instruction |
//! | 16 | 48 | the arguments |

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is made.
    Made,
    /// It is not made, and its caller goes on.
    Refused,
    /// Its caller is killed, gets a signal, or waits for somebody else's opinion.
    Punished,
    /// That depends on more than the call, or nobody can tell.
    Unknown,
}

/// One instruction, as the kernel has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub code: u16,
    /// How many instructions are passed over if a condition holds.
    pub if_true: u8,
    /// … and if it does not.
    pub if_false: u8,
    /// A number.
    pub k: u32,
}

impl Instruction {
    /// How long one is in memory.
    pub const LEN: usize = 8;

    /// Reads one.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let [a, b, if_true, if_false, k @ ..] = bytes;
        Self {
            code: u16::from_le_bytes([a, b]),
            if_true,
            if_false,
            k: u32::from_le_bytes(k),
        }
    }

    /// The same, the other way round.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::LEN] {
        let ([a, b], [c, d, e, f]) = (self.code.to_le_bytes(), self.k.to_le_bytes());
        [a, b, self.if_true, self.if_false, c, d, e, f]
    }

    fn new(code: u32, k: u32, if_true: u8, if_false: u8) -> Self {
        // All that there are fit.
        let code = code as u16;
        Self {
            code,
            if_true,
            if_false,
            k,
        }
    }
}

/// What to put in front of a filter so that some calls of x86-64 are made whatever it says; few,
/// since jumps are short.
#[must_use]
pub fn allowing(numbers: &[i64]) -> Vec<Instruction> {
    const LOOK: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const IS: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let few = numbers.len() as u8;
    let mut all = vec![
        Instruction::new(LOOK, 4, 0, 0),
        Instruction::new(IS, ARCHITECTURE, 0, few + 3),
        Instruction::new(LOOK, 0, 0, 0),
    ];
    let left = (1..=few).rev();
    all.extend(
        (numbers.iter().zip(left))
            .map(|(&number, left)| Instruction::new(IS, number as u32, left, 0)),
    );
    all.extend([
        Instruction::new(libc::BPF_JMP | libc::BPF_JA, 1, 0, 0),
        Instruction::new(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
        // A filter begins with nothing in that register.
        Instruction::new(libc::BPF_LD | libc::BPF_IMM, 0, 0, 0),
    ]);
    all
}

const ARCHITECTURE: u32 = 0xc000_003e;
const DATA: u32 = 64;

/// Asks a filter about a call of x86-64.
#[must_use]
pub fn ask(filter: &[Instruction], number: i64, arguments: [u64; 6]) -> Verdict {
    match run(filter, number, arguments) {
        Some(answer) => verdict(answer),
        None => Verdict::Unknown,
    }
}

fn verdict(answer: u32) -> Verdict {
    match answer & libc::SECCOMP_RET_ACTION_FULL {
        libc::SECCOMP_RET_ALLOW | libc::SECCOMP_RET_LOG => Verdict::Made,
        libc::SECCOMP_RET_ERRNO => Verdict::Refused,
        // Nobody has asked to be told.
        libc::SECCOMP_RET_TRACE => Verdict::Refused,
        _ => Verdict::Punished,
    }
}

/// What it returns; `None` if it looks at the address of the instruction, or is none that
/// the kernel would take.
fn run(filter: &[Instruction], number: i64, arguments: [u64; 6]) -> Option<u32> {
    let (mut a, mut x) = (0u32, 0u32);
    let mut memory = [0u32; libc::BPF_MEMWORDS as usize];
    let mut at = 0usize;
    loop {
        let Instruction {
            code,
            if_true,
            if_false,
            k,
        } = *filter.get(at)?;
        at += 1;
        let code = u32::from(code);
        let slot = usize::try_from(k).ok()?;
        let operand = if code & libc::BPF_X != 0 { x } else { k };
        match code & 0x07 {
            libc::BPF_LD | libc::BPF_LDX => {
                let value = match code & 0xe0 {
                    libc::BPF_ABS => look(k, number, &arguments)?,
                    libc::BPF_IMM => k,
                    libc::BPF_MEM => *memory.get(slot)?,
                    libc::BPF_LEN => DATA,
                    _ => return None,
                };
                match code & 0x07 {
                    libc::BPF_LD => a = value,
                    _ => x = value,
                }
            }
            libc::BPF_ST => *memory.get_mut(slot)? = a,
            libc::BPF_STX => *memory.get_mut(slot)? = x,
            libc::BPF_ALU => a = computed(code & 0xf0, a, operand)?,
            libc::BPF_JMP if code & 0xf0 == libc::BPF_JA => at = at.checked_add(slot)?,
            libc::BPF_JMP => {
                let holds = match code & 0xf0 {
                    libc::BPF_JEQ => a == operand,
                    libc::BPF_JGT => a > operand,
                    libc::BPF_JGE => a >= operand,
                    libc::BPF_JSET => a & operand != 0,
                    _ => return None,
                };
                at += usize::from(if holds { if_true } else { if_false });
            }
            libc::BPF_RET if code & 0x18 == libc::BPF_A => return Some(a),
            libc::BPF_RET => return Some(k),
            _ if code & 0xf8 == libc::BPF_TXA => a = x,
            _ => x = a,
        }
    }
}

/// A word of the call.
fn look(offset: u32, number: i64, arguments: &[u64; 6]) -> Option<u32> {
    let half = |word: u64| match offset % 8 {
        0 => word as u32,
        _ => (word >> 32) as u32,
    };
    match offset {
        0 => Some(number as u32),
        4 => Some(ARCHITECTURE),
        16..DATA if offset.is_multiple_of(4) => {
            let which = usize::try_from((offset - 16) / 8).ok()?;
            Some(half(arguments[which]))
        }
        _ => None,
    }
}

fn computed(operation: u32, a: u32, operand: u32) -> Option<u32> {
    Some(match operation {
        libc::BPF_ADD => a.wrapping_add(operand),
        libc::BPF_SUB => a.wrapping_sub(operand),
        libc::BPF_MUL => a.wrapping_mul(operand),
        libc::BPF_DIV => a.checked_div(operand)?,
        libc::BPF_AND => a & operand,
        libc::BPF_OR => a | operand,
        libc::BPF_XOR => a ^ operand,
        libc::BPF_LSH => a.checked_shl(operand)?,
        libc::BPF_RSH => a.checked_shr(operand)?,
        libc::BPF_NEG => a.wrapping_neg(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER: (u32, u32) = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0);

    fn plain((code, k): (u32, u32)) -> Instruction {
        jump(code, k, 0, 0)
    }

    fn jump(code: u32, k: u32, if_true: u8, if_false: u8) -> Instruction {
        Instruction {
            code: u16::try_from(code).unwrap(),
            if_true,
            if_false,
            k,
        }
    }

    fn says(answer: u32) -> Instruction {
        plain((libc::BPF_RET | libc::BPF_K, answer))
    }

    #[test]
    fn a_list_of_calls_is_followed() {
        let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        let filter = [
            plain((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 4)),
            jump(equal, ARCHITECTURE, 1, 0),
            says(libc::SECCOMP_RET_KILL_PROCESS),
            plain(NUMBER),
            jump(equal, libc::SYS_read as u32, 0, 1),
            says(libc::SECCOMP_RET_ALLOW),
            jump(equal, libc::SYS_openat as u32, 0, 1),
            says(libc::SECCOMP_RET_ERRNO | 13),
            says(libc::SECCOMP_RET_KILL_THREAD),
        ];
        let check = |number, expected| assert_eq!(ask(&filter, number, [0; 6]), expected);
        check(libc::SYS_read, Verdict::Made);
        check(libc::SYS_openat, Verdict::Refused);
        check(libc::SYS_clone, Verdict::Punished);
        check(-1, Verdict::Punished);
    }

    #[test]
    fn arguments_are_looked_at_in_halves() {
        let filter = [
            plain((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 16 + 8 + 4)),
            plain((libc::BPF_ST, 3)),
            plain((libc::BPF_LDX | libc::BPF_W | libc::BPF_MEM, 3)),
            plain((libc::BPF_MISC | libc::BPF_TXA, 0)),
            plain((libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0xf)),
            jump(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 6, 0, 1),
            says(libc::SECCOMP_RET_LOG),
            says(libc::SECCOMP_RET_TRAP),
        ];
        let check = |second, expected| {
            assert_eq!(ask(&filter, 0, [0, second, 0, 0, 0, 0]), expected);
        };
        check(0x7_0000_0000, Verdict::Made);
        check(0x16_0000_0007, Verdict::Punished);
    }

    #[test]
    fn what_cannot_be_told_is_not_guessed() {
        let address = plain((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 8));
        let check = |filter: &[Instruction]| assert_eq!(ask(filter, 0, [0; 6]), Verdict::Unknown);
        check(&[]);
        check(&[plain(NUMBER)]);
        check(&[address, says(libc::SECCOMP_RET_ALLOW)]);
        check(&[plain((libc::BPF_JMP | libc::BPF_JA, u32::MAX))]);
        check(&[plain((libc::BPF_ST, 16))]);
        check(&[plain((libc::BPF_ALU | libc::BPF_DIV | libc::BPF_K, 0))]);
    }

    #[test]
    fn any_bytes_have_an_end() {
        // Jumps go forwards, so a run is no longer than its filter.
        for code in 0..=u16::MAX {
            let one = Instruction {
                code,
                if_true: 1,
                if_false: 0,
                k: u32::from(code),
            };
            let _ = ask(&[one; 4], 3, [7; 6]);
        }
    }

    #[test]
    fn calls_are_allowed_in_front_of_a_filter() {
        let numbers = [libc::SYS_clock_gettime, libc::SYS_time];
        for answer in [libc::SECCOMP_RET_KILL_PROCESS, libc::SECCOMP_RET_ERRNO] {
            let filter = [plain((libc::BPF_RET | libc::BPF_K, answer))];
            let both: Vec<_> = allowing(&numbers).into_iter().chain(filter).collect();
            for number in numbers {
                assert_eq!(ask(&both, number, [0; 6]), Verdict::Made);
            }
            for number in [libc::SYS_read, libc::SYS_gettimeofday, -1] {
                assert_eq!(ask(&both, number, [0; 6]), ask(&filter, number, [0; 6]));
            }
        }
        for instruction in allowing(&numbers) {
            assert_eq!(Instruction::from_bytes(instruction.to_bytes()), instruction);
        }
    }
}
