//! A process that computes for long, without a system call.
//!
//! Segments begin in the middle of that, too, so that what is kept of it, and what it
//! takes to play that, does not grow with the computation. Such a place need not be
//! found again: who plays from an earlier one runs over it, and nothing happens there.
//! When somebody wants a recording now, the computation is interrupted once, and the
//! recording goes as far as that.

use std::time::{Duration, Instant};

use nix::libc;
use reprise_process_events::{Event, Pause};
use reprise_tracee::{Resume, Stop, Trap};

use crate::cut_off::Stopped;
use crate::log::Joint;
use crate::session::{Phase, Session, Trouble};
use crate::threads::state_of;
use crate::turns;

/// Who has come to no event for so long computes. Others are at an event now, or as good
/// as that.
pub(crate) const COMPUTING: Duration = Duration::from_millis(20);

/// It was stopped in the middle of its program.
const STOPPED: Stop = Stop::Trap(Trap::Stop(libc::SIGTRAP));

impl Session {
    /// Whether the thread whose turn it is runs its program, and nothing else is about to
    /// happen to it.
    pub(crate) fn is_in_program(&self) -> bool {
        let thread = &self.thread;
        let undisturbed = thread.interrupted.is_none() && thread.delivery.is_none();
        let runs = matches!(self.phase, Phase::Recorded) && !self.others.vacant;
        runs && undisturbed && thread.entered.is_none()
    }

    /// Whether it runs its program, and may be stopped there.
    fn can_stop(&self) -> bool {
        let is_about_to = self.executed || self.over || self.borrows || self.found.is_some();
        self.is_in_program() && !is_about_to && !self.is_parked()
    }

    /// Whether a segment may begin where it is. What others have changed of memory that
    /// it shares with them is told with its next event, so not there.
    fn may_be_stopped(&self) -> bool {
        self.can_stop() && !self.shares_with_others()
    }

    /// When it is to be looked at again if it computes on.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        if self.reason_to_leave().is_some() && self.can_stop() {
            return Some(Instant::now() + turns::PAUSE);
        }
        self.may_be_stopped().then_some(self.look)
    }

    /// Begins a segment in the middle of a computation, if it is time. Returns a stop
    /// that came meanwhile and is to be handled, or that ends the recording.
    pub(crate) fn turn_in_program(&mut self) -> Result<Option<Stop>, Trouble> {
        if let Some(stop) = self.stop_to_leave()? {
            return Ok(Some(stop));
        }
        if !self.may_be_stopped() || Instant::now() < self.look {
            return Ok(None);
        }
        self.look = Instant::now() + self.log.between_looks();
        if !self.computes() || !self.log.is_due() {
            return Ok(None);
        }
        match self.stop_program()? {
            Stopped::InProgram if self.thread.waiting.is_empty() => {
                // What was there at the last event still says which signals come at
                // that very place.
                let due = self.thread.due;
                self.begin_segment(self.site, Joint::Midway)?;
                self.thread.due = due;
                turns::resume(self.thread.tracee, Resume::ToCall, 0)?;
                Ok(None)
            }
            Stopped::InProgram => Ok(Some(STOPPED)),
            Stopped::Elsewhere(stop) => Ok(stop),
        }
    }

    /// If it computes, and is not to be recorded any more: stops it. Returns a stop that
    /// is to be handled, and ends the recording.
    pub(crate) fn stop_to_leave(&mut self) -> Result<Option<Stop>, Trouble> {
        if self.reason_to_leave().is_none() || !self.can_stop() || !self.computes() {
            return Ok(None);
        }
        match self.stop_program()? {
            Stopped::InProgram => Ok(Some(STOPPED)),
            Stopped::Elsewhere(stop) => Ok(stop),
        }
    }

    /// Somebody wants a recording: if it computes, the place where it is now becomes the
    /// last event.
    pub(crate) fn come_to_now(&mut self) -> Result<(), Trouble> {
        let computes = self.seen_at.elapsed() >= COMPUTING && self.computes();
        if !computes || !self.may_be_stopped() || self.log.is_empty() {
            return Ok(());
        }
        match self.stop_program()? {
            Stopped::InProgram if self.thread.waiting.is_empty() => {
                if self.thread.tracee.will_idle()? {
                    let state = self.thread.tracee.state()?;
                    self.log.append(&Event::Pause(Pause { state }));
                } else {
                    self.found = self.leave_repetition()?;
                    if self.found.is_some() {
                        return Ok(());
                    }
                    self.pause()?;
                }
                turns::resume(self.thread.tracee, Resume::ToCall, 0)?;
            }
            Stopped::InProgram => self.found = Some(STOPPED),
            Stopped::Elsewhere(stop) => self.found = stop,
        }
        Ok(())
    }

    /// Whether the thread whose turn it is is not stopped, by whomever.
    fn computes(&self) -> bool {
        state_of(self.thread.tracee.pid()) == Some(b'R')
    }
}
