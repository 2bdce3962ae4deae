//! The threads of the process that is played. All of them are played in one task
//! of the kernel: the one that runs has its registers there, those of the others
//! are kept here.

use std::collections::BTreeMap;

use nix::libc;
use reprise_process_events::{Exit, Position, Registers, State, Switch, Thread};
use reprise_recording::Source;
use reprise_syscalls::find;
use reprise_tracee::Stop;

use crate::PlayError;
use crate::divergence::Fact;
use crate::play::Play;
use crate::source::Segment;

/// The most threads that a process may have.
const MOST: usize = 1 << 16;

/// The threads of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads {
    /// The number of the one that runs, if any does.
    running: Option<u32>,
    /// The system call that it is in.
    called: Option<Called>,
    others: BTreeMap<u32, Waiting>,
    /// The last event was that another thread runs.
    switched: bool,
}

/// A system call that has begun, and whose end comes after others have run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    /// The registers at its beginning.
    pub(crate) registers: Registers,
    /// The checksum of what it reads, as it was then, if that is known.
    pub(crate) read: Option<u32>,
}

/// A thread that does not run.
#[derive(Clone, Debug)]
struct Waiting {
    state: State,
    called: Option<Called>,
}

impl From<&Thread> for Waiting {
    fn from(thread: &Thread) -> Self {
        let registers = thread.state.registers;
        let read = None;
        Self {
            state: thread.state.clone(),
            called: thread.called.then_some(Called { registers, read }),
        }
    }
}

impl Threads {
    /// Those at the start of a segment.
    pub(crate) fn at(segment: &Segment) -> Result<Self, PlayError> {
        let mut threads = Self {
            running: Some(segment.process),
            ..Self::default()
        };
        if let Some(start) = &segment.start.threads {
            threads.running = Some(start.running);
            for other in &start.others {
                threads.add(segment.first, other, &segment.start.state)?;
            }
        }
        Ok(threads)
    }

    /// The number of the thread that runs, or runs next.
    pub(crate) fn running(&self) -> u32 {
        let next = self.others.keys().next().copied();
        self.running.or(next).unwrap_or_default()
    }

    /// The others: their numbers, registers, and whether they are in a call.
    pub(crate) fn others(&self) -> impl Iterator<Item = (u32, &State, bool)> {
        let others = self.others.iter();
        others.map(|(number, other)| (*number, &other.state, other.called.is_some()))
    }

    /// Whether the last event was that another thread runs: it stands where it
    /// stood before.
    pub(crate) fn has_switched(&self) -> bool {
        self.switched
    }

    /// Something else has happened, or that.
    pub(crate) fn set_switched(&mut self, switched: bool) {
        self.switched = switched;
    }

    /// The system call that the running thread was in before it ran again.
    pub(crate) fn called(&self) -> Option<Called> {
        self.called
    }

    pub(crate) fn is_called(&self) -> bool {
        self.called.is_some()
    }

    /// The call that the running thread was in is over.
    pub(crate) fn goes_on(&mut self) {
        self.called = None;
    }

    fn add(&mut self, event: u64, thread: &Thread, like: &State) -> Result<(), PlayError> {
        let unplayable = |what: String| PlayError::Unplayable { event, what };
        let number = thread.number;
        if thread.state.extended.len() != like.extended.len() {
            let what = format!("thread {number} has other registers than those before");
            return Err(unplayable(what));
        }
        if self.running == Some(number) || self.others.contains_key(&number) {
            return Err(unplayable(format!("there are two threads {number}")));
        }
        if self.others.len() >= MOST {
            return Err(unplayable("there are too many threads".to_owned()));
        }
        self.others.insert(number, thread.into());
        Ok(())
    }
}

impl<S: Source> Play<'_, '_, S> {
    /// There is another thread, which does not run yet.
    pub(crate) fn play_thread(&mut self, event: u64, thread: &Thread) -> Result<(), PlayError> {
        let like = &self.segment.start.state;
        self.threads.add(event, thread, like)
    }

    /// Another thread runs.
    pub(crate) fn play_switch(
        &mut self,
        event: u64,
        switch: Switch,
        stop: Stop,
    ) -> Result<(), PlayError> {
        let mut called = self.threads.called();
        match switch.at {
            Position::AtCall if called.is_none() => {
                let registers = self.at_any_call(event, stop)?;
                let table = find(registers.orig_rax());
                let arguments = registers.arguments();
                let read = match table {
                    Some(call) => Some(self.checksum(event, call, &arguments)?),
                    None => None,
                };
                called = Some(Called { registers, read });
            }
            // The instruction is at fault again when the thread goes on.
            Position::AtFault => self.at_any_fault(event, stop)?,
            Position::AtCall | Position::AfterEvent => {}
        }
        let mut state = self.blank.tracee.state()?;
        if let Some(called) = called {
            state.registers = called.registers;
        }
        let Some(next) = self.threads.others.remove(&switch.thread) else {
            let what = format!("there is no thread {} that waits", switch.thread);
            return Err(PlayError::Unplayable { event, what });
        };
        if let Some(number) = self.threads.running.replace(switch.thread) {
            self.threads
                .others
                .insert(number, Waiting { state, called });
        }
        self.threads.called = next.called;
        self.set_state(&next.state)
    }

    /// At a system call, whichever it is; the event of the call says more.
    fn at_any_call(&mut self, event: u64, stop: Stop) -> Result<Registers, PlayError> {
        let expected = Fact::AnyCall;
        let registers = self.here(event, &expected, stop)?;
        let ip = registers.rip();
        if stop != Stop::Call {
            return Err(self.other(event, expected, stop, &registers));
        }
        self.only_syscall(event, expected, ip)?;
        Ok(registers)
    }

    fn at_any_fault(&self, event: u64, stop: Stop) -> Result<(), PlayError> {
        let expected = Fact::AnySignal;
        let registers = self.here(event, &expected, stop)?;
        match stop {
            Stop::Signal(_) => Ok(()),
            _ => Err(self.other(event, expected, stop, &registers)),
        }
    }

    /// The running thread ends, others do not.
    pub(crate) fn play_exit(
        &mut self,
        event: u64,
        exit: &Exit,
        stop: Stop,
    ) -> Result<(), PlayError> {
        let number = libc::SYS_exit.cast_unsigned();
        let ip = exit.ip;
        let registers = self.at_call(event, Fact::Call { number, ip }, stop)?;
        let actual = registers.arguments()[0];
        if actual != exit.status {
            let fact = |value| Fact::Argument {
                number,
                index: 1,
                value,
            };
            return Err(self.diverged(event, ip, fact(exit.status), fact(actual)));
        }
        for write in &exit.writes {
            self.write(event, write.address, &write.bytes)?;
        }
        self.threads.running = None;
        self.threads.goes_on();
        // Nothing runs before there is a switch: it must not stand in a call.
        self.set_registers(registers)
    }
}
