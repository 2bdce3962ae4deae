//! Starting the subject: a child that waits, right before it becomes the
//! program, until this process traces it.
#![allow(
    unsafe_code,
    reason = "what happens between fork and exec is out of the compiler's sight"
)]

use std::ffi::{CString, OsString};
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::libc;
use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{ForkResult, Pid, fork};
use reprise_tracee::{Resume, Stop, TraceError, Tracee};

use crate::privileges;
use crate::session::Ended;

/// What the parent tells the waiting child.
const RECORDED: u8 = 1;
const UNRECORDED: u8 = 2;
const NEVER: u8 = 3;

/// What the kernel is to tell about the subject.
pub(crate) const OPTIONS: i32 = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE;

/// Why the subject did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program, or it cannot be run.
    #[error(transparent)]
    Program(io::Error),
    /// A program that runs already cannot be recorded.
    #[error("{0}")]
    Attach(String),
    /// There is no process to be had for it.
    #[error("no process can be started: {0}")]
    Process(io::Error),
}

/// A subject that waits for its start.
pub struct Waiting {
    pid: Pid,
    go: PipeWriter,
    failure: PipeReader,
    traced: Result<Tracee, TraceError>,
    processors: Option<Processors>,
    /// It is a program that gets more rights.
    raised: bool,
}

/// A subject that runs.
pub(crate) struct Started {
    pub(crate) tracee: Tracee,
    pub(crate) processors: Option<Processors>,
}

/// The processors that subject and tracer could use before both were put on
/// one: a stop costs a quarter there of what it costs across two.
#[derive(Clone, Copy)]
pub(crate) struct Processors {
    before: CpuSet,
    pub(crate) chosen: usize,
}

impl Processors {
    fn share(pid: Pid) -> Option<Self> {
        let before = sched_getaffinity(Pid::from_raw(0)).ok()?;
        let chosen = sched_getcpu().ok()?;
        let mut one = CpuSet::new();
        one.set(chosen).ok()?;
        sched_setaffinity(pid, &one).ok()?;
        sched_setaffinity(Pid::from_raw(0), &one).ok()?;
        Some(Self { before, chosen })
    }

    /// The same for a program that ran before, which may be kept to some of them:
    /// puts this process on one of those.
    pub(crate) fn share_with(pid: Pid) -> Option<Self> {
        let before = sched_getaffinity(Pid::from_raw(0)).ok()?;
        let its = sched_getaffinity(pid).ok()?;
        let may = |processor: usize| {
            let mut both = [&before, &its].into_iter();
            both.all(|set| set.is_set(processor).unwrap_or(false))
        };
        let here = sched_getcpu().ok().filter(|&here| may(here));
        let chosen = here.or_else(|| (0..CpuSet::count()).find(|&one| may(one)))?;
        let mut one = CpuSet::new();
        one.set(chosen).ok()?;
        sched_setaffinity(Pid::from_raw(0), &one).ok()?;
        Some(Self { before, chosen })
    }

    /// Gives a process all of them back.
    pub(crate) fn restore(&self, pid: Pid) {
        let _ = sched_setaffinity(pid, &self.before);
    }
}

impl Waiting {
    /// Starts a child for the command and begins to trace it.
    pub fn start(command: &[OsString]) -> Result<Self, StartError> {
        let words: Result<Vec<CString>, _> = command
            .iter()
            .map(|word| CString::new(word.as_bytes()))
            .collect();
        let words = words.map_err(|error| StartError::Program(error.into()))?;
        let Some(program) = command.first() else {
            return Err(StartError::Program(io::ErrorKind::NotFound.into()));
        };
        let mut pointers: Vec<*const libc::c_char> = words.iter().map(|w| w.as_ptr()).collect();
        pointers.push(std::ptr::null());
        let (wait, go) = pipe().map_err(StartError::Process)?;
        let (failure, report) = pipe().map_err(StartError::Process)?;
        let unused = [go.as_raw_fd(), failure.as_raw_fd()];
        // SAFETY: the child only makes system calls; it takes no lock and
        // allocates nothing.
        let child = match unsafe { fork() } {
            Ok(ForkResult::Parent { child }) => child,
            Ok(ForkResult::Child) => become_subject(&wait, &report, unused, &pointers),
            Err(errno) => return Err(StartError::Process(errno.into())),
        };
        Ok(Self {
            pid: child,
            go,
            failure,
            traced: Tracee::seize(child, OPTIONS),
            processors: None,
            raised: privileges::raised_by_command(Path::new(program)),
        })
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw().cast_unsigned()
    }

    /// Why it cannot be traced, if it cannot.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        if self.raised {
            let why = "it runs with more rights, which tracing would take from it";
            return Some(why.to_owned());
        }
        let why = |error| format!("it may not be traced here ({error}); see reprise doctor");
        self.traced.err().map(why)
    }

    /// On which processor it will run.
    pub fn choose_processor(&mut self) -> Option<usize> {
        self.processors = Processors::share(self.pid);
        self.processors.map(|processors| processors.chosen)
    }

    /// Lets it run, traced.
    pub(crate) fn go(self) -> Result<Started, StartError> {
        let tracee = match self.traced {
            Ok(tracee) => tracee,
            Err(error) => return Err(StartError::Process(io::Error::other(error))),
        };
        let processors = self.processors;
        leave_signals_to_subject();
        self.become_program(RECORDED)?;
        Ok(Started { tracee, processors })
    }

    /// Lets it run with nobody watching, and waits for its end.
    pub fn run_unrecorded(self) -> Result<Ended, StartError> {
        leave_signals_to_subject();
        if let Ok(tracee) = self.traced {
            // Detaching needs a stop; the child waits in a read, which is then
            // made again.
            let stopped = tracee.interrupt().and_then(|()| tracee.wait());
            let _ = stopped.and_then(|_| tracee.detach(0));
        }
        if let Some(processors) = self.processors {
            processors.restore(self.pid);
        }
        let pid = self.pid;
        self.become_program(UNRECORDED)?;
        end_of(pid).map_err(|error| StartError::Process(io::Error::other(error)))
    }

    /// Never starts it.
    pub fn abandon(mut self) {
        let _ = self.go.write_all(&[NEVER]);
        let _ = end_of(self.pid);
    }

    /// Tells the child to become the program, and finds out whether it did.
    fn become_program(mut self, how: u8) -> Result<(), StartError> {
        self.go.write_all(&[how]).map_err(StartError::Process)?;
        let mut error = [0; 4];
        // The child's end of the pipe is closed when it becomes the program.
        match self.failure.read_exact(&mut error) {
            Err(_) => Ok(()),
            Ok(()) => {
                let _ = end_of(self.pid);
                let error = io::Error::from_raw_os_error(i32::from_le_bytes(error));
                Err(StartError::Program(error))
            }
        }
    }
}

/// Waits for the end of a child, traced or not.
pub(crate) fn end_of(pid: Pid) -> Result<Ended, TraceError> {
    let child = Tracee::already(pid);
    loop {
        match child.wait()? {
            Stop::Exited(status) => return Ok(Ended::Exited(status)),
            Stop::Killed(signal) => return Ok(Ended::Killed(signal)),
            _ => child.resume(Resume::ToCall, 0)?,
        }
    }
}

/// The child's part.
fn become_subject(
    mut wait: &PipeReader,
    mut report: &PipeWriter,
    unused: [RawFd; 2],
    command: &[*const libc::c_char],
) -> ! {
    for descriptor in unused {
        // SAFETY: these are the child's own copies, which it has no use for;
        // kept open, the first would keep it waiting if the parent died.
        unsafe { libc::close(descriptor) };
    }
    let mut word = [0];
    if wait.read_exact(&mut word).is_ok() && word[0] != NEVER {
        // SAFETY: these calls take numbers, and pointers to texts that end with
        // zero and live as long as this process. A Rust program ignores broken
        // pipes, other programs expect to die of them. If the recorder dies, it
        // is to stop until the guard comes. And from here on, reading the
        // time-stamp counter is a fault, which the tracer answers.
        unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            if word[0] == RECORDED {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGSTOP);
                libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV);
            }
            libc::execvp(command[0], command.as_ptr());
        }
        let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        let _ = report.write_all(&error.to_le_bytes());
    }
    // SAFETY: ends the process without running anything of the parent's.
    unsafe { libc::_exit(127) }
}

/// What others send to this process, meaning the subject.
pub(crate) const FOR_SUBJECT: [Signal; 4] = [
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// Signals are for the subject, those of the keyboard too; its recorder
/// outlives it.
pub(crate) fn leave_signals_to_subject() {
    let keys = [Signal::SIGINT, Signal::SIGQUIT];
    for ignored in keys.into_iter().chain(FOR_SUBJECT) {
        // SAFETY: ignoring a signal installs no handler.
        let _ = unsafe { signal(ignored, SigHandler::SigIgn) };
    }
}
