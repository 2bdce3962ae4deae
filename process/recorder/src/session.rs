//! A process from its start to its end: what happens at each of its stops.

use std::io;
use std::rc::Rc;
use std::time::Instant;

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::Call;
use reprise_recording::Failure;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::at_exit::AtExit;
use crate::calls::Entered;
use crate::condition::Watch;
use crate::escort::Escort;
use crate::guard;
use crate::log::Log;
use crate::shared::Shared;
use crate::sharing::Sharing;
use crate::signals::{Delivery, Waiting as WaitingSignal};
use crate::spawn::Processors;
use crate::threads::Others;

/// How a subject ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It exited with a status.
    Exited(i32),
    /// A signal killed it.
    Killed(i32),
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
    /// It was in a loop that changes nothing when its turn ended.
    pub(crate) idles: bool,
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
            idles: false,
            at_exit: AtExit::default(),
        }
    }
}

/// How far it is with a process.
pub(crate) enum Phase {
    /// It stands before its first instruction; it may be one of very many that
    /// were made.
    Born { among_many: bool },
    /// It is recorded.
    Recorded,
    /// It is recorded no more, and its threads are let go where they come by.
    Escorted(Escort),
    /// It has been let go.
    LetGo,
    /// It is gone, or nobody's business here any more.
    Over(Option<Ended>),
}

/// A process of the subject.
pub(crate) struct Session {
    /// The process's number, and that of its first thread.
    pub(crate) process: Pid,
    /// It is the one that the user started or named; others were made by it.
    pub(crate) first: bool,
    /// It has got a new program since its recording began.
    pub(crate) new_program: bool,
    pub(crate) phase: Phase,
    /// The thread that runs, or the only one.
    pub(crate) thread: Thread,
    pub(crate) others: Others,
    pub(crate) processors: Option<Processors>,
    pub(crate) log: Log,
    pub(crate) shared: Rc<Shared>,
    /// The processes that it has just made.
    pub(crate) born: Vec<Session>,
    /// It has a new program, which begins behind the call it is in.
    pub(crate) executed: bool,
    /// It has a filter of its own for system calls, which can be set aside.
    pub(crate) filtered: bool,
    /// It looks after orphans; and what is ours among them is gone.
    pub(crate) adopts: bool,
    pub(crate) left_none: bool,
    /// It runs in the memory of the process that made it, until it has a program
    /// of its own.
    pub(crate) borrows: bool,
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
    /// The bytes of instructions that were changed, so that they stop.
    pub(crate) asking: std::collections::HashMap<u64, u8>,
    /// Memory that the subject keeps from its copies.
    pub(crate) unforked: Vec<(u64, u64)>,
    /// The memory that it shares with others.
    pub(crate) sharing: Sharing,
    /// What counts as a failure beside a fatal signal.
    pub(crate) watch: Watch,
    /// When to look at it again, whether it has stopped by then or not.
    pub(crate) wake: Option<Instant>,
    /// When to look whether a segment should begin, if it computes until then.
    pub(crate) look: Instant,
    /// A stop that has been found already.
    pub(crate) found: Option<Stop>,
    /// The stop that was handled last, and when.
    seen: Stop,
    pub(crate) seen_at: Instant,
}

/// What to do after a stop.
pub(crate) enum Next {
    Go(Resume, i32),
    /// Handle this stop, which came while another was being handled.
    Again(Stop),
    /// Nothing: other threads go on.
    Wait,
    /// Handle this stop another time: other processes go on.
    Later,
    Ended(Ended),
}

impl Next {
    pub(crate) const CALL: Result<Self, Trouble> = Ok(Self::Go(Resume::ToCall, 0));
}

impl Session {
    pub(crate) fn new(
        tracee: Tracee,
        log: Log,
        processors: Option<Processors>,
        watch: Watch,
        shared: Rc<Shared>,
    ) -> Self {
        Self {
            process: tracee.pid(),
            first: true,
            new_program: false,
            phase: Phase::Recorded,
            thread: Thread::new(tracee),
            others: Others::default(),
            processors,
            log,
            shared,
            born: Vec::new(),
            executed: false,
            filtered: false,
            adopts: false,
            left_none: false,
            borrows: false,
            brk: 0,
            failure: None,
            over: false,
            sites: std::collections::HashSet::default(),
            asking: std::collections::HashMap::default(),
            site: None,
            unforked: Vec::new(),
            sharing: Sharing::default(),
            watch,
            wake: None,
            look: Instant::now(),
            found: None,
            seen: Stop::Call,
            seen_at: Instant::now(),
        }
    }

    /// Does what can be done now. An error means that not even the process's end
    /// can be found out.
    pub(crate) fn step(&mut self) -> Result<(), TraceError> {
        self.wake = None;
        loop {
            if matches!(self.phase, Phase::Born { .. }) && !self.takes_token() {
                return Ok(());
            }
            match &mut self.phase {
                &mut Phase::Born { among_many } => {
                    self.phase = Phase::Recorded;
                    if let Err(trouble) = self.begin_child(among_many) {
                        self.let_go(&trouble, Stop::Trap(Trap::Stop(libc::SIGTRAP)))?;
                    }
                }
                Phase::Recorded => match self.next_stop() {
                    Ok(Some(stop)) => {
                        if !self.follow(stop)? {
                            return Ok(());
                        }
                    }
                    Ok(None) => return Ok(()),
                    Err(trouble) => self.let_go(&trouble, self.seen)?,
                },
                Phase::Escorted(escort) => match escort.step(self.first)? {
                    Some(over) => self.phase = over,
                    None => {
                        self.wake = escort.wake();
                        return Ok(());
                    }
                },
                Phase::LetGo => match self.thread.tracee.wait_now() {
                    Ok(None) => return Ok(()),
                    Ok(Some(Stop::Exited(status))) => {
                        self.phase = Phase::Over(Some(Ended::Exited(status)));
                    }
                    Ok(Some(Stop::Killed(signal))) => {
                        self.phase = Phase::Over(Some(Ended::Killed(signal)));
                    }
                    // It was not to be let go before, being about to die.
                    Ok(Some(_)) => drop(self.thread.tracee.detach(0)),
                    // Others wait for it.
                    Err(_) if !self.first => self.phase = Phase::Over(None),
                    Err(error) => return Err(error),
                },
                Phase::Over(_) => return Ok(()),
            }
        }
    }

    /// Whether nothing happens before it stops, so that it can be waited for.
    pub(crate) fn is_alone(&self) -> bool {
        let runs = matches!(self.phase, Phase::Recorded) && self.others.is_empty();
        runs && !self.others.vacant && !self.is_awaited() && !self.shared.is_attached()
    }

    /// Whether something is about to be done to it that can be late.
    fn is_awaited(&self) -> bool {
        self.wake.is_some_and(|wake| self.next_look() != Some(wake))
    }

    /// Handles a stop, and those that follow from it. Returns whether it is worth
    /// another look now.
    fn follow(&mut self, mut stop: Stop) -> Result<bool, TraceError> {
        loop {
            self.seen = stop;
            self.seen_at = Instant::now();
            let next = match self.handle(stop) {
                Ok(Next::Go(how, signal)) => match self.go_on(how, signal) {
                    Ok(None) => return Ok(true),
                    Ok(Some(stop)) => Ok(Next::Again(stop)),
                    Err(trouble) => Err(trouble),
                },
                other => other,
            };
            match next {
                Ok(Next::Again(again)) => stop = again,
                Ok(Next::Ended(ended)) => {
                    self.phase = Phase::Over(Some(ended));
                    return Ok(true);
                }
                Ok(Next::Go(..) | Next::Wait) => return Ok(true),
                Ok(Next::Later) => return Ok(false),
                Err(trouble) => return self.let_go(&trouble, stop).map(|()| true),
            }
        }
    }

    /// Lets it go on; another thread may have stopped in its place.
    fn go_on(&mut self, how: Resume, signal: i32) -> Result<Option<Stop>, Trouble> {
        if self.is_others_turn() {
            return self.let_others(how, signal);
        }
        match self.thread.tracee.resume(how, signal) {
            Ok(()) => Ok(None),
            // Killed from outside while it was stopped: its end comes next.
            Err(error) if error.errno == nix::errno::Errno::ESRCH => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The stop that is to be handled now, if there is one.
    fn next_stop(&mut self) -> Result<Option<Stop>, Trouble> {
        if let Some(found) = self.found.take() {
            return Ok(Some(found));
        }
        if self.is_parked() {
            self.leave_parking()?;
            return Ok(None);
        }
        if !self.others.is_empty() || self.others.vacant {
            return self.among_others();
        }
        if let Some(stop) = self.thread.tracee.wait_now()? {
            return Ok(Some(stop));
        }
        match self.thread.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                self.thread.deadline = None;
                self.thread.tracee.interrupt()?;
            }
            deadline => {
                if let Some(stop) = self.turn_in_program()? {
                    return Ok(Some(stop));
                }
                self.wake = deadline.into_iter().chain(self.next_look()).min();
            }
        }
        Ok(None)
    }

    fn handle(&mut self, stop: Stop) -> Result<Next, Trouble> {
        if stop == Stop::Trap(Trap::Exit) {
            self.publish_last();
        }
        if stop == Stop::Trap(Trap::Exit) && self.first && self.thread.tracee.pid() == self.process
        {
            guard::ends(self.thread.tracee.message()? as u32);
        }
        match stop {
            Stop::Call | Stop::Trap(Trap::Stop(libc::SIGTRAP))
                if let Some(reason) = self.reason_to_leave() =>
            {
                if self.is_to_be_stopped() {
                    self.log.clear();
                }
                Err(Trouble::Unrecordable(reason.to_owned()))
            }
            Stop::Call if self.thread.entered.is_some() && !self.joins_others()? => Ok(Next::Later),
            Stop::Call => match self.thread.entered.take() {
                None if self.executed => self.begin_program(),
                None => self.enter(),
                Some(entered) => self.leave(&entered),
            },
            Stop::Signal(number) => self.signal(number),
            Stop::Trap(Trap::Exec) => {
                self.executed = true;
                self.sharing = Sharing::default();
                self.shared.shares_no_more(self.process);
                self.shared.token.give_back(self.process);
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
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) if self.was_stopped() => {
                self.stand_aside();
                Ok(Next::Wait)
            }
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) => self.preempted(),
            Stop::Trap(Trap::Stop(_)) => {
                // Others may run as long as it does not.
                self.shared.token.give_back(self.process);
                Ok(Next::Go(Resume::Listening, 0))
            }
            Stop::Exited(_) | Stop::Killed(_) if self.is_one_of_many() => {
                self.all_end().map(Next::Ended)
            }
            Stop::Exited(status) => Ok(Next::Ended(Ended::Exited(status))),
            Stop::Killed(signal) => Ok(Next::Ended(Ended::Killed(signal))),
        }
    }

    /// Whether somebody wants its recording to end. Who was attached to is let go as a
    /// whole.
    pub(crate) fn is_to_be_stopped(&self) -> bool {
        self.shared.orders.is_stopped() && !self.shared.is_attached()
    }

    /// Why it is not to be recorded any more, if it is not.
    pub(crate) fn reason_to_leave(&self) -> Option<&'static str> {
        if self.is_to_be_stopped() {
            return Some("reprise stop");
        }
        let leaving = self.shared.is_leaving();
        leaving.then_some("the end of the process that was started")
    }

    /// Whether it goes on in its program after a stop in which others may have
    /// changed the memory that it shares with them.
    fn was_stopped(&self) -> bool {
        let runs = self.thread.entered.is_none() && self.thread.interrupted.is_none();
        runs && self.shares_with_others() && !self.shared.token.is_held_by(self.process)
    }
}

/// Whether a signal has cut a call off. It is delivered with the signals blocked
/// that were during the call, so nothing may come between.
pub(crate) fn was_interrupted(result: u64) -> bool {
    const EINTR: u64 = (-libc::EINTR as i64).cast_unsigned();
    result == EINTR || reprise_syscalls::is_restart(result)
}
