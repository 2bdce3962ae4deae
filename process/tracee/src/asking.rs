//! Instructions that ask the processor: for random numbers, and about itself. What
//! they answer cannot be computed, and no setting of the kernel's makes them stop
//! everywhere. So a recorder makes them stop where they stand in a program's
//! files: their second byte becomes that of `ud2`.
//!
//! A byte must not be changed that only looks like one of them. So only code is
//! looked at of which a file's tables for unwinding say where its functions begin,
//! and instructions are read from there on, one by one.

mod unwinding;

use std::arch::x86_64::CpuidResult;

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, Register};
use reprise_process_events::Registers;

/// The second byte of `ud2`, which stops where it is executed.
pub const STOPS: u8 = 0x0b;

/// The first byte of all of them, behind prefixes.
const FIRST: u8 = 0x0f;

/// The farthest from a function's beginning that is read.
const FARTHEST: u64 = 256 << 10;

/// A place in a file where such an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where the instruction's second byte is in the file, prefixes not counted.
    pub offset: u64,
    /// That byte.
    pub byte: u8,
}

/// The places in an ELF file; none where it cannot be told.
#[must_use]
pub fn sites(file: &[u8]) -> Vec<Site> {
    let Some(image) = Image::of(file) else {
        return Vec::new();
    };
    let mut sites = Vec::new();
    for part in image.code() {
        let Some(code) = part.bytes(file) else {
            continue;
        };
        for at in 0..code.len().saturating_sub(2) {
            if code[at] != FIRST || !may_ask(code[at + 1], code[at + 2]) {
                continue;
            }
            let address = part.address + at as u64;
            if image.is_at(&part, code, address) {
                let offset = part.offset + at as u64 + 1;
                let byte = code[at + 1];
                sites.push(Site { offset, byte });
            }
        }
    }
    sites
}

fn may_ask(second: u8, third: u8) -> bool {
    match second {
        0xa2 => true,
        0x01 => third == 0xd0,
        0xc7 => third >= 0xf0,
        _ => false,
    }
}

fn asks(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::Cpuid | Mnemonic::Xgetbv | Mnemonic::Rdrand | Mnemonic::Rdseed
    )
}

/// What the processor would have done: the registers behind such an instruction,
/// whose bytes these are. `random` draws a number, `enabled` says which parts of
/// the registers the system uses, and `says` what the processor says in a part of a leaf.
pub fn answer(
    before: &Registers,
    code: &[u8],
    random: impl FnOnce() -> Option<u64>,
    enabled: impl FnOnce() -> Option<u64>,
    says: impl FnOnce(u32, u32) -> CpuidResult,
) -> Option<Registers> {
    const CARRY: u64 = 1;
    const STATUS: u64 = 0x8d5;
    let mut decoder = Decoder::with_ip(64, code, before.rip(), DecoderOptions::NONE);
    let instruction = decoder.decode();
    if instruction.is_invalid() || !asks(&instruction) {
        return None;
    }
    let mut after = *before;
    after.set_rip(instruction.next_ip());
    match instruction.mnemonic() {
        Mnemonic::Cpuid => {
            let (leaf, part) = (before.rax() as u32, before.rcx() as u32);
            let said = says(leaf, part);
            after.set_rax(said.eax.into());
            after.0[RBX] = said.ebx.into();
            after.set_rcx(said.ecx.into());
            after.set_rdx(said.edx.into());
        }
        Mnemonic::Xgetbv => {
            // There is one such register that the system sets; others are rare.
            if before.rcx() as u32 != 0 {
                return None;
            }
            let enabled = enabled()?;
            after.set_rax(enabled & 0xffff_ffff);
            after.set_rdx(enabled >> 32);
        }
        _ => {
            let into = instruction.op0_register();
            let index = *crate::idle::ORDER.get(into.full_register().number())?;
            let (old, random) = (before.0[index], random()?);
            after.0[index] = match into {
                _ if into.is_gpr16() => old & !0xffff | random & 0xffff,
                _ if into.is_gpr32() => random & 0xffff_ffff,
                _ if into.is_gpr64() && into != Register::None => random,
                _ => return None,
            };
            after.set_eflags(before.eflags() & !STATUS | CARRY);
        }
    }
    after.set_orig_rax(u64::MAX);
    Some(after)
}

/// Where `rbx` is among the registers.
const RBX: usize = 5;

/// A part of a file that is mapped to be executed.
struct Part {
    offset: u64,
    address: u64,
    len: u64,
}

impl Part {
    fn bytes<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        let start = usize::try_from(self.offset).ok()?;
        let end = start.checked_add(usize::try_from(self.len).ok()?)?;
        file.get(start..end)
    }
}

/// What an ELF file says of itself.
struct Image {
    parts: Vec<(u32, Part)>,
    /// Where functions begin, in order.
    functions: Vec<u64>,
}

const LOAD: u32 = 1;
const UNWINDING: u32 = 0x6474_e550;
const EXECUTABLE: u32 = 1;

impl Image {
    fn of(file: &[u8]) -> Option<Self> {
        if !file.starts_with(b"\x7fELF\x02\x01") || half(file, 54)? != 56 {
            return None;
        }
        let table = usize::try_from(word(file, 32)?).ok()?;
        let count = usize::from(half(file, 56)?);
        let mut parts = Vec::new();
        let mut functions = Vec::new();
        for index in 0..count {
            let entry = file.get(table.checked_add(index * 56)?..)?;
            let part = Part {
                offset: word(entry, 8)?,
                address: word(entry, 16)?,
                len: word(entry, 32)?,
            };
            match word32(entry, 0)? {
                LOAD => parts.push((word32(entry, 4)?, part)),
                UNWINDING => functions = unwinding::sorted(part.bytes(file)?, part.address)?,
                _ => {}
            }
        }
        if functions.is_empty() {
            functions = unwinding::of_section(file).unwrap_or_default();
        }
        Some(Self { parts, functions })
    }

    fn code(&self) -> impl Iterator<Item = Part> {
        let parts = self.parts.iter();
        let code = parts.filter(|(flags, _)| flags & EXECUTABLE != 0);
        code.map(|(_, part)| Part { ..*part })
    }

    /// Whether one of the instructions is at this address, prefixes not counted,
    /// to who reads from the beginning of its function on.
    fn is_at(&self, part: &Part, code: &[u8], address: u64) -> bool {
        let before = self.functions.partition_point(|start| *start <= address);
        let Some(&start) = before.checked_sub(1).and_then(|at| self.functions.get(at)) else {
            return false;
        };
        let Some(from) = start.checked_sub(part.address) else {
            return false;
        };
        if address - start > FARTHEST {
            return false;
        }
        let Some(code) = usize::try_from(from).ok().and_then(|from| code.get(from..)) else {
            return false;
        };
        let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            if instruction.is_invalid() || instruction.ip() > address {
                return false;
            }
            if instruction.next_ip() > address {
                let opcode = (address - instruction.ip()) as usize;
                // Nothing but prefixes is in front of it.
                return asks(&instruction) && opcode < 4 && instruction.len() >= opcode + 2;
            }
        }
        false
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    bytes.try_into().ok().map(u16::from_le_bytes)
}

fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    bytes.try_into().ok().map(u32::from_le_bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    bytes.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests;
