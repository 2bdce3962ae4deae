//! An instruction has used a watched place. The processor tells behind it, in
//! the middle of a translation; here the process is brought to where it would be
//! without one.

use nix::libc;
use reprise_process_events::Registers;
use reprise_tracee::{Resume, Stop, Tracee};

use super::block::Exit;
use super::cache::{Block, Left};
use super::{Counter, Ground, Part, Why, before};
use crate::PlayError;

/// No jump of a translation takes so many steps.
const STEPS: usize = 64;

impl Counter {
    /// Which watched places have been used.
    pub(super) fn hits(&self, process: Tracee) -> Result<u64, PlayError> {
        if self.watches.is_empty() {
            return Ok(0);
        }
        Ok(process.take_watch_hits()?)
    }

    pub(super) fn watched(
        &mut self,
        ground: Ground<'_>,
        registers: &mut Registers,
        hits: u64,
        budget: u64,
    ) -> Result<Part, PlayError> {
        let process = ground.process;
        let ran = self.ran(process, budget)?;
        match self.cache.around(registers.rip()) {
            Some(block) => self.watched_in(process, registers, hits, block, ran),
            None => Ok(Part::stop(ran, Why::Watch(hits))),
        }
    }

    pub(super) fn watched_in(
        &self,
        process: Tracee,
        registers: &mut Registers,
        hits: u64,
        block: &Block,
        ran: u64,
    ) -> Result<Part, PlayError> {
        let mut hits = hits;
        if self.word(process, self.desk.repeating())? != 0 {
            hits |= self.finish_repeating(process, registers, block)?;
        }
        let Some(place) = block.before(registers.rip()) else {
            return Ok(Part::stop(ran, Why::Watch(hits)));
        };
        let ran = before(block, ran, place.index + 1);
        let following = block
            .piece
            .instructions
            .iter()
            .find(|later| later.index == place.index + 1);
        let next = match following {
            Some(following) => following.guest,
            None => {
                let (more, next) = self.finish_last(process, registers, block)?;
                hits |= more;
                next
            }
        };
        // With the last instruction done, all of the block has been counted.
        self.put(process, registers, next)?;
        Ok(Part::stop(ran, Why::Watch(hits)))
    }

    /// Runs the rest of an instruction that repeats itself.
    fn finish_repeating(
        &self,
        process: Tracee,
        registers: &mut Registers,
        block: &Block,
    ) -> Result<u64, PlayError> {
        let Some(place) = block.at_or_before(registers.rip()) else {
            return Ok(0);
        };
        // Behind the instruction the desk is told that it is over.
        let len = self.repeated_len(process, block, place.offset);
        let behind = block.host + place.offset as u64 + len;
        let saved = process.read_some(behind, 1);
        process.write(behind, &[0xcc])?;
        let mut hits = 0;
        loop {
            process.resume(Resume::EmulatingCalls, 0)?;
            let stop = process.wait()?;
            *registers = process.registers()?;
            if stop != Stop::Signal(libc::SIGTRAP) || registers.rip() == behind + 1 {
                break;
            }
            hits |= self.hits(process)?;
        }
        process.write(behind, &saved)?;
        registers.set_rip(behind);
        Ok(hits)
    }

    fn repeated_len(&self, process: Tracee, block: &Block, offset: usize) -> u64 {
        let at = block.host + offset as u64;
        let code = process.read_some(at, 15);
        let options = iced_x86::DecoderOptions::NONE;
        let decoded = iced_x86::Decoder::with_ip(64, &code, at, options).decode();
        decoded.len().max(1) as u64
    }

    /// Follows the jump at the end of a block, and returns where it goes.
    fn finish_last(
        &self,
        process: Tracee,
        registers: &mut Registers,
        block: &Block,
    ) -> Result<(u64, u64), PlayError> {
        let mut hits = 0;
        for _ in 0..STEPS {
            let host = registers.rip();
            if let Some(guest) = self.cache.is_entry(host) {
                return Ok((hits, guest));
            }
            if let Some(guest) = self.way_out(process, block, host)? {
                return Ok((hits, guest));
            }
            process.set_registers(registers)?;
            process.resume(Resume::OneInstructionEmulatingCalls, 0)?;
            if process.wait()? != Stop::Signal(libc::SIGTRAP) {
                break;
            }
            hits |= self.hits(process)?;
            *registers = process.registers()?;
        }
        Ok((hits, registers.rip()))
    }

    /// Where a way out leads, if there is one at this address.
    fn way_out(&self, process: Tracee, block: &Block, host: u64) -> Result<Option<u64>, PlayError> {
        let own = block.piece.exits.iter();
        let mut own = own.filter(|(offset, _)| block.host + *offset as u64 == host);
        let exit = match (own.next(), self.cache.left_at(host)) {
            (Some((_, exit)), _) => *exit,
            (None, Some(Left::Exit(_, exit))) => exit,
            (None, Some(Left::Stale(guest))) => return Ok(Some(guest)),
            (None, None) => return Ok(None),
        };
        Ok(Some(match exit {
            Exit::Jump { to, .. } => to,
            Exit::Far => self.word(process, self.desk.target())?,
            Exit::Odd { at } | Exit::Breakpoint { at } => at,
            Exit::Reserve | Exit::Changed => return Ok(None),
        }))
    }
}
