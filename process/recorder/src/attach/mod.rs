//! Attaching to a program that runs already.
//!
//! | question | file |
//! | --- | --- |
//! | may it be attached to? | `refuse.rs` |
//! | how are all of its threads stopped? | `mod.rs` |
//! | … without a call of theirs failing? | `settle.rs` |
//! | what is taken from it, and given back? | `loan.rs`; the time without system calls: `vdso.rs` |
//! | how does its recording begin? | `begin.rs` |
//! | how is it let go again? | `release.rs` |

mod begin;
mod loan;
mod refuse;
mod release;
mod settle;
mod vdso;

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::filters;
use crate::maps;
use crate::spawn::Processors;

pub(crate) use self::begin::asked;
pub(crate) use self::loan::Loans;
pub use self::refuse::AttachError;
pub(crate) use self::release::undo_all;
pub(crate) use self::settle::{Settled, settle, step_out};

/// A program that runs already. All of its threads are stopped.
pub struct Attached {
    process: Pid,
    threads: Vec<Tracee>,
    pub(crate) processors: Option<Processors>,
}

impl Attached {
    /// Stops a program, if it may be recorded.
    pub fn to(process: u32) -> Result<Self, AttachError> {
        refuse::check(process)?;
        let pid = Pid::from_raw(i32::try_from(process).unwrap_or(i32::MAX));
        let threads = stop_all(pid).map_err(|error| refuse::explain(process, error))?;
        let attached = Self {
            process: pid,
            threads,
            processors: None,
        };
        if attached.has_filter_to_obey() {
            attached.let_go();
            return Err(AttachError::Filtered(process));
        }
        Ok(attached)
    }

    /// Whether there is a filter for its system calls that cannot be set aside.
    fn has_filter_to_obey(&self) -> bool {
        let options = libc::PTRACE_O_TRACESYSGOOD;
        self.threads.iter().any(|thread| {
            filters::has_own(thread.pid())
                && (thread.set_options(options | filters::ASIDE))
                    .and_then(|()| thread.set_options(options))
                    .is_err()
        })
    }

    /// Its number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.as_raw().cast_unsigned()
    }

    /// How it was called.
    #[must_use]
    pub fn command(&self) -> Vec<OsString> {
        let line = fs::read(format!("/proc/{}/cmdline", self.process)).unwrap_or_default();
        let line = line.strip_suffix(&[0]).unwrap_or(&line);
        let words = line.split(|byte| *byte == 0);
        words
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect()
    }

    /// Chooses the processor that it and this process will share.
    pub(crate) fn choose_processor(&mut self) -> Option<usize> {
        self.processors = Processors::share_with(self.process);
        self.processors.map(|processors| processors.chosen)
    }

    /// Its program.
    pub(crate) fn program(&self) -> String {
        maps::program(self.process)
    }

    /// Lets it run on as if nothing had been.
    pub fn let_go(self) {
        for thread in self.threads {
            let _ = settle(thread);
            let _ = thread.detach(0);
        }
    }
}

/// Begins to trace all threads of a process, and stops them.
pub(crate) fn stop_all(process: Pid) -> Result<Vec<Tracee>, TraceError> {
    let mut threads: Vec<Tracee> = Vec::new();
    let mut failed = None;
    loop {
        let before = threads.len();
        for number in tasks(process) {
            if threads.iter().any(|thread| thread.pid() == number) {
                continue;
            }
            let thread = Tracee::seize(number, libc::PTRACE_O_TRACESYSGOOD);
            match thread.and_then(|thread| stop(thread).map(|()| thread)) {
                Ok(thread) => threads.push(thread),
                // It has ended meanwhile.
                Err(error) if error.errno == Errno::ESRCH && number != process => {}
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        if threads.len() == before || failed.is_some() {
            break;
        }
    }
    match failed {
        None => Ok(threads),
        Some(error) => {
            for thread in threads {
                let _ = settle(thread);
                let _ = thread.detach(0);
            }
            Err(error)
        }
    }
}

/// The threads of a process.
pub(crate) fn tasks(process: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let names = tasks.into_iter().flatten().flatten();
    let numbers = names.filter_map(|task| task.file_name().to_str()?.parse().ok());
    numbers.map(Pid::from_raw).collect()
}

/// Stops a thread that is traced and runs. What it was about to be told, it is
/// told.
fn stop(thread: Tracee) -> Result<(), TraceError> {
    thread.interrupt()?;
    loop {
        match thread.wait()? {
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) => return Ok(()),
            Stop::Signal(signal) => thread.resume(Resume::Freely, signal)?,
            // Stopped by a signal such as SIGSTOP: it stays so when it is let go.
            Stop::Trap(Trap::Stop(_)) => {
                let what = "stop a thread that has been stopped already";
                let _ = thread.detach(0);
                return Err(TraceError {
                    what,
                    errno: Errno::EBUSY,
                });
            }
            Stop::Trap(_) | Stop::Call => thread.resume(Resume::Freely, 0)?,
            Stop::Exited(_) | Stop::Killed(_) => {
                let what = "stop a thread";
                return Err(TraceError {
                    what,
                    errno: Errno::ESRCH,
                });
            }
        }
    }
}
