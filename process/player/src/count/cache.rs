//! The translations that are in the process, and what they were made from.

mod links;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use reprise_tracee::Tracee;

use super::block::{Exit, LONGEST, Piece, Place, Wish, translate};
use super::check::Condition;
use super::emit::Desk;
use crate::PlayError;
use crate::space::Space;

/// Pieces begin at multiples of this, and have room for a jump.
const ALIGNMENT: u64 = 16;

/// More than a piece can take.
const ROOM: u64 = 16 << 10;

/// How many pieces are made at once.
const BATCH: usize = 24;

/// The longest instruction.
const INSTRUCTION: u64 = 15;

/// How far from the program's code its translation may be; the data that the
/// code names are somewhere near it.
const REACH: u64 = 3 << 29;

const EXECUTABLE: u32 = 4;
const WRITABLE: u32 = 2;

/// A translation in the process.
pub(super) struct Block {
    pub(super) host: u64,
    pub(super) piece: Piece,
}

/// Why the process left the translation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Left {
    /// Through a way out of the block of this number.
    Exit(usize, Exit),
    /// Into a translation that is no longer valid, of this address.
    Stale(u64),
}

/// A range of the process for translations.
struct Arena {
    start: u64,
    end: u64,
    top: u64,
}

/// All translations.
pub(super) struct Cache {
    desk: Desk,
    arenas: Vec<Arena>,
    blocks: Vec<Block>,
    by_guest: BTreeMap<u64, usize>,
    by_host: BTreeMap<u64, usize>,
    exits: HashMap<u64, Left>,
    breakpoints: BTreeSet<u64>,
    /// What is checked at one of them.
    check: Option<Condition>,
    /// How often everything has been thrown away.
    pub(super) generation: u64,
}

impl Cache {
    pub(super) fn new(desk: Desk, arenas: &[(u64, u64)]) -> Self {
        let arena = |&(start, end): &(u64, u64)| Arena {
            start,
            end,
            // The first part is for pieces that are run once.
            top: start + ROOM,
        };
        Self {
            desk,
            arenas: arenas.iter().map(arena).collect(),
            blocks: Vec::new(),
            by_guest: BTreeMap::new(),
            by_host: BTreeMap::new(),
            exits: HashMap::new(),
            breakpoints: BTreeSet::new(),
            check: None,
            generation: 0,
        }
    }

    pub(super) fn is_breakpoint(&self, guest: u64) -> bool {
        self.breakpoints.contains(&guest)
    }

    pub(super) fn has_breakpoints(&self) -> bool {
        !self.breakpoints.is_empty()
    }

    /// Whether an address is one of the translation.
    pub(super) fn has(&self, host: u64) -> bool {
        let mut arenas = self.arenas.iter();
        arenas.any(|arena| (arena.start..arena.end).contains(&host))
    }

    /// Stops at these addresses from now on.
    pub(super) fn set_breakpoints(
        &mut self,
        process: Tracee,
        breakpoints: &BTreeSet<u64>,
    ) -> Result<(), PlayError> {
        let changed: Vec<u64> = self
            .breakpoints
            .symmetric_difference(breakpoints)
            .copied()
            .collect();
        self.breakpoints.clone_from(breakpoints);
        for address in changed {
            // A piece that ends in front of one would stop there for good.
            self.forget(process, address.saturating_sub(1), address + 1)?;
        }
        Ok(())
    }

    /// Stops where a condition holds from now on, and nowhere else.
    pub(super) fn look_for(
        &mut self,
        process: Tracee,
        condition: Option<&Condition>,
    ) -> Result<(), PlayError> {
        self.check = condition.cloned();
        let at = condition.map(|condition| condition.at);
        self.set_breakpoints(process, &at.into_iter().collect())?;
        let Some(condition) = condition else {
            return Ok(());
        };
        condition.lay_out(process, self.desk)?;
        // What ends in front of it may have done so without asking.
        self.forget(process, condition.at.saturating_sub(1), condition.at + 1)
    }

    /// Where the translation of an address is; `None` if it cannot have one.
    /// What can be reached from there is translated with it, up to a point.
    pub(super) fn find(
        &mut self,
        process: Tracee,
        space: &Space,
        guest: u64,
    ) -> Result<Option<u64>, PlayError> {
        if let Some(&block) = self.by_guest.get(&guest) {
            return Ok(Some(self.blocks[block].host));
        }
        let Some(arena) = self.arena_for(guest) else {
            return Ok(None);
        };
        if self.arenas[arena].top + (BATCH as u64 + 1) * ROOM > self.arenas[arena].end {
            self.forget_all(process)?;
        }
        let start = self.arenas[arena].top;
        let first = self.blocks.len();
        let mut bytes = Vec::new();
        let mut wanted = VecDeque::from([guest]);
        while let Some(next) = wanted.pop_front() {
            if self.blocks.len() - first >= BATCH {
                break;
            }
            if self.by_guest.contains_key(&next) || self.arena_for(next) != Some(arena) {
                continue;
            }
            let code = read_code(process, space, next, u64::from(LONGEST) * INSTRUCTION);
            if code.bytes.is_empty() {
                continue;
            }
            let piece = self.add(arena, &code, next, &mut bytes);
            let jumps = piece.exits.iter().filter_map(|(_, exit)| match exit {
                Exit::Jump { to, .. } => Some(*to),
                _ => None,
            });
            wanted.extend(jumps.chain(piece.returns_to));
        }
        if self.blocks.len() == first {
            return Ok(None);
        }
        self.link_all(first, start, &mut bytes);
        process.write(start, &bytes)?;
        for block in first..self.blocks.len() {
            let returns_to = self.blocks[block].piece.returns_to;
            let found = returns_to.and_then(|to| Some((to, *self.by_guest.get(&to)?)));
            if let Some((to, block)) = found {
                self.publish(process, to, self.blocks[block].host)?;
            }
        }
        Ok(Some(start))
    }

    /// Adds a piece to those that are about to be put into an arena.
    fn add(&mut self, arena: usize, code: &Read, guest: u64, bytes: &mut Vec<u8>) -> &Piece {
        let host = self.arenas[arena].top;
        let wish = Wish {
            desk: self.desk,
            host,
            most: LONGEST,
            counts: true,
            is_breakpoint: &|address| self.breakpoints.contains(&address),
            can_change: code.can_change,
            check: self.check.as_ref().filter(|check| check.is_ready()),
        };
        let mut piece = translate(&code.bytes, guest, &wish);
        let len = (piece.bytes.len() as u64).next_multiple_of(ALIGNMENT);
        bytes.append(&mut piece.bytes);
        self.arenas[arena].top = host + len;
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT as usize), 0xcc);
        let block = self.blocks.len();
        for &(offset, exit) in &piece.exits {
            let left = Left::Exit(block, exit);
            self.exits.insert(host + offset as u64, left);
        }
        self.by_guest.insert(guest, block);
        self.by_host.insert(host, block);
        self.blocks.push(Block { host, piece });
        &self.blocks[block].piece
    }

    /// Puts a piece into the process that is run once.
    pub(super) fn once(
        &self,
        process: Tracee,
        space: &Space,
        guest: u64,
        most: u32,
    ) -> Result<Option<Block>, PlayError> {
        let Some(arena) = self.arena_for(guest) else {
            return Ok(None);
        };
        let code = read_code(process, space, guest, u64::from(most) * INSTRUCTION);
        if code.bytes.is_empty() {
            return Ok(None);
        }
        let host = self.arenas[arena].start;
        let wish = Wish {
            desk: self.desk,
            host,
            most,
            counts: false,
            is_breakpoint: &|address| self.breakpoints.contains(&address),
            can_change: code.can_change,
            check: None,
        };
        let piece = translate(&code.bytes, guest, &wish);
        process.write(host, &piece.bytes)?;
        Ok(Some(Block { host, piece }))
    }

    pub(super) fn left_at(&self, host: u64) -> Option<Left> {
        self.exits.get(&host).copied()
    }

    pub(super) fn block(&self, number: usize) -> &Block {
        &self.blocks[number]
    }

    /// The block that has this address in it.
    pub(super) fn around(&self, host: u64) -> Option<&Block> {
        let (_, &block) = self.by_host.range(..=host).next_back()?;
        let block = &self.blocks[block];
        // Not one of the arena below, nor of one that is no more.
        let near = host - block.host < ROOM;
        (self.has(host) && near).then_some(block)
    }

    pub(super) fn is_entry(&self, host: u64) -> Option<u64> {
        let block = self.by_host.get(&host)?;
        Some(self.blocks[*block].piece.guest.0)
    }

    /// The translations of what is between two addresses are valid no more.
    pub(super) fn forget(
        &mut self,
        process: Tracee,
        start: u64,
        end: u64,
    ) -> Result<(), PlayError> {
        let longest = u64::from(LONGEST) * INSTRUCTION;
        let from = start.saturating_sub(longest);
        let touched: Vec<(u64, usize)> = self
            .by_guest
            .range(from..end)
            .filter(|(_, block)| self.blocks[**block].piece.guest.1 > start)
            .map(|(&guest, &block)| (guest, block))
            .collect();
        for (guest, block) in touched {
            self.by_guest.remove(&guest);
            let host = self.blocks[block].host;
            process.write(host, &[0xcc])?;
            self.exits.insert(host, Left::Stale(guest));
        }
        Ok(())
    }

    /// A stale translation leads to the new one from now on.
    pub(super) fn renew(&mut self, process: Tracee, old: u64, new: u64) -> Result<(), PlayError> {
        let distance = new.wrapping_sub(old + 5).cast_signed();
        if let Ok(distance) = i32::try_from(distance) {
            let mut jump = vec![0xe9];
            jump.extend(distance.to_le_bytes());
            process.write(old, &jump)?;
        }
        Ok(())
    }

    fn forget_all(&mut self, process: Tracee) -> Result<(), PlayError> {
        let (table, len) = self.desk.table();
        process.write(table, &vec![0; len as usize])?;
        for arena in &mut self.arenas {
            arena.top = arena.start + ROOM;
        }
        self.blocks.clear();
        self.by_guest.clear();
        self.by_host.clear();
        self.exits.clear();
        self.generation += 1;
        Ok(())
    }

    fn arena_for(&self, guest: u64) -> Option<usize> {
        let near = |arena: &Arena| arena.start.abs_diff(guest) < REACH;
        self.arenas.iter().position(near)
    }
}

impl Block {
    /// The last instruction that begins at or before a place in the block.
    pub(super) fn at_or_before(&self, host: u64) -> Option<Place> {
        let offset = usize::try_from(host.checked_sub(self.host)?).ok()?;
        let places = self.piece.instructions.iter();
        places.rev().find(|place| place.offset <= offset).copied()
    }

    /// The last instruction that begins before a place in the block.
    pub(super) fn before(&self, host: u64) -> Option<Place> {
        self.at_or_before(host.checked_sub(1)?)
    }
}

/// Code of the program.
struct Read {
    bytes: Vec<u8>,
    /// The program may write there.
    can_change: bool,
}

/// The code at an address, as far as it can be executed.
fn read_code(process: Tracee, space: &Space, guest: u64, most: u64) -> Read {
    let mut end = guest;
    let last = guest.saturating_add(most);
    let mut can_change = false;
    for range in space.within(guest, last) {
        if range.start != end || range.protection & EXECUTABLE == 0 {
            break;
        }
        // What is at another address, too, may be written there.
        can_change |= range.protection & WRITABLE != 0 || space.is_shown(range.start, range.end);
        end = range.end;
    }
    let bytes = process.read_some(guest, (end - guest) as usize);
    Read { bytes, can_change }
}
