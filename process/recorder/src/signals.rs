//! Signals: where they come, and what the kernel does to the subject then.
//!
//! A signal that the subject's own instruction causes comes again by itself in
//! a replay. Any other can only be replayed where there is an event: right
//! behind one, or before the next system call. One that comes elsewhere waits
//! for that call, but not for long: then there is a pause, with a segment that
//! begins there, and the signal comes behind it.

#![allow(
    unsafe_code,
    reason = "an instruction and a field of a union have no safe form"
)]

use std::time::{Duration, Instant};

use nix::libc::{self, siginfo_t};
use reprise_process_events::{Ending, Event, Position, Registers, Signal, State, Tsc, Write};
use reprise_recording::Failure;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::guard;
use crate::maps;
use crate::session::{Next, Session, Trouble};

/// How long a signal waits for a system call.
const PATIENCE: Duration = Duration::from_millis(10);

/// The longest frame that a signal leaves on the stack.
const FRAME: u64 = 64 << 10;

/// The signals that an instruction can cause.
pub(crate) const FAULTS: [i32; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
];

const RDTSC: [u8; 2] = [0x0f, 0x31];
const RDTSCP: [u8; 3] = [0x0f, 0x01, 0xf9];

/// A signal that waits for its place.
pub(crate) struct Waiting {
    pub(crate) number: i32,
    pub(crate) info: siginfo_t,
}

/// A signal that was sent again, to come at a place of our choice.
pub(crate) struct Delivery {
    number: i32,
    info: siginfo_t,
    at: Position,
}

/// What becomes of a signal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing that a program would notice, or a stop.
    None,
    /// A handler runs.
    Handled,
    /// The end.
    Fatal,
}

impl Session {
    /// A signal is about to be delivered.
    pub(crate) fn signal(&mut self, number: i32) -> Result<Next, Trouble> {
        let registers = self.thread.tracee.registers()?;
        let info = self.thread.tracee.signal_info()?;
        let fault = is_fault(number, &info);
        if number == libc::SIGSEGV && fault && self.read_counter(&registers)? {
            return Next::CALL;
        }
        if number == libc::SIGILL && fault && self.answer(&registers)? {
            return Next::CALL;
        }
        let effect = self.effect(number)?;
        if effect == Effect::None {
            return Ok(Next::Go(Resume::ToCall, number));
        }
        let mine = self
            .thread
            .delivery
            .take_if(|delivery| delivery.number == number);
        let at = match mine {
            Some(delivery) => {
                self.thread.tracee.set_signal_info(&delivery.info)?;
                delivery.at
            }
            None if fault => Position::AtFault,
            None if self.is_due(number) => Position::AfterEvent,
            _ => {
                guard::hold(number);
                self.thread.waiting.push(Waiting { number, info });
                self.thread
                    .deadline
                    .get_or_insert_with(|| Instant::now() + PATIENCE);
                return Next::CALL;
            }
        };
        if let Some(interrupted) = self.thread.interrupted.take() {
            self.log.append(&Event::Call(interrupted));
            self.has_told();
        }
        let number32 = number.cast_unsigned();
        if effect == Effect::Fatal {
            self.failure = Some(self.describe(number, &info, registers.rip())?);
            self.end(Ending::Signal {
                number: number32,
                at,
            })?;
            return Ok(Next::Go(Resume::ToCall, number));
        }
        self.handle_signal(number, at, &registers)
    }

    /// Whether the subject has executed nothing since the last event. That its
    /// registers are the same would not tell: a loop that works on memory alone
    /// comes back to them. A signal that was there at the event and is not
    /// blocked comes before anything else, and what is blocked changes only by
    /// an event; nor does a program see the result of a call that was cut off.
    fn is_due(&self, number: i32) -> bool {
        self.thread.interrupted.is_some() || self.thread.due & bit(number) != 0
    }

    /// Lets the kernel set up the handler, and writes down what it did.
    fn handle_signal(
        &mut self,
        number: i32,
        at: Position,
        before: &Registers,
    ) -> Result<Next, Trouble> {
        // The stop comes when the handler is set up, before its first instruction. A
        // single step would, too, but if the recorder were killed then, that would
        // be the end of the subject.
        self.thread.tracee.interrupt()?;
        self.thread.tracee.resume(Resume::ToCall, number)?;
        let stop = self.thread.tracee.wait()?;
        if !matches!(stop, Stop::Trap(Trap::Stop(_))) {
            return Ok(Next::Again(stop));
        }
        // If it was stopped for those that wait, it will be again.
        if !self.thread.waiting.is_empty() {
            self.thread.deadline.get_or_insert_with(Instant::now);
        }
        let state = self.thread.tracee.state()?;
        let (rip, rsp) = (state.registers.rip(), state.registers.rsp());
        if (rip, rsp) == (before.rip(), before.rsp()) {
            // There was no room for the frame, so the signal kills.
            return Next::CALL;
        }
        let frame = self.frame(&state, before.rsp());
        self.thread.due = self.thread.tracee.pending()?;
        self.log.append(&Event::Signal(Signal {
            at,
            number: number.cast_unsigned(),
            ip: before.rip(),
            frame,
            state,
        }));
        match stop {
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) => Next::CALL,
            other => Ok(Next::Again(other)),
        }
    }

    /// A call begins while signals wait: the first of them comes before it.
    pub(crate) fn deliver_before(&mut self, registers: Registers) -> Result<Next, Trouble> {
        self.put_off(registers)?;
        self.deliver_waiting(Position::AtCall)?;
        Next::CALL
    }

    /// The subject was stopped because a signal has waited too long.
    pub(crate) fn preempted(&mut self) -> Result<Next, Trouble> {
        if !self.thread.waiting.is_empty() {
            if let Some(stop) = self.leave_repetition()? {
                return Ok(Next::Again(stop));
            }
            self.pause()?;
            self.deliver_waiting(Position::AfterEvent)?;
        }
        Next::CALL
    }

    fn deliver_waiting(&mut self, at: Position) -> Result<(), Trouble> {
        let Waiting { number, info } = self.thread.waiting.remove(0);
        self.thread.deadline = (!self.thread.waiting.is_empty()).then(|| Instant::now() + PATIENCE);
        self.thread.tracee.send(number)?;
        if self
            .thread
            .waiting
            .iter()
            .all(|waiting| waiting.number != number)
        {
            guard::let_go_of(number);
        }
        self.thread.delivery = Some(Delivery { number, info, at });
        Ok(())
    }

    /// A fatal signal for people: which, the address that could not be reached,
    /// and the instruction, as far as the kernel knows its file.
    fn describe(&self, number: i32, info: &siginfo_t, ip: u64) -> Result<Failure, Trouble> {
        let mut what = name(number);
        if [libc::SIGSEGV, libc::SIGBUS].contains(&number) && is_fault(number, info) {
            // SAFETY: the kernel fills in the address for these signals.
            let address = unsafe { info.si_addr() };
            what += &format!(" at {:#x}", address.addr());
        }
        let mapped = maps::mapped(self.thread.tracee.pid())?;
        let regions = || mapped.iter().map(|mapped| &mapped.region);
        let place = regions().find(|region| (region.start..region.end).contains(&ip));
        let place = place.filter(|place| !place.name.is_empty()).map(|place| {
            let first = regions().find(|region| region.name == place.name);
            let offset = ip - first.unwrap_or(place).start;
            format!("{}+{offset:#x}", place.name)
        });
        let stack = vec![place.unwrap_or_else(|| format!("{ip:#x}"))];
        Ok(Failure { what, stack })
    }

    fn effect(&self, number: i32) -> Result<Effect, Trouble> {
        const HARMLESS: [i32; 8] = [
            libc::SIGCHLD,
            libc::SIGCONT,
            libc::SIGURG,
            libc::SIGWINCH,
            libc::SIGSTOP,
            libc::SIGTSTP,
            libc::SIGTTIN,
            libc::SIGTTOU,
        ];
        let bit = bit(number);
        let dispositions = maps::dispositions(self.thread.tracee.pid())?;
        Ok(if dispositions.caught & bit != 0 {
            Effect::Handled
        } else if dispositions.ignored & bit != 0 || HARMLESS.contains(&number) {
            Effect::None
        } else {
            Effect::Fatal
        })
    }

    /// If the subject stands at an instruction that reads the time-stamp
    /// counter, does that for it.
    fn read_counter(&mut self, registers: &Registers) -> Result<bool, Trouble> {
        let processor = self.processors.map_or(0, |p| p.chosen as u32);
        let Some(reading) = answer_counter(self.thread.tracee, registers, processor)? else {
            return Ok(false);
        };
        self.thread.due = self.thread.tracee.pending()?;
        self.log.append(&Event::Tsc(reading));
        Ok(true)
    }

    /// What the kernel has put on the stack for a handler.
    fn frame(&self, state: &State, before: u64) -> Write {
        let address = state.registers.rsp();
        let end = if (address..address + FRAME).contains(&before) {
            before
        } else {
            // Another stack: the frame itself says where that ends.
            let context = state.registers.rdx();
            let word = |offset: u64| {
                let mut bytes = [0; 8];
                let _ = self
                    .thread
                    .tracee
                    .read(context.wrapping_add(offset), &mut bytes);
                u64::from_le_bytes(bytes)
            };
            let (start, len) = (word(16), word(32));
            start.saturating_add(len).clamp(address, address + FRAME)
        };
        let len = usize::try_from(end - address).unwrap_or_default();
        Write {
            address,
            bytes: self.thread.tracee.read_some(address, len),
        }
    }
}

/// A signal's bit in a mask.
fn bit(number: i32) -> u64 {
    1u64 << (number - 1).clamp(0, 63)
}

/// What people call a signal.
pub(crate) fn name(number: i32) -> String {
    let known = nix::sys::signal::Signal::try_from(number);
    known.map_or_else(|_| format!("signal {number}"), |known| known.to_string())
}

/// Whether the subject's own instruction caused the signal.
pub(crate) fn is_fault(number: i32, info: &siginfo_t) -> bool {
    FAULTS.contains(&number) && info.si_code > 0
}

/// If a thread stands at an instruction that reads the time-stamp counter, does
/// that for it.
fn answer_counter(
    tracee: Tracee,
    registers: &Registers,
    processor: u32,
) -> Result<Option<Tsc>, TraceError> {
    let code = tracee.read_some(registers.rip(), 3);
    let (len, processor) = if code.starts_with(&RDTSC) {
        (2, None)
    } else if code == RDTSCP {
        (3, Some(processor))
    } else {
        return Ok(None);
    };
    let value = counter();
    let mut after = *registers;
    after.set_rip(registers.rip() + len);
    after.set_rax(value & 0xffff_ffff);
    after.set_rdx(value >> 32);
    if let Some(processor) = processor {
        after.set_rcx(u64::from(processor));
    }
    after.set_orig_rax(u64::MAX);
    tracee.set_registers(&after)?;
    Ok(Some(Tsc {
        ip: registers.rip(),
        value,
        processor,
    }))
}

/// The same for a thread that is not recorded any more and has stopped for a
/// signal; whether that was why.
pub(crate) fn emulate_counter(tracee: Tracee, signal: i32) -> Result<bool, TraceError> {
    if signal != libc::SIGSEGV || !is_fault(signal, &tracee.signal_info()?) {
        return Ok(false);
    }
    let answered = answer_counter(tracee, &tracee.registers()?, 0)?;
    Ok(answered.is_some())
}

/// The time-stamp counter of the processor that both run on.
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, and it only returns
    // a number.
    unsafe { std::arch::x86_64::_rdtsc() }
}
