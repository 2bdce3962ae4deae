//! One straight piece of a program, translated: its own instructions, with a
//! count in front of one of them, and ways out where it may go on.

use iced_x86::{Code as Op, Decoder, DecoderOptions, Instruction};

use super::check::Condition;
use super::emit::{Code, Desk, Gap};
use super::instruction::{Kind, encode, kind, load_target, may_change_code, sets_all_flags};

/// How many instructions a piece may have.
pub(super) const LONGEST: u32 = 64;

/// A way out of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// To an address that may have a translation one day. The distance of the
    /// jump that leads here is at this offset of the piece.
    Jump { to: u64, from: usize },
    /// To the address on the desk.
    Far,
    /// The count is nearly used up; the piece's own instructions from its
    /// `counted` on have not run.
    Reserve,
    /// To an instruction that is not translated.
    Odd { at: u64 },
    /// To an address where the process is to stop.
    Breakpoint { at: u64 },
    /// The program has changed what the piece was made from.
    Changed,
}

/// A translated piece.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) bytes: Vec<u8>,
    /// Where the program's instructions are: their offset in the piece and
    /// their address in the program. The same instruction may be there several
    /// times, for its several parts.
    pub(super) instructions: Vec<Place>,
    /// Where the ways out are: the offset of the `int3`.
    pub(super) exits: Vec<(usize, Exit)>,
    /// How many instructions it runs.
    pub(super) count: u32,
    /// In front of which of them they are counted, if they are.
    pub(super) counted: Option<u32>,
    /// The addresses it was made from.
    pub(super) guest: (u64, u64),
    /// The address behind the call at its end, which will be returned to.
    pub(super) returns_to: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) guest: u64,
    pub(super) index: u32,
    /// The program's rax is on the desk.
    pub(super) rax_on_desk: bool,
}

/// How a piece is to be made.
pub(super) struct Wish<'a> {
    pub(super) desk: Desk,
    /// Where it will be.
    pub(super) host: u64,
    /// How many instructions it may have.
    pub(super) most: u32,
    /// Whether it counts.
    pub(super) counts: bool,
    pub(super) is_breakpoint: &'a dyn Fn(u64) -> bool,
    /// Whether the program can change its code there.
    pub(super) can_change: bool,
    /// What is checked at one of them before the process stops there.
    pub(super) check: Option<&'a Condition>,
}

/// Translates the code at an address.
pub(super) fn translate(code: &[u8], guest: u64, wish: &Wish<'_>) -> Piece {
    let mut decoder = Decoder::with_ip(64, code, guest, DecoderOptions::NONE);
    let mut body = Vec::new();
    let mut end = None;
    let mut at = guest;
    let most = wish.most.min(LONGEST) as usize;
    while body.len() < most {
        if (wish.counts || !body.is_empty()) && (wish.is_breakpoint)(at) {
            let checked = wish.check.is_some_and(|check| check.at == at);
            if !checked {
                end = Some(Exit::Breakpoint { at });
                break;
            }
            if !body.is_empty() {
                // The next piece begins with the check.
                break;
            }
        }
        if !decoder.can_decode() {
            break;
        }
        let instruction = decoder.decode();
        match kind(&instruction) {
            Kind::Plain => {
                body.push(instruction);
                if wish.can_change && may_change_code(&instruction) {
                    // The next piece begins by looking.
                    at = instruction.next_ip();
                    break;
                }
            }
            Kind::Odd => {
                end = Some(Exit::Odd { at });
                break;
            }
            Kind::Last => {
                body.push(instruction);
                at = instruction.next_ip();
                break;
            }
        }
        at = instruction.next_ip();
    }
    if body.is_empty() && end.is_none() {
        end = Some(Exit::Odd { at: guest });
    }
    write(code, guest, at, &body, end, wish)
}

struct Writer<'a> {
    code: Code,
    wish: &'a Wish<'a>,
    places: Vec<Place>,
    exits: Vec<(usize, Exit)>,
    /// Jumps whose way out is still to be written.
    open: Vec<(Gap, u64)>,
    /// Constants that are still to be written.
    constants: Vec<(Gap, u64)>,
}

fn write(
    code: &[u8],
    guest: u64,
    end_of_guest: u64,
    body: &[Instruction],
    end: Option<Exit>,
    wish: &Wish<'_>,
) -> Piece {
    let mut end = end;
    let mut body = body;
    let mut writer = Writer {
        code: Code::new(wish.desk),
        wish,
        places: Vec::new(),
        exits: Vec::new(),
        open: Vec::new(),
        constants: Vec::new(),
    };
    // What cannot be said at another place ends the piece.
    let movable = |instruction: &Instruction| writer.can_move(instruction);
    if let Some(stuck) = body.iter().position(|i| !movable(i)) {
        end = Some(Exit::Odd {
            at: body[stuck].ip(),
        });
        body = &body[..stuck];
    }
    let count = body.len() as u32;
    let counts = wish.counts && count > 0;
    let quiet = body.iter().position(sets_all_flags);
    let counted = counts.then(|| quiet.unwrap_or(0) as u32);
    let mut reserve = None;
    let mut changed = Vec::new();
    if wish.can_change && counts {
        let last = body.last().map_or(guest, Instruction::next_ip);
        let original = &code[..(last - guest) as usize];
        changed = writer.code.unchanged(wish.host, guest, original);
    }
    if let Some(check) = wish.check.filter(|check| check.at == guest) {
        let leave = check.write(&mut writer.code, wish.desk);
        writer.exits.push((leave, Exit::Breakpoint { at: guest }));
    }
    for (index, instruction) in (0..).zip(body) {
        if counted == Some(index) {
            reserve = Some(writer.code.count(count, quiet.is_none()));
        }
        let at = (instruction.ip() - guest) as usize;
        let bytes = &code[at..at + instruction.len()];
        if matches!(kind(instruction), Kind::Last) {
            writer.last(index, instruction);
        } else {
            writer.plain(index, instruction, bytes);
        }
    }
    let ended_by_jump = body
        .last()
        .is_some_and(|last| matches!(kind(last), Kind::Last));
    match end {
        Some(exit) => writer.leave(exit),
        None if ended_by_jump => {}
        None => {
            let gap = writer.code.jump(None);
            writer.open.push((gap, end_of_guest));
        }
    }
    writer.finish(reserve, quiet.is_none());
    if !changed.is_empty() {
        for gap in changed {
            writer.code.fill(gap, writer.code.len());
        }
        writer.code.give_rcx_back();
        writer.code.undo_care();
        writer.leave(Exit::Changed);
    }
    let last = body.last().map_or(guest, Instruction::next_ip);
    let calls = |last: &&Instruction| matches!(last.code(), Op::Call_rel32_64 | Op::Call_rm64);
    let returns_to = body.last().filter(calls).map(Instruction::next_ip);
    Piece {
        bytes: writer.code.bytes,
        instructions: writer.places,
        exits: writer.exits,
        count,
        counted,
        guest: (guest, last.max(guest + 1)),
        returns_to,
    }
}

impl Writer<'_> {
    fn place(&mut self, index: u32, instruction: &Instruction, rax_on_desk: bool) {
        self.places.push(Place {
            offset: self.code.len(),
            guest: instruction.ip(),
            index,
            rax_on_desk,
        });
    }

    fn plain(&mut self, index: u32, instruction: &Instruction, bytes: &[u8]) {
        let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        if repeats && instruction.is_string_instruction() {
            self.code.repeating(true);
            self.place(index, instruction, false);
            self.code.raw(bytes);
            self.code.repeating(false);
            return;
        }
        self.place(index, instruction, false);
        if instruction.is_ip_rel_memory_operand() {
            let at = self.wish.host + self.code.len() as u64;
            if let Some(bytes) = encode(instruction, at) {
                self.code.raw(&bytes);
            }
        } else {
            self.code.raw(bytes);
        }
    }

    /// Whether the instruction can stand in the translation.
    fn can_move(&self, instruction: &Instruction) -> bool {
        if !instruction.is_ip_rel_memory_operand() {
            return true;
        }
        let (start, end) = (self.wish.host, self.wish.host + (1 << 16));
        let instruction = load_target(instruction).unwrap_or(*instruction);
        encode(&instruction, start).is_some() && encode(&instruction, end).is_some()
    }

    fn last(&mut self, index: u32, instruction: &Instruction) {
        let (to, behind) = (instruction.near_branch_target(), instruction.next_ip());
        self.place(index, instruction, false);
        match instruction.code() {
            Op::Jmp_rel8_64 | Op::Jmp_rel32_64 => self.jump(None, to),
            Op::Call_rel32_64 => {
                self.push(behind);
                self.jump(None, to);
            }
            Op::Jmp_rm64 | Op::Call_rm64 => {
                let call = instruction.code() == Op::Call_rm64;
                self.code.save_rax();
                self.place(index, instruction, false);
                let at = self.wish.host + self.code.len() as u64;
                let load = load_target(instruction).and_then(|load| encode(&load, at));
                self.code.raw(&load.unwrap_or_default());
                if call {
                    self.place(index, instruction, true);
                    self.code.save_below();
                    self.push(behind);
                }
                self.find();
            }
            Op::Retnq | Op::Retnq_imm16 => {
                self.code.save_rax();
                self.place(index, instruction, false);
                self.code.pop_rax();
                if instruction.code() == Op::Retnq_imm16 {
                    self.code.skip_stack(instruction.immediate16());
                }
                self.find();
            }
            _ if instruction.is_jcc_short_or_near() => {
                // The processor numbers conditions in the same order, from 0.
                self.jump(Some(instruction.condition_code() as u8 - 1), to);
                self.jump(None, behind);
            }
            _ => self.count_jump(instruction, to, behind),
        }
    }

    /// `jrcxz`, `loop` and their like, which reach only a few bytes.
    fn count_jump(&mut self, instruction: &Instruction, to: u64, behind: u64) {
        let mut short = *instruction;
        let at = self.wish.host + self.code.len() as u64;
        // Over the jump to what follows, which takes five bytes.
        let mut len = 0;
        let mut bytes = Vec::new();
        for _ in 0..2 {
            short.set_near_branch64(at + len + 5);
            bytes = encode(&short, at).unwrap_or_default();
            len = bytes.len() as u64;
        }
        self.code.raw(&bytes);
        self.jump(None, behind);
        self.jump(None, to);
    }

    fn jump(&mut self, condition: Option<u8>, to: u64) {
        let gap = self.code.jump(condition);
        self.open.push((gap, to));
    }

    fn push(&mut self, constant: u64) {
        let gap = self.code.push_constant();
        self.constants.push((gap, constant));
    }

    fn find(&mut self) {
        // A piece that does not count must not lead into one that does.
        let leave = if self.wish.counts {
            self.code.find()
        } else {
            self.code.leave_for()
        };
        self.exits.push((leave, Exit::Far));
    }

    fn leave(&mut self, exit: Exit) {
        self.exits.push((self.code.len(), exit));
        self.code.raw(&[0xcc]);
    }

    fn finish(&mut self, reserve: Option<Gap>, careful: bool) {
        if let Some(gap) = reserve {
            self.code.fill(gap, self.code.len());
            if careful {
                self.code.undo_care();
            }
            self.leave(Exit::Reserve);
        }
        for (gap, to) in std::mem::take(&mut self.open) {
            self.code.fill(gap, self.code.len());
            let from = gap.offset();
            self.leave(Exit::Jump { to, from });
        }
        for (gap, constant) in std::mem::take(&mut self.constants) {
            self.code.fill(gap, self.code.len());
            self.code.raw(&constant.to_le_bytes());
        }
    }
}
