//! What is taken from a program while it is recorded, and given back to it: areas
//! that the kernel writes to unseen, the time without system calls, and all
//! processors but one.

use std::collections::HashMap;

use nix::libc;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use reprise_tracee::{TraceError, Tracee};

use super::vdso::Vdso;
use crate::filters;
use crate::parting::counter_on;

const UNREGISTER: u64 = 1;

/// What was taken from a thread.
#[derive(Clone, Copy)]
pub(crate) struct Loan {
    /// Its area for restartable sequences.
    rseq: Option<(u64, u32, u32)>,
    processors: Option<CpuSet>,
}

/// What was taken from a program.
#[derive(Default)]
pub(crate) struct Loans {
    threads: HashMap<Pid, Loan>,
    /// The processors of the first thread; what was made meanwhile gets these.
    processors: Option<CpuSet>,
    pub(crate) vdso: Vdso,
}

impl Loans {
    /// Takes from a thread, by the `syscall` instruction that ends at `behind`.
    pub(crate) fn take(
        &mut self,
        thread: Tracee,
        behind: u64,
        processor: Option<usize>,
    ) -> Result<(), TraceError> {
        let rseq = thread.rseq();
        if let Some((address, len, signature)) = rseq {
            let (len, signature) = (u64::from(len), u64::from(signature));
            let arguments = [address, len, UNREGISTER, signature, 0, 0];
            filters::aside(thread, || thread.call_at(behind, libc::SYS_rseq, arguments))?;
        }
        let (option, fault) = (libc::PR_SET_TSC as u64, libc::PR_TSC_SIGSEGV as u64);
        filters::aside(thread, || {
            thread.call_at(behind, libc::SYS_prctl, [option, fault, 0, 0, 0, 0])
        })?;
        let processors = sched_getaffinity(thread.pid()).ok();
        let mut one = CpuSet::new();
        if processor.is_some_and(|processor| one.set(processor).is_ok()) {
            let _ = sched_setaffinity(thread.pid(), &one);
        }
        self.processors = self.processors.or(processors);
        self.threads.insert(thread.pid(), Loan { rseq, processors });
        Ok(())
    }

    /// A thread wants the kernel to use such an area, or to stop that: it will, when
    /// the thread is let go. Returns false if that is not what it wants.
    pub(crate) fn keep_area(&mut self, thread: Pid, arguments: &[u64; 6]) -> bool {
        let [address, len, flags, signature, ..] = *arguments;
        let (Ok(len), Ok(signature)) = (u32::try_from(len), u32::try_from(signature)) else {
            return false;
        };
        let area = (address, len, signature);
        let loan = self.threads.entry(thread).or_insert(Loan {
            rseq: None,
            processors: None,
        });
        match flags {
            0 => loan.rseq = Some(area),
            UNREGISTER => loan.rseq = None,
            _ => return false,
        }
        true
    }

    /// Gives a thread back what was taken.
    pub(crate) fn give_back(&self, thread: Tracee, behind: u64) {
        // What cannot be given back must not keep it from running.
        let _ = counter_on(thread, behind);
        let own = self.threads.get(&thread.pid());
        if let Some((address, len, signature)) = own.and_then(|loan| loan.rseq) {
            let arguments = [address, u64::from(len), 0, u64::from(signature), 0, 0];
            let _ = filters::aside(thread, || thread.call_at(behind, libc::SYS_rseq, arguments));
        }
        let processors = own.and_then(|loan| loan.processors);
        if let Some(processors) = processors.or(self.processors) {
            let _ = sched_setaffinity(thread.pid(), &processors);
        }
    }
}
