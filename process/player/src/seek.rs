//! Finding out where a pause was, when a recording is written.
//!
//! The process is run from the event before. It has arrived when its registers and
//! all of its memory are as they were: from an equal state follows an equal future,
//! so it does not matter if that is so more than once. Registers alone would not do,
//! since a loop may come back to them; a loop that works on memory alone does so
//! each time. So what differed at all of these times is compared in the translation
//! from then on (`telling.rs`), and the process stops only where that is right, too.
//!
//! A thread that waited for others in a loop that changes nothing has arrived when
//! it has these registers and is in such a loop: it would never get out of it.

mod telling;

use std::time::{Duration, Instant};

use reprise_process_events::{PAGE, Pause, STACK_RED_ZONE};
use reprise_recording::Source;
use reprise_tracee::Stop;

use crate::compare::{difference, general_difference};
use crate::count::{Condition, Why};
use crate::pause::{Counting, OUT_OF_TIME};
use crate::play::Play;
use crate::{Page, PlayError};

use self::telling::{Differing, Telling};

/// How many instructions run between two looks at the clock.
const SLICE: u64 = 20_000_000;

/// After so long it is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// After so long it must have come further than so many instructions: code that
/// can be written to is run by the instruction, and would take hours.
const SLOW: Duration = Duration::from_secs(5);
const SLOW_COUNT: u64 = 2_000_000;

/// How much memory is compared at once.
const BLOCK: u64 = 256 * PAGE;

/// How many words that differ are looked at of each block.
const OF_BLOCK: usize = 1024;

/// How many words are learnt at once.
const AT_ONCE: usize = 4;

/// How far below the stack pointer memory counts as unused.
const UNUSED: u64 = 16 << 10;

const WRITABLE: u32 = 2;

/// What memory was like at a pause.
struct Then {
    pause: u64,
    /// Where there was something that can have changed, if that was kept.
    ranges: Option<Vec<(u64, u64)>>,
    /// What is below the stack.
    unused: (u64, u64),
    /// What differed each time.
    telling: Telling,
}

impl<S: Source> Play<'_, '_, S> {
    /// Lets the process run to a pause, and returns how many instructions that
    /// took.
    pub(crate) fn find_pause(
        &mut self,
        counting: &mut Counting,
        event: u64,
        pause: &Pause,
    ) -> Result<u64, PlayError> {
        let process = self.blank.tracee;
        let began = Instant::now();
        let mut then = self.then(event, pause);
        let mut condition = Condition::new(&pause.state.registers);
        counting.counter.look_for(process, Some(&condition))?;
        let mut count = 0;
        loop {
            if process.registers()?.rip() == condition.at {
                let mut went = 0;
                match self.learn(counting, pause, &mut then, &mut condition, &mut went)? {
                    Learnt::Arrived => break,
                    Learnt::Something => {
                        counting.counter.look_for(process, Some(&condition))?;
                    }
                    Learnt::Nothing => {}
                }
                count += went;
                if went > 0 {
                    continue;
                }
            }
            let (ran, why) = counting.counter.run(self.ground(), SLICE)?;
            count += ran;
            if let Why::Stop(stop) = why {
                self.supply(stop, event)?;
                self.tell_brought(counting)?;
            }
            let took = began.elapsed();
            if took > PATIENCE || (took > SLOW && count < SLOW_COUNT) {
                return Err(PlayError::Unrecognised { event });
            }
        }
        counting.counter.look_for(process, None)?;
        Ok(count)
    }

    /// The process wants something before it has arrived: a page, or it has missed
    /// the pause.
    fn supply(&mut self, stop: Stop, event: u64) -> Result<(), PlayError> {
        if stop == OUT_OF_TIME {
            return Err(PlayError::Limit("its time"));
        }
        match self.missed(stop) {
            Some(address) => self.bring(address),
            None => Err(PlayError::Unrecognised { event }),
        }
    }

    fn then(&mut self, pause: u64, at: &Pause) -> Then {
        let supplies = self.supplies.as_mut();
        let all = supplies.and_then(|supplies| supplies.from.ranges_at(pause));
        let ranges = all.map(|all| {
            let mut ranges = Vec::new();
            for (start, end) in all {
                // Nothing else can have changed since the event before.
                let parts = self.space.within(start, end).into_iter();
                let writable = parts.filter(|part| part.protection & WRITABLE != 0);
                ranges.extend(writable.map(|part| (part.start, part.end)));
            }
            ranges
        });
        let stack = at.state.registers.rsp();
        let unused = stack.saturating_sub(STACK_RED_ZONE);
        Then {
            pause,
            ranges,
            unused: (unused.saturating_sub(UNUSED), unused),
            telling: Telling::default(),
        }
    }

    /// Compares the process with a pause, and adds what differs to the condition.
    /// It may have to run for that.
    fn learn(
        &mut self,
        counting: &mut Counting,
        pause: &Pause,
        then: &mut Then,
        condition: &mut Condition,
        went: &mut u64,
    ) -> Result<Learnt, PlayError> {
        let mut here = self.blank.tracee.state()?;
        let learnt = condition.come_by(&here.registers);
        if general_difference(&pause.state.registers, &here.registers).is_some() {
            return Ok(if learnt {
                Learnt::Something
            } else {
                Learnt::Nothing
            });
        }
        counting.counter.own_address(&mut here, Some(&pause.state));
        if difference(&pause.state, &here, self.segment.foreign.as_ref()).is_some() {
            let learnt = condition.add_vectors(&pause.state, &here) || learnt;
            return Ok(if learnt {
                Learnt::Something
            } else {
                Learnt::Nothing
            });
        }
        if then.ranges.is_none() {
            let idles = self.idles(counting, then.pause, went)?;
            return Ok(if idles {
                Learnt::Arrived
            } else {
                Learnt::Nothing
            });
        }
        let differing = self.differing_words(then)?;
        if differing.is_empty() {
            return Ok(Learnt::Arrived);
        }
        then.telling.come_by(&differing);
        let best = then.telling.best(AT_ONCE);
        for &(address, word) in &best {
            self.bring(address)?;
            condition.add_word(address, word);
        }
        Ok(if best.is_empty() && !learnt {
            Learnt::Nothing
        } else {
            Learnt::Something
        })
    }

    /// Whether the process is in a loop that changes nothing; it is at the same
    /// place then, and has gone that far otherwise.
    fn idles(
        &mut self,
        counting: &mut Counting,
        event: u64,
        went: &mut u64,
    ) -> Result<bool, PlayError> {
        let process = self.blank.tracee;
        process.is_idle(|| {
            loop {
                let (ran, why) = counting.counter.run(self.ground(), 1)?;
                *went += ran;
                match why {
                    Why::Stop(stop) => {
                        self.supply(stop, event)?;
                        self.tell_brought(counting)?;
                    }
                    _ => return Ok(true),
                }
            }
        })
    }

    /// Words of memory that are not as they were at a pause: of those that are watched, or of
    /// all if none of them is; none if all is as it was.
    fn differing_words(&mut self, then: &Then) -> Result<Vec<Differing>, PlayError> {
        let mut differing = Vec::new();
        let mut pages: Vec<u64> = then.telling.watched().map(|at| at & !(PAGE - 1)).collect();
        pages.dedup();
        for page in pages {
            self.differing_in(then, page, page + PAGE, &mut differing)?;
        }
        if !differing.is_empty() {
            return Ok(differing);
        }
        for &(start, end) in then.ranges.iter().flatten() {
            let mut at = start;
            while at < end {
                let next = end.min(at + BLOCK);
                self.differing_in(then, at, next, &mut differing)?;
                at = next;
            }
        }
        Ok(differing)
    }

    /// Adds the words between two addresses that differ, so many of each block at most.
    fn differing_in(
        &mut self,
        then: &Then,
        start: u64,
        end: u64,
        differing: &mut Vec<Differing>,
    ) -> Result<(), PlayError> {
        let event = then.pause;
        let mut wanted = vec![0; (end - start) as usize];
        let mut here = wanted.clone();
        let known = self
            .supplies
            .as_mut()
            .is_some_and(|supplies| supplies.from.read_at(event, start, &mut wanted));
        if !known {
            return Err(PlayError::Unrecognised { event });
        }
        for range in self.space.present(start, end) {
            let (from, to) = ((range.start - start) as usize, (range.end - start) as usize);
            let _ = self.blank.tracee.read(range.start, &mut here[from..to]);
        }
        for (from, to, _) in self.space.missing(start, end) {
            for page in (from..to).step_by(PAGE as usize) {
                let at = (page - start) as usize;
                let content: Option<Page> = self.look_up(page);
                if let Some(content) = content {
                    here[at..at + PAGE as usize].copy_from_slice(&content);
                }
            }
        }
        if wanted == here {
            return Ok(());
        }
        let words = wanted.chunks_exact(8).zip(here.chunks_exact(8));
        let all = (0..).zip(words).filter_map(|(index, (wanted, here))| {
            let address = start + index * 8;
            let is_used = !(then.unused.0..then.unused.1).contains(&address);
            (wanted != here && is_used).then(|| Differing {
                address,
                wanted: word(wanted),
                here: word(here),
            })
        });
        differing.extend(all.take(OF_BLOCK));
        Ok(())
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// What comparing came to.
enum Learnt {
    /// It is the pause.
    Arrived,
    /// It is not, and the condition tells from now on.
    Something,
    /// It is not, and nothing can be learnt from that.
    Nothing,
}
