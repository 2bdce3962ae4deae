//! A process is recorded no more: it gets back what was taken from it, and runs on
//! as it would have.

use nix::libc;
use reprise_recording::CutShort;
use reprise_tracee::{Stop, TraceError, Tracee, Trap};

use crate::asking::restore;
use crate::filters;
use crate::guard;
use crate::session::{Ended, Phase, Session, Trouble, was_interrupted};

impl Session {
    /// Ends the recording and lets the process run on as it would have.
    pub(crate) fn let_go(&mut self, trouble: &Trouble, stop: Stop) -> Result<(), TraceError> {
        self.share_no_more();
        self.log.cut_short(CutShort::Stopped {
            by: trouble.to_string(),
        });
        let shared = self.shared.clone();
        let is_over = matches!(stop, Stop::Exited(_) | Stop::Killed(_));
        if let Some(loans) = shared.loans.as_ref().filter(|_| !is_over) {
            if self.first {
                shared.let_go.set(Some(trouble.to_string()));
            }
            self.release(&loans.borrow());
            return Ok(());
        }
        match stop {
            Stop::Exited(_) | Stop::Killed(_) if self.is_one_of_many() => {
                self.phase = Phase::Escorted(self.escort());
                return Ok(());
            }
            Stop::Exited(status) => {
                self.phase = Phase::Over(Some(Ended::Exited(status)));
                return Ok(());
            }
            Stop::Killed(signal) => {
                self.phase = Phase::Over(Some(Ended::Killed(signal)));
                return Ok(());
            }
            _ => {}
        }
        // Who borrows its memory leaves it soon.
        if !self.borrows {
            restore(self.thread.tracee);
        }
        // What cannot be undone any more must not keep it from running.
        let _ = self.undo(stop);
        // Before this thread goes on: a new program or an end of all would take
        // the others away in the middle of it.
        let escort = self.is_one_of_many().then(|| self.escort());
        if let Some(processors) = self.processors {
            processors.restore(self.thread.tracee.pid());
        }
        let signal = match stop {
            Stop::Signal(number) => number,
            _ => 0,
        };
        let _ = self.thread.tracee.detach(signal);
        for waiting in self.thread.waiting.drain(..) {
            let _ = self.thread.tracee.send(waiting.number);
        }
        self.phase = escort.map_or(Phase::LetGo, Phase::Escorted);
        Ok(())
    }

    /// It runs without the token from here on.
    fn share_no_more(&mut self) {
        if self.sharing.followed.take().is_some() && self.shared.has_others() {
            let why = "a process that is recorded no more may change it, which is not seen";
            self.shared.archive.note("shared memory", why);
        }
        self.publish_last();
        self.shared.shares_no_more(self.process);
        self.shared.token.give_back(self.process);
    }

    /// Undoes what was done to the subject, which needs a place where it can make
    /// a system call.
    fn undo(&mut self, stop: Stop) -> Result<(), TraceError> {
        if stop == Stop::Trap(Trap::Stop(libc::SIGTRAP)) {
            return guard::undo(self.thread.tracee);
        }
        if stop != Stop::Call {
            return Ok(());
        }
        let mut registers = self.thread.tracee.registers()?;
        if self.thread.entered.is_none() && registers.rax() == (-38i64).cast_unsigned() {
            // At the beginning of a call: it is put off and made again.
            registers = self.put_off(registers)?;
            set_free(self.thread.tracee, registers.rip() + 2)?;
            filters::set_up_wider(self.thread.tracee, &registers)?;
        } else if !was_interrupted(registers.rax()) {
            // A new program has not made the call whose end this is.
            guard::undo(self.thread.tracee)?;
        }
        Ok(())
    }
}

/// Gives a stopped process its time-stamp counter back, by a system call with
/// the instruction that ends at `behind`. Returns what the call returned.
pub(crate) fn counter_on(process: Tracee, behind: u64) -> Result<u64, TraceError> {
    let (option, value) = (libc::PR_SET_TSC as u64, libc::PR_TSC_ENABLE as u64);
    filters::aside(process, || {
        process.call_at(behind, libc::SYS_prctl, [option, value, 0, 0, 0, 0])
    })
}

/// Undoes all that a recorder does to a subject, in the same way: it does not
/// depend on anybody from here on.
pub(crate) fn set_free(subject: Tracee, behind: u64) -> Result<(), TraceError> {
    counter_on(subject, behind)?;
    let option = libc::PR_SET_PDEATHSIG as u64;
    filters::aside(subject, || {
        subject.call_at(behind, libc::SYS_prctl, [option, 0, 0, 0, 0, 0])
    })?;
    Ok(())
}
