//! Runs a process and counts its instructions, without a counter of the
//! processor: a piece of the program at a time is translated to code that does
//! the same and counts. It is what makes a place in a run a number, and so going
//! back possible.
//!
//! | question | file |
//! | --- | --- |
//! | what does the added code look like? | `emit.rs` |
//! | what becomes of a piece of the program? | `block.rs` |
//! | which translations are there? | `cache.rs` |
//! | how is it run, and how does it stop? | `mod.rs`; at a watched place `watch.rs` |
//! | where is room for all that? | `rooms.rs` |
//!
//! The program's own memory is not touched: it sees its own code, unchanged, and
//! its own addresses on its stack. What is not translated (system calls, code
//! that can be written to) is run at its own place, one instruction at a time.

mod block;
mod cache;
mod emit;
mod rooms;
mod watch;

pub(crate) use rooms::Rooms;

use std::collections::BTreeSet;

use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use nix::libc;
use reprise_process_events::{Registers, State};
use reprise_tracee::{Resume, Stop, Tracee, Watch};

use self::block::{Exit, LONGEST};
use self::cache::{Block, Cache, Left};
use self::emit::Desk;
use crate::PlayError;
use crate::space::Space;

/// What is left of the count when the chained pieces stop; the rest is run in
/// pieces of the right length. It must be more than the longest piece.
const RESERVE: u64 = 2 * LONGEST as u64;

/// Where the XSAVE layout has the address of the last floating-point
/// instruction.
const LAST_INSTRUCTION: std::ops::Range<usize> = 8..16;

/// Runs a process and counts.
pub(crate) struct Counter {
    desk: Desk,
    cache: Cache,
    watches: Vec<Watch>,
    /// Which process the debug registers were last set for.
    watching: Option<Tracee>,
    /// The registers in front of the system call that it has stopped at.
    called: Option<Registers>,
}

/// The process that is run, and what is mapped in it.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) process: Tracee,
    pub(crate) space: &'a Space,
}

/// Why it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It has run as many instructions as it was to.
    Count,
    /// At a breakpoint.
    Breakpoint,
    /// Behind an instruction that used watched places: these, as bits.
    Watch(u64),
    /// It wants something of the outside, or is gone.
    Stop(Stop),
}

/// How far a part of a run came: how many instructions, and why it stopped
/// unless it can simply go on.
struct Part {
    count: u64,
    why: Option<Why>,
    /// Only the reserve is left.
    reserve: bool,
}

/// Where a way out leads.
enum Followed {
    /// To this place in the translation.
    To(u64),
    /// To an address that cannot be translated.
    Nowhere(u64),
    /// Out of the translation.
    Out(Exit),
}

impl Part {
    fn go_on(count: u64) -> Self {
        Self {
            count,
            why: None,
            reserve: false,
        }
    }

    fn stop(count: u64, why: Why) -> Self {
        Self {
            why: Some(why),
            ..Self::go_on(count)
        }
    }
}

impl Counter {
    /// For a process in which these rooms are mapped.
    pub(crate) fn new(rooms: &Rooms, process: Tracee) -> Result<Self, PlayError> {
        let desk = Desk(rooms.desk());
        process.write(desk.call(), &emit::CALL)?;
        Ok(Self {
            desk,
            cache: Cache::new(desk, rooms.arenas()),
            watches: Vec::new(),
            watching: None,
            called: None,
        })
    }

    /// The address behind a `syscall` instruction that is always there.
    pub(crate) fn behind_call(&self) -> u64 {
        self.desk.call() + 2
    }

    /// Stops at these addresses and behind uses of these places from now on.
    pub(crate) fn set_traps(
        &mut self,
        process: Tracee,
        breakpoints: &BTreeSet<u64>,
        watches: &[Watch],
    ) -> Result<(), PlayError> {
        self.cache.set_breakpoints(process, breakpoints)?;
        if self.watches != watches {
            self.watches = watches.to_vec();
            self.watching = None;
        }
        Ok(())
    }

    /// Whether anything is to stop it.
    pub(crate) fn has_traps(&self) -> bool {
        self.cache.has_breakpoints() || !self.watches.is_empty()
    }

    /// The process is another now.
    pub(crate) fn has_moved(&mut self) {
        self.watching = None;
        self.called = None;
    }

    /// Lets the process run without this.
    pub(crate) fn stop_watching(&mut self, process: Tracee) -> Result<(), PlayError> {
        if self.watching.take() == Some(process) {
            process.set_watches(&[])?;
        }
        Ok(())
    }

    /// If it has stopped at a system call, it stands in front of it again.
    pub(crate) fn undo_call(&mut self, process: Tracee) -> Result<(), PlayError> {
        match self.called.take() {
            Some(registers) => Ok(process.set_registers(&registers)?),
            None => Ok(()),
        }
    }

    /// The processor keeps the address of the last floating-point instruction.
    /// Where that is one of the translation, it becomes the program's, or what
    /// the recording says where the translation is gone. Returns whether it was.
    pub(crate) fn own_address(&self, state: &mut State, recorded: Option<&State>) -> bool {
        let Some(address) = state.extended.get_mut(LAST_INSTRUCTION) else {
            return false;
        };
        let mut word = [0; 8];
        word.copy_from_slice(address);
        let host = u64::from_le_bytes(word);
        if !self.cache.has(host) {
            return false;
        }
        let block = self.cache.around(host);
        if let Some(place) = block.and_then(|block| block.at_or_before(host)) {
            address.copy_from_slice(&place.guest.to_le_bytes());
        } else if let Some(recorded) = recorded.and_then(|r| r.extended.get(LAST_INSTRUCTION)) {
            address.copy_from_slice(recorded);
        }
        true
    }

    /// What is between two addresses has changed.
    pub(crate) fn forget(
        &mut self,
        process: Tracee,
        start: u64,
        end: u64,
    ) -> Result<(), PlayError> {
        self.cache.forget(process, start, end)
    }

    /// Runs at most `limit` instructions, and returns how many it has run. A
    /// breakpoint at the first is passed.
    pub(crate) fn run(&mut self, ground: Ground<'_>, limit: u64) -> Result<(u64, Why), PlayError> {
        let process = ground.process;
        if self.watching != Some(process) {
            process.set_watches(&self.watches)?;
            self.watching = Some(process);
        }
        self.called = None;
        let mut registers = process.registers()?;
        let mut done = 0;
        let mut reserve = false;
        while done < limit {
            let pc = registers.rip();
            let left = limit - done;
            let at_breakpoint = self.cache.is_breakpoint(pc);
            if at_breakpoint && done > 0 {
                return Ok((done, Why::Breakpoint));
            }
            let part = if at_breakpoint {
                self.once(ground, &mut registers, 1)?
            } else if reserve || left <= RESERVE {
                let most = left.min(u64::from(LONGEST)) as u32;
                self.once(ground, &mut registers, most)?
            } else {
                match self.cache.find(process, ground.space, pc)? {
                    Some(host) => self.chain(ground, &mut registers, host, left)?,
                    None => self.bare(ground, &mut registers)?,
                }
            };
            done += part.count;
            reserve |= part.reserve;
            if let Some(why) = part.why {
                return Ok((done, why));
            }
        }
        Ok((done, Why::Count))
    }

    /// Runs from piece to piece.
    fn chain(
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
            Left::Exit(_, Exit::Far) => self.word(process, self.desk.target())?,
            Left::Stale(guest) => guest,
            Left::Exit(_, exit) => return Ok(Followed::Out(exit)),
        };
        let from = match left {
            Left::Exit(block, Exit::Jump { from, .. }) => {
                self.cache.block(block).host + from as u64
            }
            _ => 0,
        };
        let Some(next) = self.cache.find(process, space, to)? else {
            return Ok(Followed::Nowhere(to));
        };
        // Making room may have thrown everything else away.
        let still_there = self.cache.left_at(at).is_some();
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

    /// Runs at most `most` instructions, in a piece of their own.
    fn once(
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
                    Exit::Far => self.word(process, self.desk.target())?,
                    Exit::Odd { at } | Exit::Breakpoint { at } => at,
                    Exit::Reserve => guest,
                };
                self.put(process, registers, to)?;
                return Ok(Part::go_on(u64::from(block.piece.count)));
            }
        }
        self.faulted_in(process, registers, stop, &block, 0)
    }

    /// Runs one instruction at its own place.
    fn bare(&mut self, ground: Ground<'_>, registers: &mut Registers) -> Result<Part, PlayError> {
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

    /// A signal came while a translation ran: puts the process where it would
    /// be without one.
    fn faulted(
        &self,
        process: Tracee,
        registers: &mut Registers,
        stop: Stop,
        budget: u64,
    ) -> Result<Part, PlayError> {
        let ran = self.ran(process, budget)?;
        match self.cache.around(registers.rip()) {
            Some(block) => self.faulted_in(process, registers, stop, block, ran),
            None => Ok(Part::stop(ran, Why::Stop(stop))),
        }
    }

    fn faulted_in(
        &self,
        process: Tracee,
        registers: &mut Registers,
        stop: Stop,
        block: &Block,
        ran: u64,
    ) -> Result<Part, PlayError> {
        let Some(place) = block.at_or_before(registers.rip()) else {
            return Ok(Part::stop(ran, Why::Stop(stop)));
        };
        if place.rax_on_desk {
            registers.set_rax(self.word(process, self.desk.rax())?);
        }
        self.put(process, registers, place.guest)?;
        let ran = before(block, ran, place.index);
        Ok(Part::stop(ran, Why::Stop(stop)))
    }

    fn go(&self, process: Tracee, registers: &mut Registers, host: u64) -> Result<Stop, PlayError> {
        self.put(process, registers, host)?;
        process.resume(Resume::EmulatingCalls, 0)?;
        Ok(process.wait()?)
    }

    fn put(
        &self,
        process: Tracee,
        registers: &mut Registers,
        address: u64,
    ) -> Result<(), PlayError> {
        registers.set_rip(address);
        // Not in a system call: the kernel must not restart it.
        registers.set_orig_rax(u64::MAX);
        Ok(process.set_registers(registers)?)
    }

    /// How many instructions have been counted.
    fn ran(&self, process: Tracee, budget: u64) -> Result<u64, PlayError> {
        let ran = budget.wrapping_sub(self.word(process, self.desk.counter())?);
        if ran > budget + RESERVE {
            // The program has written to where it has nothing.
            return Err(PlayError::Limit("its own count"));
        }
        Ok(ran)
    }

    fn word(&self, process: Tracee, address: u64) -> Result<u64, PlayError> {
        let bytes = process.read_some(address, 8);
        let word = <[u8; 8]>::try_from(bytes).map(u64::from_le_bytes);
        word.map_err(|_| PlayError::Limit("the memory of its translation"))
    }
}

/// How many instructions ran before that of an index in a block, if the counter
/// says that `ran` did.
fn before(block: &Block, ran: u64, index: u32) -> u64 {
    let piece = &block.piece;
    match piece.counted {
        Some(counted) if index >= counted => {
            ran.saturating_sub(u64::from(piece.count)) + u64::from(index)
        }
        _ => ran + u64::from(index),
    }
}
