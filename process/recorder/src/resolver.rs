//! The dynamic linker's resolver, made to leave the same bytes behind each time, and
//! on each processor.
//!
//! When a function of a library is called for the first time, the linker saves
//! the vector registers with `xsavec`, looks the function up, and restores them.
//! `xsavec` leaves out the parts that the processor believes to be in their
//! initial state, and what it believes is a matter of chance: registers that are
//! zero count as used after an interrupt and as unused without one. So the saved
//! area, which stays on the stack as garbage, differs from run to run, and a
//! program may read it, write it to a file, or just leave it where the end of a
//! replay is compared. Processors differ in more: not all have that instruction, in
//! the area of the older `xsave` the registers of AVX-512 are at different places,
//! and what a processor does not have it neither saves nor restores.
//!
//! While the subject stands before its first instruction, both instructions are
//! therefore replaced by jumps to the unused rest of the linker's last page of
//! code. What is there uses `xsave` for the parts that are the same everywhere, and
//! for those of AVX-512 instructions of its own, where there are such registers:
//!
//! ```text
//!   site:  jmp stub      stub:  xsave 0x40(%rsp)     SSE and AVX
//!   back:  …                    header as if all were in use
//!                               if the system has AVX-512
//!                                    zmm0-7's upper halves, k0-7 behind that
//!                               else as many zeros
//!                               jmp back
//! ```
//! The other registers of AVX-512 are no caller's to keep. The registers are restored from
//! the same values, so nothing changes for the program, with or without a tracer. Only
//! code that looks exactly like that of the GNU C library is touched.

/// `jmp` with a distance of 32 bits.
const JUMP: usize = 5;

/// Where things are in the saved area, with the parts behind AVX our own.
const MXCSR_MASK: u32 = 28;
const HEADER: u32 = 512;
const OURS: u32 = 576 + 256;
const OURS_LEN: u32 = 8 * 32 + 8 * 8;

/// The parts of registers that have a bit each: SSE and AVX, those of AVX-512, and those
/// of bounds that no system uses any more.
const PLAIN: u32 = 0b0110;
const WIDE: u32 = 0b1110_0000;
const BOUNDS: u32 = 0b1_1000;

/// The registers that a processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// Which parts are enabled, a bit each.
    enabled: u64,
    /// The mask registers of AVX-512 have 64 bits and instructions for them.
    long_masks: bool,
}

/// Bytes to be written at a distance from the beginning of the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) at: usize,
    pub(crate) bytes: Vec<u8>,
}

/// Two instructions: one that saves registers and one that restores them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    saves: usize,
    restores: usize,
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
        let enabled = registers.get(ENABLED_AT..)?.first_chunk()?;
        Some(Self {
            enabled: u64::from_le_bytes(*enabled),
            long_masks: std::arch::is_x86_feature_detected!("avx512bw"),
        })
    }
}

/// What is to be changed in the executable part of a dynamic linker, which ends
/// with its last page.
pub(crate) fn patches(code: &[u8], parts: Parts) -> Vec<Patch> {
    let used = code
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |at| at + 1);
    // Zeros at the end of the code may still belong to it.
    let mut free = used.next_multiple_of(16) + 64;
    let mut patches = Vec::new();
    for site in sites(code) {
        let mask = site.mask & parts.enabled as u32;
        let wide = mask & WIDE == WIDE;
        // Of others it is not known what they take.
        let unknown = mask & !(PLAIN | WIDE | BOUNDS) != 0;
        if unknown || (mask & WIDE != 0 && !(wide && parts.long_masks)) {
            continue;
        }
        let stubs = [
            (site.saves, saving(site, mask, wide)),
            (site.restores, restoring(site, mask, wide)),
        ];
        let room: usize = stubs.iter().map(|(_, stub)| stub.len() + JUMP + 16).sum();
        if free + room > code.len() {
            continue;
        }
        for (at, mut bytes) in stubs {
            let (end, back) = (free + bytes.len() + JUMP, at + JUMP);
            bytes.extend(jump(end, back));
            patches.push(Patch { at: free, bytes });
            let bytes = jump(back, free).to_vec();
            patches.push(Patch { at, bytes });
            free = end.next_multiple_of(16);
        }
    }
    patches
}

/// A jump that ends at `behind` and goes to `to`.
fn jump(behind: usize, to: usize) -> [u8; JUMP] {
    let distance = (to as i64 - behind as i64) as i32;
    let [a, b, c, d] = distance.to_le_bytes();
    [0xe9, a, b, c, d]
}

/// `mov $mask,%eax; xor %edx,%edx`: what to save, and what to restore.
fn begins(code: &[u8], at: usize) -> Option<u32> {
    let &[0xb8, a, b, c, d, 0x31, 0xd2] = code.get(at..)?.first_chunk::<7>()? else {
        return None;
    };
    Some(u32::from_le_bytes([a, b, c, d]))
}

/// Finds that, stores of %rdx that clear the header, behind them the instruction that
/// saves, and a little later the one that restores.
fn sites(code: &[u8]) -> Vec<Site> {
    const STORE: [u8; 4] = [0x48, 0x89, 0x94, 0x24];
    const FARTHEST: usize = 64;
    let found = (0..code.len()).filter_map(|start| {
        let mask = begins(code, start)?;
        let mut saves = start + 7;
        let mut stores = 0;
        while code.get(saves..)?.starts_with(&STORE) {
            saves += 8;
            stores += 1;
        }
        let &[0x0f, 0xc7 | 0xae, 0x64, 0x24, distance] =
            code.get(saves..)?.first_chunk::<JUMP>()?
        else {
            return None;
        };
        let mut near = saves + JUMP..saves + JUMP + FARTHEST;
        let restores = near.find(|at| begins(code, *at) == Some(mask))? + 7;
        let restore = [0x0f, 0xae, 0x6c, 0x24, distance];
        let is_one = code.get(restores..)?.starts_with(&restore);
        (is_one && stores >= 5 && distance < 0x80).then_some(Site {
            saves,
            restores,
            mask,
            distance,
        })
    });
    found.collect()
}

/// pushfq; push %rdi, %rcx, %rax, %rdx; cld
const PUSH: [u8; 6] = [0x9c, 0x57, 0x51, 0x50, 0x52, 0xfc];
const PUSHED: u32 = 5 * 8;

/// pop %rdx, %rax, %rcx, %rdi; popfq
const POP: [u8; 5] = [0x5a, 0x58, 0x59, 0x5f, 0x9d];

/// The code that saves.
fn saving(site: Site, mask: u32, wide: bool) -> Vec<u8> {
    let area = u32::from(site.distance) + PUSHED;
    let plain = mask & PLAIN;
    let mut code = PUSH.to_vec();
    // mov $plain,%eax; xsave area(%rsp)
    code.push(0xb8);
    code.extend(plain.to_le_bytes());
    on_stack(&mut code, &[0x0f, 0xae, 0xa4, 0x24], area);
    // Which parts were in use, and that they are not packed; what the processor allows.
    let header = [plain, 0, 0, 0];
    for (at, value) in (area + HEADER..).step_by(4).zip(header) {
        store(&mut code, at, value);
    }
    store(&mut code, area + MXCSR_MASK, 0);
    if wide {
        let mut body = Vec::new();
        for register in 0..8 {
            body.extend(half_of_zmm(register, 0x1b, 0));
        }
        for register in 0..8 {
            body.extend(mask_register(register, 0x91));
        }
        // mov $len/8,%ecx; xor %eax,%eax; rep stosq
        let mut zeros = vec![0xb9];
        zeros.extend((OURS_LEN / 8).to_le_bytes());
        zeros.extend([0x31, 0xc0, 0xf3, 0x48, 0xab]);
        // jmp behind the zeros
        body.extend([0xeb, zeros.len() as u8]);
        where_wide(&mut code, area, &body);
        code.extend(zeros);
    }
    code.extend(POP);
    code
}

/// The code that restores.
fn restoring(site: Site, mask: u32, wide: bool) -> Vec<u8> {
    let area = u32::from(site.distance) + PUSHED;
    let mut code = PUSH.to_vec();
    // mov $plain,%eax; xrstor area(%rsp)
    code.push(0xb8);
    code.extend((mask & PLAIN).to_le_bytes());
    on_stack(&mut code, &[0x0f, 0xae, 0xac, 0x24], area);
    if wide {
        let mut body = Vec::new();
        for register in 0..8 {
            body.extend(half_of_zmm(register, 0x1a, register));
        }
        for register in 0..8 {
            body.extend(mask_register(register, 0x90));
        }
        where_wide(&mut code, area, &body);
    }
    code.extend(POP);
    code
}

/// Has a body executed where the system has AVX-512, with %rdi at our part of the area.
fn where_wide(code: &mut Vec<u8>, area: u32, body: &[u8]) {
    on_stack(code, &[0x48, 0x8d, 0xbc, 0x24], area + OURS);
    // xor %ecx,%ecx; xgetbv; and $wide,%al; cmp $wide,%al; jne behind the body
    let wide = WIDE as u8;
    code.extend([0x31, 0xc9, 0x0f, 0x01, 0xd0, 0x24, wide, 0x3c, wide]);
    code.extend([0x0f, 0x85]);
    code.extend((body.len() as u32).to_le_bytes());
    code.extend(body);
}

/// `vextractf64x4 $1,%zmm,32*register(%rdi)`, or `vinsertf64x4` with another opcode; the
/// latter has a second register.
fn half_of_zmm(register: u8, opcode: u8, second: u8) -> [u8; 8] {
    let with = 0x85 | (15 - second) << 3;
    let place = 0x47 | register << 3;
    [0x62, 0xf3, with, 0x48, opcode, place, register, 1]
}

/// `kmovq` between a register and its place behind those.
fn mask_register(register: u8, opcode: u8) -> [u8; 9] {
    let place = 0x87 | register << 3;
    let [a, b, c, d] = (8 * 32 + 8 * u32::from(register)).to_le_bytes();
    [0xc4, 0xe1, 0xf8, opcode, place, a, b, c, d]
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

    const WITH_AVX_512: Parts = Parts {
        enabled: 0b1110_0111,
        long_masks: true,
    };

    const SITE: Site = Site {
        saves: 3 + 7 + 6 * 8,
        restores: 3 + 7 + 6 * 8 + 5 + 16 + 7,
        mask: 0xee,
        distance: 0x40,
    };

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
        code.extend([0x48, 0x8b, 0x73, 0x10, 0x48, 0x8b, 0x7b, 0x08]);
        code.extend([0xe8, 1, 2, 3, 4, 0x49, 0x89, 0xc3]);
        code.extend([0xb8, 0xee, 0, 0, 0, 0x31, 0xd2]);
        code.extend([0x0f, 0xae, 0x6c, 0x24, 0x40, 0xc3]);
        code.resize(4096, 0);
        code
    }

    #[test]
    fn the_instructions_become_jumps_to_free_room_and_back() {
        for save in [
            [0x0f, 0xc7, 0x64, 0x24, 0x40],
            [0x0f, 0xae, 0x64, 0x24, 0x40],
        ] {
            let code = code(save);
            let patches = patches(&code, WITH_AVX_512);
            let [saving, to_saving, restoring, to_restoring] = &patches[..] else {
                panic!("two instructions")
            };
            let pairs = [
                (saving, to_saving, SITE.saves),
                (restoring, to_restoring, SITE.restores),
            ];
            for (stub, enter, site) in pairs {
                assert!(code[stub.at..][..stub.bytes.len()].iter().all(|&b| b == 0));
                assert_eq!(enter.at, site);
                assert_eq!(enter.bytes, jump(site + 5, stub.at));
                let end = stub.bytes.len();
                assert_eq!(stub.bytes[end - 5..], jump(stub.at + end, site + 5));
            }
            assert!(saving.at + saving.bytes.len() <= restoring.at);
        }
    }

    #[test]
    fn what_a_processor_without_them_does_is_no_use_of_wide_registers() {
        let plain = Parts {
            enabled: 0b111,
            ..WITH_AVX_512
        };
        let code = code([0x0f, 0xc7, 0x64, 0x24, 0x40]);
        let long: usize = patches(&code, WITH_AVX_512)
            .iter()
            .map(|p| p.bytes.len())
            .sum();
        let short: usize = patches(&code, plain).iter().map(|p| p.bytes.len()).sum();
        assert!(short < long - 200);
        assert!(!saving(SITE, 0b110, false).contains(&0x62));
    }

    #[test]
    fn other_code_is_left_alone() {
        // fxsave, in place of the instructions that depend on chance.
        let other = code([0x0f, 0xae, 0x44, 0x24, 0x40]);
        assert_eq!(patches(&other, WITH_AVX_512), []);
        let mut full = code([0x0f, 0xc7, 0x64, 0x24, 0x40]);
        // Registers that nobody knew of when this was written.
        let unknown = Parts {
            enabled: 1 << 19 | 0xe7,
            ..WITH_AVX_512
        };
        let mut newer = full.clone();
        for at in [4, SITE.restores - 6] {
            newer[at + 2] |= 1 << 3;
        }
        assert_eq!(patches(&newer, unknown), []);
        full[4000] = 1;
        assert_eq!(patches(&full, WITH_AVX_512), []);
        assert_eq!(patches(&[], WITH_AVX_512), []);
    }
}
