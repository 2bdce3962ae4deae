//! Room for translations and what goes with them, where the recording has
//! nothing: a desk that code anywhere can name, and arenas near each part of the
//! program's code.

use super::emit::DESK;
use crate::ADDRESSES;
use crate::space::Space;

/// The size of an arena.
const ARENA: u64 = 64 << 20;

/// How far from its arena code may be.
const NEAR: u64 = 1 << 30;

/// The lowest address that may be mapped.
const LOWEST: u64 = 1 << 16;

/// The end of the addresses that fit into 31 bits.
const LOW_END: u64 = 0x7fff_0000;

/// A distance from what the recording maps.
const MARGIN: u64 = 1 << 16;

/// How far from code an arena should be. A program that fails may follow a pointer
/// whose lower bytes it has lost, and must find nothing there.
const AWAY: u64 = 640 << 20;

/// Ranges that the recording does not use.
#[derive(Clone, Debug)]
pub(crate) struct Rooms {
    desk: u64,
    arenas: Vec<(u64, u64)>,
}

impl Rooms {
    /// Finds room: `used` is all that is ever mapped, and `code` where there is
    /// ever something to execute.
    pub(crate) fn find(used: &Space, code: &[(u64, u64)]) -> Option<Self> {
        let mut used = used.clone();
        let desk_len = DESK.next_multiple_of(4096);
        let desk = nearest_gap(&used, 1 << 30, desk_len)?;
        if desk < LOWEST || desk + desk_len > LOW_END {
            return None;
        }
        used.map(desk, desk + desk_len, 0);
        let mut arenas: Vec<(u64, u64)> = Vec::new();
        for &(start, end) in code {
            let near = |&(arena, _): &(u64, u64)| {
                arena.abs_diff(start) < NEAR && arena.abs_diff(end) < NEAR
            };
            if arenas.iter().any(near) {
                continue;
            }
            let away = match start.checked_sub(AWAY) {
                Some(below) if below > LOW_END => below,
                _ => end + AWAY,
            };
            if let Some(arena) = nearest_gap(&used, away, ARENA) {
                used.map(arena, arena + ARENA, 0);
                arenas.push((arena, arena + ARENA));
            }
        }
        Some(Self { desk, arenas })
    }

    pub(crate) fn desk(&self) -> u64 {
        self.desk
    }

    pub(crate) fn arenas(&self) -> &[(u64, u64)] {
        &self.arenas
    }

    pub(crate) fn all(&self) -> Vec<(u64, u64)> {
        let desk = (self.desk, self.desk + DESK.next_multiple_of(4096));
        let arenas = self.arenas.iter().copied();
        std::iter::once(desk).chain(arenas).collect()
    }
}

/// The start of a range of `len` bytes that nothing uses, as near as possible.
fn nearest_gap(used: &Space, to: u64, len: u64) -> Option<u64> {
    let mut best: Option<u64> = None;
    let mut below = LOWEST;
    let ends = used.all().into_iter().map(|range| (range.start, range.end));
    for (start, end) in ends.chain([(ADDRESSES, ADDRESSES)]) {
        let (first, last) = (below + MARGIN, start.saturating_sub(MARGIN));
        if first + len <= last {
            let place = to.clamp(first, last - len) & !4095;
            let place = place.max(first.next_multiple_of(4096));
            if best.is_none_or(|best| place.abs_diff(to) < best.abs_diff(to)) {
                best = Some(place);
            }
        }
        below = below.max(end);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_are_near_the_code_and_in_nothing_that_is_used() {
        let mut used = Space::default();
        used.map(0x40_0000, 0x50_0000, 5);
        used.map(0x5555_0000_0000, 0x5555_0100_0000, 5);
        used.map(0x7fff_f000_0000, 0x7fff_f100_0000, 3);
        let code = [(0x40_0000, 0x41_0000), (0x5555_0000_0000, 0x5555_0001_0000)];
        let rooms = Rooms::find(&used, &code).unwrap();
        assert!(rooms.desk() < LOW_END);
        assert_eq!(rooms.arenas().len(), 2);
        for (start, end) in rooms.all() {
            assert!(used.within(start, end).is_empty(), "{start:#x}");
        }
        for (arena, (start, _)) in rooms.arenas().iter().zip(code) {
            assert!(arena.0.abs_diff(start) < NEAR);
            assert!(arena.0.abs_diff(start) > 1 << 28);
        }
    }
}
