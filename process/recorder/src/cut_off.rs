//! The end of a turn in the middle of a computation.

use nix::libc;
use reprise_process_events::{Event, Pause, Position};
use reprise_tracee::{Resume, Stop, Trap};

use crate::session::{Session, Trouble};
use crate::threads::Place;

/// Where a thread is that was stopped while it ran its program.
pub(crate) enum Stopped {
    /// Between two instructions.
    InProgram,
    /// It has stopped for another reason, or goes on.
    Elsewhere(Option<Stop>),
}

impl Session {
    /// Stops the thread that runs, in the middle of a computation if it is there.
    pub(crate) fn stop_program(&mut self) -> Result<Stopped, Trouble> {
        let tracee = self.thread.tracee;
        tracee.interrupt()?;
        match tracee.wait()? {
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) => Ok(Stopped::InProgram),
            Stop::Call => {
                // It has come to a call meanwhile, which must not be cut off: it
                // is made when the stop that was asked for is over.
                self.put_off(tracee.registers()?)?;
                tracee.resume(Resume::ToCall, 0)?;
                match tracee.wait()? {
                    Stop::Trap(Trap::Stop(libc::SIGTRAP)) => {
                        tracee.resume(Resume::ToCall, 0)?;
                        Ok(Stopped::Elsewhere(None))
                    }
                    other => Ok(Stopped::Elsewhere(Some(other))),
                }
            }
            other => Ok(Stopped::Elsewhere(Some(other))),
        }
    }

    /// Ends a turn in the middle of a computation.
    pub(crate) fn cut_off(&mut self) -> Result<Option<Stop>, Trouble> {
        let tracee = self.thread.tracee;
        if let Stopped::Elsewhere(stop) = self.stop_program()? {
            return Ok(stop);
        }
        if !self.thread.waiting.is_empty() {
            return Ok(Some(Stop::Trap(Trap::Stop(libc::SIGTRAP))));
        }
        let before = self.thread.idles;
        self.thread.idles = tracee.will_idle()?;
        if self.thread.idles {
            // It is at this place, however often it has been around: no copy is
            // needed to find that again.
            let state = tracee.state()?;
            self.log.append(&Event::Pause(Pause { state }));
            return self.pass_turn(Place::Ready(Resume::ToCall, 0), Position::AfterEvent);
        }
        if before {
            // It computes now, and may do so for as long as others.
            tracee.resume(Resume::ToCall, 0)?;
            return Ok(None);
        }
        if let Some(stop) = self.leave_repetition()? {
            return Ok(Some(stop));
        }
        self.pause()?;
        self.pass_turn(Place::Ready(Resume::ToCall, 0), Position::AfterEvent)
    }
}
