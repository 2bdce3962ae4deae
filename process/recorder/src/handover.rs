//! When a process that shares memory gives the token back, and when it takes it. It keeps
//! it through calls that do not wait, since each time that another takes it all shared
//! memory is looked at; a call that sleeps though it was not expected to is noticed soon.

use std::time::{Duration, Instant};

use reprise_syscalls::{Class, is_to_wait};

use crate::calls::{Entered, Way};
use crate::session::{Phase, Session, Trouble};
use crate::sharing::Look;
use crate::threads::state_of;
use crate::token::IN_KERNEL;
use crate::turns::PAUSE;

impl Session {
    /// A call is over. What another process has begun to write to, or to follow, this one
    /// has to look at, too. Returns whether it may go on, as `takes_token` does.
    pub(crate) fn joins_others(&mut self) -> Result<bool, Trouble> {
        let is_known = self.sharing.looked == self.to_look_at();
        let concerns = self.sharing.any || self.shared.files.borrow().is_disturbed(self.process);
        if is_known || !concerns || self.borrows {
            return Ok(self.takes_token());
        }
        if !self.shared.token.take(self.process) {
            self.wake = Some(Instant::now() + PAUSE);
            return Ok(false);
        }
        self.find_shared(Look::Late)?;
        if !self.shares() {
            self.shared.token.give_back(self.process);
            return Ok(true);
        }
        self.sharing.is_fresh = true;
        self.catch_up();
        self.shared.token.runs();
        Ok(true)
    }

    /// The thread that ran is in a call; the first look at a call after a signal
    /// cut it off does not count. The token stays here while another
    /// thread is about to run on, and while a call lasts that does not wait.
    pub(crate) fn give_token_back(&mut self, entered: &Entered, made_again: bool) {
        let is_short = entered.call.class == Class::Emulated
            && matches!(entered.way, Way::Ordinary)
            && !is_to_wait(entered.call, &entered.arguments);
        // What others had changed when a call was cut off has not been told yet.
        let keeps = is_short && !made_again && self.shares_with_others();
        if self.others.is_one_ready() {
            return;
        }
        if keeps && self.shared.token.is_kept_by(self.process) {
            // What was there before its last steps says nothing any more.
            self.sharing.seen = None;
        } else {
            self.hand_token_over(made_again);
        }
    }

    /// It has kept the token in a call for so long, and others want it: it is given
    /// back if the call sleeps, or takes very long.
    pub(crate) fn lingers(&mut self, so_long: Duration) {
        let is_in_call = matches!(self.phase, Phase::Recorded) && self.thread.entered.is_some();
        if !is_in_call || self.others.is_one_ready() {
            self.shared.token.runs();
            return;
        }
        let gives = match state_of(self.thread.tracee.pid()) {
            Some(b'S' | b'D') => true,
            Some(b'R') => so_long >= IN_KERNEL,
            // It has stopped already.
            _ => false,
        };
        if gives {
            self.hand_token_over(false);
        }
    }

    fn hand_token_over(&mut self, made_again: bool) {
        if made_again && self.sharing.seen.is_some() {
            // Since then others may have changed something, and have ended.
        } else if self.shares_with_others() {
            self.sharing.seen = Some(self.compared_content());
        } else {
            self.sharing.seen = None;
        }
        self.shared.token.give_back(self.process);
    }

    /// The thread that ran is gone, and what it saw last cannot be read any more.
    pub(crate) fn lose_token(&mut self) {
        if !self.others.is_one_ready() {
            self.sharing.seen = None;
            self.shared.token.give_back(self.process);
        }
    }

    /// Whether it may run its program now; if not, it has to be looked at again.
    pub(crate) fn takes_token(&mut self) -> bool {
        if !self.shares() {
            return true;
        }
        let had_it = self.shared.token.is_held_by(self.process);
        if self.shared.token.take(self.process) {
            self.shared.token.runs();
            let calls = self.shared.files.borrow().calls();
            // Files are written to without it, too.
            let disturbed = std::mem::replace(&mut self.sharing.calls, calls) != calls;
            if !had_it || disturbed {
                self.sharing.is_fresh = true;
                self.catch_up();
            }
            return true;
        }
        self.wake = Some(Instant::now() + PAUSE);
        false
    }
}
