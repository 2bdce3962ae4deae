//! Going forward: from event to event, and where it stops on the way.

use std::time::{Duration, Instant};

use nix::libc;
use reprise_process_events::Event;
use reprise_recording::Source;
use reprise_tracee::{Stop, Use, Watch};

use super::{Halt, Position, Session};
use crate::PlayError;
use crate::count::{Ground, Why};
use crate::pause::OUT_OF_TIME;

/// How many instructions run between two looks at whether to go on.
const SLICE: u64 = 20_000_000;

/// After so long without a stop the processor looks for it.
const QUIET: Duration = Duration::from_millis(150);

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// To a position.
    At(Position),
    /// To where an event is about to happen.
    Before(u64),
    /// As far as there is something.
    End,
}

/// Why going forward has stopped, as it matters to whoever looks for the last
/// stop before a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stopped {
    pub(super) halt: Halt,
    /// Where it was one instruction or event earlier, if it was a use of a
    /// watched place.
    pub(super) before: Position,
}

impl<S: Source> Session<'_, '_, S> {
    /// Goes forward until a trap, the end, or `interrupted`.
    pub fn go_on(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Halt, PlayError> {
        if self.ended {
            return Ok(Halt::End);
        }
        let stopped = self.guarded(|session| {
            session.come_back()?;
            session.set(true)?;
            session.forward(Goal::End, interrupted)
        })?;
        Ok(stopped.halt)
    }

    /// Goes forward by one instruction, or one event.
    pub fn step(&mut self) -> Result<Halt, PlayError> {
        if self.ended {
            return Ok(Halt::End);
        }
        let stopped = self.guarded(|session| {
            session.come_back()?;
            session.set(true)?;
            session.pass_pauses()?;
            let stopped = session.one()?;
            if matches!(stopped.halt, Halt::Done | Halt::Breakpoint) {
                session.pass_pauses()?;
            }
            Ok(stopped)
        })?;
        Ok(match stopped.halt {
            Halt::Breakpoint => Halt::Done,
            halt => halt,
        })
    }

    /// Goes to its position, if it has left it without arriving anywhere.
    pub(super) fn come_back(&mut self) -> Result<(), PlayError> {
        if self.astray {
            self.seek(self.position)?;
        }
        Ok(())
    }

    /// What goes wrong on the way is a place to stop at.
    pub(super) fn guarded(
        &mut self,
        go: impl FnOnce(&mut Self) -> Result<Stopped, PlayError>,
    ) -> Result<Stopped, PlayError> {
        match go(self) {
            Err(error @ (PlayError::Diverged(_) | PlayError::Unplayable { .. })) => {
                if self.play.blank.tracee.registers().is_err() {
                    // It is gone. There is still what was before.
                    self.restore(self.position)?;
                }
                Ok(self.stopped(Halt::Trouble(error.to_string())))
            }
            other => other,
        }
    }

    /// Lets traps stop it, or nothing.
    pub(super) fn set(&mut self, traps: bool) -> Result<(), PlayError> {
        let process = self.play.blank.tracee;
        let (breakpoints, watches) = if traps {
            (&self.traps.breakpoints, &self.traps.watches[..])
        } else {
            (&std::collections::BTreeSet::new(), &[][..])
        };
        self.counter.set_traps(process, breakpoints, watches)?;
        self.values = self.watched();
        Ok(())
    }

    /// The first of the watched places that has changed, or of these, if to read
    /// it counts as well. A place where the same was written has not changed.
    pub(super) fn changed(&mut self, hits: u64) -> Option<usize> {
        let values = self.watched();
        let used = (0..values.len()).find(|&index| {
            let reads = self.traps.watches[index].when == Use::Access;
            let is_hit = hits & (1 << index) != 0;
            self.values.get(index) != values.get(index) || (reads && is_hit)
        });
        self.values = values;
        used
    }

    /// Goes forward. Whether traps stop it has been set before.
    pub(super) fn forward(
        &mut self,
        goal: Goal,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Stopped, PlayError> {
        let started = Instant::now();
        // Where the processor has seen that there is a stop.
        let mut seen = None;
        // Before the last event on the way there is no need to count.
        let counted_from = match goal {
            Goal::Before(event) => event - 1,
            Goal::At(position) => position.event,
            Goal::End => self.survey.last.saturating_sub(1),
        };
        loop {
            let limit = match goal {
                Goal::At(goal) if goal <= self.position => return Ok(self.stopped(Halt::Done)),
                Goal::At(goal) if goal.event == self.position.event => {
                    goal.count - self.position.count
                }
                _ => SLICE,
            };
            if goal == Goal::Before(self.position.event + 1) && !self.runs() {
                return Ok(self.stopped(Halt::Done));
            }
            let far = self.position.event < counted_from && seen != Some(self.position.event);
            let stopped = if !far {
                self.part(limit.min(SLICE), goal)?
            } else if !self.counter.has_traps() {
                self.without_counting()?
            } else if started.elapsed() > QUIET && self.fit() {
                match self.with_debug_registers()? {
                    Some(stopped) => stopped,
                    None => {
                        seen = Some(self.position.event);
                        continue;
                    }
                }
            } else {
                self.part(SLICE, goal)?
            };
            if let Some(stopped) = stopped {
                return Ok(stopped);
            }
            if self.checkpoints.are_due() {
                self.checkpoint()?;
            }
            if interrupted() {
                return Ok(self.stopped(Halt::Interrupted));
            }
        }
    }

    /// Whether the processor can look for all traps itself.
    fn fit(&self) -> bool {
        self.traps.breakpoints.len() + self.traps.watches.len() <= Watch::MOST
    }

    /// Runs to the next event at full speed, with the processor looking for
    /// traps. `None` if there is one before the event; it then stands where it
    /// stood, and has to look for it by counting.
    fn with_debug_registers(&mut self) -> Result<Option<Option<Stopped>>, PlayError> {
        if !self.runs() {
            return self.happen(None).map(Some);
        }
        if self.left_to_pause()?.is_some() {
            return self.part(SLICE, Goal::End).map(Some);
        }
        let start = self.position;
        // One that it stands at is passed.
        let pc = self.play.blank.tracee.registers()?.rip();
        if self.traps.breakpoints.contains(&pc) {
            return self.part(1, Goal::End).map(Some);
        }
        let process = self.play.blank.tracee;
        let breakpoints = self.traps.breakpoints.iter().map(|address| Watch {
            address: *address,
            len: 1,
            when: Use::Execute,
        });
        let watches = self.traps.watches.iter().copied();
        self.counter.stop_watching(process)?;
        process.set_watches(&watches.chain(breakpoints).collect::<Vec<_>>())?;
        let places = self.traps.watches.len();
        self.astray = true;
        let stop = loop {
            let stop = self.play.go()?;
            if stop != Stop::Signal(libc::SIGTRAP) {
                break stop;
            }
            let hits = process.take_watch_hits()?;
            if hits == 0 {
                break stop;
            }
            if hits >> places != 0 || self.changed(hits).is_some() {
                self.seek(start)?;
                self.set(true)?;
                return Ok(None);
            }
        };
        if !matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
            process.set_watches(&[])?;
        }
        self.happen(Some(stop)).map(Some)
    }

    /// One instruction or event.
    fn one(&mut self) -> Result<Stopped, PlayError> {
        match self.part(1, Goal::End)? {
            Some(stopped) => Ok(stopped),
            None => Ok(self.stopped(Halt::Done)),
        }
    }

    /// Runs to the next event, or for as many instructions. Returns where it
    /// has to stop, if it has to.
    fn part(&mut self, limit: u64, goal: Goal) -> Result<Option<Stopped>, PlayError> {
        let Some(due) = &self.due else {
            return Ok(Some(self.stopped(Halt::End)));
        };
        if !self.play.runs_to(due) {
            return self.happen(None);
        }
        let mut limit = limit;
        if let Some(left) = self.left_to_pause()? {
            if left == 0 && goal == Goal::Before(self.position.event + 1) {
                return Ok(Some(self.stopped(Halt::Done)));
            }
            if left == 0 {
                return self.happen(None);
            }
            limit = limit.min(left);
        }
        let ground = Ground {
            process: self.play.blank.tracee,
            space: &self.play.space,
        };
        self.ended = false;
        let (count, why) = self.counter.run(ground, limit)?;
        self.position.count += count;
        match why {
            Why::Count => Ok(None),
            Why::Breakpoint => Ok(Some(self.stopped(Halt::Breakpoint))),
            Why::Watch(hits) => {
                let Some(index) = self.changed(hits) else {
                    return Ok(None);
                };
                let mut stopped = self.stopped(Halt::Watch(index));
                stopped.before.count = stopped.before.count.saturating_sub(1);
                Ok(Some(stopped))
            }
            Why::Stop(OUT_OF_TIME) => Err(PlayError::Limit("its time")),
            Why::Stop(_) if goal == Goal::Before(self.position.event + 1) => {
                self.counter.undo_call(self.play.blank.tracee)?;
                Ok(Some(self.stopped(Halt::Done)))
            }
            Why::Stop(stop) => self.happen(Some(stop)),
        }
    }

    /// How many instructions it is to the pause that comes next, if one does.
    fn left_to_pause(&self) -> Result<Option<u64>, PlayError> {
        match &self.due {
            Some(Event::Pause(_)) => {
                let count = self.play.places.before(self.position.event + 1)?;
                Ok(Some(count.saturating_sub(self.position.count)))
            }
            _ => Ok(None),
        }
    }

    /// Lets the pauses happen that it stands at: they are nothing that the program does, and
    /// a step has to be seen.
    fn pass_pauses(&mut self) -> Result<(), PlayError> {
        while self.left_to_pause()? == Some(0) {
            self.happen(None)?;
        }
        Ok(())
    }

    /// Runs to the next event at full speed.
    fn without_counting(&mut self) -> Result<Option<Stopped>, PlayError> {
        if self.left_to_pause()?.is_some() {
            return self.part(SLICE, Goal::End);
        }
        let Some(due) = &self.due else {
            return Ok(Some(self.stopped(Halt::End)));
        };
        let stop = if self.play.runs_to(due) {
            self.counter.stop_watching(self.play.blank.tracee)?;
            self.astray = true;
            Some(self.play.go()?)
        } else {
            None
        };
        self.happen(stop)
    }
    pub(super) fn stopped(&self, halt: Halt) -> Stopped {
        let before = self.position;
        Stopped { halt, before }
    }

    /// Whether the process runs before the next event.
    fn runs(&self) -> bool {
        let due = self.due.as_ref();
        due.is_some_and(|due| self.play.runs_to(due))
    }
}
