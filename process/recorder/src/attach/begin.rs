//! How the recording of a program begins that runs already.

use nix::libc;
use reprise_process_events::{Call, Registers};
use reprise_tracee::{LONG_MODE, Resume, TraceError, Tracee};

use super::vdso::Vdso;
use super::{Attached, Loans, Settled, settle, step_out};
use crate::calls::unrecordable;
use crate::filters;
use crate::log::Joint;
use crate::maps;
use crate::segment::find_syscall;
use crate::session::{Session, Thread, Trouble};
use crate::sharing::Look;
use crate::spawn::OPTIONS;
use crate::threads::{Other, Place};
use crate::turns;

/// How far below the stack pointer a word is borrowed: nothing is there.
const BELOW: u64 = 512;

impl Session {
    /// Begins to record a program, and lets it go on.
    pub(crate) fn begin_attached(
        &mut self,
        attached: &Attached,
        loans: &mut Loans,
    ) -> Result<(), Trouble> {
        let range = Vdso::range_in(self.process);
        let mut threads: Vec<(Tracee, Settled)> = Vec::new();
        for &thread in &attached.threads {
            if thread.registers()?.cs() != LONG_MODE {
                return Err(unrecordable("the subject is a 32-bit program"));
            }
            thread.set_options(OPTIONS)?;
            let settled = settle(thread)?;
            if let Some(range) = range {
                step_out(thread, range)?;
            }
            threads.push((thread, settled));
        }
        self.filtered = threads
            .iter()
            .any(|(thread, _)| filters::has_own(thread.pid()));
        self.site = find_syscall(self.thread.tracee);
        let behind = self.site.ok_or_else(|| unrecordable("no code"))?;
        if let Some(range) = range {
            loans.vdso = Vdso::replace(self.thread.tracee, range)?;
            for name in &loans.vdso.left {
                let what = format!("what {name} of the vDSO answers");
                self.log.note(what, "it cannot be made to ask the kernel");
            }
        }
        let processor = self.processors.map(|processors| processors.chosen);
        for (thread, settled) in threads {
            loans.take(thread, behind, processor)?;
            let known = known(thread, behind, settled)?;
            if thread.pid() == self.process {
                self.thread = known;
                continue;
            }
            self.others.ready.push_back(Other {
                thread: known,
                place: Place::Ready(Resume::ToCall, 0),
            });
        }
        let first = self.thread.tracee;
        self.learn_of_orphans(behind)?;
        self.brk = filters::aside(first, || first.call_at(behind, libc::SYS_brk, [0; 6]))?;
        self.unforked = maps::unforked(self.process)?;
        self.find_shared(Look::Mapped)?;
        self.note_shared_files()?;
        self.begin_turn();
        self.begin_segment(self.site, Joint::Apart)?;
        turns::resume(first, Resume::ToCall, 0)?;
        Ok(())
    }
}

impl Session {
    /// Whether a call only seems to succeed: a program whose first thread has an
    /// area for restartable sequences gives up if another cannot have one. It gets
    /// it when it is let go.
    pub(crate) fn pretends(&self, call: &reprise_syscalls::Call, arguments: &[u64; 6]) -> bool {
        let is_rseq = call.number.cast_signed() == libc::SYS_rseq;
        let Some(loans) = self.shared.loans.as_ref().filter(|_| !self.new_program) else {
            return false;
        };
        is_rseq
            && loans
                .borrow_mut()
                .keep_area(self.thread.tracee.pid(), arguments)
    }
}

/// What is known of a thread that has run for a while.
fn known(thread: Tracee, behind: u64, settled: Settled) -> Result<Thread, TraceError> {
    let mut known = Thread::new(thread);
    let clears = cleared(thread, behind)?;
    let learn = |known: &mut Thread, call: i64, address: u64| {
        let arguments = [address, 0, 0, 0, 0, 0];
        known.at_exit.learn(call.cast_unsigned(), &arguments);
    };
    learn(&mut known, libc::SYS_set_tid_address, clears);
    learn(&mut known, libc::SYS_set_robust_list, thread.robust_list());
    known.interrupted = settled.resumes.and_then(|beginning| begun(&beginning));
    Ok(known)
}

/// The call that a thread has begun before it was attached to.
fn begun(beginning: &Registers) -> Option<Call> {
    let call = reprise_syscalls::find(beginning.rax())?;
    Some(Call {
        number: call.number,
        ip: beginning.rip(),
        arguments: beginning.arguments()[..usize::from(call.arguments)].to_vec(),
        result: (-516i64).cast_unsigned(),
        ..Call::default()
    })
}

/// The address at which the kernel writes when a thread ends.
fn cleared(thread: Tracee, behind: u64) -> Result<u64, TraceError> {
    const PR_GET_TID_ADDRESS: u64 = 40;
    asked(thread, behind, PR_GET_TID_ADDRESS)
}

/// What the kernel answers to a question of `prctl`, in a word; 0 if it does not.
pub(crate) fn asked(thread: Tracee, behind: u64, option: u64) -> Result<u64, TraceError> {
    let at = thread.registers()?.rsp().wrapping_sub(BELOW) & !7;
    let saved = thread.read_some(at, 8);
    if saved.len() < 8 {
        return Ok(0);
    }
    thread.write(at, &[0; 8])?;
    let arguments = [option, at, 0, 0, 0, 0];
    let result = filters::aside(thread, || {
        thread.call_at(behind, libc::SYS_prctl, arguments)
    });
    let word = thread.read_some(at, 8);
    thread.write(at, &saved)?;
    let word = <[u8; 8]>::try_from(word).map_or(0, u64::from_le_bytes);
    Ok(if result? == 0 { word } else { 0 })
}

impl Attached {
    /// Its first thread.
    pub(crate) fn first(&self) -> Tracee {
        Tracee::already(self.process)
    }
}
