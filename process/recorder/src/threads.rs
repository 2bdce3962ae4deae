//! The threads of the subject. One of them runs the program at a time, and only
//! at system calls does another take over; so what they do follows from the order
//! of those, which is in the log. Whose turn it is: `turns.rs`.

use std::collections::VecDeque;
use std::fs;
use std::time::Instant;

use nix::unistd::Pid;
use reprise_process_events::{
    Event, Exit, Position, Registers, State, Switch, Thread as Kept, Threads, Write,
};
use reprise_tracee::{Resume, Stop, Tracee, Trap};

use crate::at_exit::AtExit;
use crate::calls::Way;
use crate::session::{Ended, Session, Thread, Trouble};
use crate::turns::{self, PAUSE, wait_for_any};

/// A thread that does not run the program.
pub(crate) struct Other {
    pub(crate) thread: Thread,
    pub(crate) place: Place,
}

/// Where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a system call, and runs in the kernel or sleeps there.
    InCall,
    /// It has stopped, which is to be handled when its turn comes.
    Stopped(Stop),
    /// It has stopped, and goes on like this when its turn comes.
    Ready(Resume, i32),
}

/// The threads but for the one whose turn it is.
pub(crate) struct Others {
    /// Those that could run, the next one first.
    pub(crate) ready: VecDeque<Other>,
    /// Those that cannot.
    pub(crate) in_calls: Vec<Other>,
    /// One of them is about to end, and so all are.
    pub(crate) ending: bool,
    /// The one whose turn it was has ended.
    pub(crate) vacant: bool,
    /// The one whose turn it is has stopped right behind its last event.
    pub(crate) behind_event: bool,
    /// Since when it has its turn, and how much it had computed then.
    pub(crate) since: Instant,
    pub(crate) computed: Option<u64>,
    /// When it began the call that it is in.
    pub(crate) called: Instant,
}

impl Default for Others {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            in_calls: Vec::new(),
            ending: false,
            vacant: false,
            behind_event: false,
            since: Instant::now(),
            computed: None,
            called: Instant::now(),
        }
    }
}

impl Others {
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.in_calls.is_empty()
    }

    /// The thread whose turn it is has stopped right behind its last event.
    pub(crate) fn stands_behind_event(&mut self) {
        self.behind_event = true;
    }

    pub(crate) fn call_began(&mut self) {
        self.called = Instant::now();
    }

    /// Whether one of them would run its program right away.
    pub(crate) fn is_one_ready(&self) -> bool {
        let mut ready = self.ready.iter();
        ready.any(|other| matches!(other.place, Place::Ready(..)))
    }

    /// Whether one of them is in a call of which nobody knows what it does.
    pub(crate) fn is_one_in_unknown_call(&self) -> bool {
        let calls = self
            .iter()
            .filter_map(|other| other.thread.entered.as_ref());
        calls
            .into_iter()
            .any(|entered| matches!(entered.way, Way::Unknown(_)))
    }

    fn iter(&self) -> impl Iterator<Item = &Other> {
        self.ready.iter().chain(&self.in_calls)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Thread {
    /// All registers. Where the kernel makes a call again under another number,
    /// the program stands in front of the call as it made it.
    pub(crate) fn state(&self) -> Result<State, Trouble> {
        let mut state = self.tracee.state()?;
        if let Some(interrupted) = &self.interrupted
            && state.registers.rax() == nix::libc::SYS_restart_syscall.cast_unsigned()
        {
            state.registers.set_rax(interrupted.number);
        }
        Ok(state)
    }
}

impl Other {
    /// What a segment's start says about it.
    fn kept(&self) -> Result<Kept, Trouble> {
        let tracee = self.thread.tracee;
        let number = number(tracee);
        let Some(entered) = &self.thread.entered else {
            let state = self.thread.state()?;
            let called = false;
            return Ok(Kept {
                number,
                state,
                called,
            });
        };
        let mut registers = entered.registers;
        // A call that the kernel makes again has another number there.
        registers.set_orig_rax(entered.call.number);
        let extended = entered.extended.clone();
        Ok(Kept {
            number,
            state: State {
                registers,
                extended,
            },
            called: true,
        })
    }
}

impl Session {
    /// Whether there is, or was, more than one thread.
    pub(crate) fn is_one_of_many(&self) -> bool {
        !self.others.is_empty() || self.thread.tracee.pid() != self.process
    }

    /// Whether a thread is one of this process.
    pub(crate) fn has(&self, thread: Pid) -> bool {
        let mut others = self.others.iter();
        thread == self.process
            || thread == self.thread.tracee.pid()
            || others.any(|other| other.thread.tracee.pid() == thread)
    }

    /// All threads, for the start of a segment.
    pub(crate) fn threads(&self) -> Result<Option<Threads>, Trouble> {
        if !self.is_one_of_many() {
            return Ok(None);
        }
        let others: Result<Vec<Kept>, Trouble> = self.others.iter().map(Other::kept).collect();
        Ok(Some(Threads {
            running: number(self.thread.tracee),
            others: others?,
        }))
    }

    /// A new thread has stopped before its first instruction.
    pub(crate) fn made_thread(&mut self, child: Tracee, clears: u64) -> Result<(), Trouble> {
        match child.wait()? {
            Stop::Trap(Trap::Stop(_)) => {}
            // Killed already, and so is the whole process.
            _ => return Ok(()),
        }
        let state = child.state()?;
        self.log.append(&Event::Thread(Kept {
            number: number(child),
            state,
            called: false,
        }));
        let mut thread = Thread::new(child);
        thread.at_exit.clears = clears;
        if self.others.is_empty() {
            self.begin_turn();
        }
        let place = Place::Ready(Resume::ToCall, 0);
        self.others.ready.push_back(Other { thread, place });
        Ok(())
    }

    /// The thread whose turn it is ends, and others do not.
    pub(crate) fn thread_exits(&mut self, registers: &Registers) -> Result<(), Trouble> {
        let words = self.thread.at_exit.words(|address| self.word(address));
        self.see_off()?;
        // Its memory is that of any other.
        let memory = self.others.iter().map(|other| other.thread.tracee).next();
        let memory = memory.unwrap_or(self.thread.tracee);
        let written = words.into_iter().map(|address| Write {
            address,
            bytes: memory.read_some(address, 4),
        });
        let writes = written.filter(|write| !write.bytes.is_empty()).collect();
        self.log.append(&Event::Exit(Exit {
            ip: registers.rip(),
            status: registers.arguments()[0],
            writes,
        }));
        self.others.vacant = true;
        self.lose_token();
        Ok(())
    }

    /// Waits until a thread that is about to end is gone.
    fn see_off(&mut self) -> Result<(), Trouble> {
        let tracee = self.thread.tracee;
        tracee.resume(Resume::ToCall, 0)?;
        loop {
            match tracee.wait_now()? {
                Some(Stop::Exited(_) | Stop::Killed(_)) => return Ok(()),
                Some(_) => tracee.resume(Resume::ToCall, 0)?,
                // The first thread is not reported before the others are gone.
                None if tracee.pid() == self.process && is_dead(self.process) => return Ok(()),
                None => wait_for_any(PAUSE),
            }
        }
    }

    /// Gives the turn to the next thread that can run, if there is one. What
    /// becomes of the one that had it is up to the caller.
    pub(crate) fn take_turn(&mut self, at: Position) -> Result<Turn, Trouble> {
        let Some(Other { thread, place }) = self.others.ready.pop_front() else {
            return Ok(Turn::Nobody);
        };
        self.thread = thread;
        self.others.vacant = false;
        self.switched(at);
        self.begin_turn();
        match place {
            Place::Stopped(stop) => return Ok(Turn::Stopped(stop)),
            Place::InCall => {}
            Place::Ready(how, signal) => {
                // It has executed nothing since.
                self.thread.due = self.thread.tracee.pending()?;
                turns::resume(self.thread.tracee, how, signal)?;
            }
        }
        Ok(Turn::Runs)
    }

    /// The thread whose turn it is has changed; the one before stands there.
    fn switched(&mut self, at: Position) {
        let thread = number(self.thread.tracee);
        self.log.append(&Event::Switch(Switch { at, thread }));
    }

    /// Writes down the calls of others that are over. The thread whose turn it is
    /// stands at such a place, and has its turn again afterwards.
    pub(crate) fn finish_calls(&mut self, at: Position) -> Result<(), Trouble> {
        self.look_at_others()?;
        let mut switched = false;
        for index in 0..self.others.ready.len() {
            let Some(other) = self.others.ready.get_mut(index) else {
                break;
            };
            if other.place != Place::Stopped(Stop::Call) {
                continue;
            }
            let Some(entered) = other.thread.entered.take() else {
                continue;
            };
            std::mem::swap(&mut self.thread, &mut other.thread);
            other.place = Place::Ready(Resume::ToCall, 0);
            self.switched(if switched { Position::AfterEvent } else { at });
            switched = true;
            let left = self.leave(&entered);
            if let Some(other) = self.others.ready.get_mut(index) {
                std::mem::swap(&mut self.thread, &mut other.thread);
            }
            left?;
        }
        if switched {
            self.switched(Position::AfterEvent);
        }
        self.others.behind_event = false;
        Ok(())
    }

    /// The process has a new program, and one thread.
    pub(crate) fn forget_others(&mut self) {
        self.others.clear();
        self.thread.tracee = Tracee::already(self.process);
        self.thread.at_exit = AtExit::default();
    }

    /// All threads end: waits until they are gone.
    pub(crate) fn all_end(&mut self) -> Result<Ended, Trouble> {
        self.publish_last();
        let first = Tracee::already(self.process);
        let others = self.others.iter().map(|other| other.thread.tracee);
        let mut left: Vec<Tracee> = others.chain([self.thread.tracee]).collect();
        left.retain(|tracee| *tracee != first);
        self.others.clear();
        self.thread = Thread::new(first);
        loop {
            left.retain(|tracee| match tracee.wait_now() {
                Ok(None) => true,
                Ok(Some(Stop::Exited(_) | Stop::Killed(_))) | Err(_) => false,
                Ok(Some(stop)) => {
                    let _ = tracee.resume(Resume::Freely, signal_of(stop));
                    true
                }
            });
            match first.wait_now()? {
                Some(Stop::Exited(status)) => return Ok(Ended::Exited(status)),
                Some(Stop::Killed(signal)) => return Ok(Ended::Killed(signal)),
                Some(stop) => drop(first.resume(Resume::Freely, signal_of(stop))),
                None => {}
            }
            wait_for_any(PAUSE);
        }
    }
}

/// What became of a turn.
pub(crate) enum Turn {
    /// There is nobody to take it.
    Nobody,
    /// The thread has stopped, which is to be handled.
    Stopped(Stop),
    /// The thread runs.
    Runs,
}

impl From<Ended> for Stop {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Exited(status) => Self::Exited(status),
            Ended::Killed(signal) => Self::Killed(signal),
        }
    }
}

/// The signal that comes with a stop.
pub(crate) fn signal_of(stop: Stop) -> i32 {
    match stop {
        Stop::Signal(signal) => signal,
        _ => 0,
    }
}

/// The number of a thread.
fn number(tracee: Tracee) -> u32 {
    tracee.pid().as_raw().cast_unsigned()
}

/// Whether a thread runs no more, though it may not have been waited for.
fn is_dead(thread: Pid) -> bool {
    state_of(thread).is_none_or(|state| matches!(state, b'Z' | b'X'))
}

/// What the kernel says a thread does: R, S, D, Z, and so on.
pub(crate) fn state_of(thread: Pid) -> Option<u8> {
    let stat = fs::read(format!("/proc/{thread}/stat")).ok()?;
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    stat.get(end + 2).copied()
}
