//! From one translation straight to the next.

use reprise_tracee::Tracee;

use super::{ALIGNMENT, Cache, ROOM};
use crate::PlayError;
use crate::count::block::Exit;

impl Cache {
    /// Lets the jumps of new pieces, whose bytes will be at `start`, go straight
    /// to those that are there, if they are near.
    pub(super) fn link_all(&self, first: usize, start: u64, bytes: &mut [u8]) {
        for block in &self.blocks[first..] {
            for (_, exit) in &block.piece.exits {
                let Exit::Jump { to, from } = exit else {
                    continue;
                };
                let target = self.by_guest.get(to).map(|block| self.blocks[*block].host);
                let from = block.host + *from as u64;
                let distance = target.and_then(|target| near(from, target));
                let at = (from - start) as usize;
                if let (Some(distance), Some(gap)) = (distance, bytes.get_mut(at..at + 4)) {
                    gap.copy_from_slice(&distance.to_le_bytes());
                }
            }
        }
    }

    /// Lets the jump whose distance is at `from` go straight to `to`.
    pub(in crate::count) fn link(
        &mut self,
        process: Tracee,
        from: u64,
        to: u64,
    ) -> Result<(), PlayError> {
        if let Some(distance) = near(from, to) {
            return Ok(process.write(from, &distance.to_le_bytes())?);
        }
        // By way of an island, which has the whole address.
        let arena = self
            .arenas
            .iter_mut()
            .find(|arena| (arena.start..arena.end).contains(&from));
        let Some(arena) = arena.filter(|arena| arena.top + ROOM <= arena.end) else {
            return Ok(());
        };
        let island = arena.top;
        arena.top += ALIGNMENT;
        let mut bytes = vec![0xff, 0x25, 0, 0, 0, 0];
        bytes.extend(to.to_le_bytes());
        process.write(island, &bytes)?;
        match near(from, island) {
            Some(distance) => Ok(process.write(from, &distance.to_le_bytes())?),
            None => Ok(()),
        }
    }

    /// Lets jumps whose targets are not known beforehand find an address.
    pub(in crate::count) fn publish(
        &self,
        process: Tracee,
        guest: u64,
        host: u64,
    ) -> Result<(), PlayError> {
        let set = self.desk.set(guest);
        // What was found last is looked for first.
        let mut pairs = process.read_some(set, 16);
        let mut words = guest.wrapping_neg().to_le_bytes().to_vec();
        words.extend(host.to_le_bytes());
        if pairs.get(..8) != Some(&words[..8]) {
            words.append(&mut pairs);
        }
        Ok(process.write(set, &words)?)
    }
}

/// The distance from behind a field of four bytes, if it fits into that.
fn near(from: u64, to: u64) -> Option<i32> {
    let distance = to.wrapping_sub(from + 4).cast_signed();
    i32::try_from(distance).ok()
}
