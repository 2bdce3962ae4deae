//! The dynamic linker's resolver, made to leave the same bytes behind each time.
//!
//! When a function of a library is called for the first time, the linker saves
//! the vector registers with `xsavec`, looks the function up, and restores them.
//! `xsavec` leaves out the parts that the processor believes to be in their
//! initial state, and what it believes is a matter of chance: registers that are
//! zero count as used after an interrupt and as unused without one. So the saved
//! area, which stays on the stack as garbage, differs from run to run, and a
//! program may read it, write it to a file, or just leave it where the end of a
//! replay is compared.
//!
//! While the subject stands before its first instruction, the instruction is
//! therefore replaced by a jump to the unused rest of the linker's last page of
//! code, where it is followed by code that writes the parts that were left out:
//!
//! ```text
//!   site:  jmp stub                stub:  xsavec 0x40(%rsp)
//!   back:  …                              (fill in what it left out)
//!                                         jmp back
//! ```
//! The registers are restored from the same values, so nothing changes for the
//! program, with or without a tracer. Only code that looks exactly like that of
//! the GNU C library is touched. The older `xsave` writes every part and only
//! the mask that says which were in use is up to chance; it is set in whole.

use std::arch::x86_64::__cpuid_count;

/// `jmp` with a distance of 32 bits.
const JUMP: usize = 5;

/// The first extended part of a saved area is behind the old registers and the
/// header.
const FIRST_PART: u32 = 512 + 64;
const HEADER: u32 = 512;

/// The part with the old vector registers, and where it is.
const SSE: u32 = 1;
const SSE_AT: u32 = 160;
const SSE_LEN: u32 = 256;
const MXCSR_AT: u32 = 24;
const MXCSR_INITIAL: u32 = 0x1f80;

/// The parts of the registers that a processor has.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Those that the old area has no room for.
    extended: Vec<Part>,
    /// Which are enabled, a bit each.
    enabled: u64,
    /// The bits that MXCSR can have, which are saved along with it.
    mxcsr_mask: u32,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    number: u32,
    len: u32,
    /// It begins at a multiple of 64 bytes.
    aligned: bool,
}

/// Bytes to be written at a distance from the beginning of the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) at: usize,
    pub(crate) bytes: Vec<u8>,
}

/// An instruction that saves registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    at: usize,
    /// Only the parts in use are saved, one behind the other.
    packed: bool,
    /// Which parts are to be saved.
    mask: u32,
    /// How far from the stack pointer the area is.
    distance: u8,
}

impl Parts {
    /// Those of this processor, as the extended registers of a process that
    /// runs on it tell.
    pub(crate) fn of(registers: &[u8]) -> Option<Self> {
        /// Where the kernel says which parts are enabled.
        const ENABLED_AT: usize = 464;
        const MXCSR_MASK_AT: usize = 28;
        let enabled = registers.get(ENABLED_AT..)?.first_chunk()?;
        let mxcsr_mask = registers.get(MXCSR_MASK_AT..)?.first_chunk()?;
        let part = |number| {
            let answer = __cpuid_count(0xd, number);
            Part {
                number,
                len: answer.eax,
                aligned: answer.ecx & 2 != 0,
            }
        };
        Some(Self {
            extended: (2..32).map(part).collect(),
            enabled: u64::from_le_bytes(*enabled),
            mxcsr_mask: u32::from_le_bytes(*mxcsr_mask),
        })
    }

    /// Where the parts of a mask are in a packed area.
    fn packed(&self, mask: u32) -> Vec<(Part, u32)> {
        let mut behind = FIRST_PART;
        let parts = self.extended.iter();
        parts
            .filter(|part| mask & 1 << part.number != 0)
            .map(|part| {
                let unit = if part.aligned { 64 } else { 1 };
                let at = behind.next_multiple_of(unit);
                behind = at + part.len;
                (*part, at)
            })
            .collect()
    }
}

/// What is to be changed in the executable part of a dynamic linker, which ends
/// with its last page.
pub(crate) fn patches(code: &[u8], parts: &Parts) -> Vec<Patch> {
    let used = code
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |at| at + 1);
    // Zeros at the end of the code may still belong to it.
    let mut free = used.next_multiple_of(16) + 64;
    let mut patches = Vec::new();
    for site in sites(code) {
        let mask = site.mask & parts.enabled as u32;
        let stub = stub(&code[site.at..site.at + JUMP], site, mask, parts);
        let back = site.at + JUMP;
        let end = free + stub.len() + JUMP;
        if end > code.len() {
            continue;
        }
        let mut bytes = stub;
        bytes.extend(jump(end, back));
        let enter = jump(back, free).to_vec();
        patches.push(Patch { at: free, bytes });
        patches.push(Patch {
            at: site.at,
            bytes: enter,
        });
        free = end.next_multiple_of(16);
    }
    patches
}

/// A jump that ends at `behind` and goes to `to`.
fn jump(behind: usize, to: usize) -> [u8; JUMP] {
    let distance = (to as i64 - behind as i64) as i32;
    let [a, b, c, d] = distance.to_le_bytes();
    [0xe9, a, b, c, d]
}

/// Finds `mov $mask,%eax; xor %edx,%edx`, stores of %rdx that clear the header,
/// and behind them the instruction that saves.
fn sites(code: &[u8]) -> Vec<Site> {
    const CLEAR: [u8; 2] = [0x31, 0xd2];
    const STORE: [u8; 4] = [0x48, 0x89, 0x94, 0x24];
    let begins = code.windows(7).enumerate();
    let begins = begins.filter(|(_, window)| window[0] == 0xb8 && window[5..] == CLEAR);
    begins
        .filter_map(|(start, window)| {
            let mask = u32::from_le_bytes(*window[1..].first_chunk()?);
            let mut at = start + 7;
            let mut stores = 0;
            while code.get(at..)?.starts_with(&STORE) {
                at += 8;
                stores += 1;
            }
            let &[0x0f, opcode, 0x64, 0x24, distance] = code.get(at..)?.first_chunk::<JUMP>()?
            else {
                return None;
            };
            let packed = match opcode {
                0xc7 => true,
                0xae => false,
                _ => return None,
            };
            (stores >= 5 && distance < 0x80).then_some(Site {
                at,
                packed,
                mask,
                distance,
            })
        })
        .collect()
}

/// The code that saves, and then fills in what was left out.
fn stub(original: &[u8], site: Site, mask: u32, parts: &Parts) -> Vec<u8> {
    // pushfq; push %rdi, %rsi, %rcx, %rax; cld
    const PUSH: [u8; 6] = [0x9c, 0x57, 0x56, 0x51, 0x50, 0xfc];
    const PUSHED: u32 = 5 * 8;
    // pop %rax, %rcx, %rsi, %rdi; popfq
    const POP: [u8; 5] = [0x58, 0x59, 0x5e, 0x5f, 0x9d];
    let area = u32::from(site.distance);
    let mut code = original.to_vec();
    if !site.packed {
        store(&mut code, area + HEADER, mask);
        return code;
    }
    let area = area + PUSHED;
    code.extend(PUSH);
    // mov mask,%ecx; mov %ecx,%esi; xor header,%esi; mov %ecx,header: what was
    // left out is in %esi now.
    code.push(0xb9);
    code.extend(mask.to_le_bytes());
    code.extend([0x89, 0xce]);
    on_stack(&mut code, &[0x33, 0xb4, 0x24], area + HEADER);
    on_stack(&mut code, &[0x89, 0x8c, 0x24], area + HEADER);
    let mut fill = |part: u32, at: u32, len: u32| {
        let mut body = Vec::new();
        if part == SSE {
            store(&mut body, area + MXCSR_AT, MXCSR_INITIAL);
            store(&mut body, area + MXCSR_AT + 4, parts.mxcsr_mask);
        }
        // lea at(%rsp),%rdi; mov len/8,%ecx; xor %eax,%eax; rep stosq
        on_stack(&mut body, &[0x48, 0x8d, 0xbc, 0x24], area + at);
        body.push(0xb9);
        body.extend((len / 8).to_le_bytes());
        body.extend([0x31, 0xc0, 0xf3, 0x48, 0xab]);
        // test bit,%esi; jz behind the body
        code.extend([0xf7, 0xc6]);
        code.extend((1u32 << part).to_le_bytes());
        code.extend([0x74, body.len() as u8]);
        code.extend(body);
    };
    if mask & 1 << SSE != 0 {
        fill(SSE, SSE_AT, SSE_LEN);
    }
    for (part, at) in parts.packed(mask) {
        fill(part.number, at, part.len);
    }
    code.extend(POP);
    code
}

/// An instruction on memory at a distance from the stack pointer.
fn on_stack(code: &mut Vec<u8>, opcode: &[u8], distance: u32) {
    code.extend(opcode);
    code.extend(distance.to_le_bytes());
}

/// `movl value, distance(%rsp)`
fn store(code: &mut Vec<u8>, distance: u32, value: u32) {
    on_stack(code, &[0xc7, 0x84, 0x24], distance);
    code.extend(value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        let part = |number, len, aligned| Part {
            number,
            len,
            aligned,
        };
        Parts {
            extended: vec![part(2, 256, false), part(5, 64, false), part(6, 512, true)],
            enabled: 0b110_0111,
            mxcsr_mask: 0x2_ffff,
        }
    }

    /// The resolver of the GNU C library 2.36, from where the registers are on
    /// the stack, with room behind it.
    fn code(save: [u8; 5]) -> Vec<u8> {
        let mut code = vec![0x90; 3];
        code.extend([0xb8, 0xee, 0, 0, 0, 0x31, 0xd2]);
        for distance in (0x250u32..=0x278).step_by(8) {
            code.extend([0x48, 0x89, 0x94, 0x24]);
            code.extend(distance.to_le_bytes());
        }
        code.extend(save);
        code.extend([0x48, 0x8b, 0x73, 0x10, 0xc3]);
        code.resize(4096, 0);
        code
    }

    #[test]
    fn the_instruction_becomes_a_jump_to_free_room_and_back() {
        let code = code([0x0f, 0xc7, 0x64, 0x24, 0x40]);
        let site = 3 + 7 + 6 * 8;
        let [stub, enter] = &patches(&code, &parts())[..] else {
            panic!("one instruction")
        };
        assert!(code[stub.at..][..stub.bytes.len()].iter().all(|&b| b == 0));
        assert_eq!(enter.at, site);
        assert_eq!(enter.bytes, jump(site + 5, stub.at));
        assert_eq!(stub.bytes[..5], code[site..site + 5]);
        let end = stub.bytes.len();
        assert_eq!(stub.bytes[end - 5..], jump(stub.at + end, site + 5));
    }

    #[test]
    fn packed_parts_follow_each_other() {
        let placed = parts().packed(0b110_0110);
        let placed: Vec<_> = placed.iter().map(|(part, at)| (part.number, *at)).collect();
        assert_eq!(placed, [(2, 576), (5, 832), (6, 896)]);
    }

    #[test]
    fn the_older_instruction_only_needs_its_mask() {
        let code = code([0x0f, 0xae, 0x64, 0x24, 0x40]);
        let patches = patches(&code, &parts());
        // movl $0x66,0x240(%rsp): of the mask 0xee, what is enabled.
        let mask = [0xc7, 0x84, 0x24, 0x40, 0x02, 0, 0, 0x66, 0, 0, 0];
        assert_eq!(patches[0].bytes[5..16], mask);
    }

    #[test]
    fn other_code_is_left_alone() {
        // fxsave, in place of the instructions that depend on chance.
        assert_eq!(patches(&code([0x0f, 0xae, 0x44, 0x24, 0x40]), &parts()), []);
        let mut full = code([0x0f, 0xc7, 0x64, 0x24, 0x40]);
        full[4000] = 1;
        assert_eq!(patches(&full, &parts()), []);
        assert_eq!(patches(&[], &parts()), []);
    }
}
