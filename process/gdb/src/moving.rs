//! Running and stepping, in both directions.

use std::io;
use std::marker::PhantomData;

use gdbstub::common::{Signal, Tid};
use gdbstub::conn::ConnectionExt as _;
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::target::ext::base::multithread::{MultiThreadRangeStepping, MultiThreadSingleStep};
use gdbstub::target::ext::base::reverse_exec::{ReplayLogPosition, ReverseCont, ReverseStep};
use reprise_player::{Halt, PlayError};
use reprise_recording::Source;

use crate::target::{Debuggee, id, number};
use crate::traps::places;
use crate::wire::Wire;

/// What the client wants the replay to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    On,
    /// This thread does one step.
    Step(u32),
    /// It steps as long as it is between two addresses.
    Within(u32, u64, u64),
    Back,
    StepBack(u32),
}

impl<S: Source> MultiThreadSingleStep for Debuggee<'_, '_, '_, S> {
    fn set_resume_action_step(&mut self, thread: Tid, _: Option<Signal>) -> Result<(), PlayError> {
        self.next = Move::Step(number(thread));
        Ok(())
    }
}

impl<S: Source> MultiThreadRangeStepping for Debuggee<'_, '_, '_, S> {
    fn set_resume_action_range_step(
        &mut self,
        thread: Tid,
        start: u64,
        end: u64,
    ) -> Result<(), PlayError> {
        self.next = Move::Within(number(thread), start, end);
        Ok(())
    }
}

impl<S: Source> ReverseCont<Tid> for Debuggee<'_, '_, '_, S> {
    fn reverse_cont(&mut self) -> Result<(), PlayError> {
        self.next = Move::Back;
        Ok(())
    }
}

impl<S: Source> ReverseStep<Tid> for Debuggee<'_, '_, '_, S> {
    fn reverse_step(&mut self, thread: Tid) -> Result<(), PlayError> {
        self.next = Move::StepBack(number(thread));
        Ok(())
    }
}

impl<S: Source> Debuggee<'_, '_, '_, S> {
    fn go(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<Halt, PlayError> {
        self.set_traps();
        match self.next {
            Move::On => self.session.go_on(interrupted),
            Move::Step(thread) => {
                let thread = self.there(thread);
                self.session.step_in(thread, interrupted)
            }
            Move::Back => self.session.go_back(interrupted),
            Move::StepBack(thread) => {
                let thread = self.there(thread);
                self.session.step_back_in(thread)
            }
            Move::Within(thread, start, end) => loop {
                let thread = self.there(thread);
                let halt = self.session.step_in(thread, interrupted)?;
                let pc = self.session.state_of(thread)?.registers.rip();
                let out = !(start..end).contains(&pc) || self.breakpoints.contains(&pc);
                if halt != Halt::Done || out {
                    break Ok(halt);
                }
                if interrupted() {
                    break Ok(Halt::Interrupted);
                }
            },
        }
    }

    /// The thread of this number, or the one that runs if there is none.
    fn there(&self, thread: u32) -> u32 {
        let threads = self.session.threads();
        let mut found = threads.iter().map(|(number, _)| *number);
        found
            .find(|number| *number == thread)
            .unwrap_or(self.session.thread())
    }

    fn reason(&self, halt: Halt) -> MultiThreadStopReason<u64> {
        let tid = id(self.session.thread());
        let log = |pos| MultiThreadStopReason::ReplayLog {
            tid: Some(tid),
            pos,
        };
        let with = |signal| MultiThreadStopReason::SignalWithThread { tid, signal };
        match halt {
            Halt::Done => with(Signal::SIGTRAP),
            Halt::Breakpoint => MultiThreadStopReason::SwBreak(tid),
            Halt::Watch(index) => match places(&self.wanted).get(index) {
                Some((_, wanted)) => MultiThreadStopReason::Watch {
                    tid,
                    kind: wanted.kind,
                    addr: wanted.address,
                },
                None => with(Signal::SIGTRAP),
            },
            Halt::Killed(number) => with(signal(number)),
            Halt::End => log(ReplayLogPosition::End),
            Halt::Start => log(ReplayLogPosition::Begin),
            Halt::Interrupted => with(Signal::SIGINT),
            Halt::Trouble(trouble) => {
                self.tell(&format!("the replay cannot go on: {trouble}"));
                log(ReplayLogPosition::End)
            }
        }
    }
}

/// What happens between a command to run and the stop.
pub(crate) struct Moves<'a, 'r, 'o, S>(PhantomData<(&'a &'r (), &'a &'o (), S)>);

impl<'a, 'r: 'a, 'o: 'a, S: Source + 'r> BlockingEventLoop for Moves<'a, 'r, 'o, S> {
    type Target = Debuggee<'a, 'r, 'o, S>;
    type Connection = Wire;
    type StopReason = MultiThreadStopReason<u64>;

    fn wait_for_stop_reason(
        target: &mut Self::Target,
        wire: &mut Wire,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<PlayError, io::Error>> {
        let mut lost = None;
        let halt = target.go(&mut || match wire.peek() {
            Ok(incoming) => incoming.is_some(),
            Err(error) => {
                lost = Some(error);
                true
            }
        });
        if let Some(error) = lost {
            return Err(WaitForStopReasonError::Connection(error));
        }
        match halt {
            Ok(Halt::Interrupted) => {
                let byte = wire.read().map_err(WaitForStopReasonError::Connection)?;
                Ok(Event::IncomingData(byte))
            }
            Ok(halt) => Ok(Event::TargetStopped(target.reason(halt))),
            Err(error) => Err(WaitForStopReasonError::Target(error)),
        }
    }

    fn on_interrupt(target: &mut Self::Target) -> Result<Option<Self::StopReason>, PlayError> {
        Ok(Some(target.reason(Halt::Interrupted)))
    }
}

/// The protocol's number of a signal of Linux.
fn signal(number: u32) -> Signal {
    match number {
        7 => Signal::SIGBUS,
        10 => Signal::SIGUSR1,
        12 => Signal::SIGUSR2,
        17 => Signal::SIGCHLD,
        18 => Signal::SIGCONT,
        19 => Signal::SIGSTOP,
        20 => Signal::SIGTSTP,
        23 => Signal::SIGURG,
        29 => Signal::SIGIO,
        30 => Signal::SIGPWR,
        31 => Signal::SIGSYS,
        // The same on both sides.
        1..=6 | 8 | 9 | 11 | 13..=15 | 21 | 22 | 24..=28 => Signal(number as u8),
        // Real-time signals: gdb calls them by their number.
        32 => Signal(77),
        33..=63 => Signal(number as u8 + 12),
        64 => Signal(78),
        _ => Signal(143),
    }
}
