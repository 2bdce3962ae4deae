//! Event by event: the process runs up to the next, which is compared with the
//! recording, and gets what the recording says came from outside.

use nix::libc;
use reprise_process_events::{
    Call, End, Ending, Event, Position, Registers, Signal, Sigreturn, State, Tsc,
};
use reprise_recording::{Recording, Source, StreamId};
use reprise_syscalls::{Class, Memory, find, is_error, read_by};
use reprise_tracee::{Resume, Stop, Tracee};

use crate::PlayError;
use crate::blank::Blank;
use crate::divergence::{Divergence, Fact, Location};
use crate::source::{self, Segment};
use crate::space::Space;

/// The most that is compared of what a call reads; as in the recorder.
const LONGEST: u64 = 128 << 20;

/// A recording that was played without a divergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// How many events.
    pub events: u64,
    /// How the run ended; `None` when the recording ends before it.
    pub ending: Option<Ending>,
}

/// What the process wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrote<'a> {
    /// To standard error, not to standard output.
    pub to_stderr: bool,
    /// What.
    pub bytes: &'a [u8],
}

/// A replay.
pub(crate) struct Play<'r, 'o, S> {
    pub(crate) recording: &'r Recording<S>,
    pub(crate) process: u32,
    stream: StreamId,
    first: u64,
    segment: &'r Segment,
    pub(crate) blank: Blank,
    pub(crate) space: Space,
    pub(crate) brk: u64,
    /// The address behind the `syscall` instruction that the process is at.
    pub(crate) behind: u64,
    output: &'o mut dyn FnMut(Wrote<'_>),
}

struct Seen(Tracee);

impl Memory for Seen {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        self.0.read(address, into)
    }
}

impl<'r, 'o, S: Source> Play<'r, 'o, S> {
    pub(crate) fn new(
        recording: &'r Recording<S>,
        segment: &'r Segment,
        blank: Blank,
        space: Space,
        output: &'o mut dyn FnMut(Wrote<'_>),
    ) -> Self {
        Self {
            recording,
            process: segment.process,
            stream: segment.stream,
            first: segment.first,
            segment,
            blank,
            space,
            brk: segment.start.brk,
            behind: 0,
            output,
        }
    }

    /// Plays all events.
    pub(crate) fn run(mut self) -> Result<Played, PlayError> {
        let mut events = self.recording.events(self.stream, self.first + 1)?;
        let mut due = self.first + 1;
        while let Some(event) = events.next()? {
            let number = event.number;
            if number != due {
                let what = format!("event {due} is missing");
                return Err(PlayError::Unplayable {
                    event: number,
                    what,
                });
            }
            due += 1;
            match source::read(number, event.payload)? {
                Event::Call(call) => self.play_call(number, &call)?,
                Event::Signal(signal) => self.play_signal(number, &signal)?,
                Event::Sigreturn(back) => self.play_sigreturn(number, &back)?,
                Event::Tsc(tsc) => self.play_counter(number, &tsc)?,
                Event::End(end) => {
                    self.play_end(number, &end)?;
                    return Ok(Played {
                        events: due - self.first,
                        ending: Some(end.ending),
                    });
                }
                Event::Start(_) => {
                    let what = "a segment begins inside another".to_owned();
                    return Err(PlayError::Unplayable {
                        event: number,
                        what,
                    });
                }
            }
        }
        Ok(Played {
            events: due - self.first,
            ending: None,
        })
    }

    fn play_call(&mut self, event: u64, recorded: &Call) -> Result<(), PlayError> {
        let (number, ip) = (recorded.number, recorded.ip);
        let mut registers = self.run_to_call(event, Fact::Call { number, ip })?;
        let arguments = registers.arguments();
        for (index, (expected, actual)) in recorded.arguments.iter().zip(arguments).enumerate() {
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
            let actual = self.checksum(table, &arguments);
            if actual != expected {
                let fact = |sum| Fact::Read { number, sum };
                return Err(self.diverged(event, ip, fact(expected), fact(actual)));
            }
        }
        self.show(table, &arguments, recorded.result);
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
        self.set_registers(registers)
    }

    fn play_signal(&mut self, event: u64, signal: &Signal) -> Result<(), PlayError> {
        let (number, ip) = (signal.number, signal.ip);
        self.run_to_signal(event, signal.at, number, ip)?;
        self.write(event, signal.frame.address, &signal.frame.bytes)?;
        self.set_state(&signal.state)
    }

    fn play_sigreturn(&mut self, event: u64, back: &Sigreturn) -> Result<(), PlayError> {
        let number = libc::SYS_rt_sigreturn.cast_unsigned();
        self.run_to_call(
            event,
            Fact::Call {
                number,
                ip: back.ip,
            },
        )?;
        self.set_state(&back.state)
    }

    fn play_counter(&mut self, event: u64, tsc: &Tsc) -> Result<(), PlayError> {
        let expected = Fact::Counter { ip: tsc.ip };
        let stop = self.go()?;
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

    fn play_end(&mut self, event: u64, end: &End) -> Result<(), PlayError> {
        let here = match end.ending {
            Ending::Exit { call, .. } => {
                let ip = end.state.registers.rip();
                self.run_to_call(event, Fact::Call { number: call, ip })?
            }
            Ending::Signal { number, at } => {
                self.run_to_signal(event, at, number, end.state.registers.rip())?
            }
        };
        self.compare(event, end, &here)
    }

    /// Runs to a system call, which must be the expected one.
    fn run_to_call(&mut self, event: u64, expected: Fact) -> Result<Registers, PlayError> {
        let stop = self.go()?;
        let registers = self.here(event, &expected, stop)?;
        let (number, ip) = (registers.orig_rax(), registers.rip());
        if stop != Stop::Call || (Fact::Call { number, ip }) != expected {
            return Err(self.other(event, expected, stop, &registers));
        }
        self.only_syscall(event, expected, ip)?;
        Ok(registers)
    }

    /// Brings the process to where a signal came, and returns the registers
    /// there.
    fn run_to_signal(
        &mut self,
        event: u64,
        at: Position,
        number: u32,
        ip: u64,
    ) -> Result<Registers, PlayError> {
        let expected = Fact::Signal { number, ip };
        let registers = match at {
            Position::AfterEvent => self.blank.tracee.registers()?,
            Position::AtCall => {
                let stop = self.go()?;
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
                let stop = self.go()?;
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

    fn go(&mut self) -> Result<Stop, PlayError> {
        self.blank.tracee.resume(Resume::EmulatingCalls, 0)?;
        let stop = self.blank.tracee.wait()?;
        match stop {
            Stop::Signal(libc::SIGXCPU) => Err(PlayError::Limit("its time")),
            stop => Ok(stop),
        }
    }

    /// The registers of the process, if there is still one.
    fn here(&self, event: u64, expected: &Fact, stop: Stop) -> Result<Registers, PlayError> {
        if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
            return Err(self.diverged(event, 0, expected.clone(), Fact::Gone));
        }
        Ok(self.blank.tracee.registers()?)
    }

    /// Only the instruction that 64-bit programs use is played, and only by it
    /// are calls made in the process's name.
    fn only_syscall(&mut self, event: u64, expected: Fact, ip: u64) -> Result<(), PlayError> {
        if !self.blank.tracee.is_behind_syscall(ip) {
            return Err(self.diverged(event, ip, expected, Fact::OtherCall { ip }));
        }
        self.behind = ip;
        Ok(())
    }

    fn other(&self, event: u64, expected: Fact, stop: Stop, at: &Registers) -> PlayError {
        let ip = at.rip();
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

    pub(crate) fn diverged(
        &self,
        position: u64,
        ip: u64,
        expected: Fact,
        actual: Fact,
    ) -> PlayError {
        PlayError::Diverged(Box::new(Divergence {
            stream: self.stream,
            position,
            location: Location::of(ip, &self.segment.start.regions),
            expected,
            actual,
        }))
    }

    fn set_registers(&self, mut registers: Registers) -> Result<(), PlayError> {
        // Not in a system call: the kernel must not restart it.
        registers.set_orig_rax(u64::MAX);
        Ok(self.blank.tracee.set_registers(&registers)?)
    }

    fn set_state(&self, state: &State) -> Result<(), PlayError> {
        let mut state = state.clone();
        state.registers.set_orig_rax(u64::MAX);
        Ok(self.blank.tracee.set_state(&state)?)
    }

    fn write(&self, event: u64, address: u64, bytes: &[u8]) -> Result<(), PlayError> {
        self.blank.tracee.write(address, bytes).map_err(|_| {
            let len = bytes.len();
            let what = format!("{len} bytes cannot be written at {address:#x}");
            PlayError::Unplayable { event, what }
        })
    }

    fn checksum(&self, call: &reprise_syscalls::Call, arguments: &[u64; 6]) -> u32 {
        let mut sum = 0;
        for extent in read_by(call, arguments, &Seen(self.blank.tracee)) {
            let len = usize::try_from(extent.len.min(LONGEST)).unwrap_or(0);
            let bytes = self.blank.tracee.read_some(extent.address, len);
            sum = crc32c::crc32c_append(sum, &bytes);
        }
        sum
    }

    /// Hands on what the process writes to its standard output or error.
    fn show(&mut self, call: &reprise_syscalls::Call, arguments: &[u64; 6], result: u64) {
        let writes = [libc::SYS_write, libc::SYS_writev, libc::SYS_pwrite64];
        let is_write = writes.contains(&call.number.cast_signed());
        let to_stderr = match arguments[0] {
            1 => false,
            2 => true,
            _ => return,
        };
        if !is_write || is_error(result) {
            return;
        }
        let mut left = result;
        for extent in read_by(call, arguments, &Seen(self.blank.tracee)) {
            let len = extent.len.min(left);
            left -= len;
            let len = usize::try_from(len.min(LONGEST)).unwrap_or(0);
            let bytes = self.blank.tracee.read_some(extent.address, len);
            let bytes = &bytes[..];
            (self.output)(Wrote { to_stderr, bytes });
        }
    }
}
