//! From the subject's start to its end: what happens at each of its stops.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::Call;
use reprise_recording::{CutShort, Ending, Failure, Manifest};
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::at_exit::AtExit;
use crate::calls::Entered;
use crate::condition::Watch;
use crate::control::Control;
use crate::dump::{Dump, Why};
use crate::dumper::Dumper;
use crate::guard;
use crate::log::{Bounds, Log};
use crate::memory;
use crate::signals::{self, Delivery, Waiting as WaitingSignal};
use crate::spawn::{Processors, StartError, Waiting};
use crate::threads::Others;
use crate::turns::Quiet;
use crate::{Settings, Sink};

/// How a subject ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It exited with a status.
    Exited(i32),
    /// A signal killed it.
    Killed(i32),
}

/// What is left of a subject that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// How many recordings were made, or at least tried.
    pub dumps: u32,
    /// Its end was worth keeping, but there was nothing to keep.
    pub lost: bool,
    /// Somebody stopped the recording.
    pub stopped: bool,
}

/// What others want of a session. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Orders(Arc<AtomicBool>);

impl Orders {
    /// The recording shall end.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a recording ends before its subject does.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The subject does something that cannot be recorded.
    #[error("{0}")]
    Unrecordable(String),
    /// The kernel refuses a request about the subject.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// `/proc` cannot be read.
    #[error("look into the subject: {0}")]
    Proc(#[from] io::Error),
}

/// What is known of a thread.
pub(crate) struct Thread {
    pub(crate) tracee: Tracee,
    /// The system call that it is in.
    pub(crate) entered: Option<Entered>,
    /// A call that a signal interrupted, until it is known whether it is made
    /// again by the kernel, unseen by the program, or has failed.
    pub(crate) interrupted: Option<Call>,
    /// The signals that were there, blocked or not, right behind the last event:
    /// one of them that comes before the next event comes at that very place.
    pub(crate) due: u64,
    /// Signals that have come where there was no event to pin them to.
    pub(crate) waiting: Vec<WaitingSignal>,
    /// When they are delivered even so.
    pub(crate) deadline: Option<Instant>,
    /// The signal that is being delivered at a place of our choice.
    pub(crate) delivery: Option<Delivery>,
    /// What the kernel does to memory when it ends.
    pub(crate) at_exit: AtExit,
}

impl Thread {
    pub(crate) fn new(tracee: Tracee) -> Self {
        Self {
            tracee,
            entered: None,
            interrupted: None,
            due: 0,
            waiting: Vec::new(),
            deadline: None,
            delivery: None,
            at_exit: AtExit::default(),
        }
    }
}

/// A subject that is being recorded.
pub(crate) struct Session {
    /// The process's number, and that of its first thread.
    pub(crate) process: Pid,
    /// The thread that runs, or the only one.
    pub(crate) thread: Thread,
    pub(crate) others: Others,
    pub(crate) processors: Option<Processors>,
    pub(crate) log: Log,
    /// It has a new program, which begins behind the call it is in.
    pub(crate) executed: bool,
    /// Where the heap ends.
    pub(crate) brk: u64,
    /// What a fatal signal was about.
    pub(crate) failure: Option<Failure>,
    /// The end of the run is in the log.
    pub(crate) over: bool,
    /// The instructions that are known to be `syscall`.
    pub(crate) sites: std::collections::HashSet<u64>,
    /// The address behind one of them, by which calls are made in its name.
    pub(crate) site: Option<u64>,
    /// Memory that the subject keeps from its copies.
    pub(crate) unforked: Vec<(u64, u64)>,
    /// Whether an end that is no failure is worth keeping.
    pub(crate) keep_all: bool,
    /// What counts as a failure beside a fatal signal.
    pub(crate) watch: Watch,
    dumper: Dumper,
    dumps: u32,
    /// When the last dump was made whose reason may come again.
    dumped: Option<Instant>,
    last: Duration,
    orders: Orders,
}

/// What to do after a stop.
pub(crate) enum Next {
    Go(Resume, i32),
    /// Handle this stop, which came while another was being handled.
    Again(Stop),
    Ended(Ended),
}

impl Next {
    pub(crate) const CALL: Result<Self, Trouble> = Ok(Self::Go(Resume::ToCall, 0));
}

pub(crate) fn run(
    subject: Waiting,
    manifest: Manifest,
    settings: &Settings,
    sink: Sink,
) -> Result<Outcome, StartError> {
    let bounds = Bounds {
        last: settings.last,
        interval: settings.interval,
        memory: memory::allowed(settings.memory),
    };
    let process = subject.pid();
    let log = Log::new(manifest, process, bounds);
    let started = subject.go()?;
    // Before there are other threads here: each of them must block it.
    let quiet = Quiet::begin();
    let (dumper, writing) = Dumper::start(sink, started.processors);
    let orders = Orders::default();
    let control = Control {
        log: log.clone(),
        dumper: dumper.clone(),
        orders: orders.clone(),
    };
    // Without it the recorder cannot be told anything, and records all the same.
    let listening = control.listen(process);
    let mut session = Session {
        process: started.tracee.pid(),
        thread: Thread::new(started.tracee),
        others: Others::default(),
        processors: started.processors,
        log,
        executed: false,
        brk: 0,
        failure: None,
        over: false,
        sites: std::collections::HashSet::default(),
        site: None,
        unforked: Vec::new(),
        keep_all: settings.keep_all,
        watch: Watch::new(settings.fails_when.clone()),
        dumper,
        dumps: 0,
        dumped: None,
        last: settings.last,
        orders,
    };
    let ended = session.follow();
    drop(quiet);
    if let Some(processors) = session.processors {
        processors.restore(Pid::from_raw(0));
    }
    let ended = ended.map_err(|error| StartError::Process(io::Error::other(error)))?;
    drop(listening);
    let dumper = session.dumper.clone();
    let outcome = session.finish(ended);
    writing.finish(&dumper);
    Ok(outcome)
}

impl Session {
    /// Follows the subject to its end. An error means that not even that can
    /// be found out.
    fn follow(&mut self) -> Result<Ended, TraceError> {
        let mut stop = self.thread.tracee.wait()?;
        loop {
            let next = match self.handle(stop) {
                Ok(next) => next,
                Err(trouble) => return self.let_go(&trouble, stop),
            };
            stop = match next {
                Next::Ended(ended) => return Ok(ended),
                Next::Again(stop) => stop,
                Next::Go(how, signal) => match self.go_on(how, signal) {
                    Ok(stop) => stop,
                    Err(trouble) => return self.let_go(&trouble, stop),
                },
            };
        }
    }

    fn go_on(&mut self, how: Resume, signal: i32) -> Result<Stop, Trouble> {
        if self.is_others_turn() {
            return self.let_others(how, signal);
        }
        match self.thread.tracee.resume(how, signal) {
            Ok(()) => {}
            // Killed from outside while it was stopped: its end comes next.
            Err(error) if error.errno == nix::errno::Errno::ESRCH => {}
            Err(error) => return Err(error.into()),
        }
        if !self.others.is_empty() {
            return self.among_others();
        }
        if let Some(deadline) = self.thread.deadline {
            if let Some(stop) = self.thread.tracee.wait_until(deadline)? {
                return Ok(stop);
            }
            self.thread.deadline = None;
            self.thread.tracee.interrupt()?;
        }
        Ok(self.thread.tracee.wait()?)
    }

    fn handle(&mut self, stop: Stop) -> Result<Next, Trouble> {
        match stop {
            Stop::Call if self.orders.is_stopped() => {
                self.log.clear();
                Err(Trouble::Unrecordable("reprise stop".to_owned()))
            }
            Stop::Call => match self.thread.entered.take() {
                None if self.executed => self.begin_program(),
                None => self.enter(),
                Some(entered) => self.leave(&entered),
            },
            Stop::Signal(number) => self.signal(number),
            Stop::Trap(Trap::Exec) => {
                self.executed = true;
                self.thread.entered = None;
                self.forget_others();
                Next::CALL
            }
            Stop::Trap(Trap::Child) => {
                self.made_child()?;
                Next::CALL
            }
            Stop::Trap(Trap::Exit) if self.is_one_of_many() => self.all_end().map(Next::Ended),
            Stop::Trap(Trap::Exit) => {
                // The end of a run that was killed from outside, at no place
                // that a replay could find.
                Next::CALL
            }
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) => self.preempted(),
            Stop::Trap(Trap::Stop(_)) => Ok(Next::Go(Resume::Listening, 0)),
            Stop::Exited(_) | Stop::Killed(_) if self.is_one_of_many() => {
                self.all_end().map(Next::Ended)
            }
            Stop::Exited(status) => Ok(Next::Ended(Ended::Exited(status))),
            Stop::Killed(signal) => Ok(Next::Ended(Ended::Killed(signal))),
        }
    }

    /// Ends the recording and lets the subject run on as it would have.
    fn let_go(&mut self, trouble: &Trouble, stop: Stop) -> Result<Ended, TraceError> {
        self.log.cut_short(CutShort::Stopped {
            by: trouble.to_string(),
        });
        match stop {
            Stop::Exited(_) | Stop::Killed(_) if self.is_one_of_many() => {
                return self.escort();
            }
            Stop::Exited(status) => return Ok(Ended::Exited(status)),
            Stop::Killed(signal) => return Ok(Ended::Killed(signal)),
            _ => {}
        }
        // What cannot be undone any more must not keep it from running.
        let _ = self.undo(stop);
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
        if self.is_one_of_many() {
            return self.escort();
        }
        loop {
            match self.thread.tracee.wait()? {
                Stop::Exited(status) => return Ok(Ended::Exited(status)),
                Stop::Killed(signal) => return Ok(Ended::Killed(signal)),
                // It was not to be let go before, being about to die.
                _ => drop(self.thread.tracee.detach(0)),
            }
        }
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
            let number = registers.orig_rax();
            registers = self.put_off(registers)?;
            registers.set_rax(number);
            self.thread.tracee.set_registers(&registers)?;
            set_free(self.thread.tracee, registers.rip() + 2)?;
        } else if !was_interrupted(registers.rax()) {
            // A new program has not made the call whose end this is.
            guard::undo(self.thread.tracee)?;
        }
        Ok(())
    }

    /// Has what is worth keeping written down.
    fn finish(mut self, ended: Ended) -> Outcome {
        let (ending, failure) = match ended {
            Ended::Exited(status) => {
                let failed = self.watch.exits(status).then(|| Failure {
                    what: format!("exit status {status}"),
                    stack: Vec::new(),
                });
                (Ending::Exited { status }, failed)
            }
            Ended::Killed(signal) => {
                let plain = || Failure {
                    what: signals::name(signal),
                    stack: Vec::new(),
                };
                let failure = self.failure.take().unwrap_or_else(plain);
                (Ending::Killed { signal }, Some(failure))
            }
        };
        let stopped = self.orders.is_stopped();
        let wanted = !stopped && (failure.is_some() || self.keep_all);
        if wanted && !self.over && matches!(ended, Ended::Killed(_)) {
            self.log.note(
                "the end of the run",
                "it was killed from outside, between two events",
            );
        }
        let lost = wanted && !self.dump(Why::Ended, ending, failure);
        Outcome {
            ended,
            dumps: self.dumps,
            lost,
            stopped,
        }
    }

    /// The subject has written a line that is a failure, and goes on. A failure
    /// that repeats itself is written down once in the time that is kept.
    pub(crate) fn failed(&mut self, line: String) {
        if self.dumped.is_some_and(|last| last.elapsed() < self.last) {
            return;
        }
        self.dumped = Some(Instant::now());
        let stack = Vec::new();
        let failure = Failure { what: line, stack };
        self.dump(Why::Wrote, Ending::Running, Some(failure));
    }

    /// Has the last moments written down; false if there are none.
    fn dump(&mut self, why: Why, ending: Ending, failure: Option<Failure>) -> bool {
        let Some(snapshot) = self.log.snapshot() else {
            return false;
        };
        self.dumps += 1;
        self.dumper.write(Dump::new(why, snapshot, ending, failure));
        true
    }
}

/// Whether a signal has cut a call off. It is delivered with the signals blocked
/// that were during the call, so nothing may come between.
pub(crate) fn was_interrupted(result: u64) -> bool {
    const EINTR: u64 = (-libc::EINTR as i64).cast_unsigned();
    result == EINTR || reprise_syscalls::is_restart(result)
}

/// Gives a stopped process its time-stamp counter back, by a system call with
/// the instruction that ends at `behind`. Returns what the call returned.
pub(crate) fn counter_on(process: Tracee, behind: u64) -> Result<u64, TraceError> {
    let (option, value) = (libc::PR_SET_TSC as u64, libc::PR_TSC_ENABLE as u64);
    process.call_at(behind, libc::SYS_prctl, [option, value, 0, 0, 0, 0])
}

/// Undoes all that a recorder does to a subject, in the same way: it does not
/// depend on anybody from here on.
pub(crate) fn set_free(subject: Tracee, behind: u64) -> Result<(), TraceError> {
    counter_on(subject, behind)?;
    let option = libc::PR_SET_PDEATHSIG as u64;
    subject.call_at(behind, libc::SYS_prctl, [option, 0, 0, 0, 0, 0])?;
    Ok(())
}
