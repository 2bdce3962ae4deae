//! Programs that look after orphans (`PR_SET_CHILD_SUBREAPER`), as init systems and
//! supervisors do.
//!
//! Shadows are children of the process whose memory they hold, and it does not see them.
//! When it ends, the kernel gives them to another, as ordinary children. That is the
//! recorder, unless a process of the subject has asked for orphans: it would wait for a
//! shadow for ever, or be told of the end of a process that it has never seen. So nothing is
//! left to it: a process waits for its own shadows before it ends, and what is kept of
//! those that have ended is given up before such a process waits.

use nix::libc;
use reprise_process_events::Registers;
use reprise_tracee::{Resume, TraceError};

use crate::session::{Next, Session, Trouble};
use crate::shadow;

impl Session {
    /// A call has been made: it may have asked for orphans.
    pub(crate) fn asks_for_orphans(&mut self, number: u64, arguments: &[u64; 6], result: u64) {
        let option = libc::PR_SET_CHILD_SUBREAPER as u64;
        if number.cast_signed() == libc::SYS_prctl && arguments[0] == option && result == 0 {
            self.look_after_orphans(arguments[1] != 0);
        }
    }

    /// It does so, or not any more.
    pub(crate) fn look_after_orphans(&mut self, does: bool) {
        self.adopts = does;
        if does {
            shadow::may_be_adopted();
        }
    }

    /// A call begins. If shadows have to be gone before it is made, they go now, and it
    /// begins once more.
    pub(crate) fn leave_no_orphans(
        &mut self,
        number: u64,
        registers: Registers,
    ) -> Result<Option<Next>, Trouble> {
        let waits = [libc::SYS_wait4, libc::SYS_waitid].contains(&number.cast_signed());
        let ends = [libc::SYS_exit, libc::SYS_exit_group].contains(&number.cast_signed());
        if std::mem::take(&mut self.left_none) || !(waits || ends) || !shadow::are_adopted() {
            return Ok(None);
        }
        if waits && self.adopts {
            self.shared.archive.give_up_orphans(self.process);
        }
        if !shadow::has_children(self.process) || !(ends || self.adopts) {
            return Ok(None);
        }
        let behind = registers.rip();
        self.put_off(registers)?;
        let thread = self.thread.tracee;
        shadow::bury_children(self.process, |shadow| {
            shadow::wait_in_name(thread, behind, shadow)
        });
        // Whoever has not gone by now is not waited for again.
        self.left_none = true;
        Ok(Some(Next::Go(Resume::ToCall, 0)))
    }

    /// Whether a process that ran before looks after orphans.
    pub(crate) fn learn_of_orphans(&mut self, behind: u64) -> Result<(), TraceError> {
        let option = libc::PR_GET_CHILD_SUBREAPER as u64;
        let answer = crate::attach::asked(self.thread.tracee, behind, option)?;
        self.look_after_orphans(answer as u32 != 0);
        Ok(())
    }
}
