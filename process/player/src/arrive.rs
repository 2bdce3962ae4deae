//! The process has come to an event: it is compared with the recording, and gets
//! what the recording says came from outside.

use nix::libc;
use reprise_process_events::{
    Answer, Call, End, Ending, Event, Position, Registers, Signal, Sigreturn, Tsc,
};
use reprise_recording::Source;
use reprise_syscalls::{Class, find, is_error};
use reprise_tracee::Stop;

use crate::divergence::Fact;
use crate::play::{Play, Wrote};
use crate::space::Range;
use crate::{PlayError, foreign};

/// The most that is compared of what a call reads; as in the recorder.
const LONGEST: u64 = 128 << 20;

impl<S: Source> Play<'_, '_, S> {
    /// Makes the event that is due happen, now that the process has stopped
    /// there; `None` when it did not have to run for that. Returns how the run
    /// ended, if it did.
    pub(crate) fn arrive(
        &mut self,
        event: &Event,
        stop: Option<Stop>,
    ) -> Result<Option<Ending>, PlayError> {
        let number = self.done + 1;
        let stop = match stop {
            Some(stop) => stop,
            // It has come to the call before others ran.
            None if self.threads.is_called() => Stop::Call,
            None => Stop::Signal(0),
        };
        let stop = self.open_page(stop)?;
        if let Some(address) = self.missed(stop) {
            return Err(self.not_recorded(number, address));
        }
        self.threads.set_switched(matches!(event, Event::Switch(_)));
        match event {
            Event::Call(call) => self.play_call(number, call, stop)?,
            Event::Signal(signal) => self.play_signal(number, signal, stop)?,
            Event::Sigreturn(back) => self.play_sigreturn(number, back, stop)?,
            Event::Tsc(tsc) => self.play_counter(number, tsc, stop)?,
            Event::Answer(answer) => self.play_answer(number, answer, stop)?,
            Event::End(end) => {
                self.play_end(number, end, stop)?;
                self.done = number;
                return Ok(Some(end.ending));
            }
            Event::Thread(thread) => self.play_thread(number, thread)?,
            Event::Switch(switch) => self.play_switch(number, *switch, stop)?,
            Event::Exit(exit) => self.play_exit(number, exit, stop)?,
            Event::Pause(pause) => self.play_pause(number, pause, stop)?,
            Event::Changed(writes) => {
                for write in writes {
                    self.write(number, write.address, &write.bytes)?;
                }
            }
            Event::Views(views) => self.show(number, views)?,
            Event::Start(_) => {
                let what = "a segment begins inside another".to_owned();
                return Err(PlayError::Unplayable {
                    event: number,
                    what,
                });
            }
        }
        self.done = number;
        Ok(None)
    }

    fn play_call(&mut self, event: u64, recorded: &Call, stop: Stop) -> Result<(), PlayError> {
        let (number, ip) = (recorded.number, recorded.ip);
        let mut registers = self.at_call(event, Fact::Call { number, ip }, stop)?;
        let arguments = registers.arguments();
        // Behind those that it takes there may be what else is to be known.
        let takes = find(number).map_or(arguments.len(), |call| usize::from(call.arguments));
        let pairs = recorded.arguments.iter().zip(arguments).take(takes);
        for (index, (expected, actual)) in pairs.enumerate() {
            let index = index + 1;
            let fact = |value| Fact::Argument {
                number,
                index,
                value,
            };
            if *expected != actual {
                return Err(self.diverged(event, ip, fact(*expected), fact(actual)));
            }
        }
        let table = find(number).ok_or_else(|| PlayError::Unplayable {
            event,
            what: format!("{} is not in the table", reprise_syscalls::name(number)),
        })?;
        if let Some(expected) = recorded.read {
            // Others may have run since the call began.
            let actual = match self.threads.called() {
                Some(called) => called.read,
                None => Some(self.checksum(event, table, &arguments)?),
            };
            if let Some(actual) = actual
                && actual != expected
            {
                let fact = |sum| Fact::Read { number, sum };
                return Err(self.diverged(event, ip, fact(expected), fact(actual)));
            }
        }
        if self.shown < event {
            self.shown = event;
            self.hand_on(event, table, &arguments, recorded.result)?;
        }
        if table.class == Class::Mapping {
            self.map(event, recorded)?;
        }
        for write in &recorded.writes {
            self.write(event, write.address, &write.bytes)?;
        }
        if let Some(after) = &recorded.registers {
            registers = **after;
        }
        registers.set_rax(recorded.result);
        self.threads.goes_on();
        self.set_registers(registers)
    }

    fn play_signal(&mut self, event: u64, signal: &Signal, stop: Stop) -> Result<(), PlayError> {
        let (number, ip) = (signal.number, signal.ip);
        self.at_signal(event, signal.at, number, ip, stop)?;
        self.write(event, signal.frame.address, &signal.frame.bytes)?;
        self.threads.goes_on();
        self.set_state(&signal.state)
    }

    fn play_sigreturn(
        &mut self,
        event: u64,
        back: &Sigreturn,
        stop: Stop,
    ) -> Result<(), PlayError> {
        let number = libc::SYS_rt_sigreturn.cast_unsigned();
        let ip = back.ip;
        self.at_call(event, Fact::Call { number, ip }, stop)?;
        self.set_state(&back.state)
    }

    fn play_counter(&mut self, event: u64, tsc: &Tsc, stop: Stop) -> Result<(), PlayError> {
        let expected = Fact::Counter { ip: tsc.ip };
        let mut registers = self.here(event, &expected, stop)?;
        if stop != Stop::Signal(libc::SIGSEGV) || registers.rip() != tsc.ip {
            return Err(self.other(event, expected, stop, &registers));
        }
        registers.set_rax(tsc.value & 0xffff_ffff);
        registers.set_rdx(tsc.value >> 32);
        let mut len = 2;
        if let Some(processor) = tsc.processor {
            registers.set_rcx(u64::from(processor));
            len = 3;
        }
        registers.set_rip(tsc.ip.wrapping_add(len));
        self.set_registers(registers)
    }

    fn play_answer(&mut self, event: u64, answer: &Answer, stop: Stop) -> Result<(), PlayError> {
        let expected = Fact::Asked { ip: answer.ip };
        let registers = self.here(event, &expected, stop)?;
        if stop != Stop::Signal(libc::SIGILL) || registers.rip() != answer.ip {
            return Err(self.other(event, expected, stop, &registers));
        }
        self.set_registers(answer.registers)
    }

    fn play_end(&mut self, event: u64, end: &End, stop: Stop) -> Result<(), PlayError> {
        let here = match end.ending {
            Ending::Exit { call, .. } => {
                let ip = end.state.registers.rip();
                self.at_call(event, Fact::Call { number: call, ip }, stop)?
            }
            Ending::Signal { number, at } => {
                self.at_signal(event, at, number, end.state.registers.rip(), stop)?
            }
        };
        self.compare(event, end, &here)
    }

    /// At a system call, which must be the expected one.
    pub(crate) fn at_call(
        &mut self,
        event: u64,
        expected: Fact,
        stop: Stop,
    ) -> Result<Registers, PlayError> {
        let registers = self.here(event, &expected, stop)?;
        let (number, ip) = (registers.orig_rax(), registers.rip());
        if stop != Stop::Call || (Fact::Call { number, ip }) != expected {
            return Err(self.other(event, expected, stop, &registers));
        }
        self.only_syscall(event, expected, ip)?;
        Ok(registers)
    }

    /// Where a signal came: the registers there.
    fn at_signal(
        &mut self,
        event: u64,
        at: Position,
        number: u32,
        ip: u64,
        stop: Stop,
    ) -> Result<Registers, PlayError> {
        let expected = Fact::Signal { number, ip };
        let registers = match at {
            Position::AfterEvent => self.blank.tracee.registers()?,
            Position::AtCall => {
                let mut registers = self.here(event, &expected, stop)?;
                if stop != Stop::Call {
                    return Err(self.other(event, expected, stop, &registers));
                }
                self.only_syscall(event, expected.clone(), registers.rip())?;
                // It came just before the call.
                registers.set_rax(registers.orig_rax());
                registers.set_rip(registers.rip().wrapping_sub(2));
                self.set_registers(registers)?;
                registers
            }
            Position::AtFault => {
                let registers = self.here(event, &expected, stop)?;
                if stop != Stop::Signal(number.cast_signed()) {
                    return Err(self.other(event, expected, stop, &registers));
                }
                registers
            }
        };
        if registers.rip() != ip {
            let actual = Fact::Signal {
                number,
                ip: registers.rip(),
            };
            return Err(self.diverged(event, registers.rip(), expected, actual));
        }
        Ok(registers)
    }

    /// The registers of the process, if there is still one.
    pub(crate) fn here(
        &self,
        event: u64,
        expected: &Fact,
        stop: Stop,
    ) -> Result<Registers, PlayError> {
        if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
            return Err(self.diverged(event, 0, expected.clone(), Fact::Gone));
        }
        if let Some(called) = self.threads.called() {
            return Ok(called.registers);
        }
        Ok(self.blank.tracee.registers()?)
    }

    /// Only the instruction that 64-bit programs use is played, and only by it
    /// are calls made in the process's name.
    pub(crate) fn only_syscall(
        &mut self,
        event: u64,
        expected: Fact,
        ip: u64,
    ) -> Result<(), PlayError> {
        // A thread that began in a call has executed nothing there yet.
        self.need(event, ip.wrapping_sub(2), 2)?;
        if !self.blank.tracee.is_behind_syscall(ip) {
            return Err(self.diverged(event, ip, expected, Fact::OtherCall { ip }));
        }
        self.behind = ip;
        Ok(())
    }

    pub(crate) fn other(
        &self,
        event: u64,
        expected: Fact,
        stop: Stop,
        at: &Registers,
    ) -> PlayError {
        let ip = at.rip();
        if stop == Stop::Signal(libc::SIGILL)
            && let Some(name) = foreign::lacked(&self.blank.tracee.read_some(ip, foreign::CODE))
        {
            return PlayError::Lacking { event, name };
        }
        let actual = match stop {
            Stop::Call => Fact::Call {
                number: at.orig_rax(),
                ip,
            },
            Stop::Signal(number) => Fact::Signal {
                number: number.cast_unsigned(),
                ip,
            },
            _ => Fact::Gone,
        };
        self.diverged(event, ip, expected, actual)
    }

    pub(crate) fn write(
        &mut self,
        event: u64,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), PlayError> {
        self.need(event, address, bytes.len() as u64)?;
        let process = self.blank.tracee;
        // What the kernel left alone is written as it was, and may be memory that nobody
        // can write to.
        if process.write(address, bytes).is_ok() || process.read_some(address, bytes.len()) == bytes
        {
            return Ok(());
        }
        if self
            .space
            .is_shown(address, address.saturating_add(bytes.len() as u64))
        {
            return self.write_shown(event, address, bytes);
        }
        self.write_protected(event, address, bytes)
    }

    /// Others have changed memory that this program may only read. Code is not written to
    /// in this way.
    fn write_protected(&mut self, event: u64, address: u64, bytes: &[u8]) -> Result<(), PlayError> {
        let len = bytes.len() as u64;
        let is_data = |range: &Range| range.protection & libc::PROT_EXEC as u32 == 0;
        let there = self.space.within(address, address.saturating_add(len));
        let there = there.iter().filter(|range| is_data(range));
        let there: u64 = there.map(|range| range.end - range.start).sum();
        let written = match there == len {
            true => self.blank.tracee.write_code(address, bytes).map_err(drop),
            false => Err(()),
        };
        written.map_err(|()| {
            let what = format!("{} bytes cannot be written at {address:#x}", bytes.len());
            PlayError::Unplayable { event, what }
        })
    }

    pub(crate) fn checksum(
        &mut self,
        event: u64,
        call: &reprise_syscalls::Call,
        arguments: &[u64; 6],
    ) -> Result<u32, PlayError> {
        let mut sum = 0;
        for extent in self.extents(call, arguments)? {
            let len = extent.len.min(LONGEST);
            self.need(event, extent.address, len)?;
            let len = usize::try_from(len).unwrap_or(0);
            let bytes = self.blank.tracee.read_some(extent.address, len);
            sum = crc32c::crc32c_append(sum, &bytes);
        }
        Ok(sum)
    }

    /// Hands on what the process writes to its standard output or error.
    fn hand_on(
        &mut self,
        event: u64,
        call: &reprise_syscalls::Call,
        arguments: &[u64; 6],
        result: u64,
    ) -> Result<(), PlayError> {
        let writes = [libc::SYS_write, libc::SYS_writev, libc::SYS_pwrite64];
        let is_write = writes.contains(&call.number.cast_signed());
        let to_stderr = match arguments[0] {
            1 => false,
            2 => true,
            _ => return Ok(()),
        };
        if !is_write || is_error(result) {
            return Ok(());
        }
        let mut left = result;
        for extent in self.extents(call, arguments)? {
            let len = extent.len.min(left);
            left -= len;
            self.need(event, extent.address, len.min(LONGEST))?;
            let len = usize::try_from(len.min(LONGEST)).unwrap_or(0);
            let bytes = self.blank.tracee.read_some(extent.address, len);
            let bytes = &bytes[..];
            (self.output)(Wrote { to_stderr, bytes });
        }
        Ok(())
    }
}
