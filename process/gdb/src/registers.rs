//! The registers in the order of the protocol, and their description.
//!
//! gdb knows the features by name and wants their registers in its own order;
//! the processor's extended registers are where the XSAVE instruction puts them.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use reprise_process_events::State;

/// x86-64 under Linux, with SSE and AVX.
#[derive(Debug)]
pub(crate) enum X86 {}

impl Arch for X86 {
    type Usize = u64;
    type Registers = All;
    type BreakpointKind = usize;
    type RegId = NoId;
}

/// Registers are read all at once.
#[derive(Debug)]
pub(crate) enum NoId {}

impl RegId for NoId {
    fn from_raw_id(_: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        None
    }
}

/// All registers, as they go over the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct All {
    bytes: Vec<u8>,
    pc: u64,
}

impl Registers for All {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.pc
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in &self.bytes {
            write_byte(Some(*byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.bytes = bytes.to_vec();
        Ok(())
    }
}

/// The general registers in gdb's order: their place in the kernel's, their name
/// and their type.
const GENERAL: [(usize, &str, &str); 17] = [
    (10, "rax", "int64"),
    (5, "rbx", "int64"),
    (11, "rcx", "int64"),
    (12, "rdx", "int64"),
    (13, "rsi", "int64"),
    (14, "rdi", "int64"),
    (4, "rbp", "data_ptr"),
    (19, "rsp", "data_ptr"),
    (9, "r8", "int64"),
    (8, "r9", "int64"),
    (7, "r10", "int64"),
    (6, "r11", "int64"),
    (3, "r12", "int64"),
    (2, "r13", "int64"),
    (1, "r14", "int64"),
    (0, "r15", "int64"),
    (16, "rip", "code_ptr"),
];

/// Those of which gdb wants 32 bits.
const SHORT: [(usize, &str, &str); 7] = [
    (18, "eflags", "i386_eflags"),
    (17, "cs", "int32"),
    (20, "ss", "int32"),
    (23, "ds", "int32"),
    (24, "es", "int32"),
    (25, "fs", "int32"),
    (26, "gs", "int32"),
];

const FLOATING: [&str; 8] = [
    "fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop",
];

const ORIG_RAX: usize = 15;
const FS_BASE: usize = 21;
const GS_BASE: usize = 22;

/// The flag by which a debugger goes on behind a breakpoint is not the
/// program's.
const RESUME_FLAG: u64 = 1 << 16;

/// Where things are in the XSAVE layout.
const STACK: usize = 32;
const XMM: usize = 160;
const MXCSR: usize = 24;
const UPPER: usize = 576;
const LEGACY_END: usize = 512;

/// Whether there are the upper halves of the AVX registers.
fn has_avx(extended: &[u8]) -> bool {
    extended.len() >= UPPER + 256
}

/// Puts the registers into the protocol's order.
pub(crate) fn all(state: &State) -> All {
    let general = &state.registers.0;
    let mut legacy = state.extended.clone();
    if legacy.len() < LEGACY_END {
        legacy.resize(LEGACY_END, 0);
    }
    let mut bytes = Vec::with_capacity(1024);
    for (index, ..) in GENERAL {
        bytes.extend(general[index].to_le_bytes());
    }
    for (index, name, _) in SHORT {
        let mask = if name == "eflags" { !RESUME_FLAG } else { !0 };
        bytes.extend(
            (general[index] & mask)
                .to_le_bytes()
                .first_chunk::<4>()
                .unwrap_or(&[0; 4]),
        );
    }
    for register in 0..8 {
        let at = STACK + register * 16;
        bytes.extend(&legacy[at..at + 10]);
    }
    for value in floating(&legacy) {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(&legacy[XMM..XMM + 256]);
    bytes.extend(&legacy[MXCSR..MXCSR + 4]);
    for index in [ORIG_RAX, FS_BASE, GS_BASE] {
        bytes.extend(general[index].to_le_bytes());
    }
    if has_avx(&state.extended) {
        bytes.extend(&state.extended[UPPER..UPPER + 256]);
    }
    All {
        bytes,
        pc: state.registers.rip(),
    }
}

/// The registers that control floating-point instructions, in gdb's order.
fn floating(legacy: &[u8]) -> [u32; 8] {
    let half = |at: usize| u32::from(u16::from_le_bytes([legacy[at], legacy[at + 1]]));
    let word = |at: usize| half(at) | half(at + 2) << 16;
    let mut tag = 0;
    let top = (half(2) >> 11) & 7;
    for register in 0..8 {
        // Two bits each where the processor keeps one: valid or empty; valid
        // ones are told apart no further.
        if legacy[4] & (1 << register) == 0 {
            tag |= 3 << (register * 2);
        }
    }
    let _ = top;
    [
        half(0),
        half(2),
        tag,
        half(12),
        word(8),
        half(20),
        word(16),
        half(6),
    ]
}

/// The description that gdb reads before anything else.
pub(crate) fn description(extended: &[u8]) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">\
         <target version=\"1.0\"><architecture>i386:x86-64</architecture>\
         <osabi>GNU/Linux</osabi><feature name=\"org.gnu.gdb.i386.core\">",
    );
    xml += "<flags id=\"i386_eflags\" size=\"4\">";
    let flags = [
        ("CF", 0),
        ("", 1),
        ("PF", 2),
        ("AF", 4),
        ("ZF", 6),
        ("SF", 7),
        ("TF", 8),
        ("IF", 9),
        ("DF", 10),
        ("OF", 11),
        ("NT", 14),
        ("RF", 16),
        ("VM", 17),
        ("AC", 18),
        ("VIF", 19),
        ("VIP", 20),
        ("ID", 21),
    ];
    for (name, bit) in flags {
        let _ = write!(
            xml,
            "<field name=\"{name}\" start=\"{bit}\" end=\"{bit}\"/>"
        );
    }
    xml += "</flags>";
    for (_, name, kind) in GENERAL {
        register(&mut xml, name, 64, kind);
    }
    for (_, name, kind) in SHORT {
        register(&mut xml, name, 32, kind);
    }
    for index in 0..8 {
        register(&mut xml, &format!("st{index}"), 80, "i387_ext");
    }
    for name in FLOATING {
        let group = "\" group=\"float";
        register(&mut xml, name, 32, &format!("int{group}"));
    }
    xml += "</feature><feature name=\"org.gnu.gdb.i386.sse\">";
    let vectors = [
        ("v4f", "ieee_single", 4),
        ("v2d", "ieee_double", 2),
        ("v16i8", "int8", 16),
        ("v8i16", "int16", 8),
        ("v4i32", "int32", 4),
        ("v2i64", "int64", 2),
    ];
    for (id, kind, count) in vectors {
        let _ = write!(
            xml,
            "<vector id=\"{id}\" type=\"{kind}\" count=\"{count}\"/>"
        );
    }
    xml += "<union id=\"vec128\">";
    let fields = [
        ("v4_float", "v4f"),
        ("v2_double", "v2d"),
        ("v16_int8", "v16i8"),
        ("v8_int16", "v8i16"),
        ("v4_int32", "v4i32"),
        ("v2_int64", "v2i64"),
        ("uint128", "uint128"),
    ];
    for (name, kind) in fields {
        let _ = write!(xml, "<field name=\"{name}\" type=\"{kind}\"/>");
    }
    xml += "</union>";
    for index in 0..16 {
        register(&mut xml, &format!("xmm{index}"), 128, "vec128");
    }
    register(&mut xml, "mxcsr", 32, "int\" group=\"vector");
    xml += "</feature><feature name=\"org.gnu.gdb.i386.linux\">";
    register(&mut xml, "orig_rax", 64, "int");
    xml += "</feature><feature name=\"org.gnu.gdb.i386.segments\">";
    register(&mut xml, "fs_base", 64, "int");
    register(&mut xml, "gs_base", 64, "int");
    xml += "</feature>";
    if has_avx(extended) {
        xml += "<feature name=\"org.gnu.gdb.i386.avx\">";
        for index in 0..16 {
            register(&mut xml, &format!("ymm{index}h"), 128, "uint128");
        }
        xml += "</feature>";
    }
    xml += "</target>";
    xml
}

fn register(xml: &mut String, name: &str, bits: u32, kind: &str) {
    let _ = write!(
        xml,
        "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_bytes_as_described() {
        for len in [0, 576, 2696] {
            let state = State {
                extended: vec![0; len],
                ..State::default()
            };
            let xml = description(&state.extended);
            let bits: usize = xml
                .split("bitsize=\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next()?.parse::<usize>().ok())
                .sum();
            assert_eq!(bits / 8, all(&state).bytes.len());
        }
    }
}
