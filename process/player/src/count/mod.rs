//! Runs a process and counts its instructions, without a counter of the
//! processor: a piece of the program at a time is translated to code that does
//! the same and counts. It is what makes a place in a run a number, and so going
//! back possible.
//!
//! | question | file |
//! | --- | --- |
//! | what does the added code look like? | `emit.rs` |
//! | what becomes of a piece of the program? | `block.rs`, of an instruction `instruction.rs` |
//! | which translations are there? | `cache.rs` |
//! | how is it run, and how does it stop? | `mod.rs`; from piece to piece `chain.rs`, by the instruction `single.rs`; at a watched place `watch.rs`, where a condition holds `check.rs` |
//! | where is room for all that? | `rooms.rs` |
//!
//! The program's own memory is not touched: it sees its own code, unchanged, and
//! its own addresses on its stack. What is not translated (system calls, and what cannot
//! stand elsewhere) is run at its own place, one instruction at a time. A piece of code that
//! can be written to begins by looking whether it still is what it was made from, and ends
//! with an instruction that writes to memory, so that what a compiler in the program makes
//! and changes is counted, too. Only code on its own stack is not noticed to change.

mod block;
mod cache;
mod chain;
mod check;
mod emit;
mod instruction;
mod rooms;
mod single;
mod watch;

pub(crate) use check::Condition;
pub(crate) use rooms::Rooms;

use std::collections::BTreeSet;

use reprise_process_events::{Registers, State};
use reprise_tracee::{Resume, Stop, Tracee, Watch};

use self::block::LONGEST;
use self::cache::{Block, Cache};
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

    /// The address behind a `syscall` instruction that is always there, whatever
    /// the program may have written to it.
    pub(crate) fn behind_call(&self, process: Tracee) -> Result<u64, PlayError> {
        process.write(self.desk.call(), &emit::CALL)?;
        Ok(self.desk.call() + 2)
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

    /// Stops where a condition holds from now on, and nowhere else.
    pub(crate) fn look_for(
        &mut self,
        process: Tracee,
        condition: Option<&Condition>,
    ) -> Result<(), PlayError> {
        self.cache.look_for(process, condition)
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

    /// The system call that it has stopped at has happened.
    pub(crate) fn forget_call(&mut self) {
        self.called = None;
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
