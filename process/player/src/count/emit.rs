//! The machine code that is put around a program's own instructions. None of it
//! touches the program's memory, its stack or, but where that is undone, its
//! registers and flags: what it needs is in the [`Desk`], at an address of 31
//! bits, which code anywhere can name.
//!
//! ```text
//!  desk + 0      how many instructions may still run, less a reserve
//!       + 8      1 while an instruction runs that repeats itself
//!       + 16     rax of the program, while it is used here
//!       + 24     rcx
//!       + 32     where a jump goes that is not known beforehand, in the program
//!       + 40     the same, in the translation
//!       + 48     what is right below the stack, in front of a call
//!       + 64     syscall, int3: for calls in the name of the process
//!       + 128    words that something is compared with
//!       + 4096   where jumps went: for each of 65536 sets, two pairs of minus
//!                the program's address and the translation's
//! ```

/// The desk's place in the process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Desk(pub(super) u64);

/// How many bytes it takes.
pub(super) const DESK: u64 = 4096 + SETS * SET;

const SETS: u64 = 1 << 16;
const SET: u64 = 32;
const TABLE: u64 = 4096;
const WANTED: u64 = 128;

/// What is at the desk's place for calls.
pub(super) const CALL: [u8; 3] = [0x0f, 0x05, 0xcc];

impl Desk {
    pub(super) fn counter(self) -> u64 {
        self.0
    }

    pub(super) fn repeating(self) -> u64 {
        self.0 + 8
    }

    pub(super) fn rax(self) -> u64 {
        self.0 + 16
    }

    fn rcx(self) -> u64 {
        self.0 + 24
    }

    pub(super) fn target(self) -> u64 {
        self.0 + 32
    }

    fn jump(self) -> u64 {
        self.0 + 40
    }

    pub(super) fn below(self) -> u64 {
        self.0 + 48
    }

    /// The `syscall` instruction.
    pub(super) fn call(self) -> u64 {
        self.0 + 64
    }

    /// A word that something is compared with.
    pub(super) fn wanted(self, slot: usize) -> u64 {
        self.0 + WANTED + slot as u64 * 8
    }

    /// The set in which a jump to this address is looked up.
    pub(super) fn set(self, guest: u64) -> u64 {
        self.0 + TABLE + (guest & (SETS - 1)) * SET
    }

    pub(super) fn table(self) -> (u64, u64) {
        (self.0 + TABLE, SETS * SET)
    }
}

const RAX: u8 = 0;
const RCX: u8 = 1;

/// The processor's number of this condition.
const NOT_EQUAL: u8 = 5;

/// Code that is being written for one place.
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    desk: Desk,
}

/// A place in the code where a distance of 32 bits is missing.
#[derive(Clone, Copy)]
pub(super) struct Gap(usize);

impl Code {
    pub(super) fn new(desk: Desk) -> Self {
        Self {
            bytes: Vec::with_capacity(512),
            desk,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Counts, and leaves the code when too few are left. The flags are lost,
    /// unless `careful`; then they are back where this returns and, after
    /// [`Self::undo_care`], where it leaves.
    pub(super) fn count(&mut self, instructions: u32, careful: bool) -> Gap {
        if careful {
            self.save_flags();
        }
        // sub qword [counter], instructions
        self.absolute(&[0x48, 0x81], 5, self.desk.counter());
        self.raw(&instructions.to_le_bytes());
        // js
        self.raw(&[0x0f, 0x88]);
        let gap = self.gap();
        if careful {
            self.undo_care();
        }
        gap
    }

    /// Keeps rax on the desk and the flags in rax.
    pub(super) fn save_flags(&mut self) {
        self.store(RAX, self.desk.rax());
        // lahf; seto al
        self.raw(&[0x9f, 0x0f, 0x90, 0xc0]);
    }

    pub(super) fn undo_care(&mut self) {
        // add al, 0x7f; sahf
        self.raw(&[0x04, 0x7f, 0x9e]);
        self.load(RAX, self.desk.rax());
    }

    pub(super) fn save_rcx(&mut self) {
        self.store(RCX, self.desk.rcx());
    }

    pub(super) fn give_rcx_back(&mut self) {
        self.load(RCX, self.desk.rcx());
    }

    pub(super) fn load_rcx(&mut self, address: u64) {
        self.load(RCX, address);
    }

    /// Loads the word at the address in rcx into it.
    pub(super) fn load_rcx_from_rcx(&mut self) {
        self.raw(&[0x48, 0x8b, 0x09]);
    }

    /// Loads the lower half of a vector register into rcx.
    pub(super) fn vector_to_rcx(&mut self, vector: u8) {
        // movq rcx, xmm
        let rex = 0x48 | (vector >> 3) << 2;
        self.raw(&[0x66, rex, 0x0f, 0x7e, 0xc0 | (vector & 7) << 3 | RCX]);
    }

    /// Jumps if a register is not what is at an address.
    pub(super) fn compare(&mut self, register: u8, address: u64) -> Gap {
        // cmp register, [address]; jne
        let rex = 0x48 | (register >> 3) << 2;
        self.absolute(&[rex, 0x3b], register & 7, address);
        self.raw(&[0x0f, 0x85]);
        self.gap()
    }

    /// Jumps if the program's code at `guest` is not this any more. The code stands at
    /// `host`; where the jumps lead, rcx and the flags are to be given back.
    pub(super) fn unchanged(&mut self, host: u64, guest: u64, original: &[u8]) -> Vec<Gap> {
        const WORD: usize = 8;
        let mut gaps = Vec::new();
        self.save_flags();
        self.save_rcx();
        let last = original.len().saturating_sub(WORD);
        // The last word may begin in the one before.
        let words = (0..last).step_by(WORD).chain([last]);
        for at in words {
            match original.get(at..).and_then(|rest| rest.first_chunk()) {
                Some(word) => {
                    // mov rcx, word; cmp rcx, [guest + at]
                    self.raw(&[0x48, 0xb9]);
                    self.raw(word as &[u8; WORD]);
                    self.raw(&[0x48, 0x3b, 0x0d]);
                    self.relative(host, guest + at as u64, 0);
                    gaps.push(self.jump(Some(NOT_EQUAL)));
                }
                None => {
                    for (at, byte) in original.iter().enumerate() {
                        // cmp byte [guest + at], byte
                        self.raw(&[0x80, 0x3d]);
                        self.relative(host, guest + at as u64, 1);
                        self.raw(&[*byte]);
                        gaps.push(self.jump(Some(NOT_EQUAL)));
                    }
                }
            }
        }
        self.give_rcx_back();
        self.undo_care();
        gaps
    }

    /// The distance to an address from behind an instruction, of which so many bytes
    /// follow.
    fn relative(&mut self, host: u64, address: u64, follow: u64) {
        let behind = host + self.len() as u64 + 4 + follow;
        self.raw(&(address.wrapping_sub(behind) as u32).to_le_bytes());
    }

    /// A jump, conditional if there is a condition code.
    pub(super) fn jump(&mut self, condition: Option<u8>) -> Gap {
        match condition {
            Some(code) => self.raw(&[0x0f, 0x80 | code]),
            None => self.raw(&[0xe9]),
        }
        self.gap()
    }

    /// Notes whether an instruction that repeats itself is running.
    pub(super) fn repeating(&mut self, does: bool) {
        // mov dword [repeating], does
        self.absolute(&[0xc7], 0, self.desk.repeating());
        self.raw(&u32::from(does).to_le_bytes());
    }

    /// Pushes a constant that is somewhere else in the code.
    pub(super) fn push_constant(&mut self) -> Gap {
        self.raw(&[0xff, 0x35]);
        self.gap()
    }

    /// Keeps what is right below the stack, where a return address will be.
    pub(super) fn save_below(&mut self) {
        self.save_rcx();
        // mov rcx, [rsp - 8]
        self.raw(&[0x48, 0x8b, 0x4c, 0x24, 0xf8]);
        self.store(RCX, self.desk.below());
        self.give_rcx_back();
    }

    pub(super) fn save_rax(&mut self) {
        self.store(RAX, self.desk.rax());
    }

    pub(super) fn pop_rax(&mut self) {
        self.raw(&[0x58]);
    }

    /// Adds to the stack pointer, and to nothing else.
    pub(super) fn skip_stack(&mut self, bytes: u16) {
        self.raw(&[0x48, 0x8d, 0xa4, 0x24]);
        self.raw(&u32::from(bytes).to_le_bytes());
    }

    /// Leaves for the program's address in rax, at the place that is returned.
    pub(super) fn leave_for(&mut self) -> usize {
        self.store(RAX, self.desk.target());
        self.load(RAX, self.desk.rax());
        self.raw(&[0xcc]);
        self.bytes.len() - 1
    }

    /// Goes to where the program's address in rax is translated. Where that is
    /// not known it leaves, at the place that is returned.
    pub(super) fn find(&mut self) -> usize {
        let table = self.desk.0 + TABLE;
        self.store(RCX, self.desk.rcx());
        let first = self.probe(table);
        let second = self.probe(table + 16);
        self.store(RAX, self.desk.target());
        let leave = self.give_back();
        self.raw(&[0xcc]);
        let found_first = self.bytes.len();
        self.entry(table + 8);
        self.raw(&[0xeb, 0]);
        let over = self.bytes.len();
        let found_second = self.bytes.len();
        self.entry(table + 24);
        let go = self.bytes.len();
        self.store(RCX, self.desk.jump());
        self.give_back();
        // jmp [jump]
        self.absolute(&[0xff], 4, self.desk.jump());
        self.bytes[first] = (found_first - first - 1) as u8;
        self.bytes[second] = (found_second - second - 1) as u8;
        self.bytes[over - 1] = (go - over) as u8;
        leave
    }

    /// Jumps if this part of the set has the address in rax, without touching
    /// a flag; returns where the distance of the jump is.
    fn probe(&mut self, part: u64) -> usize {
        self.entry(part);
        // lea rcx, [rcx + rax]; jrcxz
        self.raw(&[0x48, 0x8d, 0x0c, 0x01, 0xe3, 0]);
        self.bytes.len() - 1
    }

    /// Loads a word of the set of the address in rax into rcx.
    fn entry(&mut self, part: u64) {
        // movzx ecx, ax; lea rcx, [rcx * 4]
        self.raw(&[0x0f, 0xb7, 0xc8, 0x48, 0x8d, 0x0c, 0x8d, 0, 0, 0, 0]);
        // mov rcx, [rcx * 8 + part]
        self.raw(&[0x48, 0x8b, 0x0c, 0xcd]);
        self.raw(&(part as u32).to_le_bytes());
    }

    /// Gives the program rax and rcx back; returns the place behind that.
    fn give_back(&mut self) -> usize {
        self.load(RCX, self.desk.rcx());
        self.load(RAX, self.desk.rax());
        self.bytes.len()
    }

    fn store(&mut self, register: u8, address: u64) {
        self.absolute(&[0x48, 0x89], register, address);
    }

    fn load(&mut self, register: u8, address: u64) {
        self.absolute(&[0x48, 0x8b], register, address);
    }

    /// An instruction with an operand at an absolute address.
    fn absolute(&mut self, opcode: &[u8], register: u8, address: u64) {
        self.raw(opcode);
        self.raw(&[0x04 | register << 3, 0x25]);
        self.raw(&(address as u32).to_le_bytes());
    }

    fn gap(&mut self) -> Gap {
        self.raw(&[0; 4]);
        Gap(self.bytes.len() - 4)
    }

    /// Fills a gap with the distance to a place in the code.
    pub(super) fn fill(&mut self, gap: Gap, to: usize) {
        let distance = to as i32 - (gap.0 as i32 + 4);
        self.bytes[gap.0..gap.0 + 4].copy_from_slice(&distance.to_le_bytes());
    }
}

impl Gap {
    pub(super) fn offset(self) -> usize {
        self.0
    }
}
