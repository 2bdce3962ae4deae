//! An event happens on the way forward, or the end does, which is compared.

use reprise_process_events::{Ending, Event, State};
use reprise_recording::Source;
use reprise_tracee::Stop;

use super::forward::Stopped;
use super::{Halt, Position, Session};
use crate::PlayError;

impl<S: Source> Session<'_, '_, S> {
    /// The event that is due happens.
    pub(super) fn happen(&mut self, stop: Option<Stop>) -> Result<Option<Stopped>, PlayError> {
        let Some(due) = self.due.take() else {
            return Ok(Some(self.stopped(Halt::End)));
        };
        let before = self.position;
        if let Event::End(end) = &due {
            let ending = end.ending;
            let compared = self.compare(&due, stop);
            self.due = Some(due);
            self.ended = true;
            compared?;
            return Ok(Some(self.stopped(match ending {
                Ending::Signal { number, .. } => Halt::Killed(number),
                Ending::Exit { .. } => Halt::End,
            })));
        }
        if let Event::Pause(pause) = &due {
            self.own_address(&pause.state)?;
        }
        if let Err(error) = self.play.arrive(&due, stop) {
            self.due = Some(due);
            self.counter.undo_call(self.play.blank.tracee)?;
            return Err(error);
        }
        self.counter.forget_call();
        self.position = Position {
            event: before.event + 1,
            count: 0,
        };
        self.astray = false;
        let process = self.play.blank.tracee;
        for (start, end) in self.survey.changes(before.event, self.position.event) {
            self.counter.forget(process, start, end)?;
        }
        self.due = self.play.next()?;
        if !self.counter.has_traps() {
            return Ok(None);
        }
        if let Some(index) = self.changed(0) {
            let halt = Halt::Watch(index);
            return Ok(Some(Stopped { halt, before }));
        }
        if self.is_at_breakpoint()? {
            return Ok(Some(self.stopped(Halt::Breakpoint)));
        }
        Ok(None)
    }

    /// The end of the recording: compared with that of the run the first time.
    fn compare(&mut self, end: &Event, stop: Option<Stop>) -> Result<(), PlayError> {
        let done = self.play.done;
        let process = self.play.blank.tracee;
        let mut result = Ok(());
        if !self.compared {
            if let Event::End(end) = end {
                self.own_address(&end.state)?;
            }
            result = self.play.arrive(end, stop).map(|_| ());
            self.compared = true;
        }
        self.play.done = done;
        self.counter.undo_call(process)?;
        result
    }

    /// No register is to tell of the translation when it is compared with this.
    fn own_address(&self, recorded: &State) -> Result<(), PlayError> {
        let process = self.play.blank.tracee;
        let mut state = process.state()?;
        if self.counter.own_address(&mut state, Some(recorded)) {
            process.set_state(&state)?;
        }
        Ok(())
    }

    /// Whether it has come to a breakpoint. A thread that runs again, or was interrupted,
    /// has not: it has stood there before.
    pub(super) fn is_at_breakpoint(&self) -> Result<bool, PlayError> {
        let Position { event, count } = self.position;
        if count == 0 && (self.play.threads.has_switched() || self.survey.is_pause(event)) {
            return Ok(false);
        }
        let pc = self.play.blank.tracee.registers()?.rip();
        Ok(self.traps.breakpoints.contains(&pc))
    }
}
