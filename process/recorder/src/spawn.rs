//! Starting the subject: a child that waits, right before it becomes the
//! program, until this process traces it.
#![allow(
    unsafe_code,
    reason = "what happens between fork and exec is out of the compiler's sight"
)]

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::thread::{self, JoinHandle};

use nix::libc;
use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::Pid;
use reprise_tracee::{TraceError, Tracee};

/// What the parent tells the waiting child.
const RECORDED: u8 = 1;
const UNRECORDED: u8 = 2;
const NEVER: u8 = 3;

/// What the kernel is to tell about the subject.
const OPTIONS: i32 = libc::PTRACE_O_TRACESYSGOOD
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
    /// There is no process to be had for it.
    #[error("no process can be started: {0}")]
    Process(io::Error),
}

/// A subject that waits for its start.
pub struct Waiting {
    pid: Pid,
    go: PipeWriter,
    starter: JoinHandle<io::Result<Child>>,
    traced: Result<Tracee, TraceError>,
    processors: Option<Processors>,
}

/// A subject that runs.
pub(crate) struct Started {
    pub(crate) tracee: Tracee,
    pub(crate) starter: JoinHandle<io::Result<Child>>,
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

    /// Gives a process all of them back.
    pub(crate) fn restore(&self, pid: Pid) {
        let _ = sched_setaffinity(pid, &self.before);
    }
}

impl Waiting {
    /// Starts a child for the command and begins to trace it.
    pub fn start(command: &[OsString]) -> Result<Self, StartError> {
        let (mut ready, announce) = pipe().map_err(StartError::Process)?;
        let (wait, go) = pipe().map_err(StartError::Process)?;
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| StartError::Program(io::ErrorKind::NotFound.into()))?;
        let mut child = Command::new(program);
        child.args(arguments);
        let inherited = go.as_raw_fd();
        // SAFETY: the closure runs in a forked child and only makes system
        // calls; it takes no lock and allocates nothing.
        unsafe {
            child.pre_exec(move || prepare(&announce, &wait, inherited));
        }
        let starter = thread::spawn(move || child.spawn());
        let mut pid = [0; 4];
        if let Err(error) = ready.read_exact(&mut pid) {
            return Err(match starter.join() {
                Ok(Err(error)) => StartError::Process(error),
                _ => StartError::Process(error),
            });
        }
        let pid = Pid::from_raw(i32::from_le_bytes(pid));
        Ok(Self {
            pid,
            go,
            starter,
            traced: Tracee::seize(pid, OPTIONS),
            processors: None,
        })
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw().cast_unsigned()
    }

    /// Why it cannot be traced, if it cannot.
    #[must_use]
    pub fn trouble(&self) -> Option<TraceError> {
        self.traced.err()
    }

    /// On which processor it will run.
    pub fn choose_processor(&mut self) -> Option<usize> {
        self.processors = Processors::share(self.pid);
        self.processors.map(|processors| processors.chosen)
    }

    /// Lets it run, traced.
    pub(crate) fn go(mut self) -> Result<Started, StartError> {
        let tracee = match self.traced {
            Ok(tracee) => tracee,
            Err(error) => return Err(StartError::Process(io::Error::other(error))),
        };
        leave_keyboard_to_subject();
        self.go
            .write_all(&[RECORDED])
            .map_err(StartError::Process)?;
        Ok(Started {
            tracee,
            starter: self.starter,
            processors: self.processors,
        })
    }

    /// Lets it run with nobody watching, and waits for its end.
    pub fn run_unrecorded(mut self) -> Result<std::process::ExitStatus, StartError> {
        leave_keyboard_to_subject();
        if let Ok(tracee) = self.traced {
            // Detaching needs a stop; the child waits in a read, which is then
            // made again.
            let stopped = tracee.interrupt().and_then(|()| tracee.wait());
            let _ = stopped.and_then(|_| tracee.detach(0));
        }
        if let Some(processors) = self.processors {
            processors.restore(self.pid);
        }
        self.go
            .write_all(&[UNRECORDED])
            .map_err(StartError::Process)?;
        match self.starter.join() {
            Ok(Ok(mut child)) => child.wait().map_err(StartError::Process),
            Ok(Err(error)) => Err(StartError::Program(error)),
            Err(_) => Err(StartError::Process(io::Error::other("the starter died"))),
        }
    }

    /// Never starts it.
    pub fn abandon(mut self) {
        let _ = self.go.write_all(&[NEVER]);
        if let Ok(tracee) = self.traced {
            while let Ok(stop) = tracee.wait() {
                use reprise_tracee::{Resume, Stop};
                if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
                    break;
                }
                let _ = tracee.resume(Resume::ToCall, 0);
            }
        }
        let _ = self.starter.join();
    }
}

/// The child's part.
fn prepare(announce: &PipeWriter, wait: &PipeReader, inherited: i32) -> io::Result<()> {
    let (mut announce, mut wait) = (announce, wait);
    // SAFETY: the child has its own copy of the descriptor and no use for it;
    // kept open, it would keep the child waiting for ever if the parent died.
    unsafe { libc::close(inherited) };
    announce.write_all(&std::process::id().to_le_bytes())?;
    let mut word = [0];
    wait.read_exact(&mut word)?;
    match word[0] {
        RECORDED => {
            // From here on reading the time-stamp counter is a fault, which the
            // tracer answers. SAFETY: `prctl` takes numbers here.
            unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) };
            Ok(())
        }
        UNRECORDED => Ok(()),
        _ => Err(io::ErrorKind::Interrupted.into()),
    }
}

/// Control-C is meant for the subject; its recorder outlives it.
fn leave_keyboard_to_subject() {
    for key in [Signal::SIGINT, Signal::SIGQUIT] {
        // SAFETY: ignoring a signal installs no handler.
        let _ = unsafe { signal(key, SigHandler::SigIgn) };
    }
}
