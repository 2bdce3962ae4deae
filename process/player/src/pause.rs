//! Pauses: places between two events where something happened to the process that
//! was not due there. Such a place is a number of instructions, so the process is
//! run there by what counts them.

use nix::libc;
use reprise_process_events::{Pause, Place};
use reprise_recording::Source;
use reprise_tracee::Stop;

use crate::PlayError;
use crate::blank::Blank;
use crate::compare;
use crate::count::{Counter, Ground, Rooms, Why};
use crate::divergence::Fact;
use crate::play::Play;
use crate::survey::Survey;

/// What ends a replay for lack of time has a signal of its own.
pub(crate) const OUT_OF_TIME: Stop = Stop::Signal(libc::SIGXCPU);

/// What counts instructions in a replay without a debugger.
pub(crate) struct Counting {
    pub(crate) counter: Counter,
    survey: Survey,
    /// The last event whose changes the counter knows of.
    upto: u64,
}

/// Room for counting, if there is something to count.
pub(crate) fn rooms(
    survey: &Survey,
    blank: &Blank,
    event: u64,
) -> Result<Option<Rooms>, PlayError> {
    if !survey.has_pauses() {
        return Ok(None);
    }
    let what = "it leaves no room for counting".to_owned();
    let rooms = survey.rooms(blank);
    rooms.map(Some).ok_or(PlayError::Unplayable { event, what })
}

/// The ranges of the rooms.
pub(crate) fn all(rooms: Option<&Rooms>) -> Vec<(u64, u64)> {
    rooms.map(Rooms::all).unwrap_or_default()
}

impl<S: Source> Play<'_, '_, S> {
    /// Counts in these rooms, if there are any.
    pub(crate) fn count_in(
        &mut self,
        rooms: Option<Rooms>,
        survey: Survey,
    ) -> Result<(), PlayError> {
        if let Some(rooms) = rooms {
            self.counting = Some(Counting {
                counter: Counter::new(&rooms, self.blank.tracee)?,
                survey,
                upto: self.done,
            });
        }
        Ok(())
    }

    /// Lets the process run to the pause that is due. Returns what stopped it
    /// before, if something did.
    pub(crate) fn go_to_pause(&mut self, pause: &Pause) -> Result<Option<Stop>, PlayError> {
        let event = self.done + 1;
        let Some(mut counting) = self.counting.take() else {
            let what = "it was not expected".to_owned();
            return Err(PlayError::Unplayable { event, what });
        };
        let went = self.count_to_pause(&mut counting, event, pause);
        self.counting = Some(counting);
        went
    }

    fn count_to_pause(
        &mut self,
        counting: &mut Counting,
        event: u64,
        pause: &Pause,
    ) -> Result<Option<Stop>, PlayError> {
        let process = self.blank.tracee;
        let changes = counting.survey.changes(counting.upto, self.done);
        for (start, end) in changes.collect::<Vec<_>>() {
            counting.counter.forget(process, start, end)?;
        }
        counting.upto = self.done;
        self.tell_brought(counting)?;
        if self.supplies.is_some() {
            let count = self.find_pause(counting, event, pause)?;
            self.places.add(Place { event, count });
        } else {
            let mut left = self.places.before(event)?;
            while left > 0 {
                let (ran, why) = counting.counter.run(self.ground(), left)?;
                left -= ran;
                match why {
                    Why::Stop(OUT_OF_TIME) => return Err(PlayError::Limit("its time")),
                    Why::Stop(stop) => return Ok(Some(stop)),
                    _ => {}
                }
            }
        }
        // No register is to tell of the translation.
        let mut state = process.state()?;
        if counting.counter.own_address(&mut state, Some(&pause.state)) {
            self.set_state(&state)?;
        }
        Ok(None)
    }

    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground {
            process: self.blank.tracee,
            space: &self.space,
        }
    }

    /// Code that has come meanwhile can be translated.
    pub(crate) fn tell_brought(&mut self, counting: &mut Counting) -> Result<(), PlayError> {
        /// An instruction may begin before it.
        const INSTRUCTION: u64 = 15;
        let Some(supplies) = &mut self.supplies else {
            return Ok(());
        };
        for (start, end) in std::mem::take(&mut supplies.brought) {
            let start = start.saturating_sub(INSTRUCTION);
            counting.counter.forget(self.blank.tracee, start, end)?;
        }
        Ok(())
    }

    /// The process stands where a pause should have been.
    pub(crate) fn play_pause(
        &self,
        event: u64,
        pause: &Pause,
        stop: Stop,
    ) -> Result<(), PlayError> {
        let ip = pause.state.registers.rip();
        let expected = Fact::Pause { ip };
        let registers = self.here(event, &expected, stop)?;
        if stop != Stop::Signal(0) {
            return Err(self.other(event, expected, stop, &registers));
        }
        let here = self.blank.tracee.state()?;
        match compare::difference(&pause.state, &here, self.segment.foreign.as_ref()) {
            None => Ok(()),
            Some((expected, actual)) => {
                Err(self.diverged(event, here.registers.rip(), expected, actual))
            }
        }
    }
}
