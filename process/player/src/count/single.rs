//! Running a few instructions: as many as are wanted in a piece of their own, or
//! one at its own place.

use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use nix::libc;
use reprise_process_events::Registers;
use reprise_tracee::{Resume, Stop};

use super::block::Exit;
use super::chain::is_canonical;
use super::{Counter, Ground, Part, Why};
use crate::PlayError;

impl Counter {
    /// Runs at most `most` instructions, in a piece of their own.
    pub(super) fn once(
        &mut self,
        ground: Ground<'_>,
        registers: &mut Registers,
        most: u32,
    ) -> Result<Part, PlayError> {
        let process = ground.process;
        let guest = registers.rip();
        let block = self.cache.once(process, ground.space, guest, most)?;
        let Some(block) = block.filter(|block| block.piece.count > 0) else {
            return self.bare(ground, registers);
        };
        process.write(self.desk.repeating(), &[0; 8])?;
        let stop = self.go(process, registers, block.host)?;
        if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
            return Ok(Part::stop(0, Why::Stop(stop)));
        }
        *registers = process.registers()?;
        if stop == Stop::Signal(libc::SIGTRAP) {
            let hits = self.hits(process)?;
            if hits != 0 {
                return self.watched_in(process, registers, hits, &block, 0);
            }
            let at = registers.rip().wrapping_sub(1).wrapping_sub(block.host);
            let mut exits = block.piece.exits.iter();
            if let Some((_, exit)) = exits.find(|(offset, _)| *offset as u64 == at) {
                let to = match *exit {
                    Exit::Jump { to, .. } => to,
                    Exit::Far => {
                        let to = self.word(process, self.desk.target())?;
                        if !is_canonical(to) {
                            let before = self.undo_jump(process, registers, &block, 0)?;
                            let mut part = self.bare(ground, registers)?;
                            part.count += before;
                            return Ok(part);
                        }
                        to
                    }
                    Exit::Odd { at } | Exit::Breakpoint { at } => at,
                    Exit::Reserve | Exit::Changed => guest,
                };
                self.put(process, registers, to)?;
                return Ok(Part::go_on(u64::from(block.piece.count)));
            }
        }
        self.faulted_in(process, registers, stop, &block, 0)
    }

    /// Runs one instruction at its own place.
    pub(super) fn bare(
        &mut self,
        ground: Ground<'_>,
        registers: &mut Registers,
    ) -> Result<Part, PlayError> {
        let process = ground.process;
        let pc = registers.rip();
        let code = process.read_some(pc, 15);
        let instruction = Decoder::with_ip(64, &code, pc, DecoderOptions::NONE).decode();
        registers.set_orig_rax(u64::MAX);
        process.set_registers(registers)?;
        if instruction.mnemonic() == Mnemonic::Syscall {
            self.called = Some(*registers);
            process.resume(Resume::EmulatingCalls, 0)?;
            let stop = process.wait()?;
            return Ok(Part::stop(0, Why::Stop(stop)));
        }
        let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        let repeats = repeats && instruction.is_string_instruction();
        let mut hits = 0;
        loop {
            process.resume(Resume::OneInstructionEmulatingCalls, 0)?;
            let stop = process.wait()?;
            if stop != Stop::Signal(libc::SIGTRAP) {
                return Ok(Part::stop(0, Why::Stop(stop)));
            }
            hits |= self.hits(process)?;
            let code = process.signal_info()?.si_code;
            if code != libc::TRAP_TRACE && code != libc::TRAP_HWBKPT {
                return Ok(Part::stop(0, Why::Stop(stop)));
            }
            *registers = process.registers()?;
            if registers.rip() != pc || !repeats {
                break;
            }
        }
        if hits != 0 {
            return Ok(Part::stop(1, Why::Watch(hits)));
        }
        Ok(Part::go_on(1))
    }
}
