//! Breakpoints and watchpoints as the client sets them. The replay has four
//! places to watch, of at most eight bytes each, at multiples of their length.

use gdbstub::target::TargetResult;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use reprise_player::{Traps, Use, Watch};
use reprise_recording::Source;

use crate::target::Debuggee;

/// A watchpoint of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) address: u64,
    len: u64,
    pub(crate) kind: WatchKind,
}

impl Wanted {
    /// The places that the processor watches for it.
    fn places(&self) -> Vec<Watch> {
        let mut places = Vec::new();
        let (mut at, end) = (self.address, self.address.saturating_add(self.len));
        while at < end && places.len() <= Watch::MOST {
            let fits = |len: &u64| at.is_multiple_of(*len) && at + len <= end;
            let len = [8, 4, 2, 1].into_iter().find(fits).unwrap_or(1);
            places.push(Watch {
                address: at,
                len: len as u8,
                when: match self.kind {
                    WatchKind::Write => Use::Write,
                    _ => Use::Access,
                },
            });
            at += len;
        }
        places
    }
}

/// The client's watchpoints as places, and for each place its watchpoint.
pub(crate) fn places(wanted: &[Wanted]) -> Vec<(Watch, Wanted)> {
    let places = |wanted: &Wanted| {
        let places = wanted.places().into_iter();
        places.map(|place| (place, *wanted)).collect::<Vec<_>>()
    };
    wanted.iter().flat_map(places).collect()
}

impl<S: Source> Debuggee<'_, '_, '_, S> {
    /// Hands the client's wishes to the replay.
    pub(crate) fn set_traps(&mut self) {
        let watches = places(&self.wanted);
        self.session.set_traps(&Traps {
            breakpoints: self.breakpoints.clone(),
            watches: watches.iter().map(|(watch, _)| *watch).collect(),
        });
    }
}

impl<S: Source> Breakpoints for Debuggee<'_, '_, '_, S> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Source> SwBreakpoint for Debuggee<'_, '_, '_, S> {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.breakpoints.insert(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.breakpoints.remove(&address))
    }
}

impl<S: Source> HwBreakpoint for Debuggee<'_, '_, '_, S> {
    fn add_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.breakpoints.insert(address);
        Ok(true)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.breakpoints.remove(&address))
    }
}

impl<S: Source> HwWatchpoint for Debuggee<'_, '_, '_, S> {
    fn add_hw_watchpoint(
        &mut self,
        address: u64,
        len: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let mut wanted = self.wanted.clone();
        wanted.push(Wanted { address, len, kind });
        if places(&wanted).len() > Watch::MOST {
            let most = Watch::MOST;
            self.tell(&format!(
                "at most {most} places of 8 bytes can be watched at a time"
            ));
            return Ok(false);
        }
        self.wanted = wanted;
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        len: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let gone = Wanted { address, len, kind };
        let before = self.wanted.len();
        self.wanted.retain(|wanted| *wanted != gone);
        Ok(self.wanted.len() < before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: u64, len: u64, expected: &[(u64, u8)]) {
        let kind = WatchKind::Write;
        let wanted = Wanted { address, len, kind };
        let places = wanted.places();
        let places: Vec<_> = places.iter().map(|w| (w.address, w.len)).collect();
        assert_eq!(places, expected);
    }

    #[test]
    fn places_are_aligned() {
        check(0x1000, 8, &[(0x1000, 8)]);
        check(0x1004, 8, &[(0x1004, 4), (0x1008, 4)]);
        check(0x1001, 4, &[(0x1001, 1), (0x1002, 2), (0x1004, 1)]);
        check(0x1000, 16, &[(0x1000, 8), (0x1008, 8)]);
        check(u64::MAX, 8, &[]);
    }
}
