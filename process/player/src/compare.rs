//! The end of a replay against the end of the run: registers and memory.

use std::collections::HashMap;

use reprise_process_events::{End, PAGE, PageSums, Registers, State};
use reprise_recording::Source;

use crate::PlayError;
use crate::divergence::Fact;
use crate::foreign::Foreign;
use crate::play::Play;
use crate::space::Range;

/// The flags for single steps and for going on behind a breakpoint: they belong
/// to the tracer.
const TRACERS_FLAGS: u64 = 0x1_0100;

/// The flags that many instructions leave undefined: what a multiplication does to them is
/// another thing on each processor.
const UNDEFINED: u64 = 0xd4;

/// Where the XSAVE layout says which parts are in their initial state: how the
/// processor keeps track of that is its own affair.
const IN_USE: std::ops::Range<usize> = 512..520;

/// How much memory is read at once.
const BLOCK: usize = 256 * PAGE as usize;

/// After so many blocks with nothing to read the rest of a range is skipped.
const PATIENCE: usize = 1024;

impl<S: Source> Play<'_, '_, S> {
    /// Finds the first difference between where the process stands and the
    /// recorded end.
    pub(crate) fn compare(
        &mut self,
        event: u64,
        end: &End,
        here: &Registers,
    ) -> Result<(), PlayError> {
        let state = State {
            registers: *here,
            extended: self.blank.tracee.state()?.extended,
        };
        self.compare_state(event, &end.state, &state)?;
        self.compare_memory(event, end, here.rip())
    }

    /// Finds the first difference between the registers and the recorded ones.
    pub(crate) fn compare_state(
        &self,
        event: u64,
        recorded: &State,
        here: &State,
    ) -> Result<(), PlayError> {
        match difference(recorded, here, self.segment.foreign.as_ref()) {
            None => Ok(()),
            Some((expected, actual)) => {
                Err(self.diverged(event, here.registers.rip(), expected, actual))
            }
        }
    }

    fn compare_memory(&mut self, event: u64, end: &End, ip: u64) -> Result<(), PlayError> {
        let mut expected: HashMap<u64, u32> = end.sums.iter().collect();
        let mut block = vec![0; BLOCK];
        self.compare_missing(event, end, ip, &mut expected)?;
        for range in self.space.present(0, u64::MAX) {
            let Range {
                start,
                end: stop,
                protection,
            } = range;
            if protection == 0 {
                // Nobody can look into it, the program included.
                expected.retain(|address, _| !(start..stop).contains(address));
                continue;
            }
            let mut at = start;
            let mut failures = 0;
            while at < stop && failures < PATIENCE {
                let len = usize::try_from(stop - at).unwrap_or(BLOCK).min(BLOCK);
                let read = self.blank.tracee.read(at, &mut block[..len]);
                failures = if read == 0 { failures + 1 } else { 0 };
                for (index, page) in (0..).zip(block[..read].chunks_exact_mut(PAGE as usize)) {
                    let address = at + index * PAGE;
                    PageSums::blank_unused(address, page, end.unused);
                    let zero = page.iter().all(|&byte| byte == 0);
                    let actual = (!zero).then(|| crc32c::crc32c(page));
                    let recorded = expected.remove(&address);
                    if recorded != actual {
                        let fact = |sum| Fact::Page { address, sum };
                        return Err(self.diverged(event, ip, fact(recorded), fact(actual)));
                    }
                }
                let whole = read / PAGE as usize;
                at += (whole.max(usize::from(read < len)) as u64).max(1) * PAGE;
            }
        }
        if let Some((&address, &sum)) = expected.iter().min() {
            let fact = |sum| Fact::Page { address, sum };
            return Err(self.diverged(event, ip, fact(Some(sum)), fact(None)));
        }
        Ok(())
    }

    /// A missing page was not used, so it must be as it was; if nobody knows how
    /// that is, there is nothing to compare.
    fn compare_missing(
        &mut self,
        event: u64,
        end: &End,
        ip: u64,
        expected: &mut HashMap<u64, u32>,
    ) -> Result<(), PlayError> {
        for (start, stop, _) in self.space.missing(0, u64::MAX) {
            for address in (start..stop).step_by(PAGE as usize) {
                let recorded = expected.remove(&address);
                let protection = self.space.within(address, address + PAGE);
                let hidden = protection.iter().all(|range| range.protection == 0);
                if hidden {
                    continue;
                }
                let Some(mut page) = self.look_up(address) else {
                    continue;
                };
                PageSums::blank_unused(address, &mut page, end.unused);
                let zero = page.iter().all(|&byte| byte == 0);
                let actual = (!zero).then(|| crc32c::crc32c(&page));
                if recorded != actual {
                    let fact = |sum| Fact::Page { address, sum };
                    return Err(self.diverged(event, ip, fact(recorded), fact(actual)));
                }
            }
        }
        Ok(())
    }
}

/// The first difference between recorded registers and others, if there is one.
pub(crate) fn difference(
    recorded: &State,
    here: &State,
    foreign: Option<&Foreign>,
) -> Option<(Fact, Fact)> {
    let mut registers = here.registers;
    if foreign.is_some() {
        let flags = registers.eflags() & !UNDEFINED | recorded.registers.eflags() & UNDEFINED;
        registers.set_eflags(flags);
    }
    let general = general_difference(&recorded.registers, &registers);
    if let Some((name, expected, actual)) = general {
        let fact = |value| Fact::Register { name, value };
        return Some((fact(expected), fact(actual)));
    }
    let pairs = recorded.extended.iter().zip(&here.extended).enumerate();
    let counts = |at| !IN_USE.contains(&at) && foreign.is_none_or(|f| f.compares(at));
    let mut differing = pairs.filter(|(at, (e, a))| e != a && counts(*at));
    let (offset, (expected, actual)) = differing.next()?;
    let fact = |value| Fact::Extended { offset, value };
    Some((fact(*expected), fact(*actual)))
}

/// The first general register that differs, with its two values.
pub(crate) fn general_difference(
    recorded: &Registers,
    here: &Registers,
) -> Option<(&'static str, u64, u64)> {
    let plain = |registers: &Registers| {
        let mut plain = *registers;
        plain.set_orig_rax(0);
        plain.set_eflags(plain.eflags() & !TRACERS_FLAGS);
        plain
    };
    plain(recorded).difference(&plain(here))
}
