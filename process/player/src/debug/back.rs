//! Going back: forward from a checkpoint, to where it was before.

use reprise_recording::Source;

use super::forward::Goal;
use super::{Halt, Position, Session};
use crate::PlayError;

/// How many instructions the first look back covers; each further look covers
/// so many times more.
const FIRST_LOOK: u64 = 20_000;
const WIDER: u64 = 8;

/// So many stops within one look are enough: the rest of it is then divided, to
/// find the last without all the others.
const ENOUGH: usize = 200;

/// From this distance on a checkpoint is made shortly before a goal, since one
/// step back is often followed by another.
const FAR: u64 = 3_000_000;
const SHORTLY: u64 = 300_000;

/// A stop that going back may come to.
#[derive(Clone, Debug)]
struct Hit {
    at: Position,
    halt: Halt,
}

/// What was found between two positions.
struct Found {
    last: Option<Hit>,
    /// How far it has looked.
    upto: Position,
}

impl<S: Source> Session<'_, '_, S> {
    /// Goes to where an event has just happened.
    pub fn go_to(&mut self, event: u64) -> Result<Halt, PlayError> {
        let (first, last) = self.events();
        let last = last - u64::from(self.ending().is_some());
        let event = event.clamp(first, last);
        let stopped = self.guarded(|session| {
            session.seek(Position { event, count: 0 })?;
            Ok(session.stopped(Halt::Done))
        })?;
        Ok(stopped.halt)
    }

    /// Goes back by one instruction, or one event.
    pub fn step_back(&mut self) -> Result<Halt, PlayError> {
        let stopped = self.guarded(|session| {
            let end = session.before_pauses()?;
            if end == session.first {
                return Ok(session.stopped(Halt::Start));
            }
            session.seek_before(end)?;
            if session.traps.watches.is_empty() {
                return Ok(session.stopped(Halt::Done));
            }
            let start = session.position;
            let found = session.look(start, end, 1)?;
            session.seek(start)?;
            let used = found.last.filter(|hit| matches!(hit.halt, Halt::Watch(_)));
            Ok(session.stopped(used.map_or(Halt::Done, |hit| hit.halt)))
        })?;
        Ok(stopped.halt)
    }

    /// Goes back to the last trap, to the start, or to wherever it is when
    /// `interrupted`.
    pub fn go_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Halt, PlayError> {
        let stopped = self.guarded(|session| {
            let traps = &session.traps;
            let none = traps.breakpoints.is_empty() && traps.watches.is_empty();
            let mut end = session.before_pauses()?;
            let (mut width, mut events) = (FIRST_LOOK, 1);
            while end > session.first && !none {
                let start = if end.count > 0 {
                    let count = end.count.saturating_sub(width);
                    width = width.saturating_mul(WIDER);
                    Position { count, ..end }
                } else {
                    let event = end.event.saturating_sub(events);
                    events *= WIDER;
                    let event = event.max(session.first.event);
                    Position { event, count: 0 }
                };
                if let Some(hit) = session.last_hit(start, end)? {
                    session.seek(hit.at)?;
                    return Ok(session.stopped(hit.halt));
                }
                end = start;
                if interrupted() {
                    session.seek(end)?;
                    return Ok(session.stopped(Halt::Interrupted));
                }
            }
            session.seek(session.first)?;
            Ok(session.stopped(Halt::Start))
        })?;
        Ok(stopped.halt)
    }

    /// Where it stands, or before the pauses that have just happened: all is the same there.
    fn before_pauses(&self) -> Result<Position, PlayError> {
        let mut at = self.position;
        while at.count == 0 && self.survey.is_pause(at.event) {
            at = Position {
                event: at.event - 1,
                count: self.play.places.before(at.event)?,
            };
        }
        Ok(at)
    }

    /// The last stop at or behind `start` and before `end`.
    fn last_hit(&mut self, start: Position, end: Position) -> Result<Option<Hit>, PlayError> {
        let found = self.look(start, end, ENOUGH)?;
        if found.upto == end {
            return Ok(found.last);
        }
        // There is more of it. What is later is looked at first.
        let Some(middle) = self.middle(found.upto, end)? else {
            let rest = self.look(found.upto, end, usize::MAX)?;
            return Ok(rest.last.or(found.last));
        };
        if let Some(hit) = self.last_hit(middle, end)? {
            return Ok(Some(hit));
        }
        let earlier = self.last_hit(found.upto, middle)?;
        Ok(earlier.or(found.last))
    }

    /// Looks for stops from `start` to before `end`, but for no more than
    /// `most`.
    fn look(&mut self, start: Position, end: Position, most: usize) -> Result<Found, PlayError> {
        self.seek(start)?;
        let mut last = None;
        let mut hits = 0;
        if self.is_at_breakpoint()? {
            let halt = Halt::Breakpoint;
            last = Some(Hit { at: start, halt });
        }
        self.set(true)?;
        loop {
            let stopped = self.forward(Goal::At(end), &mut || false)?;
            let at = match stopped.halt {
                Halt::Breakpoint => self.position,
                Halt::Watch(_) => stopped.before,
                _ => break,
            };
            if at >= end {
                break;
            }
            hits += 1;
            let halt = stopped.halt;
            last = Some(Hit { at, halt });
            if hits >= most && self.position < end {
                let upto = self.position;
                return Ok(Found { last, upto });
            }
        }
        Ok(Found { last, upto: end })
    }

    /// A place about half-way, if there is much between two positions.
    fn middle(&mut self, start: Position, end: Position) -> Result<Option<Position>, PlayError> {
        let mut end = end;
        if end.event - start.event == 1 && end.count == 0 {
            self.seek_before(end)?;
            end = self.position;
        }
        let events = end.event - start.event;
        Ok(if events >= 1 {
            let event = start.event + events.div_ceil(2);
            let middle = Position { event, count: 0 };
            Some(middle).filter(|middle| *middle < end)
        } else {
            let count = start.count + (end.count - start.count) / 2;
            let much = end.count - start.count > FIRST_LOOK;
            much.then_some(Position { count, ..start })
        })
    }

    /// Goes to a position, past all traps.
    pub(super) fn seek(&mut self, goal: Position) -> Result<(), PlayError> {
        self.approach(goal)?;
        self.set(false)?;
        if goal.count - self.position.count.min(goal.count) > FAR {
            let count = goal.count - SHORTLY;
            let shortly = Position { count, ..goal };
            self.forward(Goal::At(shortly), &mut || false)?;
            self.checkpoint()?;
        }
        self.forward(Goal::At(goal), &mut || false)?;
        Ok(())
    }

    /// Goes to the last position before another.
    pub(super) fn seek_before(&mut self, end: Position) -> Result<(), PlayError> {
        if end.count > 0 {
            let count = end.count - 1;
            return self.seek(Position { count, ..end });
        }
        let event = end.event.saturating_sub(1).max(self.first.event);
        self.restore(Position {
            event,
            count: u64::MAX,
        })?;
        if self.position.event < event {
            self.set(false)?;
            self.forward(Goal::At(Position { event, count: 0 }), &mut || false)?;
            self.checkpoint()?;
        }
        self.set(false)?;
        self.forward(Goal::Before(end.event), &mut || false)?;
        Ok(())
    }

    /// Goes to a position between the start of what runs before an event and the
    /// goal in it, from wherever that is shortest.
    fn approach(&mut self, goal: Position) -> Result<(), PlayError> {
        let nearest = self.checkpoints.before(goal);
        let nearer = nearest.is_some_and(|nearest| nearest > self.position);
        if self.astray || self.position > goal || nearer {
            self.restore(goal)?;
        }
        if self.position.event < goal.event {
            self.set(false)?;
            let start = Position {
                event: goal.event,
                count: 0,
            };
            self.forward(Goal::At(start), &mut || false)?;
            self.checkpoint()?;
        }
        Ok(())
    }
}
