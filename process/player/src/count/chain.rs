//! Running from piece to piece: most go straight into each other, and where one
//! leads to what is not translated yet, that is done and the two are linked.

use iced_x86::{Code, Decoder, DecoderOptions};
use nix::libc;
use reprise_process_events::Registers;
use reprise_tracee::{Stop, Tracee};

use super::block::Exit;
use super::cache::{Block, Left};
use super::{Counter, Ground, Part, RESERVE, Why, before};
use crate::PlayError;

/// Where a way out leads.
enum Followed {
    /// To this place in the translation.
    To(u64),
    /// To an address that cannot be translated.
    Nowhere(u64),
    /// Out of the translation.
    Out(Exit),
    /// To an address that no program can have: the processor refuses to go there
    /// from the last instruction of the block of this number.
    Refused(usize),
}

impl Counter {
    /// Runs from piece to piece.
    pub(super) fn chain(
        &mut self,
        ground: Ground<'_>,
        registers: &mut Registers,
        host: u64,
        left: u64,
    ) -> Result<Part, PlayError> {
        let process = ground.process;
        let budget = left - RESERVE;
        let mut words = budget.to_le_bytes().to_vec();
        words.extend([0; 8]);
        process.write(self.desk.counter(), &words)?;
        let mut host = host;
        loop {
            let stop = self.go(process, registers, host)?;
            if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
                return Ok(Part::stop(0, Why::Stop(stop)));
            }
            *registers = process.registers()?;
            if stop == Stop::Signal(libc::SIGTRAP) {
                let hits = self.hits(process)?;
                if hits != 0 {
                    return self.watched(ground, registers, hits, budget);
                }
            }
            let at = registers.rip().wrapping_sub(1);
            let left = self.cache.left_at(at);
            let Some(left) = left.filter(|_| stop == Stop::Signal(libc::SIGTRAP)) else {
                return self.faulted(process, registers, stop, budget);
            };
            let (guest, part) = match self.follow(ground, at, left)? {
                Followed::To(next) => {
                    host = next;
                    continue;
                }
                Followed::Refused(block) => {
                    let ran = self.ran(process, budget)?;
                    let block = self.cache.block(block);
                    let before = self.undo_jump(process, registers, block, ran)?;
                    let mut part = self.bare(ground, registers)?;
                    part.count += before;
                    return Ok(part);
                }
                Followed::Nowhere(guest) => (guest, Part::go_on(self.ran(process, budget)?)),
                Followed::Out(Exit::Breakpoint { at }) => {
                    let ran = self.ran(process, budget)?;
                    (at, Part::stop(ran, Why::Breakpoint))
                }
                Followed::Out(Exit::Odd { at }) => {
                    let ran = self.ran(process, budget)?;
                    registers.set_rip(at);
                    let mut part = self.bare(ground, registers)?;
                    part.count += ran;
                    return Ok(part);
                }
                Followed::Out(_) => self.at_reserve(process, left, budget)?,
            };
            self.put(process, registers, guest)?;
            return Ok(part);
        }
    }

    /// Where it goes on from a way out, in the translation if it can.
    fn follow(&mut self, ground: Ground<'_>, at: u64, left: Left) -> Result<Followed, PlayError> {
        let Ground { process, space } = ground;
        let to = match left {
            Left::Exit(_, Exit::Jump { to, .. }) => to,
            Left::Exit(block, Exit::Far) => {
                let to = self.word(process, self.desk.target())?;
                if !is_canonical(to) {
                    return Ok(Followed::Refused(block));
                }
                to
            }
            Left::Exit(block, Exit::Changed) => {
                let (start, end) = self.cache.block(block).piece.guest;
                self.cache.forget(process, start, end)?;
                start
            }
            Left::Stale(guest) => guest,
            Left::Exit(_, exit) => return Ok(Followed::Out(exit)),
        };
        let from = match left {
            Left::Exit(block, Exit::Jump { from, .. }) => {
                self.cache.block(block).host + from as u64
            }
            _ => 0,
        };
        let generation = self.cache.generation;
        let Some(next) = self.cache.find(process, space, to)? else {
            return Ok(Followed::Nowhere(to));
        };
        // Making room may have thrown everything else away.
        let still_there = self.cache.generation == generation;
        match left {
            Left::Exit(_, Exit::Jump { .. }) if still_there => {
                self.cache.link(process, from, next)?;
            }
            Left::Exit(_, Exit::Far) => self.cache.publish(process, to, next)?,
            Left::Stale(_) if still_there => {
                self.cache.renew(process, at, next)?;
                self.cache.publish(process, to, next)?;
            }
            _ => {}
        }
        Ok(Followed::To(next))
    }

    /// The jump at the end of a block has not happened: puts the process in front of
    /// it again. Returns how many instructions ran before, if `ran` were counted.
    pub(super) fn undo_jump(
        &self,
        process: Tracee,
        registers: &mut Registers,
        block: &Block,
        ran: u64,
    ) -> Result<u64, PlayError> {
        let Some(place) = block.piece.instructions.last() else {
            return Ok(ran);
        };
        let code = process.read_some(place.guest, 15);
        let options = DecoderOptions::NONE;
        let jump = Decoder::with_ip(64, &code, place.guest, options).decode();
        let stack = registers.rsp();
        match jump.code() {
            Code::Call_rm64 => {
                let below = self.word(process, self.desk.below())?;
                process.write(stack, &below.to_le_bytes())?;
                registers.set_rsp(stack.wrapping_add(8));
            }
            Code::Retnq => registers.set_rsp(stack.wrapping_sub(8)),
            Code::Retnq_imm16 => {
                let popped = 8 + u64::from(jump.immediate16());
                registers.set_rsp(stack.wrapping_sub(popped));
            }
            _ => {}
        }
        registers.set_rip(place.guest);
        Ok(before(block, ran, place.index))
    }

    /// Where it stands when the count is nearly used up.
    fn at_reserve(
        &self,
        process: Tracee,
        left: Left,
        budget: u64,
    ) -> Result<(u64, Part), PlayError> {
        let ran = self.ran(process, budget)?;
        let Left::Exit(block, _) = left else {
            return Err(PlayError::Limit("its own count"));
        };
        let piece = &self.cache.block(block).piece;
        let counted = piece.counted.unwrap_or(0);
        let place = piece.instructions.iter().find(|p| p.index == counted);
        let guest = place.map_or(piece.guest.0, |place| place.guest);
        let ran = ran.saturating_sub(u64::from(piece.count)) + u64::from(counted);
        let mut part = Part::go_on(ran);
        part.reserve = true;
        Ok((guest, part))
    }
}

/// Whether there can be such an address at all.
pub(super) fn is_canonical(address: u64) -> bool {
    let signed = address.cast_signed();
    signed << 16 >> 16 == signed
}
